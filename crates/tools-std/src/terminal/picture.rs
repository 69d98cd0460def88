//! A screen as a PNG picture: what a person would see.

mod canvas;
mod letters;
mod palette;
mod shapes;

use canvas::{Area, Canvas};
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder as _};
use letters::{Drawn, Letters, Style};
use palette::{BACKGROUND, Ground, Rgb, mixed, rgb};
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization as _;

/// Pixels of a picture's longer side above which its letters are made smaller: models shrink what is larger.
const MOST_PIXELS: u32 = 1568;
/// Cells of comfortable and of small letters: width and height in pixels.
const CELLS: [(u32, u32); 2] = [(12, 24), (8, 16)];
/// Pixels around the screen.
const MARGIN: u32 = 6;

/// One cell of a screen.
#[derive(Clone, Debug)]
struct Shown {
    text: String,
    cells: u16,
    fore: Rgb,
    back: Rgb,
    is_bold: bool,
    is_italic: bool,
    is_underlined: bool,
}

/// The cells of some rows, without the second halves of wide letters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    rows: Vec<Vec<(u16, Shown)>>,
    cols: u16,
    /// Row and column of a cursor that is seen.
    cursor: Option<(usize, u16)>,
}

/// A picture, done.
#[derive(Debug)]
pub(crate) struct Picture {
    pub(crate) png: Vec<u8>,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Letters that are shown as boxes.
    pub(crate) missing: Vec<char>,
}

impl Rows {
    /// Adds the first `count` rows of what `screen` shows.
    pub(crate) fn add(&mut self, screen: &vt100::Screen, count: u16) {
        let (_, cols) = screen.size();
        self.cols = self.cols.max(cols.get());
        for row in 0..count {
            let cells = (0..cols.get()).filter_map(|col| {
                let cell = screen.cell(row, col).filter(|cell| !cell.is_wide_continuation())?;
                Some((col, Shown::of(cell)))
            });
            self.rows.push(cells.collect());
        }
    }

    /// Shows the cursor of `screen`, whose rows are the last ones.
    pub(crate) fn add_cursor(&mut self, screen: &vt100::Screen) {
        let (rows, cols) = screen.size();
        let (row, col) = screen.cursor_position();
        let first = self.rows.len().saturating_sub(usize::from(rows.get()));
        self.cursor = (!screen.hide_cursor())
            .then_some((first + usize::from(row), col.min(cols.get().saturating_sub(1))));
    }

    /// Draws the rows; takes a moment of computing.
    ///
    /// # Errors
    /// When the picture cannot be encoded.
    pub(crate) fn draw(&self) -> Result<Picture, String> {
        let rows = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let size = |(width, height): (u32, u32)| {
            (
                u32::from(self.cols) * width + 2 * MARGIN,
                rows.saturating_mul(height).saturating_add(2 * MARGIN),
            )
        };
        let fits = |cell: &(u32, u32)| {
            let (width, height) = size(*cell);
            width.max(height) <= MOST_PIXELS
        };
        let cell = CELLS.into_iter().find(fits).unwrap_or(CELLS[1]);
        let (width, height) = size(cell);
        let letters = Letters::new(cell.0).ok_or("the font cannot be read")?;
        let mut canvas = Canvas::new(width, height, BACKGROUND);
        let mut missing = BTreeSet::new();
        for (index, row) in (0u32..).zip(&self.rows) {
            // Letters reach into their neighbours' cells, so all that lies behind comes first.
            for (is_behind, (col, shown)) in
                row.iter().map(|cell| (true, cell)).chain(row.iter().map(|cell| (false, cell)))
            {
                let area = Area {
                    x: MARGIN + u32::from(*col) * cell.0,
                    y: MARGIN + index * cell.1,
                    width: u32::from(shown.cells) * cell.0,
                    height: cell.1,
                };
                let has_cursor = self.cursor.is_some_and(|(row, at)| {
                    usize::try_from(index) == Ok(row) && (*col..*col + shown.cells).contains(&at)
                });
                let (fore, back) =
                    if has_cursor { (shown.back, shown.fore) } else { (shown.fore, shown.back) };
                if is_behind {
                    canvas.fill(area, back);
                } else {
                    missing.extend(shown.draw(&mut canvas, &letters, area, fore));
                }
            }
        }
        let mut png = Vec::new();
        PngEncoder::new(&mut png)
            .write_image(&canvas.pixels, canvas.width, canvas.height, ExtendedColorType::Rgb8)
            .map_err(|error| error.to_string())?;
        Ok(Picture { png, width, height, missing: missing.into_iter().collect() })
    }
}

impl Shown {
    fn of(cell: &vt100::Cell) -> Self {
        let (mut fore, mut back) = (rgb(cell.fgcolor(), Ground::Fore), rgb(cell.bgcolor(), Ground::Back));
        if cell.inverse() {
            (fore, back) = (back, fore);
        }
        if cell.dim() {
            fore = mixed(fore, back, 0.55);
        }
        Self {
            text: cell.contents().to_owned(),
            cells: if cell.is_wide() { 2 } else { 1 },
            fore,
            back,
            is_bold: cell.bold(),
            is_italic: cell.italic(),
            is_underlined: cell.underline(),
        }
    }

    /// Draws what stands in the cell; gives the letters that the font lacks.
    fn draw(&self, canvas: &mut Canvas, letters: &Letters, area: Area, color: Rgb) -> Vec<char> {
        let style = Style { color, is_bold: self.is_bold, is_italic: self.is_italic };
        let mut missing = Vec::new();
        // One letter where there is one, as fonts have it, else a letter and its marks.
        for (index, letter) in self.text.nfc().enumerate() {
            if is_invisible(letter) || shapes::draw(canvas, area, letter, color) {
                continue;
            }
            let drawn = match index {
                0 => letters.draw(canvas, area, letter, style),
                _ => letters.draw_mark(canvas, area, letter, style),
            };
            if drawn == Drawn::Missing {
                missing.push(letter);
                // A mark on a letter that is drawn leaves the letter readable.
                if index == 0 {
                    letters.draw_missing(canvas, area, letter, color);
                }
            }
        }
        if self.is_underlined {
            let y = area.height - area.height / 8;
            canvas.fill(area.part(0, y, area.width, y + 1), color);
        }
        missing
    }
}

/// Letters that only change how others look.
fn is_invisible(letter: char) -> bool {
    matches!(letter, ' ' | '\u{a0}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::emulator::{Emulator, Size};

    fn picture(size: Size, bytes: &[u8]) -> (Picture, image::RgbImage) {
        let mut emulator = Emulator::new(size);
        emulator.feed(bytes);
        let mut rows = Rows::default();
        rows.add(emulator.screen(), size.rows);
        rows.add_cursor(emulator.screen());
        let picture = rows.draw().unwrap();
        let image = image::load_from_memory(&picture.png).unwrap().to_rgb8();
        assert_eq!((image.width(), image.height()), (picture.width, picture.height));
        (picture, image)
    }

    /// The colours in a cell.
    fn colors(image: &image::RgbImage, row: u32, col: u32) -> BTreeSet<[u8; 3]> {
        let pixel = |x: u32, y: u32| image.get_pixel(MARGIN + col * 12 + x, MARGIN + row * 24 + y).0;
        (0..24).flat_map(|y| (0..12).map(move |x| pixel(x, y))).collect()
    }

    #[test]
    fn colours_are_those_of_the_program() {
        let size = Size { rows: 5, cols: 20 };
        let bytes = b"\x1b[?25l\x1b[41m \x1b[48;5;21m \x1b[48;2;1;2;3m \x1b[0;7m \x1b[0;31m\xe2\x96\x88";
        let (_, image) = picture(size, bytes);
        for (col, expected) in [
            (0, [0xcd, 0x31, 0x31]),
            (1, [0, 0, 255]),
            (2, [1, 2, 3]),
            (3, [0xe0; 3]),
            (4, [0xcd, 0x31, 0x31]),
        ] {
            assert_eq!(colors(&image, 0, col), BTreeSet::from([expected]), "column {col}");
        }
        assert_eq!(colors(&image, 1, 0), BTreeSet::from([BACKGROUND]));
    }

    #[test]
    fn the_cursor_is_seen_unless_it_is_hidden() {
        let size = Size { rows: 5, cols: 20 };
        let (_, image) = picture(size, b"\r\n  ");
        assert_eq!(colors(&image, 1, 2), BTreeSet::from([[0xe0; 3]]));
        let (_, image) = picture(size, b"\r\n  \x1b[?25l");
        assert_eq!(colors(&image, 1, 2), BTreeSet::from([BACKGROUND]));
    }

    #[test]
    fn what_the_font_lacks_is_a_box_and_is_told() {
        let size = Size { rows: 5, cols: 40 };
        let (picture, image) = picture(size, "\u{65e5}aßαж→─█⠿e\u{301}x\u{302}✔✓✗★⚠❯".as_bytes());
        assert!(picture.missing.contains(&'日') && !picture.missing.contains(&'ß'), "{:?}", picture.missing);
        // The wide letter has two columns.
        for col in 0..17 {
            assert_ne!(colors(&image, 0, col), BTreeSet::from([BACKGROUND]), "column {col} is empty");
        }
    }

    #[test]
    fn frames_meet_at_the_borders_of_their_cells() {
        for (frame, heavy) in [("┌┐└┘─│├┤┬┴┼", 1), ("┏┓┗┛━┃┣┫┳┻╋", 1), ("╔╗╚╝═║╠╣╦╩╬", 2)]
        {
            let letters: Vec<char> = frame.chars().collect();
            let text = format!("\x1b[?25l{}{}\r\n{}{}", letters[0], letters[1], letters[2], letters[3]);
            let (_, image) = picture(Size { rows: 5, cols: 20 }, text.as_bytes());
            // Along the border between the two cells lies the same as on each side of it.
            let column =
                |x: u32| (0..24).filter(|y| image.get_pixel(MARGIN + x, MARGIN + y).0 != BACKGROUND).count();
            assert_eq!(column(11), column(12), "{frame}");
            assert!(column(11) >= heavy, "{frame}");
            let row =
                |y: u32| (0..12).filter(|x| image.get_pixel(MARGIN + x, MARGIN + y).0 != BACKGROUND).count();
            assert_eq!(row(23), row(24), "{frame}");
        }
    }

    #[test]
    fn a_large_screen_has_smaller_letters() {
        let (small, _) = picture(Size { rows: 24, cols: 80 }, b"x");
        let (large, _) = picture(Size { rows: 100, cols: 300 }, b"x");
        assert_eq!((small.width, small.height), (80 * 12 + 12, 24 * 24 + 12));
        assert_eq!((large.width, large.height), (300 * 8 + 12, 100 * 16 + 12));
    }
}
