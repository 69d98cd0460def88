//! What calls touch, under the names that the system knows it by.

use pegboard_tool_core::{Access, AccessMode, Accesses, Resource, resolve_links};
use std::path::{Path, PathBuf};

/// A resource by its canonical name.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) enum Name {
    File(PathBuf),
    Tree(PathBuf),
    Other(String),
}

/// What a call touches.
#[derive(Debug)]
pub(crate) enum Touched {
    /// It must run alone.
    Everything,
    /// These, and whether each is written.
    Only(Vec<(Name, bool)>),
}

impl Touched {
    pub(crate) fn of(accesses: &Accesses) -> Self {
        let Accesses::Only(all) = accesses else { return Self::Everything };
        all.iter().map(named).collect::<Option<Vec<_>>>().map_or(Self::Everything, Self::Only)
    }
}

fn named(access: &Access) -> Option<(Name, bool)> {
    let writes = access.mode == AccessMode::Write;
    let name = match &access.resource {
        Resource::File(path) => {
            let path = canonical(path);
            // A file of several names is touched under each of them.
            if has_other_names(&path) {
                return None;
            }
            Name::File(path)
        }
        Resource::Tree(path) => Name::Tree(canonical(path)),
        Resource::Host(host) => Name::Other(format!("host {}", host.to_lowercase())),
        Resource::State(state) => Name::Other(format!("state {state}")),
        _ => return None,
    };
    Some((name, writes))
}

/// Where a path leads. One that cannot be followed is taken as it stands: whoever opens it fails the same way.
fn canonical(path: &Path) -> PathBuf {
    resolve_links(path).unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(unix)]
fn has_other_names(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.nlink() > 1)
}

#[cfg(not(unix))]
fn has_other_names(_path: &Path) -> bool {
    false
}
