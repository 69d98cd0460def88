//! What a decision costs with 10, 100 and 1,000 rules.
#![expect(clippy::unwrap_used, reason = "a bench that cannot start stops")]

use divan::Bencher;
use pegboard_permissions::{Engine, EngineConfig};
use pegboard_shell_analysis::ShellAnalyzer;
use pegboard_tool_core::ports::GateCall;
use pegboard_tool_core::{
    Accesses, ContextSnapshot, Effects, Origin, RuleEffect, RuleText, SettingSource, ToolContext,
    ToolDefinition,
};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

fn main() {
    divan::main();
}

const COUNTS: [usize; 3] = [10, 100, 1000];

/// Rules of which a part concerns each kind of call.
fn engine(count: usize, anchor: &Path, make: fn(usize) -> String) -> Engine {
    let mut config = EngineConfig::new(Arc::new(ShellAnalyzer::new()));
    config.home = Some("/home/u".into());
    let effects = [RuleEffect::Allow, RuleEffect::Ask, RuleEffect::Deny];
    config.rules = (0..count)
        .map(|at| RuleText::new(effects[at % 3], make(at), Origin::of(SettingSource::User), anchor))
        .collect();
    Engine::new(config).0
}

fn mixed(at: usize) -> String {
    match at % 4 {
        0 => format!("mcp__server{at}__tool"),
        1 => format!("Bash(program{at} *)"),
        2 => format!("Read(./folder{at}/**)"),
        _ => format!("WebFetch(domain:host{at}.test)"),
    }
}

fn path(at: usize) -> String {
    match at % 4 {
        0 => format!("Read(./folder{at}/**)"),
        1 => format!("Edit(/src/module{at}/*.rs)"),
        2 => format!("Read(~/.config{at}/**)"),
        _ => format!("Edit(name{at}.txt)"),
    }
}

fn command(at: usize) -> String {
    format!("Bash(program{at} run *)")
}

fn tool(name: &str) -> ToolDefinition {
    ToolDefinition::new(name, "", json!({"type": "object"})).unwrap()
}

fn run(
    bencher: Bencher<'_, '_>,
    engine: &Engine,
    name: &str,
    input: &Value,
    effects: Effects,
    accesses: &Accesses,
    root: &Path,
) {
    let tool = tool(name);
    let mut snapshot = ContextSnapshot::new(root, "s");
    snapshot.trusted = true;
    let ctx = ToolContext::new(Arc::new(snapshot));
    let call = GateCall::new(&tool, input, effects, accesses, &ctx);
    bencher.bench_local(|| engine.decide_now(divan::black_box(&call)));
}

#[divan::bench(args = COUNTS)]
fn plain_tool(bencher: Bencher<'_, '_>, count: usize) {
    let root = Path::new("/w");
    run(
        bencher,
        &engine(count, root, mixed),
        "TodoWrite",
        &json!({}),
        Effects::Writes,
        &Accesses::nothing(),
        root,
    );
}

#[divan::bench(args = COUNTS)]
fn file_tool(bencher: Bencher<'_, '_>, count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let file = root.join("src/a/b/file.rs");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "").unwrap();
    let accesses = Accesses::write_file(&file);
    run(
        bencher,
        &engine(count, &root, path),
        "Edit",
        &json!({"file_path": file}),
        Effects::Writes,
        &accesses,
        &root,
    );
}

#[divan::bench(args = COUNTS)]
fn four_command_line(bencher: Bencher<'_, '_>, count: usize) {
    let root = Path::new("/w");
    let input = json!({"command": "program1 run x && git status | program4 run y; echo done"});
    run(
        bencher,
        &engine(count, root, command),
        "Bash",
        &input,
        Effects::Destructive,
        &Accesses::Everything,
        root,
    );
}

/// Compiling all rules, as at the start and after each change of settings.
#[divan::bench(args = COUNTS)]
fn load(bencher: Bencher<'_, '_>, count: usize) {
    let kinds: [fn(usize) -> String; 3] = [mixed, path, command];
    let effects = [RuleEffect::Allow, RuleEffect::Ask, RuleEffect::Deny];
    let rules: Vec<RuleText> = (0..count)
        .map(|at| {
            let origin = Origin::of(SettingSource::User);
            RuleText::new(effects[at % 3], kinds[at / 3 % 3](at), origin, Path::new("/w"))
        })
        .collect();
    bencher.with_inputs(|| rules.clone()).bench_local_values(|rules| {
        let mut config = EngineConfig::new(Arc::new(ShellAnalyzer::new()));
        config.home = Some("/home/u".into());
        config.rules = rules;
        Engine::new(config).0
    });
}
