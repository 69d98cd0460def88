//! One row of the tables: what is known of a program, and the little language its options and operands are
//! written in.
//!
//! `options` is a list of tokens between blanks:
//! - `:abc` are the flags `-a`, `-b`, `-c` that take no value;
//! - `-o,--output=w` takes a value (glued, after `=` or in the next word), `--color?n` only a glued one, `-l%n` only
//!   glued digits;
//! - `-#` is a number used as an option (`-5`); `-name` with more than one letter is taken as a whole;
//! - `!` before a token: the program is not judged by its nature when it is given; `^`: what runs cannot be told.
//!
//! `operands` is a list of letters between blanks, `r*` for any number of them; what stands behind the star is
//! counted from the end (`r* w`: all are read but the last, which is written). `+` first: options end at the
//! first operand; `@` first: there are no options; `=`: assignments.
//!
//! A letter says what a value or operand is:
//! - `n` nothing of interest; `r` read, `R` read with all below it, `w` written, `W` with all below it,
//!   `b` read and written, `d` removed, `D` with all below it; `f` a list of names of files to read;
//! - `h` a host or URL that is reached; `u` a URL or a local path;
//! - `p` a pattern or script (an operand only when no option gave one), `P` a file that holds it;
//! - `l` a command line for `sh -c`; `k` a program that is started with words of its own;
//! - `c` here begins the command that is started; `o` it cannot be told what this does.

use super::ProgramUse;
use super::call::Call;

/// What a program does besides its files, when each option is known.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    /// Only looks, and no option or file name could make it do anything else.
    Plain,
    /// Only looks, with the options that are not marked.
    Look,
    /// Changes files, all of them told.
    Edit,
    /// Starts its command and nothing else.
    Through,
    /// Starts a command, in some other surroundings.
    Wrap,
    /// Anything else.
    Other,
}

/// Looks at what the letters cannot say.
pub(super) type Hook = fn(&Call<'_>, &mut ProgramUse);

/// One program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Base name.
    pub(super) name: &'static str,
    /// What it does besides.
    pub(super) kind: Kind,
    /// Options, in the language above.
    pub(super) options: &'static str,
    /// Operands, in the language above.
    pub(super) operands: &'static str,
    /// What the letters cannot say.
    pub(super) hook: Option<Hook>,
}

/// A row without a hook.
pub(super) const fn row(
    name: &'static str,
    kind: Kind,
    options: &'static str,
    operands: &'static str,
) -> Row {
    Row { name, kind, options, operands, hook: None }
}

impl Row {
    /// The same row with a hook.
    pub(super) const fn with(self, hook: Hook) -> Self {
        Self { hook: Some(hook), ..self }
    }

    /// Whether it is there to start another command, so that an option that is not known hides where it begins.
    pub(super) fn is_wrapper(&self) -> bool {
        matches!(self.kind, Kind::Through | Kind::Wrap)
    }

    /// Whether options end at the first operand.
    pub(super) fn stops_at_operand(&self) -> bool {
        self.operands.starts_with('+')
    }

    /// Whether every word is an operand.
    pub(super) fn has_no_options(&self) -> bool {
        self.operands.starts_with('@')
    }
}

/// What an option is, by its token.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Known {
    /// The first of its names.
    pub(super) name: &'static str,
    /// Letter of its value.
    pub(super) value: ValueKind,
    /// How far the program is still understood with it.
    pub(super) mark: Mark,
}

/// Whether an option takes a value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ValueKind {
    /// None.
    No,
    /// Glued or in the next word.
    Needed(u8),
    /// Only glued.
    Maybe(u8),
    /// Only glued digits.
    Digits,
}

/// How far a program is understood with an option.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Mark {
    /// Fully.
    Plain,
    /// Not by its nature.
    Other,
    /// It cannot be told what runs.
    Opaque,
}

struct Token {
    mark: Mark,
    names: &'static str,
    value: ValueKind,
}

fn tokens(options: &'static str) -> impl Iterator<Item = Token> {
    options.split_ascii_whitespace().map(|token| {
        let (mark, token) = match token.as_bytes().first() {
            Some(b'!') => (Mark::Other, token.get(1..).unwrap_or_default()),
            Some(b'^') => (Mark::Opaque, token.get(1..).unwrap_or_default()),
            _ => (Mark::Plain, token),
        };
        if token.starts_with(':') {
            return Token { mark, names: token, value: ValueKind::No };
        }
        let bytes = token.as_bytes();
        let at = bytes.len().saturating_sub(2);
        let (names, value) = match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'='), Some(letter)) => (token.get(..at).unwrap_or_default(), ValueKind::Needed(*letter)),
            (Some(b'%'), Some(_)) if at > 0 => (token.get(..at).unwrap_or_default(), ValueKind::Digits),
            (Some(b'?'), Some(letter)) if at > 0 => {
                (token.get(..at).unwrap_or_default(), ValueKind::Maybe(*letter))
            }
            _ => (token, ValueKind::No),
        };
        Token { mark, names, value }
    })
}

/// Finds a short option by its letter.
pub(super) fn short(options: &'static str, letter: char) -> Option<Known> {
    for token in tokens(options) {
        let Token { mark, names, value } = token;
        if let Some(letters) = names.strip_prefix(':') {
            if let Some((at, found)) = letters.char_indices().find(|(_, known)| *known == letter) {
                let name = letters.get(at..at + found.len_utf8()).unwrap_or_default();
                return Some(Known { name, value, mark });
            }
            continue;
        }
        let is_it = |name: &str| {
            let mut chars = name.chars();
            chars.next() == Some('-') && chars.next() == Some(letter) && chars.next().is_none()
        };
        if letter != '#' && names.split(',').any(is_it) {
            return Some(Known { name: names.split(',').next().unwrap_or_default(), value, mark });
        }
    }
    None
}

/// Finds an option by its whole name: `-name` of several letters, or `-#`.
pub(super) fn whole(options: &'static str, name: &str) -> Option<Known> {
    tokens(options).find(|token| token.names.split(',').any(|known| known == name)).map(|token| Known {
        name: token.names.split(',').next().unwrap_or_default(),
        value: token.value,
        mark: token.mark,
    })
}

/// Finds a long option by its name with the dashes, or by a beginning of it that fits only one.
pub(super) fn long(options: &'static str, name: &str) -> Option<Known> {
    if let Some(known) = whole(options, name) {
        return Some(known);
    }
    let mut found: Option<Known> = None;
    for token in tokens(options) {
        let Token { mark, names, value } = token;
        let fits =
            |known: &str| known.starts_with("--") && known.len() > name.len() && known.starts_with(name);
        if name.len() > 2 && names.split(',').any(fits) {
            let known = Known { name: names.split(',').next().unwrap_or_default(), value, mark };
            match found {
                Some(before) if before != known => return None,
                _ => found = Some(known),
            }
        }
    }
    found
}
