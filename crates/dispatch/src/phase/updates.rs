//! Permission updates that a hook asks for beside its yes, in the public form: read, and put in force by the gate.

use pegboard_tool_core::RuleEffect;
use pegboard_tool_core::ports::RuleOffer;
use serde_json::Value;

/// Reads one update.
///
/// # Errors
/// What of it cannot be put in force, in words for the operator.
pub(crate) fn read(update: &Value) -> Result<RuleOffer, String> {
    let text = |name: &str| update.get(name).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "addRules" => {}
        other => return Err(format!("updates of the type `{}` are not applied", short(other))),
    }
    let effect = match text("behavior") {
        "allow" => RuleEffect::Allow,
        "ask" => RuleEffect::Ask,
        "deny" => RuleEffect::Deny,
        other => return Err(format!("`behavior` is `{}`; use allow, ask or deny", short(other))),
    };
    let permanent = match text("destination") {
        "session" => false,
        "localSettings" => true,
        other => {
            return Err(format!("rules are not written to `{}`; use session or localSettings", short(other)));
        }
    };
    let rules = update.get("rules").and_then(Value::as_array).filter(|rules| !rules.is_empty());
    let rules = rules.ok_or("it has no `rules`")?.iter().map(rule).collect::<Result<Vec<_>, _>>()?;
    let summary = format!("asked for by a hook: {}", rules.join(", "));
    Ok(RuleOffer::new(rules, summary, permanent).with_effect(effect))
}

fn rule(rule: &Value) -> Result<String, String> {
    let tool = rule.get("toolName").and_then(Value::as_str).filter(|tool| !tool.is_empty());
    let tool = tool.ok_or("a rule has no `toolName`")?;
    match rule.get("ruleContent") {
        None | Some(Value::Null) => Ok(tool.to_owned()),
        Some(Value::String(content)) => Ok(format!("{tool}({content})")),
        Some(_) => Err("`ruleContent` must be a string".to_owned()),
    }
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rules_are_read_and_all_else_is_said() {
        let add = |behavior: &str, destination: &str, rules: Value| json!({"type": "addRules", "behavior": behavior, "destination": destination, "rules": rules});
        let rule = json!([{"toolName": "Bash", "ruleContent": "npm test"}, {"toolName": "Read"}]);
        let offer = read(&add("deny", "localSettings", rule.clone())).unwrap();
        assert_eq!(offer.rules, ["Bash(npm test)", "Read"]);
        assert_eq!((offer.effect, offer.permanent), (RuleEffect::Deny, true));
        assert!(!read(&add("allow", "session", rule.clone())).unwrap().permanent);
        for (update, words) in [
            (json!({"type": "setMode", "mode": "plan"}), "`setMode` are not applied"),
            (add("maybe", "session", rule.clone()), "`behavior` is `maybe`"),
            (add("allow", "userSettings", rule), "not written to `userSettings`"),
            (add("allow", "session", json!([])), "no `rules`"),
            (add("allow", "session", json!([{"ruleContent": "x"}])), "no `toolName`"),
            (add("allow", "session", json!([{"toolName": "Bash", "ruleContent": 3}])), "must be a string"),
            (json!("nonsense"), "are not applied"),
        ] {
            let error = read(&update).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
