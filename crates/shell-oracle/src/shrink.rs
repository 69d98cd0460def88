//! Makes a line that fails smaller while it still fails.

/// Tries at most this many lines.
const MOST_TRIES: usize = 600;

/// The smallest line found for which `fails` still says true; `line` itself fails.
pub fn shrunk(line: &str, mut fails: impl FnMut(&str) -> bool) -> String {
    let mut best: Vec<char> = line.chars().collect();
    let mut tries = 0;
    let mut chunk = best.len().div_ceil(2);
    while chunk > 0 {
        let mut from = 0;
        let mut removed = false;
        while from < best.len() && tries < MOST_TRIES {
            let to = (from + chunk).min(best.len());
            let shorter: Vec<char> =
                best.iter().enumerate().filter(|(i, _)| !(from..to).contains(i)).map(|(_, c)| *c).collect();
            tries += 1;
            if !shorter.is_empty() && fails(&shorter.iter().collect::<String>()) {
                best = shorter;
                removed = true;
            } else {
                from = to;
            }
        }
        if chunk > 1 || !removed || tries >= MOST_TRIES {
            chunk /= 2;
        }
    }
    best.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_is_left() {
        let line = "if true; then echo a; fi; rm -rf x; ls | cat";
        assert_eq!(shrunk(line, |line| line.contains("rm") && line.contains('x')), "rmx");
    }
}
