//! The environment that every child of a session starts from.

use crate::credentials::is_credential;
use std::collections::BTreeMap;

/// Switches the removal of credentials on. A convention of the field.
const SCRUB: &str = "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB";
/// Names that are always ours.
const OWN: [&str; 3] = ["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID"];

/// The variables of the host that a child gets, complete, with those that tell it whose child it is.
///
/// Left out are the settings of exporters (`OTEL_*`), what the system cannot carry (NUL, names with `=`)
/// and, where `CLAUDE_CODE_SUBPROCESS_ENV_SCRUB` is on among `vars`, the credentials of providers.
#[must_use]
pub fn child_environment(vars: &BTreeMap<String, String>, session_id: &str) -> Vec<(String, String)> {
    let scrubs = scrubs_credentials(vars);
    let passed = vars.iter().filter(|(name, value)| {
        let is_kept_back =
            name.starts_with("OTEL_") || OWN.contains(&name.as_str()) || (scrubs && is_credential(name));
        is_sound(name, value) && !is_kept_back
    });
    let mut all: Vec<(String, String)> = passed.map(|(name, value)| (name.clone(), value.clone())).collect();
    all.push(("CLAUDECODE".into(), "1".into()));
    all.push(("CLAUDE_CODE_CHILD_SESSION".into(), "1".into()));
    all.push(("CLAUDE_CODE_SESSION_ID".into(), session_id.replace('\0', "")));
    all
}

/// Whether children get no credentials.
fn scrubs_credentials(vars: &BTreeMap<String, String>) -> bool {
    vars.get(SCRUB).is_some_and(|value| !matches!(value.trim(), "" | "0" | "false"))
}

fn is_sound(name: &str, value: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(vars: &[(&str, &str)]) -> Vec<String> {
        let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let all = child_environment(&vars, "s\0 1");
        all.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    const OURS: [&str; 3] = ["CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1", "CLAUDE_CODE_SESSION_ID=s 1"];

    #[test]
    fn what_a_child_must_not_see_is_left_out() {
        for (name, value, passes) in [
            ("A", "1", true),
            ("EMPTY", "", true),
            ("OPENAI_API_KEY", "k", true),
            ("OTEL_EXPORTER_OTLP_HEADERS", "k", false),
            ("", "1", false),
            ("A=B", "1", false),
            ("A", "\0", false),
            ("CLAUDECODE", "7", false),
        ] {
            let mut expected: Vec<String> = passes.then(|| format!("{name}={value}")).into_iter().collect();
            expected.extend(OURS.map(str::to_owned));
            assert_eq!(given(&[(name, value)]), expected, "{name}={value}");
        }
    }

    #[test]
    fn credentials_are_kept_back_where_that_is_asked() {
        for (asked, passes) in [("1", false), ("true", false), ("0", true), ("false", true), (" ", true)] {
            let all = given(&[("OPENAI_API_KEY", "k"), (SCRUB, asked)]);
            assert_eq!(all.contains(&"OPENAI_API_KEY=k".to_owned()), passes, "{asked}");
        }
    }
}
