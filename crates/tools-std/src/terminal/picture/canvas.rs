//! Pixels, and rectangles of them. What lies outside is left out.

use super::palette::{Rgb, mixed};

/// A picture in the making.
#[derive(Debug)]
pub(super) struct Canvas {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Three bytes a pixel, row by row.
    pub(super) pixels: Vec<u8>,
}

/// A rectangle in pixels: left, top, width, height.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Area {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Area {
    /// The part from (`left`, `top`) to (`right`, `bottom`), counted from this one's corner.
    pub(super) fn part(self, left: u32, top: u32, right: u32, bottom: u32) -> Self {
        let (right, bottom) = (right.min(self.width), bottom.min(self.height));
        Self {
            x: self.x + left,
            y: self.y + top,
            width: right.saturating_sub(left),
            height: bottom.saturating_sub(top),
        }
    }
}

impl Canvas {
    pub(super) fn new(width: u32, height: u32, color: Rgb) -> Self {
        let count = usize::try_from(u64::from(width) * u64::from(height)).unwrap_or(0);
        Self { width, height, pixels: color.repeat(count) }
    }

    /// Lays `color` over a pixel, `cover` of it, from 0 to 1.
    pub(super) fn blend(&mut self, x: i64, y: i64, color: Rgb, cover: f32) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if x >= self.width || y >= self.height {
            return;
        }
        let Ok(at) = usize::try_from((u64::from(y) * u64::from(self.width) + u64::from(x)) * 3) else {
            return;
        };
        if let Some(pixel) = self.pixels.get_mut(at..at + 3) {
            let below = [pixel[0], pixel[1], pixel[2]];
            pixel.copy_from_slice(&mixed(color, below, cover));
        }
    }

    /// Fills a rectangle.
    pub(super) fn fill(&mut self, area: Area, color: Rgb) {
        self.shade(area, color, 1.0);
    }

    /// Lays `color` over a rectangle, `cover` of it.
    pub(super) fn shade(&mut self, area: Area, color: Rgb, cover: f32) {
        for y in area.y..area.y.saturating_add(area.height).min(self.height) {
            for x in area.x..area.x.saturating_add(area.width).min(self.width) {
                self.blend(i64::from(x), i64::from(y), color, cover);
            }
        }
    }
}
