//! The terminals of a session. They live in its state, and end with it.

use super::owner::Owner;
use super::pty::Pty;
use crate::confined::LimitWatch;
use pegboard_tool_core::{ErrorKind, ToolError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Terminals that one agent may have at a time.
pub(crate) const MOST_OF_ONE: usize = 8;
/// Terminals that all agents of a session may have at a time.
const MOST_OF_ALL: usize = 24;

/// A terminal by its name.
#[derive(Debug)]
pub(crate) struct Terminal {
    pub(crate) name: String,
    /// What was started, for people.
    pub(crate) command: String,
    pub(crate) pty: Pty,
    /// Lines above the screen at the last look.
    seen: Mutex<u64>,
    /// Limits that are hit from the last look on.
    limits: Mutex<LimitWatch>,
}

impl Terminal {
    pub(crate) fn new(name: String, command: String, pty: Pty, limits: LimitWatch) -> Self {
        Self { name, command, pty, seen: Mutex::new(0), limits: Mutex::new(limits) }
    }

    /// Which limits of the session were hit since the last look; this is one.
    pub(crate) fn hit_limits(&self) -> Vec<String> {
        self.limits.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// How many lines went off the screen since the last look at it; this is one.
    pub(crate) fn scrolled(&self, all: u64) -> u64 {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let new = all.saturating_sub(*seen);
        *seen = all;
        new
    }
}

/// All terminals of a session.
#[derive(Debug, Default)]
pub(crate) struct Terminals {
    all: Mutex<BTreeMap<(Owner, String), Arc<Terminal>>>,
}

impl Terminals {
    fn all(&self) -> MutexGuard<'_, BTreeMap<(Owner, String), Arc<Terminal>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name for a new terminal.
    ///
    /// # Errors
    /// When it is taken, or there are too many.
    pub(crate) fn name_for_new(&self, owner: &Owner, wanted: Option<&str>) -> Result<String, ToolError> {
        let all = self.all();
        if all.len() >= MOST_OF_ALL {
            let text =
                format!("all agents together have {MOST_OF_ALL} terminals, which is the most; close one");
            return Err(ToolError::new(ErrorKind::Conflict, text));
        }
        let own: Vec<&str> = names(&all, owner).collect();
        if own.len() >= MOST_OF_ONE {
            let text = format!(
                "{MOST_OF_ONE} terminals are open, which is the most ({}); close one",
                own.join(", ")
            );
            return Err(ToolError::new(ErrorKind::Conflict, text));
        }
        match wanted {
            Some(name) if own.contains(&name) => {
                let text =
                    format!("there is a terminal `{name}` already; use it, close it, or take another name");
                Err(ToolError::new(ErrorKind::Conflict, text))
            }
            Some(name) => Ok(name.to_owned()),
            None => {
                let free = |name: &String| !own.contains(&name.as_str());
                let numbered =
                    std::iter::once("main".to_owned()).chain((2..).map(|number| format!("main{number}")));
                Ok(numbered.take(MOST_OF_ONE + 1).find(free).unwrap_or_default())
            }
        }
    }

    /// Keeps a new terminal.
    ///
    /// # Errors
    /// When another call took the name meanwhile; the terminal is ended then.
    pub(crate) fn add(&self, owner: Owner, terminal: Arc<Terminal>) -> Result<(), ToolError> {
        let mut all = self.all();
        let key = (owner, terminal.name.clone());
        if all.contains_key(&key) {
            return Err(ToolError::new(
                ErrorKind::Conflict,
                "the name was taken meanwhile; take another one",
            ));
        }
        all.insert(key, terminal);
        Ok(())
    }

    /// The terminal that is meant: by its name, or the only one.
    ///
    /// # Errors
    /// When there is none, or several and no name.
    pub(crate) fn find(&self, owner: &Owner, name: Option<&str>) -> Result<Arc<Terminal>, ToolError> {
        let all = self.all();
        let own: Vec<&str> = names(&all, owner).collect();
        let name = match (name, own.as_slice()) {
            (Some(name), _) => name,
            (None, [only]) => only,
            (None, []) => {
                return Err(ToolError::new(
                    ErrorKind::NotFound,
                    "no terminal is open; open one with Tungsten",
                ));
            }
            (None, _) => {
                let text =
                    format!("several terminals are open ({}); say which `session` is meant", own.join(", "));
                return Err(ToolError::new(ErrorKind::InvalidInput, text));
            }
        };
        all.get(&(owner.clone(), name.to_owned())).map(Arc::clone).ok_or_else(|| {
            let open =
                if own.is_empty() { "none is".to_owned() } else { format!("open: {}", own.join(", ")) };
            ToolError::new(ErrorKind::NotFound, format!("there is no terminal `{name}`; {open}"))
        })
    }

    /// Those of one agent, in the order of their names.
    pub(crate) fn of(&self, owner: &Owner) -> Vec<Arc<Terminal>> {
        self.all()
            .iter()
            .filter(|((other, _), _)| other == owner)
            .map(|(_, terminal)| Arc::clone(terminal))
            .collect()
    }

    /// Forgets `terminal`, if it is still the one of its name.
    pub(crate) fn remove(&self, owner: &Owner, terminal: &Arc<Terminal>) {
        let mut all = self.all();
        let key = (owner.clone(), terminal.name.clone());
        if all.get(&key).is_some_and(|known| Arc::ptr_eq(known, terminal)) {
            all.remove(&key);
        }
    }

    /// Takes out those of an agent, or all.
    pub(crate) fn take(&self, owner: Option<&Owner>) -> Vec<Arc<Terminal>> {
        let mut all = self.all();
        let taken = all.extract_if(.., |(other, _), _| owner.is_none_or(|owner| owner == other));
        taken.map(|(_, terminal)| terminal).collect()
    }
}

fn names<'a>(
    all: &'a BTreeMap<(Owner, String), Arc<Terminal>>,
    owner: &'a Owner,
) -> impl Iterator<Item = &'a str> {
    all.keys().filter(move |(other, _)| other == owner).map(|(_, name)| name.as_str())
}
