//! Makes command lines out of tables of templates. Start with [`line`]; the tables are in the files below.
//!
//! A template is bash with holes: `«s»` a statement, `«c»` a simple command, `«S»` a few statements, `«qs»` `«qc»`
//! those as one quoted word, `«bc»` a command for inside backquotes, `«w»` a word, `«W»` up to three, `«p»` the name
//! of a program, `«e»` the same spelled in some way, `«v»` `«u»` `«f»` names that stay the same within a template,
//! `«o»` a file that is not there, `«i»` one that is, `«n»` a number, `«l»` a plain word, `«r»` a redirection, `«x»` a
//! wrapper with its options, `«;»` and `«&»` an end and an operator, left out behind a here-document.

mod constructs;
mod expansions;
mod ordinary;
mod shells;
mod soup;
mod spelling;
mod statements;
mod wrappers;

use crate::random::Random;

/// Which lines are made.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a table each")]
pub enum Profile {
    /// What a coding agent writes.
    Ordinary,
    /// Everything that bash has, in ways nobody would write it.
    Hostile,
    /// Bits of syntax in any order: where a reader that errs ends a quote, a comment or a command elsewhere than bash.
    Soup,
}

/// A line of `profile`.
pub fn line(random: &mut Random, profile: Profile) -> String {
    let mut generator = Generator { random, names: 0, is_tame: false };
    match profile {
        Profile::Ordinary => generator.ordinary(),
        Profile::Hostile => generator.hostile(),
        Profile::Soup => generator.soup(),
    }
}

/// How deep templates go into each other.
const DEPTH: usize = 3;
/// A line that is longer is made anew.
const MOST_CHARS: usize = 900;

struct Generator<'a> {
    random: &'a mut Random,
    /// Names given so far.
    names: usize,
    /// Whether words are mostly such as can be told, so that one construct is seen alone.
    is_tame: bool,
}

/// The names of one use of a template.
#[derive(Default)]
struct Names {
    given: Vec<(String, String)>,
}

impl Generator<'_> {
    fn ordinary(&mut self) -> String {
        let mut line = String::new();
        let parts = [1, 1, 1, 2, 2, 3].get(self.random.below(6)).copied().unwrap_or(1);
        for part in 0..parts {
            if part > 0 && !line.ends_with('\n') {
                line.push_str(self.pick(&[" && ", "; ", "\n", " && ", " || "]));
            }
            let template = self.pick(ordinary::LINES);
            self.expand(template, 1, &mut Names::default(), &mut line);
        }
        line
    }

    fn hostile(&mut self) -> String {
        loop {
            let mut line = String::new();
            self.names = 0;
            self.is_tame = self.random.percent(50);
            match self.is_tame {
                true => {
                    let depth = 1 + self.random.below(2);
                    self.statement(depth, &mut line);
                    if self.random.percent(30) && !line.ends_with('\n') {
                        line.push_str(self.pick(&["; ", "\n", " && ", " || ", " | ", " & "]));
                        self.statement(1, &mut line);
                    }
                }
                false => self.statements(DEPTH, &mut line),
            }
            if line.chars().count() > MOST_CHARS {
                continue;
            }
            if self.random.percent(if self.is_tame { 25 } else { 8 }) {
                self.mutate(&mut line);
            }
            return line;
        }
    }

    fn soup(&mut self) -> String {
        let mut line = String::new();
        self.is_tame = true;
        for _ in 0..2 + self.random.below(9) {
            match self.random.below(10) {
                0 => self.command(&mut line),
                1 => line.push_str("rm q"),
                2 => {
                    let table = [constructs::STATEMENTS, expansions::STATEMENTS];
                    let table = table.get(self.random.below(2)).copied().unwrap_or_default();
                    let template = self.pick(table);
                    self.expand(template, 0, &mut Names::default(), &mut line);
                }
                _ => {
                    let bit = self.pick(soup::BITS);
                    self.expand(bit, 0, &mut Names::default(), &mut line);
                }
            }
            if self.random.percent(30) {
                line.push(' ');
            }
        }
        line
    }

    fn pick(&mut self, all: &[&'static str]) -> &'static str {
        self.random.pick(all).unwrap_or_default()
    }

    fn statements(&mut self, depth: usize, out: &mut String) {
        let count = [1, 1, 1, 2, 2, 3].get(self.random.below(6)).copied().unwrap_or(1);
        for index in 0..count {
            if index > 0 && !out.ends_with('\n') {
                out.push_str(
                    self.pick(&["; ", "\n", " && ", " || ", "; ", " & ", " | ", " |& ", ";\n", "  ;"]),
                );
            }
            self.statement(depth, out);
        }
    }

    fn statement(&mut self, depth: usize, out: &mut String) {
        if depth == 0 || self.random.percent(if self.is_tame { 3 } else { 15 }) {
            return self.command(out);
        }
        let table = match self.random.below(10) {
            0..=2 => constructs::STATEMENTS,
            3..=5 => expansions::STATEMENTS,
            6..=7 => shells::STATEMENTS,
            _ => statements::STATEMENTS,
        };
        let template = self.pick(table);
        self.expand(template, depth - 1, &mut Names::default(), out);
    }

    /// A simple command whose program is a stub.
    fn command(&mut self, out: &mut String) {
        if self.random.percent(6) {
            out.push_str(self.pick(&[
                "x=1 ",
                "PATH=/bin ",
                "A=(b c) ",
                "x+=y ",
                "LC_ALL=C ",
                "a[1]=2 ",
                "IFS=, ",
            ]));
        }
        if self.random.percent(4) {
            let redirection = self.redirection();
            out.push_str(&redirection);
            out.push(' ');
        }
        let program = self.program();
        if self.random.percent(if self.is_tame { 5 } else { 25 }) {
            let spelled = self.spelled(program);
            out.push_str(&spelled);
        } else {
            out.push_str(program);
        }
        for _ in 0..self.random.below(3) {
            out.push(' ');
            let word = self.word();
            out.push_str(&word);
        }
        if self.random.percent(10) {
            out.push(' ');
            let redirection = self.redirection();
            out.push_str(&redirection);
        }
    }

    fn program(&mut self) -> &'static str {
        self.pick(&[
            "rm", "rm", "rm", "rm", "curl", "git", "cat", "ls", "touch", "python3", "cp", "kill", "npm", "wc",
        ])
    }

    fn redirection(&mut self) -> String {
        let template = self.pick(constructs::REDIRECTIONS);
        let mut out = String::new();
        self.expand(template, 0, &mut Names::default(), &mut out);
        out
    }

    /// Fills the holes of `template`.
    fn expand(&mut self, template: &str, depth: usize, names: &mut Names, out: &mut String) {
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('«') {
            out.push_str(before);
            let Some((code, after)) = after.split_once('»') else { return };
            self.fill(code, depth, names, out);
            rest = after;
        }
        out.push_str(rest);
    }

    fn fill(&mut self, code: &str, depth: usize, names: &mut Names, out: &mut String) {
        let mut inner = String::new();
        match code {
            "s" => self.statement(depth, out),
            "S" => self.statements(depth, out),
            "c" => self.command(out),
            "qs" | "qc" => {
                if code == "qs" {
                    self.statement(depth, &mut inner)
                } else {
                    self.command(&mut inner)
                }
                let quoted = self.quoted(&inner);
                out.push_str(&quoted);
            }
            "bc" => {
                self.command(&mut inner);
                for letter in inner.chars() {
                    if matches!(letter, '`' | '\\' | '$') {
                        out.push('\\');
                    }
                    out.push(letter);
                }
            }
            "w" => {
                let word = self.word();
                out.push_str(&word);
            }
            "W" => {
                let count = self.random.below(4);
                let words: Vec<String> = (0..count).map(|_| self.word()).collect();
                out.push_str(&words.join(" "));
            }
            "p" => out.push_str(self.program()),
            "e" => {
                let program = self.program();
                let spelled = self.spelled(program);
                out.push_str(&spelled);
            }
            "l" => {
                out.push_str(self.pick(&["a", "b", "-rf", "f1", "f2", "z", "sub/c", "-n", "--", "rm", "ls"]))
            }
            "n" => out.push_str(self.pick(&["0", "1", "2", "3"])),
            "o" => out.push_str(self.pick(&[
                "out",
                "out2",
                "sub/out",
                "./out",
                "'o p'",
                "/work/p/out",
                "~/out",
                "../out",
            ])),
            "i" => out.push_str(self.pick(&["a", "b", "sub/c", "./a", "/work/p/a", ".env", "'x y'", "a"])),
            "r" => {
                let redirection = self.redirection();
                out.push_str(&redirection);
            }
            "x" => {
                let template = self.pick(wrappers::PREFIXES);
                self.expand(template, 0, names, out);
            }
            ";" if !out.ends_with('\n') => out.push_str(self.pick(&[";", ";", "\n", " ;"])),
            "&" if !out.ends_with('\n') => out.push_str(self.pick(&[";", "\n", " && ", " || ", " & "])),
            ";" | "&" => {}
            "file" => out.push_str(self.pick(ordinary::FILES)),
            "dir" => out.push_str(self.pick(ordinary::FOLDERS)),
            "word" => out.push_str(self.pick(ordinary::WORDS)),
            "run" => {
                let template = self.pick(ordinary::COMMANDS);
                self.expand(template, depth, names, out);
            }
            "filter" => {
                let template = self.pick(ordinary::FILTERS);
                self.expand(template, depth, names, out);
            }
            name => {
                let given = names.of(name, || {
                    self.names += 1;
                    format!("{name}{}", self.names)
                });
                out.push_str(&given);
            }
        }
    }

    /// One or two small faults.
    fn mutate(&mut self, line: &mut String) {
        for _ in 0..=self.random.below(2) {
            let mut chars: Vec<char> = line.chars().collect();
            let at = self.random.below(chars.len() + 1);
            if self.random.percent(60) {
                let more = self.pick(&[
                    ";", "&", "|", "\n", "\\\n", "\\", "'", "\"", "`", "$", "(", ")", "{", "}", "#", " #",
                    "!", " ", "\t", "\r", "<", ">", "<<", "*", "?", "[", "~", "=", "$(", "${", "\u{b}",
                    "\u{a0}", "é", "&&", "||", ";;", "<(", "((", "))", "[[ ", " ]]", "$'", "$\"", "in ",
                    "do ", "done ", "fi ", "then ", "! ", "time ",
                ]);
                chars.splice(at..at, more.chars());
            } else if at < chars.len() {
                let to = (at + 1 + self.random.below(3)).min(chars.len());
                chars.drain(at..to);
            }
            *line = chars.into_iter().collect();
        }
    }
}

impl Names {
    /// The name that `code` has here.
    fn of(&mut self, code: &str, new: impl FnOnce() -> String) -> String {
        if let Some((_, name)) = self.given.iter().find(|(known, _)| known == code) {
            return name.clone();
        }
        let name = new();
        self.given.push((code.to_owned(), name.clone()));
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_lines_and_another_seed_others() {
        let lines = |seed| -> Vec<String> {
            (0..200).map(|index| line(&mut Random::new(seed, index), Profile::Hostile)).collect()
        };
        assert_eq!(lines(1), lines(1));
        assert_ne!(lines(1), lines(2));
        let mut all = lines(3);
        all.sort();
        all.dedup();
        assert!(all.len() > 180, "only {} of 200 lines are different", all.len());
    }

    #[test]
    fn no_hole_is_left() {
        for profile in [Profile::Ordinary, Profile::Hostile, Profile::Soup] {
            for index in 0..2000 {
                let line = line(&mut Random::new(5, index), profile);
                assert!(!line.contains(['«', '»', '\0']), "{line}");
                assert!(!line.is_empty());
            }
        }
    }
}
