//! Numbers that look random and are the same for the same seed on every machine.

/// A source of such numbers (splitmix64).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Random {
    state: u64,
}

impl Random {
    /// The source for line `index` of the run with `seed`.
    #[must_use]
    pub fn new(seed: u64, index: u64) -> Self {
        let mut random = Self { state: seed ^ index.wrapping_mul(0xD6E8_FEB8_6659_FD93) };
        random.number();
        random
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 when `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap_or(1);
        usize::try_from(self.number() % end).unwrap_or_default()
    }

    /// True `of` times out of a hundred.
    pub fn percent(&mut self, of: usize) -> bool {
        self.below(100) < of
    }

    /// One of `all`.
    pub fn pick<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> Option<&'a T> {
        all.get(self.below(all.len())).copied()
    }
}
