//! The search of Grep: on all processors. Each file is searched once; of many matches only counts are
//! kept, and the few files of the page are searched again, so memory does not grow with the matches.

use super::filter::Filter;
use super::hits::{FileHits, Line};
use super::input::{GrepInput, MAX_CONTEXT, Options, OutputMode};
use super::invalid;
use super::output::{self, GrepOutput};
use super::sink::{self, FileSearch, Keep, Named};
use crate::file::error::FileError;
use crate::file::place::Place;
use crate::search::limits::Variables;
use crate::search::problems::Problems;
use crate::search::root::Root;
use crate::search::stop::Stop;
use crate::search::walk::{Hidden, Ignored, is_version_store, walk};
use crate::services::Services;
use grep_regex::RegexMatcher;
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkState};
use pegboard_tool_core::{ErrorKind, ToolContext, ToolError};
use std::cmp::Reverse;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

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
    time_limit: Duration,
    /// Whether the call names the folder.
    is_named: bool,
    /// What the reader must know about the settings.
    notices: Vec<String>,
    kept: AtomicUsize,
}

/// Seconds that a search may take.
const SECONDS: u64 = 60;

#[derive(Default)]
struct Found {
    hits: Vec<FileHits>,
    /// Files that no ignore file keeps out.
    met: usize,
    searched: usize,
    /// Whether ignored files were searched, because there are no others in the folder that the call names.
    is_all_ignored: bool,
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
        let mut variables = Variables::of(ctx);
        let time_limit = variables.seconds("PEGBOARD_GREP_TIMEOUT_SECONDS", SECONDS);
        if variables.is_off("USE_BUILTIN_RIPGREP") {
            let text = "[USE_BUILTIN_RIPGREP=0 does not count: the engine is ripgrep's own, in this process]";
            variables.tell("USE_BUILTIN_RIPGREP", text.to_owned());
        }
        Ok(Self {
            matcher: sink::matcher(input).map_err(invalid)?,
            filter: Filter::new(input, base).map_err(invalid)?,
            options: Options::of(input),
            stop: Stop::new(ctx.cancel.clone(), Instant::now().checked_add(time_limit)),
            time_limit,
            is_named: input.path.as_deref().is_some_and(|path| !path.is_empty()),
            notices: variables.notices(),
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
        let seconds = self.time_limit.as_secs();
        if self.stop.happened() && found.hits.is_empty() {
            let text =
                format!("no match within {seconds} s; search a smaller folder, or narrow by glob or type");
            return Err(ToolError::new(ErrorKind::TimedOut, text));
        }
        let ran_out = self.stop.happened();
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
                output::content(hits, self.root, &self.options, |file, keep| self.again(&file.path, keep))
            }
        };
        if self.stop.was_cancelled() {
            return Err(ToolError::cancelled());
        }
        if let Some(filter) = self.filter.text().filter(|_| found.below_root && found.searched == 0) {
            output.notices.push(format!("[no file passes the filter ({filter}), so nothing was searched]"));
        }
        if ran_out {
            output.notices.push(format!(
                "[incomplete: time ran out after {seconds} s; search a smaller folder, or narrow by glob or type]"
            ));
        }
        if found.is_all_ignored && found.met > 0 {
            output
                .notices
                .push("[everything here is ignored by git; it was searched because it is named]".to_owned());
        }
        if self.options.mode == OutputMode::Content && self.options.asked_context > MAX_CONTEXT {
            output.notices.push(format!("[at most {MAX_CONTEXT} lines of context are shown]"));
        }
        output.notices.extend(self.notices.iter().cloned());
        output.notices.extend(self.root.odd_notice());
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
            let hits = self.search_file(path, &file, &mut self.engine(&self.stop, Named::ByName));
            found.hits.extend(hits.map_err(|error| FileError::from(error).about(&shown))?);
            return Ok(found);
        }
        let found = self.walk(Ignored::LeftOut);
        if found.met > 0 || !self.is_named || self.stop.happened() {
            return Ok(found);
        }
        // A path that is named is searched although ignore files name it, or all that it holds.
        let all = self.walk(Ignored::Included);
        Ok(Found { is_all_ignored: true, ..all })
    }

    fn walk(&self, ignored: Ignored) -> Found {
        let all = Mutex::new(Found { below_root: true, ..Found::default() });
        let mut threads = Threads { search: self, all: &all };
        walk(&self.root.canonical, ignored, Hidden::Included).build_parallel().visit(&mut threads);
        all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn engine<'s>(&'s self, stop: &'s Stop, named: Named) -> FileSearch<'s> {
        FileSearch::new(&self.matcher, &self.options, stop, named)
    }

    fn search_file(
        &self,
        path: &Path,
        file: &File,
        engine: &mut FileSearch<'_>,
    ) -> io::Result<Option<FileHits>> {
        let content = self.options.mode == OutputMode::Content;
        let keep = if content { self.options.most_lines().min(MAX_KEPT_LINES) } else { 0 };
        let keep = if self.kept.load(Ordering::Relaxed) < MAX_KEPT_LINES { keep } else { 0 };
        let findings = engine.search(file, Keep { from: 0, lines: keep })?;
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

    /// Lines of a file that were not kept; nothing of one that is gone meanwhile.
    fn again(&self, path: &Path, keep: Keep) -> Option<Vec<Line>> {
        let file = open(path).ok()?;
        let named = if path == self.root.canonical { Named::ByName } else { Named::OnTheWay };
        // The time limit is that of the search; a page of it is shown when it is over.
        let stop = Stop::new(self.ctx.cancel.clone(), Instant::now().checked_add(self.time_limit));
        let found = self.engine(&stop, named).search(&file, keep).ok();
        found.map(|findings| findings.lines)
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
        let engine = self.search.engine(&self.search.stop, Named::OnTheWay);
        Box::new(Thread { search: self.search, all: self.all, engine, found: Found::default() })
    }
}

struct Thread<'a> {
    search: &'a Search<'a>,
    all: &'a Mutex<Found>,
    engine: FileSearch<'a>,
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
        if !kind.is_file() {
            return WalkState::Continue;
        }
        self.found.met += 1;
        if search.filter.leaves_out_file(path) {
            return WalkState::Continue;
        }
        self.found.searched += 1;
        match open(path).and_then(|file| search.search_file(path, &file, &mut self.engine)) {
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
        all.met += self.found.met;
        all.problems.absorb(&mut self.found.problems);
    }
}
