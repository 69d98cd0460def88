//! Gathers the findings about one call: by the tool's name, by its paths, by its host. Command lines are
//! judged in `judge_shell.rs`.

use crate::config::EngineConfig;
use crate::findings::{Findings, HOLDING};
use crate::git_pointer::git_folders;
use crate::judge_code::hold_code;
use crate::judge_hosts::{hosts_of, judge_hosts};
use crate::judge_shell::judge_shell;
use crate::path_index::Heres;
use crate::paths::{JudgedPath, Names};
use crate::resolve::unclear;
use crate::rule_set::RuleSet;
use crate::safety::protected;
use crate::specifier::shell_rules_of;
use pegboard_tool_core::ports::GateCall;
use pegboard_tool_core::{
    AccessMode, Accesses, ContextSnapshot, Effects, Grant, PermissionMode, Resource, RuleEffect, ToolOrigin,
};
use serde_json::Value;
use std::cell::OnceCell;
use std::path::PathBuf;

/// The folders that relative patterns start at, for one decision.
pub(crate) struct Ground {
    project: Names,
    cwd: Option<Names>,
    git: OnceCell<Vec<PathBuf>>,
}

impl Ground {
    pub(crate) fn new(ctx: &ContextSnapshot) -> Self {
        let cwd = (ctx.cwd != ctx.project_dir).then(|| Names::new(&ctx.cwd));
        Self { project: Names::new(&ctx.project_dir), cwd, git: OnceCell::new() }
    }

    /// Where the `.git` files of the working directories point to.
    fn git_folders(&self, ctx: &ContextSnapshot) -> &[PathBuf] {
        self.git.get_or_init(|| git_folders(ctx))
    }

    /// For deny and ask rules: both folders count.
    pub(crate) fn forbidding(&self) -> Heres<'_> {
        Heres { folders: std::iter::once(&self.project).chain(&self.cwd).collect() }
    }

    /// For allow rules: a moved working directory widens nothing.
    pub(crate) fn permitting(&self) -> Heres<'_> {
        Heres { folders: vec![&self.project] }
    }
}

/// Finds out all about `call`.
pub(crate) fn judge(call: &GateCall<'_>, rules: &RuleSet, config: &EngineConfig) -> Findings {
    let mut findings = Findings { is_sandboxed: is_sandboxed(call, config), ..Findings::default() };
    for effect in HOLDING {
        let rules_of = rules.of(effect);
        let is_lifted = effect == RuleEffect::Ask && findings.is_sandboxed;
        let whole = rules_of.whole(call.tool).filter(|_| !is_lifted);
        findings.hold(rules, effect, whole, "names the whole tool");
        findings.hold(rules, effect, rules_of.other(call.tool, call.input, effect), "names this input");
    }
    let name = call.tool.name.as_str();
    let allow = rules.of(RuleEffect::Allow);
    let whole = allow.whole(call.tool).filter(|_| !is_suspended(name, call.ctx.mode));
    let shell = if matches!(call.tool.origin, ToolOrigin::Mcp { .. }) { None } else { shell_rules_of(name) };
    if let Some(shell) = shell {
        judge_shell(call, shell, whole, rules, config, &mut findings);
        return findings;
    }
    hold_code(call, rules, config, &mut findings);
    let other = if is_suspended(name, call.ctx.mode) {
        None
    } else {
        allow.other(call.tool, call.input, RuleEffect::Allow)
    };
    let is_fetch = name == "WebFetch";
    let hosts = hosts_of(call);
    let whole = if is_fetch && hosts.plain.is_none() { None } else { whole };
    findings.permit(rules, whole.into_iter().chain(other).min());
    if is_fetch || !hosts.possible.is_empty() {
        judge_hosts(&hosts, rules, &mut findings);
    }
    if name == "EndConversation" && call.tool.origin == ToolOrigin::BuiltIn {
        findings.is_read_only = true;
        return findings;
    }
    let mut touched = touched_paths(call);
    touched.is_complete &= hosts.possible.is_empty();
    if touched.paths.is_empty() {
        findings.is_read_only =
            touched.is_complete && is_local(call) && hosts.possible.is_empty() && !is_fetch;
    } else {
        judge_paths(call, touched, rules, config, &mut findings);
    }
    let paths = std::mem::take(&mut findings.grant).paths.to_vec();
    findings.grant = Grant::new(paths, hosts.granted());
    findings
}

/// Whether the command runs in a sandbox that needs no asking.
fn is_sandboxed(call: &GateCall<'_>, config: &EngineConfig) -> bool {
    config.sandbox_allows_shell
        && call.ctx.mode != PermissionMode::Plan
        && call.tool.origin == ToolOrigin::BuiltIn
        && matches!(call.tool.name.as_str(), "Bash" | "PowerShell" | "Monitor")
        // A watch of an address runs no command that a sandbox could hold.
        && call.input.get("command").is_some_and(Value::is_string)
        && !matches!(call.input.get("dangerouslyDisableSandbox"), Some(value) if *value != Value::Bool(false))
}

/// Whether a whole-tool allow rule does not count: in auto mode "anything goes" is the classifier's.
pub(crate) fn is_suspended(tool: &str, mode: PermissionMode) -> bool {
    mode == PermissionMode::Auto && matches!(tool, "Bash" | "PowerShell" | "Monitor" | "Agent")
}

/// Whether a tool without paths changes nothing but the session.
fn is_local(call: &GateCall<'_>) -> bool {
    call.tool.origin == ToolOrigin::BuiltIn && matches!(call.effects, Effects::ReadOnly | Effects::Writes)
}

struct Touched {
    paths: Vec<(PathBuf, AccessMode, bool)>,
    is_complete: bool,
}

/// The paths of a call: what its tool says, and for the well-known file tools also what the input says.
fn touched_paths(call: &GateCall<'_>) -> Touched {
    let mut paths: Vec<(PathBuf, AccessMode, bool)> = Vec::new();
    let is_complete = match call.accesses {
        Accesses::Everything => false,
        Accesses::Only(list) => {
            for access in list.iter() {
                match &access.resource {
                    Resource::File(path) => paths.push((path.clone(), access.mode, false)),
                    Resource::Tree(path) => paths.push((path.clone(), access.mode, true)),
                    Resource::Host(_) | Resource::State(_) => {}
                    _ => return Touched { paths, is_complete: false },
                }
            }
            true
        }
    };
    let text = |field: &str| call.input.get(field).and_then(Value::as_str);
    let (named, mode, is_tree) = match call.tool.name.as_str() {
        "Read" | "LSP" => (text("file_path"), AccessMode::Read, false),
        "Grep" | "Glob" => (text("path").or(Some(".")), AccessMode::Read, true),
        "Edit" | "Write" | "MultiEdit" => (text("file_path"), AccessMode::Write, false),
        "NotebookEdit" => (text("notebook_path"), AccessMode::Write, false),
        _ => return Touched { paths, is_complete },
    };
    let mut add = |path: PathBuf| {
        if !paths.iter().any(|(known, known_mode, _)| *known == path && *known_mode == mode) {
            paths.push((path, mode, is_tree));
        }
    };
    if let Some(named) = named {
        let base = call.ctx.absolute(named);
        let pattern = if call.tool.name.as_str() == "Glob" { text("pattern") } else { text("glob") };
        if let Some(pattern) = pattern
            .filter(|pattern| pattern.starts_with(['/', '~']) || pattern.split('/').any(|part| part == ".."))
        {
            let literal: PathBuf = pattern
                .split_inclusive('/')
                .take_while(|part| !part.contains(['*', '?', '[', '{']))
                .collect();
            let joined = if pattern.starts_with('~') { literal } else { base.join(literal) };
            add(call.ctx.absolute(joined));
        }
        add(base);
    }
    Touched { paths, is_complete: true }
}

fn judge_paths(
    call: &GateCall<'_>,
    touched: Touched,
    rules: &RuleSet,
    config: &EngineConfig,
    findings: &mut Findings,
) {
    let ground = Ground::new(call.ctx);
    let family = Family::of(call.tool.name.as_str());
    let mut granted = Vec::with_capacity(touched.paths.len());
    let (mut all_inside, mut all_permitted, mut worst) = (true, true, AccessMode::Read);
    let mut permitting = None;
    for (named, mode, is_tree) in touched.paths {
        let path = JudgedPath::new(named, mode, is_tree, call.ctx);
        hold_path(&path, rules, &ground, findings);
        if mode == AccessMode::Write {
            worst = AccessMode::Write;
            guard_path(&path, call.ctx, config, &ground, findings);
        }
        if path.canonical.is_none() {
            findings.guard(unclear(&path.named));
        }
        let is_own_result = mode == AccessMode::Read && is_session_result(&path, call.ctx);
        all_inside &= path.is_inside || is_own_result;
        if config.asks_before_reads_outside && mode == AccessMode::Read && !path.is_inside && !is_own_result {
            findings.insist("it reads outside the working directories");
        }
        match permits(&path, rules, &ground).filter(|_| family.takes(mode)) {
            Some(id) => permitting = Some(permitting.map_or(id, |best: u32| best.min(id))),
            None => all_permitted &= (path.is_inside || is_own_result) && mode == AccessMode::Read,
        }
        granted.push(path.granted());
    }
    if all_permitted {
        findings.permit(rules, permitting);
    }
    let is_ours = call.tool.origin == ToolOrigin::BuiltIn;
    let is_confined =
        touched.is_complete && is_ours && (call.effects != Effects::Destructive || family != Family::Other);
    findings.is_read_only =
        all_inside && is_confined && worst == AccessMode::Read && call.effects != Effects::Destructive;
    findings.is_edit_inside = all_inside && is_confined;
    findings.writes_files = worst == AccessMode::Write;
    findings.grant = Grant::new(granted, Vec::new());
}

/// Which path rules allow calls of a tool.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Family {
    Read,
    Edit,
    Other,
}

impl Family {
    fn of(tool: &str) -> Self {
        match tool {
            "Read" | "Grep" | "Glob" | "LSP" => Self::Read,
            "Edit" | "Write" | "NotebookEdit" | "MultiEdit" => Self::Edit,
            _ => Self::Other,
        }
    }

    fn takes(self, mode: AccessMode) -> bool {
        match self {
            Self::Read => mode == AccessMode::Read,
            Self::Edit => true,
            Self::Other => false,
        }
    }
}

/// Deny and ask rules on one path. What may not be read may not be written either.
pub(crate) fn hold_path(path: &JudgedPath, rules: &RuleSet, ground: &Ground, findings: &mut Findings) {
    let heres = ground.forbidding();
    for effect in HOLDING {
        let rules_of = rules.of(effect);
        if path.mode == AccessMode::Read || effect == RuleEffect::Deny {
            findings.hold(rules, effect, rules_of.read.forbids(path, &heres), "names this path");
        }
        if path.mode == AccessMode::Write {
            findings.hold(rules, effect, rules_of.edit.forbids(path, &heres), "names this path");
        }
    }
}

/// The allow rule for one path. What may be written may be read too.
pub(crate) fn permits(path: &JudgedPath, rules: &RuleSet, ground: &Ground) -> Option<u32> {
    let allow = rules.of(RuleEffect::Allow);
    let heres = ground.permitting();
    let edit = allow.edit.permits(path, &heres);
    let read = if path.mode == AccessMode::Read { allow.read.permits(path, &heres) } else { None };
    edit.into_iter().chain(read).min()
}

/// Asks when a write goes to a protected path, under any of its names.
pub(crate) fn guard_path(
    path: &JudgedPath,
    ctx: &ContextSnapshot,
    config: &EngineConfig,
    ground: &Ground,
    findings: &mut Findings,
) {
    let stores = || config.protected.iter().chain(&ctx.session_dir).map(PathBuf::as_path);
    let git = ground.git_folders(ctx);
    let places = std::iter::once(&path.named).chain(&path.canonical).chain(&path.meant);
    if let Some(part) = places.filter_map(|place| protected(place, stores(), git)).next() {
        findings.guard(format!("`{part}` is protected: only a person may let it change"));
    }
}

/// Whether a read stays inside the session's large results.
pub(crate) fn is_session_result(path: &JudgedPath, ctx: &ContextSnapshot) -> bool {
    let Some(folder) = ctx.session_dir.as_ref().map(|folder| folder.join("tool-results")) else {
        return false;
    };
    path.named.starts_with(&folder)
        && path.canonical.as_ref().is_some_and(|canonical| {
            canonical.starts_with(&folder)
                || crate::resolve::resolve(&folder).is_some_and(|led| canonical.starts_with(led))
        })
}
