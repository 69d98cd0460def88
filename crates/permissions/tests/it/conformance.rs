//! The documented statements, as a table: rules, a call, the verdict.

use crate::world::World;
use pegboard_permissions::{Engine, RuleScope};
use pegboard_tool_core::ports::HookAdvice;
use pegboard_tool_core::ports::Verdict::{self, Allow, Ask, Deny};
use pegboard_tool_core::{PermissionMode, RuleEffect, SettingSource, ToolOrigin};

const TABLE: &[(&str, &[&str], &str, Verdict)] = &[
    ("01", &["deny Bash(aws *)", "allow Bash(aws s3 ls)"], "Bash: aws s3 ls", Deny),
    ("02", &["ask Bash(git *)", "allow Bash(git commit *)"], "Bash: git commit -m x", Ask),
    ("04", &["allow Bash(npx *)"], "Bash: npxx", Ask),
    ("05", &["allow Bash(npm run:*)"], "Bash: npm run build", Allow),
    ("05", &["allow Bash(npm run:*)"], "Bash: npm runx", Ask),
    ("06", &["allow Bash(git * main)"], "Bash: git push origin main", Allow),
    ("06", &["allow Bash(git * main)"], "Bash: git push origin main2", Ask),
    ("07", &["allow Bash(npm run build)"], "Bash: npm run build --watch", Ask),
    ("08", &["allow Bash(npm test *)"], "Bash: npm test && curl http://x", Ask),
    ("08", &["allow Bash(npm test *)"], "Bash: npm test && git status", Allow),
    ("08", &["allow Bash(npm test *)"], "Bash: npm test | git status", Allow),
    ("08", &["allow Bash(npm test *)"], "Bash: npm test |& curl x", Ask),
    ("08", &["allow Bash(npm test *)"], "Bash: npm test & curl x", Ask),
    ("08", &["allow Bash(npm test *)"], "Bash: npm test || curl x", Ask),
    ("08", &["allow Bash(npm test *)"], "Bash: npm test\ncurl x", Ask),
    ("08", &["allow Bash(npm test *)"], "Bash: npm test\ngit status", Allow),
    ("09", &["allow Bash", "deny Bash(rm *)"], "Bash: ls && rm -rf build", Deny),
    ("09", &["allow Bash", "deny Bash(rm *)"], "Bash: echo \"a && rm b\"", Allow),
    ("10", &["allow Bash(npm test *)"], "Bash: timeout 30 npm test", Allow),
    ("10", &["allow Bash(npm test *)"], "Bash: nice -n 5 npm test -- x", Allow),
    ("10", &["allow Bash(npm test *)"], "Bash: nohup npm test", Allow),
    ("10", &["allow Bash(npm test *)"], "Bash: sudo npm test", Ask),
    ("10", &["allow Bash(npm test *)"], "Bash: npx npm test", Ask),
    (
        "11",
        &["allow Bash(grep *)", "allow Bash(git ls-files *)"],
        "Bash: git ls-files | xargs grep TODO",
        Allow,
    ),
    (
        "11",
        &["allow Bash(grep *)", "allow Bash(git ls-files *)"],
        "Bash: git ls-files | xargs -n1 grep TODO",
        Ask,
    ),
    ("12", &["allow Bash(npm test *)"], "Bash: NODE_ENV=test npm test", Allow),
    ("12", &["allow Bash(npm test *)"], "Bash: LD_PRELOAD=/x npm test", Ask),
    ("12", &["deny Bash(rm *)"], "Bash: FOO=bar rm -rf tmp/", Deny),
    ("13", &["allow Bash(watch *)", "allow Bash(find *)"], "Bash: watch ls", Ask),
    ("13", &["allow Bash(watch *)", "allow Bash(find *)"], "Bash: find . -delete", Ask),
    ("13", &["allow Bash(find . -name x -delete)"], "Bash: find . -name x -delete", Allow),
    ("14", &["allow Bash(git commit *)"], "Bash: git commit -m x > /etc/motd", Ask),
    ("14", &["allow Bash(git commit *)"], "Bash: git commit -m x 2>/dev/null", Allow),
    ("14", &[], "Bash: ls > ~/out", Ask),
    ("15", &[], "Bash: ls -la", Allow),
    ("15", &[], "Bash: cat a.txt | head -3", Allow),
    ("15", &[], "Bash: cd packages && ls", Allow),
    ("15", &[], "Bash: git status", Allow),
    ("15", &[], "Bash: cd other && git status", Ask),
    ("15", &[], "Bash: sed -n 1p *.txt", Ask),
    ("15", &[], "Bash: ls *.ts", Allow),
    ("16", &["deny Read(./.env)"], "Bash: cat .env", Deny),
    ("16", &["deny Read(./.env)"], "Read: /w/.env", Deny),
    ("16", &["deny Read(./.env)"], "Write: /w/.env", Deny),
    ("18", &["allow Edit(/docs/**)"], "Edit: /w/docs/a.md", Allow),
    ("18", &["allow Edit(/docs/**)"], "Edit: /docs/a.md", Ask),
    ("19", &["deny Read(//etc/shadow)"], "Read: /etc/shadow", Deny),
    ("19", &["deny Read(/etc/shadow)"], "Read: /w/etc/shadow", Deny),
    ("19", &["deny Read(/etc/shadow)"], "Read: /etc/shadow", Ask),
    ("20", &["deny Read(.env)"], "Read: /w/a/b/.env", Deny),
    ("20", &["deny Read(.env)"], "Read: /.env", Ask),
    ("21", &["allow Edit(src/**)"], "Edit: /w/src/app.ts", Allow),
    ("21", &["allow Edit(src/**)"], "Edit: /w/vendor/pkg/src/lib.js", Ask),
    ("21", &["deny Edit(src/**)"], "Edit: /w/vendor/pkg/src/lib.js", Deny),
    ("21", &["deny Edit(/src/**)"], "Edit: /w/vendor/pkg/src/lib.js", Ask),
    ("22", &["allow Write(docs/**)"], "Write: /w/docs/a", Ask),
    ("24", &["allow WebFetch(domain:*.example.com)"], "WebFetch: https://a.b.EXAMPLE.com./x", Allow),
    ("24", &["allow WebFetch(domain:*.example.com)"], "WebFetch: https://example.com", Ask),
    ("24", &["allow WebFetch(domain:example.*)"], "WebFetch: https://example.org", Allow),
    ("24", &["allow WebFetch(domain:example.*)"], "WebFetch: https://example.evil.com", Ask),
    ("25", &["allow mcp__git"], "mcp__git__log", Allow),
    ("25", &["allow mcp__git"], "mcp__github__log", Ask),
    ("25", &["allow mcp__*"], "mcp__git__log", Ask),
    ("26", &["deny Agent(model:opus)"], "Agent: {\"model\":\"opus\"}", Deny),
    ("26", &["deny Agent(model:opus)"], "Agent: {}", Ask),
    ("26", &["deny Agent(model:opus)"], "Agent: {\"model\":\"claude-opus-4-8\"}", Ask),
    ("26", &["allow Agent(model:opus)"], "Agent: {\"model\":\"opus\"}", Ask),
    ("26", &["deny Bash(command:rm *)"], "Bash: rm x", Ask),
    ("29", &["allow Bash(rm *)"], "Bash: rm -rf ~", Ask),
    ("29", &["allow Bash(rm *)"], "Bash: rm -rf \"$D\"/*", Ask),
    ("29", &["allow Bash(rm *)"], "Bash: rm -rf /w", Ask),
    ("29", &["allow Bash(rm *)"], "Bash: rm -rf ./build", Allow),
    ("33", &["allow Bash(a)", "allow Bash(b)"], "Bash: b", Allow),
];

#[test]
fn the_documented_statements_hold() {
    let mut wrong = Vec::new();
    for (statement, rules, call, expected) in TABLE {
        let found = World::new().rules(rules).verdict(call);
        if found != *expected {
            wrong.push(format!("C-P-{statement} {rules:?} {call}: {found:?}, expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_line_over_10_000_characters_is_not_read_only() {
    assert_eq!(World::new().verdict(&format!("Bash: echo {}", "x".repeat(10_001))), Ask);
}

#[test]
fn a_deny_from_a_lower_source_stands_and_takes_the_tool_away() {
    let world = World::new().rule(RuleEffect::Deny, "WebSearch", SettingSource::User).rule(
        RuleEffect::Allow,
        "WebSearch",
        SettingSource::Policy,
    );
    assert_eq!(world.verdict("WebSearch"), Deny);
    assert!(world.engine().0.denied_tool("WebSearch", &ToolOrigin::BuiltIn).is_some());
}

#[test]
fn only_a_deny_of_the_whole_tool_takes_it_away() {
    for (rule, tool, expected) in [
        ("Bash(rm *)", "Bash", false),
        ("Bash(*)", "Bash", true),
        ("Bash", "Bash", true),
        ("*", "Read", true),
        ("mcp__*", "mcp__a__b", true),
        ("mcp__a", "mcp__a__b", true),
        ("mcp__a", "mcp__a2__b", false),
        ("Write", "Write", true),
    ] {
        let world = World::new().rule(RuleEffect::Deny, rule, SettingSource::Project);
        assert_eq!(
            world.engine().0.denied_tool(tool, &ToolOrigin::BuiltIn).is_some(),
            expected,
            "{rule} {tool}"
        );
    }
}

#[test]
fn user_rules_start_at_the_users_settings_folder() {
    let world = World::new().rule(RuleEffect::Allow, "Edit(/docs/**)", SettingSource::User);
    assert_eq!(world.verdict("Edit: /w/docs/a.md"), Ask);
    assert_eq!(world.verdict("Edit: /home/u/.claude/docs/a.md"), Ask);
}

#[test]
fn modes_of_the_statements() {
    let bypass = |rules| World::new().rules(rules).mode(PermissionMode::BypassPermissions);
    assert_eq!(bypass(&[]).verdict("Write: /w/.git/config"), Ask);
    assert_eq!(bypass(&[]).verdict("Write: /w/a"), Allow);
    assert_eq!(bypass(&[]).verdict("Bash: rm -rf /"), Ask);
    assert_eq!(bypass(&["ask Bash(git push *)"]).verdict("Bash: git push"), Ask);
    assert_eq!(bypass(&["deny Bash(curl *)"]).verdict("Bash: curl x"), Deny);
    let edits = World::new().mode(PermissionMode::AcceptEdits).rules(&["allow Edit(.claude/**)"]);
    for (call, expected) in [
        ("Edit: /w/.claude/settings.json", Ask),
        ("Edit: /w/.claude/worktrees/a/x", Allow),
        ("Edit: /w/a", Allow),
        ("Edit: /tmp/a", Ask),
        ("Bash: mkdir -p x/y", Allow),
        ("Bash: mv a ../b", Ask),
        ("Bash: NO_COLOR=1 cp a b", Allow),
        ("Bash: chmod +x a", Ask),
    ] {
        assert_eq!(edits.verdict(call), expected, "{call}");
    }
    let silent =
        World::new().mode(PermissionMode::DontAsk).rules(&["allow Bash(npm test)", "allow AskUserQuestion"]);
    for (call, expected) in
        [("Bash: npm test", Allow), ("Bash: ls", Allow), ("Bash: npm run x", Deny), ("AskUserQuestion", Deny)]
    {
        assert_eq!(silent.verdict(call), expected, "{call}");
    }
}

#[test]
fn a_hooks_allow_opens_no_lock() {
    let allowed = |rules| World::new().rules(rules).hook(HookAdvice::Allow).verdict("Bash: git push");
    assert_eq!(allowed(&["ask Bash(git push *)"]), Ask);
    assert_eq!(allowed(&["deny Bash(git push *)"]), Deny);
    assert_eq!(allowed(&[]), Allow);
    assert_eq!(World::new().hook(HookAdvice::Allow).verdict("Bash: rm -rf ~"), Ask);
}

#[test]
fn bad_rules_are_problems_with_their_line_and_the_rest_holds() {
    let world = World::new().rules(&[
        "allow Bash(",
        "allow Read",
        "allow Write(docs/**)",
        "deny Glob(x)",
        "allow mcp__*",
    ]);
    let problems: Vec<String> = world.engine().1.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(problems.join("\n"), @r"
    project settings.json:1: allow rule `Bash(` is skipped: it does not end with `)`; write `Tool` or `Tool(specifier)`
    project settings.json:3: allow rule `Write(docs/**)` is skipped: paths of Write are allowed by `Edit(...)`; this rule allows nothing
    project settings.json:4: deny rule `Glob(x)` is kept: is read as `Read(x)`; write that
    project settings.json:5: allow rule `mcp__*` is skipped: a pattern of names is allowed only behind a server, as in `mcp__server__get_*`
    ");
    assert_eq!(world.verdict("Read: /etc/hosts"), Allow);
}

#[test]
fn the_policy_can_forbid_all_rules_but_its_own() {
    let world = World::new()
        .rule(RuleEffect::Allow, "Read", SettingSource::Policy)
        .rule(RuleEffect::Allow, "Bash(x)", SettingSource::Project)
        .rule(RuleEffect::Deny, "Bash(y)", SettingSource::User)
        .rule(RuleEffect::Deny, "Bash(z)", SettingSource::Cli)
        .rule(RuleEffect::Ask, "Bash(ls *)", SettingSource::Cli)
        .rule(RuleEffect::Allow, "Bash(q)", SettingSource::Cli);
    let mut config = world.config();
    config.scope = RuleScope::PolicyOnly;
    let (engine, _) = Engine::new(config);
    for (call, expected) in [
        ("Read: /etc/hosts", Allow),
        ("Bash: x", Ask),
        ("Bash: y", Ask),
        ("Bash: z", Deny),
        ("Bash: ls -a", Ask),
        ("Bash: q", Ask),
    ] {
        let (tool, input) = crate::world::parse(call);
        assert_eq!(world.ask(&engine, &tool, &input).verdict, expected, "{call}");
    }
}

#[test]
fn names_of_older_settings_are_read_with_a_warning_and_widen_nothing() {
    let world =
        World::new().rules(&["deny View", "ask BashOutput", "allow LS", "deny Bahs(rm *)", "deny my_tool"]);
    let problems: Vec<String> = world.engine().1.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(problems.join("\n"), @r"
    project settings.json:1: deny rule `View` is kept: `View` is called `Read` now; write that
    project settings.json:2: ask rule `BashOutput` is kept: `BashOutput` is called `TaskOutput` now; write that
    project settings.json:3: allow rule `LS` is skipped: it only listed folders; `Read` would let every file be read, so write what is meant
    project settings.json:4: deny rule `Bahs(rm *)` is skipped: there is no tool `Bahs`; perhaps `Bash` is meant
    ");
    assert_eq!(world.verdict("Read: /w/a"), Deny);
}
