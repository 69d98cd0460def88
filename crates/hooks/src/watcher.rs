//! [`HookWatcher`]: hears of handlers while they run, to show it.

use std::fmt::Debug;

/// Hears of handlers while they run. Must not block.
pub trait HookWatcher: Debug + Send + Sync {
    /// A handler with a `statusMessage` starts.
    fn started(&self, event: &str, handler: &str, message: &str);

    /// It ended.
    fn ended(&self, _event: &str, _handler: &str) {}
}

const _: fn(&dyn HookWatcher) = |_| ();

/// Nobody watches.
impl HookWatcher for () {
    fn started(&self, _event: &str, _handler: &str, _message: &str) {}
}
