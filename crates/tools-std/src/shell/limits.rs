//! Time limits of a command.

use crate::settings::number;
use std::collections::BTreeMap;
use std::time::Duration;

/// Default and ceiling.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Limits {
    default: u64,
    ceiling: u64,
}

impl Limits {
    /// The limits that the environment asks for. A value that is no positive number is ignored.
    pub(crate) fn of(env: &BTreeMap<String, String>) -> Self {
        let default = number::BASH_DEFAULT_MS.read(env);
        let ceiling = number::BASH_MOST_MS.read(env).max(default);
        Self { default, ceiling }
    }

    /// The limit of a call that asks for so many milliseconds: reduced to the ceiling, never refused.
    pub(crate) fn for_call(self, asked: Option<f64>) -> Duration {
        let asked = asked.filter(|asked| *asked > 0.0).unwrap_or(self.default_ms());
        let ceiling = Duration::from_millis(self.ceiling);
        Duration::try_from_secs_f64(asked / 1000.0)
            .unwrap_or(ceiling)
            .min(ceiling)
            .max(Duration::from_millis(1))
    }

    #[expect(clippy::cast_precision_loss, reason = "milliseconds of any sane limit are exact")]
    fn default_ms(self) -> f64 {
        self.default as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_wish_is_reduced_and_none_is_refused() {
        let env = |pairs: &[(&str, &str)]| {
            Limits::of(&pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
        };
        for (pairs, asked, expected) in [
            (&[][..], None, 120_000),
            (&[], Some(5_000.0), 5_000),
            (&[], Some(9_999_999.0), 600_000),
            (&[], Some(f64::MAX), 600_000),
            (&[], Some(0.0), 120_000),
            (&[], Some(0.001), 1),
            (&[("BASH_DEFAULT_TIMEOUT_MS", "900000")], None, 900_000),
            (&[("BASH_DEFAULT_TIMEOUT_MS", "900000")], Some(9_999_999.0), 900_000),
            (&[("BASH_MAX_TIMEOUT_MS", "1000"), ("BASH_DEFAULT_TIMEOUT_MS", "500")], Some(2_000.0), 1_000),
            (&[("BASH_DEFAULT_TIMEOUT_MS", "soon"), ("BASH_MAX_TIMEOUT_MS", "-1")], None, 120_000),
        ] {
            assert_eq!(env(pairs).for_call(asked), Duration::from_millis(expected), "{pairs:?} {asked:?}");
        }
    }
}
