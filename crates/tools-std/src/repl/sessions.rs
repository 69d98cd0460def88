//! The interpreters of a session. They live in its state, and end with it.

use super::interpreter::Interpreter;
use super::language::ReplLanguage;
use crate::terminal::owner::Owner;
use pegboard_tool_core::{ErrorKind, ToolError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Interpreters that one agent may have at a time.
const MOST_OF_ONE: usize = 6;
/// Interpreters that all agents of a session may have at a time.
const MOST_OF_ALL: usize = 16;

/// Whose an interpreter is, its language and its name.
pub(super) type Key = (Owner, ReplLanguage, String);

/// The place of an interpreter, which is empty before its start and after its end. One call at a time has it.
pub(super) type Slot = Arc<tokio::sync::Mutex<Option<Interpreter>>>;

/// All interpreters of a session.
#[derive(Debug, Default)]
pub(super) struct Interpreters {
    all: Mutex<BTreeMap<Key, Slot>>,
}

impl Interpreters {
    fn all(&self) -> MutexGuard<'_, BTreeMap<Key, Slot>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of an interpreter, when it was asked for before.
    pub(super) fn find(&self, key: &Key) -> Option<Slot> {
        self.all().get(key).map(Arc::clone)
    }

    /// The place of an interpreter, made now if it was not asked for before.
    ///
    /// # Errors
    /// When there are too many.
    pub(super) fn of(&self, key: &Key) -> Result<Slot, ToolError> {
        let mut all = self.all();
        if let Some(slot) = all.get(key) {
            return Ok(Arc::clone(slot));
        }
        // Places whose interpreter is over cost nothing and count for nothing.
        all.retain(|_, slot| slot.try_lock().map_or(true, |slot| slot.is_some()));
        let own: Vec<String> = all
            .keys()
            .filter(|(owner, ..)| *owner == key.0)
            .map(|(_, language, name)| format!("{} {name}", language.name()))
            .collect();
        if own.len() >= MOST_OF_ONE || all.len() >= MOST_OF_ALL {
            let text = format!("too many interpreters run ({}); stop one first", own.join(", "));
            return Err(ToolError::new(ErrorKind::Conflict, text));
        }
        let slot = Slot::default();
        all.insert(key.clone(), Arc::clone(&slot));
        Ok(slot)
    }

    /// Takes out those of an agent, or all.
    pub(super) fn take(&self, owner: Option<&Owner>) -> Vec<Slot> {
        let mut all = self.all();
        let taken = all.extract_if(.., |(other, ..), _| owner.is_none_or(|owner| owner == other));
        taken.map(|(_, slot)| slot).collect()
    }
}
