//! Settings given as values, without any file: lines of rule tests, and programs that bring their own.

use std::path::Path;
use std::sync::Arc;

use pegboard_tool_core::{SettingSource, SourceOrder};
use serde_json::{Map, Value};

use crate::error::SettingsError;
use crate::layer::Layer;
use crate::merge::{Base, merge, policy_problem};
use crate::parse::{Document, Lines};
use crate::settings::Settings;

/// Keys of the bare form, which is the content of `permissions` without its name.
const BARE: [&str; 5] = ["allow", "ask", "deny", "additionalDirectories", "defaultMode"];

/// Makes settings of values alone; nothing else counts: no files, no policy, no options, no trust.
///
/// Each value is a whole settings object or the bare `{"allow":[..],"ask":[..],"deny":[..]}`. `/path` patterns of
/// `user` start in the folder of the user's usual file below `home`, those of all other sources in
/// `working_directory`. The paths need not exist.
///
/// # Errors
///
/// A known key of the wrong shape, or a bad entry in the value of a policy.
pub fn inline(
    values: &[(SettingSource, &Value)],
    working_directory: &Path,
    home: Option<&Path>,
    order: &SourceOrder,
) -> Result<Settings, SettingsError> {
    let mut layers = Vec::with_capacity(values.len());
    for (source, value) in values {
        let anchor = match (source, home) {
            (SettingSource::User, Some(home)) => home.join(".config/pegboard"),
            _ => working_directory.to_path_buf(),
        };
        let document = Document { value: whole(value), lines: Lines::default() };
        layers.push(Layer::new(*source, None, Arc::from(anchor), document)?);
    }
    let settings = merge(layers, order, Base { working_directory, home });
    match policy_problem(&settings.problems) {
        Some(problem) => Err(SettingsError::PolicyEntry { problem }),
        None => Ok(settings),
    }
}

/// The value as a whole settings object.
fn whole(value: &Value) -> Value {
    let bare = value.get("permissions").is_none() && BARE.iter().any(|key| value.get(key).is_some());
    if bare {
        Value::Object(Map::from_iter([("permissions".to_owned(), value.clone())]))
    } else {
        value.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pegboard_tool_core::{PermissionMode, RuleEffect};
    use serde_json::json;

    fn of(source: SettingSource, value: Value) -> Result<Settings, SettingsError> {
        inline(&[(source, &value)], Path::new("/w"), Some(Path::new("/home/u")), &SourceOrder::default())
    }

    #[test]
    fn the_bare_form_and_the_whole_form_say_the_same() {
        let bare = json!({"allow": ["A"], "ask": [], "deny": ["B"], "unknown": 1});
        let rules = of(SettingSource::Project, bare.clone()).unwrap().rules;
        assert_eq!(rules, of(SettingSource::Project, json!({"permissions": bare})).unwrap().rules);
        let seen: Vec<_> = rules.iter().map(|rule| (rule.effect, &*rule.text, &*rule.anchor)).collect();
        assert_eq!(
            seen,
            [(RuleEffect::Allow, "A", Path::new("/w")), (RuleEffect::Deny, "B", Path::new("/w"))]
        );
        assert!(of(SettingSource::Project, json!({"hooks": {}})).unwrap().rules.is_empty());
    }

    #[test]
    fn user_rules_are_anchored_at_the_folder_of_the_users_file() {
        let rules = of(SettingSource::User, json!({"deny": ["Read(/x)"]})).unwrap().rules;
        assert_eq!(&*rules[0].anchor, Path::new("/home/u/.config/pegboard"));
    }

    #[test]
    fn wrong_shapes_are_errors() {
        for value in
            [json!([]), json!("x"), json!({"deny": "Bash"}), json!({"permissions": []}), json!({"hooks": []})]
        {
            assert!(of(SettingSource::Project, value.clone()).is_err(), "taken: {value}");
        }
        assert_eq!(of(SettingSource::Project, json!({"deny": ["A", 1]})).unwrap().problems.len(), 1);
        assert!(of(SettingSource::Policy, json!({"deny": ["A", 1]})).is_err());
    }

    #[test]
    fn modes_merge_as_from_files() {
        let (user, project) = (json!({"defaultMode": "plan"}), json!({"defaultMode": "auto"}));
        let values = [(SettingSource::User, &user), (SettingSource::Project, &project)];
        let settings = inline(&values, Path::new("/w"), None, &SourceOrder::default()).unwrap();
        assert_eq!(settings.default_mode, PermissionMode::Default);
    }
}
