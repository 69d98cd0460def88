//! One simple command of a report, in the spellings that rules are compared with.

use crate::arity::has_subcommands;
use crate::command_pattern::collapse_blanks;
use crate::command_text::CommandText;
use pegboard_tool_core::ports::CommandUse;
use pegboard_tool_core::without_dots;
use std::path::PathBuf;

/// Variables that may be set for a command without changing what it does to the world.
const HARMLESS: &[&str] = &[
    "NODE_ENV",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "LANG",
    "LANGUAGE",
    "TZ",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "TERM",
    "COLUMNS",
    "LINES",
    "CI",
    "DEBUG",
];

/// Options of git in front of the subcommand that change nothing about what is done.
const HARMLESS_GIT: [&str; 2] = ["--no-pager", "--no-optional-locks"];

/// Words in front of a subcommand that are looked through.
const MOST_OPTIONS: usize = 12;

/// A command with what rules compare.
#[derive(Debug)]
pub(crate) struct ShellCommand<'r> {
    /// As reported.
    pub(crate) run: &'r CommandUse,
    /// As written, without assignments and redirections, blanks collapsed.
    pub(crate) source: String,
    /// Whether all variables that are set for it are harmless.
    pub(crate) is_harmless: bool,
}

impl<'r> ShellCommand<'r> {
    pub(crate) fn new(run: &'r CommandUse) -> Self {
        let (assigned, rest) = without_assignments(&run.text, run.assigns.len());
        let is_harmless =
            run.assigns.iter().all(|name| HARMLESS.contains(&name.as_str()) || name.starts_with("LC_"))
                && !assigned.contains(['`', '$'])
                && !assigned.contains("<(")
                && !assigned.contains(">(");
        Self { run, source: collapse_blanks(rest), is_harmless }
    }

    /// Its program as written; `None` when that cannot be told.
    pub(crate) fn program(&self) -> Option<&str> {
        self.run.program.as_ref()?;
        self.run.argv.first()?.as_deref()
    }

    /// Whether it runs a program that cannot be told.
    pub(crate) fn is_unknown(&self) -> bool {
        !self.run.argv.is_empty() && self.program().is_none()
    }

    /// Whether a word of it cannot be told.
    pub(crate) fn has_unknown_word(&self) -> bool {
        self.run.argv.iter().any(Option::is_none)
    }

    /// The words, where all are known.
    pub(crate) fn known_words(&self) -> Option<Vec<&str>> {
        self.run.argv.iter().map(Option::as_deref).collect()
    }

    /// Every text that a rule which holds back is compared with, each with its program. `folders` are where it could
    /// run: a program that is a path has a name from each.
    pub(crate) fn forbidden_texts(&self, folders: &[PathBuf]) -> Vec<(String, CommandText)> {
        let Some(program) = self.program() else { return Vec::new() };
        let rest = self.run.argv.get(1..).unwrap_or_default();
        let is_exact = self.run.exact && !self.run.has_glob;
        let base = program.rsplit('/').next().unwrap_or_default();
        let mut texts = Vec::with_capacity(3);
        texts.push((base.to_owned(), CommandText::new(base, rest, is_exact)));
        if base != program {
            let mut names = vec![program.to_owned()];
            for folder in folders {
                let absolute = without_dots(&folder.join(program));
                let below = absolute.strip_prefix(folder).ok().and_then(|below| below.to_str());
                names.extend(below.map(|below| format!("./{below}")));
                names.extend(below.map(str::to_owned));
                names.extend(absolute.to_str().map(str::to_owned));
            }
            names.sort_unstable();
            names.dedup();
            names.retain(|name| name != base);
            texts.extend(names.into_iter().map(|name| {
                let text = CommandText::new(&name, rest, is_exact);
                (name, text)
            }));
        }
        if has_subcommands(base) {
            for at in after_options(rest) {
                let rest = rest.get(at..).unwrap_or_default();
                texts.push((base.to_owned(), CommandText::new(base, rest, is_exact)));
            }
        }
        let is_known = texts.iter().any(|(_, text)| text.known() == Some(self.source.as_str()));
        if !self.source.is_empty() && !is_known {
            texts.push((base.to_owned(), CommandText::of(self.source.clone())));
        }
        texts
    }

    /// The texts that an allow rule is compared with, each with the word that must be its program.
    pub(crate) fn permitted_texts(&self) -> Vec<(&str, String)> {
        // A program that the shell makes up is not the one that the text names.
        let is_told = |word: &&str| !word.is_empty() && !word.contains(['$', '`', '{', '*', '?', '[']);
        let Some(program) = self.source.split(' ').next().filter(is_told) else {
            return Vec::new();
        };
        let mut texts = vec![(program, self.source.clone())];
        if program == "git" {
            let mut rest = self.source.get(program.len()..).unwrap_or_default();
            let whole = rest;
            while let Some(after) = HARMLESS_GIT.iter().find_map(|option| {
                rest.trim_start().strip_prefix(option).filter(|rest| rest.starts_with(' '))
            }) {
                rest = after;
            }
            if rest.len() < whole.len() {
                texts.push((program, format!("{program}{rest}")));
            }
        }
        texts
    }
}

/// The assignments in front of a command (at most `count`), and what comes after them.
fn without_assignments(text: &str, count: usize) -> (&str, &str) {
    let mut end = 0;
    for _ in 0..count {
        let rest = text.get(end..).unwrap_or_default();
        let start = end + (rest.len() - rest.trim_start().len());
        let Some(word) = text.get(start..).map(|rest| rest.get(..word_end(rest)).unwrap_or_default()) else {
            break;
        };
        let name: &str = word.split(['=', '[', '+']).next().unwrap_or_default();
        let is_assignment = word.contains('=')
            && !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_assignment {
            break;
        }
        end = start + word.len();
    }
    (text.get(..end).unwrap_or_default(), text.get(end..).unwrap_or_default())
}

/// Where the first word of `text` ends, quotes and brackets of substitutions counted.
fn word_end(text: &str) -> usize {
    let mut quote = None;
    let mut open = 0_usize;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (None, ' ' | '\t' | '\n') if open == 0 => return at,
            (None | Some('"'), '\\') => {
                chars.next();
            }
            (None, '\'' | '"' | '`') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None | Some('"'), '(' | '{') => open += 1,
            (None | Some('"'), ')' | '}') => open = open.saturating_sub(1),
            _ => {}
        }
    }
    text.len()
}

/// Where the subcommand could begin behind the options that stand in front of it. Each option may take the word
/// behind it. Leans towards too many places.
fn after_options(rest: &[Option<String>]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut after_option = false;
    for (at, word) in rest.iter().enumerate().take(MOST_OPTIONS) {
        let is_option = word.as_ref().is_none_or(|word| word.starts_with(['-', '+']));
        if !is_option {
            if at > 0 {
                places.push(at);
            }
            if !after_option {
                break;
            }
        }
        after_option = is_option && word.as_deref() != Some("--");
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, argv: &[&str]) -> Vec<String> {
        let argv = argv.iter().map(|word| Some((*word).to_owned())).collect();
        let command = CommandUse::new(argv, 0, text);
        let texts = ShellCommand::new(&command).forbidden_texts(&[PathBuf::from("/w")]);
        texts.into_iter().map(|(_, text)| text.known().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn a_command_has_many_texts() {
        assert_eq!(texts("r\\m x", &["rm", "x"]), ["rm x", "r\\m x"]);
        assert_eq!(texts("/bin/rm x", &["/bin/rm", "x"]), ["rm x", "/bin/rm x"]);
        assert_eq!(
            texts("/w/a/../b.sh x", &["/w/a/../b.sh", "x"]),
            ["b.sh x", "./b.sh x", "/w/a/../b.sh x", "/w/b.sh x"]
        );
        assert_eq!(
            texts("git -C a push", &["git", "-C", "a", "push"]),
            ["git -C a push", "git a push", "git push"]
        );
        assert_eq!(texts("npm --prefix x ci", &["npm", "--prefix", "x", "ci"]).last().unwrap(), "npm ci");
    }

    #[test]
    fn assignments_are_told_from_the_command() {
        for (text, count, expected) in [
            ("A=1 B='x y' rm x", 2, "rm x"),
            ("A=$(rm x y) make", 1, "make"),
            ("A=\"$(echo \"a b\")\" make", 1, "make"),
            ("make A=1", 1, "make A=1"),
            ("a[1]=2 make", 1, "make"),
        ] {
            assert_eq!(without_assignments(text, count).1.trim_start(), expected, "{text}");
        }
    }
}
