//! The colours of a terminal: sixteen by name, 256 by number, and all by their parts.

/// Red, green, blue.
pub(super) type Rgb = [u8; 3];

/// The colour of letters when the program asks for none.
const FOREGROUND: Rgb = [0xe0, 0xe0, 0xe0];
/// The colour behind them.
pub(super) const BACKGROUND: Rgb = [0x12, 0x12, 0x12];

/// The sixteen, as xterm shows them, blue a little lighter so that it can be read on black.
const NAMED: [Rgb; 16] = [
    [0x00, 0x00, 0x00],
    [0xcd, 0x31, 0x31],
    [0x0d, 0xbc, 0x79],
    [0xe5, 0xe5, 0x10],
    [0x3b, 0x78, 0xff],
    [0xbc, 0x3f, 0xbc],
    [0x11, 0xa8, 0xcd],
    [0xe5, 0xe5, 0xe5],
    [0x76, 0x76, 0x76],
    [0xf1, 0x4c, 0x4c],
    [0x23, 0xd1, 0x8b],
    [0xf5, 0xf5, 0x43],
    [0x6c, 0xa0, 0xff],
    [0xd6, 0x70, 0xd6],
    [0x29, 0xb8, 0xdb],
    [0xff, 0xff, 0xff],
];

/// Whether a colour is one of letters or one behind them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Ground {
    Fore,
    Back,
}

/// The colour that is meant.
pub(super) fn rgb(color: vt100::Color, ground: Ground) -> Rgb {
    match (color, ground) {
        (vt100::Color::Default, Ground::Fore) => FOREGROUND,
        (vt100::Color::Default, Ground::Back) => BACKGROUND,
        (vt100::Color::Rgb(red, green, blue), _) => [red, green, blue],
        (vt100::Color::Idx(index), _) => indexed(index),
    }
}

fn indexed(index: u8) -> Rgb {
    match index {
        0..=15 => NAMED.get(usize::from(index)).copied().unwrap_or(FOREGROUND),
        16..=231 => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            let cube = index - 16;
            [level(cube / 36), level(cube / 6 % 6), level(cube % 6)]
        }
        232..=255 => [8 + 10 * (index - 232); 3],
    }
}

/// A colour between two: `part` of `one`, from 0 to 1, the rest of `other`.
pub(super) fn mixed(one: Rgb, other: Rgb, part: f32) -> Rgb {
    let part = part.clamp(0.0, 1.0);
    let mix = |one: u8, other: u8| {
        let value = f32::from(one) * part + f32::from(other) * (1.0 - part);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two bytes")]
        let byte = value.round() as u8;
        byte
    };
    [mix(one[0], other[0]), mix(one[1], other[1]), mix(one[2], other[2])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_colours_of_xterm() {
        for (index, expected) in [
            (16, [0, 0, 0]),
            (21, [0, 0, 255]),
            (196, [255, 0, 0]),
            (208, [255, 135, 0]),
            (231, [255; 3]),
            (232, [8; 3]),
            (255, [238; 3]),
        ] {
            assert_eq!(rgb(vt100::Color::Idx(index), Ground::Fore), expected, "{index}");
        }
        assert_eq!(mixed([255, 0, 10], [0, 100, 10], 0.5), [128, 50, 10]);
    }
}
