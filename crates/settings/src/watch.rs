//! Watches the settings files of a session and loads again when one changes. A thread of its own; the operating
//! system's notices make it quick, and looking at the files now and then makes it certain.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::live::{LiveSettings, Stamp};
use crate::settings::Settings;

/// How many folders below each other may come to be while they begin to be watched.
const MOST_LEVELS: usize = 32;

/// How a [`Watcher`] waits.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct WatchOptions {
    /// How long the operating system is not asked for notices yet: ending them takes it longer than a short run takes.
    /// What changes meanwhile is seen afterwards.
    pub begin: Duration,
    /// How long nothing must happen before the files are read: an editor writes in several steps.
    pub quiet: Duration,
    /// How long at most is waited for that.
    pub patience: Duration,
    /// How often the files are looked at when nobody says anything.
    pub look: Duration,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            begin: Duration::from_millis(200),
            quiet: Duration::from_millis(100),
            patience: Duration::from_secs(1),
            look: Duration::from_secs(2),
        }
    }
}

/// The files cannot be watched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchError {
    /// The thread did not start.
    #[error("settings are not watched, the thread for it did not start; changes count from the next start")]
    Thread {
        /// Why.
        source: io::Error,
    },
}

/// Loads settings again whenever a file of theirs changes, until it is dropped.
#[derive(Debug)]
pub struct Watcher {
    signals: Sender<Signal>,
    thread: Option<JoinHandle<()>>,
}

enum Signal {
    Touched,
    Stop,
}

impl Watcher {
    /// Watches from now on. `on_reload` gets the settings after every change, in a thread of its own; a panic in it
    /// ends the watching.
    ///
    /// # Errors
    ///
    /// When the thread cannot be started.
    pub fn start(
        live: LiveSettings,
        options: WatchOptions,
        on_reload: impl FnMut(Settings) + Send + 'static,
    ) -> Result<Self, WatchError> {
        let (signals, received) = channel();
        // Taken before this returns, so that a change right after it is not missed; the rest need not be waited for.
        let seen = live.stamps();
        let watching = Watching { live, options, received, on_reload, seen, notices: None };
        let notify = signals.clone();
        let thread = Builder::new()
            .name("pegboard-settings".to_owned())
            .spawn(move || watching.run(notify))
            .map_err(|source| WatchError::Thread { source })?;
        Ok(Self { signals, thread: Some(thread) })
    }

    /// Looks at the files now, whether anything was noticed or not.
    pub fn look_now(&self) {
        // When the thread is gone nobody looks any more.
        let _ = self.signals.send(Signal::Touched);
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.signals.send(Signal::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Watching<F> {
    live: LiveSettings,
    options: WatchOptions,
    received: Receiver<Signal>,
    on_reload: F,
    seen: Vec<Stamp>,
    notices: Option<Notices>,
}

impl<F: FnMut(Settings)> Watching<F> {
    fn run(mut self, notify: Sender<Signal>) {
        match self.received.recv_timeout(self.options.begin) {
            Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            // Somebody wants a look: it is the first thing to be done.
            Ok(Signal::Touched) => drop(notify.send(Signal::Touched)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        self.notices = Notices::new(notify);
        let mut follows_more = self.follow();
        loop {
            // What changed in a folder before the system's notices of it came is seen by looking once.
            let wait = if follows_more { Duration::ZERO } else { self.options.look };
            follows_more = false;
            match self.received.recv_timeout(wait) {
                Ok(Signal::Touched) => {}
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) if self.live.stamps() == self.seen => continue,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.settle().is_none() {
                return;
            }
            // Before reading: what changes while it is read is seen by the next look.
            self.seen = self.live.stamps();
            let settings = self.live.reload();
            follows_more = self.follow();
            (self.on_reload)(settings);
        }
    }

    /// Waits until nothing happens, and until a file that is being replaced is there again. `None` to stop.
    fn settle(&self) -> Option<()> {
        let start = Instant::now();
        loop {
            match self.received.recv_timeout(self.options.quiet) {
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return None,
                Ok(Signal::Touched) => {}
                Err(RecvTimeoutError::Timeout) if self.is_something_gone() => {}
                Err(RecvTimeoutError::Timeout) => return Some(()),
            }
            if start.elapsed() >= self.options.patience {
                return Some(());
            }
        }
    }

    fn is_something_gone(&self) -> bool {
        self.seen.iter().any(|stamp| stamp.state.is_some() && stamp.path.symlink_metadata().is_err())
    }

    /// Watches the folders that matter now; says whether there are new ones among them.
    fn follow(&mut self) -> bool {
        let Some(notices) = &mut self.notices else { return false };
        let mut has_new = false;
        // A folder may have come to be below one before that one was watched: until nothing is new.
        for _ in 0..MOST_LEVELS {
            if !notices.follow(&self.live.files()) {
                break;
            }
            has_new = true;
        }
        has_new
    }
}

/// Notices of the operating system. Where there are none, looking now and then has to do.
struct Notices {
    watcher: RecommendedWatcher,
    folders: HashSet<PathBuf>,
    /// What an event must name to matter: the files, and the folders that they are in.
    names: Arc<RwLock<HashSet<PathBuf>>>,
}

impl Notices {
    fn new(signals: Sender<Signal>) -> Option<Self> {
        let names: Arc<RwLock<HashSet<PathBuf>>> = Arc::default();
        let known = Arc::clone(&names);
        let on_event = move |event: notify::Result<Event>| {
            let known = known.read().unwrap_or_else(PoisonError::into_inner);
            if event.map_or(true, |event| changes_something(&event) && is_about(&event, &known)) {
                // Nobody is left to hear it once the watcher is dropped.
                let _ = signals.send(Signal::Touched);
            }
        };
        let watcher = notify::recommended_watcher(on_event).ok()?;
        Some(Self { watcher, folders: HashSet::new(), names })
    }

    /// Watches the folders of these files, and those in which missing folders would come to be. Says whether one of
    /// them is new.
    fn follow(&mut self, files: &[PathBuf]) -> bool {
        let mut wanted = HashSet::new();
        let mut names = HashSet::new();
        for file in files {
            // What a link leads to changes elsewhere, and some systems name files without links.
            let folder = file.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
            let plain = folder.zip(file.file_name()).map(|(folder, name)| folder.join(name));
            let target = std::fs::canonicalize(file).ok();
            for path in [Some(file.clone()), plain, target].into_iter().flatten() {
                wanted.extend(nearest_folder(&path));
                names.extend(path.ancestors().map(Path::to_path_buf));
            }
            if file.is_dir() {
                wanted.insert(file.clone());
            }
        }
        *self.names.write().unwrap_or_else(PoisonError::into_inner) = names;
        for gone in self.folders.difference(&wanted) {
            // A folder that was removed is no longer watched anyway.
            let _ = self.watcher.unwatch(gone);
        }
        let new: Vec<PathBuf> = wanted.difference(&self.folders).cloned().collect();
        let mut has_new = false;
        for folder in new {
            match self.watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => has_new = true,
                // Looking now and then has to do for it.
                Err(_) => drop(wanted.remove(&folder)),
            }
        }
        self.folders = wanted;
        has_new
    }
}

fn nearest_folder(file: &Path) -> Option<PathBuf> {
    file.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_path_buf)
}

/// Whether an event is about one of the files, or a folder on the way. One that names nothing may be about all.
fn is_about(event: &Event, names: &HashSet<PathBuf>) -> bool {
    let is_drop_in = |path: &Path| {
        path.parent()
            .is_some_and(|folder| folder.extension().is_some_and(|end| end == "d") && names.contains(folder))
    };
    event.paths.is_empty() || event.paths.iter().any(|path| names.contains(path) || is_drop_in(path))
}

/// Whether an event is more than somebody reading.
fn changes_something(event: &Event) -> bool {
    match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    }
}
