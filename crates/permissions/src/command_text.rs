//! The text of a command of which parts may be unknown, and whether a pattern does or could fit it.

use crate::command_pattern::CommandPattern;

/// More text than this is compared as unknown from there on, where something else is unknown already.
const MOST_KNOWN: usize = 1_000;

/// One part of a text.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Part {
    /// Known.
    Text(String),
    /// One word of unknown value.
    Word,
    /// A blank and a word of unknown value, once, more often, or not at all.
    Words,
}

/// The words of a command with single blanks between them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct CommandText {
    parts: Vec<Part>,
}

/// How a pattern fits a text.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Fit {
    /// Whatever the unknown parts are, it does not.
    No,
    /// It depends on the unknown parts.
    Could,
    /// Whatever the unknown parts are, it does.
    Sure,
}

/// What is compared, one after the other: on both sides.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Token {
    Byte(u8),
    /// Any run of bytes, also none.
    Run,
    /// What follows, this many tokens, may be left out.
    Optional(usize),
}

impl CommandText {
    /// The text of a command that is known.
    pub(crate) fn of(text: String) -> Self {
        Self { parts: vec![Part::Text(text)] }
    }

    /// The text of `program` and the words behind it. `is_exact`: an unknown word is one word.
    pub(crate) fn new(program: &str, rest: &[Option<String>], is_exact: bool) -> Self {
        let mut parts = Vec::with_capacity(1);
        let mut text = program.to_owned();
        for word in rest {
            match word {
                Some(word) => {
                    text.push(' ');
                    text.push_str(word);
                }
                None if is_exact => {
                    text.push(' ');
                    parts.push(Part::Text(std::mem::take(&mut text)));
                    parts.push(Part::Word);
                }
                None => {
                    parts.push(Part::Text(std::mem::take(&mut text)));
                    parts.push(Part::Words);
                }
            }
        }
        parts.push(Part::Text(text));
        Self { parts }
    }

    /// The text, where all of it is known.
    pub(crate) fn known(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether `pattern` fits.
    pub(crate) fn fit(&self, pattern: &CommandPattern) -> Fit {
        let start = match self.parts.as_slice() {
            [Part::Text(text)] => {
                return if pattern.matches(text, crate::command_pattern::Lean::Forbid) {
                    Fit::Sure
                } else {
                    Fit::No
                };
            }
            [Part::Text(start), ..] => start,
            _ => "",
        };
        if pattern.matches_every_extension(start) {
            return Fit::Sure;
        }
        let text = self.tokens();
        let could = pattern.spellings().iter().any(|spelling| meets(&pattern_tokens(spelling), &text));
        if could { Fit::Could } else { Fit::No }
    }

    fn tokens(&self) -> Vec<Token> {
        let mut tokens = Vec::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => tokens.extend(text.bytes().map(Token::Byte)),
                Part::Word => tokens.push(Token::Run),
                Part::Words => tokens.extend([Token::Optional(2), Token::Byte(b' '), Token::Run]),
            }
            if tokens.len() > MOST_KNOWN {
                tokens.truncate(MOST_KNOWN);
                tokens.push(Token::Run);
                break;
            }
        }
        tokens
    }
}

fn pattern_tokens(pattern: &str) -> Vec<Token> {
    pattern.bytes().map(|byte| if byte == b'*' { Token::Run } else { Token::Byte(byte) }).collect()
}

/// Whether some text fits both.
fn meets(pattern: &[Token], text: &[Token]) -> bool {
    let width = text.len() + 1;
    let mut seen = vec![false; (pattern.len() + 1) * width];
    let mut open = vec![(0, 0)];
    while let Some((p, t)) = open.pop() {
        if p > pattern.len() || t > text.len() {
            continue;
        }
        let Some(known) = seen.get_mut(p * width + t) else { continue };
        if std::mem::replace(known, true) {
            continue;
        }
        match (pattern.get(p), text.get(t)) {
            (None, None) => return true,
            (_, Some(Token::Optional(count))) => open.extend([(p, t + 1), (p, t + 1 + count)]),
            (Some(Token::Byte(wanted)), Some(Token::Byte(byte))) if wanted == byte => {
                open.push((p + 1, t + 1))
            }
            (Some(Token::Run), Some(Token::Byte(_))) => open.extend([(p + 1, t), (p, t + 1)]),
            (Some(Token::Byte(_)), Some(Token::Run)) => open.extend([(p + 1, t), (p, t + 1)]),
            (Some(Token::Run), Some(Token::Run)) => open.extend([(p + 1, t), (p, t + 1)]),
            (Some(Token::Run), None) => open.push((p + 1, t)),
            (None, Some(Token::Run)) => open.push((p, t + 1)),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_could_be_what_is_meant() {
        let word = |word: &str| (word != "?").then(|| word.to_owned());
        for (pattern, words, is_exact, expected) in [
            ("rm *", "rm ?", true, Fit::Sure),
            ("rm *", "rm ?", false, Fit::Sure),
            ("rm", "rm ?", true, Fit::No),
            ("rm", "rm ?", false, Fit::Could),
            ("rm -rf *", "rm ?", true, Fit::Could),
            ("git push *", "git ?", false, Fit::Could),
            ("git push *", "git ? push", false, Fit::Could),
            ("git push *", "git ? push", true, Fit::Could),
            ("gitk *", "git ?", false, Fit::No),
            ("git push *", "git log ?", false, Fit::No),
            ("git * main", "git push ?", false, Fit::Could),
            ("git * main", "git push ? x", true, Fit::No),
            ("git push*", "git push ?", true, Fit::Sure),
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            let rest: Vec<Option<String>> = words[1..].iter().copied().map(word).collect();
            let pattern = CommandPattern::new(pattern).unwrap();
            assert_eq!(
                CommandText::new(words[0], &rest, is_exact).fit(&pattern),
                expected,
                "{pattern:?} {words:?} {is_exact}"
            );
        }
    }
}
