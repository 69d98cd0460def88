//! The folder or file that a search begins at, and paths below it as the model sees them.

use crate::file::error::FileError;
use crate::file::judged::judged;
use crate::services::Services;
use pegboard_tool_core::ports::Verdict;
use pegboard_tool_core::{AccessMode, Accesses, ErrorKind, Grant, ToolContext, ToolError};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where a search begins.
#[derive(Debug)]
pub(crate) struct Root {
    /// Absolute path as the call named it.
    pub named: PathBuf,
    /// Where that leads.
    pub canonical: PathBuf,
    cwd: PathBuf,
    /// Whether the root may be read without a person. If not, a person allowed all of it.
    reading: Verdict,
    /// How many paths were left out because they need a person.
    withheld: AtomicUsize,
    /// How many names were shown that are not exactly so.
    odd: AtomicUsize,
}

impl Root {
    /// The judged root behind `named`.
    ///
    /// # Errors
    /// When it was not judged or leads elsewhere by now.
    pub(crate) fn judged(
        named: PathBuf,
        grant: &Grant,
        services: &Services,
        ctx: &ToolContext,
    ) -> Result<Self, ToolError> {
        let canonical = judged(&named, AccessMode::Read, grant, &named.to_string_lossy())?;
        let reading = services.reading(&named, ctx).max(services.reading(&canonical, ctx));
        if reading == Verdict::Deny {
            let text = format!("{} may not be read", named.to_string_lossy());
            return Err(ToolError::new(ErrorKind::Forbidden, text));
        }
        Ok(Self {
            named,
            canonical,
            cwd: ctx.cwd.clone(),
            reading,
            withheld: AtomicUsize::new(0),
            odd: AtomicUsize::new(0),
        })
    }

    /// Looks again: what was found under a root that was moved meanwhile is not given away.
    ///
    /// # Errors
    /// When it leads elsewhere by now.
    pub(crate) fn still_there(&self, grant: &Grant) -> Result<(), ToolError> {
        let shown = self.named.to_string_lossy();
        if judged(&self.named, AccessMode::Read, grant, &shown)? == self.canonical {
            Ok(())
        } else {
            Err(FileError::Moved.about(&shown))
        }
    }

    /// `found`, a path below the canonical root, as it is called from outside: absolute.
    pub(crate) fn named_path(&self, found: &Path) -> PathBuf {
        match found.strip_prefix(&self.canonical) {
            Ok(below) if below.as_os_str().is_empty() => self.named.clone(),
            Ok(below) => self.named.join(below),
            Err(_) => found.to_path_buf(),
        }
    }

    /// Whether `found` is left out: a rule forbids to read it, or asks for a person although the root
    /// needed none. Judged by the name it is called and by where it really is.
    pub(crate) fn leaves_out(&self, found: &Path, services: &Services, ctx: &ToolContext) -> bool {
        if services.access_policy.is_none() {
            return false;
        }
        let out = |path: &Path| match services.reading(path, ctx) {
            Verdict::Deny => true,
            Verdict::Ask if self.reading == Verdict::Allow => {
                self.withheld.fetch_add(1, Ordering::Relaxed);
                true
            }
            Verdict::Ask | Verdict::Allow => false,
        };
        out(&self.named_path(found)) || self.named != self.canonical && out(found)
    }

    /// A notice about paths that were left out because they need a person. What a rule denies is
    /// left out without a word.
    pub(crate) fn withheld_notice(&self) -> Option<String> {
        let withheld = self.withheld.load(Ordering::Relaxed);
        (withheld > 0)
            .then(|| format!("[{withheld} path(s) left out: they need approval; read them one by one]"))
    }

    /// `found` as the model reads it: relative to the working directory when it is below. A name takes one line:
    /// control characters are shown as escapes.
    pub(crate) fn shown(&self, found: &Path) -> String {
        let named = self.named_path(found);
        let below = named.strip_prefix(&self.cwd).ok().filter(|below| !below.as_os_str().is_empty());
        let path = below.unwrap_or(&named);
        let text = path.to_string_lossy();
        let has_control = text.chars().any(char::is_control);
        if has_control || matches!(text, Cow::Owned(_)) {
            self.odd.fetch_add(1, Ordering::Relaxed);
        }
        if !has_control {
            return text.into_owned();
        }
        let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
        text.chars().map(escape).collect()
    }

    /// A notice about names that cannot be shown as they are.
    pub(crate) fn odd_notice(&self) -> Option<String> {
        (self.odd.load(Ordering::Relaxed) > 0).then(|| {
            "[some names are not UTF-8 or hold control characters and are not shown exactly; reach them by a glob in \
             Bash]"
                .to_owned()
        })
    }
}

/// What a search from `named` touches: a file, or a folder with everything below.
pub(crate) fn accesses_of(named: PathBuf) -> Accesses {
    match std::fs::metadata(&named) {
        Ok(meta) if !meta.is_dir() => Accesses::read_file(named),
        _ => Accesses::read_tree(named),
    }
}

/// The path that a call gives, or the working directory; an empty one is none.
pub(crate) fn named_root(path: Option<&str>, ctx: &ToolContext) -> PathBuf {
    path.filter(|path| !path.is_empty()).map_or_else(|| ctx.cwd.clone(), |path| ctx.absolute(path))
}
