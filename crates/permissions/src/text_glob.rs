//! Matching of one text against a pattern: the star of command, name and value patterns, and the
//! wildcards of one path segment.

/// Whether `text` is `pattern`, where `*` stands for any run of characters, also none.
pub(crate) fn star_match(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p, t));
                p += 1;
            }
            Some(byte) if Some(byte) == text.get(t) => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((star, from)) = retry else { return false };
                retry = Some((star, from + 1));
                p = star + 1;
                t = from + 1;
            }
        }
    }
    pattern.iter().skip(p).all(|byte| *byte == b'*')
}

/// One piece of a path segment's pattern.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Piece {
    /// `*`
    Run,
    /// `?`
    One,
    /// A character.
    Char(char),
    /// `[a-z]`, `[!a-z]`: ranges, and whether they are excluded.
    Class(Vec<(char, char)>, bool),
}

/// Reads the pattern of one segment. A bracket that is never closed is an ordinary character.
pub(crate) fn pieces(segment: &str) -> Vec<Piece> {
    let chars: Vec<char> = segment.chars().collect();
    let mut pieces = Vec::with_capacity(chars.len());
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        at += 1;
        match c {
            '*' => {
                if pieces.last() != Some(&Piece::Run) {
                    pieces.push(Piece::Run);
                }
            }
            '?' => pieces.push(Piece::One),
            '\\' => {
                pieces.push(Piece::Char(chars.get(at).copied().unwrap_or('\\')));
                at += 1;
            }
            '[' => match class(&chars, at) {
                Some((piece, end)) => {
                    pieces.push(piece);
                    at = end;
                }
                None => pieces.push(Piece::Char('[')),
            },
            _ => pieces.push(Piece::Char(c)),
        }
    }
    pieces
}

fn class(chars: &[char], mut at: usize) -> Option<(Piece, usize)> {
    let excluded = matches!(chars.get(at), Some('!' | '^'));
    if excluded {
        at += 1;
    }
    let start = at;
    let mut ranges = Vec::new();
    loop {
        let mut low = *chars.get(at)?;
        if low == ']' && at > start {
            return Some((Piece::Class(ranges, excluded), at + 1));
        }
        if low == '\\' {
            at += 1;
            low = *chars.get(at)?;
        }
        at += 1;
        let mut high = low;
        if chars.get(at) == Some(&'-') && chars.get(at + 1).is_some_and(|next| *next != ']') {
            high = *chars.get(at + 1)?;
            at += 2;
        }
        ranges.push((low, high));
    }
}

/// Whether `text` fits `pieces` from start to end.
pub(crate) fn pieces_match(pieces: &[Piece], text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while let Some(&c) = text.get(t) {
        let fits = match pieces.get(p) {
            Some(Piece::Run) => {
                retry = Some((p, t));
                p += 1;
                continue;
            }
            Some(Piece::One) => true,
            Some(Piece::Char(wanted)) => *wanted == c,
            Some(Piece::Class(ranges, excluded)) => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *excluded
            }
            None => false,
        };
        if fits {
            p += 1;
            t += 1;
        } else {
            let Some((star, from)) = retry else { return false };
            retry = Some((star, from + 1));
            p = star + 1;
            t = from + 1;
        }
    }
    pieces.iter().skip(p).all(|piece| *piece == Piece::Run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_run() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*c", "abbcd", false),
            ("git * main", "git push origin main", true),
            ("git * main", "git push origin main2", false),
            ("*a*b*", "xxaxxbxx", true),
        ] {
            assert_eq!(star_match(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn segments_know_classes_and_escapes() {
        for (pattern, text, expected) in [
            ("*.pem", "a.pem", true),
            ("a?c", "abc", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]]x", "]x", true),
            ("[a", "[a", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
        ] {
            assert_eq!(pieces_match(&pieces(pattern), text), expected, "{pattern} {text}");
        }
    }
}
