//! The pattern language of `Bash(...)`: exact texts, stars, and the word boundary of ` *` and `:*`.

use crate::text_glob::star_match;

/// A compiled command pattern.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct CommandPattern {
    /// Without the boundary at the end.
    head: String,
    /// Whether ` *` or `:*` stood at the end.
    has_boundary: bool,
}

/// Programs that run what they are given: interpreters, shells, runners, wrappers.
const RUNNERS: &[&str] = &[
    "ash",
    "awk",
    "bash",
    "bun",
    "bunx",
    "command",
    "dash",
    "deno",
    "doas",
    "docker",
    "env",
    "eval",
    "exec",
    "expect",
    "fish",
    "gawk",
    "ionice",
    "java",
    "julia",
    "ksh",
    "lua",
    "nice",
    "node",
    "nohup",
    "npx",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pipx",
    "pnpx",
    "podman",
    "pwsh",
    "python",
    "ruby",
    "Rscript",
    "setsid",
    "sh",
    "source",
    "ssh",
    "stdbuf",
    "su",
    "sudo",
    "tclsh",
    "time",
    "timeout",
    "ts-node",
    "tsx",
    "uvx",
    "watch",
    "xargs",
    "zsh",
];

/// What runs any script of a project.
const SCRIPT_RUNNERS: &[&str] = &[
    "bun run",
    "bun x",
    "bundle exec",
    "cargo run",
    "composer run",
    "deno run",
    "deno task",
    "go run",
    "hatch run",
    "npm exec",
    "npm run",
    "npm x",
    "pdm run",
    "pipenv run",
    "pnpm dlx",
    "pnpm exec",
    "pnpm run",
    "poetry run",
    "uv run",
    "yarn dlx",
    "yarn exec",
    "yarn run",
];

/// Which way a pattern leans where the language leaves a choice.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Lean {
    /// It lets commands run.
    Permit,
    /// It holds commands back.
    Forbid,
}

impl CommandPattern {
    /// Compiles `text`.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let text = collapse_blanks(text);
        let cut = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *"));
        let head = cut.unwrap_or(&text).trim_end();
        if head.is_empty() {
            return Err(
                "nothing stands in front of the star; write the bare name for every command".to_owned()
            );
        }
        Ok(Self { head: head.to_owned(), has_boundary: cut.is_some() })
    }

    /// The program that every matching command begins with, when the pattern fixes it.
    pub(crate) fn program(&self) -> Option<&str> {
        let (word, is_whole) = match self.head.split_once(' ') {
            Some((word, _)) => (word, true),
            None => (self.head.as_str(), self.has_boundary || !self.head.contains('*')),
        };
        (is_whole && !word.contains('*')).then_some(word)
    }

    /// Whether it names every command.
    pub(crate) fn is_everything(&self) -> bool {
        self.head.bytes().all(|byte| byte == b'*')
    }

    /// Whether it has no star: only one text matches.
    pub(crate) fn is_exact(&self) -> bool {
        !self.has_boundary && !self.head.contains('*')
    }

    /// Whether it lets an interpreter, a shell or a package runner do anything: suspended in auto mode.
    pub(crate) fn is_broad(&self) -> bool {
        let word = self.head.split(' ').next().unwrap_or_default().trim_end_matches('*');
        let has_star = self.has_boundary || self.head.contains('*');
        let word = word.rsplit('/').next().unwrap_or_default();
        let is_runner = RUNNERS.iter().any(|runner| {
            word == *runner || !word.is_empty() && word.starts_with(runner) && word.len() <= runner.len() + 4
        });
        // What is fixed could go on as one of them, or has gone on already.
        let fixed = self.head.split('*').next().unwrap_or_default();
        let runs_scripts =
            SCRIPT_RUNNERS.iter().any(|start| start.starts_with(fixed) || fixed.starts_with(start));
        has_star && (word.is_empty() || is_runner || runs_scripts)
    }

    /// Patterns of stars alone that together match what this one matches when it holds back.
    pub(crate) fn spellings(&self) -> Vec<String> {
        if self.has_boundary {
            vec![self.head.clone(), format!("{} *", self.head)]
        } else {
            vec![self.head.clone()]
        }
    }

    /// Whether it matches `start` and every command that goes on from there. (What goes on is a new word, or nothing.)
    pub(crate) fn matches_every_extension(&self, start: &str) -> bool {
        if self.has_boundary {
            return !self.head.contains('*') && self.matches(start.trim_end_matches(' '), Lean::Forbid);
        }
        self.head.ends_with('*') && star_match(&self.head, start)
    }

    /// Whether `command`, with its blanks collapsed, fits.
    pub(crate) fn matches(&self, command: &str, lean: Lean) -> bool {
        if !self.has_boundary {
            return if self.head.contains('*') {
                star_match(&self.head, command)
            } else {
                self.head == command
            };
        }
        if !self.head.contains('*') {
            return command
                .strip_prefix(&self.head)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\n']));
        }
        let bare_end = lean == Lean::Forbid && star_match(&self.head, command);
        bare_end || self.matches_with_words(command)
    }
}

impl CommandPattern {
    /// Whether some start of `command` that ends in front of a blank fits.
    fn matches_with_words(&self, command: &str) -> bool {
        let ends = command.match_indices(' ').map(|(at, _)| at);
        // With a star at its end or inside, the longest start that can fit is not known: all are tried.
        ends.filter_map(|end| command.get(..end)).any(|start| star_match(&self.head, start))
    }
}

/// Runs of blanks outside quotes become one blank; a line continuation is a blank too.
pub(crate) fn collapse_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote: Option<char> = None;
    let mut after_blank = true;
    let mut chars = text.trim_matches([' ', '\t', '\n']).chars().peekable();
    while let Some(c) = chars.next() {
        let is_blank = quote.is_none() && matches!(c, ' ' | '\t');
        if is_blank && after_blank {
            continue;
        }
        if quote.is_none() && c == '\\' && chars.peek() == Some(&'\n') {
            chars.next();
            continue;
        }
        after_blank = is_blank;
        match (quote, c) {
            _ if is_blank => out.push(' '),
            (None | Some('"'), '\\') => {
                out.push(c);
                out.extend(chars.next());
            }
            (None, '\'' | '"') => {
                quote = Some(c);
                out.push(c);
            }
            _ => {
                if quote == Some(c) {
                    quote = None;
                }
                out.push(c);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_documented() {
        for (pattern, command, expected) in [
            ("ls *", "ls", true),
            ("ls *", "ls -la", true),
            ("ls *", "lsof", false),
            ("ls*", "lsof", true),
            ("npm run:*", "npm run", true),
            ("npm run:*", "npm run build", true),
            ("npm run:*", "npm runx", false),
            ("git:* push", "git origin push", false),
            ("git * main", "git push origin main", true),
            ("git * main", "git log --oneline main", true),
            ("git * main", "git push origin main2", false),
            ("* install", "npm install", true),
            ("* install", "npm install x", false),
            ("npm run build", "npm run build --watch", false),
            ("git  commit *", "git commit -m x", true),
        ] {
            let compiled = CommandPattern::new(pattern).unwrap();
            assert_eq!(
                compiled.matches(&collapse_blanks(command), Lean::Permit),
                expected,
                "{pattern}: {command}"
            );
        }
        assert!(CommandPattern::new(":*").is_err());
    }

    #[test]
    fn blanks_in_quotes_stay() {
        assert_eq!(collapse_blanks("a   'b  c'  \"d  e\" \\\n  f\\  g"), "a 'b  c' \"d  e\" f\\  g");
    }

    #[test]
    fn a_pattern_names_its_program_or_none() {
        for (pattern, program) in [
            ("rm:*", Some("rm")),
            ("rm -rf *", Some("rm")),
            ("rm", Some("rm")),
            ("rm*", None),
            ("* x", None),
            ("r*m x", None),
        ] {
            assert_eq!(CommandPattern::new(pattern).unwrap().program(), program, "{pattern}");
        }
    }
}
