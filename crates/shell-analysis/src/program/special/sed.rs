//! sed: its scripts are read as a whole.

use pegboard_tool_core::ports::{CommandNature, FileAccess};

use crate::word::Word;

use super::super::call::Call;
use super::super::{ProgramUse, Start, effects};

/// What a script does besides editing its input.
#[derive(Debug, Default, Eq, PartialEq)]
struct Script {
    reads: Vec<String>,
    writes: Vec<String>,
    /// Command lines of `e`; `None` runs what the input holds.
    runs: Vec<Option<String>>,
}

/// `sed`.
pub(in super::super) fn hook(call: &Call<'_>, used: &mut ProgramUse) {
    let mut operands = call.operands.iter();
    let mut script: Option<String> = Some(String::new());
    let mut at = call.at();
    let mut is_known = true;
    if call.has(&["-e", "-f"]) {
        for given in call.options.iter().filter(|given| given.known.name == "-e") {
            at = given.at;
            let text = given.value.as_ref().and_then(|value| value.value.as_deref());
            script = match (script, text) {
                (Some(before), Some(text)) if before.is_empty() => Some(text.to_owned()),
                (Some(before), Some(text)) => Some(format!("{before}\n{text}")),
                _ => None,
            };
        }
        if call.has(&["-f"]) {
            used.opaque.push("a script in a file");
        }
    } else if let Some((_, word)) = operands.next() {
        at = word.at;
        script = word.value.clone().filter(|_| !word.has_glob && !word.is_many);
        // `sed -i '' SCRIPT FILE` of other systems.
        if script.as_deref() == Some("") && call.has(&["-i"]) {
            script = operands.as_slice().first().and_then(|(_, word)| word.value.clone());
        }
    }
    match script.as_deref().and_then(read) {
        Some(script) => {
            for path in script.reads {
                used.touch(&Word::known(path, at), FileAccess::Read, false);
                is_known = false;
            }
            for path in script.writes {
                used.touch(&Word::known(path, at), FileAccess::Write, false);
                is_known = false;
            }
            for text in script.runs {
                match text {
                    Some(text) if !call.has(&["-e"]) => {
                        used.starts.push(Start::Line { text, arguments: Vec::new(), at })
                    }
                    Some(text) => effects::line(&Word::known(text, at), Vec::new(), used),
                    None => used.opaque.push("a script of sed that runs what it reads"),
                }
            }
        }
        None => used.opaque.push("a script of sed that cannot be told"),
    }
    if !call.is_certain() {
        used.opaque.push("an option of `sed` is not known");
    }
    let in_place = call.option("-i");
    for (_, word) in operands {
        used.touch(word, FileAccess::Read, false);
        if in_place.is_some() {
            used.touch(word, FileAccess::Write, false);
        }
        let suffix = in_place.and_then(|given| given.value.as_ref());
        match suffix.map(|suffix| suffix.value.as_deref()) {
            None | Some(Some("")) => {}
            Some(Some(suffix)) if !suffix.contains(['*', '/']) && word.value.is_some() => {
                let path = format!("{}{suffix}", word.value.as_deref().unwrap_or_default());
                used.touch(
                    &Word { value: Some(path.clone()), prefix: path, ..(*word).clone() },
                    FileAccess::Write,
                    false,
                );
            }
            Some(_) => used.unknown_file(FileAccess::Write, word.at),
        }
    }
    used.nature = match (used.nature, in_place) {
        (CommandNature::ReadOnly, Some(_)) if is_known => CommandNature::FileEdit,
        (CommandNature::ReadOnly, None) if is_known => CommandNature::ReadOnly,
        _ => CommandNature::Other,
    };
}

/// Reads a script; `None` when it is not understood.
fn read(script: &str) -> Option<Script> {
    let mut found = Script::default();
    let mut text = Text { rest: script };
    loop {
        text.skip(&[' ', '\t', '\n', ';', '\r', '\x0b', '\x0c']);
        if text.rest.is_empty() {
            return Some(found);
        }
        address(&mut text)?;
        text.skip(&[' ', '\t']);
        if text.eat(',') {
            text.skip(&[' ', '\t']);
            if text.eat('+') || text.eat('~') {
                text.digits();
            } else {
                address(&mut text)?;
            }
            text.skip(&[' ', '\t']);
        }
        while text.eat('!') {
            text.skip(&[' ', '\t']);
        }
        let command = text.next()?;
        match command {
            '{' | '}' => {}
            '#' => {
                text.line();
            }
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
                text.end()?
            }
            'l' | 'L' | 'q' | 'Q' => {
                text.skip(&[' ', '\t']);
                text.digits();
                text.end()?;
            }
            ':' | 'b' | 't' | 'T' | 'v' => {
                text.skip(&[' ', '\t']);
                text.until(&[';', '\n', '}', ' ', '\t']);
            }
            'a' | 'i' | 'c' => text.appended(),
            'r' | 'R' => found.reads.push(text.line().trim_start_matches([' ', '\t']).to_owned()),
            'w' | 'W' => found.writes.push(text.line().trim_start_matches([' ', '\t']).to_owned()),
            'e' => {
                let line = text.line().trim_start_matches([' ', '\t']).to_owned();
                found.runs.push((!line.is_empty()).then_some(line));
            }
            's' => substitution(&mut text, &mut found)?,
            'y' => {
                let border = text.next().filter(|border| is_border(*border))?;
                text.part(border, false)?;
                text.part(border, false)?;
                text.end()?;
            }
            _ => return None,
        }
    }
}

fn is_border(letter: char) -> bool {
    !matches!(letter, '\\' | '\n' | '[' | ']' | ' ' | ';' | '}' | '{') && !letter.is_ascii_alphanumeric()
}

fn address(text: &mut Text<'_>) -> Option<()> {
    let border = match text.rest.chars().next() {
        Some('0'..='9') => {
            text.digits();
            if text.eat('~') {
                text.digits();
            }
            return Some(());
        }
        Some('$') => {
            text.next();
            return Some(());
        }
        Some('/') => {
            text.next();
            '/'
        }
        Some('\\') => {
            text.next();
            text.next().filter(|border| is_border(*border))?
        }
        _ => return Some(()),
    };
    text.part(border, true)?;
    text.skip(&['I', 'M']);
    Some(())
}

fn substitution(text: &mut Text<'_>, found: &mut Script) -> Option<()> {
    let border = text.next().filter(|border| is_border(*border))?;
    text.part(border, true)?;
    text.part(border, false)?;
    let mut runs = false;
    loop {
        match text.rest.chars().next() {
            Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                text.next();
            }
            Some('e') => {
                text.next();
                runs = true;
            }
            Some('w') => {
                text.next();
                found.writes.push(text.line().trim_start_matches([' ', '\t']).to_owned());
                break;
            }
            _ => {
                text.end()?;
                break;
            }
        }
    }
    if runs {
        found.runs.push(None);
    }
    Some(())
}

/// What is left of a script.
struct Text<'a> {
    rest: &'a str,
}

impl<'a> Text<'a> {
    fn next(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = self.rest.get(letter.len_utf8()..).unwrap_or_default();
        Some(letter)
    }

    fn eat(&mut self, letter: char) -> bool {
        let found = self.rest.starts_with(letter);
        if found {
            self.next();
        }
        found
    }

    fn skip(&mut self, letters: &[char]) {
        self.rest = self.rest.trim_start_matches(letters);
    }

    fn digits(&mut self) {
        self.rest = self.rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    }

    fn until(&mut self, letters: &[char]) {
        let at = self.rest.find(letters).unwrap_or(self.rest.len());
        self.rest = self.rest.get(at..).unwrap_or_default();
    }

    /// The rest of the line, without its end.
    fn line(&mut self) -> &'a str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    /// A command ends here.
    fn end(&mut self) -> Option<()> {
        self.skip(&[' ', '\t', '\r']);
        match self.rest.chars().next() {
            None | Some(';' | '\n' | '}' | '#') => Some(()),
            Some(_) => None,
        }
    }

    /// The text of `a`, `i` or `c`: up to a line end without a backslash before it.
    fn appended(&mut self) {
        // `a\` alone: the text is on the next line.
        loop {
            let line = self.line();
            let slashes = line.len() - line.trim_end_matches('\\').len();
            if slashes.is_multiple_of(2) || self.rest.is_empty() {
                return;
            }
        }
    }

    /// One part of `s` or `y` or a regular expression, and the mark behind it. `None` where programs differ: in
    /// brackets, and where a line ends.
    fn part(&mut self, border: char, is_pattern: bool) -> Option<()> {
        let mut in_brackets = false;
        let mut is_first = false;
        while let Some(letter) = self.next() {
            let was_first = is_first;
            is_first = false;
            match letter {
                _ if letter == border => return (!in_brackets).then_some(()),
                '\\' => {
                    // In brackets a backslash is itself, before the mark it is not to all.
                    let next = self.next()?;
                    if in_brackets && (next == border || next == ']') {
                        return None;
                    }
                    if next == '\n' && is_pattern {
                        return None;
                    }
                }
                '\n' => return None,
                '[' if is_pattern && !in_brackets => {
                    in_brackets = true;
                    is_first = true;
                }
                '^' if was_first => is_first = true,
                ']' if in_brackets && !was_first => in_brackets = false,
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Script, read};

    #[test]
    fn scripts_that_only_edit_are_known() {
        for script in [
            "s/a/b/",
            "s/a/b/g",
            "5p",
            "1,20p",
            "$!N;P;D",
            "/x/,/y/{s/a/b/;d}",
            ":a;N;$!ba;s/\\n/ /g",
            "s|/a/b|/c|",
            "y/abc/xyz/",
            "1i\\\nhello",
            "/re/I!d",
            "0~3d",
            "2q5",
            "s/[^,]*,//",
            "# comment\np",
            "a hello; w x",
            "s/[]]//",
            "\\,x,p",
            "1,+3p",
        ] {
            assert_eq!(read(script), Some(Script::default()), "{script}");
        }
    }

    #[test]
    fn what_runs_reads_and_writes_is_found() {
        let writes = |script: &str| read(script).map(|script| script.writes);
        assert_eq!(writes("s/a/b/w out"), Some(vec!["out".into()]));
        assert_eq!(writes("1{w out.txt\n}"), Some(vec!["out.txt".into()]));
        assert_eq!(read("r /etc/x").map(|script| script.reads), Some(vec!["/etc/x".into()]));
        assert_eq!(read("s/.*/id/e").map(|script| script.runs), Some(vec![None]));
        assert_eq!(read("1e rm x").map(|script| script.runs), Some(vec![Some("rm x".into())]));
        assert_eq!(read("e").map(|script| script.runs), Some(vec![None]));
        for odd in ["s/[/]x/e;s/]/b/", "k", "s/a/b", "s\na\nb\n", "s/a/b/q"] {
            assert_eq!(read(odd), None, "{odd}");
        }
    }
}
