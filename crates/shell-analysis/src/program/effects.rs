//! What the letters of a row mean: from a call to files, hosts and started commands.

use pegboard_tool_core::ports::{CommandNature, FileAccess};

use crate::word::Word;

use super::call::Call;
use super::row::{Kind, Mark, ValueKind};
use super::{ProgramUse, Start, Touch, assignments, hosts};

/// Longest command that [`Call::guesses`] looks through for one.
const MAX_GUESSES: usize = 4;

/// Applies the letters of the row to the call.
pub(super) fn apply(call: &Call<'_>, used: &mut ProgramUse) {
    for given in &call.options {
        if given.known.mark == Mark::Opaque {
            used.opaque.push("an option that changes what runs");
            if call.row.is_wrapper() {
                used.elsewhere(given.at);
            }
        }
        let letter = match given.known.value {
            ValueKind::No | ValueKind::Digits => continue,
            ValueKind::Needed(letter) | ValueKind::Maybe(letter) => letter,
        };
        if let Some(value) = &given.value
            && value.value.as_deref() != Some("-")
        {
            letter_of(letter, value, used);
        }
    }
    operands(call, used);
    if call.row.is_wrapper() {
        wrapper_doubts(call, used);
    } else {
        unknown_option(call, used);
    }
    used.nature = nature(call);
}

/// What is done with one value or operand.
pub(super) fn letter_of(letter: u8, word: &Word, used: &mut ProgramUse) {
    match letter {
        b'r' | b'P' => used.touch(word, FileAccess::Read, false),
        b'R' => used.touch(word, FileAccess::Read, true),
        b'w' => used.touch(word, FileAccess::Write, false),
        b'W' => used.touch(word, FileAccess::Write, true),
        b'b' => {
            used.touch(word, FileAccess::Read, false);
            used.touch(word, FileAccess::Write, false);
        }
        b'd' => used.touch(word, FileAccess::Remove, false),
        b'D' => used.touch(word, FileAccess::Remove, true),
        b'f' => {
            used.touch(word, FileAccess::Read, false);
            used.unknown_file(FileAccess::Read, word.at);
        }
        b'h' => used.network.push(word.value.as_deref().and_then(hosts::host)),
        b'u' => hosts::url_or_path(word, used),
        b'l' => line(word, Vec::new(), used),
        b'k' => program(word, used),
        b'o' => used.opaque.push("a program text of another language"),
        _ => {}
    }
}

/// A text for `sh -c`.
pub(super) fn line(word: &Word, arguments: Vec<Word>, used: &mut ProgramUse) {
    match &word.value {
        Some(text) if !word.has_glob => {
            used.starts.push(Start::Line { text: text.clone(), arguments, at: word.at });
        }
        _ => used.opaque.push("a command line that cannot be told"),
    }
}

/// Words of a command line that a program joins by blanks and gives to `sh -c`.
pub(super) fn joined_line(words: &[Word], used: &mut ProgramUse) {
    let Some(first) = words.first() else { return };
    match join(words) {
        Some(text) => used.starts.push(Start::Line { text, arguments: Vec::new(), at: first.at }),
        None => used.opaque.push("a command line that cannot be told"),
    }
}

/// Known words joined by blanks.
pub(super) fn join(words: &[Word]) -> Option<String> {
    let mut text = String::new();
    for (index, word) in words.iter().enumerate() {
        if word.has_glob {
            return None;
        }
        if index > 0 {
            text.push(' ');
        }
        text.push_str(word.value.as_deref()?);
    }
    Some(text)
}

/// A program that is started with words that are not known.
pub(super) fn program(word: &Word, used: &mut ProgramUse) {
    match &word.value {
        Some(text) if text.contains([' ', '\t', '\n', '|', ';', '&', '$', '`', '<', '>', '(']) => {
            used.starts.push(Start::Line {
                text: text.clone(),
                arguments: vec![Word::unknown(true, word.at)],
                at: word.at,
            });
        }
        Some(text) if !text.is_empty() => {
            used.starts.push(Start::Words(vec![word.clone(), Word::unknown(true, word.at)]));
        }
        Some(_) => {}
        None => used.opaque.push("a program that cannot be told"),
    }
}

fn operands(call: &Call<'_>, used: &mut ProgramUse) {
    let is_scripted = call.options.iter().any(|given| {
        matches!(given.known.value, ValueKind::Needed(b'p' | b'P') | ValueKind::Maybe(b'p' | b'P'))
    });
    let mut letters: Vec<&str> = call
        .row
        .operands
        .split_ascii_whitespace()
        .filter(|token| !(matches!(*token, "+" | "@") || is_scripted && *token == "p"))
        .collect();
    let mut given = call.operands.as_slice();
    if let Some(at) = letters.iter().position(|token| *token == "=") {
        letters.remove(at);
        while let Some(((_, word), rest)) = given.split_first() {
            let text = word.value.as_deref().unwrap_or(&word.prefix);
            let Some((name, _)) = text.split_once('=') else { break };
            if assignments::is_risky(name) {
                used.opaque.push("a variable that changes what programs do");
            }
            given = rest;
        }
    }
    let star = letters.iter().position(|token| token.ends_with('*'));
    let (front, star, back) = match star {
        Some(at) => {
            let (front, rest) = letters.split_at(at);
            (front, rest.first().copied(), rest.get(1..).unwrap_or_default())
        }
        None => (letters.as_slice(), None, &[] as &[&str]),
    };
    for token in front {
        if *token == "c" {
            if let Some((place, _)) = given.first() {
                command(call, *place, used);
            }
            return;
        }
        let Some(((_, word), rest)) = given.split_first() else { return };
        given = rest;
        letter_of(token.bytes().next().unwrap_or(b'n'), word, used);
    }
    let Some(star) = star else { return };
    let letter = star.bytes().next().unwrap_or(b'n');
    let (many, last) = given.split_at(given.len().saturating_sub(back.len()));
    if letter == b'l' {
        if let Some((place, _)) = many.first() {
            joined_line(call.words.get(*place..).unwrap_or_default(), used);
        }
        return;
    }
    for (_, word) in many {
        letter_of(letter, word, used);
    }
    for ((_, word), token) in last.iter().rev().zip(back.iter().rev()) {
        letter_of(token.bytes().next().unwrap_or(b'n'), word, used);
    }
}

/// The command that begins at the word `place`.
pub(super) fn command(call: &Call<'_>, place: usize, used: &mut ProgramUse) {
    if let Some(words) = call.words.get(place..)
        && !words.is_empty()
    {
        used.starts.push(Start::Words(words.to_vec()));
    }
}

/// Where the command begins is not certain: what it could be is told and the call is opaque.
fn wrapper_doubts(call: &Call<'_>, used: &mut ProgramUse) {
    let place = match (call.unknown, call.doubtful) {
        (Some(unknown), _) => {
            used.opaque.push("an option of a program that starts others is not known");
            if call.row.options.is_empty() {
                used.elsewhere(call.at());
            }
            unknown
        }
        (None, Some(doubtful)) => {
            let begins = used.starts.iter().any(|start| match (start, call.words.get(doubtful)) {
                (Start::Words(words), Some(word)) => words.first().is_some_and(|first| first == word),
                _ => false,
            });
            // `env $x`: the words are the command whatever they are, and who judges sees that they are not known.
            if begins && call.words.get(doubtful).is_some_and(|word| word.value.is_some()) {
                return;
            }
            used.opaque.push("where the command begins cannot be told");
            doubtful
        }
        (None, None) => return,
    };
    let candidates = call.words.iter().enumerate().skip(place + 1);
    let plain = candidates.filter(|(_, word)| !word.prefix.starts_with('-') && !word.prefix.is_empty());
    for (index, _) in plain.take(MAX_GUESSES) {
        command(call, index, used);
    }
}

/// An option that is not known may name a file.
fn unknown_option(call: &Call<'_>, used: &mut ProgramUse) {
    let reads = call.row.operands.contains(['r', 'R', 'b', 'w', 'W', 'd', 'D']);
    if !reads {
        return;
    }
    if let Some(word) = call.unknown.and_then(|place| call.words.get(place)) {
        match word.value.as_deref().and_then(|text| text.split_once('=')) {
            Some((_, path)) => used.touch(&Word::known(path, word.at), FileAccess::Read, false),
            None if word.value.is_none() => used.unknown_file(FileAccess::Read, word.at),
            None => {}
        }
    }
    if let Some(word) = call.doubtful.and_then(|place| call.words.get(place))
        && word.value.is_none()
        && call.row.operands.contains('p')
    {
        used.unknown_file(FileAccess::Read, word.at);
    }
}

fn nature(call: &Call<'_>) -> CommandNature {
    if !call.is_plain() || !is_by_name_or_system(&call.words[0]) {
        return CommandNature::Other;
    }
    let has_glob = call.words.iter().any(|word| word.has_glob);
    match call.row.kind {
        Kind::Plain => CommandNature::ReadOnly,
        Kind::Look if call.is_certain() && !has_glob => CommandNature::ReadOnly,
        Kind::Edit if call.is_certain() => CommandNature::FileEdit,
        Kind::Through if call.is_certain() => CommandNature::Transparent,
        Kind::Look | Kind::Edit | Kind::Through | Kind::Wrap | Kind::Other => CommandNature::Other,
    }
}

/// Whether the program is looked up by its name, or lies where only the system puts programs.
pub(super) fn is_by_name_or_system(program: &Word) -> bool {
    let Some(text) = program.value.as_deref() else { return false };
    if program.has_tilde || program.has_glob && text != "[" {
        return false;
    }
    match text.rsplit_once('/') {
        None => true,
        Some((folder, _)) => {
            matches!(folder, "/bin" | "/usr/bin" | "/usr/local/bin" | "/sbin" | "/usr/sbin")
        }
    }
}

impl ProgramUse {
    /// A file that is named by a word; standard input (`-`) is none.
    pub(super) fn touch(&mut self, word: &Word, access: FileAccess, is_deep: bool) {
        let path = match word.value.as_deref() {
            Some("") => return,
            Some("-") if access == FileAccess::Read => return,
            Some(text) if text.starts_with('~') && !word.has_tilde => Some(format!("./{text}")),
            Some(text) => Some(text.to_owned()),
            None => None,
        };
        let has_glob = word.has_glob && path.is_some();
        let touch = Touch { path, access, is_deep, has_glob, at: word.at };
        if !self.files.contains(&touch) {
            self.files.push(touch);
        }
    }

    /// A file that cannot be told.
    pub(super) fn unknown_file(&mut self, access: FileAccess, at: usize) {
        self.touch(&Word::unknown(false, at), access, false);
    }

    /// Links are followed to places that cannot be told.
    pub(super) fn follows_links(&mut self, at: usize) {
        self.unknown_file(FileAccess::Read, at);
        self.nature = CommandNature::Other;
    }

    /// The names of files are meant in another folder.
    pub(super) fn elsewhere(&mut self, at: usize) {
        self.unknown_file(FileAccess::Read, at);
        self.unknown_file(FileAccess::Write, at);
    }

    /// A file by its path.
    pub(super) fn path(&mut self, path: impl Into<String>, access: FileAccess, is_deep: bool, at: usize) {
        let word = Word { has_tilde: true, ..Word::known(path, at) };
        self.touch(&word, access, is_deep);
    }

    /// Takes back a nature that does not fit what was found.
    pub(super) fn settle(&mut self) {
        let changes = self.files.iter().any(|touch| touch.access != FileAccess::Read);
        let fits = match self.nature {
            CommandNature::ReadOnly | CommandNature::ReadOnlyInTrusted => {
                self.starts.is_empty() && self.network.is_empty() && !changes
            }
            CommandNature::FileEdit => self.starts.is_empty() && self.network.is_empty(),
            CommandNature::Transparent => {
                self.starts.len() == 1 && self.network.is_empty() && self.files.is_empty()
            }
            CommandNature::Other => true,
        };
        if !fits || !self.opaque.is_empty() {
            self.nature = CommandNature::Other;
        }
    }
}
