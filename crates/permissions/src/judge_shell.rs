//! Gathers the findings about a command line: every simple command by the rules of the shell tool, every
//! file by the path rules, removals by the safety rules. To allow, every part must be covered; to hold
//! back, one part that could be meant is enough.

use crate::command_facts::facts;
use crate::command_pattern::Lean;
use crate::config::EngineConfig;
use crate::findings::{Findings, HOLDING};
use crate::judge::{Ground, guard_path, hold_path, permits};
use crate::paths::JudgedPath;
use crate::read_only::{MAX_LINE, Trust, is_read_only};
use crate::rule_set::{Only, RuleSet};
use crate::safety::{could_be_protected, is_critical_removal, mentions_protected};
use crate::shell_command::ShellCommand;
use crate::shell_place::ShellPlace;
use crate::wrappers;
use pegboard_tool_core::ports::{CommandReport, GateCall, ShellStart};
use pegboard_tool_core::{AccessMode, PermissionMode, RuleEffect};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// A command line under judgement.
pub(crate) struct Shell<'a> {
    pub(crate) call: &'a GateCall<'a>,
    /// Under which tool's name its rules stand.
    pub(crate) name: &'a str,
    pub(crate) rules: &'a RuleSet,
    pub(crate) config: &'a EngineConfig,
    pub(crate) ground: Ground,
}

/// What lets one part of a line run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cover {
    /// It only looks, inside the working directories.
    pub(crate) read_only: bool,
    /// It changes files in a known way, inside the working directories.
    pub(crate) edit: bool,
    /// This rule.
    pub(crate) rule: Option<u32>,
}

/// Programs whose targets are looked at for critical removals.
const REMOVERS: [&str; 2] = ["rm", "rmdir"];

/// Judges the command of a shell tool whose rules are under `name`; `whole` is the bare allow rule.
pub(crate) fn judge_shell(
    call: &GateCall<'_>,
    name: &str,
    whole: Option<u32>,
    rules: &RuleSet,
    config: &EngineConfig,
    findings: &mut Findings,
) {
    let Some(line) = call.input.get("command").and_then(Value::as_str) else { return };
    let shell = Shell { call, name, rules, config, ground: Ground::new(call.ctx) };
    let report = shell.analyze(line);
    let commands: Vec<ShellCommand> = report.commands.iter().map(ShellCommand::new).collect();
    let place = ShellPlace::new(&commands, call.ctx);
    for command in &commands {
        shell.hold(command, &place, findings);
    }
    let is_opaque = !report.opaque.is_empty() || commands.iter().any(|command| !command.is_known);
    if is_opaque {
        shell.hold_opaque(line, &place, findings);
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
    let mut covers = shell.redirects(&report, &place, findings);
    covers.extend(
        commands.iter().filter(|command| !command.is_inner).map(|command| shell.cover(line, command, &place)),
    );
    findings.writes_files |= is_opaque && line.contains('>');
    findings.permit(rules, whole);
    if is_opaque || commands.is_empty() {
        return;
    }
    let takes_edits = call.ctx.mode == PermissionMode::AcceptEdits;
    findings.is_read_only = covers.iter().all(|cover| cover.read_only);
    findings.is_edit_inside = takes_edits && covers.iter().all(|cover| cover.read_only || cover.edit);
    if covers.iter().all(|cover| cover.read_only || cover.rule.is_some() || takes_edits && cover.edit) {
        findings.permit(rules, covers.iter().filter_map(|cover| cover.rule).min());
    }
}

/// Whether git finds the same repository in `folder` as in `root`, above it: no other one lies between.
fn is_same_repository(folder: &Path, root: &Path) -> bool {
    let between = folder.ancestors().take_while(|at| *at != root);
    let is_repository = |at: &Path| at.join(".git").symlink_metadata().is_ok() || at.join("HEAD").exists();
    folder.starts_with(root) && !between.into_iter().any(is_repository)
}

/// Whether a redirection of an opaque line goes to a name that the shell makes up.
fn writes_unknown(line: &str) -> bool {
    line.split('>').skip(1).any(|after| {
        let target = after.trim_start_matches(['&', '|', ' ', '\t']);
        let target = target.split(|letter: char| letter.is_whitespace() || ";|&)<".contains(letter)).next();
        target.is_some_and(|target| target.contains(['$', '`', '*', '?', '[', '{']))
    })
}

impl Shell<'_> {
    pub(crate) fn analyze(&self, line: &str) -> Arc<CommandReport> {
        let ctx = self.call.ctx;
        let mut start = ShellStart::bash(ctx.cwd.clone(), ctx.home.clone());
        start.shadowed = Arc::clone(&self.config.shadowed);
        start.is_bash = self.config.shell_is_bash && self.name == "Bash";
        self.config.analyzer.analyze(line, &start)
    }

    /// Deny rules, ask rules and safety on one command.
    fn hold(&self, command: &ShellCommand, place: &ShellPlace, findings: &mut Findings) {
        let texts = command.forbidden_texts();
        for effect in HOLDING {
            let rules_of = self.rules.of(effect);
            for (program, text) in &texts {
                let id = rules_of.command(self.name, program, text, Lean::Forbid, Only::All);
                findings.hold(self.rules, effect, id, "names this command");
            }
            if command.has_glob || !command.is_known {
                let words = command
                    .words
                    .iter()
                    .take_while(|word| !word.is_empty() && !word.contains(['*', '?', '[']));
                let known = words.map(String::as_str).collect::<Vec<_>>().join(" ");
                let program = known.split(' ').next().unwrap_or_default();
                let base = program.rsplit('/').next().unwrap_or_default();
                let id = rules_of.command_could(self.name, base, &known);
                findings.hold(self.rules, RuleEffect::Ask, id, "cannot tell whether it names this command");
            }
        }
        self.hold_files(command, place, findings);
    }

    /// Path rules and safety on the files of one command.
    fn hold_files(&self, command: &ShellCommand, place: &ShellPlace, findings: &mut Findings) {
        let words = command.words();
        let facts = facts(&words);
        findings.writes_files |= !facts.writes.is_empty();
        if facts.removes.iter().any(|target| target.is_empty()) {
            findings.guard("what is removed cannot be told");
        }
        if facts.writes.iter().any(|target| target.is_empty()) {
            findings.guard("which file is written cannot be told");
        }
        for target in facts.removes.iter().filter(|target| !target.is_empty()) {
            for absolute in place.paths(target) {
                let led = (target.ends_with('/')).then(|| crate::resolve::resolve(&absolute)).flatten();
                let places: Vec<_> = std::iter::once(absolute).chain(led).collect();
                let is_critical =
                    |cwd| places.iter().any(|at| is_critical_removal(target, at, cwd, self.call.ctx));
                if place.folders.iter().any(|cwd| is_critical(cwd)) {
                    findings.guard(format!("removing `{target}` would take away more than a build folder"));
                }
            }
        }
        let has_read_rules = HOLDING.iter().any(|effect| !self.rules.of(*effect).read.is_empty());
        if has_read_rules {
            let here = if facts.is_deep && facts.reads.is_empty() { vec!["."] } else { Vec::new() };
            for named in facts.reads.iter().copied().chain(here) {
                self.hold_read(named, facts.is_deep, command.has_glob, place, findings);
            }
        }
        for named in facts.writes.iter().filter(|named| !named.is_empty()) {
            if let Some(name) = could_be_protected(named).filter(|_| command.has_glob) {
                findings.guard(format!("`{named}` could be {name}"));
            }
            for absolute in place.paths(named) {
                let path = JudgedPath::new(absolute, AccessMode::Write, false, self.call.ctx);
                hold_path(&path, self.rules, &self.ground, findings);
                guard_path(&path, self.call.ctx, self.config, findings);
            }
        }
    }

    fn hold_read(
        &self,
        named: &str,
        is_deep: bool,
        has_glob: bool,
        place: &ShellPlace,
        findings: &mut Findings,
    ) {
        let heres = self.ground.forbidding();
        let first_glob = named.find(['*', '?', '[']).filter(|_| has_glob);
        let folder = first_glob
            .map(|at| named.get(..at).and_then(|start| start.rfind('/')).map_or(".", |end| &named[..=end]));
        for absolute in place.paths(folder.unwrap_or(named)) {
            let path = JudgedPath::new(absolute, AccessMode::Read, false, self.call.ctx);
            hold_path(&path, self.rules, &self.ground, findings);
            if is_deep || folder.is_some() {
                for effect in HOLDING {
                    let id = self.rules.of(effect).read.could_forbid_below(&path, &heres);
                    findings.hold(
                        self.rules,
                        RuleEffect::Ask,
                        id,
                        "cannot tell whether it names a file that is read",
                    );
                }
            }
        }
    }

    /// Files that redirections open.
    fn redirects(&self, report: &CommandReport, place: &ShellPlace, findings: &mut Findings) -> Vec<Cover> {
        let mut covers = Vec::new();
        for named in report.reads.iter().flatten() {
            for absolute in place.paths(named) {
                let path = JudgedPath::new(absolute, AccessMode::Read, false, self.call.ctx);
                hold_path(&path, self.rules, &self.ground, findings);
            }
            if is_network(named) {
                covers.push(Cover::default());
            }
        }
        for named in &report.writes {
            let Some(named) = named else {
                findings.writes_files = true;
                findings.guard("which file is written cannot be told");
                covers.push(Cover::default());
                continue;
            };
            if let Some(name) = could_be_protected(named) {
                findings.guard(format!("`{named}` could be {name}"));
            }
            if named == "/dev/null" {
                continue;
            }
            findings.writes_files = true;
            let mut cover = Cover { edit: place.tells(named) && !is_network(named), ..Cover::default() };
            let mut ids = Vec::new();
            for absolute in place.paths(named) {
                let path = JudgedPath::new(absolute, AccessMode::Write, false, self.call.ctx);
                hold_path(&path, self.rules, &self.ground, findings);
                guard_path(&path, self.call.ctx, self.config, findings);
                cover.edit &= path.is_inside;
                ids.push(permits(&path, self.rules, &self.ground));
            }
            if cover.edit || place.tells(named) && !is_network(named) {
                cover.rule =
                    ids.into_iter().collect::<Option<Vec<u32>>>().and_then(|ids| ids.into_iter().min());
            }
            covers.push(cover);
        }
        covers
    }

    /// What lets one command run.
    pub(crate) fn cover(&self, line: &str, command: &ShellCommand, place: &ShellPlace) -> Cover {
        let mut cover = Cover::default();
        if !command.is_harmless || !command.is_known {
            return cover;
        }
        let words = command.words();
        let (mut start, mut gets_more_words) = (0, false);
        while let Some(inner) = words.get(start..).filter(|inner| !inner.is_empty()) {
            if let (Some(text), Some(program)) = (command.source_from(start), command.sources.get(start)) {
                let only = match (wrappers::needs_exact_rule(inner), self.call.ctx.mode) {
                    (true, _) => Only::Exact,
                    (false, PermissionMode::Auto) => Only::NotBroad,
                    (false, _) => Only::All,
                };
                let allow = self.rules.of(RuleEffect::Allow);
                let id = allow.command(self.name, program, &text, Lean::Permit, only);
                cover.rule = cover.rule.or(id);
            }
            match wrappers::transparent(inner) {
                Some(more) => {
                    gets_more_words |= inner.first() == Some(&"xargs");
                    start += more;
                }
                None => break,
            }
        }
        let inner = words.get(start..).unwrap_or_default();
        if gets_more_words || inner.is_empty() {
            return cover;
        }
        let ctx = self.call.ctx;
        let trust = if ctx.trusted && place.stays() && is_same_repository(&ctx.cwd, &ctx.project_dir) {
            Trust::Trusted
        } else {
            Trust::Untrusted
        };
        let facts = facts(inner);
        let is_inside = |named: &str| self.is_inside(named, command.has_glob, place);
        let moves_inside = inner.first() != Some(&"cd")
            || place.is_certain && place.folders.iter().all(|folder| is_inside(&folder.to_string_lossy()));
        cover.read_only = is_read_only(inner, command.has_glob, trust)
            && line.len() <= MAX_LINE
            && moves_inside
            && facts.reads.iter().all(|named| is_inside(named))
            && (inner.first() != Some(&"git")
                || inner.iter().skip(1).all(|word| word.starts_with('-') || is_inside(word)));
        cover.edit = facts.is_edit
            && !command.has_glob
            && place.is_certain
            && facts.reads.iter().all(|named| is_inside(named))
            && facts.writes.iter().all(|named| is_inside(named));
        cover
    }

    fn is_inside(&self, named: &str, has_glob: bool, place: &ShellPlace) -> bool {
        let folder_has_glob =
            named.rsplit_once('/').is_some_and(|(folder, _)| folder.contains(['*', '?', '[']));
        if !place.tells(named) || has_glob && folder_has_glob {
            return false;
        }
        place
            .paths(named)
            .into_iter()
            .all(|absolute| JudgedPath::new(absolute, AccessMode::Read, false, self.call.ctx).is_inside)
    }
}

fn is_network(named: &str) -> bool {
    named.starts_with("/dev/tcp/") || named.starts_with("/dev/udp/")
}
