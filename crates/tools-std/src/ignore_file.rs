//! [`IgnorePolicy`]: the access validator. What the ignore files of a project name is closed to every tool, before
//! and beside the rules of the policy that it wraps.

mod fold;
mod lines;
#[cfg(unix)]
mod links;
mod meant;
mod root;
mod stamp;

pub use root::NAMES;

use pegboard_tool_core::ports::{AccessPolicy, ClosedPaths, Verdict};
use pegboard_tool_core::{AccessMode, ContextSnapshot, ToolContext};
use root::ClosedRoot;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long [`AccessPolicy::path`] answers without a new look at the ignore files: a search asks it for every hit.
const RECENT: Duration = Duration::from_millis(100);
/// Folders whose ignore files are kept parsed.
const MOST_ROOTS: usize = 64;

/// Closes what `.pegboardignore` and `.clineignore` name, in the syntax of `.gitignore`.
///
/// The files count that lie in the project folder, in the working directories that were added, and at the top of the
/// repository that the session stands in. Containment comes first: about paths outside of these folders the wrapped
/// policy alone decides; inside, the stricter of both counts. A file that cannot be read or holds a line that is no
/// pattern closes its whole folder. Changes of the files count from the next call on.
#[derive(Debug)]
pub struct IgnorePolicy {
    project: PathBuf,
    inner: Arc<dyn AccessPolicy>,
    loaded: Mutex<HashMap<PathBuf, Arc<ClosedRoot>>>,
    recent: Mutex<Option<Recent>>,
}

/// The last answer, and for which folders it was.
#[derive(Debug)]
struct Recent {
    at: Instant,
    cwd: PathBuf,
    project: PathBuf,
    directories: Vec<PathBuf>,
    closed: Option<Arc<dyn ClosedPaths>>,
}

impl IgnorePolicy {
    /// The validator of the project at `project` (absolute), before the rules of `inner`.
    pub fn new(project: impl Into<PathBuf>, inner: Arc<dyn AccessPolicy>) -> Self {
        Self { project: project.into(), inner, loaded: Mutex::default(), recent: Mutex::default() }
    }

    /// What is wrong with the ignore files, in words for the operator: file, line, what to do. While one cannot be
    /// understood its folder is closed; these come first. Lines that name nothing, or not what people mean by them,
    /// follow.
    #[must_use]
    pub fn problems(&self, ctx: &ToolContext) -> Vec<String> {
        let roots = self.roots(ctx);
        let problems = roots.iter().filter_map(|root| root.problem());
        problems.chain(roots.iter().flat_map(|root| root.doubts())).map(str::to_owned).collect()
    }

    fn roots(&self, ctx: &ToolContext) -> Vec<Arc<ClosedRoot>> {
        let mut folders: Vec<&Path> = vec![&self.project];
        let others = std::iter::once(&ctx.project_dir).chain(&ctx.directories).map(PathBuf::as_path);
        for folder in others.chain(repository_of(ctx)) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders.into_iter().map(|folder| self.root(folder)).collect()
    }

    fn root(&self, folder: &Path) -> Arc<ClosedRoot> {
        let known = self.loaded.lock().unwrap_or_else(PoisonError::into_inner).get(folder).cloned();
        if let Some(root) = known.filter(|root| root.is_current()) {
            return root;
        }
        let root = Arc::new(ClosedRoot::load(folder));
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded.len() >= MOST_ROOTS {
            loaded.clear();
        }
        loaded.insert(folder.to_path_buf(), Arc::clone(&root));
        root
    }

    fn recently(&self, ctx: &ToolContext) -> Option<Arc<dyn ClosedPaths>> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        match recent.as_ref() {
            Some(recent) if recent.holds(ctx) => recent.closed.clone(),
            _ => {
                drop(recent);
                self.closed(ctx)
            }
        }
    }
}

impl Recent {
    fn holds(&self, ctx: &ContextSnapshot) -> bool {
        self.at.elapsed() < RECENT
            && self.cwd == ctx.cwd
            && self.project == ctx.project_dir
            && self.directories == ctx.directories
    }
}

/// The top of the repository or worktree around the working directory.
fn repository_of(ctx: &ContextSnapshot) -> Option<&Path> {
    ctx.cwd.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())
}

impl AccessPolicy for IgnorePolicy {
    fn path(&self, path: &Path, mode: AccessMode, ctx: &ToolContext) -> Verdict {
        let path = ctx.absolute(path);
        match self.recently(ctx).and_then(|closed| closed.path(&path, mode)) {
            Some(_) => Verdict::Deny,
            None => self.inner.path(&path, mode, ctx),
        }
    }

    fn host(&self, host: &str, ctx: &ToolContext) -> Verdict {
        self.inner.host(host, ctx)
    }

    fn closed(&self, ctx: &ToolContext) -> Option<Arc<dyn ClosedPaths>> {
        let roots: Vec<_> = self.roots(ctx).into_iter().filter(|root| root.closes()).collect();
        let own: Option<Arc<dyn ClosedPaths>> =
            if roots.is_empty() { None } else { Some(Arc::new(Closed::new(roots))) };
        let closed = match (own, self.inner.closed(ctx)) {
            (Some(own), Some(inner)) => Some(Arc::new(Both(own, inner)) as Arc<dyn ClosedPaths>),
            (own, inner) => own.or(inner),
        };
        let recent = Recent {
            at: Instant::now(),
            cwd: ctx.cwd.clone(),
            project: ctx.project_dir.clone(),
            directories: ctx.directories.clone(),
            closed: closed.clone(),
        };
        *self.recent.lock().unwrap_or_else(PoisonError::into_inner) = Some(recent);
        closed
    }
}

/// What the ignore files of some folders close.
#[derive(Debug)]
struct Closed {
    roots: Vec<Arc<ClosedRoot>>,
    #[cfg(unix)]
    since: Instant,
}

impl Closed {
    fn new(roots: Vec<Arc<ClosedRoot>>) -> Self {
        Self {
            roots,
            #[cfg(unix)]
            since: Instant::now(),
        }
    }

    /// Why a file is closed that is so under another name.
    #[cfg(unix)]
    fn linked(&self, canonical: &Path, mode: AccessMode) -> Option<String> {
        let file = links::of_many_names(canonical)?;
        self.roots.iter().find_map(|root| root.why_linked(&file, mode, self.since))
    }

    /// Elsewhere the names of a file are not told.
    #[cfg(not(unix))]
    fn linked(&self, _canonical: &Path, _mode: AccessMode) -> Option<String> {
        None
    }
}

impl ClosedPaths for Closed {
    fn path(&self, path: &Path, mode: AccessMode) -> Option<String> {
        let Some(names) = root::names_of(path) else {
            return Some("is closed, because it cannot be told where it leads".to_owned());
        };
        let by_name = self.roots.iter().find_map(|root| names.iter().find_map(|name| root.why(name, mode)));
        by_name.or_else(|| names.iter().find_map(|name| self.linked(name, mode)))
    }

    fn below(&self, folder: &Path, mode: AccessMode) -> Option<String> {
        let Ok(folder) = pegboard_tool_core::resolve_links(folder) else {
            return Some("cannot be followed to where it leads, while some paths are closed".to_owned());
        };
        self.roots.iter().find_map(|root| root.why_below(&folder, mode))
    }
}

/// The closed paths of two policies.
#[derive(Debug)]
struct Both(Arc<dyn ClosedPaths>, Arc<dyn ClosedPaths>);

impl ClosedPaths for Both {
    fn path(&self, path: &Path, mode: AccessMode) -> Option<String> {
        self.0.path(path, mode).or_else(|| self.1.path(path, mode))
    }

    fn below(&self, folder: &Path, mode: AccessMode) -> Option<String> {
        self.0.below(folder, mode).or_else(|| self.1.below(folder, mode))
    }
}
