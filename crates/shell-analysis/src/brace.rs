//! Brace expansion, as bash does it: on the text, before anything else is expanded.

use crate::limits::MAX_BRACES;
use crate::syntax::Part;

/// A piece of a word for brace expansion.
#[derive(Clone, Debug)]
pub(crate) enum Piece<'p, 'a> {
    /// Literal text without live braces.
    Text(std::borrow::Cow<'p, str>),
    Open,
    Comma,
    Close,
    Part(&'p Part<'a>),
}

/// What brace expansion makes of a word.
#[derive(Debug)]
pub(crate) enum Braces<'p, 'a> {
    /// Nothing to expand.
    None,
    /// These words.
    Words(Vec<Vec<Piece<'p, 'a>>>),
    /// Too much, or a case that is not followed.
    Unclear,
}

/// Whether there are braces that may be expanded.
pub(crate) fn may_expand(parts: &[Part<'_>]) -> bool {
    let mut has_open = false;
    parts.iter().any(|part| {
        let Part::Lit(text) = part else { return false };
        has_open |= text.contains('{');
        has_open && (text.contains(',') || text.contains(".."))
    })
}

/// Whether it cannot be told what the braces become.
pub(crate) fn is_unclear(parts: &[Part<'_>]) -> bool {
    matches!(expand(parts), Braces::Unclear)
}

/// Whether a dollar stands before a brace or comma, so that what braces leave behind it goes on with its name.
fn joins((first, second): (&Part<'_>, &Part<'_>)) -> bool {
    let is_dollar = match first {
        Part::Param(param) => param.is_bare,
        Part::Quoted(text) => text.ends_with('$'),
        _ => false,
    };
    is_dollar && matches!(second, Part::Lit(text) if text.starts_with(['{', ',', '}']))
}

/// Expands the braces of `parts`.
pub(crate) fn expand<'p, 'a>(parts: &'p [Part<'a>]) -> Braces<'p, 'a> {
    if !may_expand(parts) {
        return Braces::None;
    }
    if parts.iter().zip(parts.iter().skip(1)).any(joins) {
        return Braces::Unclear;
    }
    let mut pieces = Vec::new();
    for part in parts {
        let Part::Lit(text) = part else {
            pieces.push(Piece::Part(part));
            continue;
        };
        let mut rest = *text;
        while !rest.is_empty() {
            let len = rest.find(['{', ',', '}']).unwrap_or(rest.len());
            let (head, tail) = rest.split_at(len);
            if !head.is_empty() {
                pieces.push(Piece::Text(head.into()));
            }
            match tail.as_bytes().first() {
                Some(b'{') => pieces.push(Piece::Open),
                Some(b',') => pieces.push(Piece::Comma),
                Some(_) => pieces.push(Piece::Close),
                None => {}
            }
            rest = tail.get(1..).unwrap_or_default();
        }
    }
    if matches!(pieces.as_slice(), [Piece::Open, Piece::Close, ..]) {
        return Braces::Unclear;
    }
    let mut steps = MAX_BRACES * 4;
    match expand_pieces(&pieces, &mut steps, 0) {
        Some(words) if words.len() == 1 => Braces::None,
        Some(words) => Braces::Words(words),
        None => Braces::Unclear,
    }
}

fn expand_pieces<'p, 'a>(
    pieces: &[Piece<'p, 'a>],
    steps: &mut usize,
    depth: usize,
) -> Option<Vec<Vec<Piece<'p, 'a>>>> {
    *steps = steps.checked_sub(1)?;
    if depth > 20 {
        return None;
    }
    for (open, piece) in pieces.iter().enumerate() {
        if !matches!(piece, Piece::Open) {
            continue;
        }
        *steps = steps.checked_sub(1)?;
        let Some(close) = closing(pieces, open) else { continue };
        let preamble = pieces.get(..open)?;
        let amble = pieces.get(open + 1..close)?;
        let tail = pieces.get(close + 1..)?;
        let mut middles = Vec::new();
        let alternatives = split(amble);
        if alternatives.len() > 1 {
            for alternative in alternatives {
                middles.extend(expand_pieces(alternative, steps, depth + 1)?);
                if middles.len() > MAX_BRACES {
                    return None;
                }
            }
        } else {
            match amble {
                [Piece::Text(text)] => match sequence(text)? {
                    Some(words) => {
                        middles.extend(words.into_iter().map(|word| vec![Piece::Text(word.into())]))
                    }
                    None => middles.push(pieces.get(open..=close)?.to_vec()),
                },
                _ if amble.iter().any(|piece| matches!(piece, Piece::Open | Piece::Close)) => return None,
                _ => middles.push(pieces.get(open..=close)?.to_vec()),
            }
        }
        let tails = expand_pieces(tail, steps, depth + 1)?;
        if middles.len().checked_mul(tails.len())? > MAX_BRACES {
            return None;
        }
        let mut words = Vec::new();
        for middle in &middles {
            for tail in &tails {
                *steps = steps.checked_sub(1)?;
                let mut word = preamble.to_vec();
                word.extend(middle.iter().cloned());
                word.extend(tail.iter().cloned());
                words.push(word);
            }
        }
        return Some(words);
    }
    Some(vec![pieces.to_vec()])
}

/// The brace that closes the one at `open`: the first at its level behind a comma or `..` at that level.
fn closing(pieces: &[Piece<'_, '_>], open: usize) -> Option<usize> {
    let mut level = 0_usize;
    let mut is_live = false;
    for (at, piece) in pieces.iter().enumerate().skip(open + 1) {
        match piece {
            Piece::Open => level += 1,
            Piece::Close if level > 0 => level -= 1,
            Piece::Close if is_live => return Some(at),
            Piece::Comma if level == 0 => is_live = true,
            Piece::Text(text) if level == 0 && text.contains("..") => is_live = true,
            _ => {}
        }
    }
    None
}

/// The alternatives between the commas of the uppermost level.
fn split<'s, 'p, 'a>(pieces: &'s [Piece<'p, 'a>]) -> Vec<&'s [Piece<'p, 'a>]> {
    let mut out = Vec::new();
    let mut level = 0_usize;
    let mut from = 0;
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Open => level += 1,
            Piece::Close => level = level.saturating_sub(1),
            Piece::Comma if level == 0 => {
                out.push(pieces.get(from..at).unwrap_or_default());
                from = at + 1;
            }
            _ => {}
        }
    }
    out.push(pieces.get(from..).unwrap_or_default());
    out
}

/// The words of `1..5` or `a..e`, with a step; `Some(None)` when it is no sequence, `None` when it is unclear.
#[expect(clippy::option_option, reason = "not a sequence and not followed are two answers")]
fn sequence(text: &str) -> Option<Option<Vec<String>>> {
    let fields: Vec<&str> = text.split("..").collect();
    let (from, to, step) = match fields.as_slice() {
        [from, to] => (*from, *to, 1),
        [from, to, step] => match step.parse::<i64>() {
            Ok(step) => (*from, *to, step),
            Err(_) => return Some(None),
        },
        _ => return Some(None),
    };
    let step = i64::try_from(step.unsigned_abs()).ok()?.max(1);
    let letter =
        |text: &str| text.bytes().next().filter(|byte| text.len() == 1 && byte.is_ascii_alphabetic());
    if let (Some(first), Some(last)) = (letter(from), letter(to)) {
        if first.is_ascii_lowercase() != last.is_ascii_lowercase() {
            return None;
        }
        let words = numbers(i64::from(first), i64::from(last), step)?;
        let text = |number: i64| u8::try_from(number).ok().map(|byte| char::from(byte).to_string());
        return Some(words.into_iter().map(text).collect());
    }
    let number = |text: &str| {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { text.parse::<i64>().ok() } else { None }
    };
    let (Some(first), Some(last)) = (number(from), number(to)) else {
        let has_digits = from.bytes().chain(to.bytes()).any(|byte| byte.is_ascii_digit());
        return if has_digits { None } else { Some(None) };
    };
    let is_padded = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        digits.len() > 1 && digits.starts_with('0')
    };
    let width = if is_padded(from) || is_padded(to) { from.len().max(to.len()) } else { 0 };
    let words = numbers(first, last, step)?;
    Some(Some(words.into_iter().map(|number| format!("{number:0width$}")).collect()))
}

fn numbers(first: i64, last: i64, step: i64) -> Option<Vec<i64>> {
    let count = first.abs_diff(last) / step.unsigned_abs();
    if count >= MAX_BRACES as u64 {
        return None;
    }
    let signed = if first <= last { step } else { -step };
    let mut words = Vec::new();
    let mut number = first;
    for _ in 0..=count {
        words.push(number);
        number = number.checked_add(signed)?;
    }
    Some(words)
}
