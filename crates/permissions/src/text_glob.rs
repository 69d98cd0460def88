//! Matching of one text against a pattern: the star of command, name and value patterns, and the
//! wildcards of one path segment.

use crate::fold::fold;

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

/// The same pattern for folded texts.
pub(crate) fn folded_pieces(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut folded = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match piece {
            Piece::Char(c) => folded.extend(fold(c.encode_utf8(&mut [0; 4])).chars().map(Piece::Char)),
            Piece::Class(ranges, excluded) => {
                folded.push(Piece::Class(folded_ranges(ranges, excluded), excluded))
            }
            other @ (Piece::Run | Piece::One) => folded.push(other),
        }
    }
    folded
}

/// A class for folded texts: what it takes in any case. One that excludes letters in one case only excludes nothing.
fn folded_ranges(ranges: Vec<(char, char)>, excluded: bool) -> Vec<(char, char)> {
    let single = |c: char| fold(c.encode_utf8(&mut [0; 4])).chars().next().unwrap_or(c);
    let lower = |(low, high): (char, char)| (single(low), single(high));
    if excluded {
        // `[!a]` takes `A`, which folds to `a`: only what is no letter is still excluded.
        return ranges
            .into_iter()
            .filter(|(low, high)| !low.is_alphabetic() && !high.is_alphabetic())
            .collect();
    }
    let mut all = ranges.clone();
    all.extend(ranges.into_iter().map(lower).filter(|(low, high)| low <= high));
    all
}

/// Whether some text fits both patterns. Leans towards yes where a class meets a class.
pub(crate) fn pieces_meet(one: &[Piece], other: &[Piece]) -> bool {
    let width = other.len() + 1;
    let mut seen = vec![false; (one.len() + 1) * width];
    let mut open = vec![(0, 0)];
    while let Some((a, b)) = open.pop() {
        let Some(known) = seen.get_mut(a * width + b) else { continue };
        if std::mem::replace(known, true) {
            continue;
        }
        match (one.get(a), other.get(b)) {
            (None, None) => return true,
            (Some(Piece::Run), Some(Piece::Run)) => open.extend([(a + 1, b), (a, b + 1)]),
            (Some(Piece::Run), None) => open.push((a + 1, b)),
            (None, Some(Piece::Run)) => open.push((a, b + 1)),
            (Some(Piece::Run), Some(_)) | (Some(_), Some(Piece::Run)) => {
                open.extend([(a + 1, b), (a, b + 1)])
            }
            (Some(x), Some(y)) if one_fits(x, y) => open.push((a + 1, b + 1)),
            _ => {}
        }
    }
    false
}

fn one_fits(one: &Piece, other: &Piece) -> bool {
    match (one, other) {
        (Piece::Char(a), Piece::Char(b)) => a == b,
        (Piece::Char(c), Piece::Class(ranges, excluded))
        | (Piece::Class(ranges, excluded), Piece::Char(c)) => {
            ranges.iter().any(|(low, high)| (*low..=*high).contains(c)) != *excluded
        }
        _ => true,
    }
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
