//! [`Dispatcher`]: the phases in a row. Whatever happens in one, also a panic, becomes a result.

use crate::config::DispatchConfig;
use crate::phase::execute::execute;
use crate::phase::extract::{extract, identity};
use crate::phase::map::map;
use crate::phase::permit::{Permitted, permit};
use crate::phase::post_hooks::post_hooks;
use crate::phase::pre_hooks::pre_hooks;
use crate::phase::validate::{Validated, validate};
use crate::refusal::{FOREIGN, Identity};
use crate::wait::unless_cancelled;
use async_trait::async_trait;
use futures::FutureExt;
use pegboard_tool_core::ports::{
    BatchCall, Event, Finished, HookEvent, Outcome, Phase, Prepared, Ready, Step, ToolInvoker,
};
use pegboard_tool_core::{PartialInput, ToolContext, ToolUse};
use serde_json::Value;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Takes calls through the seven phases.
#[derive(Clone, Debug)]
pub struct Dispatcher {
    config: Arc<DispatchConfig>,
}

/// A proof together with the dispatcher that made it: one made by another is none.
struct Made<P> {
    by: Arc<DispatchConfig>,
    proof: P,
}

impl Dispatcher {
    /// A dispatcher of these layers.
    #[must_use]
    pub fn new(config: DispatchConfig) -> Self {
        Self { config: Arc::new(config) }
    }

    fn done<T>(&self, finished: Box<Finished>) -> Step<T> {
        self.config.finished(&finished);
        Step::Done(finished)
    }

    /// What this dispatcher put into `call`; a foreign one gets its result instead.
    fn open<P: 'static>(&self, call: Prepared) -> Result<P, Box<Finished>> {
        let (id, tool) = (Arc::clone(&call.id), Arc::clone(&call.tool));
        let payload: Box<dyn Any> = call.into_payload();
        match payload.downcast::<Made<P>>() {
            Ok(made) if Arc::ptr_eq(&made.by, &self.config) => Ok(made.proof),
            _ => Err(Identity { id, tool, input: Arc::new(Value::Null) }.end(Outcome::NotRun, FOREIGN)),
        }
    }

    fn wrap<P>(&self, proof: P) -> Made<P> {
        Made { by: Arc::clone(&self.config), proof }
    }

    fn checked(&self, call: ToolUse, ctx: &ToolContext) -> Result<Validated, Box<Finished>> {
        let config = &self.config;
        let id = Arc::clone(&call.id);
        config.started(&id, Phase::Extract);
        let extracted = extract(call);
        config.ended(&id, Phase::Extract);
        config.started(&id, Phase::Validate);
        let validated = extracted.and_then(|call| validate(config, call, ctx));
        config.ended(&id, Phase::Validate);
        validated
    }

    async fn decided(&self, call: Validated, ctx: &ToolContext) -> Result<Permitted, Box<Finished>> {
        let config = &self.config;
        if ctx.cancel.is_cancelled() {
            return Err(call.who().cancelled());
        }
        let (call, _) = call.renewed(ctx)?;
        let id = Arc::clone(&call.who().id);
        let hooked = pre_hooks(config, call, ctx).await?;
        config.started(&id, Phase::Permissions);
        let permitted = permit(config, hooked, ctx).await;
        config.ended(&id, Phase::Permissions);
        permitted
    }

    async fn executed(&self, call: Permitted, ctx: ToolContext) -> Box<Finished> {
        let config = &self.config;
        let permitted = if call.is_current(config, &ctx) {
            call
        } else {
            match Box::pin(call.renewed(config, &ctx)).await {
                Ok(permitted) => permitted,
                Err(finished) => return finished,
            }
        };
        let executed = match execute(config, permitted, &ctx).await {
            Ok(executed) => executed,
            Err(finished) => return finished,
        };
        let observed = post_hooks(config, executed, &ctx).await;
        config.started(&ctx.call_id, Phase::Map);
        let finished = map(config, observed, &ctx).await;
        config.ended(&ctx.call_id, Phase::Map);
        finished
    }
}

#[async_trait]
impl ToolInvoker for Dispatcher {
    fn validate(&self, call: ToolUse, ctx: &ToolContext) -> Step<Prepared> {
        let who = identity(&call);
        self.config.emit(&Event::Received { id: &who.id, called_as: &who.tool });
        if ctx.cancel.is_cancelled() {
            return self.done(who.cancelled());
        }
        let ctx = ctx.for_call(Arc::clone(&who.id), ctx.cancel.clone());
        let prepared = catch_unwind(AssertUnwindSafe(|| {
            self.checked(call, &ctx)
                .map(|validated| validated.prepared(&self.config, |proof| self.wrap(proof)))
        }));
        match prepared {
            Ok(Ok(prepared)) => Step::Next(prepared),
            Ok(Err(finished)) => self.done(finished),
            Err(_) => self.done(who.defect()),
        }
    }

    fn partial(&self, name: &str) -> Option<Arc<dyn PartialInput>> {
        self.config.lookup.find(name, &Arc::new(Value::Null)).and_then(|found| found.tool.partial())
    }

    async fn decide(&self, call: Prepared, ctx: &ToolContext) -> Step<Ready> {
        let validated: Validated = match self.open(call) {
            Ok(validated) => validated,
            Err(finished) => return self.done(finished),
        };
        let who = validated.who().clone();
        let ctx = ctx.for_call(Arc::clone(&who.id), ctx.cancel.clone());
        match AssertUnwindSafe(self.decided(validated, &ctx)).catch_unwind().await {
            Ok(Ok(permitted)) => Step::Next(ready(permitted, |proof| self.wrap(proof))),
            Ok(Err(finished)) => self.done(finished),
            Err(_) => self.done(who.defect()),
        }
    }

    async fn execute(&self, call: Ready, ctx: ToolContext) -> Finished {
        let permitted: Permitted = match self.open::<Permitted>(call.prepared) {
            Ok(permitted) => permitted,
            Err(finished) => {
                self.config.finished(&finished);
                return *finished;
            }
        };
        let who = permitted.call().who().clone();
        let ctx = ctx.for_call(Arc::clone(&who.id), ctx.cancel.clone());
        let finished = AssertUnwindSafe(self.executed(permitted, ctx)).catch_unwind().await;
        let finished = finished.unwrap_or_else(|_| who.defect());
        self.config.finished(&finished);
        *finished
    }

    async fn finish_batch(&self, finished: &[Finished], ctx: &ToolContext) -> (Vec<String>, Option<String>) {
        let config = &self.config;
        let run = async {
            if !config.hooks.interested(HookEvent::PostToolBatch, "", &[]) {
                return None;
            }
            let resolved = finished.iter().filter(|call| call.outcome != Outcome::Deferred);
            let calls: Vec<_> = resolved
                .map(|call| {
                    let seen = call.view.clone().or_else(|| self.seen(call, ctx));
                    let input = seen.unwrap_or_else(|| Arc::clone(&call.input));
                    BatchCall::new(Arc::clone(&call.tool), input, call.result.clone())
                })
                .collect();
            unless_cancelled(&ctx.cancel, config.grace, config.hooks.batch(&calls, ctx)).await
        };
        match AssertUnwindSafe(run).catch_unwind().await {
            Ok(Some(said)) => {
                config.hooks_ran("", HookEvent::PostToolBatch, &said.reports, &said.system_messages);
                (said.additional_context, said.stop)
            }
            Ok(None) => (Vec::new(), None),
            Err(_) => {
                config.emit(&Event::Notice { id: None, text: "the hooks of a batch failed" });
                (Vec::new(), None)
            }
        }
    }
}

impl Dispatcher {
    /// The input of a call that did not run, as hooks see inputs.
    fn seen(&self, call: &Finished, ctx: &ToolContext) -> Option<Arc<Value>> {
        let found = self.config.lookup.find(&call.tool, &call.input)?;
        let invocation = found.tool.prepare(Arc::clone(&call.input), ctx).ok()?;
        Some(Arc::new(invocation.view().clone()))
    }
}

/// The decided call as schedulers hold it: after hooks, maybe stricter than before.
fn ready(permitted: Permitted, wrap: impl FnOnce(Permitted) -> Made<Permitted>) -> Ready {
    let (context_generation, rules_generation) = permitted.generations();
    let call = permitted.call();
    let (id, tool) = (Arc::clone(&call.who().id), Arc::clone(&call.who().tool));
    let invocation = call.invocation();
    let (concurrency, accesses) = (invocation.concurrency(), invocation.accesses().clone());
    let changes_context = invocation.changes_context();
    let payload = Box::new(wrap(permitted));
    let prepared = Prepared::new(id, tool, concurrency, accesses, changes_context, payload);
    Ready::new(prepared, context_generation, rules_generation)
}
