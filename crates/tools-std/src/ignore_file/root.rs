//! One folder with ignore files: what they close, and what is wrong with them.

use super::fold::fold;
use super::lines::{Builder, Kind, Patterns};
#[cfg(unix)]
use super::links::{self, ClosedLinks, Linked};
use super::meant;
use super::stamp::Stamp;
use crate::file::encoding;
use crate::file::line_ends;
use crate::file::place::Place;
use pegboard_tool_core::{AccessMode, resolve_links, without_dots};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Names of ignore files. What either of them names is closed.
pub const NAMES: [&str; 2] = [".pegboardignore", ".clineignore"];

/// Bytes of an ignore file.
const MOST_BYTES: u64 = 1024 * 1024;
/// Lines that are told to the operator.
const MOST_DOUBTS: usize = 20;
/// Entries of a tree that are looked at for a closed one.
const MOST_ENTRIES: usize = 20_000;

/// A folder with the patterns of its ignore files.
#[derive(Debug)]
pub(super) struct ClosedRoot {
    folder: PathBuf,
    canonical: Option<PathBuf>,
    files: Vec<(&'static str, Patterns)>,
    /// Files that the patterns come from, absolute, folded: nobody but people may change them.
    sources: Vec<String>,
    /// The same files as they are named.
    source_paths: Vec<PathBuf>,
    #[cfg(unix)]
    links: ClosedLinks,
    /// For the operator and the model: which file, which line.
    problem: Option<String>,
    /// Lines that are not what people mean by them, for the operator.
    doubts: Vec<String>,
    stamps: Vec<Stamp>,
}

impl ClosedRoot {
    /// Reads the ignore files of `folder`.
    pub(super) fn load(folder: &Path) -> Self {
        let mut root = Self {
            folder: folder.to_path_buf(),
            canonical: resolve_links(folder).ok(),
            files: Vec::new(),
            sources: Vec::new(),
            source_paths: Vec::new(),
            #[cfg(unix)]
            links: ClosedLinks::default(),
            problem: None,
            doubts: Vec::new(),
            stamps: Vec::new(),
        };
        for name in NAMES {
            match root.read(name) {
                Ok(Some(patterns)) => root.files.push((name, patterns)),
                Ok(None) => {}
                Err(problem) => root.problem = root.problem.take().or(Some(problem)),
            }
        }
        if root.closes() {
            NAMES.iter().for_each(|name| root.add_source(&folder.join(name)));
        }
        root
    }

    /// Whether the files are those that were read.
    pub(super) fn is_current(&self) -> bool {
        self.stamps.iter().all(Stamp::is_current)
    }

    /// Whether there is any ignore file.
    pub(super) fn closes(&self) -> bool {
        !self.files.is_empty() || self.problem.is_some()
    }

    /// What is wrong with the files.
    pub(super) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Lines that name nothing, or not what people mean by them.
    pub(super) fn doubts(&self) -> impl Iterator<Item = &str> {
        self.doubts.iter().map(String::as_str)
    }

    /// Why `path`, absolute and without dots, is closed.
    pub(super) fn why(&self, path: &Path, mode: AccessMode) -> Option<String> {
        let below = self.below(path)?;
        if let Some(problem) = &self.problem {
            return Some(closed_by_problem(problem));
        }
        if mode == AccessMode::Write && self.sources.contains(&fold(&path.to_string_lossy())) {
            return Some("says what is closed to tools, so only people may change it".to_owned());
        }
        if below.as_os_str().is_empty() {
            return None;
        }
        let kind = || match path.symlink_metadata() {
            Ok(meta) if meta.is_dir() => Kind::Folder,
            Ok(meta) if !meta.is_symlink() => Kind::File,
            _ => Kind::Unknown,
        };
        let by = self.files.iter().find(|(_, patterns)| patterns.close(below, kind));
        by.map(|(name, _)| format!("is closed by {name}"))
    }

    /// Why `file`, which has several names and none that is closed, is closed for what is in it. It need not be in this
    /// folder. What was true `since` then counts.
    #[cfg(unix)]
    pub(super) fn why_linked(
        &self,
        file: &std::fs::Metadata,
        mode: AccessMode,
        since: std::time::Instant,
    ) -> Option<String> {
        if mode == AccessMode::Write && self.source_paths.iter().any(|source| links::is_same(file, source)) {
            return Some(
                "is another name of an ignore file, which says what is closed to tools, so only people may change it"
                    .to_owned(),
            );
        }
        let by = self.files.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" or ");
        let by = if self.problem.is_some() { "the ignore files" } else { by.as_str() };
        let patterns = self.problem.is_none().then_some(self.files.as_slice());
        match self.links.tell(file, self.canonical.as_ref()?, patterns, since) {
            Linked::Open => None,
            Linked::Closed => {
                Some(format!("is a hard link to a file that is closed by {by}, so it is closed too"))
            }
            Linked::Unknown => Some(format!(
                "has several names (hard links), and {} holds too many files to tell whether one of them is closed by \
                 {by}; so it is closed. A copy of it can be used",
                self.folder.display()
            )),
        }
    }

    /// Why the folder `canonical` may not be touched with all that it holds.
    pub(super) fn why_below(&self, canonical: &Path, mode: AccessMode) -> Option<String> {
        let root = self.canonical.as_ref()?;
        let top = if canonical.starts_with(root) {
            canonical
        } else if root.starts_with(canonical) {
            root
        } else {
            return None;
        };
        if let Some(problem) = &self.problem {
            return Some(closed_by_problem(problem));
        }
        let holds_source = || {
            let top = fold(&top.to_string_lossy());
            self.sources.iter().any(|source| Path::new(source).starts_with(&top))
        };
        if mode == AccessMode::Write && holds_source() {
            return Some("holds an ignore file, which only people may change".to_owned());
        }
        self.search(top, root)
    }

    fn search(&self, top: &Path, root: &Path) -> Option<String> {
        let (mut folders, mut left) = (vec![top.to_path_buf()], MOST_ENTRIES);
        while let Some(folder) = folders.pop() {
            // What we cannot look into, a command of the same user cannot either.
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let Some(fewer) = left.checked_sub(1) else {
                    return Some("holds more files than can be checked against the ignore files".to_owned());
                };
                left = fewer;
                let path = entry.path();
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let kind = if is_folder { Kind::Folder } else { Kind::File };
                let below = path.strip_prefix(root).unwrap_or(&path);
                if let Some((name, _)) = self.files.iter().find(|(_, patterns)| patterns.names(below, kind)) {
                    return Some(format!("holds files that are closed by {name}"));
                }
                if is_folder {
                    folders.push(path);
                }
            }
        }
        None
    }

    fn below<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        let in_canonical = || path.strip_prefix(self.canonical.as_ref()?).ok();
        path.strip_prefix(&self.folder).ok().or_else(in_canonical)
    }

    fn add_source(&mut self, path: &Path) {
        self.source_paths.push(path.to_path_buf());
        for name in names_of(path).into_iter().flatten().chain([path.to_path_buf()]) {
            let name = fold(&name.to_string_lossy());
            if !self.sources.contains(&name) {
                self.sources.push(name);
            }
        }
    }

    fn read(&mut self, name: &'static str) -> Result<Option<Patterns>, String> {
        let path = self.folder.join(name);
        self.stamps.push(Stamp::of(&path));
        match path.symlink_metadata() {
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(None);
            }
            _ => {}
        }
        let text = text_of(&path).map_err(|problem| format!("{name} {problem}"))?;
        let mut builder = Builder::new();
        for (number, line) in (1..).zip(lines_of(&text)) {
            match line.trim().strip_prefix("!include ") {
                Some(other) => self
                    .include(other.trim(), &mut builder)
                    .map_err(|problem| format!("line {number} of {name} includes {problem}"))?,
                None => self
                    .add(line, &mut builder, || format!("line {number} of {name}"))
                    .map_err(|problem| format!("line {number} of {name} is no pattern: {problem}"))?,
            }
        }
        builder.build().map(Some).map_err(|problem| format!("{name} has too many patterns: {problem}"))
    }

    /// A line, with what people mean by it.
    fn add(&mut self, line: &str, builder: &mut Builder, place: impl Fn() -> String) -> Result<(), String> {
        builder.add(line)?;
        let folders: Vec<&Path> =
            std::iter::once(self.folder.as_path()).chain(self.canonical.as_deref()).collect();
        if let Some(meant) = meant::of(line, &folders) {
            // What is no pattern names nothing; the line itself is one.
            let _ = builder.add(&meant);
        }
        if self.doubts.len() < MOST_DOUBTS
            && let Some(doubt) = meant::doubt(line, &folders)
        {
            self.doubts.push(format!(
                "{} (`{}`) {doubt}",
                place(),
                line.trim().chars().take(80).collect::<String>()
            ));
        }
        Ok(())
    }

    /// The patterns of another file of this folder, as Cline's `!include` takes them: one level deep.
    fn include(&mut self, other: &str, builder: &mut Builder) -> Result<(), String> {
        let path = without_dots(&self.folder.join(other));
        self.stamps.push(Stamp::of(&path));
        let led = resolve_links(&path).ok();
        let inside =
            self.below(&path).is_some() && led.as_deref().is_some_and(|led| self.below(led).is_some());
        if !inside {
            return Err(format!("`{other}`, which is not in this folder"));
        }
        self.add_source(&path);
        let text = text_of(&path).map_err(|problem| format!("`{other}`, which {problem}"))?;
        for (number, line) in (1..).zip(lines_of(&text)) {
            self.add(line, builder, || format!("line {number} of {other}"))
                .map_err(|problem| format!("`{other}`, whose line {number} is no pattern: {problem}"))?;
        }
        Ok(())
    }
}

/// The lines of a file, whichever way they end.
fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    let end = if line_ends::ends_in_cr(text) { '\r' } else { '\n' };
    text.split(end).map(|line| line.strip_suffix('\r').unwrap_or(line))
}

fn closed_by_problem(problem: &str) -> String {
    format!("is closed, as all of this folder is until a person mends its ignore file: {problem}")
}

/// The text of a file.
fn text_of(path: &Path) -> Result<String, String> {
    let canonical = resolve_links(path).map_err(|_| "cannot be followed to where it leads".to_owned())?;
    let file = Place::find(&canonical).and_then(|place| place.open()).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err("is larger than 1 MiB".to_owned());
    }
    encoding::decode(bytes).map(|file| file.text).map_err(|error| error.to_string())
}

/// The names of a path: as given, in the folder where its own folder leads, and where it leads itself. Nothing when
/// that cannot be told.
pub(super) fn names_of(path: &Path) -> Option<Vec<PathBuf>> {
    let mut names = vec![without_dots(path)];
    let mut add = |name: PathBuf| {
        if !names.contains(&name) {
            names.push(name);
        }
    };
    if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
        add(resolve_links(folder).ok()?.join(name));
    }
    add(resolve_links(path).ok()?);
    Some(names)
}
