//! Phase 2: name, schema, deserialising, and the tool's own check. On failure nothing runs: no hook,
//! no rule, no code of the call.

use super::extract::Extracted;
use crate::config::DispatchConfig;
use crate::refusal::Identity;
use pegboard_tool_core::ports::{Event, Finished, FoundTool, HookCall, HookEvent, Outcome, Prepared};
use pegboard_tool_core::{Accesses, Caller, InvalidInput, Invocation, ToolContext, ToolDefinition};
use serde_json::Value;
use std::sync::Arc;

/// Most characters of a name that the model gets back.
const MAX_NAME_CHARS: usize = 128;

/// Proof that there is such a tool and that the input fits it. One pointer, since it is handed on often.
pub(crate) struct Validated(Box<Checked>);

struct Checked {
    who: Identity,
    found: FoundTool,
    caller: Caller,
    invocation: Box<dyn Invocation>,
    /// Generation of the context for which the input was parsed: relative paths depend on it.
    generation: u64,
    /// Whether a hook allowed the call together with an input of its own: that answers what only a person may.
    is_answered: bool,
}

/// Looks the tool up and checks the input against its schema.
pub(crate) fn validate(
    config: &DispatchConfig,
    call: Extracted,
    ctx: &ToolContext,
) -> Result<Validated, Box<Finished>> {
    let Extracted { id, called_as, input, caller } = call;
    let Some(found) = config.lookup.find(&called_as, &input) else {
        let who = Identity { id, tool: Arc::clone(&called_as), input };
        return Err(who.end(Outcome::Invalid, unknown_tool(&called_as, &config.lookup.near(&called_as))));
    };
    let tool = found.definition().name.to_shared();
    let input = found.adapted.clone().unwrap_or(input);
    let mut who = Identity { id, tool, input };
    let invocation = match parse(&found, &mut who.input, ctx) {
        Ok(invocation) => invocation,
        Err(invalid) => return Err(who.end(Outcome::Invalid, invalid.text)),
    };
    config.emit(&Event::Validated {
        id: &who.id,
        tool: &who.tool,
        input: invocation.view(),
        title: &invocation.describe(),
    });
    Ok(Validated(Box::new(Checked {
        who,
        found,
        caller,
        invocation,
        generation: ctx.generation,
        is_answered: false,
    })))
}

/// The call that the input asks for. One that does not fit is put in the words of the schema, where it means the same.
fn parse(
    found: &FoundTool,
    input: &mut Arc<Value>,
    ctx: &ToolContext,
) -> Result<Box<dyn Invocation>, InvalidInput> {
    let checked = |input: &Arc<Value>| {
        found.schema.check(input)?;
        found.tool.prepare(Arc::clone(input), ctx)
    };
    checked(input).or_else(|invalid| {
        *input = Arc::new(found.schema.reworded(input).ok_or(invalid)?);
        checked(input)
    })
}

impl Validated {
    /// What the tool alone can say about the input. Waits, so it is done when the call is decided.
    pub(crate) async fn confirm(&self) -> Result<(), InvalidInput> {
        self.0.invocation.validate().await
    }

    /// The same call with another input, checked again.
    pub(crate) fn replaced(
        mut self,
        mut input: Arc<Value>,
        ctx: &ToolContext,
    ) -> Result<Self, Box<Finished>> {
        let parsed = parse(&self.0.found, &mut input, ctx);
        self.0.who.input = input;
        self.0.is_answered = false;
        match parsed {
            Ok(invocation) => {
                self.0.invocation = invocation;
                self.0.generation = ctx.generation;
                Ok(self)
            }
            Err(invalid) => Err(self.0.who.end(
                Outcome::Invalid,
                format!("The input was replaced by one that does not fit: {}", invalid.text),
            )),
        }
    }

    /// The same call in the context of now. Says whether hooks and rules would see another input.
    pub(crate) fn renewed(mut self, ctx: &ToolContext) -> Result<(Self, bool), Box<Finished>> {
        if self.0.generation == ctx.generation {
            return Ok((self, false));
        }
        match self.0.found.tool.prepare(Arc::clone(&self.0.who.input), ctx) {
            Ok(invocation) => {
                let moved = invocation.view() != self.0.invocation.view();
                self.0.invocation = invocation;
                self.0.generation = ctx.generation;
                Ok((self, moved))
            }
            Err(invalid) => Err(self.0.who.end(Outcome::Invalid, invalid.text)),
        }
    }

    /// The call as schedulers hold it, with `payload` inside.
    pub(crate) fn prepared<P: Send + Sync + 'static>(
        self,
        config: &DispatchConfig,
        wrap: impl FnOnce(Self) -> P,
    ) -> Prepared {
        let (id, tool) = (Arc::clone(&self.0.who.id), Arc::clone(&self.0.who.tool));
        let concurrency = self.0.invocation.concurrency();
        // Nobody knows what a hook touches.
        let accesses = match self.is_hooked(config) {
            true => Accesses::Everything,
            false => self.0.invocation.accesses().clone(),
        };
        let changes_context = self.0.invocation.changes_context();
        Prepared::new(id, tool, concurrency, accesses, changes_context, Box::new(wrap(self)))
    }

    /// Whether a hook could run for the call, before or after it.
    fn is_hooked(&self, config: &DispatchConfig) -> bool {
        let (tool, aliases) = (&*self.0.who.tool, &self.definition().aliases);
        [
            HookEvent::PreToolUse,
            HookEvent::PostToolUse,
            HookEvent::PostToolUseFailure,
            HookEvent::PermissionRequest,
        ]
        .into_iter()
        .any(|event| config.hooks.interested(event, tool, aliases))
    }

    /// The same call, answered by a hook.
    pub(crate) fn answered(mut self) -> Self {
        self.0.is_answered = true;
        self
    }

    /// Whether a hook answered it.
    pub(crate) fn is_answered(&self) -> bool {
        self.0.is_answered
    }

    pub(crate) fn who(&self) -> &Identity {
        &self.0.who
    }

    pub(crate) fn definition(&self) -> &ToolDefinition {
        self.0.found.definition()
    }

    pub(crate) fn caller(&self) -> &Caller {
        &self.0.caller
    }

    pub(crate) fn invocation(&self) -> &dyn Invocation {
        &*self.0.invocation
    }

    /// The input as hooks and rules see it, shared where the tool completes nothing.
    pub(crate) fn shared_view(&self) -> Arc<Value> {
        let view = self.0.invocation.view();
        if std::ptr::eq(view, &*self.0.who.input) {
            Arc::clone(&self.0.who.input)
        } else {
            Arc::new(view.clone())
        }
    }

    /// The call as hooks see it.
    pub(crate) fn hook_call<'a>(&'a self, ctx: &'a ToolContext) -> HookCall<'a> {
        let definition = self.definition();
        let view = self.0.invocation.view();
        HookCall::new(definition.name.as_str(), &definition.aliases, &self.0.who.id, view, ctx)
    }

    /// Takes the call apart, to run it.
    pub(super) fn into_parts(self) -> (Identity, FoundTool, Box<dyn Invocation>) {
        {
            let Checked { who, found, invocation, .. } = *self.0;
            (who, found, invocation)
        }
    }
}

fn unknown_tool(name: &str, near: &[String]) -> String {
    let shown: String = name.chars().take(MAX_NAME_CHARS).flat_map(char::escape_debug).collect();
    if near.is_empty() {
        return format!("There is no tool `{shown}`; use one of the tools that you were given.");
    }
    let near: Vec<_> = near.iter().map(|name| format!("`{name}`")).collect();
    format!("There is no tool `{shown}`; did you mean {}?", near.join(" or "))
}
