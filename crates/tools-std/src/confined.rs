//! What the programs of a session may use together: one confinement for command lines, interpreters, terminals,
//! language servers and everything else that tools start. With the host's supervisor it ends them too.

#[cfg(any(feature = "lsp", feature = "terminal", feature = "web"))]
use crate::Services;
use pegboard_process::{Confinement, Limits};
#[cfg(unix)]
use pegboard_process::{Hits, Orphans};
use pegboard_tool_core::ToolContext;
use std::sync::{Arc, Mutex, PoisonError};

/// The confinements of a session: one, as long as its limits are the same.
#[derive(Debug, Default)]
struct Made(Mutex<Vec<Arc<Confinement>>>);

/// The confinement of this session's programs.
pub(crate) fn of(limits: Limits, ctx: &ToolContext) -> Arc<Confinement> {
    let made = ctx.session.of::<Made>();
    let mut made = made.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(confinement) = made.iter().find(|confinement| confinement.limits() == limits) {
        return Arc::clone(confinement);
    }
    let confinement = Arc::new(Confinement::new(limits));
    made.push(Arc::clone(&confinement));
    confinement
}

/// The same, with the limits that the host gave for command lines.
#[cfg(any(feature = "lsp", feature = "terminal", feature = "web"))]
pub(crate) fn of_session(services: &Services, ctx: &ToolContext) -> Arc<Confinement> {
    #[cfg(unix)]
    let limits = services.shell.limits;
    #[cfg(not(unix))]
    let limits = {
        let _has_none_here = services;
        Limits::none()
    };
    of(limits, ctx)
}

/// Sees which limits are hit from a moment on.
#[cfg(unix)]
#[derive(Clone, Debug)]
pub(crate) struct LimitWatch {
    confinement: Arc<Confinement>,
    before: Hits,
}

#[cfg(unix)]
impl LimitWatch {
    /// From now on.
    pub(crate) fn new(confinement: Arc<Confinement>) -> Self {
        let before = confinement.hits();
        Self { confinement, before }
    }

    /// Whether a supervisor ends what a command leaves.
    pub(crate) fn is_supervised(&self) -> bool {
        self.confinement.report().orphans == Orphans::Ended
    }

    /// What the model is told of limits that were hit since.
    pub(crate) fn notices(&self) -> Vec<String> {
        said(self.confinement.limits(), self.before, self.confinement.hits())
    }

    /// The same, and the next look begins here.
    #[cfg(feature = "terminal")]
    pub(crate) fn take(&mut self) -> Vec<String> {
        let now = self.confinement.hits();
        let before = std::mem::replace(&mut self.before, now);
        said(self.confinement.limits(), before, now)
    }
}

#[cfg(unix)]
fn said(limits: Limits, before: Hits, after: Hits) -> Vec<String> {
    let mut notices = Vec::new();
    if let Some(bytes) = limits.memory
        && after.memory > before.memory
    {
        notices.push(format!(
            "a process was killed: the {bytes} bytes of memory that all commands of this session may use together \
             were used up"
        ));
    }
    if let Some(most) = limits.processes
        && after.processes > before.processes
    {
        notices.push(format!(
            "new processes were refused: all commands of this session may have {most} processes and threads together"
        ));
    }
    notices
}
