//! Letters of two fonts: Hack, which has Latin, Greek, Cyrillic, arrows and signs, and Noto Emoji in one colour.
//! What they lack is shown as a box with the number of the letter.

use super::canvas::{Area, Canvas};
use super::palette::Rgb;
use ab_glyph::{Font as _, FontRef, Glyph, GlyphId, PxScale, ScaleFont as _, point};

/// Slant of italic letters: columns a row.
const SLANT: f32 = 0.18;
/// Digits narrower than this many pixels cannot be read.
const LEAST_DIGIT: f32 = 5.0;

/// The fonts, the first at one size.
pub(super) struct Letters {
    font: FontRef<'static>,
    signs: FontRef<'static>,
    scale: PxScale,
}

/// How a letter looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) color: Rgb,
    pub(super) is_bold: bool,
    pub(super) is_italic: bool,
}

/// What became of a letter.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Drawn {
    Yes,
    /// The font has it not.
    Missing,
}

impl Letters {
    /// The fonts so that a letter is `width` pixels wide; `None` if one cannot be read, which a test rules out.
    pub(super) fn new(width: u32) -> Option<Self> {
        let font = FontRef::try_from_slice(epaint_default_fonts::HACK_REGULAR).ok()?;
        let signs = FontRef::try_from_slice(epaint_default_fonts::NOTO_EMOJI_REGULAR).ok()?;
        let any = font.as_scaled(1.0);
        let advance = any.h_advance(font.glyph_id('0'));
        let scale = PxScale::from(pixels(width) / advance);
        Some(Self { font, signs, scale })
    }

    /// Draws a letter into its cell.
    pub(super) fn draw(&self, canvas: &mut Canvas, cell: Area, letter: char, style: Style) -> Drawn {
        let letter = look_alike(letter);
        let id = self.font.glyph_id(letter);
        if id == GlyphId(0) {
            return self.draw_sign(canvas, cell, letter, style);
        }
        let place = point(pixels(cell.x), self.baseline(cell));
        outline(&self.font, canvas, id.with_scale_and_position(self.scale, place), style);
        Drawn::Yes
    }

    /// Draws a mark over the middle of its cell: fonts do not agree on where they have it.
    pub(super) fn draw_mark(&self, canvas: &mut Canvas, cell: Area, letter: char, style: Style) -> Drawn {
        let id = self.font.glyph_id(letter);
        if id == GlyphId(0) {
            return Drawn::Missing;
        }
        let at = |x: f32| id.with_scale_and_position(self.scale, point(x, self.baseline(cell)));
        let Some(outlined) = self.font.outline_glyph(at(0.0)) else { return Drawn::Yes };
        let bounds = outlined.px_bounds();
        let x = pixels(cell.x) + (pixels(cell.width) - bounds.width()) / 2.0 - bounds.min.x;
        outline(&self.font, canvas, at(x), style);
        Drawn::Yes
    }

    fn baseline(&self, cell: Area) -> f32 {
        let scaled = self.font.as_scaled(self.scale);
        pixels(cell.y) + (pixels(cell.height) - scaled.height()) / 2.0 + scaled.ascent()
    }

    /// Draws a sign of the second font in the middle of its cell.
    fn draw_sign(&self, canvas: &mut Canvas, cell: Area, letter: char, style: Style) -> Drawn {
        let id = self.signs.glyph_id(letter);
        if id == GlyphId(0) {
            return Drawn::Missing;
        }
        let one = self.signs.as_scaled(1.0).h_advance(id);
        let scale = PxScale::from((pixels(cell.width) / one).min(pixels(cell.height)));
        let glyph = id.with_scale_and_position(scale, point(0.0, 0.0));
        let Some(outlined) = self.signs.outline_glyph(glyph) else { return Drawn::Yes };
        let bounds = outlined.px_bounds();
        let x = pixels(cell.x) + (pixels(cell.width) - bounds.width()) / 2.0 - bounds.min.x;
        let y = pixels(cell.y) + (pixels(cell.height) - bounds.height()) / 2.0 - bounds.min.y;
        outline(&self.signs, canvas, id.with_scale_and_position(scale, point(x, y)), style);
        Drawn::Yes
    }

    /// A box with the number of the letter, as far as there is room for it.
    pub(super) fn draw_missing(&self, canvas: &mut Canvas, cell: Area, letter: char, color: Rgb) {
        let frame = cell.part(1, 2, cell.width - 1, cell.height - 2);
        let (width, height) = (frame.width, frame.height);
        for side in [
            frame.part(0, 0, width, 1),
            frame.part(0, height - 1, width, height),
            frame.part(0, 0, 1, height),
            frame.part(width - 1, 0, width, height),
        ] {
            canvas.fill(side, color);
        }
        let digits: Vec<char> = format!("{:04X}", u32::from(letter)).chars().collect();
        let columns = digits.len().div_ceil(2);
        let Ok(count) = u16::try_from(columns) else { return };
        let digit_width = pixels(width.saturating_sub(4)) / f32::from(count);
        if digit_width < LEAST_DIGIT {
            return;
        }
        let one = self.font.as_scaled(1.0);
        let scale = (digit_width / one.h_advance(self.font.glyph_id('0'))).min(pixels(height) / 2.0);
        let scaled = self.font.as_scaled(scale);
        let style = Style { color, is_bold: false, is_italic: false };
        for (row, digits) in (0u8..).zip(digits.chunks(columns)) {
            let middle = pixels(frame.y) + pixels(height) * (0.28 + 0.44 * f32::from(row));
            for (column, digit) in (0u8..).zip(digits) {
                let x = pixels(frame.x) + 2.0 + digit_width * f32::from(column);
                let baseline = middle + scaled.ascent() * 0.36;
                let glyph = self.font.glyph_id(*digit).with_scale_and_position(scale, point(x, baseline));
                outline(&self.font, canvas, glyph, style);
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "pixels of a picture")]
fn pixels(number: u32) -> f32 {
    number as f32
}

#[expect(clippy::cast_possible_truncation, reason = "pixels of a picture")]
fn whole(number: f32) -> i64 {
    number.round() as i64
}

fn outline(font: &FontRef<'static>, canvas: &mut Canvas, glyph: Glyph, style: Style) {
    let baseline = glyph.position.y;
    let Some(outlined) = font.outline_glyph(glyph) else { return };
    let bounds = outlined.px_bounds();
    let (left, top) = (whole(bounds.min.x), whole(bounds.min.y));
    outlined.draw(|x, y, cover| {
        let y = top + i64::from(y);
        #[expect(clippy::cast_precision_loss, reason = "pixels of a picture")]
        let slant = if style.is_italic { whole((baseline - y as f32) * SLANT) } else { 0 };
        let x = left + i64::from(x) + slant;
        canvas.blend(x, y, style.color, cover);
        if style.is_bold {
            canvas.blend(x + 1, y, style.color, cover);
        }
    });
}

/// A letter that the fonts lack, as one that they have and that is read as the same.
fn look_alike(letter: char) -> char {
    match letter {
        '✓' => '✔',
        '✗' | '✘' => '×',
        '★' => '⭐',
        other => other,
    }
}
