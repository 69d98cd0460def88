//! What exactly was judged, so that what runs acts on that and on nothing else.

use crate::{AccessMode, Accesses, Resource, resolve_links};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Paths and hosts that a decision was about. A file tool opens exactly these; a path that resolves
/// elsewhere by now is refused with "changed since it was approved".
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Grant {
    /// Paths that were judged.
    pub paths: Arc<[GrantedPath]>,
    /// Hosts that were judged, lower case.
    pub hosts: Arc<[String]>,
}

/// One judged path.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct GrantedPath {
    /// The absolute path as the call named it, without `.` and `..`.
    pub named: PathBuf,
    /// Where it led when it was judged: every existing link resolved.
    pub canonical: PathBuf,
    /// How it may be touched.
    pub mode: AccessMode,
}

impl GrantedPath {
    /// A path that was judged.
    #[must_use]
    pub fn new(named: PathBuf, canonical: PathBuf, mode: AccessMode) -> Self {
        Self { named, canonical, mode }
    }
}

impl Grant {
    /// A grant of these paths and hosts.
    #[must_use]
    pub fn new(paths: Vec<GrantedPath>, hosts: Vec<String>) -> Self {
        Self { paths: paths.into(), hosts: hosts.into() }
    }

    /// A grant of everything that `accesses` names, where it leads now. For gates that judge calls and not paths.
    #[must_use]
    pub fn of(accesses: &Accesses) -> Self {
        let Accesses::Only(list) = accesses else { return Self::default() };
        let mut grant = (Vec::new(), Vec::new());
        for access in list.iter() {
            match &access.resource {
                Resource::File(path) | Resource::Tree(path) => {
                    // A path that cannot be resolved stays as named; the call finds out why.
                    let canonical = resolve_links(path).unwrap_or_else(|_| path.clone());
                    grant.0.push(GrantedPath::new(path.clone(), canonical, access.mode));
                }
                Resource::Host(host) => grant.1.push(host.clone()),
                Resource::State(_) => {}
            }
        }
        Self::new(grant.0, grant.1)
    }

    /// Where `named` led when it was judged, if it was.
    #[must_use]
    pub fn canonical(&self, named: &Path) -> Option<&Path> {
        self.paths.iter().find(|path| path.named == named).map(|path| path.canonical.as_path())
    }
}
