//! The walk of Glob: on all processors, keeping no more than the newest names.

use super::GlobOutput;
use super::pattern::{Pattern, Test};
use crate::file::error::FileError;
use crate::search::problems::Problems;
use crate::search::root::Root;
use crate::search::stop::Stop;
use crate::search::walk::{Hidden, Ignored, is_version_store, walk};
use crate::services::Services;
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkState};
use pegboard_tool_core::{ErrorKind, Grant, ToolContext, ToolError};
use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

const MAX_FILES: usize = 100;
/// Names that a thread holds before it drops all but the newest.
const MAX_HELD: usize = 4 * MAX_FILES;

/// One search.
pub(super) struct Find {
    pub pattern: Pattern,
    pub test: Test,
    /// The folder that the call names, when it names one.
    pub must_exist: Option<PathBuf>,
    pub ignored: Ignored,
    pub hidden: Hidden,
    pub time_limit: Duration,
    pub services: Services,
    pub ctx: ToolContext,
}

/// Newest first, then by path.
type Hit = (Reverse<SystemTime>, PathBuf);

#[derive(Default)]
struct Found {
    hits: Vec<Hit>,
    total: usize,
    problems: Problems,
}

impl Find {
    /// Searches.
    ///
    /// # Errors
    /// When the folder is none, moved, the search was cancelled, or time ran out before a match.
    pub(super) fn run(&self, grant: &Grant) -> Result<GlobOutput, ToolError> {
        let begin = Instant::now();
        if let Some(path) = &self.must_exist {
            is_folder(path)?;
        }
        let root = Root::judged(self.pattern.root.clone(), grant, &self.services, &self.ctx)?;
        let stop = Stop::new(self.ctx.cancel.clone(), begin.checked_add(self.time_limit));
        let found = if root.canonical.is_dir() { self.walk(&root, &stop) } else { Found::default() };
        root.still_there(grant)?;
        if stop.was_cancelled() {
            return Err(ToolError::cancelled());
        }
        if stop.happened() && found.total == 0 {
            let text = format!("no match within {} s; search a smaller folder", self.time_limit.as_secs());
            return Err(ToolError::new(ErrorKind::TimedOut, text));
        }
        Ok(self.output(found, &root, &stop, begin))
    }

    fn walk(&self, root: &Root, stop: &Stop) -> Found {
        let mut builder = walk(&root.canonical, self.ignored, self.hidden);
        builder.max_depth(self.pattern.max_depth());
        let all = Mutex::new(Found::default());
        let mut threads = Threads { find: self, root, stop, all: &all };
        builder.build_parallel().visit(&mut threads);
        all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn output(&self, mut found: Found, root: &Root, stop: &Stop, begin: Instant) -> GlobOutput {
        keep_newest(&mut found.hits);
        let filenames: Vec<String> = found.hits.iter().map(|(_, path)| root.shown(path)).collect();
        let mut notices = Vec::new();
        let complete = !stop.happened();
        let truncated = found.total > filenames.len() || !complete;
        if found.total > filenames.len() {
            notices.push(format!(
                "[the newest {} of {} files; use a narrower pattern or path]",
                filenames.len(),
                found.total
            ));
        }
        if !complete {
            let seconds = self.time_limit.as_secs();
            notices.push(format!("[incomplete: time ran out after {seconds} s; search a smaller folder]"));
        }
        if filenames.is_empty() {
            notices.push("No files found".to_owned());
            if !self.pattern.rest.contains('/') {
                notices.push(format!(
                    "[`{0}` is looked for directly in the folder; `**/{0}` looks below it too]",
                    self.pattern.rest
                ));
            }
        }
        notices.extend(root.withheld_notice());
        notices.extend(found.problems.notice(root, &self.services, &self.ctx));
        GlobOutput {
            duration_ms: u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX),
            num_files: filenames.len(),
            filenames,
            truncated,
            total_matches: Some(found.total),
            count_is_complete: Some(complete),
            notices,
        }
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

fn keep_newest(hits: &mut Vec<Hit>) {
    hits.sort_unstable();
    hits.truncate(MAX_FILES);
}

struct Threads<'a> {
    find: &'a Find,
    root: &'a Root,
    stop: &'a Stop,
    all: &'a Mutex<Found>,
}

impl<'a> ParallelVisitorBuilder<'a> for Threads<'a> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 'a> {
        let Self { find, root, stop, all } = *self;
        Box::new(Thread { find, root, stop, all, found: Found::default(), seen: 0 })
    }
}

struct Thread<'a> {
    find: &'a Find,
    root: &'a Root,
    stop: &'a Stop,
    all: &'a Mutex<Found>,
    found: Found,
    seen: usize,
}

impl ParallelVisitor for Thread<'_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        self.seen = self.seen.wrapping_add(1);
        if self.seen.is_multiple_of(16) && self.stop.now() {
            return WalkState::Quit;
        }
        match entry {
            Ok(entry) => self.look_at(entry),
            Err(error) => {
                self.found.problems.walking(&error, self.root);
                WalkState::Continue
            }
        }
    }
}

impl Thread<'_> {
    fn look_at(&mut self, entry: DirEntry) -> WalkState {
        let Some(kind) = entry.file_type() else { return WalkState::Continue };
        if kind.is_dir() {
            let store = is_version_store(&entry) && !self.find.pattern.names_version_store();
            return if store || self.is_left_out(&entry) { WalkState::Skip } else { WalkState::Continue };
        }
        let meant = self.find.test.is_match(entry.path(), &self.root.canonical);
        if !meant || self.is_left_out(&entry) {
            return WalkState::Continue;
        }
        // A link counts as what it leads to; one that leads nowhere or to a folder is no file.
        let meta =
            if kind.is_symlink() { std::fs::metadata(entry.path()).ok() } else { entry.metadata().ok() };
        if let Some(meta) = meta.filter(|meta| !meta.is_dir()) {
            let modified = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            self.found.total += 1;
            self.found.hits.push((Reverse(modified), entry.into_path()));
            if self.found.hits.len() > MAX_HELD {
                keep_newest(&mut self.found.hits);
            }
        }
        WalkState::Continue
    }

    fn is_left_out(&self, entry: &DirEntry) -> bool {
        entry.depth() > 0 && self.root.leaves_out(entry.path(), &self.find.services, &self.find.ctx)
    }
}

impl Drop for Thread<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.hits.append(&mut self.found.hits);
        all.total += self.found.total;
        all.problems.absorb(&mut self.found.problems);
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
            ignored: Ignored::Included,
            hidden: Hidden::Included,
            time_limit: Duration::ZERO,
            services: Services::new(),
            ctx: ToolContext::new(Arc::new(ContextSnapshot::new(&root, "s"))),
        };
        let error = find.run(&Grant::of(&Accesses::read_tree(root))).unwrap_err();
        assert_eq!(error.kind, ErrorKind::TimedOut);
    }
}
