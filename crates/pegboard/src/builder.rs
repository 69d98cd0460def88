//! The typed builder: tools and layers in, a runtime out, never without a gate.

use crate::{AllowAll, BuildError, Pegboard};
use pegboard_dispatch::{DispatchConfig, Dispatcher};
use pegboard_registry::{Offer, ToolPool, assemble};
use pegboard_scheduler::{DEFAULT_MAX_CONCURRENCY, Schedule, Scheduler, Siblings, Start};
#[cfg(feature = "session")]
use pegboard_session::Journaled;
use pegboard_tool_core::DynTool;
use pegboard_tool_core::ports::{
    Approver, HookRunner, InputValidator, Observer, Observers, PermissionGate, ResultStore, ToolInvoker,
    ToolLookup,
};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

/// The builder has no gate yet, so it cannot build.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NoGate;

/// The builder has a gate.
#[derive(Clone, Debug)]
pub struct Gated(Arc<dyn PermissionGate>);

/// Collects tools and layers. What is not said: no hooks, nobody to ask, no store for large results,
/// nobody who watches, ten shared calls at once, no time limit.
///
/// With a gate it builds:
///
/// ```
/// # fn check() -> Result<(), pegboard::BuildError> {
/// let pegboard = pegboard::Pegboard::builder().dangerously_allow_all().build()?;
/// # drop(pegboard);
/// # Ok(())
/// # }
/// ```
///
/// Without one there is nothing to call:
///
/// ```compile_fail,E0599
/// # fn check() -> Result<(), pegboard::BuildError> {
/// let pegboard = pegboard::Pegboard::builder().build()?;
/// # drop(pegboard);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Builder<G> {
    gate: G,
    parts: Parts,
}

/// Everything but the gate.
#[derive(Debug)]
struct Parts {
    tools: Vec<Arc<dyn DynTool>>,
    pool: Option<Arc<ToolPool>>,
    validator: Option<Arc<dyn InputValidator>>,
    hooks: Arc<dyn HookRunner>,
    approver: Arc<dyn Approver>,
    store: Option<Arc<dyn ResultStore>>,
    #[cfg(feature = "session")]
    journal: Option<Arc<dyn pegboard_tool_core::ports::Journal>>,
    observers: Vec<Arc<dyn Observer>>,
    max_concurrency: NonZeroUsize,
    schedule: Schedule,
    start: Start,
    siblings: Siblings,
    time_limit: Option<Duration>,
}

impl Builder<NoGate> {
    pub(crate) fn new() -> Self {
        let parts = Parts {
            tools: Vec::new(),
            pool: None,
            validator: default_validator(),
            hooks: Arc::new(()),
            approver: Arc::new(()),
            store: None,
            #[cfg(feature = "session")]
            journal: None,
            observers: Vec::new(),
            max_concurrency: DEFAULT_MAX_CONCURRENCY,
            schedule: Schedule::default(),
            start: Start::default(),
            siblings: Siblings::default(),
            time_limit: None,
        };
        Self { gate: NoGate, parts }
    }

    /// Who decides whether a call may run.
    #[must_use]
    pub fn gate(self, gate: Arc<dyn PermissionGate>) -> Builder<Gated> {
        Builder { gate: Gated(gate), parts: self.parts }
    }

    /// Lets every call run. For tests and for places where nothing can be lost.
    #[must_use]
    pub fn dangerously_allow_all(self) -> Builder<Gated> {
        self.gate(Arc::new(AllowAll::new()))
    }
}

impl<G> Builder<G> {
    /// One more tool.
    #[must_use]
    pub fn tool(mut self, tool: Arc<dyn DynTool>) -> Self {
        self.parts.tools.push(tool);
        self
    }

    /// More tools.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = Arc<dyn DynTool>>) -> Self {
        self.parts.tools.extend(tools);
        self
    }

    /// A pool that was assembled elsewhere, instead of single tools.
    #[must_use]
    pub fn pool(mut self, pool: Arc<ToolPool>) -> Self {
        self.parts.pool = Some(pool);
        self
    }

    /// Who checks inputs. Default: `pegboard-schema`, where the feature `schema` is on.
    #[must_use]
    pub fn validator(mut self, validator: Arc<dyn InputValidator>) -> Self {
        self.parts.validator = Some(validator);
        self
    }

    /// Who runs hooks.
    #[must_use]
    pub fn hooks(mut self, hooks: Arc<dyn HookRunner>) -> Self {
        self.parts.hooks = hooks;
        self
    }

    /// Who answers what the gate asks.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.parts.approver = approver;
        self
    }

    /// Where results go that are too large to be inline.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn ResultStore>) -> Self {
        self.parts.store = Some(store);
        self
    }

    /// Where calls are written down before they run and after: nothing runs twice in a session.
    #[cfg(feature = "session")]
    #[must_use]
    pub fn journal(mut self, journal: Arc<dyn pegboard_tool_core::ports::Journal>) -> Self {
        self.parts.journal = Some(journal);
        self
    }

    /// Which calls may run beside each other. Default: [`Schedule::Batches`].
    #[must_use]
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.parts.schedule = schedule;
        self
    }

    /// When a call of a message that still arrives may begin. Default: [`Start::End`].
    #[must_use]
    pub fn start(mut self, start: Start) -> Self {
        self.parts.start = start;
        self
    }

    /// What becomes of the other calls when a `Bash` call failed. Default: [`Siblings::Independent`].
    #[must_use]
    pub fn siblings(mut self, siblings: Siblings) -> Self {
        self.parts.siblings = siblings;
        self
    }

    /// One more who watches.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.parts.observers.push(observer);
        self
    }

    /// How many shared calls run at once.
    #[must_use]
    pub fn max_concurrency(mut self, max_concurrency: NonZeroUsize) -> Self {
        self.parts.max_concurrency = max_concurrency;
        self
    }

    /// Time limit of calls whose tool has none of its own.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.parts.time_limit = Some(limit);
        self
    }
}

impl Builder<Gated> {
    /// Wires the layers.
    ///
    /// # Errors
    /// When there is no validator, or a tool cannot be offered.
    pub fn build(self) -> Result<Pegboard, BuildError> {
        let Self { gate: Gated(gate), parts } = self;
        let pool = match parts.pool {
            Some(pool) => pool,
            None => {
                let validator = parts.validator.ok_or(BuildError::NoValidator)?;
                let offers = parts.tools.into_iter().map(Offer::new).collect();
                let assembled = assemble(offers, Vec::new(), &*validator);
                if let Some(dropped) = assembled.dropped.into_iter().next() {
                    return Err(BuildError::Dropped {
                        name: dropped.name,
                        reason: dropped.reason.to_string(),
                    });
                }
                Arc::new(assembled.pool)
            }
        };
        let observer: Arc<dyn Observer> = match parts.observers.len() {
            0 => Arc::new(()),
            _ => Arc::new(Observers(parts.observers)),
        };
        let lookup: Arc<dyn ToolLookup> = Arc::<ToolPool>::clone(&pool);
        let mut config = DispatchConfig::new(lookup, gate)
            .with_hooks(parts.hooks)
            .with_approver(parts.approver)
            .with_observer(Arc::clone(&observer));
        config.store = parts.store;
        config.default_time_limit = parts.time_limit;
        let invoker: Arc<dyn ToolInvoker> = Arc::new(Dispatcher::new(config));
        #[cfg(feature = "session")]
        let invoker = match parts.journal {
            Some(journal) => Arc::new(Journaled::new(invoker, journal, Arc::clone(&observer))),
            None => invoker,
        };
        let executor = Scheduler::new(Arc::clone(&invoker))
            .with_max_concurrency(parts.max_concurrency)
            .with_schedule(parts.schedule)
            .with_start(parts.start)
            .with_siblings(parts.siblings)
            .with_observer(observer);
        Ok(Pegboard { invoker, executor: Arc::new(executor), pool })
    }
}

#[cfg(feature = "schema")]
fn default_validator() -> Option<Arc<dyn InputValidator>> {
    Some(Arc::new(pegboard_schema::SchemaValidator::new()))
}

#[cfg(not(feature = "schema"))]
fn default_validator() -> Option<Arc<dyn InputValidator>> {
    None
}

#[cfg(all(test, not(feature = "schema")))]
mod tests {
    use crate::{BuildError, Pegboard};

    #[test]
    fn without_a_validator_nothing_is_built() {
        let built = Pegboard::builder().dangerously_allow_all().build();
        assert!(matches!(built, Err(BuildError::NoValidator)));
    }
}
