//! What must hold for all rules, lines and paths.

use crate::world::World;
use pegboard_permissions::RuleParts;
use pegboard_tool_core::ports::Verdict;
use pegboard_tool_core::{PermissionMode, RuleEffect, SettingSource};
use proptest::prelude::*;
use serde_json::{Value, json};

fn a_rule() -> impl Strategy<Value = String> {
    let command = "(rm|ls|git|npm|make)( (push|run|x|-rf|\\*)){0,2}(:\\*|\\*| \\*)?";
    let path = "(//|~/|/|\\./|\\*\\*/)?(a|b|src|\\.env|\\*)(/(a|b|\\*|\\*\\*)){0,2}";
    prop_oneof![
        command.prop_map(|text| format!("Bash({text})")),
        path.prop_map(|text| format!("Read({text})")),
        path.prop_map(|text| format!("Edit({text})")),
        "(Bash|Read|Edit|WebFetch|mcp__a|mcp__a__b|\\*|mcp__\\*)",
        "(a|b|\\*)\\.(test|\\*)".prop_map(|host| format!("WebFetch(domain:{host})")),
    ]
}

fn a_call() -> impl Strategy<Value = (String, Value)> {
    let command = "(rm|ls|git|npm|make)( (push|run|x|-rf|\\$X|a)){0,3}(( && | ; | \\| |\n)(rm|ls|make)( (x|a|/w)){0,2}){0,2}";
    prop_oneof![
        command.prop_map(|line| ("Bash".to_owned(), json!({"command": line}))),
        "(/w|/etc|/home/u)(/(a|b|src|\\.env|\\.git)){1,3}"
            .prop_map(|path| ("Read".to_owned(), json!({"file_path": path}))),
        "(/w|/etc|/home/u)(/(a|b|src|\\.env|\\.git)){1,3}"
            .prop_map(|path| ("Edit".to_owned(), json!({"file_path": path}))),
        "https://(a|b)\\.(test|org)/x".prop_map(|url| ("WebFetch".to_owned(), json!({"url": url}))),
        Just(("mcp__a__b".to_owned(), json!({}))),
    ]
}

fn an_effect() -> impl Strategy<Value = RuleEffect> {
    prop_oneof![Just(RuleEffect::Allow), Just(RuleEffect::Ask), Just(RuleEffect::Deny)]
}

fn a_mode() -> impl Strategy<Value = PermissionMode> {
    proptest::sample::select(PermissionMode::ALL.to_vec())
}

fn world(rules: &[(RuleEffect, String)], mode: PermissionMode) -> World {
    let start = World::new().mode(mode);
    rules.iter().fold(start, |world, (effect, rule)| world.rule(*effect, rule, SettingSource::Project))
}

proptest! {
    #[test]
    fn adding_a_deny_rule_never_allows_more(
        rules in prop::collection::vec((an_effect(), a_rule()), 0..8),
        deny in a_rule(), mode in a_mode(), (tool, input) in a_call(),
    ) {
        let before = world(&rules, mode).decide(&tool, &input).verdict;
        let mut more = rules.clone();
        more.push((RuleEffect::Deny, deny));
        let after = world(&more, mode).decide(&tool, &input).verdict;
        prop_assert!(after >= before, "{before:?} became {after:?}");
    }

    #[test]
    fn rule_order_within_a_source_does_not_matter(
        rules in prop::collection::vec((an_effect(), a_rule()), 0..8).prop_shuffle(),
        mode in a_mode(), (tool, input) in a_call(),
    ) {
        let mut reversed = rules.clone();
        reversed.reverse();
        let (one, other) = (world(&rules, mode).decide(&tool, &input), world(&reversed, mode).decide(&tool, &input));
        prop_assert_eq!((one.verdict, one.step, one.safety, one.by_rule), (other.verdict, other.step, other.safety, other.by_rule));
    }

    #[test]
    fn printing_then_parsing_a_rule_gives_it_back(text in prop_oneof![a_rule(), "\\PC{0,40}", "[A-Za-z*_]{1,8}\\(\\PC{0,20}\\)"]) {
        if let Ok(rule) = RuleParts::parse(&text) {
            prop_assert_eq!(RuleParts::parse(&rule.to_string()), Ok(rule));
        }
    }

    #[test]
    fn nothing_garbled_becomes_allow(rule in "\\PC{0,24}", line in "\\PC{0,60}") {
        // Whatever the rule is, if it is no rule, it allows nothing.
        let garbled = World::new().rule(RuleEffect::Allow, &rule, SettingSource::Project);
        if !garbled.engine().1.is_empty() {
            prop_assert_eq!(garbled.verdict("Bash: make"), Verdict::Ask);
        }
        // A line with anything that the shell evaluates is allowed by no rule for another program.
        let strict = World::new().rules(&["allow Bash(make *)"]);
        for garbled in [format!("make $({line})"), format!("make `{line}"), format!("make '{}", line.replace('\'', ""))] {
            prop_assert_ne!(strict.verdict(&format!("Bash: {garbled}")), Verdict::Allow);
        }
    }

    #[test]
    fn any_input_gets_a_verdict(line in "\\PC{0,80}|[ \t\n'\"\\\\$(){};|&<>*~a-c/.=#]{0,60}", mode in a_mode()) {
        let world = World::new().rules(&["deny Bash(rm *)", "deny Read(.env)", "allow Bash(a *)", "ask Edit(./b/**)"]).mode(mode);
        let _ = world.verdict(&format!("Bash: {line}"));
        let _ = world.verdict(&format!("Read: {line}"));
        let _ = world.verdict(&format!("WebFetch: {line}"));
    }
}

proptest! {
    #[test]
    fn wrapping_an_allowed_command_in_anything_unknown_never_allows(
        program in "q[a-z]{2,6}",
        before in "[a-z0-9-]{0,6}",
        shape in 0..14_usize,
    ) {
        let strict = World::new().rules(&["allow Bash(npm test *)", "allow Bash(npm test)"]);
        prop_assert_eq!(strict.verdict("Bash: npm test a"), Verdict::Allow);
        let line = match shape {
            0 => format!("{program} npm test a"),
            1 => format!("{program} {before} npm test a"),
            2 => format!("npm test a | {program}"),
            3 => format!("npm test $({program} {before})"),
            4 => format!("npm test a; {program}"),
            5 => format!("{program}() {{ {before}x; }}; {program}; npm test a"),
            6 => format!("${program} npm test a"),
            7 => format!("eval \"${program} npm test a\""),
            8 => format!("{program}=1 npm test a"),
            9 => format!("timeout --{program} 5 npm test a"),
            10 => format!("nice --{program} npm test a"),
            11 => format!("npm test a > {program}"),
            12 => format!(". ./{program}; npm test a"),
            _ => format!("if {program}; then npm test a; fi"),
        };
        prop_assert_ne!(strict.verdict(&format!("Bash: {}", line)), Verdict::Allow, "{}", line);
    }
}

#[test]
fn a_shell_behind_a_wrapper_hides_nothing() {
    let world = World::new().rules(&["allow Bash", "deny Bash(rm *)"]);
    for line in [
        "env bash -c 'rm -rf x'",
        "timeout 5 sh -c 'rm -rf x'",
        "find . -exec sh -c 'rm {}' +",
        "xargs sh -c 'rm x'",
        "env -S 'rm x'",
        "watch 'rm x'",
        "flock f -c 'rm x'",
        "su -c 'rm x'",
        "nice bash x.sh",
        "jobs -x rm x",
        "sudo -u a env -i nohup rm x",
        "bash <<< 'rm x'",
    ] {
        assert_ne!(world.verdict(&format!("Bash: {line}")), Verdict::Allow, "{line}");
    }
    assert_eq!(World::new().verdict("Bash: find -L /etc -name x"), Verdict::Ask);
}
