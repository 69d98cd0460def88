//! A folder, rules and a mode: what a test needs to ask the gate one question.

use pegboard_permissions::{Engine, EngineConfig, Problem};
use pegboard_shell_analysis::ShellAnalyzer;
use pegboard_tool_core::ports::{Decision, GateCall, HookAdvice, Verdict};
use pegboard_tool_core::{
    Access, Accesses, ContextSnapshot, Effects, Origin, PermissionMode, Resource, RuleEffect, RuleText,
    SettingSource, ToolCheck, ToolContext, ToolDefinition, ToolOrigin,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The surroundings of a call.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) root: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) mode: PermissionMode,
    pub(crate) directories: Vec<PathBuf>,
    pub(crate) trusted: bool,
    pub(crate) rules: Vec<RuleText>,
    pub(crate) check: ToolCheck,
    pub(crate) hook: HookAdvice,
    pub(crate) needs_person: bool,
}

impl World {
    /// `/w` with the home `/home/u`; nothing is there.
    pub(crate) fn new() -> Self {
        Self {
            root: "/w".into(),
            home: "/home/u".into(),
            mode: PermissionMode::Default,
            directories: Vec::new(),
            trusted: true,
            rules: Vec::new(),
            check: ToolCheck::PassThrough,
            hook: HookAdvice::None,
            needs_person: false,
        }
    }

    /// With project rules: lines such as `deny Bash(rm *)`.
    pub(crate) fn rules(mut self, lines: &[&str]) -> Self {
        for line in lines {
            let (effect, text) = line.split_once(' ').unwrap();
            let effect = match effect {
                "allow" => RuleEffect::Allow,
                "ask" => RuleEffect::Ask,
                "deny" => RuleEffect::Deny,
                other => panic!("no effect: {other}"),
            };
            self = self.rule(effect, text, SettingSource::Project);
        }
        self
    }

    pub(crate) fn rule(mut self, effect: RuleEffect, text: &str, source: SettingSource) -> Self {
        let anchor =
            if source == SettingSource::User { self.home.join(".claude") } else { self.root.clone() };
        let line = u32::try_from(self.rules.len()).unwrap() + 1;
        let origin = Origin::new(source, Some(Arc::from(Path::new("settings.json"))), Some(line));
        self.rules.push(RuleText::new(effect, text, origin, anchor));
        self
    }

    pub(crate) fn mode(mut self, mode: PermissionMode) -> Self {
        self.mode = mode;
        self
    }

    pub(crate) fn hook(mut self, hook: HookAdvice) -> Self {
        self.hook = hook;
        self
    }

    pub(crate) fn check(mut self, check: ToolCheck) -> Self {
        self.check = check;
        self
    }

    pub(crate) fn config(&self) -> EngineConfig {
        let mut config = EngineConfig::new(Arc::new(ShellAnalyzer::new()));
        config.rules.clone_from(&self.rules);
        config.home = Some(self.home.clone());
        config
    }

    pub(crate) fn engine(&self) -> (Engine, Vec<Problem>) {
        Engine::new(self.config())
    }

    pub(crate) fn context(&self) -> ToolContext {
        let mut snapshot = ContextSnapshot::new(&self.root, "s");
        snapshot.home = Some(self.home.clone());
        snapshot.mode = self.mode;
        snapshot.trusted = self.trusted;
        snapshot.directories.clone_from(&self.directories);
        ToolContext::new(Arc::new(snapshot))
    }

    /// What the gate says about a call.
    pub(crate) fn decide(&self, tool: &str, input: &Value) -> Decision {
        self.ask(&self.engine().0, tool, input)
    }

    pub(crate) fn ask(&self, engine: &Engine, tool: &str, input: &Value) -> Decision {
        self.with_call(tool, input, |call| engine.decide_now(call))
    }

    pub(crate) fn with_call<T>(&self, tool: &str, input: &Value, run: impl FnOnce(&GateCall<'_>) -> T) -> T {
        let ctx = self.context();
        let mut definition = ToolDefinition::new(tool, "", json!({"type": "object"})).unwrap();
        definition.needs_person = self.needs_person;
        if let Some((server, name)) = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            definition.origin = ToolOrigin::Mcp { server: server.into(), tool: name.into() };
        }
        let (effects, accesses) = nature(tool, input, &ctx);
        let call = GateCall::new(&definition, input, effects, &accesses, &ctx)
            .with_check(&self.check)
            .with_hook(self.hook)
            .with_trail(true);
        run(&call)
    }

    /// The verdict about a call written as `Bash: ls`, `Read: a.txt`, `WebFetch: https://..`, or a bare name.
    pub(crate) fn verdict(&self, call: &str) -> Verdict {
        let (tool, input) = parse(call);
        self.decide(&tool, &input).verdict
    }
}

/// Reads `Tool: argument`.
pub(crate) fn parse(call: &str) -> (String, Value) {
    let (tool, argument) = call.split_once(": ").unwrap_or((call, ""));
    let input = match tool {
        "Bash" => json!({"command": argument}),
        "WebFetch" => json!({"url": argument, "prompt": "p"}),
        "Grep" | "Glob" => json!({"pattern": "x", "path": argument}),
        "Read" | "Edit" | "Write" => json!({"file_path": argument}),
        _ if argument.starts_with('{') => serde_json::from_str(argument).unwrap(),
        _ => json!({}),
    };
    (tool.to_owned(), input)
}

/// Effects and accesses as the real tools report them.
fn nature(tool: &str, input: &Value, ctx: &ToolContext) -> (Effects, Accesses) {
    let path = |field: &str| ctx.absolute(input.get(field).and_then(Value::as_str).unwrap_or("."));
    match tool {
        "Read" => (Effects::ReadOnly, Accesses::read_file(path("file_path"))),
        "Grep" | "Glob" => (Effects::ReadOnly, Accesses::read_tree(path("path"))),
        "Edit" | "Write" => (Effects::Writes, Accesses::write_file(path("file_path"))),
        "TodoWrite" => {
            (Effects::Writes, Accesses::Only(Arc::from([Access::write(Resource::State("todo".into()))])))
        }
        _ => (Effects::Destructive, Accesses::Everything),
    }
}
