//! What a tool is: [`Tool`] for authors, [`DynTool`] and [`Invocation`] for the layers, the bridge
//! between them, and [`ToolBuilder`] for closures.

mod bridge;
mod builder;
mod dyn_tool;
mod output;
mod progress;
mod typed;

pub use bridge::dyn_tool;
pub use builder::{ClosureTool, ToolBuilder};
pub use dyn_tool::{DynTool, Invocation, PartialInput, ToolCheck};
pub use output::{RawOutput, ToolOutput};
pub use progress::{Progress, ProgressSink};
pub use typed::{PromptContext, Tool};
