//! Handles to state that lives as long as the session and whose updates commute.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// State of a session, one value a type: the read ledger, tasks, the checklist. A value is made on
/// first use and shared by everybody after that; each type guards itself.
#[derive(Default)]
pub struct SessionState {
    values: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl SessionState {
    /// A session without state.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The session's `T`, made now if nobody asked before.
    pub fn of<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let value = values.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        // A value is only ever stored under its own type, so the fallback is never taken.
        Arc::clone(value).downcast().unwrap_or_default()
    }
}

impl fmt::Debug for SessionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("SessionState").field("values", &values.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn everybody_gets_the_same_value() {
        let state = SessionState::new();
        state.of::<AtomicUsize>().fetch_add(1, Ordering::Relaxed);
        assert_eq!(state.of::<AtomicUsize>().load(Ordering::Relaxed), 1);
        assert_eq!(*state.of::<String>(), "");
    }
}
