//! Which tools exist, under which names, for whom: catalog, gates, and the immutable tool pool.
//!
//! A [`Catalog`] lists everything that could exist. [`Catalog::base_tools`] makes what the gates let
//! through here, [`available`] leaves out what rules forbid, [`assemble`] puts built-in and MCP tools
//! together into a [`ToolPool`]: names resolved, definitions serialised once. A [`PoolHandle`] holds the
//! current pool for readers that never wait. Nothing is dropped silently: each step reports what it left
//! out, and why.
//!
//! Not in here: running anything, deciding anything, and validating inputs; the validator is a port.
//!
//! ```
//! use pegboard_registry::{Catalog, Entry, Gate, Offer, Services, Made, available, assemble};
//! # use pegboard_tool_core::{*, ports::*};
//! # use std::sync::Arc;
//! # fn example(read: Arc<dyn DynTool>, validator: &dyn InputValidator) -> Result<(), ToolNameError> {
//! let catalog = Catalog::new()
//!     .with(Entry::of(read))
//!     .with(Entry::new(ToolName::new("Sleep")?, |_, _| Made::NotHere("no clock".to_owned()))
//!         .gate(Gate::Flag("sleep".to_owned())));
//! let env = ToolEnv::new();
//! let base = catalog.base_tools(&env, &Services::new(), 0);
//! let allowed = available(base.tools, &env, &|_| None);
//! let assembled = assemble(allowed.tools, Vec::new(), validator);
//! assert_eq!(assembled.pool.len(), 1);
//! # Ok(())
//! # }
//! ```

mod adapter;
pub mod aliases;
mod assemble;
mod catalog;
mod dropped;
mod dynamic;
mod form;
mod gate;
mod guidance;
mod handle;
mod index;
mod near;
mod offer;
mod pool;
mod services;
mod source;

pub use adapter::InputAdapter;
pub use assemble::{Assembled, assemble, assemble_after, available};
pub use catalog::{Catalog, Entry, Made, Selection, SharedEntry};
pub use dropped::{DropReason, Dropped};
pub use dynamic::{DynamicProvider, DynamicTools};
pub use gate::{Gate, GateAnswer};
pub use handle::PoolHandle;
pub use offer::{Alias, Offer, Partition, SharedTool};
pub use pool::{PoolEntry, ToolPool};
pub use services::Services;
pub use source::{SourceError, ToolSource};
