//! Calls as lines of JSON in `tests/calls`, through the pipeline with fakes. A line that is not
//! understood fails the test.

use crate::world::{World, text};
use pegboard_test_support::{AllowAll, Behaviour, DenyAll, FakeTool, ScriptedGate};
use pegboard_tool_core::ports::{PermissionGate, ToolInvoker};
use pegboard_tool_core::{ErrorKind, RawInput, ToolCheck, ToolUse};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What is shown.
    case: String,
    /// Id of the call.
    #[serde(default = "default_id")]
    id: String,
    /// Name as called.
    name: String,
    /// Arguments; a text under `unreadable` is no JSON.
    input: Option<Value>,
    unreadable: Option<String>,
    /// `allow` (default), `deny`, `ask`.
    #[serde(default)]
    gate: GateKind,
    /// What the tool `Echo` does: `succeed` (default), `fail`, `panic`.
    #[serde(default)]
    tool: ToolKind,
    /// What the tool `Echo` says about permissions.
    check: Option<CheckKind>,
    expect: Expect,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GateKind {
    #[default]
    Allow,
    Deny,
    Ask,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ToolKind {
    #[default]
    Succeed,
    Fail,
    Panic,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CheckKind {
    Allow,
    Ask,
    Deny,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    /// The outcome as printed.
    outcome: String,
    /// The text that the model reads begins so.
    text: String,
    /// How many times the tool ran.
    ran: usize,
}

fn default_id() -> String {
    "toolu_1".to_owned()
}

impl Case {
    fn tool(&self) -> FakeTool {
        let behaviour = match self.tool {
            ToolKind::Succeed => Behaviour::Succeed,
            ToolKind::Fail => Behaviour::Fail(ErrorKind::NotFound, "there is no such thing".to_owned()),
            ToolKind::Panic => Behaviour::Panic("secret".to_owned()),
        };
        let check = match self.check {
            None => ToolCheck::PassThrough,
            Some(CheckKind::Allow) => ToolCheck::Allow,
            Some(CheckKind::Ask) => ToolCheck::Ask("the tool asks".to_owned()),
            Some(CheckKind::Deny) => ToolCheck::Deny("the tool says no".to_owned()),
        };
        FakeTool::new("Echo").behaving(behaviour).checking(check)
    }

    fn gate(&self) -> Arc<dyn PermissionGate> {
        match self.gate {
            GateKind::Allow => Arc::new(AllowAll),
            GateKind::Deny => Arc::new(DenyAll),
            GateKind::Ask => Arc::new(ScriptedGate::asking()),
        }
    }

    fn call(&self) -> ToolUse {
        let mut call = ToolUse::new(self.id.as_str(), self.name.as_str(), Value::Null);
        call.input = match (&self.input, &self.unreadable) {
            (Some(input), None) => RawInput::Json(Arc::new(input.clone())),
            (None, Some(text)) => RawInput::Unreadable(text.as_str().into()),
            _ => panic!("{}: one of `input` and `unreadable`", self.case),
        };
        call
    }
}

async fn check(case: &Case) {
    let tool = case.tool();
    let world = World::with(&tool, case.gate(), |config| config);
    let finished = world.dispatcher.invoke(case.call(), crate::world::context()).await;
    let Case { case, id, expect, .. } = case;
    assert_eq!(format!("{:?}", finished.outcome), expect.outcome, "{case}");
    assert!(text(&finished).starts_with(&expect.text), "{case}: {}", text(&finished));
    assert_eq!(tool.calls().len(), expect.ran, "{case}");
    assert_eq!(*finished.result.tool_use_id, **id, "{case}");
    let events = world.observer.events();
    assert_eq!(events.first().map(|event| event.kind), Some("received"), "{case}");
    assert_eq!(events.last().map(|event| event.kind), Some("finished"), "{case}");
    assert_eq!(world.observer.details("finished").len(), 1, "{case}");
}

#[tokio::test]
async fn calls_end_as_their_lines_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calls");
    let mut count = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        for (number, line) in std::fs::read_to_string(&file).unwrap().lines().enumerate() {
            let parsed: Result<Case, _> = serde_json::from_str(line);
            let case = parsed.unwrap_or_else(|error| panic!("{}:{}: {error}", file.display(), number + 1));
            check(&case).await;
            count += 1;
        }
    }
    assert!(count > 10, "the cases are found");
}
