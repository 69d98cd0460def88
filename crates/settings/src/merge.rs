//! Merges layers: lists pool, objects merge key by key, a scalar comes from the highest source.

use std::path::{Path, PathBuf};

use pegboard_tool_core::{Origin, PermissionMode, RuleText, SettingSource, SourceOrder};
use serde_json::{Map, Value};

use crate::layer::{self, Contribution, Layer, RULE_LISTS};
use crate::notice::{Notice, Problem};
use crate::settings::{Directory, HookLayer, RefusedMode, Settings};
use crate::trust::TrustState;

/// What relative directories and `~` stand for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base<'a> {
    pub(crate) working_directory: &'a Path,
    pub(crate) home: Option<&'a Path>,
}

/// Lists of which the highest source's counts as a whole.
const NOT_JOINED: [&str; 2] = ["availableModels", "fallbackModel"];

/// Merges `layers`. Trust, files and write-back places are filled in by the caller.
pub(crate) fn merge(mut layers: Vec<Layer>, order: &SourceOrder, base: Base<'_>) -> Settings {
    layers.sort_by_key(|layer| order.rank(layer.source()));
    let mut notices = Vec::new();
    let mut problems = Vec::new();
    let mut rules = Vec::new();
    let mut directories = Vec::new();
    let mut merged = Value::Object(Map::new());
    for layer in &layers {
        rules.extend(layer.rules(&mut problems));
        for (text, origin) in layer.directories(&mut problems) {
            directories.push(Directory { path: base.resolve(&text), origin });
        }
        layer.check_scalars(&mut problems);
        if layer.contribution() == Contribution::Everything {
            join(&mut merged, &without_typed_lists(layer.value()), None);
        }
    }
    let full: Vec<&Layer> =
        layers.iter().filter(|layer| layer.contribution() == Contribution::Everything).collect();
    // What only takes away also counts of a file that became bad.
    let restricting: Vec<&Layer> =
        layers.iter().filter(|layer| layer.contribution() != Contribution::DenyAndAskRules).collect();

    let only_policy_rules = policy_switch(&restricting, layer::POLICY_RULES_ONLY);
    if let Some(by) = &only_policy_rules {
        let before = rules.len();
        rules.retain(RuleText::stays_under_policy_only);
        if before > rules.len() {
            notices.push(Notice::OnlyPolicyRules { rules: before - rules.len(), by: by.clone() });
        }
    }
    let only_policy_hooks = policy_switch(&restricting, layer::POLICY_HOOKS_ONLY);
    let only_policy_servers = policy_switch(&restricting, layer::POLICY_SERVERS_ONLY);
    let hooks_disabled =
        highest(&restricting, layer::DISABLE_HOOKS, Value::as_bool).filter(|(on, _)| *on).map(|(_, by)| by);
    let hooks = hooks(&restricting, only_policy_hooks.is_some(), hooks_disabled.as_ref());

    let bypass_disabled = lock(&restricting, &[layer::DISABLE_BYPASS]);
    let auto_disabled = lock(&restricting, &[layer::DISABLE_AUTO, layer::DISABLE_AUTO_TOP]);
    let (wanted, wanted_by) = wanted_mode(&full, &mut notices);
    let switched_off = match wanted {
        PermissionMode::BypassPermissions => bypass_disabled.as_ref(),
        PermissionMode::Auto => auto_disabled.as_ref(),
        PermissionMode::Default
        | PermissionMode::AcceptEdits
        | PermissionMode::Plan
        | PermissionMode::DontAsk => None,
    };
    let refused_mode = switched_off.map(|by| {
        notices.push(Notice::ModeDisabled { mode: wanted.to_string(), by: by.clone() });
        RefusedMode { mode: wanted, asked_by: wanted_by.clone(), disabled_by: by.clone() }
    });
    let default_mode = if refused_mode.is_some() { PermissionMode::Default } else { wanted };

    Settings {
        rules,
        hooks,
        directories,
        default_mode,
        mode_origin: wanted_by,
        refused_mode,
        bypass_disabled,
        auto_disabled,
        hooks_disabled,
        only_policy_rules,
        only_policy_hooks,
        only_policy_servers,
        block_reads_outside: is_on(&layers, layer::BLOCK_READS),
        classify_all_shell: is_on(&layers, layer::CLASSIFY_ALL_SHELL),
        merged,
        layers,
        notices,
        problems,
        trust: TrustState::default(),
        files: Vec::new(),
        reads_claude: false,
        write_back: None,
    }
}

impl Base<'_> {
    /// The absolute path of a directory in settings, whichever file it stands in.
    pub(crate) fn resolve(&self, text: &str) -> PathBuf {
        match (text.strip_prefix('~'), self.home) {
            (Some(""), Some(home)) => home.to_path_buf(),
            (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
            _ => self.working_directory.join(text),
        }
    }
}

fn hooks(layers: &[&Layer], only_policy: bool, disabled_by: Option<&Origin>) -> Vec<HookLayer> {
    let policy_too = disabled_by.is_some_and(|by| by.source == SettingSource::Policy);
    let runs = |layer: &Layer| match layer.source() {
        SettingSource::Policy => !policy_too,
        _ => !only_policy && disabled_by.is_none(),
    };
    let running = layers.iter().filter(|layer| runs(layer));
    let with_hooks = running.filter_map(|layer| Some((layer, layer.at(&["hooks"])?)));
    let nothing = |hooks: &Value| hooks.as_object().is_some_and(Map::is_empty);
    with_hooks
        .filter(|(_, hooks)| !nothing(hooks))
        .map(|(layer, hooks)| HookLayer::new(layer, hooks))
        .collect()
}

/// The mode that the highest source asks for. A repository's file cannot choose a mode that skips questions, and
/// then nobody's choice counts: a lower file must not decide what the project's own file took back.
fn wanted_mode(layers: &[&Layer], notices: &mut Vec<Notice>) -> (PermissionMode, Origin) {
    let builtin = (PermissionMode::Default, Origin::of(SettingSource::Builtin));
    let Some((mode, origin)) = highest(layers, layer::DEFAULT_MODE, layer::mode) else {
        return builtin;
    };
    let in_repository = matches!(origin.source, SettingSource::Project | SettingSource::Local);
    if in_repository && matches!(mode, PermissionMode::Auto | PermissionMode::BypassPermissions) {
        notices.push(Notice::ModeIgnored { mode: mode.to_string(), origin });
        return builtin;
    }
    (mode, origin)
}

/// The value of the highest layer that sets it rightly, and who that is.
fn highest<'a, T>(
    layers: &[&'a Layer],
    path: &[&str],
    read: impl Fn(&'a Value) -> Option<T>,
) -> Option<(T, Origin)> {
    layers.iter().rev().find_map(|layer| Some((read(layer.at(path)?)?, layer.origin(path))))
}

/// Whether the highest source turns on what restricts. Of a file that became bad only a yes counts.
fn is_on(layers: &[Layer], path: &[&str]) -> bool {
    let says = |layer: &Layer| {
        let on = layer.at(path)?.as_bool()?;
        match layer.contribution() {
            Contribution::Everything => Some(on),
            Contribution::Restrictions => on.then_some(true),
            Contribution::DenyAndAskRules => None,
        }
    };
    layers.iter().rev().find_map(says) == Some(true)
}

/// A switch that only a policy can turn on; any policy file can.
fn policy_switch(layers: &[&Layer], path: &[&str]) -> Option<Origin> {
    let mut policies = layers.iter().rev().filter(|layer| layer.source() == SettingSource::Policy);
    policies.find(|layer| layer.at(path) == Some(&Value::Bool(true))).map(|layer| layer.origin(path))
}

/// A lock that any source can close and none can open.
fn lock(layers: &[&Layer], paths: &[&[&str]]) -> Option<Origin> {
    layers.iter().rev().find_map(|layer| {
        let path = paths.iter().find(|path| layer.at(path).is_some_and(|value| value == "disable"))?;
        Some(layer.origin(path))
    })
}

/// The content without rule lists and hooks.
fn without_typed_lists(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(object) = value.as_object_mut() {
        object.shift_remove("hooks");
        if let Some(permissions) = object.get_mut("permissions").and_then(Value::as_object_mut) {
            for (list, _) in RULE_LISTS {
                permissions.shift_remove(list);
            }
        }
    }
    value
}

/// Joins `over` into `under`; `key` is the name under which both stand.
fn join(under: &mut Value, over: &Value, key: Option<&str>) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                match under.get_mut(key) {
                    Some(existing) => join(existing, value, Some(key)),
                    None => drop(under.insert(key.clone(), value.clone())),
                }
            }
        }
        (Value::Array(under), Value::Array(over)) if !key.is_some_and(|key| NOT_JOINED.contains(&key)) => {
            // Sets keep long lists linear.
            let mut seen: std::collections::HashSet<String> = under.iter().map(Value::to_string).collect();
            under.extend(over.iter().filter(|value| seen.insert(value.to_string())).cloned());
        }
        (under, over) => *under = over.clone(),
    }
}

/// Turns problems in policy files into the error that they are.
pub(crate) fn policy_problem(problems: &[Problem]) -> Option<Problem> {
    problems.iter().find(|problem| problem.origin.source == SettingSource::Policy).cloned()
}
