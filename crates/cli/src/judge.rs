//! Asks the rule engine about calls that are not run.

use crate::args::CommonArgs;
use crate::exit::Fault;
use crate::host;
use crate::print::Printer;
use crate::stack;
use pegboard::permissions::Engine;
use pegboard::ports::{Decision, GateCall, PermissionGate, TrailEntry};
use pegboard::settings::Settings;
use pegboard::{
    Accesses, ContextSnapshot, DynTool, Effects, PermissionMode, RuleText, ToolContext, ToolDefinition,
};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A call that is asked about.
pub(crate) struct Question {
    pub(crate) tool: String,
    pub(crate) input: Value,
}

/// Rules in a context.
#[derive(Clone)]
pub(crate) struct Judge {
    engine: Arc<Engine>,
    tools: Arc<[Arc<dyn DynTool>]>,
    context: ContextSnapshot,
}

impl Judge {
    /// The rules that the options ask for.
    pub(crate) fn of_options(common: &CommonArgs, cwd: &Path, printer: &Printer) -> Result<Self, Fault> {
        let settings = host::settings(common, cwd, printer)?;
        let judge = Self::new(settings, cwd, host::locations(cwd).home)?;
        Ok(judge)
    }

    /// The rules of `settings`.
    pub(crate) fn new(settings: Settings, cwd: &Path, home: Option<PathBuf>) -> Result<Self, Fault> {
        let mut context = (*host::context(&settings, cwd, "check", None)).clone();
        context.home.clone_from(&home);
        let loaded = stack::load(settings, cwd, home)?;
        let tools = stack::std_tools(&loaded)?;
        Ok(Self { engine: loaded.engine, tools: tools.into(), context })
    }

    /// The same rules in another context.
    pub(crate) fn adjusted(mut self, mode: Option<PermissionMode>, directories: &[PathBuf]) -> Self {
        if let Some(mode) = mode {
            self.context.mode = mode;
        }
        for directory in directories {
            let directory = self.context.absolute(directory);
            self.context.directories.push(directory);
        }
        self
    }

    /// The verdict before any approver, with all steps.
    pub(crate) async fn answer(&self, question: &Question) -> Map<String, Value> {
        let ctx = ToolContext::new(Arc::new(self.context.clone()));
        let named = |tool: &&Arc<dyn DynTool>| {
            let definition = tool.definition();
            definition.name.as_str() == question.tool
                || definition.aliases.iter().any(|alias| alias.as_str() == question.tool)
        };
        if let Some(tool) = self.tools.iter().find(named)
            && let Ok(invocation) = tool.prepare(Arc::new(question.input.clone()), &ctx)
        {
            let check = invocation.check_permissions().await;
            let call = GateCall::new(
                tool.definition(),
                invocation.view(),
                invocation.effects(),
                invocation.accesses(),
                &ctx,
            );
            return explained(&self.engine.decide(&call.with_check(&check).with_trail(true)).await);
        }
        // A tool that is not here, or an input that it would not take: rules are asked about it all the same.
        let definition = match ToolDefinition::new(&question.tool, "", json!({"type": "object"})) {
            Ok(definition) => definition,
            Err(error) => return Map::from_iter([("error".to_owned(), json!(error.to_string()))]),
        };
        let call =
            GateCall::new(&definition, &question.input, Effects::Destructive, &Accesses::Everything, &ctx);
        explained(&self.engine.decide(&call.with_trail(true)).await)
    }
}

fn explained(decision: &Decision) -> Map<String, Value> {
    let mut answer = Map::new();
    answer.insert("behavior".to_owned(), json!(decision.verdict));
    answer.insert("reason".to_owned(), json!(decision.reason));
    answer.insert("step".to_owned(), json!(decision.step));
    answer.extend(place(decision.rule.as_deref()));
    let trail = decision.trail.iter().flatten().map(step).collect();
    answer.insert("trail".to_owned(), Value::Array(trail));
    answer
}

fn step(entry: &TrailEntry) -> Value {
    let mut step = Map::new();
    step.insert("step".to_owned(), json!(entry.step));
    step.insert("verdict".to_owned(), json!(entry.verdict));
    step.extend(place(entry.rule.as_deref()));
    step.insert("note".to_owned(), json!(entry.note));
    Value::Object(step)
}

fn place(rule: Option<&RuleText>) -> [(String, Value); 4] {
    let file = rule.and_then(|rule| rule.origin.file.as_deref());
    [
        ("rule".to_owned(), json!(rule.map(|rule| &*rule.text))),
        ("source".to_owned(), json!(rule.map(|rule| rule.origin.source))),
        ("file".to_owned(), json!(file.map(Path::to_string_lossy))),
        ("line".to_owned(), json!(rule.and_then(|rule| rule.origin.line))),
    ]
}
