//! Gathers the findings about a command line from what the analysis says of it. To allow, every part must be
//! covered (`shell_cover.rs`); to hold back, one part that could be meant is enough: a command (here), a file
//! (`shell_files.rs`), or anything in a line that cannot be told (`judge_opaque.rs`).

use crate::config::EngineConfig;
use crate::findings::{Findings, HOLDING};
use crate::host_pattern::possible_host;
use crate::judge::Ground;
use crate::judge_hosts::{hold_hosts, hosts_of};
use crate::rule_set::RuleSet;
use crate::shell_command::ShellCommand;
use crate::shell_copies::settle_depth;
use crate::shell_cover::Covers;
use crate::shell_files::files_of;
use crate::shell_place::ShellPlace;
use pegboard_tool_core::ports::{CommandReport, FileUse, GateCall, ShellStart};
use pegboard_tool_core::{Grant, PermissionMode, RuleEffect};
use serde_json::Value;
use std::sync::Arc;

/// Longest line that is covered by being read-only, in bytes.
pub(crate) const MAX_LINE: usize = 10_000;

/// A command line under judgement.
pub(crate) struct Shell<'a> {
    pub(crate) call: &'a GateCall<'a>,
    /// Under which tool's name its rules stand.
    pub(crate) name: &'a str,
    pub(crate) rules: &'a RuleSet,
    pub(crate) config: &'a EngineConfig,
    pub(crate) ground: Ground,
}

/// What a line would do, ready to be compared.
pub(crate) struct Reading<'r> {
    pub(crate) line: &'r str,
    pub(crate) commands: Vec<ShellCommand<'r>>,
    pub(crate) files: Vec<FileUse>,
    pub(crate) place: ShellPlace,
    pub(crate) is_opaque: bool,
}

impl<'r> Reading<'r> {
    pub(crate) fn new(line: &'r str, report: &'r CommandReport, shell: &Shell<'_>) -> Self {
        let commands: Vec<ShellCommand<'r>> = report.commands.iter().map(ShellCommand::new).collect();
        let mut files = files_of(report);
        let mut place = ShellPlace::new(&commands, shell.call.ctx);
        place.add_links(&commands, &files);
        settle_depth(&mut files, &commands, &place);
        let is_opaque = !report.opaque.is_empty() || commands.iter().any(ShellCommand::is_unknown);
        Self { line, commands, files, place, is_opaque }
    }
}

/// Judges the command of a shell tool whose rules are under `name`; `whole` is the bare allow rule.
pub(crate) fn judge_shell(
    call: &GateCall<'_>,
    name: &str,
    whole: Option<u32>,
    rules: &RuleSet,
    config: &EngineConfig,
    findings: &mut Findings,
) {
    let Some(line) = call.input.get("command").and_then(Value::as_str) else {
        // A watch of an address: rules on its host hold it back, and none of them lets it run.
        let hosts = hosts_of(call);
        hold_hosts(&hosts, rules, findings);
        findings.permit(rules, whole);
        findings.grant = Grant::new(Vec::new(), hosts.granted());
        return;
    };
    let shell = Shell { call, name, rules, config, ground: Ground::new(call.ctx) };
    let report = shell.analyze(line);
    let reading = Reading::new(line, &report, &shell);
    shell.hold_all(&reading, findings);
    shell.hold_hosts(&report, &reading, findings);
    if reading.is_opaque {
        shell.hold_opaque(&reading, findings);
    }
    findings.permit(rules, whole);
    if reading.is_opaque {
        findings.unallowed = whole.is_none().then(|| shortened(line));
        return;
    }
    if reading.commands.is_empty() && reading.files.is_empty() {
        findings.is_read_only = name == "Bash" && is_empty(line);
        return;
    }
    let takes_edits = call.ctx.mode == PermissionMode::AcceptEdits;
    let covers = Covers::new(&shell, &reading).all();
    findings.is_read_only = covers.iter().all(|cover| cover.read_only);
    findings.is_edit_inside = takes_edits && covers.iter().all(|cover| cover.read_only || cover.edit);
    if covers.iter().all(|cover| cover.read_only || cover.rule.is_some() || takes_edits && cover.edit) {
        findings.permit(rules, covers.iter().filter_map(|cover| cover.rule).min());
    }
    let is_bare =
        |at: &usize| covers.get(*at).is_some_and(|cover| !(cover.holds() || takes_edits && cover.edit));
    findings.unallowed = (0..covers.len()).find(is_bare).filter(|_| whole.is_none()).map(|at| match reading
        .commands
        .get(at)
    {
        Some(command) => shortened(&command.source),
        None => shortened(line),
    });
}

/// Whether a line of bash has nothing but comments.
fn is_empty(line: &str) -> bool {
    line.split('\n')
        .map(|line| line.trim_matches([' ', '\t']))
        .all(|line| line.is_empty() || line.starts_with('#'))
}

/// Most letters of a command in a reason.
const MOST_LETTERS: usize = 80;

/// A command for a reason: on one line, and short.
fn shortened(text: &str) -> String {
    let text = text.trim().replace(char::is_control, " ");
    match text.char_indices().nth(MOST_LETTERS) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

impl Shell<'_> {
    pub(crate) fn analyze(&self, line: &str) -> Arc<CommandReport> {
        let ctx = self.call.ctx;
        let mut start = ShellStart::bash(ctx.cwd.clone(), ctx.home.clone());
        start.shadowed = Arc::clone(&self.config.shadowed);
        start.is_bash = self.config.shell_is_bash && self.name == "Bash";
        self.config.analyzer.analyze(line, &start)
    }

    /// Deny rules, ask rules and safety on every command and file that is known of.
    pub(crate) fn hold_all(&self, reading: &Reading<'_>, findings: &mut Findings) {
        for command in &reading.commands {
            self.hold_command(command, &reading.place, findings);
        }
        for file in &reading.files {
            self.hold_file(file, &reading.commands, &reading.place, findings);
        }
        self.guard_copies(reading, findings);
    }

    fn hold_command(&self, command: &ShellCommand<'_>, place: &ShellPlace, findings: &mut Findings) {
        let texts = command.forbidden_texts(&place.folders);
        if command.is_unknown() {
            // Whatever it is, it may read and write what a path rule names.
            self.hold_any_path_rule(false, findings);
            self.hold_any_path_rule(true, findings);
        }
        for effect in HOLDING {
            let rules_of = self.rules.of(effect);
            if command.is_unknown() {
                let id = rules_of.any_command_rule(self.name);
                let note = "cannot tell whether it names a command of this line";
                findings.hold(self.rules, RuleEffect::Ask, id, note);
            }
            for (program, text) in &texts {
                let (sure, could) = rules_of.forbids(self.name, program, text);
                findings.hold(self.rules, effect, sure, "names this command");
                let note = "cannot tell whether it names this command";
                findings.hold(self.rules, RuleEffect::Ask, could, note);
            }
        }
    }

    /// Deny and ask rules for hosts, on what the commands reach. A host that is not told counts only where a word is
    /// not told either: what `git push` reaches stands in its configuration, not in the line.
    fn hold_hosts(&self, report: &CommandReport, reading: &Reading<'_>, findings: &mut Findings) {
        for host in &report.network {
            for effect in HOLDING {
                let rules_of = self.rules.of(effect);
                match host {
                    Some(host) => {
                        for host in possible_host(host) {
                            findings.hold(
                                self.rules,
                                effect,
                                rules_of.host(&host),
                                "names a host of this line",
                            );
                        }
                    }
                    None if reading.commands.iter().any(ShellCommand::has_unknown_word) => {
                        let note = "cannot tell whether it names a host of this line";
                        findings.hold(self.rules, RuleEffect::Ask, rules_of.any_host_rule(), note);
                    }
                    None => {}
                }
            }
        }
    }
}
