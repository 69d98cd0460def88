//! What holds back a line of which nobody can tell what it runs: a word that could be the denied program,
//! a path that could be the denied one.

use crate::findings::{Findings, HOLDING};
use crate::judge::{guard_path, hold_path};
use crate::judge_shell::{Reading, Shell};
use crate::lean_scan::{possible_commands, possible_paths, spelled};
use crate::paths::JudgedPath;
use crate::safety::mentions_protected;
use crate::shell_command::ShellCommand;
use pegboard_tool_core::ports::{CommandUse, FileAccess, ShellStart};
use pegboard_tool_core::{AccessMode, RuleEffect};
use std::sync::Arc;

/// More paths in one line than this are not looked at one by one: the line asks.
const MOST_PATHS: usize = 256;

/// More stretches of words than this are compared as they are, without a look at what they would start.
const MOST_STRETCHES: usize = 32;

/// Longer lines are not looked through, in bytes.
const MOST_SCANNED: usize = 64 * 1024;

/// Programs whose targets are looked at for critical removals.
const REMOVERS: [&str; 2] = ["rm", "rmdir"];

impl Shell<'_> {
    /// Everything that could be meant holds the line back.
    pub(crate) fn hold_opaque(&self, reading: &Reading<'_>, findings: &mut Findings) {
        let line = reading.line;
        if line.len() > MOST_SCANNED {
            self.hold_unread(findings);
            return;
        }
        let mut writes = line.contains('>');
        for (at, words) in possible_commands(line).into_iter().enumerate() {
            let argv: Vec<Option<String>> = words.iter().cloned().map(Some).collect();
            let guess = CommandUse::new(argv, 0, spelled(&words));
            self.hold_guess(&guess, reading, findings);
            if at < MOST_STRETCHES {
                writes |= self.hold_stretch(&words, reading, findings);
            }
        }
        findings.writes_files |= writes;
        self.hold_paths(reading, writes, findings);
        for effect in HOLDING {
            let id = self.rules.of(effect).any_command_rule(self.name);
            let note = "cannot tell whether it names a command of this line";
            findings.hold(self.rules, RuleEffect::Ask, id, note);
        }
        if line.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| REMOVERS.contains(&word)) {
            findings.guard("the line removes something, and what cannot be told");
        }
        if let Some(name) = mentions_protected(line) {
            findings.guard(format!("the line could change {name}, which cannot be told"));
        }
        if writes_unknown(line) {
            findings.guard("which file is written cannot be told");
        }
    }

    /// Code that is no line of bash: its words and the paths in it count, what bash would make of it does not.
    pub(crate) fn hold_code(&self, reading: &Reading<'_>, findings: &mut Findings) {
        if reading.line.len() > MOST_SCANNED {
            self.hold_unread(findings);
            return;
        }
        for words in possible_commands(reading.line) {
            let argv: Vec<Option<String>> = words.iter().cloned().map(Some).collect();
            self.hold_guess(&CommandUse::new(argv, 0, spelled(&words)), reading, findings);
        }
        self.hold_paths(reading, false, findings);
        for effect in HOLDING {
            let id = self.rules.of(effect).any_command_rule(self.name);
            findings.hold(
                self.rules,
                RuleEffect::Ask,
                id,
                "cannot tell whether it names what this code runs",
            );
        }
        if let Some(name) = mentions_protected(reading.line) {
            findings.guard(format!("the code could change {name}, which cannot be told"));
        }
    }

    /// A line that is not even looked through could be anything.
    fn hold_unread(&self, findings: &mut Findings) {
        for effect in HOLDING {
            let rules_of = self.rules.of(effect);
            let ids = rules_of.any_command_rule(self.name).into_iter().chain(rules_of.first_path_rule(true));
            findings.hold(self.rules, RuleEffect::Ask, ids.min(), "cannot tell whether it means this line");
        }
        findings.writes_files = true;
        findings.guard("the line is too long to look through");
    }

    /// Command rules on words that were only guessed.
    fn hold_guess(&self, guess: &CommandUse, reading: &Reading<'_>, findings: &mut Findings) {
        for (program, text) in ShellCommand::new(guess).forbidden_texts(&reading.place.folders) {
            for effect in HOLDING {
                let (sure, _) = self.rules.of(effect).forbids(self.name, &program, &text);
                findings.hold(self.rules, effect, sure, "could name a command of this line");
            }
        }
    }

    /// What words that were only guessed would start and touch. Says whether they would write.
    fn hold_stretch(&self, words: &[String], reading: &Reading<'_>, findings: &mut Findings) -> bool {
        let ctx = self.call.ctx;
        let mut start = ShellStart::bash(ctx.cwd.clone(), ctx.home.clone());
        start.shadowed = Arc::clone(&self.config.shadowed);
        let report = self.config.analyzer.analyze(&spelled(words), &start);
        let inner = report.commands.iter().filter(|command| command.program.is_some());
        inner.for_each(|command| self.hold_guess(command, reading, findings));
        let commands: Vec<ShellCommand<'_>> = report.commands.iter().map(ShellCommand::new).collect();
        for file in report.files.iter().filter(|file| file.path.is_some()) {
            self.hold_file(file, &commands, &reading.place, findings);
        }
        report.files.iter().any(|file| file.access != FileAccess::Read)
    }

    fn hold_paths(&self, reading: &Reading<'_>, writes: bool, findings: &mut Findings) {
        let has_rules = HOLDING.iter().any(|effect| self.rules.of(*effect).has_path_rules(true));
        if !has_rules && !writes {
            return;
        }
        let named = possible_paths(reading.line);
        if named.len() > MOST_PATHS {
            findings.guard("it names too many paths to look at");
            return;
        }
        for absolute in named.iter().flat_map(|named| reading.place.paths(named)) {
            let mode = if writes { AccessMode::Write } else { AccessMode::Read };
            let path = JudgedPath::of_shell(&absolute, mode, false, self.call.ctx);
            if has_rules {
                hold_path(&path, self.rules, &self.ground, findings);
            }
            if writes {
                guard_path(&path, self.call.ctx, self.config, &self.ground, findings);
            }
        }
    }
}

/// Whether a redirection of an opaque line goes to a name that the shell makes up.
fn writes_unknown(line: &str) -> bool {
    line.split('>').skip(1).any(|after| {
        let target = after.trim_start_matches(['&', '|', ' ', '\t']);
        let target = target.split(|letter: char| letter.is_whitespace() || ";|&)<".contains(letter)).next();
        target.is_some_and(|target| target.contains(['$', '`', '*', '?', '[', '{']))
    })
}
