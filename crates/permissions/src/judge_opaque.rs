//! What holds back a line of which nobody can tell what it runs: a word that could be the denied program,
//! a path that could be the denied one.

use crate::command_facts::facts;
use crate::command_pattern::Lean;
use crate::findings::{Findings, HOLDING};
use crate::judge::{guard_path, hold_path};
use crate::judge_shell::Shell;
use crate::lean_scan::{possible_commands, possible_paths};
use crate::paths::JudgedPath;
use crate::rule_set::Only;
use crate::safety::is_critical_removal;
use crate::shell_command::ShellCommand;
use crate::shell_place::{ShellPlace, absolute_in};
use crate::wrappers;
use pegboard_tool_core::{AccessMode, RuleEffect};
use std::path::PathBuf;

/// More paths in one line than this are not looked at one by one: the line asks.
const MOST_PATHS: usize = 256;

impl Shell<'_> {
    /// Everything that could be meant holds the line back.
    pub(crate) fn hold_opaque(&self, line: &str, place: &ShellPlace, findings: &mut Findings) {
        let mut writes = line.contains('>');
        for words in possible_commands(line) {
            let values: Vec<&str> = words.iter().map(String::as_str).collect();
            writes |= !facts(&values).writes.is_empty();
            let inner = wrappers::candidates(&values);
            let starts = std::iter::once(0).chain(inner.into_iter().map(|(at, _)| at));
            for start in starts {
                let command = ShellCommand::guessed(words.get(start..).unwrap_or_default().to_vec());
                self.hold_guess(&command, place, findings);
            }
        }
        self.hold_paths(line, writes, place, findings);
        for effect in HOLDING {
            let id = self.rules.of(effect).any_command_rule(self.name);
            findings.hold(
                self.rules,
                RuleEffect::Ask,
                id,
                "cannot tell whether it names a command of this line",
            );
        }
    }

    fn hold_guess(&self, command: &ShellCommand, place: &ShellPlace, findings: &mut Findings) {
        for effect in HOLDING {
            for (program, text) in command.forbidden_texts() {
                let id = self.rules.of(effect).command(self.name, &program, &text, Lean::Forbid, Only::All);
                findings.hold(self.rules, effect, id, "could name a command of this line");
            }
        }
        for target in facts(&command.words()).removes {
            let absolute = self.expanded(target, place);
            if absolute
                .iter()
                .any(|absolute| is_critical_removal(target, absolute, &self.call.ctx.cwd, self.call.ctx))
            {
                findings.guard(format!("removing `{target}` would take away more than a build folder"));
            }
        }
    }

    fn hold_paths(&self, line: &str, writes: bool, place: &ShellPlace, findings: &mut Findings) {
        let has_rules = HOLDING.iter().any(|effect| {
            let rules = self.rules.of(*effect);
            !rules.read.is_empty() || !rules.edit.is_empty()
        });
        if !has_rules && !writes {
            return;
        }
        let named = possible_paths(line);
        if named.len() > MOST_PATHS {
            findings.guard("it names too many paths to look at");
            return;
        }
        for absolute in named.iter().flat_map(|named| self.expanded(named, place)) {
            let mode = if writes { AccessMode::Write } else { AccessMode::Read };
            let path = JudgedPath::new(absolute, mode, false, self.call.ctx);
            if has_rules {
                hold_path(&path, self.rules, &self.ground, findings);
            }
            if writes {
                guard_path(&path, self.call.ctx, self.config, findings);
            }
        }
    }

    fn expanded(&self, named: &str, place: &ShellPlace) -> Vec<PathBuf> {
        match (named.strip_prefix('~'), &self.call.ctx.home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                vec![absolute_in(home, rest.trim_start_matches('/'))]
            }
            _ => place.paths(named),
        }
    }
}
