//! What a hook adds to the process that it is, and how long ends take. Compare the first two lines of one run.

#![expect(clippy::expect_used, reason = "a bench that cannot start should say so")]

use pegboard_hooks::{HookConfig, HookOptions, Hooks};
use pegboard_tool_core::ports::{HookCall, HookReportOutcome, HookRunner as _};
use pegboard_tool_core::{ContextSnapshot, Origin, SettingSource, ToolContext};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::Arc;

fn main() {
    divan::main();
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn ctx() -> ToolContext {
    let mut snapshot = ContextSnapshot::new("/", "bench");
    snapshot.env = Arc::new(BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]));
    ToolContext::new(Arc::new(snapshot))
}

fn hooks(handlers: Vec<Value>) -> Hooks {
    let layers = vec![(Origin::of(SettingSource::User), json!({"PreToolUse": [{"hooks": handlers}]}))];
    Hooks::new(HookConfig::from_layers(layers, &HookOptions::new()).0)
}

fn fire(runtime: &tokio::runtime::Runtime, hooks: &Hooks, ctx: &ToolContext) -> HookReportOutcome {
    let input = json!({"command": "npm test"});
    let said = runtime.block_on(hooks.pre(&HookCall::new("Bash", &[], "toolu_1", &input, ctx)));
    said.reports.last().expect("a report").outcome
}

/// The floor: the same process without us.
#[divan::bench]
fn a_bare_sh_true(bencher: divan::Bencher<'_, '_>) {
    let runtime = runtime();
    bencher.bench_local(|| {
        runtime.block_on(async {
            let mut command = tokio::process::Command::new("/bin/sh");
            command.args(["-c", "true"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().await.expect("sh")
        })
    });
}

/// The same as a hook: at most 3 ms more.
#[divan::bench]
fn b_hook_true(bencher: divan::Bencher<'_, '_>) {
    let (runtime, ctx) = (runtime(), ctx());
    let hooks = hooks(vec![json!({"type": "command", "command": "true"})]);
    bencher.bench_local(|| fire(&runtime, &hooks, &ctx));
}

/// Many at once.
#[divan::bench(sample_count = 10)]
fn c_hundred_hooks_true(bencher: divan::Bencher<'_, '_>) {
    let (runtime, ctx) = (runtime(), ctx());
    let many = (0..100).map(|number| json!({"type": "command", "command": format!("true #{number}")}));
    let hooks = hooks(many.collect());
    bencher.bench_local(|| fire(&runtime, &hooks, &ctx));
}

/// No handler for the event: nothing.
#[divan::bench]
fn d_no_hook(bencher: divan::Bencher<'_, '_>) {
    let (runtime, ctx) = (runtime(), ctx());
    let (hooks, input) = (Hooks::new(HookConfig::default()), json!({}));
    bencher.bench_local(|| {
        runtime.block_on(hooks.pre(&HookCall::new("Bash", &[], "t", &input, &ctx))).reports.len()
    });
}

/// A time limit of 100 ms on what ends politely, and on what ignores TERM with a grandchild that holds the pipes:
/// what is above 100 ms is the time of the kill, at most 500 ms.
#[divan::bench(sample_count = 10, args = [
    "exec sleep 300",
    "trap '' TERM; sh -c \"trap '' TERM; sleep 300\" & while :; do sleep 1; done",
    "setsid sh -c 'trap \"\" TERM; sleep 300; sleep 300' & sleep 300",
])]
fn e_limit_of_100_ms(bencher: divan::Bencher<'_, '_>, command: &str) {
    let (runtime, ctx) = (runtime(), ctx());
    let hooks = hooks(vec![json!({"type": "command", "command": command, "timeout": 0.1})]);
    bencher.bench_local(|| assert_eq!(fire(&runtime, &hooks, &ctx), HookReportOutcome::TimedOut));
}
