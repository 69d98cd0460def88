//! The walk of Glob: on all processors, keeping no more than the names that are shown.

use super::GlobOutput;
use super::hits::{Hit, Hits, Order};
use super::pattern::{Pattern, Test};
use crate::file::error::FileError;
use crate::file::judged::judged;
use crate::search::problems::Problems;
use crate::search::root::Root;
use crate::search::stop::Stop;
use crate::search::walk::{Hidden, Ignored, is_version_store, walk};
use crate::services::Services;
use ignore::{DirEntry, WalkState};
use pegboard_tool_core::{AccessMode, ErrorKind, Grant, ToolContext, ToolError};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

const NAMED_ONLY: &str = "[everything here is ignored by git; it was listed because it is named]";

/// One search.
#[derive(Debug)]
pub(super) struct Find {
    pub pattern: Pattern,
    pub test: Test,
    /// The folder that the call names, when it names one.
    pub must_exist: Option<PathBuf>,
    pub order: Order,
    pub ignored: Ignored,
    pub hidden: Hidden,
    pub time_limit: Duration,
    /// What the reader must know about the settings.
    pub notices: Vec<String>,
    pub services: Services,
    pub ctx: ToolContext,
}

#[derive(Debug)]
struct Found {
    hits: Hits,
    problems: Problems,
}

impl Found {
    fn new(order: Order) -> Self {
        Self { hits: Hits::new(order), problems: Problems::default() }
    }
}

impl Find {
    /// Searches.
    ///
    /// # Errors
    /// When the folder is none, moved, the search was cancelled, or time ran out before a match.
    pub(super) fn run(self, grant: &Grant) -> Result<GlobOutput, ToolError> {
        let begin = Instant::now();
        if let Some(path) = &self.must_exist {
            judged(path, AccessMode::Read, grant, &path.to_string_lossy())?;
            is_folder(path)?;
        }
        let root = Root::judged(self.pattern.root.clone(), grant, &self.services, &self.ctx)?;
        let stop = Stop::new(self.ctx.cancel.clone(), begin.checked_add(self.time_limit));
        let found = Mutex::new(Found::new(self.order));
        let walk = Arc::new(Walk { find: self, root, stop, found });
        let mut is_named_only = false;
        if walk.root.canonical.is_dir() {
            walk_all(&walk, walk.find.ignored);
            // Who names an ignored folder to be listed means it.
            if walk.find.lists() && walk.find.ignored == Ignored::LeftOut && walk.found().hits.total == 0 {
                walk_all(&walk, Ignored::Included);
                is_named_only = walk.found().hits.total > 0;
            }
        }
        let Walk { find, root, stop, found } = &*walk;
        let found = std::mem::replace(
            &mut *found.lock().unwrap_or_else(PoisonError::into_inner),
            Found::new(find.order),
        );
        root.still_there(grant)?;
        if stop.was_cancelled() {
            return Err(ToolError::cancelled());
        }
        if stop.happened() && found.hits.total == 0 {
            let text = format!("no match within {} s; search a smaller folder", find.time_limit.as_secs());
            return Err(ToolError::new(ErrorKind::TimedOut, text));
        }
        let mut output = find.output(found, root, stop, begin);
        if is_named_only {
            output.notices.push(NAMED_ONLY.to_owned());
        }
        Ok(output)
    }

    /// Whether folders are shown too.
    fn lists(&self) -> bool {
        self.order == Order::Tree
    }

    fn output(&self, mut found: Found, root: &Root, stop: &Stop, begin: Instant) -> GlobOutput {
        let total = found.hits.total;
        let shown = |hit: &Hit| root.shown(&hit.path) + if hit.is_folder { "/" } else { "" };
        let filenames: Vec<String> = found.hits.shown().iter().map(shown).collect();
        let mut notices = self.notices.clone();
        let complete = !stop.happened();
        let truncated = total > filenames.len() || !complete;
        if total > filenames.len() {
            notices.push(match self.order {
                Order::Newest => format!(
                    "[the newest {} of {total} files; use a narrower pattern or path]",
                    filenames.len()
                ),
                Order::Tree => format!(
                    "[{} of {total} entries, those that are least deep; list a folder below for more]",
                    filenames.len()
                ),
            });
        }
        if !complete {
            let seconds = self.time_limit.as_secs();
            notices.push(format!("[incomplete: time ran out after {seconds} s; search a smaller folder]"));
        }
        if filenames.is_empty() {
            notices.push("No files found".to_owned());
            if !self.pattern.rest.contains('/') && !self.lists() {
                notices.push(format!(
                    "[`{0}` is looked for directly in the folder; `**/{0}` looks below it too]",
                    self.pattern.rest
                ));
            }
            notices.extend(self.left_out_notice());
        }
        notices.extend(root.odd_notice());
        notices.extend(root.withheld_notice());
        notices.extend(found.problems.notice(root, &self.services, &self.ctx));
        GlobOutput {
            duration_ms: u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX),
            num_files: filenames.len(),
            filenames,
            truncated,
            total_matches: Some(total),
            count_is_complete: Some(complete),
            notices,
        }
    }
}

impl Find {
    /// What the settings kept out of a search that found nothing.
    fn left_out_notice(&self) -> Option<String> {
        let ignored = (self.ignored == Ignored::LeftOut).then_some("ignored");
        let hidden = (self.hidden == Hidden::LeftOut).then_some("hidden");
        let kinds: Vec<&str> = ignored.into_iter().chain(hidden).collect();
        (!kinds.is_empty())
            .then(|| format!("[{} files were left out, as the settings say]", kinds.join(" and ")))
    }
}

fn is_folder(path: &std::path::Path) -> Result<(), ToolError> {
    let shown = path.to_string_lossy();
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Ok(()),
        Ok(_) => Err(ToolError::new(ErrorKind::InvalidInput, format!("{shown} is a file; give a folder"))),
        Err(error) => Err(FileError::from(error).about(&shown)),
    }
}

/// A search on its way, shared by the threads of the walk.
#[derive(Debug)]
struct Walk {
    find: Find,
    root: Root,
    stop: Stop,
    found: Mutex<Found>,
}

fn walk_all(walk_: &Arc<Walk>, ignored: Ignored) {
    let mut builder = walk(&walk_.root.canonical, ignored, walk_.find.hidden);
    builder.max_depth(walk_.find.pattern.max_depth());
    // Files are looked at here, while their folder is read, and never queued: memory grows with the folders that wait,
    // not with the files that they hold.
    let each = Arc::clone(walk_);
    builder.filter_entry(move |entry| each.goes_on_with(entry));
    let all = &**walk_;
    builder.build_parallel().run(|| {
        Box::new(move |entry| {
            if all.stop.now() {
                return WalkState::Quit;
            }
            if let Err(error) = entry {
                all.found().problems.walking(&error, &all.root);
            }
            WalkState::Continue
        })
    });
}

impl Walk {
    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the walk goes on with an entry: with folders only, and not with those that are left out.
    fn goes_on_with(&self, entry: &DirEntry) -> bool {
        let Some(kind) = entry.file_type() else { return false };
        if kind.is_dir() {
            let is_entered = !is_version_store(entry) || self.find.pattern.names_version_store();
            let lists = self.find.lists();
            if !lists && !is_entered || self.stop.now() || self.is_left_out(entry) {
                return false;
            }
            if lists && entry.depth() > 0 && self.is_meant(entry) {
                self.found().hits.add_entry(entry.depth(), entry.path().to_path_buf(), true);
            }
            return is_entered;
        }
        if self.stop.now() {
            return false;
        }
        if !self.is_meant(entry) || self.is_left_out(entry) {
            return false;
        }
        // A link counts as what it leads to; one that leads nowhere or to a folder is no file.
        let meta =
            if kind.is_symlink() { std::fs::metadata(entry.path()).ok() } else { entry.metadata().ok() };
        let is_folder = meta.as_ref().is_some_and(std::fs::Metadata::is_dir);
        let path = || entry.path().to_path_buf();
        if self.find.lists() {
            self.found().hits.add_entry(entry.depth(), path(), is_folder);
        } else if let Some(meta) = meta.filter(|_| !is_folder) {
            self.found().hits.add_file(meta.modified().unwrap_or(SystemTime::UNIX_EPOCH), path());
        }
        false
    }

    fn is_meant(&self, entry: &DirEntry) -> bool {
        self.find.test.is_match(entry.path(), &self.root.canonical)
    }

    fn is_left_out(&self, entry: &DirEntry) -> bool {
        entry.depth() > 0 && self.root.leaves_out(entry.path(), &self.find.services, &self.find.ctx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glob::pattern::Pattern;
    use pegboard_tool_core::{Accesses, ContextSnapshot};
    use std::sync::Arc;

    #[test]
    fn a_search_that_runs_out_of_time_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for n in 0..40 {
            std::fs::write(root.join(format!("{n}.x")), "").unwrap();
        }
        let pattern = Pattern { root: root.clone(), rest: "*.none".to_owned() };
        let find = Find {
            test: pattern.compile().unwrap(),
            pattern,
            must_exist: None,
            order: Order::Newest,
            ignored: Ignored::Included,
            hidden: Hidden::Included,
            time_limit: Duration::ZERO,
            notices: Vec::new(),
            services: Services::new(),
            ctx: ToolContext::new(Arc::new(ContextSnapshot::new(&root, "s"))),
        };
        let error = find.run(&Grant::of(&Accesses::read_tree(root))).unwrap_err();
        assert_eq!(error.kind, ErrorKind::TimedOut);
    }
}
