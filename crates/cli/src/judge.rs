//! Asks the rule engine about calls that are not run.

use crate::args::CommonArgs;
use crate::exit::Fault;
use crate::host;
use crate::print::Printer;
use crate::stack;
use pegboard::permissions::{Engine, NoSuggestion, Suggestion};
use pegboard::ports::{Decision, DecisionStep, GateCall, HookAdvice, TrailEntry, Verdict};
use pegboard::settings::Settings;
use pegboard::tool_core::{RuleEffect, ToolCheck};
use pegboard::{
    Accesses, ContextSnapshot, DynTool, Effects, PermissionMode, RuleText, ToolContext, ToolDefinition,
};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A call that is asked about.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) tool: String,
    pub(crate) input: Value,
}

/// Rules in a context.
#[derive(Clone)]
pub(crate) struct Judge {
    settings: Arc<Settings>,
    engine: Arc<Engine>,
    tools: Arc<[Arc<dyn DynTool>]>,
    context: ContextSnapshot,
    hook: HookAdvice,
    suggests: bool,
    unread: Arc<[Unread]>,
}

/// A deny or ask rule that cannot be read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Unread {
    pub(crate) effect: RuleEffect,
    pub(crate) text: String,
}

/// What was found out about a call.
pub(crate) struct Judged {
    /// The verdict before any approver, with all steps.
    pub(crate) decision: Decision,
    /// Rules that would let it run, when they were asked for.
    pub(crate) suggestion: Option<Result<Suggestion, NoSuggestion>>,
}

impl Judge {
    /// The rules that the options ask for.
    pub(crate) fn of_options(common: &CommonArgs, cwd: &Path, printer: &Printer) -> Result<Self, Fault> {
        let settings = host::settings(common, cwd, printer)?;
        let (judge, problems) = Self::with_problems(settings, cwd, host::locations(cwd).home)?;
        for problem in problems {
            printer.error(&problem);
        }
        Ok(judge)
    }

    /// The rules of `settings`.
    pub(crate) fn new(settings: Settings, cwd: &Path, home: Option<PathBuf>) -> Result<Self, Fault> {
        Self::with_problems(settings, cwd, home).map(|(judge, _)| judge)
    }

    /// The rules of `settings`, and what is wrong with them.
    pub(crate) fn with_problems(
        settings: Settings,
        cwd: &Path,
        home: Option<PathBuf>,
    ) -> Result<(Self, Vec<String>), Fault> {
        let mut context = (*host::context(&settings, cwd, "check", None)).clone();
        context.home.clone_from(&home);
        let loaded = stack::load(settings, cwd, home)?;
        let tools = stack::std_tools(&loaded, cwd)?;
        let judge = Self {
            settings: loaded.settings,
            engine: loaded.engine,
            tools: tools.into(),
            context,
            hook: HookAdvice::None,
            suggests: false,
            unread: Arc::from([]),
        };
        Ok((judge, loaded.problems))
    }

    /// What it was made of.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Where and in which mode it judges.
    pub(crate) fn context(&self) -> &ContextSnapshot {
        &self.context
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

    /// The same rules for a session that began in `project_dir` and is in `cwd`.
    pub(crate) fn moved(mut self, project_dir: Option<PathBuf>, cwd: Option<PathBuf>) -> Self {
        self.context.project_dir = project_dir.unwrap_or(self.context.project_dir);
        self.context.cwd = cwd.unwrap_or(self.context.cwd);
        self
    }

    /// The same rules, and others that cannot be read: nothing runs without a person then.
    pub(crate) fn held_by(mut self, unread: Vec<Unread>) -> Self {
        self.unread = unread.into();
        self
    }

    /// The same rules, with what hooks said.
    pub(crate) fn with_hook(self, hook: HookAdvice) -> Self {
        Self { hook, ..self }
    }

    /// The same rules, and also those that would let the call run.
    pub(crate) fn with_suggestions(self) -> Self {
        Self { suggests: true, ..self }
    }

    /// Names of the tools that are here.
    pub(crate) fn tool_names(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.definition().name.to_string()).collect()
    }

    /// What the rules say about a call. Says in words why it is no call.
    pub(crate) async fn examine(&self, question: &Question) -> Result<Judged, String> {
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
            let (effects, accesses) = (invocation.effects(), invocation.accesses());
            let call = GateCall::new(tool.definition(), invocation.view(), effects, accesses, &ctx);
            return Ok(self.judged(call, &check).await);
        }
        // A tool that is not here, or an input that it would not take: rules are asked about it all the same.
        let definition = ToolDefinition::new(&question.tool, "", json!({"type": "object"}))
            .map_err(|error| error.to_string())?;
        let accesses = Accesses::Everything;
        let call = GateCall::new(&definition, &question.input, Effects::Destructive, &accesses, &ctx);
        Ok(self.judged(call, &ToolCheck::PassThrough).await)
    }

    async fn judged(&self, call: GateCall<'_>, check: &ToolCheck) -> Judged {
        let call = call.with_check(check).with_hook(self.hook).with_trail(true);
        let mut decision = self.engine.decide_now(&call);
        if let Some(unread) = self.unread.first() {
            hold(&mut decision, unread, self.context.mode);
        }
        let suggestion = match self.suggests {
            true => Some(self.engine.suggest_rules(&call, &decision).await),
            false => None,
        };
        Judged { decision, suggestion }
    }
}

/// Takes back an allowance that a rule which cannot be read could have held back.
fn hold(decision: &mut Decision, unread: &Unread, mode: PermissionMode) {
    let step = if unread.effect == RuleEffect::Deny { DecisionStep::DenyRule } else { DecisionStep::AskRule };
    let note = format!("the {} rule `{}` cannot be read", unread.effect, unread.text);
    for entry in
        decision.trail.iter_mut().flatten().filter(|entry| entry.step == step && entry.verdict.is_none())
    {
        *entry = TrailEntry::new(step, Some(Verdict::Ask), None, note.clone());
    }
    if decision.verdict != Verdict::Allow {
        return;
    }
    decision.step = step;
    decision.rule = None;
    (decision.verdict, decision.reason) = if mode == PermissionMode::DontAsk {
        (Verdict::Deny, format!("{note}, and the mode dontAsk refuses what would ask").into())
    } else {
        (Verdict::Ask, note.into())
    };
}

/// A decision as the JSON of `permissions check`.
pub(crate) fn report(decision: &Decision) -> Map<String, Value> {
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

/// A rule and where it stands, as fields.
pub(crate) fn place(rule: Option<&RuleText>) -> [(String, Value); 4] {
    let file = rule.and_then(|rule| rule.origin.file.as_deref());
    [
        ("rule".to_owned(), json!(rule.map(|rule| &*rule.text))),
        ("source".to_owned(), json!(rule.map(|rule| rule.origin.source))),
        ("file".to_owned(), json!(file.map(Path::to_string_lossy))),
        ("line".to_owned(), json!(rule.and_then(|rule| rule.origin.line))),
    ]
}
