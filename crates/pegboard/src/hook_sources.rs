//! From loaded settings to hooks. Only hands values over.

use pegboard_hooks::{HookConfig, HookOptions, HookProblem, HookSource, HttpRules, OnFailure};
use pegboard_permissions::Engine;
use pegboard_settings::{Contribution, Layer, Settings};
use pegboard_tool_core::SettingSource;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The hooks of `settings`, whose `if` the engine understands. There is nobody who calls tools or asks a model.
pub fn hooks_of(settings: &Settings, engine: &Arc<Engine>) -> (HookConfig, Vec<HookProblem>) {
    let (config, mut problems) =
        HookConfig::from_sources(hook_sources(settings), &hook_options(settings, engine));
    problems.extend(on_failure_problems(settings));
    (config, problems)
}

/// What a value of `hooksOnFailure` says: nothing, to go on, or to block; `None` when it says nothing known.
fn blocks_on_failure(value: &Value) -> Option<bool> {
    match value {
        Value::Null => Some(false),
        value if value == "continue" => Some(false),
        value if value == "block" => Some(true),
        _ => None,
    }
}

/// Values of `hooksOnFailure` that say nothing known.
pub(crate) fn on_failure_problems(settings: &Settings) -> Vec<HookProblem> {
    let values =
        settings.layers.iter().filter_map(|layer| Some((layer, layer.value().get("hooksOnFailure")?)));
    let bad = values.filter(|(_, value)| blocks_on_failure(value).is_none());
    bad.map(|(layer, _)| {
        let text = "`hooksOnFailure` must be \"block\" or \"continue\"; \"block\" is used";
        HookProblem::new(layer.origin(&["hooksOnFailure"]), "", text)
    })
    .collect()
}

/// What hooks of `settings` mean and may do; add whoever calls tools and whoever asks a model.
pub fn hook_options(settings: &Settings, engine: &Arc<Engine>) -> HookOptions {
    let rules: Arc<Engine> = Arc::clone(engine);
    let mut options = HookOptions::new().with_rules(rules);
    if let Some(origin) = &settings.hooks_disabled {
        options = options.with_disabled_by(origin.source);
    }
    if settings.only_policy_hooks.is_some() {
        options = options.with_only_policy();
    }
    let policy = |layer: &&Layer| layer.source() == SettingSource::Policy;
    let only_plugins = |layer: &Layer| {
        let strict = layer.value().get("strictPluginOnlyCustomization");
        strict.is_some_and(|strict| match strict {
            Value::Bool(all) => *all,
            Value::Array(parts) => parts.iter().any(|part| part == "hooks"),
            Value::Object(parts) => parts.get("hooks") == Some(&Value::Bool(true)),
            _ => false,
        })
    };
    if settings.layers.iter().filter(policy).any(only_plugins) {
        options = options.with_only_plugins();
    }
    // May only tighten: one source that says so is enough.
    // What it says when nobody can read it is the stricter.
    let blocks = |layer: &Layer| {
        layer.value().get("hooksOnFailure").is_some_and(|on| blocks_on_failure(on) != Some(false))
    };
    if settings.layers.iter().any(blocks) {
        options = options.with_on_failure(OnFailure::Block);
    }
    let http =
        HttpRules::new(strings(settings, "allowedHttpHookUrls"), strings(settings, "httpHookAllowedEnvVars"));
    options.with_http(http)
}

/// A list of strings: the policy's own when it has one, else what all sources say together.
fn strings(settings: &Settings, key: &str) -> Option<Vec<String>> {
    let policy = settings.layers.iter().filter(|layer| layer.source() == SettingSource::Policy);
    let own = policy.filter_map(|layer| layer.value().get(key)).next_back();
    let list = own.or_else(|| settings.value(key))?;
    // What is no list of strings allows nothing.
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    Some(items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
}

/// The `hooks` objects of all files, those that may not run among them.
pub(crate) fn hook_sources(settings: &Settings) -> Vec<HookSource> {
    let with_hooks = settings.layers.iter().filter_map(|layer| Some((layer, layer.value().get("hooks")?)));
    let with_hooks = with_hooks.filter(|(_, hooks)| !hooks.as_object().is_some_and(|all| all.is_empty()));
    with_hooks
        .map(|(layer, hooks)| {
            let source =
                HookSource::new(layer.origin(&["hooks"]), hooks.clone()).with_lines(lines(layer, hooks));
            match layer.contribution() {
                // The last good hooks of a file that became bad stay.
                Contribution::Everything | Contribution::Restrictions => source,
                Contribution::DenyAndAskRules => source
                    .with_off("the folder is not trusted; look at it and accept it with `pegboard trust`"),
            }
        })
        .collect()
}

/// Lines of groups and handlers.
fn lines(layer: &Layer, hooks: &Value) -> BTreeMap<String, u32> {
    let mut lines = BTreeMap::new();
    for (event, groups) in hooks.as_object().into_iter().flatten() {
        if let Some(line) = layer.origin(&["hooks", event]).line {
            lines.insert(event.clone(), line);
        }
        for (index, group) in groups.as_array().into_iter().flatten().enumerate() {
            let number = index.to_string();
            let at = format!("{event}.{number}");
            if let Some(line) = layer.origin(&["hooks", event, &number]).line {
                lines.insert(at.clone(), line);
            }
            let handlers = group.get("hooks").and_then(Value::as_array).map(Vec::len).unwrap_or_default();
            for handler in 0..handlers {
                let handler = handler.to_string();
                let path = ["hooks", event, &number, "hooks", &handler];
                if let Some(line) = layer.origin(&path).line {
                    lines.insert(format!("{at}.hooks.{handler}"), line);
                }
            }
        }
    }
    lines
}
