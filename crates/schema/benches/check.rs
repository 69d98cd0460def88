//! What it costs to check an input, and to say what is wrong with it.
#![expect(clippy::unwrap_used, reason = "a bench that cannot start should stop")]

use divan::AllocProfiler;
use divan::Bencher;
use pegboard_schema::{InputSchema, SchemaValidator};
use pegboard_tool_core::ToolDefinition;
use pegboard_tool_core::ports::{InputValidator, ToolSchema};
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

fn definition() -> ToolDefinition {
    let schema = json!({
        "type": "object",
        "properties": {
            "file_path": {"type": "string"},
            "old_string": {"type": "string"},
            "new_string": {"type": "string"},
            "replace_all": {"type": "boolean"},
        },
        "required": ["file_path", "old_string", "new_string"],
        "additionalProperties": false,
    });
    ToolDefinition::new("Edit", "Edits.", schema).unwrap()
}

fn check(bencher: Bencher<'_, '_>, input: &Value) {
    let schema = InputSchema::new(&definition()).unwrap();
    schema.compile().unwrap();
    bencher.bench_local(|| schema.check(divan::black_box(input)).is_ok());
}

#[divan::bench]
fn valid_input(bencher: Bencher<'_, '_>) {
    check(bencher, &json!({"file_path": "/a", "old_string": "a", "new_string": "b", "replace_all": true}));
}

#[divan::bench]
fn invalid_input_explained(bencher: Bencher<'_, '_>) {
    check(bencher, &json!({"path": "/a", "old_string": 5, "new_string": "b", "replace_all": "true"}));
}

#[divan::bench]
fn prepare(bencher: Bencher<'_, '_>) {
    let definition = definition();
    bencher.bench_local(|| SchemaValidator::new().prepare(divan::black_box(&definition)).unwrap());
}

#[divan::bench]
fn compile(bencher: Bencher<'_, '_>) {
    let definition = definition();
    bencher.bench_local(|| InputSchema::new(&definition).unwrap().compile());
}
