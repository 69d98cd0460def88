//! What it costs to assemble a pool, to look a name up in it, and to ask for its definitions again.
#![expect(clippy::unwrap_used, reason = "a bench that cannot start should stop")]

use divan::{AllocProfiler, Bencher};
use pegboard_registry::{Offer, ToolPool, assemble, assemble_after};
use pegboard_tool_core::ports::{InputValidator, SchemaError, ToolLookup, ToolSchema};
use pegboard_tool_core::{
    Availability, DynTool, InvalidInput, Invocation, ResultContent, ToolContext, ToolDefinition, ToolEnv,
};
use serde_json::{Value, json};
use std::sync::Arc;

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

#[derive(Debug)]
struct Plain(ToolDefinition);

impl DynTool for Plain {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn availability(&self, _env: &ToolEnv) -> Availability {
        Availability::Here
    }

    fn prepare(&self, _input: Arc<Value>, _ctx: &ToolContext) -> Result<Box<dyn Invocation>, InvalidInput> {
        Err(InvalidInput::new("only listed"))
    }

    fn map_output(&self, _data: &Value) -> Result<Vec<ResultContent>, InvalidInput> {
        Ok(Vec::new())
    }
}

#[derive(Debug)]
struct Any;

impl InputValidator for Any {
    fn prepare(&self, _definition: &ToolDefinition) -> Result<Arc<dyn ToolSchema>, SchemaError> {
        Ok(Arc::new(Self))
    }
}

impl ToolSchema for Any {
    fn check(&self, _input: &Value) -> Result<(), InvalidInput> {
        Ok(())
    }
}

fn offers(count: usize) -> Vec<Offer> {
    let schema = json!({
        "type": "object",
        "properties": {
            "file_path": {"type": "string", "description": "The absolute path of the file to change."},
            "old_string": {"type": "string", "description": "The text to replace."},
            "new_string": {"type": "string", "description": "The text to put there."},
            "replace_all": {"type": "boolean", "default": false},
        },
        "required": ["file_path", "old_string", "new_string"],
        "additionalProperties": false,
    });
    let offer = |number: usize| {
        // Not in the order of their names.
        let name = format!("tool_{:05}", number * 7_919 % count.max(1));
        let definition =
            ToolDefinition::new(name, "Does one thing, and does it well.", schema.clone()).unwrap();
        Offer::new(Arc::new(Plain(definition)))
    };
    (0..count).map(offer).collect()
}

fn pool(count: usize) -> ToolPool {
    assemble(offers(count), Vec::new(), &Any).pool
}

#[divan::bench(args = [10, 1_000, 10_000], sample_count = 30, sample_size = 1)]
fn assembling(bencher: Bencher<'_, '_>, count: usize) {
    let offers = offers(count);
    bencher.with_inputs(|| offers.clone()).bench_local_values(|offers| assemble(offers, Vec::new(), &Any));
}

#[divan::bench(args = [10_000], sample_count = 30, sample_size = 1)]
fn assembling_again(bencher: Bencher<'_, '_>, count: usize) {
    let offers = offers(count);
    let before = assemble(offers.clone(), Vec::new(), &Any).pool;
    bencher
        .with_inputs(|| offers.clone())
        .bench_local_values(|offers| assemble_after(&before, offers, Vec::new(), &Any));
}

#[divan::bench(args = [10, 10_000])]
fn look_up(bencher: Bencher<'_, '_>, count: usize) {
    let (pool, input) = (pool(count), Arc::new(json!({})));
    bencher.bench_local(|| pool.find(divan::black_box("tool_00007"), &input).is_some());
}

#[divan::bench(args = [10_000])]
fn definitions_again(bencher: Bencher<'_, '_>, count: usize) {
    let pool = pool(count);
    bencher.bench_local(|| divan::black_box(pool.definitions_json()).len());
}

#[divan::bench(args = [10_000], sample_count = 30)]
fn near_names(bencher: Bencher<'_, '_>, count: usize) {
    let pool = pool(count);
    bencher.bench_local(|| pool.near(divan::black_box("tol_00x07")).len());
}
