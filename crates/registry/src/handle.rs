//! The current pool, for readers that never wait.

use crate::ToolPool;
use arc_swap::ArcSwap;
use pegboard_tool_core::ports::{FoundTool, ToolLookup};
use serde_json::Value;
use std::sync::Arc;

/// Holds the current pool. Readers take a snapshot without waiting; a turn keeps the one it began with.
#[derive(Debug)]
pub struct PoolHandle {
    current: ArcSwap<ToolPool>,
}

impl PoolHandle {
    /// A handle on `pool`.
    #[must_use]
    pub fn new(pool: ToolPool) -> Self {
        Self { current: ArcSwap::from_pointee(pool) }
    }

    /// The current pool. Never blocks.
    #[must_use]
    pub fn load(&self) -> Arc<ToolPool> {
        self.current.load_full()
    }

    /// Makes `pool` the current one. Its generation is raised above that of the pool it replaces, so
    /// generations of a handle only grow. One writer at a time is assumed to have made `pool` from the
    /// current one; of two, the later stands.
    pub fn store(&self, mut pool: ToolPool) {
        pool.raise_generation(self.current.load().generation() + 1);
        self.current.store(Arc::new(pool));
    }
}

/// Looks into the current pool; for a turn, use the pool that [`PoolHandle::load`] gave at its start.
impl ToolLookup for PoolHandle {
    fn find(&self, name: &str, input: &Arc<Value>) -> Option<FoundTool> {
        self.current.load().find(name, input)
    }

    fn near(&self, name: &str) -> Vec<String> {
        self.current.load().near(name)
    }

    fn generation(&self) -> u64 {
        self.current.load().generation()
    }
}
