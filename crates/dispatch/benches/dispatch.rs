//! One small call through all seven phases, against a floor: the same tool called with nothing around
//! it. The gate with rules is a fake that looks at each; the facade measures the real one.

use divan::{AllocProfiler, Bencher};
use pegboard_dispatch::{DispatchConfig, Dispatcher};
use pegboard_test_support::{AllowAll, FakeLookup, ScriptedGate};
use pegboard_tool_core::ports::{Decision, DecisionStep, PermissionGate, ToolInvoker, Verdict};
use pegboard_tool_core::{
    Accesses, Concurrency, ContextSnapshot, DynTool, Effects, Grant, ToolBuilder, ToolContext, ToolOutput,
    ToolUse,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

#[derive(Debug, Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

fn main() {
    divan::main();
}

#[expect(clippy::expect_used, reason = "a benchmark without its parts measures nothing")]
fn add(name: &str) -> Arc<dyn DynTool> {
    ToolBuilder::new(name, "Adds two numbers.")
        .concurrency(Concurrency::Shared)
        .effects(Effects::ReadOnly)
        .accesses(Accesses::nothing())
        .build(|input: Add, _ctx| async move { Ok(ToolOutput::new(input.a + input.b)) })
        .expect("the tool is well defined")
}

#[expect(clippy::expect_used, reason = "a benchmark without its parts measures nothing")]
fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().expect("a runtime starts")
}

fn dispatcher(tools: usize, gate: Arc<dyn PermissionGate>) -> Dispatcher {
    let tools = (0..tools).map(|n| add(&format!("Add{n}")));
    Dispatcher::new(DispatchConfig::new(Arc::new(FakeLookup::new(tools)), gate))
}

fn input() -> Arc<Value> {
    Arc::new(json!({ "a": 1, "b": 2 }))
}

fn context() -> ToolContext {
    ToolContext::new(Arc::new(ContextSnapshot::new("/w", "bench")))
}

/// Parses the input and runs the tool: what nobody can go below with a typed tool behind a pointer.
#[divan::bench(sample_size = 500)]
fn floor(bencher: Bencher<'_, '_>) {
    let (runtime, tool, ctx, input) = (runtime(), add("Add0"), context(), input());
    bencher.bench_local(|| {
        runtime.block_on(async {
            let invocation = tool.prepare(Arc::clone(&input), &ctx)?;
            let output = invocation.call(Grant::default(), ctx.clone(), Arc::new(())).await;
            Ok::<_, pegboard_tool_core::InvalidInput>(output.is_ok())
        })
    });
}

#[divan::bench(args = [1, 1_000], sample_size = 500)]
fn call(bencher: Bencher<'_, '_>, tools: usize) {
    bench(bencher, &dispatcher(tools, Arc::new(AllowAll)));
}

#[divan::bench(args = [1, 1_000], sample_size = 500)]
fn call_with_100_rules(bencher: Bencher<'_, '_>, tools: usize) {
    let rules: Vec<String> = (0..100).map(|n| format!("Other{n}")).collect();
    let gate = ScriptedGate::deciding(move |call| {
        let denied = rules.iter().any(|rule| rule == call.tool.name.as_str());
        let verdict = if denied { Verdict::Deny } else { Verdict::Allow };
        Decision::new(verdict, DecisionStep::AllowRule, "a rule says so")
    });
    bench(bencher, &dispatcher(tools, Arc::new(gate)));
}

fn bench(bencher: Bencher<'_, '_>, dispatcher: &Dispatcher) {
    let (runtime, ctx, input) = (runtime(), context(), input());
    let (id, name): (Arc<str>, Arc<str>) = ("toolu_1".into(), "Add0".into());
    bencher.bench_local(|| {
        let mut call = ToolUse::new(Arc::clone(&id), Arc::clone(&name), Value::Null);
        call.input = pegboard_tool_core::RawInput::Json(Arc::clone(&input));
        runtime.block_on(dispatcher.invoke(call, ctx.clone()))
    });
}
