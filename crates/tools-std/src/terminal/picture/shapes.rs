//! Letters that are made of lines and blocks: frames, bars, braille. They are drawn by their geometry, so that
//! they meet at the borders of their cells at any size.

use super::canvas::{Area, Canvas};
use super::palette::Rgb;

/// The arms of U+2500 to U+257F: one digit each for up, right, down, left; 1 is light, 2 heavy, 3 double. 0 is a
/// letter that the font draws.
const ARMS: [u16; 128] = [
    0x0101, 0x0202, 0x1010, 0x2020, 0x0101, 0x0202, 0x1010, 0x2020, 0x0101, 0x0202, 0x1010, 0x2020, 0x0110,
    0x0210, 0x0120, 0x0220, 0x0011, 0x0012, 0x0021, 0x0022, 0x1100, 0x1200, 0x2100, 0x2200, 0x1001, 0x1002,
    0x2001, 0x2002, 0x1110, 0x1210, 0x2110, 0x1120, 0x2120, 0x2210, 0x1220, 0x2220, 0x1011, 0x1012, 0x2011,
    0x1021, 0x2021, 0x2012, 0x1022, 0x2022, 0x0111, 0x0112, 0x0211, 0x0212, 0x0121, 0x0122, 0x0221, 0x0222,
    0x1101, 0x1102, 0x1201, 0x1202, 0x2101, 0x2102, 0x2201, 0x2202, 0x1111, 0x1112, 0x1211, 0x1212, 0x2111,
    0x1121, 0x2121, 0x2112, 0x2211, 0x1122, 0x1221, 0x2212, 0x1222, 0x2122, 0x2221, 0x2222, 0x0101, 0x0202,
    0x1010, 0x2020, 0x0303, 0x3030, 0x0310, 0x0130, 0x0330, 0x0013, 0x0031, 0x0033, 0x1300, 0x3100, 0x3300,
    0x1003, 0x3001, 0x3003, 0x1310, 0x3130, 0x3330, 0x1013, 0x3031, 0x3033, 0x0313, 0x0131, 0x0333, 0x1303,
    0x3101, 0x3303, 0x1313, 0x3131, 0x3333, 0x0110, 0x0011, 0x1001, 0x1100, 0x0000, 0x0000, 0x0000, 0x0001,
    0x1000, 0x0100, 0x0010, 0x0002, 0x2000, 0x0200, 0x0020, 0x0201, 0x1020, 0x0102, 0x2010,
];

/// Quarters of U+2596 to U+259F: upper left 8, upper right 4, lower left 2, lower right 1.
const QUARTERS: [u8; 10] = [2, 1, 8, 11, 9, 14, 13, 4, 6, 7];

/// Draws `letter` into its cell, when it is made of lines or blocks. Whether it was.
pub(super) fn draw(canvas: &mut Canvas, cell: Area, letter: char, color: Rgb) -> bool {
    match letter {
        '\u{2500}'..='\u{257f}' => {
            let index = u32::from(letter) - 0x2500;
            let arms = usize::try_from(index).ok().and_then(|index| ARMS.get(index)).copied().unwrap_or(0);
            if arms == 0 {
                return false;
            }
            lines(canvas, cell, arms, color);
            true
        }
        '\u{2580}'..='\u{259f}' => {
            block(canvas, cell, letter, color);
            true
        }
        '\u{2800}'..='\u{28ff}' => {
            braille(canvas, cell, u32::from(letter) - 0x2800, color);
            true
        }
        _ => false,
    }
}

/// The middle of a cell and how thick its lines are.
struct Lines {
    cell: Area,
    x: u32,
    y: u32,
    /// Thickness of a light line; a heavy one has thrice that.
    light: u32,
    /// Distance of each part of a double line from the middle.
    apart: u32,
}

fn lines(canvas: &mut Canvas, cell: Area, arms: u16, color: Rgb) {
    let light = (cell.width / 8).max(1);
    let lines = Lines { cell, x: cell.width / 2, y: cell.height / 2, light, apart: light + 1 };
    let weight = |shift: u16| (arms >> shift) & 0xf;
    let (up, right, down, left) = (weight(12), weight(8), weight(4), weight(0));
    let crossing_is_double = [(up == 3 || down == 3), (left == 3 || right == 3)];
    for (is_forward, weight) in [(false, up), (true, down)] {
        lines.arm(canvas, color, Axis::Vertical, is_forward, weight, [left, right], crossing_is_double[1]);
    }
    for (is_forward, weight) in [(false, left), (true, right)] {
        lines.arm(canvas, color, Axis::Horizontal, is_forward, weight, [up, down], crossing_is_double[0]);
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Axis {
    Horizontal,
    Vertical,
}

impl Lines {
    /// Draws one arm from the middle to the border. `sides` are the arms across it: before and after the middle.
    #[expect(clippy::too_many_arguments, reason = "one arm, as the table has it")]
    fn arm(
        &self,
        canvas: &mut Canvas,
        color: Rgb,
        axis: Axis,
        is_forward: bool,
        weight: u16,
        sides: [u16; 2],
        crosses_double: bool,
    ) {
        let (along, end) = match axis {
            Axis::Horizontal => (self.x, self.cell.width),
            Axis::Vertical => (self.y, self.cell.height),
        };
        let across = if axis == Axis::Horizontal { self.y } else { self.x };
        let mut bar = |offset: i64, thickness: u32, start: i64| {
            let from = (i64::from(across) + offset - i64::from(thickness / 2)).max(0);
            let from = u32::try_from(from).unwrap_or(0);
            // Lines of both directions overlap in the middle, so that corners are filled.
            let half = i64::from(thickness.div_ceil(2));
            let (first, last) = if is_forward {
                ((i64::from(along) + start - half / 2).max(0), i64::from(end))
            } else {
                (0, i64::from(along) - start + half)
            };
            let (first, last) = (u32::try_from(first).unwrap_or(0), u32::try_from(last).unwrap_or(0));
            let area = match axis {
                Axis::Horizontal => self.cell.part(first, from, last, from + thickness),
                Axis::Vertical => self.cell.part(from, first, from + thickness, last),
            };
            canvas.fill(area, color);
        };
        let apart = i64::from(self.apart);
        match weight {
            1 => bar(0, self.light, if crosses_double { -apart } else { 0 }),
            2 => bar(0, 3 * self.light, if crosses_double { -apart } else { 0 }),
            3 => {
                for (offset, side) in [(-apart, sides[0]), (apart, sides[1])] {
                    let start = match (side, crosses_double) {
                        (3, _) => apart,
                        (_, true) => -apart,
                        (_, false) => 0,
                    };
                    bar(offset, self.light, start);
                }
            }
            _ => {}
        }
    }
}

fn block(canvas: &mut Canvas, cell: Area, letter: char, color: Rgb) {
    let (width, height) = (cell.width, cell.height);
    let code = u32::from(letter);
    let eighth = |size: u32, eighths: u32| (size * eighths + 4) / 8;
    match code {
        0x2580 => canvas.fill(cell.part(0, 0, width, height / 2), color),
        0x2581..=0x2588 => {
            canvas.fill(cell.part(0, height - eighth(height, code - 0x2580), width, height), color)
        }
        0x2589..=0x258f => canvas.fill(cell.part(0, 0, eighth(width, 0x2590 - code), height), color),
        0x2590 => canvas.fill(cell.part(width / 2, 0, width, height), color),
        0x2591 => canvas.shade(cell, color, 0.25),
        0x2592 => canvas.shade(cell, color, 0.5),
        0x2593 => canvas.shade(cell, color, 0.75),
        0x2594 => canvas.fill(cell.part(0, 0, width, eighth(height, 1)), color),
        0x2595 => canvas.fill(cell.part(width - eighth(width, 1), 0, width, height), color),
        _ => {
            let quarters =
                usize::try_from(code.saturating_sub(0x2596)).ok().and_then(|index| QUARTERS.get(index));
            let quarters = quarters.copied().unwrap_or(0);
            let (x, y) = (width / 2, height / 2);
            for (bit, area) in [
                (8, cell.part(0, 0, x, y)),
                (4, cell.part(x, 0, width, y)),
                (2, cell.part(0, y, x, height)),
                (1, cell.part(x, y, width, height)),
            ] {
                if quarters & bit != 0 {
                    canvas.fill(area, color);
                }
            }
        }
    }
}

fn braille(canvas: &mut Canvas, cell: Area, dots: u32, color: Rgb) {
    const PLACES: [(u32, u32); 8] = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)];
    let size = (cell.width / 4).max(1);
    for (bit, (column, row)) in PLACES.into_iter().enumerate() {
        if dots >> bit & 1 == 1 {
            let x = cell.width * (2 * column + 1) / 4 - size / 2;
            let y = cell.height * (2 * row + 1) / 8 - size / 2;
            canvas.fill(cell.part(x, y, x + size, y + size), color);
        }
    }
}
