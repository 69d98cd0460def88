//! What a call reads and writes, so that rules and schedulers can reason about it.

use std::path::PathBuf;
use std::sync::Arc;

/// Something a call may touch.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Resource {
    /// One file, by absolute path.
    File(PathBuf),
    /// A folder and everything below it, by absolute path.
    Tree(PathBuf),
    /// A network host, lower case, without port.
    Host(String),
    /// A piece of session state, by name (`todo`, `tasks`, ...).
    State(Arc<str>),
}

/// How a resource is touched.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "gates must handle each case")]
pub enum AccessMode {
    /// Looked at.
    Read,
    /// Created, changed or removed.
    Write,
}

/// One resource and how it is touched.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct Access {
    /// What.
    pub resource: Resource,
    /// How.
    pub mode: AccessMode,
}

impl Access {
    /// Says that `resource` is read.
    #[must_use]
    pub fn read(resource: Resource) -> Self {
        Self { resource, mode: AccessMode::Read }
    }

    /// Says that `resource` is written.
    #[must_use]
    pub fn write(resource: Resource) -> Self {
        Self { resource, mode: AccessMode::Write }
    }
}

/// Everything that a call may touch.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "either the list is complete or nothing is known")]
pub enum Accesses {
    /// Unknown: assume everything. The default of a tool.
    Everything,
    /// Only these; an empty list touches nothing.
    Only(Arc<[Access]>),
}

impl Accesses {
    /// Touches nothing outside the call itself.
    #[must_use]
    pub fn nothing() -> Self {
        Self::Only(Arc::from([]))
    }

    /// Reads one file.
    pub fn read_file(path: impl Into<PathBuf>) -> Self {
        Self::Only(Arc::from([Access::read(Resource::File(path.into()))]))
    }

    /// Reads a folder and what is below.
    pub fn read_tree(path: impl Into<PathBuf>) -> Self {
        Self::Only(Arc::from([Access::read(Resource::Tree(path.into()))]))
    }

    /// Writes one file.
    pub fn write_file(path: impl Into<PathBuf>) -> Self {
        Self::Only(Arc::from([Access::write(Resource::File(path.into()))]))
    }

    /// Whether two sets may not run beside each other: one writes what the other touches.
    #[must_use]
    pub fn conflict(&self, other: &Self) -> bool {
        let (Self::Only(mine), Self::Only(theirs)) = (self, other) else {
            return !(self.is_nothing() || other.is_nothing());
        };
        mine.iter().any(|a| {
            theirs.iter().any(|b| {
                (a.mode == AccessMode::Write || b.mode == AccessMode::Write)
                    && overlap(&a.resource, &b.resource)
            })
        })
    }

    fn is_nothing(&self) -> bool {
        matches!(self, Self::Only(list) if list.is_empty())
    }
}

fn overlap(a: &Resource, b: &Resource) -> bool {
    match (a, b) {
        (Resource::File(a), Resource::File(b)) => a == b,
        (Resource::File(file), Resource::Tree(tree)) | (Resource::Tree(tree), Resource::File(file)) => {
            file.starts_with(tree)
        }
        (Resource::Tree(a), Resource::Tree(b)) => a.starts_with(b) || b.starts_with(a),
        (Resource::Host(a), Resource::Host(b)) => a == b,
        (Resource::State(a), Resource::State(b)) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_conflicts_with_every_overlapping_access() {
        let read = Accesses::read_file("/w/a");
        let write = Accesses::write_file("/w/a");
        let tree = Accesses::read_tree("/w");
        assert!(!read.conflict(&read));
        assert!(read.conflict(&write) && write.conflict(&tree) && tree.conflict(&write));
        assert!(!tree.conflict(&read));
        assert!(!write.conflict(&Accesses::write_file("/w/ab")));
        assert!(Accesses::Everything.conflict(&read) && read.conflict(&Accesses::Everything));
        assert!(!Accesses::Everything.conflict(&Accesses::nothing()));
    }
}
