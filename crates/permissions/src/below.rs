//! What lies below a folder that a command reads with all that it holds: whether something is there now that a rule
//! names by a pattern. Files that the line itself would put there are judged where they are written.

use crate::findings::{Findings, HOLDING};
use crate::judge_shell::Shell;
use crate::paths::JudgedPath;
use pegboard_tool_core::{AccessMode, RuleEffect};
use std::path::{Path, PathBuf};

/// More names than these are not looked at: the line asks.
const MOST_NAMES: usize = 5_000;

const CANNOT_TELL: &str = "cannot tell whether it names a file of this line";

impl Shell<'_> {
    /// Rules with wildcards, compared with what is below `path`: what is below `top` now, read there or put there.
    pub(crate) fn hold_found_below(&self, path: &JudgedPath, top: &Path, findings: &mut Findings) {
        let wild = |effect: RuleEffect| self.rules.of(effect).first_wild(path.mode == AccessMode::Write);
        if HOLDING.iter().all(|effect| wild(*effect).is_none()) || !top.is_dir() {
            return;
        }
        let mut open = vec![PathBuf::new()];
        let mut left = MOST_NAMES;
        while let Some(folder) = open.pop() {
            let Ok(entries) = std::fs::read_dir(top.join(&folder)) else { continue };
            for entry in entries.flatten() {
                left -= 1;
                if left == 0 {
                    for effect in HOLDING {
                        findings.hold(self.rules, RuleEffect::Ask, wild(effect), CANNOT_TELL);
                    }
                    return;
                }
                let below = folder.join(entry.file_name());
                let kind = entry.file_type();
                self.hold_entry(
                    path,
                    &below,
                    kind.as_ref().is_ok_and(std::fs::FileType::is_symlink),
                    findings,
                );
                if kind.is_ok_and(|kind| kind.is_dir()) {
                    open.push(below);
                }
            }
        }
    }

    fn hold_entry(&self, path: &JudgedPath, below: &Path, is_link: bool, findings: &mut Findings) {
        let ctx = self.call.ctx;
        let named = path.named.join(below);
        let entry = match path.canonical.as_ref().filter(|_| !is_link) {
            Some(top) => JudgedPath::led(named, Some(top.join(below)), path.mode, false, ctx),
            None => JudgedPath::new(named, path.mode, false, ctx),
        };
        let heres = self.ground.forbidding();
        for effect in HOLDING {
            let rules_of = self.rules.of(effect);
            let mut id = rules_of.read.forbids(&entry, &heres);
            if path.mode == AccessMode::Write {
                id = id
                    .filter(|_| effect == RuleEffect::Deny)
                    .into_iter()
                    .chain(rules_of.edit.forbids(&entry, &heres))
                    .min();
            }
            findings.hold(self.rules, RuleEffect::Ask, id, "names a file below a folder of this line");
        }
    }
}
