//! Whatever the text: no panic, bounded work and stack, and no silence about what was not understood.

use std::sync::Arc;

use pegboard_shell_analysis::ShellAnalyzer;
use pegboard_tool_core::ports::{CommandAnalyzer, CommandReport, ShellStart};
use proptest::prelude::*;

fn analyze(line: &str) -> Arc<CommandReport> {
    ShellAnalyzer::new().analyze(line, &ShellStart::bash("/w", Some("/home/u".into())))
}

/// Analyses on a thread with a stack of 2 MiB, as test threads and runtimes have.
fn analyze_on_small_stack(line: String) -> Arc<CommandReport> {
    std::thread::Builder::new().stack_size(2 << 20).spawn(move || analyze(&line)).unwrap().join().unwrap()
}

#[test]
fn every_bracket_nested_deeply_is_opaque_and_costs_no_stack() {
    let kinds = [
        ("{ ", "; }"),
        ("(", ")"),
        ("( ", " )"),
        ("$(", ")"),
        ("`", "`"),
        ("${a:-", "}"),
        ("${a[", "]}"),
        ("$((", "))"),
        ("$[", "]"),
        ("((", "))"),
        ("a[", "]=1"),
        ("\"$(", ")\""),
        ("<(", ")"),
        ("x=(", ")"),
        ("{a,", "}"),
        ("if ", "; then x; fi"),
        ("while ", "; do x; done"),
        ("for x in y; do ", "; done"),
        ("for ((;;)); do ", "; done"),
        ("case x in x) ", ";; esac"),
        ("[[ ( ", " ) ]]"),
        ("[[ x == @(", ") ]]"),
        ("f() { ", "; }"),
        ("function f { ", "; }"),
        ("coproc { ", "; }"),
        ("! ", ""),
        ("time ", ""),
        ("eval \"", "\""),
        ("cat <<x\n$(", ")\nx\n"),
        ("x && { ", "; }"),
    ];
    for (open, close) in kinds {
        for depth in [10, 49, 51, 100, 400, 1_000, 10_000] {
            let line = format!("{}$(rm x){}", open.repeat(depth), close.repeat(depth));
            let report = analyze_on_small_stack(line);
            let ran = report.commands.iter().any(|command| {
                command.argv.iter().any(|word| word.as_deref().is_some_and(|word| word.contains("rm")))
            });
            assert!(
                ran || !report.opaque.is_empty()
                    || report.commands.iter().any(|command| command.program.is_none()),
                "{open} {depth}: {report:?}"
            );
            // Without what closes it.
            let report = analyze_on_small_stack(format!("{}$(rm x)", open.repeat(depth)));
            assert!(!report.opaque.is_empty() || !report.commands.is_empty(), "{open} {depth}");
        }
    }
}

#[test]
fn lines_that_break_other_parsers_are_answered() {
    let mut braces = "{a,".repeat(16);
    braces.push('x');
    braces.push_str(&"}".repeat(16));
    let lines = [
        "${a[${a[${a[${a[${a[0]}]}]}]}]}".to_owned(),
        "${a[${a[${a[${a[${a[${a[${a[${a[0]}]}]}]}]}]}]}]}".to_owned(),
        braces,
        "{ ".repeat(400),
        "{1..1000000000}".to_owned(),
        "{a,b}".repeat(40),
        "{{a,b},{c,d}}".repeat(20),
    ];
    for line in lines {
        let report = analyze_on_small_stack(line.clone());
        let is_unclear = report.commands.iter().any(|command| command.program.is_none());
        let is_followed = report.commands.iter().any(|command| command.argv.len() == 17);
        assert!(is_unclear || is_followed || !report.opaque.is_empty(), "{line}: {report:?}");
    }
}

#[test]
fn work_is_bounded_for_loops_in_loops() {
    let line = format!("{}rm x{}", "for i in a b c d e f g h; do x=$i; ".repeat(40), "; done".repeat(40));
    let report = analyze_on_small_stack(line);
    assert!(!report.opaque.is_empty());
}

#[test]
fn long_lines_other_shells_and_zero_bytes_are_opaque() {
    assert!(analyze(&"a".repeat(10_000)).opaque.is_empty());
    assert!(!analyze(&"a".repeat(10_001)).opaque.is_empty());
    assert!(!analyze(&"a ".repeat(5_000_000)).opaque.is_empty());
    assert!(!analyze("ls\0; rm x").opaque.is_empty());
    let mut other = ShellStart::bash("/w", None);
    other.is_bash = false;
    assert!(!ShellAnalyzer::new().analyze("ls", &other).opaque.is_empty());
}

/// Pieces of shell text, joined at random.
fn shell_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("rm x"),
        Just(" "),
        Just(";"),
        Just("\n"),
        Just("|"),
        Just("&"),
        Just("&&"),
        Just("("),
        Just(")"),
        Just("{ "),
        Just("}"),
        Just("$("),
        Just("${"),
        Just("$(("),
        Just("))"),
        Just("`"),
        Just("'"),
        Just("\""),
        Just("$'"),
        Just("\\"),
        Just("\\\n"),
        Just("<<E"),
        Just("\nE\n"),
        Just("<<<"),
        Just(">"),
        Just("<("),
        Just("if "),
        Just("then "),
        Just("fi"),
        Just("for x in "),
        Just("do "),
        Just("done"),
        Just("case x in "),
        Just("esac"),
        Just("[["),
        Just("]]"),
        Just("a["),
        Just("]="),
        Just("=("),
        Just("x="),
        Just("$x"),
        Just("eval "),
        Just("trap "),
        Just("{a,b}"),
        Just("~"),
        Just("*"),
        Just("#"),
        Just("!"),
        Just("f() "),
        Just("é"),
        Just("\u{a0}"),
        Just("bash -c "),
        Just("time "),
        Just("coproc "),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_answered(line in "\\PC{0,80}") {
        analyze(&line);
    }

    #[test]
    fn any_mix_of_shell_syntax_is_answered(line in shell_text()) {
        let report = analyze(&line);
        for command in &report.commands {
            prop_assert!(command.at <= line.len());
        }
    }

    #[test]
    fn quoting_a_word_gives_it_back(word in "[^\\x00\\x01\\x7f]{1,30}") {
        let single = word.replace('\'', "'\\''");
        let report = analyze(&format!("echo '{single}'"));
        prop_assert!(report.opaque.is_empty());
        prop_assert_eq!(report.commands[0].argv[1].as_deref(), Some(word.as_str()));
        let mut double = String::new();
        for char in word.chars() {
            if matches!(char, '"' | '\\' | '$' | '`') {
                double.push('\\');
            }
            double.push(char);
        }
        let report = analyze(&format!("echo \"{double}\""));
        prop_assert!(report.opaque.is_empty());
        prop_assert_eq!(report.commands[0].argv[1].as_deref(), Some(word.as_str()));
    }
}

#[test]
fn long_chains_of_starters_are_opaque() {
    for starter in ["env ", "nice ", "xargs ", "command ", "timeout 1 "] {
        for count in [60, 1_000] {
            let report = analyze(&format!("{}rm x", starter.repeat(count)));
            assert!(!report.opaque.is_empty(), "{starter} {count}");
            assert!(report.commands.len() <= 60, "{starter} {count}");
        }
        let report = analyze(&format!("{}rm x", starter.repeat(5)));
        assert!(report.opaque.is_empty(), "{starter}");
    }
}
