//! The words of an answer: one line, never empty, never JSON, so that no host can take it for something else.

/// Most characters of a reason.
const MOST_CHARS: usize = 1_000;

/// `words` as a line that begins with `pegboard: `.
pub(crate) fn line(words: &str) -> String {
    let words = words.trim();
    let words = if words.is_empty() { "refused" } else { words };
    format!("pegboard: {}", shortened(&visible(words), MOST_CHARS))
}

/// At most `most` characters, with a mark where something was left out.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{} ...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Control characters, line ends and characters that reorder text become visible.
fn visible(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || is_hidden(character) {
            seen.extend(character.escape_default());
        } else {
            seen.push(character);
        }
    }
    seen
}

/// Line and paragraph separators, and marks that change the direction of text.
fn is_hidden(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{061c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line_that_is_no_json() {
        assert_eq!(line("a\nb\u{1b}[2J\u{202e}c"), "pegboard: a\\nb\\u{1b}[2J\\u{202e}c");
        assert_eq!(line(" \n "), "pegboard: refused");
        assert_eq!(line(&"é".repeat(5_000)).chars().count(), 10 + MOST_CHARS + 4);
    }
}
