//! Phase 5: runs the call on what was judged. Takes a [`Permitted`] and nothing else. Panics are caught,
//! limits kept, cancellation honoured.

use super::limits::{CallProgress, Limit, reached};
use super::permit::Permitted;
use crate::config::DispatchConfig;
use crate::refusal::{DEFECT, INTERRUPTED, Identity};
use futures::FutureExt;
use futures::future::{Either, select};
use pegboard_tool_core::ports::{Finished, FoundTool, HookEvent, Phase};
use pegboard_tool_core::{
    Caller, CancellationToken, ErrorKind, Grant, Invocation, RawOutput, ToolContext, ToolError,
};
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Proof that the call ran.
pub(crate) struct Executed {
    pub(super) who: Identity,
    pub(super) found: FoundTool,
    pub(super) ended: Ended,
    /// Whether a context change of the call counts.
    pub(super) changes_context: bool,
    /// The input as hooks see it, when a hook wants to.
    pub(super) view: Option<Arc<Value>>,
    /// Texts for the model so far.
    pub(super) messages: Vec<String>,
    pub(super) duration: Duration,
}

/// How a call ended.
pub(super) enum Ended {
    /// It answered; the model may still read that as a failure.
    Output(Box<RawOutput>),
    /// It failed, with what the model reads.
    Failed(ErrorKind, String),
    /// It was cancelled, with what the model reads.
    Cancelled(String),
}

/// Runs the call, unless it was cancelled just now.
pub(crate) async fn execute(
    config: &Arc<DispatchConfig>,
    permitted: Permitted,
    ctx: &ToolContext,
) -> Result<Executed, Box<Finished>> {
    let view = wants_view(config, &permitted).then(|| permitted.call().shared_view());
    let (call, grant, messages) = permitted.into_parts();
    let (who, found, invocation) = call.into_parts();
    if ctx.cancel.is_cancelled() {
        let mut finished = who.cancelled();
        finished.messages = messages;
        return Err(finished);
    }
    let changes_context = invocation.changes_context();
    config.started(&who.id, Phase::Execute);
    let start = Instant::now();
    let ended = run(config, &who, invocation, grant, ctx).await;
    let duration = start.elapsed();
    config.ended(&who.id, Phase::Execute);
    Ok(Executed { who, found, ended, changes_context, view, messages, duration })
}

fn wants_view(config: &DispatchConfig, permitted: &Permitted) -> bool {
    // Hooks do not run on what a hook calls.
    if *permitted.call().caller() == Caller::Hook {
        return false;
    }
    let definition = permitted.call().definition();
    let (tool, aliases) = (definition.name.as_str(), &definition.aliases);
    [HookEvent::PostToolUse, HookEvent::PostToolUseFailure, HookEvent::PostToolBatch]
        .into_iter()
        .any(|event| config.hooks.interested(event, tool, aliases))
}

async fn run(
    config: &Arc<DispatchConfig>,
    who: &Identity,
    invocation: Box<dyn Invocation>,
    grant: Grant,
    ctx: &ToolContext,
) -> Ended {
    let total = invocation.time_limit().or(config.default_time_limit);
    let progress = Arc::new(CallProgress::new(config, &who.id));
    let cancel = &ctx.cancel;
    // The tool is told of a limit by its token, which is then not the turn's.
    let limited = total.is_some() || config.idle_limit.is_some();
    let own = limited.then(|| cancel.child_token());
    let mut work = {
        let ctx = ctx.for_call(Arc::clone(&who.id), own.as_ref().unwrap_or(cancel).clone());
        AssertUnwindSafe(invocation.call(grant, ctx, Arc::clone(&progress) as _)).catch_unwind()
    };
    let limit = match first(&mut work, cancel.cancelled(), reached(total, &progress)).await {
        First::Answer(answer) => return settle(answer, None, cancel),
        First::Cancelled => None,
        First::Limit(limit) => Some(limit),
    };
    if let Some(own) = own {
        own.cancel();
    }
    match tokio::time::timeout(config.grace, work).await {
        Ok(answer) => settle(answer, limit, cancel),
        Err(_) => {
            config.notice(&who.id, "a call did not end by itself after it was cancelled and was dropped");
            match limit {
                Some(limit) if !cancel.is_cancelled() => Ended::Failed(ErrorKind::TimedOut, limit.text()),
                _ => Ended::Cancelled(INTERRUPTED.to_owned()),
            }
        }
    }
}

enum First<T> {
    Answer(T),
    Cancelled,
    Limit(Limit),
}

async fn first<T>(
    work: impl Future<Output = T> + Unpin,
    cancelled: impl Future<Output = ()>,
    limit: impl Future<Output = Limit>,
) -> First<T> {
    match select(work, select(pin!(cancelled), pin!(limit))).await {
        Either::Left((answer, _)) => First::Answer(answer),
        Either::Right((Either::Left(_), _)) => First::Cancelled,
        Either::Right((Either::Right((limit, _)), _)) => First::Limit(limit),
    }
}

/// What an answer means, given what happened around it. A call that came to its end although it was
/// told to stop did what it did, and its answer says so.
fn settle(
    answer: std::thread::Result<Result<RawOutput, ToolError>>,
    limit: Option<Limit>,
    cancel: &CancellationToken,
) -> Ended {
    let error = match answer {
        Ok(Ok(output)) => return Ended::Output(Box::new(output)),
        Ok(Err(error)) => error,
        Err(_) => return Ended::Failed(ErrorKind::Bug, DEFECT.to_owned()),
    };
    match limit {
        _ if cancel.is_cancelled() => Ended::Cancelled(with_own_words(INTERRUPTED.to_owned(), &error)),
        Some(limit) => Ended::Failed(ErrorKind::TimedOut, with_own_words(limit.text(), &error)),
        None if error.kind == ErrorKind::Cancelled => Ended::Cancelled(error.model_text.into_owned()),
        None => Ended::Failed(error.kind, error.model_text.into_owned()),
    }
}

/// What a tool says about its end may hold output, so it is kept.
fn with_own_words(text: String, error: &ToolError) -> String {
    if error.model_text == ToolError::cancelled().model_text {
        return text;
    }
    format!("{text}\n{}", error.model_text)
}
