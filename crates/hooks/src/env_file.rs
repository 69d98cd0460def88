//! The file in which handlers of some events leave variables for later commands: `export NAME=value` lines.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::str::Chars;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most bytes of the file that are read.
const MOST_BYTES: u64 = 1024 * 1024;

/// Variables, in order; `None` takes one away.
pub(crate) type Variables = Vec<(String, Option<String>)>;

/// A file for one firing. It is removed in the end.
#[derive(Debug)]
pub(crate) struct EnvFile {
    path: PathBuf,
}

impl EnvFile {
    /// Makes an empty file that only the owner reads, below the session's folder.
    pub(crate) fn create(session_dir: &Path) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let folder = session_dir.join("hook-env");
        std::fs::create_dir_all(&folder)?;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{}-{count}.sh", std::process::id()));
        // A file that an earlier process of the same number left is not ours.
        let _absent_is_fine = std::fs::remove_file(&path);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path)?;
        Ok(Self { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What handlers left, and what of it cannot be used.
    pub(crate) fn read(&self, env: &BTreeMap<String, String>) -> (Variables, Vec<String>) {
        let mut bytes = Vec::new();
        let read =
            std::fs::File::open(&self.path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes));
        match read {
            Ok(_) => parse(&String::from_utf8_lossy(&bytes), env),
            Err(error) => (Vec::new(), vec![format!("the file of variables cannot be read: {error}")]),
        }
    }
}

impl Drop for EnvFile {
    fn drop(&mut self) {
        let _gone_is_fine = std::fs::remove_file(&self.path);
    }
}

/// Reads `export` lines. Quotes mean what they mean in a shell; `$NAME` stands for what is set so far. Nothing
/// is run: a line with a substitution is not used.
fn parse(text: &str, env: &BTreeMap<String, String>) -> (Variables, Vec<String>) {
    let mut parser = Parser { letters: text.chars().peekable(), env, set: BTreeMap::new() };
    let (mut variables, mut problems) = (Vec::new(), Vec::new());
    loop {
        match parser.statement() {
            Ok(None) => return (variables, problems),
            Ok(Some(words)) => match parser.apply(words) {
                Ok(more) => variables.extend(more),
                Err(problem) => problems.push(problem),
            },
            Err(problem) => {
                problems.push(problem);
                parser.skip_line();
            }
        }
    }
}

struct Parser<'a> {
    letters: Peekable<Chars<'a>>,
    env: &'a BTreeMap<String, String>,
    set: BTreeMap<String, Option<String>>,
}

impl Parser<'_> {
    /// The words of the next statement.
    fn statement(&mut self) -> Result<Option<Vec<String>>, String> {
        let mut words = Vec::new();
        loop {
            match self.letters.peek() {
                None => return Ok((!words.is_empty()).then_some(words)),
                Some('\n' | ';') => {
                    self.letters.next();
                    if !words.is_empty() {
                        return Ok(Some(words));
                    }
                }
                Some('#') => self.skip_comment(),
                Some(letter) if letter.is_whitespace() => {
                    self.letters.next();
                }
                Some(_) => words.push(self.word()?),
            }
        }
    }

    fn skip_comment(&mut self) {
        while self.letters.next_if(|letter| *letter != '\n').is_some() {}
    }

    fn skip_line(&mut self) {
        self.skip_comment();
        self.letters.next();
    }

    fn word(&mut self) -> Result<String, String> {
        let mut word = String::new();
        while let Some(letter) = self.letters.next_if(|letter| !letter.is_whitespace() && *letter != ';') {
            match letter {
                '\'' => self.quoted(&mut word)?,
                '"' => self.double_quoted(&mut word)?,
                '\\' => match self.letters.next() {
                    Some('\n') | None => {}
                    Some(letter) => word.push(letter),
                },
                '$' if self.letters.next_if_eq(&'\'').is_some() => self.ansi_quoted(&mut word)?,
                '$' => self.variable(&mut word)?,
                '`' | '(' | ')' | '|' | '&' | '<' | '>' => return Err(not_plain(letter)),
                letter => word.push(letter),
            }
        }
        Ok(word)
    }

    fn quoted(&mut self, word: &mut String) -> Result<(), String> {
        loop {
            match self.letters.next() {
                Some('\'') => return Ok(()),
                Some(letter) => word.push(letter),
                None => return Err("a quote does not end".to_owned()),
            }
        }
    }

    fn double_quoted(&mut self, word: &mut String) -> Result<(), String> {
        loop {
            match self.letters.next() {
                Some('"') => return Ok(()),
                Some('\\') => match self.letters.next() {
                    Some('\n') | None => {}
                    Some(letter) if "$`\"\\".contains(letter) => word.push(letter),
                    Some(letter) => word.extend(['\\', letter]),
                },
                Some('$') => self.variable(word)?,
                Some('`') => return Err(not_plain('`')),
                Some(letter) => word.push(letter),
                None => return Err("a quote does not end".to_owned()),
            }
        }
    }

    fn ansi_quoted(&mut self, word: &mut String) -> Result<(), String> {
        loop {
            match self.letters.next() {
                Some('\'') => return Ok(()),
                Some('\\') => match self.letters.next() {
                    Some('n') => word.push('\n'),
                    Some('t') => word.push('\t'),
                    Some('r') => word.push('\r'),
                    Some(letter) if "'\"\\".contains(letter) => word.push(letter),
                    _ => return Err("an escape is not known".to_owned()),
                },
                Some(letter) => word.push(letter),
                None => return Err("a quote does not end".to_owned()),
            }
        }
    }

    fn variable(&mut self, word: &mut String) -> Result<(), String> {
        let braced = self.letters.next_if_eq(&'{').is_some();
        if !braced && self.letters.peek() == Some(&'(') {
            return Err(not_plain('$'));
        }
        let mut name = String::new();
        while let Some(letter) =
            self.letters.next_if(|letter| letter.is_ascii_alphanumeric() || *letter == '_')
        {
            name.push(letter);
        }
        if braced && self.letters.next() != Some('}') {
            return Err("only `${NAME}` is read of what braces can do".to_owned());
        }
        if name.is_empty() {
            word.push('$');
            return Ok(());
        }
        let value = match self.set.get(&name) {
            Some(value) => value.as_deref(),
            None => self.env.get(&name).map(String::as_str),
        };
        word.push_str(value.unwrap_or_default());
        Ok(())
    }

    fn apply(&mut self, words: Vec<String>) -> Result<Variables, String> {
        let mut words = words.into_iter().peekable();
        let head = words.peek().cloned().unwrap_or_default();
        let takes_away = head == "unset";
        if matches!(head.as_str(), "export" | "declare" | "typeset" | "unset") {
            words.next();
        }
        let mut variables = Vec::new();
        for word in words.filter(|word| !word.starts_with('-')) {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) if !takes_away => (name, Some(value.to_owned())),
                None if takes_away => (word.as_str(), None),
                // What is set already is set for children too.
                None if head == "export" => continue,
                _ => return Err(format!("`{}` is no `export NAME=value`", crate::long_text::short(&word))),
            };
            let is_name = !name.is_empty()
                && !name.starts_with(|letter: char| letter.is_ascii_digit())
                && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
            if !is_name || value.as_ref().is_some_and(|value| value.contains('\0')) {
                return Err(format!("`{}` cannot be the name of a variable", crate::long_text::short(name)));
            }
            self.set.insert(name.to_owned(), value.clone());
            variables.push((name.to_owned(), value));
        }
        Ok(variables)
    }
}

fn not_plain(letter: char) -> String {
    format!("a line has the sign {letter:?}, and nothing is run to read it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let env = BTreeMap::from([("PATH".to_owned(), "/bin".to_owned())]);
        let (variables, problems) = parse(text, &env);
        let variables = variables.into_iter().map(|(name, value)| match value {
            Some(value) => format!("{name}={value:?}"),
            None => format!("-{name}"),
        });
        variables
            .chain(problems.into_iter().map(|problem| format!("({problem})")))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn lines_are_read_and_nothing_is_run() {
        let texts = [
            "export A=1",
            "export A=1\nexport B='two words' # why\n\n# comment\nexport C=\"x $A\"",
            "export PATH=\"/opt/x/bin:$PATH\"\nexport PATH=${PATH}:/y",
            "declare -x A=\"a\nb\"",
            "export A=$'a\\nb'; unset B",
            "A=1",
            "export A",
            "export A=$(touch pwned)\nexport B=2",
            "export A=`id`\nexport B=2",
            "rm -rf /\nexport B=2",
            "export 1A=x",
            "export A=\\$x B=\"\\$y \\n\"",
            "export A='never ends",
            "export A=${B:-x}",
            "",
        ];
        let lines: Vec<String> = texts.iter().map(|text| read(text)).collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        A="1"
        A="1" B="two words" C="x 1"
        PATH="/opt/x/bin:/bin" PATH="/opt/x/bin:/bin:/y"
        A="a\nb"
        A="a\nb" -B
        A="1"

        B="2" (a line has the sign '$', and nothing is run to read it)
        B="2" (a line has the sign '`', and nothing is run to read it)
        B="2" (`rm` is no `export NAME=value`)
        (`1A` cannot be the name of a variable)
        A="$x" B="$y \\n"
        (a quote does not end)
        (only `${NAME}` is read of what braces can do)
        "#);
    }
}
