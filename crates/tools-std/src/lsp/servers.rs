//! The servers of a session: one a project and language, started on first use, started again after a crash, ended
//! with the session.

use super::languages::Server;
use super::server::{Limits, Running};
use pegboard_process::Confinement;
use pegboard_tool_core::{ErrorKind, SessionState, ToolContext, ToolError};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How often a server is started in a session.
const MOST_STARTS: u32 = 5;
/// Servers that run at once; the one used longest ago makes room.
const MOST_RUNNING: usize = 6;

/// The session's language servers.
#[derive(Debug, Default)]
pub(super) struct Servers {
    slots: Mutex<Slots>,
}

#[derive(Debug, Default)]
struct Slots {
    by_place: HashMap<(String, PathBuf), Arc<Slot>>,
    /// Counts uses, for the one used longest ago.
    uses: u64,
}

#[derive(Debug, Default)]
struct Slot {
    used: Mutex<u64>,
    /// Locked while it starts, so that it starts once.
    state: tokio::sync::Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    running: Option<(Server, Arc<Running>)>,
    starts: u32,
}

impl Servers {
    /// Whether the server runs for this project, or is just being started: whoever may ask it was asked already.
    pub(super) fn is_running(&self, server: &Server, root: &Path) -> bool {
        let slot = self.slots().by_place.get(&(server.name.clone(), root.to_path_buf())).cloned();
        slot.is_some_and(|slot| match slot.state.try_lock() {
            Ok(state) => {
                state.running.as_ref().is_some_and(|(as_was, running)| as_was == server && running.is_there())
            }
            Err(_) => true,
        })
    }

    /// The server for this project, started if it does not run.
    ///
    /// # Errors
    /// When it cannot be started, or was started too often.
    pub(super) async fn running(
        &self,
        server: &Server,
        root: &Path,
        confinement: &Confinement,
        ctx: &ToolContext,
        limits: Limits,
    ) -> Result<Arc<Running>, ToolError> {
        let slot = self.slot(server, root);
        let mut state = slot.state.lock().await;
        let mut why = String::new();
        if let Some((as_was, running)) = &state.running {
            if running.is_there() && as_was == server {
                return Ok(Arc::clone(running));
            }
            if !running.is_there() {
                why = format!("; the last time: {}", running.heard().why_gone());
            }
        }
        if state.starts >= MOST_STARTS {
            let text = format!(
                "the language server {} was started {MOST_STARTS} times in this session and is not started again{why}",
                server.name
            );
            return Err(ToolError::new(ErrorKind::Unavailable, text));
        }
        // Whatever is left of the one before ends now.
        if let Some((_, before)) = state.running.take() {
            before.stop("it was started again");
        }
        self.make_room(&slot);
        let started = Running::start(server, root, confinement, ctx, limits).await;
        // Not counted when the call was dropped meanwhile.
        state.starts += 1;
        let running = Arc::new(started?);
        state.running = Some((server.clone(), Arc::clone(&running)));
        Ok(running)
    }

    /// Ends those whose project is `path` or below it.
    pub(super) fn stop_below(&self, path: &Path) {
        let real = pegboard_tool_core::resolve_links(path).unwrap_or_else(|_| path.to_path_buf());
        let is_below = |root: &Path| root.starts_with(path) || root.starts_with(&real);
        let mut slots = self.slots();
        slots.by_place.retain(|(_, root), slot| {
            if !is_below(root) {
                return true;
            }
            slot.stop();
            false
        });
    }

    /// Says farewell to all.
    pub(super) async fn farewell(&self) {
        let slots: Vec<Arc<Slot>> = self.slots().by_place.drain().map(|(_, slot)| slot).collect();
        for slot in slots {
            if let Some((_, running)) = slot.state.lock().await.running.take() {
                running.farewell().await;
            }
        }
    }

    fn slot(&self, server: &Server, root: &Path) -> Arc<Slot> {
        let mut slots = self.slots();
        slots.uses += 1;
        let now = slots.uses;
        let slot = slots.by_place.entry((server.name.clone(), root.to_path_buf())).or_default();
        *slot.used.lock().unwrap_or_else(PoisonError::into_inner) = now;
        Arc::clone(slot)
    }

    fn make_room(&self, but: &Arc<Slot>) {
        let slots = self.slots();
        let mut others: Vec<&Arc<Slot>> =
            slots.by_place.values().filter(|slot| !Arc::ptr_eq(slot, but) && slot.runs()).collect();
        others.sort_by_key(|slot| *slot.used.lock().unwrap_or_else(PoisonError::into_inner));
        let over = (others.len() + 1).saturating_sub(MOST_RUNNING);
        others.iter().take(over).for_each(|slot| slot.stop());
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    fn runs(&self) -> bool {
        self.state.try_lock().is_ok_and(|state| state.running.is_some())
    }

    /// Ends the server, unless it is just being started.
    fn stop(&self) {
        if let Ok(mut state) = self.state.try_lock()
            && let Some((_, running)) = state.running.take()
        {
            running.stop("it was stopped");
        }
    }
}

/// Ends the language servers of the session whose project is at or below `path`, at once.
pub(crate) fn stop_below(session: &SessionState, path: &Path) {
    session.of::<Servers>().stop_below(path);
}

/// Ends all language servers of the session, politely: for the end of a run. Takes at most some seconds a server;
/// without it they end with the session, at once.
pub async fn stop_language_servers(session: &SessionState) {
    session.of::<Servers>().farewell().await;
}
