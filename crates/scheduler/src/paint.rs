//! Hands the input of calls that still stream to the tools that paint it.

use pegboard_tool_core::PartialInput;
use pegboard_tool_core::ports::ToolInvoker;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The inputs that are not complete, by call.
#[derive(Debug, Default)]
pub(crate) struct Painter {
    open: HashMap<Arc<str>, (Arc<dyn PartialInput>, String)>,
}

impl Painter {
    /// A call's block began.
    pub(crate) fn began(&mut self, invoker: &dyn ToolInvoker, id: &Arc<str>, name: &str) {
        // A painter that panics paints no more; the call is not its business.
        if let Ok(Some(painter)) = catch_unwind(AssertUnwindSafe(|| invoker.partial(name))) {
            self.open.insert(Arc::clone(id), (painter, String::new()));
        }
    }

    /// More of its input came.
    pub(crate) fn more(&mut self, id: &Arc<str>, text: &str) {
        let Some((painter, so_far)) = self.open.get_mut(id) else { return };
        so_far.push_str(text);
        if catch_unwind(AssertUnwindSafe(|| painter.input(id, so_far))).is_err() {
            self.open.remove(id);
        }
    }

    /// Its input is complete.
    pub(crate) fn done(&mut self, id: &Arc<str>) {
        self.open.remove(id);
    }

    /// The attempt was dropped.
    pub(crate) fn clear(&mut self) {
        self.open.clear();
    }
}
