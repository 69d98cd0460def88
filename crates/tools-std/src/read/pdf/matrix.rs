//! The coordinates of PDF: `[a b c d e f]`, as its operators give them.

use lopdf::Object;

/// A transformation of the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix(pub [f32; 6]);

impl Matrix {
    /// Changes nothing.
    pub(super) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// Moves by so much.
    pub(super) fn shift(x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// This one, then `next`.
    pub(super) fn then(self, next: Self) -> Self {
        let ([a, b, c, d, e, f], [na, nb, nc, nd, ne, nf]) = (self.0, next.0);
        Self([
            a * na + b * nc,
            a * nb + b * nd,
            c * na + d * nc,
            c * nb + d * nd,
            e * na + f * nc + ne,
            e * nb + f * nd + nf,
        ])
    }

    /// Where a point goes.
    pub(super) fn apply(self, x: f32, y: f32) -> (f32, f32) {
        let [a, b, c, d, e, f] = self.0;
        (x * a + y * c + e, x * b + y * d + f)
    }

    /// From six numbers.
    pub(super) fn of(numbers: &[Object]) -> Option<Self> {
        let mut matrix = [0.0; 6];
        if numbers.len() < 6 {
            return None;
        }
        for (to, from) in matrix.iter_mut().zip(numbers) {
            *to = number(from)?;
        }
        Some(Self(matrix))
    }
}

/// A number that can be computed with.
pub(super) fn number(object: &Object) -> Option<f32> {
    let number = match object {
        Object::Integer(whole) => *whole as f32,
        Object::Real(real) => *real,
        _ => return None,
    };
    number.is_finite().then_some(number)
}
