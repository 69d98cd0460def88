//! What the processes of a host's commands may use together.

/// Limits of all processes of a [`Confinement`](crate::Confinement). `None`: no limit.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Processes and threads.
    pub processes: Option<u64>,
}

/// A text that is no amount of memory.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{text}` is no amount of memory; write bytes, `512M`, `4G`, or `off`")]
#[non_exhaustive]
pub struct NotAnAmount {
    /// The text, or its start.
    pub text: String,
}

impl Limits {
    /// No limits.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// The same with another limit of memory, in bytes.
    #[must_use]
    pub fn with_memory(self, memory: Option<u64>) -> Self {
        Self { memory, ..self }
    }

    /// The same with another limit of processes.
    #[must_use]
    pub fn with_processes(self, processes: Option<u64>) -> Self {
        Self { processes, ..self }
    }

    /// Reads an amount of memory: bytes, or a number with `K`, `M`, `G`, `T` (powers of 1024; a
    /// following `B` or `iB` is fine). `0`, `off` and nothing at all mean no limit.
    ///
    /// # Errors
    /// When the text is something else.
    pub fn read_memory(text: &str) -> Result<Option<u64>, NotAnAmount> {
        let wrong = || NotAnAmount { text: text.chars().take(40).collect() };
        let lower = text.trim().to_ascii_lowercase();
        if lower.is_empty() || lower == "off" {
            return Ok(None);
        }
        let digits = lower.trim_end_matches(|letter: char| letter.is_ascii_alphabetic()).trim_end();
        let unit = lower.strip_prefix(digits).ok_or_else(wrong)?.trim_start();
        let factor: u64 = match unit {
            "" | "b" => 1,
            "k" | "kb" | "kib" => 1 << 10,
            "m" | "mb" | "mib" => 1 << 20,
            "g" | "gb" | "gib" => 1 << 30,
            "t" | "tb" | "tib" => 1 << 40,
            _ => return Err(wrong()),
        };
        let bytes = match digits.split_once('.') {
            None => digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor)),
            Some((whole, part)) => fraction(whole, part, factor),
        };
        Ok(Some(bytes.ok_or_else(wrong)?).filter(|bytes| *bytes > 0))
    }
}

/// `1.5` times `factor`, without the rounding of floating numbers.
fn fraction(whole: &str, part: &str, factor: u64) -> Option<u64> {
    let plain = (1..=6).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let scale = 10_u64.checked_pow(u32::try_from(part.len()).ok()?).filter(|_| plain)?;
    let whole = whole.parse::<u64>().ok()?.checked_mul(factor)?;
    let part = u128::from(part.parse::<u64>().ok()?) * u128::from(factor) / u128::from(scale);
    whole.checked_add(u64::try_from(part).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_memory() {
        for (text, expected) in [
            ("4G", Some(4 << 30)),
            ("4gb", Some(4 << 30)),
            (" 512 MiB ", Some(512 << 20)),
            ("1048576", Some(1 << 20)),
            ("1.5G", Some(3 << 29)),
            ("64k", Some(64 << 10)),
            ("0", None),
            ("0G", None),
            ("off", None),
            ("OFF", None),
            ("", None),
        ] {
            assert_eq!(Limits::read_memory(text), Ok(expected), "{text}");
        }
        for text in [
            "-1",
            "4X",
            "G",
            "4 4",
            "much",
            "1.G",
            ".5G",
            "1e9",
            "99999999T",
            "18446744073709551616",
            "1.5.5",
        ] {
            assert!(Limits::read_memory(text).is_err(), "{text}");
        }
    }
}
