//! `permissions explain`, `test`, `lint` and `replay`.

use crate::world::{Said, World};
use serde_json::{Value, json};

/// What was printed, with the folders of the test named.
fn plain(world: &World, text: &str) -> String {
    let home = world.home().canonicalize().unwrap();
    text.replace(world.project().to_str().unwrap(), "/w").replace(home.to_str().unwrap(), "/home")
}

fn explain(world: &World, args: &[&str]) -> Said {
    let args: Vec<&str> = ["permissions", "explain"].into_iter().chain(args.iter().copied()).collect();
    world.run(&args, "")
}

#[test]
fn explain_shows_every_step_with_rule_file_and_line() {
    let world = World::new();
    let settings = r#"{"permissions": {
        "ask": ["Bash(git *)"],
        "deny": ["Bash(git push *)"]
    }}"#;
    world.file(".pegboard/settings.json", settings);
    let said = explain(&world, &["Bash(git push origin)", "--allow", "Bash"]);
    assert_eq!(said.code, 0, "{}", said.err);
    insta::assert_snapshot!(plain(&world, &said.out), @r"
        Bash  git push origin
        in /w, mode default

        deny: the project rule `Bash(git push *)` names this command

        > 1 deny rules   deny   names this command
                                deny `Bash(git push *)`, project /w/.pegboard/settings.json:3
          2 ask rules    ask    names this command
                                ask `Bash(git *)`, project /w/.pegboard/settings.json:2
          3 the tool     -
          4 safety       -
          5 hook asks    -
          6 hook allows  -
          7 mode         -
          8 allow rules  allow
                                allow `Bash`, cli
          9 default      ask    no rule allows it
        ");
    let same = explain(&world, &["--command", "git push origin", "--allow", "Bash"]);
    assert_eq!(same.out, said.out);
    let same = explain(
        &world,
        &["--tool", "Bash", "--input", r#"{"command":"git push origin"}"#, "--allow", "Bash"],
    );
    assert_eq!(same.out, said.out);
    let report = explain(&world, &["Bash(git push origin)", "--format", "json"]);
    let report: Value = serde_json::from_str(&report.out).unwrap();
    assert_eq!((&report["behavior"], &report["line"]), (&json!("deny"), &json!(3)));
}

#[test]
fn suggested_rules_let_the_call_run() {
    let world = World::new();
    for call in [
        "Bash(npm publish --tag next)",
        "Bash(make && make install)",
        "Edit(src/a.rs)",
        "Read(/opt/x)",
        "WebFetch(https://example.com/serde)",
        "mcp__git__log",
        "Agent(Explore)",
        "WebSearch",
    ] {
        let said = explain(&world, &[call, "--suggest", "--format", "json"]);
        let report: Value = serde_json::from_str(&said.out).unwrap();
        let rules: Vec<&str> =
            report["suggest"].as_array().unwrap().iter().map(|rule| rule.as_str().unwrap()).collect();
        assert!(!rules.is_empty(), "{call}: {report}");
        let options: Vec<&str> = rules.iter().flat_map(|rule| ["--allow", rule]).collect();
        let args: Vec<&str> = [call, "--format", "json"].into_iter().chain(options).collect();
        let again: Value = serde_json::from_str(&explain(&world, &args).out).unwrap();
        assert_eq!(again["behavior"], "allow", "{call}: {rules:?}");
        // In the mode that asks nobody the same rules help.
        let refused = explain(&world, &[call, "--suggest", "--format", "json", "--mode", "dontAsk"]);
        let refused: Value = serde_json::from_str(&refused.out).unwrap();
        assert_eq!(
            (&refused["behavior"], &refused["suggest"]),
            (&json!("deny"), &report["suggest"]),
            "{call}"
        );
    }
}

#[test]
fn no_rule_is_suggested_where_none_helps() {
    let world = World::new();
    let why = |args: &[&str]| {
        let args: Vec<&str> = args.iter().copied().chain(["--suggest"]).collect();
        let out = explain(&world, &args).out;
        plain(&world, out.lines().last().unwrap())
    };
    insta::assert_snapshot!(
        [
            why(&["Bash(rm x)", "--deny", "Bash(rm *)"]),
            why(&["Bash(git push)", "--ask", "Bash(git *)"]),
            why(&["Edit(.git/config)"]),
            why(&["Bash(rm -rf /)"]),
            why(&["AskUserQuestion"]),
            why(&["Edit(a)", "--mode", "plan"]),
            why(&["Bash(ls)"]),
            why(&["Bash(for x in 1; do $x; done)"]),
        ]
        .join("\n")
    , @r"
        no rule to suggest; none would help: the deny rule `Bash(rm *)` (cli) stands above every allow rule; narrow it or remove it
        no rule to suggest; none would help: the ask rule `Bash(git *)` (cli) stands above every allow rule; narrow it or remove it
        no rule to suggest; none would help: a safety check stands in every mode and above every rule (`.git` is protected: only a person may let it change)
        no rule to suggest; none would help: a safety check stands in every mode and above every rule (removing `/` would take away more than a build folder)
        no rule to suggest; none would help: this tool always needs a person
        no rule to suggest; none would help: plan mode: nothing changes until the plan is approved
        no rule to suggest; none is needed: it runs already
        no rule to suggest; none that is narrow: what this call does cannot be told well enough to allow it by a rule
        ");
}

#[test]
fn what_is_no_call_cannot_be_explained() {
    let world = World::new();
    for args in
        [&["Bash("][..], &["Read()"], &["Cron(x)"], &[], &["--tool", "Bash"], &["Read", "--command", "ls"]]
    {
        let said = explain(&world, args);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}");
    }
}

fn test_file(world: &World, lines: &[Value]) -> Said {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    world.file("policy.jsonl", text);
    world.run(&["permissions", "test", "policy.jsonl"], "")
}

#[test]
fn policy_tests_print_what_differs() {
    let world = World::new();
    let allow = json!({"allow": ["Bash(npm test *)"], "deny": ["Bash(curl *)"]});
    let right = [
        json!({"id": "a", "tool": "Bash", "input": {"command": "npm test"}, "settings": allow, "expect": "allow", "kind": "shell", "seen": []}),
        json!({"id": "b", "tool": "Bash", "input": {"command": "curl x"}, "settings": allow, "expect": "ask", "also": ["deny"]}),
    ];
    let said = test_file(&world, &right);
    assert_eq!((said.code, said.out.as_str()), (0, "2 tests, 2 as expected\n"), "{}", said.err);
    let mut lines = right.to_vec();
    lines.push(json!({"id": "c", "tool": "Bash", "input": {"command": "npm test && curl x"}, "settings": allow, "expect": "allow", "why": "Tests may\u{1b}[2J run."}));
    lines.push(json!({"tool": "Bash", "input": {"command": "make"}, "settings": allow, "expect": "allow", "debatable": true}));
    let said = test_file(&world, &lines);
    assert_eq!(said.code, 4, "{}", said.err);
    insta::assert_snapshot!(plain(&world, &said.out), @r#"
        differs c (line 3): expected allow, got deny
          call    Bash {"command":"npm test && curl x"}
          because the project rule `Bash(curl *)` names this command
          rule    deny Bash(curl *) (project)
          test    Tests may\u{1b}[2J run.
        debatable line 4: expected allow, got ask
          call    Bash {"command":"make"}
          because no rule allows `make`
        4 tests, 2 as expected, 1 differ, 1 debatable
        "#);
    let report = world.run(&["permissions", "test", "policy.jsonl", "--format", "json"], "");
    let report: Value = serde_json::from_str(&report.out).unwrap();
    assert_eq!((&report["tests"], &report["right"]), (&json!(4), &json!(2)));
    assert_eq!((&report["differ"][0]["id"], &report["differ"][0]["behavior"]), (&json!("c"), &json!("deny")));
    // A debatable one alone fails nothing, unless it is to.
    let said = test_file(&world, &lines[3..]);
    assert_eq!(said.code, 0);
    assert_eq!(world.run(&["permissions", "test", "policy.jsonl", "--strict"], "").code, 4);
}

#[test]
fn a_policy_test_that_is_none_is_an_error() {
    let world = World::new();
    for text in [
        "",
        "\n \n",
        "{",
        "[]",
        r#"{"tool":"Read","input":{"file_path":"a"}}"#,
        r#"{"tool":"Read","input":{"file_path":"a"},"expect":"maybe"}"#,
        r#"{"tool":"Read","input":{"file_path":"a"},"expect":"allow","also":"x"}"#,
        r#"{"tool":"Read","input":{"file_path":"a"},"expect":"allow","setup":[1]}"#,
        r#"{"expect":"allow"}"#,
    ] {
        world.file("policy.jsonl", text);
        let said = world.run(&["permissions", "test", "policy.jsonl"], "");
        assert_eq!(said.code, 2, "{text}: {}", said.out);
    }
    assert_eq!(world.run(&["permissions", "test", "missing.jsonl"], "").code, 2);
}

#[test]
fn setup_lines_run_in_the_folder_of_the_test_first() {
    let world = World::new();
    world.file("sub/keep", "");
    let settings = json!({"deny": ["Read(./real.txt)"]});
    let test = json!({"tool": "Read", "input": {"file_path": "link.txt"}, "settings": settings, "cwd": "sub",
        "setup": ["echo x > real.txt", "ln -s real.txt link.txt"], "expect": "deny"});
    world.file("policy.jsonl", test.to_string());
    let said = world.run(&["permissions", "test", "policy.jsonl", "--no-setup"], "");
    assert_eq!(said.code, 4, "{}", said.out);
    assert!(!world.project().join("sub/link.txt").exists());
    let said = world.run(&["permissions", "test", "policy.jsonl"], "");
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(world.project().join("sub/link.txt").exists());
    // Again: the link is there, which is said and does no harm.
    let said = world.run(&["permissions", "test", "policy.jsonl"], "");
    assert!(said.code == 0 && said.err.contains("failed"), "{}", said.err);
}

#[test]
fn tests_without_settings_test_this_configuration() {
    let world = World::new();
    world.file(".pegboard/settings.json", r#"{"permissions": {"deny": ["Bash(curl *)"]}}"#);
    let said =
        test_file(&world, &[json!({"tool": "Bash", "input": {"command": "curl x"}, "expect": "deny"})]);
    assert_eq!(said.code, 0, "{}", said.out);
}

#[test]
fn lint_says_what_is_wrong_where_and_what_to_write() {
    let world = World::new();
    let settings = r#"{"permissions": {
        "allow": ["Bash(git:* push)",
            "Write(docs/**)",
            "Bash(python *)",
            "Bash(git push --tags)"],
        "deny": ["Read(/etc/passwd)",
            "Bash(git push *)"]
    }}"#;
    world.file(".pegboard/settings.json", settings);
    let said = world.run(&["permissions", "lint", "--quiet"], "");
    assert_eq!(said.code, 4, "{}", said.err);
    insta::assert_snapshot!(plain(&world, &said.out), @r"
        /w/.pegboard/settings.json:2: misleading: allow Bash(git:* push)
          `:*` means `with any arguments` only at the end; elsewhere the colon is a colon
          write: Bash(git * push)
        /w/.pegboard/settings.json:3: wrong-tool: allow Write(docs/**)
          paths of Write are judged by `Edit(...)` rules
          write: Edit(docs/**)
        /w/.pegboard/settings.json:4: too-broad: allow Bash(python *)
          `python` runs whatever follows it, so this allows every command; name what it may run
        /w/.pegboard/settings.json:5: shadowed: allow Bash(git push --tags)
          the deny rule `Bash(git push *)` refuses all that it names, so it has no effect
          see: deny Bash(git push *) (/w/.pegboard/settings.json:7)
        /w/.pegboard/settings.json:6: misleading: deny Read(/etc/passwd)
          one slash starts at the folder of the settings, so this means `/w/etc/passwd`; two slashes are the root of the file system
          write: Read(//etc/passwd)
        6 rules, 5 problems
        ");
    let report = world.run(&["permissions", "lint", "--quiet", "--format", "json"], "");
    assert_eq!(report.code, 4);
    let report: Value = serde_json::from_str(&report.out).unwrap();
    assert_eq!((&report["rules"], &report["problems"]), (&json!(6), &json!(5)));
    let finding = &report["findings"][4];
    assert_eq!((&finding["kind"], &finding["line"]), (&json!("misleading"), &json!(6)), "{report}");
    assert_eq!(finding["fix"], "Read(//etc/passwd)");
}

#[test]
fn lint_is_content_with_rules_that_say_what_they_mean() {
    let world = World::new();
    let said = world.run(&["permissions", "lint"], "");
    assert_eq!((said.code, said.out.as_str()), (0, "0 rules, 0 problems\n"));
    world.file(
        ".pegboard/settings.json",
        r#"{"permissions": {"allow": ["Bash(npm test *)"], "deny": ["Read(./.env)"]}}"#,
    );
    let said = world.run(&["permissions", "lint", "--quiet"], "");
    assert_eq!((said.code, said.out.as_str()), (0, "2 rules, 0 problems\n"));
    // Notes alone are no problem.
    world.file(".pegboard/settings.json", r#"{"permissions": {"deny": ["Bash(rm -rf *)"]}}"#);
    let said = world.run(&["permissions", "lint", "--quiet"], "");
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(said.out.ends_with("1 rule, 0 problems, 1 note\n"), "{}", said.out);
    // An entry that is no text is one.
    world.file(".pegboard/settings.json", r#"{"permissions": {"deny": [5]}}"#);
    assert_eq!(world.run(&["permissions", "lint", "--quiet"], "").code, 4);
    world.file(".pegboard/settings.json", "{");
    assert_eq!(world.run(&["permissions", "lint", "--quiet"], "").code, 2);
}

#[test]
fn replay_shows_which_calls_would_be_decided_otherwise() {
    let world = World::new();
    world.file("a.txt", "alpha\n");
    let calls = [
        ("t1", "Bash", json!({"command": "touch b.txt"})),
        ("t2", "Read", json!({"file_path": "a.txt"})),
        ("t3", "Bash", json!({"command": "make"})),
        ("t4", "Bash", json!({"command": "mkdir sub && cd sub"})),
        ("t5", "Bash", json!({"command": "touch c.txt"})),
    ];
    let options = ["--events", "events.jsonl", "--allow", "Bash(touch *)", "--allow", "Bash(mkdir *)"];
    let (said, _) = world.turn(&options, &calls);
    assert_eq!(said.code, 0, "{}", said.err);
    let new = r#"{"permissions": {"allow": ["Bash(make)", "Bash(touch *)", "Bash(mkdir *)"], "deny": ["Read(./a.txt)", "Read(./sub/c.txt)", "Edit(./sub/**)"]}}"#;
    world.file("new.json", new);
    let said = world.run(&["permissions", "replay", "events.jsonl", "--settings", "new.json"], "");
    assert_eq!(said.code, 0, "{}", said.err);
    insta::assert_snapshot!(plain(&world, &said.out), @r#"
        changes t2: Read {"file_path":"/w/a.txt"}
          was allow: it only reads inside the working directories
          now deny: deny `Read(./a.txt)` (flag /w/new.json:1)
        changes t3: Bash {"command":"make"}
          was ask, refused by nobody: Permission denied: no rule allows `make`; the call needs an approval and nobody gave one.
          now allow: allow `Bash(make)` (flag /w/new.json:1)
        changes t4: Bash {"command":"mkdir sub && cd sub"}
          was allow: allow `Bash(mkdir *)` (cli)
          now deny: deny `Edit(./sub/**)` (flag /w/new.json:1)
        changes t5: Bash {"command":"touch c.txt"}
          was allow: allow `Bash(touch *)` (cli)
          now deny: deny `Read(./sub/c.txt)` (flag /w/new.json:1)
        5 calls, 4 decided otherwise (1 now allowed, 3 now refused)
        "#);
    let report = world
        .run(&["permissions", "replay", "events.jsonl", "--settings", "new.json", "--format", "json"], "");
    let report: Value = serde_json::from_str(&report.out).unwrap();
    assert_eq!(report["calls"].as_array().map(Vec::len), Some(5));
    // By the same rules everything stays.
    let same =
        ["permissions", "replay", "events.jsonl", "--allow", "Bash(touch *)", "--allow", "Bash(mkdir *)"];
    let said = world.run(&same, "");
    assert_eq!(said.out, "5 calls, 0 decided otherwise\n");
}

#[test]
fn a_session_can_be_replayed_from_its_folder() {
    let world = World::new();
    let calls = [
        ("t1", "Bash", json!({"command": "touch b.txt"})),
        ("t2", "Bash", json!({"command": "make"})),
        ("t3", "Bash", json!({"command": "mkdir sub && cd sub"})),
        ("t4", "Bash", json!({"command": "touch c.txt"})),
    ];
    let options = ["--session-dir", "s", "--allow", "Bash(touch *)", "--allow", "Bash(mkdir *)"];
    let (said, _) = world.turn(&options, &calls);
    assert_eq!(said.code, 0, "{}", said.err);
    let same = ["permissions", "replay", "s", "--allow", "Bash(touch *)", "--allow", "Bash(mkdir *)"];
    assert_eq!(world.run(&same, "").out, "4 calls, 0 decided otherwise\n");
    let new = [
        "permissions",
        "replay",
        "s",
        "--allow",
        "Bash(make)",
        "--allow",
        "Bash(mkdir *)",
        "--deny",
        "Edit(./sub/**)",
    ];
    insta::assert_snapshot!(plain(&world, &world.run(&new, "").out), @r#"
        changes t1: Bash {"command":"touch b.txt"}
          was ran
          now ask: no rule allows `touch b.txt`
        changes t2: Bash {"command":"make"}
          was refused
          now allow: allow `Bash(make)` (cli)
        changes t3: Bash {"command":"mkdir sub && cd sub"}
          was ran
          now deny: deny `Edit(./sub/**)` (cli)
        changes t4: Bash {"command":"touch c.txt"}
          was ran
          now deny: deny `Edit(./sub/**)` (cli)
        4 calls, 4 decided otherwise (1 now allowed, 1 now asked about, 2 now refused)
        "#);
}

#[test]
fn what_holds_no_calls_cannot_be_replayed() {
    let world = World::new();
    world.file("empty.jsonl", "");
    world.file("text.jsonl", "hello\n");
    world.file("other.jsonl", "{\"a\":1}\n");
    for file in ["empty.jsonl", "text.jsonl", "other.jsonl", "missing.jsonl", "."] {
        let said = world.run(&["permissions", "replay", file], "");
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{file}: {}", said.err);
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    }
}

#[test]
fn reports_have_no_colours_where_nobody_looks() {
    let world = World::new();
    world.file(".pegboard/settings.json", r#"{"permissions": {"allow": ["Bash(python *)"]}}"#);
    for args in
        [&["permissions", "lint", "-q"][..], &["permissions", "explain", "Bash(make)", "-q", "--suggest"]]
    {
        assert!(!world.run(args, "").out.contains('\u{1b}'));
    }
}
