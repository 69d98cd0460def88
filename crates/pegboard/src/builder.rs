//! The typed builder: tools and layers in, a runtime out, never without a gate.

use crate::{AllowAll, BuildError, Pegboard};
use pegboard_dispatch::{DispatchConfig, Dispatcher};
use pegboard_registry::{Offer, ToolPool, assemble};
use pegboard_scheduler::{Batches, DEFAULT_MAX_CONCURRENCY};
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
    tools: Vec<Arc<dyn DynTool>>,
    pool: Option<Arc<ToolPool>>,
    validator: Option<Arc<dyn InputValidator>>,
    hooks: Arc<dyn HookRunner>,
    approver: Arc<dyn Approver>,
    store: Option<Arc<dyn ResultStore>>,
    observers: Vec<Arc<dyn Observer>>,
    max_concurrency: NonZeroUsize,
    time_limit: Option<Duration>,
}

impl Builder<NoGate> {
    pub(crate) fn new() -> Self {
        Self {
            gate: NoGate,
            tools: Vec::new(),
            pool: None,
            validator: default_validator(),
            hooks: Arc::new(()),
            approver: Arc::new(()),
            store: None,
            observers: Vec::new(),
            max_concurrency: DEFAULT_MAX_CONCURRENCY,
            time_limit: None,
        }
    }

    /// Who decides whether a call may run.
    #[must_use]
    pub fn gate(self, gate: Arc<dyn PermissionGate>) -> Builder<Gated> {
        self.gated(gate)
    }

    /// Lets every call run. For tests and for places where nothing can be lost.
    #[must_use]
    pub fn dangerously_allow_all(self) -> Builder<Gated> {
        self.gated(Arc::new(AllowAll::new()))
    }

    fn gated(self, gate: Arc<dyn PermissionGate>) -> Builder<Gated> {
        let Self {
            gate: NoGate,
            tools,
            pool,
            validator,
            hooks,
            approver,
            store,
            observers,
            max_concurrency,
            time_limit,
        } = self;
        let gate = Gated(gate);
        Builder {
            gate,
            tools,
            pool,
            validator,
            hooks,
            approver,
            store,
            observers,
            max_concurrency,
            time_limit,
        }
    }
}

impl<G> Builder<G> {
    /// One more tool.
    #[must_use]
    pub fn tool(mut self, tool: Arc<dyn DynTool>) -> Self {
        self.tools.push(tool);
        self
    }

    /// More tools.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = Arc<dyn DynTool>>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// A pool that was assembled elsewhere, instead of single tools.
    #[must_use]
    pub fn pool(self, pool: Arc<ToolPool>) -> Self {
        Self { pool: Some(pool), ..self }
    }

    /// Who checks inputs. Default: `pegboard-schema`, where the feature `schema` is on.
    #[must_use]
    pub fn validator(self, validator: Arc<dyn InputValidator>) -> Self {
        Self { validator: Some(validator), ..self }
    }

    /// Who runs hooks.
    #[must_use]
    pub fn hooks(self, hooks: Arc<dyn HookRunner>) -> Self {
        Self { hooks, ..self }
    }

    /// Who answers what the gate asks.
    #[must_use]
    pub fn approver(self, approver: Arc<dyn Approver>) -> Self {
        Self { approver, ..self }
    }

    /// Where results go that are too large to be inline.
    #[must_use]
    pub fn store(self, store: Arc<dyn ResultStore>) -> Self {
        Self { store: Some(store), ..self }
    }

    /// One more who watches.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers.push(observer);
        self
    }

    /// How many shared calls run at once.
    #[must_use]
    pub fn max_concurrency(self, max_concurrency: NonZeroUsize) -> Self {
        Self { max_concurrency, ..self }
    }

    /// Time limit of calls whose tool has none of its own.
    #[must_use]
    pub fn time_limit(self, limit: Duration) -> Self {
        Self { time_limit: Some(limit), ..self }
    }
}

impl Builder<Gated> {
    /// Wires the layers.
    ///
    /// # Errors
    /// When there is no validator, or a tool cannot be offered.
    pub fn build(self) -> Result<Pegboard, BuildError> {
        let pool = match self.pool {
            Some(pool) => pool,
            None => {
                let validator = self.validator.ok_or(BuildError::NoValidator)?;
                let offers = self.tools.into_iter().map(Offer::new).collect();
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
        let observer: Arc<dyn Observer> = match self.observers.len() {
            0 => Arc::new(()),
            _ => Arc::new(Observers(self.observers)),
        };
        let lookup: Arc<dyn ToolLookup> = Arc::<ToolPool>::clone(&pool);
        let mut config = DispatchConfig::new(lookup, self.gate.0)
            .with_hooks(self.hooks)
            .with_approver(self.approver)
            .with_observer(Arc::clone(&observer));
        config.store = self.store;
        config.default_time_limit = self.time_limit;
        let invoker: Arc<dyn ToolInvoker> = Arc::new(Dispatcher::new(config));
        let executor = Batches::new(Arc::clone(&invoker))
            .with_max_concurrency(self.max_concurrency)
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
