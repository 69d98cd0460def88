//! The search of Grep: on all processors. Each file is searched once; of many matches only counts are
//! kept, and the few files of the page are searched again, so memory does not grow with the matches.

use super::filter::Filter;
use super::hits::{FileHits, Line};
use super::input::{GrepInput, Options, OutputMode};
use super::invalid;
use super::output::{self, GrepOutput};
use super::sink::{self, Named};
use crate::file::error::FileError;
use crate::file::place::Place;
use crate::search::problems::Problems;
use crate::search::root::Root;
use crate::search::stop::Stop;
use crate::search::walk::{Hidden, Ignored, is_version_store, walk};
use crate::services::Services;
use grep_regex::RegexMatcher;
use grep_searcher::Searcher;
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkState};
use pegboard_tool_core::{ToolContext, ToolError};
use std::cmp::Reverse;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Lines of output that are kept from the first search, over all files.
const MAX_KEPT_LINES: usize = 20_000;

/// One search.
pub(super) struct Search<'a> {
    root: &'a Root,
    services: &'a Services,
    ctx: &'a ToolContext,
    matcher: RegexMatcher,
    filter: Filter,
    options: Options,
    stop: Stop,
    kept: AtomicUsize,
}

#[derive(Default)]
struct Found {
    hits: Vec<FileHits>,
    searched: usize,
    /// Whether a tree was walked, so that the filter counted.
    below_root: bool,
    problems: Problems,
}

impl<'a> Search<'a> {
    /// The search of `input` from `root`.
    ///
    /// # Errors
    /// When pattern, glob or type is none.
    pub(super) fn new(
        input: &GrepInput,
        root: &'a Root,
        services: &'a Services,
        ctx: &'a ToolContext,
    ) -> Result<Self, ToolError> {
        let cwd = std::fs::canonicalize(&ctx.cwd).unwrap_or_else(|_| ctx.cwd.clone());
        let base = if root.canonical.starts_with(&cwd) { &cwd } else { &root.canonical };
        Ok(Self {
            matcher: sink::matcher(input).map_err(invalid)?,
            filter: Filter::new(input, base).map_err(invalid)?,
            options: Options::of(input),
            stop: Stop::new(ctx.cancel.clone(), None),
            kept: AtomicUsize::new(0),
            root,
            services,
            ctx,
        })
    }

    /// Searches.
    ///
    /// # Errors
    /// When the root is missing or cannot be read, or it was cancelled.
    pub(super) fn run(&self) -> Result<GrepOutput, ToolError> {
        let mut found = self.find()?;
        if self.stop.was_cancelled() {
            return Err(ToolError::cancelled());
        }
        let mut output = match self.options.mode {
            OutputMode::FilesWithMatches => {
                found
                    .hits
                    .sort_by(|a, b| (Reverse(a.modified), &a.path).cmp(&(Reverse(b.modified), &b.path)));
                output::files(&found.hits, self.root, &self.options)
            }
            OutputMode::Count => {
                found.hits.sort_by(|a, b| a.path.cmp(&b.path));
                output::counts(&found.hits, self.root, &self.options)
            }
            OutputMode::Content => {
                found.hits.sort_by(|a, b| a.path.cmp(&b.path));
                let hits = std::mem::take(&mut found.hits);
                output::content(hits, self.root, &self.options, |file| self.again(&file.path))
            }
        };
        if let Some(filter) = self.filter.text().filter(|_| found.below_root && found.searched == 0) {
            output.notices.push(format!("[no file passes the filter ({filter}), so nothing was searched]"));
        }
        output.notices.extend(self.root.withheld_notice());
        output.notices.extend(found.problems.notice(self.root, self.services, self.ctx));
        Ok(output)
    }

    fn find(&self) -> Result<Found, ToolError> {
        let path = &self.root.canonical;
        let shown = self.root.named.to_string_lossy();
        let meta = std::fs::metadata(path).map_err(|error| FileError::from(error).about(&shown))?;
        if !meta.is_dir() {
            let file =
                Place::find(path).and_then(|place| place.open()).map_err(|error| error.about(&shown))?;
            let mut found = Found::default();
            let mut searcher = sink::searcher(&self.options, Named::ByName);
            let hits = self.search_file(path, file, &mut searcher);
            if self.stop.was_cancelled() {
                return Err(ToolError::cancelled());
            }
            found.hits.extend(hits.map_err(|error| FileError::from(error).about(&shown))?);
            return Ok(found);
        }
        let all = Mutex::new(Found { below_root: true, ..Found::default() });
        let mut threads = Threads { search: self, all: &all };
        walk(path, Ignored::LeftOut, Hidden::Included).build_parallel().visit(&mut threads);
        Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn search_file(&self, path: &Path, file: File, searcher: &mut Searcher) -> io::Result<Option<FileHits>> {
        let content = self.options.mode == OutputMode::Content;
        let keep = if content { self.options.most_lines().min(MAX_KEPT_LINES) } else { 0 };
        let keep = if self.kept.load(Ordering::Relaxed) < MAX_KEPT_LINES { keep } else { 0 };
        let findings = sink::search(file, searcher, &self.matcher, &self.options, keep, &self.stop)?;
        if findings.matches == 0 || self.root.leaves_out(path, self.services, self.ctx) {
            return Ok(None);
        }
        self.kept.fetch_add(findings.lines.len(), Ordering::Relaxed);
        let enough = findings.lines.len() >= findings.total_lines.min(self.options.most_lines());
        let by_time = self.options.mode == OutputMode::FilesWithMatches;
        Ok(Some(FileHits {
            modified: if by_time {
                std::fs::metadata(path).and_then(|meta| meta.modified()).ok()
            } else {
                None
            },
            path: path.to_path_buf(),
            matches: findings.matches,
            total_lines: findings.total_lines,
            lines: enough.then_some(findings.lines),
        }))
    }

    /// The lines of a file that were not kept. One that is gone meanwhile has none.
    fn again(&self, path: &Path) -> Vec<Line> {
        let Ok(file) = open(path) else { return Vec::new() };
        let named = if path == self.root.canonical { Named::ByName } else { Named::OnTheWay };
        let mut searcher = sink::searcher(&self.options, named);
        let keep = self.options.most_lines();
        sink::search(file, &mut searcher, &self.matcher, &self.options, keep, &self.stop)
            .map(|findings| findings.lines)
            .unwrap_or_default()
    }
}

/// Opens a file that was met on the way: no link that appeared since, and no waiting for a pipe.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    }
    options.open(path)
}

struct Threads<'a> {
    search: &'a Search<'a>,
    all: &'a Mutex<Found>,
}

impl<'a> ParallelVisitorBuilder<'a> for Threads<'a> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 'a> {
        let searcher = sink::searcher(&self.search.options, Named::OnTheWay);
        Box::new(Thread { search: self.search, all: self.all, searcher, found: Found::default() })
    }
}

struct Thread<'a> {
    search: &'a Search<'a>,
    all: &'a Mutex<Found>,
    searcher: Searcher,
    found: Found,
}

impl ParallelVisitor for Thread<'_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        if self.search.stop.now() {
            return WalkState::Quit;
        }
        match entry {
            Ok(entry) => self.look_at(&entry),
            Err(error) => {
                self.found.problems.walking(&error, self.search.root);
                WalkState::Continue
            }
        }
    }
}

impl Thread<'_> {
    fn look_at(&mut self, entry: &DirEntry) -> WalkState {
        let (path, search) = (entry.path(), self.search);
        let Some(kind) = entry.file_type() else { return WalkState::Continue };
        if kind.is_dir() {
            let skip = entry.depth() > 0
                && (is_version_store(entry)
                    || search.filter.leaves_out_folder(path)
                    || search.root.leaves_out(path, search.services, search.ctx));
            return if skip { WalkState::Skip } else { WalkState::Continue };
        }
        if !kind.is_file() || search.filter.leaves_out_file(path) {
            return WalkState::Continue;
        }
        self.found.searched += 1;
        match open(path).and_then(|file| search.search_file(path, file, &mut self.searcher)) {
            Ok(hits) => self.found.hits.extend(hits),
            Err(_) if search.stop.happened() => return WalkState::Quit,
            Err(error) => self.found.problems.reading(path, &error),
        }
        WalkState::Continue
    }
}

impl Drop for Thread<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.hits.append(&mut self.found.hits);
        all.searched += self.found.searched;
        all.problems.absorb(&mut self.found.problems);
    }
}
