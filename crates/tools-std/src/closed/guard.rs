//! The wrapper around a tool.

use super::{mention, why};
use crate::blocking::blocking;
use crate::services::Services;
use async_trait::async_trait;
use pegboard_tool_core::ports::{AccessPolicy, ClosedPaths};
use pegboard_tool_core::{
    AccessMode, Accesses, Availability, Concurrency, DynTool, Effects, ErrorKind, Grant, InvalidInput,
    Invocation, PartialInput, ProgressSink, PromptContext, RawOutput, Resource, ResultContent, ToolCheck,
    ToolContext, ToolDefinition, ToolEnv, ToolError,
};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// `tool`, kept from what the access policy closes; the same tool when there is no policy.
pub(crate) fn guarded(tool: Arc<dyn DynTool>, services: &Services) -> Arc<dyn DynTool> {
    match &services.access_policy {
        Some(policy) => Arc::new(Guarded { tool, policy: Arc::clone(policy), services: services.clone() }),
        None => tool,
    }
}

#[derive(Debug)]
struct Guarded {
    tool: Arc<dyn DynTool>,
    policy: Arc<dyn AccessPolicy>,
    services: Services,
}

impl DynTool for Guarded {
    fn definition(&self) -> &ToolDefinition {
        self.tool.definition()
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        self.tool.availability(env)
    }

    fn prepare(&self, input: Arc<Value>, ctx: &ToolContext) -> Result<Box<dyn Invocation>, InvalidInput> {
        let call = self.tool.prepare(input, ctx)?;
        let name = self.tool.definition().name.as_str();
        let reads = match name {
            // It looks at its line itself.
            "Bash" => Reads::Itself,
            "PowerShell" => Reads::Patterns,
            _ => Reads::Mentions,
        };
        Ok(Box::new(GuardedCall {
            call,
            name: name.to_owned(),
            policy: Arc::clone(&self.policy),
            services: self.services.clone(),
            ctx: ctx.clone(),
            reads,
        }))
    }

    fn map_output(&self, data: &Value) -> Result<Vec<ResultContent>, InvalidInput> {
        self.tool.map_output(data)
    }

    fn render_result(&self, data: &Value) -> Option<String> {
        self.tool.render_result(data)
    }

    fn prompt(&self, context: &PromptContext) -> Option<String> {
        self.tool.prompt(context)
    }

    fn partial(&self) -> Option<Arc<dyn PartialInput>> {
        self.tool.partial()
    }
}

/// How texts of an input that is no line of a POSIX shell are read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Reads {
    /// The tool itself tells what its input names.
    Itself,
    /// A mention of a closed path counts.
    Mentions,
    /// A pattern that means one counts too.
    Patterns,
}

#[derive(Debug)]
struct GuardedCall {
    call: Box<dyn Invocation>,
    /// Name of the tool.
    name: String,
    policy: Arc<dyn AccessPolicy>,
    services: Services,
    ctx: ToolContext,
    reads: Reads,
}

/// What of a call is looked at.
#[derive(Default)]
struct Looked {
    paths: Vec<(PathBuf, AccessMode)>,
    texts: Vec<String>,
    /// What a shell is given.
    #[cfg(unix)]
    handed: Option<super::shells::Handed>,
}

impl GuardedCall {
    /// What the wrapper says about the paths of the call, `granted` among them.
    async fn look(&self, granted: &Grant) -> ToolCheck {
        let mut looked = Looked::default();
        match self.call.accesses() {
            Accesses::Only(list) => {
                looked.paths.extend(list.iter().filter_map(|access| match &access.resource {
                    Resource::File(path) | Resource::Tree(path) => Some((path.clone(), access.mode)),
                    _ => None,
                }));
            }
            Accesses::Everything if self.reads == Reads::Itself => {}
            Accesses::Everything => {
                #[cfg(unix)]
                {
                    looked.handed = super::shells::of(&self.name, self.call.view(), &self.ctx);
                    if looked.handed.is_none() {
                        mention::texts(self.call.view(), &mut looked.texts);
                    }
                }
                #[cfg(not(unix))]
                mention::texts(self.call.view(), &mut looked.texts);
            }
        }
        for path in granted.paths.iter() {
            looked.paths.extend([(path.named.clone(), path.mode), (path.canonical.clone(), path.mode)]);
        }
        if looked.is_empty() {
            return ToolCheck::PassThrough;
        }
        // Some stamps of files are looked at here and now: where nothing is closed, a call waits for nothing.
        let Some(closed) = self.policy.closed(&self.ctx) else { return ToolCheck::PassThrough };
        let (services, ctx, reads) = (self.services.clone(), self.ctx.clone(), self.reads);
        let look = move || Ok(looked.judge(&services, &*closed, reads, &ctx));
        blocking(look).await.unwrap_or_else(|error| ToolCheck::Deny(error.model_text.into_owned()))
    }
}

impl Looked {
    fn is_empty(&self) -> bool {
        #[cfg(unix)]
        if self.handed.is_some() {
            return false;
        }
        self.paths.is_empty() && self.texts.is_empty()
    }

    fn judge(
        &self,
        services: &Services,
        closed: &dyn ClosedPaths,
        reads: Reads,
        ctx: &ToolContext,
    ) -> ToolCheck {
        if let Some(reason) = self.paths.iter().find_map(|(path, mode)| why(closed, path, *mode, ctx)) {
            return ToolCheck::Deny(reason);
        }
        #[cfg(unix)]
        if let Some(handed) = &self.handed {
            return super::line::handed(services, closed, handed, ctx);
        }
        let _only_lines_are_analysed = services;
        let mentioned = self.texts.iter().find_map(|text| {
            let folders = mention::folders(text, ctx);
            mention::closed_in(text, &folders, closed, ctx).or_else(|| match reads {
                Reads::Patterns => {
                    mention::closed_by_pattern(text, &folders, closed, ctx, mention::has_letters)
                }
                Reads::Itself | Reads::Mentions => None,
            })
        });
        mentioned.map_or(ToolCheck::PassThrough, ToolCheck::Ask)
    }
}

#[async_trait]
impl Invocation for GuardedCall {
    fn concurrency(&self) -> Concurrency {
        self.call.concurrency()
    }

    fn effects(&self) -> Effects {
        self.call.effects()
    }

    fn accesses(&self) -> &Accesses {
        self.call.accesses()
    }

    fn changes_context(&self) -> bool {
        self.call.changes_context()
    }

    fn time_limit(&self) -> Option<Duration> {
        self.call.time_limit()
    }

    fn view(&self) -> &Value {
        self.call.view()
    }

    fn describe(&self) -> String {
        self.call.describe()
    }

    fn render_use(&self) -> Option<String> {
        self.call.render_use()
    }

    async fn validate(&self) -> Result<(), InvalidInput> {
        self.call.validate().await
    }

    async fn check_permissions(&self) -> ToolCheck {
        stricter(self.look(&Grant::default()).await, self.call.check_permissions().await)
    }

    async fn call(
        self: Box<Self>,
        grant: Grant,
        ctx: ToolContext,
        progress: Arc<dyn ProgressSink>,
    ) -> Result<RawOutput, ToolError> {
        // An ignore file may have changed since the call was judged.
        let looked = stricter(
            self.look(&grant).await,
            match self.reads {
                Reads::Itself => self.call.check_permissions().await,
                Reads::Mentions | Reads::Patterns => ToolCheck::PassThrough,
            },
        );
        match looked {
            ToolCheck::Deny(reason) => Err(ToolError::new(ErrorKind::Forbidden, reason)),
            ToolCheck::PassThrough | ToolCheck::Allow | ToolCheck::Ask(_) => {
                self.call.call(grant, ctx, progress).await
            }
        }
    }
}

/// The stricter word; of two alike the first.
fn stricter(a: ToolCheck, b: ToolCheck) -> ToolCheck {
    let rank = |check: &ToolCheck| match check {
        ToolCheck::Allow => 0,
        ToolCheck::PassThrough => 1,
        ToolCheck::Ask(_) => 2,
        ToolCheck::Deny(_) => 3,
    };
    // An `Allow` of the tool stands when the wrapper has nothing to say.
    match (&a, &b) {
        (ToolCheck::PassThrough, _) => b,
        _ if rank(&b) > rank(&a) => b,
        _ => a,
    }
}
