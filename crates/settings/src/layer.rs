//! One file, or one value given inline: its content with source and lines, checked once, and what it contributes.

use std::path::Path;
use std::sync::Arc;

use pegboard_tool_core::{Origin, PermissionMode, RuleEffect, RuleText, SettingSource};
use serde_json::Value;

use crate::error::SettingsError;
use crate::notice::Problem;
use crate::parse::{Document, Lines};

/// The rule lists of `permissions`, with what they do.
pub(crate) const RULE_LISTS: [(&str, RuleEffect); 3] =
    [("allow", RuleEffect::Allow), ("ask", RuleEffect::Ask), ("deny", RuleEffect::Deny)];

/// What a layer may contribute.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a new standing must be handled wherever layers are merged")]
pub enum Contribution {
    /// Everything.
    Everything,
    /// Deny and ask rules: the layer belongs to an untrusted folder.
    DenyAndAskRules,
    /// Deny and ask rules, hooks, and what switches things off: the last good content of a file that became bad.
    Restrictions,
}

/// The content of one source's file (or inline value), unknown keys included.
#[derive(Clone, Debug)]
pub struct Layer {
    source: SettingSource,
    file: Option<Arc<Path>>,
    anchor: Arc<Path>,
    value: Value,
    lines: Lines,
    pub(crate) contribution: Contribution,
}

impl Layer {
    /// Takes a parsed document and checks the shape of the keys that are known.
    pub(crate) fn new(
        source: SettingSource,
        file: Option<Arc<Path>>,
        anchor: Arc<Path>,
        document: Document,
    ) -> Result<Self, SettingsError> {
        let Document { value, lines } = document;
        let layer = Self { source, file, anchor, value, lines, contribution: Contribution::Everything };
        layer.check_shape()?;
        Ok(layer)
    }

    /// The source it belongs to.
    #[must_use]
    pub fn source(&self) -> SettingSource {
        self.source
    }

    /// Its file; none for inline values.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The whole content, an object.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Keys that nothing here reads, each with its place: of another program, misspelt, or of a policy only.
    /// `permissions.` keys are looked at too. They are kept and have no effect.
    pub fn unused_keys(&self) -> Vec<(String, Origin)> {
        let known: Vec<&str> = TOP_KEYS
            .into_iter()
            .filter(|key| self.source == SettingSource::Policy || !POLICY_KEYS.contains(key))
            .collect();
        let unused = |value: Option<&Value>, prefix: &[&str], known: &[&str]| -> Vec<(String, Origin)> {
            let fields = value.and_then(Value::as_object).into_iter().flatten();
            let strange = fields.filter(|(key, _)| !known.contains(&key.as_str()));
            strange
                .map(|(key, _)| {
                    let path: Vec<&str> = prefix.iter().copied().chain([key.as_str()]).collect();
                    (path.join("."), self.origin(&path))
                })
                .collect()
        };
        let mut all = unused(Some(&self.value), &[], &known);
        all.extend(unused(self.value.get("permissions"), &["permissions"], &PERMISSION_KEYS));
        all
    }

    /// What of it counts.
    #[must_use]
    pub fn contribution(&self) -> Contribution {
        self.contribution
    }

    /// Source, file and line of the value at `path` (keys and list indices), such as `["hooks", "Stop", "0"]`.
    #[must_use]
    pub fn origin(&self, path: &[&str]) -> Origin {
        Origin::new(self.source, self.file.clone(), self.lines.at(path))
    }

    /// The first entry that is not as it must be.
    pub(crate) fn first_problem(&self) -> Option<Problem> {
        let mut problems = Vec::new();
        self.rules(&mut problems);
        self.directories(&mut problems);
        self.check_scalars(&mut problems);
        problems.into_iter().next()
    }

    /// What is left of it when its file became bad.
    pub(crate) fn restricted(&self) -> Self {
        let contribution = match self.contribution {
            Contribution::Everything | Contribution::Restrictions => Contribution::Restrictions,
            Contribution::DenyAndAskRules => Contribution::DenyAndAskRules,
        };
        Self { contribution, ..self.clone() }
    }

    /// The value at a path of keys.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(&self.value, |value, key| value.get(*key))
    }

    /// The rules of this layer that count; entries that are no rule text become problems.
    pub(crate) fn rules(&self, problems: &mut Vec<Problem>) -> Vec<RuleText> {
        let mut rules = Vec::new();
        for (list, effect) in RULE_LISTS {
            for (text, origin) in self.texts("permissions", list, problems) {
                if effect != RuleEffect::Allow || self.contribution == Contribution::Everything {
                    rules.push(RuleText::new(effect, text, origin, self.anchor.clone()));
                }
            }
        }
        rules
    }

    /// Every rule that stands in this layer, whether it counts or not; entries that are no text are left out.
    #[must_use]
    pub fn written_rules(&self) -> Vec<RuleText> {
        let whole = Self { contribution: Contribution::Everything, ..self.clone() };
        whole.rules(&mut Vec::new())
    }

    /// The directories of this layer, as written.
    pub(crate) fn directories(&self, problems: &mut Vec<Problem>) -> Vec<(Arc<str>, Origin)> {
        let directories = self.texts("permissions", "additionalDirectories", problems);
        if self.contribution == Contribution::Everything { directories } else { Vec::new() }
    }

    /// Strings of a list; everything else becomes a problem.
    fn texts(&self, object: &str, list: &str, problems: &mut Vec<Problem>) -> Vec<(Arc<str>, Origin)> {
        let entries =
            self.at(&[object, list]).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut texts = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            let origin = self.origin(&[object, list, &index.to_string()]);
            let wrong = match entry.as_str() {
                Some(text) if text.contains('\0') => "holds a NUL character",
                Some(text) if text.trim().is_empty() => "is empty",
                Some(text) => {
                    texts.push((Arc::from(text), origin));
                    continue;
                }
                None => "is no text",
            };
            problems.push(Problem::new(
                origin,
                format!("entry {} of `{object}.{list}` {wrong}; it is skipped", index + 1),
            ));
        }
        texts
    }

    /// Known scalars of the wrong kind, as problems. They count as not set.
    pub(crate) fn check_scalars(&self, problems: &mut Vec<Problem>) {
        for (path, kind) in SCALARS {
            if let Some(value) = self.at(path)
                && !kind.takes(value)
            {
                let text = format!("`{}` must be {}; it is skipped", path.join("."), kind.expected());
                problems.push(Problem::new(self.origin(path), text));
            }
        }
    }

    fn check_shape(&self) -> Result<(), SettingsError> {
        self.expect_kind(&[], "an object", Value::is_object)?;
        self.expect_kind(&["permissions"], "an object", Value::is_object)?;
        self.expect_kind(&["hooks"], "an object", Value::is_object)?;
        for list in ["allow", "ask", "deny", "additionalDirectories"] {
            self.expect_kind(&["permissions", list], "a list", Value::is_array)?;
        }
        Ok(())
    }

    fn expect_kind(
        &self,
        path: &[&str],
        expected: &'static str,
        is: fn(&Value) -> bool,
    ) -> Result<(), SettingsError> {
        match self.at(path) {
            Some(value) if !is(value) => Err(SettingsError::Shape {
                file: self.file.clone(),
                line: self.lines.at(path),
                key: if path.is_empty() { "(the whole file)".to_owned() } else { path.join(".") },
                expected,
                found: kind_of(value),
            }),
            _ => Ok(()),
        }
    }
}

/// Paths of the scalars that the runtime itself reads.
pub(crate) const DEFAULT_MODE: &[&str] = &["permissions", "defaultMode"];
pub(crate) const DISABLE_BYPASS: &[&str] = &["permissions", "disableBypassPermissionsMode"];
/// Keys that mean something at the top of a settings file.
const TOP_KEYS: [&str; 16] = [
    "$schema",
    "allowManagedHooksOnly",
    "allowManagedMcpServersOnly",
    "allowManagedPermissionRulesOnly",
    "allowedHttpHookUrls",
    "autoMode",
    "disableAllHooks",
    "disableAutoMode",
    "hooks",
    "hooksOnFailure",
    "httpHookAllowedEnvVars",
    "mcpServers",
    "permissions",
    "scheduler",
    "strictPluginOnlyCustomization",
    "tools",
];

/// Of these, those that count in a policy only.
const POLICY_KEYS: [&str; 4] = [
    "allowManagedHooksOnly",
    "allowManagedMcpServersOnly",
    "allowManagedPermissionRulesOnly",
    "strictPluginOnlyCustomization",
];

/// Keys that mean something in `permissions`.
const PERMISSION_KEYS: [&str; 8] = [
    "additionalDirectories",
    "allow",
    "ask",
    "blockReadsOutsideWorkingDirectories",
    "defaultMode",
    "deny",
    "disableAutoMode",
    "disableBypassPermissionsMode",
];

pub(crate) const DISABLE_AUTO: &[&str] = &["permissions", "disableAutoMode"];
pub(crate) const DISABLE_AUTO_TOP: &[&str] = &["disableAutoMode"];
pub(crate) const CLASSIFY_ALL_SHELL: &[&str] = &["autoMode", "classifyAllShell"];
pub(crate) const BLOCK_READS: &[&str] = &["permissions", "blockReadsOutsideWorkingDirectories"];
pub(crate) const DISABLE_HOOKS: &[&str] = &["disableAllHooks"];
pub(crate) const POLICY_RULES_ONLY: &[&str] = &["allowManagedPermissionRulesOnly"];
pub(crate) const POLICY_HOOKS_ONLY: &[&str] = &["allowManagedHooksOnly"];
pub(crate) const POLICY_SERVERS_ONLY: &[&str] = &["allowManagedMcpServersOnly"];

const SCALARS: &[(&[&str], ScalarKind)] = &[
    (DEFAULT_MODE, ScalarKind::Mode),
    (DISABLE_BYPASS, ScalarKind::Lock),
    (DISABLE_AUTO, ScalarKind::Lock),
    (DISABLE_AUTO_TOP, ScalarKind::Lock),
    (BLOCK_READS, ScalarKind::YesNo),
    (CLASSIFY_ALL_SHELL, ScalarKind::YesNo),
    (DISABLE_HOOKS, ScalarKind::YesNo),
    (POLICY_RULES_ONLY, ScalarKind::YesNo),
    (POLICY_HOOKS_ONLY, ScalarKind::YesNo),
    (POLICY_SERVERS_ONLY, ScalarKind::YesNo),
    (&["scheduler", "bashFailureCancelsSiblings"], ScalarKind::YesNo),
];

#[derive(Clone, Copy)]
enum ScalarKind {
    Mode,
    Lock,
    YesNo,
}

impl ScalarKind {
    fn takes(self, value: &Value) -> bool {
        match self {
            Self::Mode => mode(value).is_some(),
            Self::Lock => value == "disable",
            Self::YesNo => value.is_boolean(),
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Mode => "one of `default`, `acceptEdits`, `plan`, `auto`, `dontAsk`, `bypassPermissions`",
            Self::Lock => "`\"disable\"`",
            Self::YesNo => "true or false",
        }
    }
}

/// Reads a mode.
pub(crate) fn mode(value: &Value) -> Option<PermissionMode> {
    value.as_str()?.parse().ok()
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
