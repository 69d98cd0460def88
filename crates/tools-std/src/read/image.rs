//! Images as models take them: upright, at most 1568 pixels long, and small. What fits already is
//! shown byte for byte, but only after it was decoded once: a broken picture in a conversation would
//! break every request after it.

use super::output::{Dimensions, ImageView, Picture, size};
use crate::file::kind::Image;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::gif::GifDecoder;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType as PngFilter, PngDecoder, PngEncoder};
use image::codecs::webp::WebPDecoder;
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{
    AnimationDecoder as _, DynamicImage, ImageDecoder as _, ImageError, ImageFormat, ImageReader, Limits,
    Rgb, RgbImage,
};
use std::io::Cursor;
use std::path::Path;

/// Longest edge that is shown, in pixels; models shrink what is longer.
const LONGEST_EDGE: u32 = 1_568;
/// Bytes above which an image is encoded again, as JPEG.
const MAX_UNCHANGED_BYTES: usize = 500_000;
/// Most bytes of an image that models take, in base64.
const MAX_BASE64_BYTES: usize = 5 * 1024 * 1024;
/// Longest edge that is decoded.
const MAX_EDGE: u32 = 50_000;
/// Memory for the decoded pixels.
const MAX_PIXEL_BYTES: u64 = 256 * 1024 * 1024;
/// Qualities of JPEG that are tried, best first.
const QUALITIES: [u8; 4] = [85, 75, 60, 45];

/// An image that a model takes.
#[derive(Debug)]
pub(super) struct Fitted {
    /// What is shown.
    pub picture: Picture,
    /// Its size.
    pub dimensions: Dimensions,
    /// What the reader must know.
    pub notices: Vec<String>,
}

/// The image that is in the file `named`.
///
/// # Errors
/// What is wrong with it, after its name.
pub(super) fn view(named: &Path, format: Image, bytes: Vec<u8>) -> Result<ImageView, String> {
    let original_size = bytes.len() as u64;
    let Fitted { picture, dimensions, notices } = fit(format, bytes)?;
    let file_path = named.to_string_lossy().into_owned();
    let dimensions = Some(dimensions);
    Ok(ImageView { file_path, picture, original_size, dimensions, notices })
}

/// The image as models take it.
///
/// # Errors
/// What is wrong with it, after its name.
pub(super) fn fit(format: Image, bytes: Vec<u8>) -> Result<Fitted, String> {
    let (image, orientation) = decode(format, &bytes)?;
    let turned = quarter_turn(orientation);
    let (width, height) = upright((image.width(), image.height()), turned);
    let fits = width.max(height) <= LONGEST_EDGE;
    if fits && orientation == Orientation::NoTransforms && bytes.len() <= MAX_UNCHANGED_BYTES {
        return Ok(Fitted {
            picture: picture(format.media_type(), &bytes),
            dimensions: dimensions((width, height), (width, height)),
            notices: Vec::new(),
        });
    }
    let (display_width, display_height) = shrunk(width, height);
    let mut image = resized(image, upright((display_width, display_height), turned));
    image.apply_orientation(orientation);
    // Small files with sharp edges, such as drawings and screenshots, stay sharp.
    let sharp = format != Image::Jpeg && bytes.len() <= MAX_UNCHANGED_BYTES;
    let as_png = if sharp { png(&image).filter(|png| png.len() <= MAX_UNCHANGED_BYTES) } else { None };
    let picture = match as_png {
        Some(png) => picture(Image::Png.media_type(), &png),
        None => picture(Image::Jpeg.media_type(), &jpeg(&image)?),
    };
    let mut notices = Vec::new();
    if (display_width, display_height) != (width, height) {
        let factor = f64::from(width.max(height)) / f64::from(display_width.max(display_height));
        notices.push(format!(
            "[image of {width}x{height} pixels, shown at {display_width}x{display_height}: multiply coordinates by \
             {factor:.2} for the file]"
        ));
    }
    if orientation != Orientation::NoTransforms {
        notices.push("[shown upright, as its EXIF orientation says]".to_owned());
    }
    if animated(format, &bytes) {
        notices.push("[animation: its first frame is shown]".to_owned());
    }
    let dimensions = dimensions((width, height), (display_width, display_height));
    Ok(Fitted { picture, dimensions, notices })
}

/// The pixels of its first frame as they are stored, and how they are turned.
fn decode(format: Image, bytes: &[u8]) -> Result<(DynamicImage, Orientation), String> {
    let what = format.name();
    let damaged = |error: ImageError| match error {
        ImageError::Limits(_) => {
            format!("is {what} that is too large to be decoded; shrink it with another tool")
        }
        error => {
            format!("looks like {what} but cannot be decoded ({error}); it may be damaged or incomplete")
        }
    };
    let stored = match format {
        Image::Png => ImageFormat::Png,
        Image::Jpeg => ImageFormat::Jpeg,
        Image::Gif => ImageFormat::Gif,
        Image::WebP => ImageFormat::WebP,
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), stored);
    reader.limits(limits());
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    if decoder.total_bytes() > MAX_PIXEL_BYTES {
        return Err(format!(
            "is {what} of {width}x{height} pixels, too large to be decoded; shrink it with another tool"
        ));
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let image = DynamicImage::from_decoder(decoder).map_err(damaged)?;
    Ok((image, orientation))
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_EDGE);
    limits.max_image_height = Some(MAX_EDGE);
    // Decoders count the pixels and their own buffers.
    limits.max_alloc = Some(2 * MAX_PIXEL_BYTES);
    limits
}

/// Whether it has a second frame.
fn animated(format: Image, bytes: &[u8]) -> bool {
    let input = Cursor::new(bytes);
    match format {
        Image::Jpeg => false,
        Image::Png => {
            PngDecoder::with_limits(input, limits()).and_then(|decoder| decoder.is_apng()).unwrap_or(false)
        }
        Image::WebP => WebPDecoder::new(input).is_ok_and(|decoder| decoder.has_animation()),
        Image::Gif => GifDecoder::new(input).is_ok_and(|mut decoder| {
            decoder.set_limits(limits()).is_ok() && decoder.into_frames().take(2).flatten().count() > 1
        }),
    }
}

/// Whether upright width and height are those of the stored pixels the other way round.
fn quarter_turn(orientation: Orientation) -> bool {
    matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    )
}

fn upright((width, height): (u32, u32), turned: bool) -> (u32, u32) {
    if turned { (height, width) } else { (width, height) }
}

/// Width and height that are shown.
fn shrunk(width: u32, height: u32) -> (u32, u32) {
    let longest = width.max(height);
    if longest <= LONGEST_EDGE {
        return (width, height);
    }
    let scaled = |edge: u32| {
        let exact = u64::from(edge) * u64::from(LONGEST_EDGE) + u64::from(longest) / 2;
        u32::try_from(exact / u64::from(longest)).unwrap_or(LONGEST_EDGE).max(1)
    };
    (scaled(width), scaled(height))
}

fn resized(image: DynamicImage, (width, height): (u32, u32)) -> DynamicImage {
    if (image.width(), image.height()) == (width, height) {
        return image;
    }
    // The fine filter needs much memory, so a huge image is brought near its size by a plain one first.
    let near = (width.saturating_mul(2), height.saturating_mul(2));
    let image = match image.width() > near.0 && image.height() > near.1 {
        true => image.thumbnail_exact(near.0, near.1),
        false => image,
    };
    image.resize_exact(width, height, FilterType::Lanczos3)
}

fn png(image: &DynamicImage) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, PngFilter::Adaptive);
    let eight_bit = match image.color().has_alpha() {
        true => DynamicImage::ImageRgba8(image.to_rgba8()),
        false => DynamicImage::ImageRgb8(image.to_rgb8()),
    };
    eight_bit.write_with_encoder(encoder).ok().map(|()| bytes)
}

/// As JPEG, in the best quality that is small, or else in the least; always within what models take.
fn jpeg(image: &DynamicImage) -> Result<Vec<u8>, String> {
    let opaque = on_white(image);
    let mut bytes = Vec::new();
    for quality in QUALITIES {
        bytes.clear();
        JpegEncoder::new_with_quality(&mut bytes, quality)
            .encode_image(&opaque)
            .map_err(|error| format!("could not be encoded again: {error}"))?;
        if bytes.len() <= MAX_UNCHANGED_BYTES {
            break;
        }
    }
    if bytes.len().div_ceil(3) * 4 > MAX_BASE64_BYTES {
        return Err(format!(
            "is still {} after it was shrunk, more than models take",
            size(bytes.len() as u64)
        ));
    }
    Ok(bytes)
}

/// What is transparent becomes white: JPEG knows no transparency.
fn on_white(image: &DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.to_rgb8();
    }
    let with_alpha = image.to_rgba8();
    let mut opaque = RgbImage::new(image.width(), image.height());
    for (from, to) in with_alpha.pixels().zip(opaque.pixels_mut()) {
        let [red, green, blue, alpha] = from.0.map(u32::from);
        let blend =
            |channel: u32| u8::try_from((channel * alpha + 255 * (255 - alpha) + 127) / 255).unwrap_or(255);
        *to = Rgb([blend(red), blend(green), blend(blue)]);
    }
    opaque
}

fn picture(media_type: &str, bytes: &[u8]) -> Picture {
    Picture { base64: STANDARD.encode(bytes), media_type: media_type.to_owned() }
}

fn dimensions(original: (u32, u32), display: (u32, u32)) -> Dimensions {
    Dimensions {
        original_width: original.0,
        original_height: original.1,
        display_width: display.0,
        display_height: display.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgba, RgbaImage};
    use proptest::prelude::*;

    fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn shown(fitted: &Fitted) -> DynamicImage {
        image::load_from_memory(&STANDARD.decode(&fitted.picture.base64).unwrap()).unwrap()
    }

    /// Pixels that do not compress.
    fn noise(width: u32, height: u32) -> DynamicImage {
        let mut state = 1u32;
        DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, |_, _| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [_, a, b, c] = state.to_be_bytes();
            Rgb([a, b, c])
        }))
    }

    #[test]
    fn what_fits_is_shown_byte_for_byte() {
        let image = DynamicImage::ImageRgb8(RgbImage::from_pixel(20, 10, Rgb([1, 2, 3])));
        for (format, stored) in [
            (Image::Png, ImageFormat::Png),
            (Image::Jpeg, ImageFormat::Jpeg),
            (Image::Gif, ImageFormat::Gif),
            (Image::WebP, ImageFormat::WebP),
        ] {
            let bytes = encoded(&image, stored);
            let fitted = fit(format, bytes.clone()).unwrap();
            assert_eq!(fitted.picture.media_type, format.media_type());
            assert_eq!(STANDARD.decode(&fitted.picture.base64).unwrap(), bytes);
            assert_eq!(fitted.dimensions, dimensions((20, 10), (20, 10)));
            assert!(fitted.notices.is_empty());
        }
    }

    #[test]
    fn large_images_are_shrunk_and_say_so() {
        let image = DynamicImage::ImageRgb8(RgbImage::from_pixel(4_000, 1_000, Rgb([200, 0, 0])));
        let fitted = fit(Image::Png, encoded(&image, ImageFormat::Png)).unwrap();
        assert_eq!((fitted.dimensions.display_width, fitted.dimensions.display_height), (1_568, 392));
        assert_eq!((shown(&fitted).width(), shown(&fitted).height()), (1_568, 392));
        assert_eq!(fitted.picture.media_type, "image/png");
        insta::assert_snapshot!(fitted.notices.join("\n"), @"[image of 4000x1000 pixels, shown at 1568x392: multiply coordinates by 2.55 for the file]");
    }

    #[test]
    fn heavy_images_become_jpeg() {
        let bytes = encoded(&noise(700, 500), ImageFormat::Png);
        assert!(bytes.len() > MAX_UNCHANGED_BYTES);
        let fitted = fit(Image::Png, bytes).unwrap();
        assert_eq!(fitted.picture.media_type, "image/jpeg");
        assert!(fitted.picture.base64.len() <= MAX_BASE64_BYTES);
        assert_eq!(fitted.dimensions, dimensions((700, 500), (700, 500)));
    }

    #[test]
    fn transparency_becomes_white_in_jpeg() {
        let mut image = RgbaImage::from_pixel(2, 1, Rgba([0, 0, 0, 0]));
        image.put_pixel(1, 0, Rgba([10, 20, 30, 255]));
        let opaque = on_white(&DynamicImage::ImageRgba8(image));
        assert_eq!(opaque.pixels().map(|pixel| pixel.0).collect::<Vec<_>>(), [[255; 3], [10, 20, 30]]);
    }

    /// A JPEG with an EXIF orientation: red at the left of its stored pixels, blue at the right.
    fn turned(orientation: u8) -> Vec<u8> {
        let image =
            RgbImage::from_fn(64, 32, |x, _| if x < 32 { Rgb([255, 0, 0]) } else { Rgb([0, 0, 255]) });
        let plain = encoded(&DynamicImage::ImageRgb8(image), ImageFormat::Jpeg);
        let mut exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
        exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
        let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
        [&plain[..2], b"\xff\xe1", &length, &exif, &plain[2..]].concat()
    }

    #[test]
    fn images_are_shown_upright() {
        for (orientation, size, red_at) in
            [(1, (64, 32), (8, 16)), (3, (64, 32), (56, 16)), (6, (32, 64), (16, 8)), (8, (32, 64), (16, 56))]
        {
            let fitted = fit(Image::Jpeg, turned(orientation)).unwrap();
            let image = shown(&fitted).to_rgb8();
            assert_eq!((image.width(), image.height()), size, "{orientation}");
            assert_eq!((fitted.dimensions.original_width, fitted.dimensions.display_height), size);
            let [red, _, blue] = image.get_pixel(red_at.0, red_at.1).0;
            assert!(red > 200 && blue < 60, "{orientation}: {red} {blue}");
            assert_eq!(fitted.notices.is_empty(), orientation == 1);
        }
    }

    #[test]
    fn an_animation_that_is_shrunk_says_that_one_frame_is_shown() {
        let frame = |level| image::Frame::new(RgbaImage::from_pixel(1_600, 4, Rgba([level, 0, 0, 255])));
        let mut bytes = Vec::new();
        image::codecs::gif::GifEncoder::new(&mut bytes).encode_frames([frame(255), frame(0)]).unwrap();
        let fitted = fit(Image::Gif, bytes).unwrap();
        assert!(fitted.notices.iter().any(|notice| notice.contains("first frame")), "{:?}", fitted.notices);
        assert!(shown(&fitted).to_rgb8().get_pixel(9, 1).0[0] > 250);
    }

    /// A PNG of one colour, of any size.
    fn header_only(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = encoded(&DynamicImage::ImageRgb8(RgbImage::new(1, 1)), ImageFormat::Png);
        bytes[16..20].copy_from_slice(&width.to_be_bytes());
        bytes[20..24].copy_from_slice(&height.to_be_bytes());
        let crc = crc(&bytes[12..29]).to_be_bytes();
        bytes[29..33].copy_from_slice(&crc);
        bytes
    }

    fn crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |crc, byte| {
            (0..8).fold(
                crc ^ u32::from(*byte),
                |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
            )
        })
    }

    #[test]
    fn bombs_are_refused_by_their_size() {
        for (width, height) in [(u32::MAX >> 1, u32::MAX >> 1), (40_000, 40_000), (1_000_000, 1)] {
            let problem = fit(Image::Png, header_only(width, height)).unwrap_err();
            assert!(problem.contains("too large to be decoded"), "{problem}");
        }
    }

    #[test]
    fn damaged_images_are_errors() {
        let whole = encoded(&noise(40, 40), ImageFormat::Png);
        for bytes in [&whole[..whole.len() / 2], &b"\x89PNG\r\n\x1a\n"[..], &header_only(100, 100)] {
            let problem = fit(Image::Png, bytes.to_vec()).unwrap_err();
            assert!(problem.starts_with("looks like a PNG image but cannot be decoded"), "{problem}");
        }
        assert!(fit(Image::Gif, b"GIF89a".to_vec()).is_err());
        assert!(fit(Image::Jpeg, b"\xff\xd8\xff\xe0".to_vec()).is_err());
        assert!(fit(Image::WebP, b"RIFF\x10\0\0\0WEBPVP8 ".to_vec()).is_err());
    }

    proptest! {
        #[test]
        fn shrinking_keeps_within_the_limit(width in 1u32..200_000, height in 1u32..200_000) {
            let (shown_width, shown_height) = shrunk(width, height);
            prop_assert!(shown_width.max(shown_height) <= LONGEST_EDGE && shown_width.min(shown_height) >= 1);
            prop_assert!(width.max(height) > LONGEST_EDGE || (shown_width, shown_height) == (width, height));
        }

        #[test]
        fn no_damage_is_a_crash(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>()) {
            let image = DynamicImage::ImageRgb8(RgbImage::from_pixel(9, 7, Rgb([1, 2, 3])));
            for (format, stored) in
                [(Image::Png, ImageFormat::Png), (Image::Jpeg, ImageFormat::Jpeg), (Image::Gif, ImageFormat::Gif), (Image::WebP, ImageFormat::WebP)]
            {
                let mut bytes = encoded(&image, stored);
                let place = at.index(bytes.len());
                bytes[place] = byte;
                bytes.truncate(cut.index(bytes.len()) + 1);
                drop(fit(format, bytes));
            }
        }
    }
}
