//! The engine with its indexes agrees with the one that tries every rule.

use crate::naive;
use crate::world::World;
use pegboard_tool_core::{PermissionMode, RuleEffect, SettingSource};
use proptest::prelude::*;
use serde_json::{Value, json};

fn a_rule() -> impl Strategy<Value = String> {
    let command = "(rm|ls|zap|npm|mk|cat|\\*)( (push|run|x|-rf|a|\\*)){0,2}(:\\*|\\*| \\*)?";
    let path = "(//|~/|/|\\./)?((w|a|b|src|A|\\.env|\\*|a\\*|\\*\\*)/){0,2}(a|b|\\.env|\\*\\.c|x\\*|\\*\\*)";
    prop_oneof![
        4 => command.prop_filter("names a program", |text| !text.trim_start_matches('*').trim_matches([' ', ':', '*']).is_empty() && !text.starts_with("**"))
            .prop_map(|text| format!("Bash({text})")),
        3 => path.prop_map(|text| format!("Read({text})")),
        3 => path.prop_map(|text| format!("Edit({text})")),
        2 => "(Bash|Read|Edit|WebFetch|Agent|mcp__a|mcp__a__b|mcp__a__\\*|\\*|mcp__\\*|Bash\\(\\*\\)|B\\*)",
        1 => "(a|b|\\*)\\.(b\\.test|test|\\*)".prop_map(|host| format!("WebFetch(domain:{host})")),
        1 => "(Agent\\(x\\)|Agent\\(model:o\\*\\)|Agent\\(model:opus\\))",
    ]
}

fn a_call() -> impl Strategy<Value = (String, Value)> {
    let one = "(zap|npm run|mk|zap run|zap push|npm run x)( (push|run|x|-rf|a)){0,3}|(ls|cat|rm|rm -f|touch) (a|b|src/a|src/x|\\.env|a/b/\\.env|x\\.c|/etc/a|/w/a)( (b|src))?";
    let line = prop::collection::vec((one, "( && | ; | \\| |\n)"), 1..4).prop_map(|parts| {
        let mut line = String::new();
        for (at, (command, end)) in parts.iter().enumerate() {
            line.push_str(command);
            if at + 1 < parts.len() {
                line.push_str(end);
            }
        }
        line
    });
    let path = "(/w|/etc|/home/u)(/(a|b|src|\\.env|x\\.c|A|\\.git)){1,3}";
    prop_oneof![
        4 => line.prop_map(|line| ("Bash".to_owned(), json!({"command": line}))),
        2 => path.prop_map(|path| ("Read".to_owned(), json!({"file_path": path}))),
        2 => path.prop_map(|path| ("Edit".to_owned(), json!({"file_path": path}))),
        1 => "https://(a\\.|b\\.)?(b\\.test|test\\.org|a\\.test)/x".prop_map(|url| ("WebFetch".to_owned(), json!({"url": url}))),
        1 => "mcp__(a|b)__(b|c)".prop_map(|name| (name, json!({}))),
        1 => "(x|y)".prop_map(|kind| ("Agent".to_owned(), json!({"subagent_type": kind, "model": "opus"}))),
    ]
}

fn rules() -> impl Strategy<Value = Vec<(RuleEffect, String)>> {
    let effect = prop_oneof![
        3 => Just(RuleEffect::Allow),
        1 => Just(RuleEffect::Ask),
        1 => Just(RuleEffect::Deny)
    ];
    prop::collection::vec((effect, a_rule()), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn the_engine_agrees_with_one_that_tries_every_rule(
        rules in rules(),
        mode in proptest::sample::select(PermissionMode::ALL.to_vec()),
        (tool, input) in a_call(),
    ) {
        let world = rules.iter().fold(World::new().mode(mode), |world, (effect, rule)| {
            world.rule(*effect, rule, SettingSource::Project)
        });
        let decision = world.decide(&tool, &input);
        let expected = naive::verdict(&rules, mode, &tool, &input);
        prop_assert_eq!(decision.verdict, expected, "{}: {:?}", decision.reason, decision.step);
    }
}
