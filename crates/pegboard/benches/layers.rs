//! The real layers together: a small call through all phases, and a large pool with its validators.

#![expect(clippy::expect_used, reason = "a bench that cannot start should say so")]

use pegboard::permissions::{Engine, EngineConfig};
use pegboard::ports::ToolLookup;
use pegboard::registry::{Offer, assemble};
use pegboard::schema::SchemaValidator;
use pegboard::{
    Accesses, Concurrency, ContextSnapshot, DynTool, Effects, Origin, Pegboard, RuleEffect, RuleText,
    SettingSource, ToolBuilder, ToolContext, ToolOutput, ToolUse,
};
use serde::Deserialize;
use std::path::Path;
use std::sync::Arc;

#[global_allocator]
static ALLOC: divan::AllocProfiler = divan::AllocProfiler::system();

fn main() {
    divan::main();
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Add {
    a: i64,
    b: i64,
}

fn tool(name: &str) -> Arc<dyn DynTool> {
    ToolBuilder::new(name, "Adds two numbers.")
        .concurrency(Concurrency::Shared)
        .effects(Effects::ReadOnly)
        .accesses(Accesses::nothing())
        .build(|input: Add, _ctx| async move { Ok(ToolOutput::new(input.a + input.b)) })
        .expect("a good definition")
}

fn engine(rules: usize) -> Arc<Engine> {
    let mut config = EngineConfig::new(Arc::new(pegboard::shell_analysis::ShellAnalyzer::new()));
    let origin = Origin::of(SettingSource::User);
    let deny = |n: usize| format!("Bash(program{n} *)");
    config.rules = (0..rules)
        .map(|n| RuleText::new(RuleEffect::Deny, deny(n), origin.clone(), Path::new("/w")))
        .collect();
    config.rules.push(RuleText::new(RuleEffect::Allow, "Add0", origin, Path::new("/w")));
    Arc::new(Engine::new(config).0)
}

/// One call through all seven phases, schema check and rule engine included.
#[divan::bench(args = [(1, 0), (1000, 0), (1, 100), (1000, 1000)])]
fn call_with_tools_and_rules(bencher: divan::Bencher<'_, '_>, (tools, rules): (usize, usize)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let tools = (0..tools).map(|n| tool(&format!("Add{n}")));
    let pegboard = Pegboard::builder().tools(tools).gate(engine(rules)).build().expect("good tools");
    let ctx = ToolContext::new(Arc::new(ContextSnapshot::new("/w", "bench")));
    let call = ToolUse::new("t1", "Add0", serde_json::json!({"a": 1, "b": 2}));
    bencher.bench_local(|| {
        let finished = runtime.block_on(pegboard.invoke(call.clone(), ctx.clone()));
        assert!(!finished.result.is_error);
        finished
    });
}

/// What the call costs without pegboard: parse the input, run the closure, make the result text.
#[divan::bench]
fn floor(bencher: divan::Bencher<'_, '_>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let input = serde_json::json!({"a": 1, "b": 2});
    bencher.bench_local(|| {
        runtime.block_on(async {
            let add = Add::deserialize(divan::black_box(&input)).expect("a good input");
            divan::black_box(serde_json::to_value(add.a + add.b).map(|sum| sum.to_string()))
        })
    });
}

/// 10,000 tools into a pool, with the real validator.
#[divan::bench(sample_count = 20)]
fn assemble_10_000(bencher: divan::Bencher<'_, '_>) {
    let tools: Vec<_> = (0..10_000).map(|n| tool(&format!("Add{n}"))).collect();
    bencher
        .with_inputs(|| tools.iter().cloned().map(Offer::new).collect::<Vec<_>>())
        .bench_local_values(|offers| assemble(offers, Vec::new(), &SchemaValidator::new()));
}

/// One look-up among 10,000 tools.
#[divan::bench]
fn look_up_in_10_000(bencher: divan::Bencher<'_, '_>) {
    let tools = (0..10_000).map(|n| Offer::new(tool(&format!("Add{n}")))).collect();
    let pool = assemble(tools, Vec::new(), &SchemaValidator::new()).pool;
    let input = Arc::new(serde_json::json!({}));
    bencher.bench_local(|| pool.find(divan::black_box("Add7777"), &input).is_some());
}
