//! A path under judgement: as named, and where it leads.

use crate::fold::fold;
use crate::path_pattern::names_of;
use crate::proc_path::{ProcPath, proc_path, proc_path_behind};
use crate::resolve::resolve;
use pegboard_tool_core::{AccessMode, ContextSnapshot, GrantedPath, without_dots};
use std::path::{Path, PathBuf};

/// The names of one path, from the root, twice.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// As they are.
    pub(crate) exact: Vec<String>,
    /// Folded, for what forbids.
    pub(crate) folded: Vec<String>,
}

impl Names {
    pub(crate) fn new(path: &Path) -> Self {
        let exact = names_of(path);
        let folded = exact.iter().map(|name| fold(name)).collect();
        Self { exact, folded }
    }
}

/// One path that a call touches.
#[derive(Debug)]
pub(crate) struct JudgedPath {
    /// Absolute, without `.` and `..`.
    pub(crate) named: PathBuf,
    /// Where it leads; `None` when that cannot be told.
    pub(crate) canonical: Option<PathBuf>,
    /// What else it is: what a name under `/proc` means to a command that is run, and the path itself in the folder
    /// where its own folder leads, when it is a link there.
    pub(crate) meant: Vec<PathBuf>,
    /// Read or written.
    pub(crate) mode: AccessMode,
    /// Whether all below it is meant.
    pub(crate) is_tree: bool,
    /// Names of the path as named.
    pub(crate) as_named: Names,
    /// Names of where it leads, in every spelling that rules may use; empty when it is the same.
    pub(crate) as_led: Vec<Names>,
    /// Whether it is inside the working directories, both as named and where it leads.
    pub(crate) is_inside: bool,
    /// Whether names were lost because they are no text: no allow rule matches then.
    pub(crate) is_lossy: bool,
}

impl JudgedPath {
    /// Looks at `named`, absolute and without dots.
    pub(crate) fn new(named: PathBuf, mode: AccessMode, is_tree: bool, ctx: &ContextSnapshot) -> Self {
        let canonical = resolve(&named);
        Self::led(named, canonical, mode, is_tree, ctx)
    }

    /// Looks at a path as a program would open it: `..` behind a link leads to the folder above where the link leads.
    pub(crate) fn of_shell(path: &Path, mode: AccessMode, is_tree: bool, ctx: &ContextSnapshot) -> Self {
        Self::led(without_dots(path), resolve(path), mode, is_tree, ctx)
    }

    /// Looks at a path of which it is known where it leads.
    pub(crate) fn led(
        named: PathBuf,
        mut canonical: Option<PathBuf>,
        mode: AccessMode,
        is_tree: bool,
        ctx: &ContextSnapshot,
    ) -> Self {
        let as_named = Names::new(&named);
        let mut as_led = Vec::new();
        let mut is_inside = is_below_a_directory(&named, ctx);
        let mut meant = Vec::new();
        let leads_elsewhere = canonical.as_ref() != Some(&named);
        let in_proc = match proc_path(&named, ctx) {
            ProcPath::Plain if leads_elsewhere => proc_path_behind(&named, ctx),
            other => other,
        };
        match in_proc {
            ProcPath::Plain => {}
            ProcPath::Unknown => canonical = None,
            ProcPath::Means(path) => meant.push(path),
            ProcPath::Perhaps(path) => {
                meant.push(path);
                canonical = None;
            }
        }
        for path in &meant {
            as_led.push(Names::new(path));
            as_led.extend(resolve(path).map(|led| Names::new(&led)));
        }
        let in_folder = if leads_elsewhere { behind_folder(&named) } else { None };
        let in_folder = in_folder.filter(|path| *path != named && canonical.as_ref() != Some(path));
        is_inside &= canonical.is_some();
        for led in canonical.iter().filter(|led| **led != named).chain(&in_folder) {
            as_led.push(Names::new(led));
            let mut leads_inside = is_below_a_directory(led, ctx);
            let places = [Some(&ctx.project_dir), Some(&ctx.cwd), ctx.home.as_ref()];
            for place in places.into_iter().flatten().chain(&ctx.directories) {
                let Some(real) = resolve(place).filter(|real| real != place) else { continue };
                let Ok(rest) = led.strip_prefix(&real) else { continue };
                as_led.push(Names::new(&place.join(rest)));
                leads_inside |= ctx.project_dir == *place || ctx.directories.contains(place);
            }
            is_inside &= leads_inside;
        }
        meant.extend(in_folder);
        let is_lossy =
            named.to_str().is_none() || canonical.as_deref().is_some_and(|path| path.to_str().is_none());
        Self { named, canonical, meant, mode, is_tree, as_named, as_led, is_inside, is_lossy }
    }

    /// What is granted when the call runs.
    pub(crate) fn granted(&self) -> GrantedPath {
        let canonical = self.canonical.clone().unwrap_or_else(|| self.named.clone());
        GrantedPath::new(self.named.clone(), canonical, self.mode)
    }

    /// The names in every spelling.
    pub(crate) fn all_names(&self) -> impl Iterator<Item = &Names> {
        std::iter::once(&self.as_named).chain(&self.as_led)
    }
}

/// The path itself, not what it leads to when it is a link, in the folder where its own folder leads.
pub(crate) fn behind_folder(path: &Path) -> Option<PathBuf> {
    let (folder, name) = (path.parent()?, path.file_name()?);
    Some(resolve(folder)?.join(name))
}

fn is_below_a_directory(path: &Path, ctx: &ContextSnapshot) -> bool {
    path.starts_with(&ctx.project_dir) || ctx.directories.iter().any(|directory| path.starts_with(directory))
}
