//! Names under `/proc` and `/dev` that stand for something else, and for something else in each process: what they
//! would mean to a command that runs in the working directory.

use pegboard_tool_core::ContextSnapshot;
use std::path::{Component, Path, PathBuf};

/// What a path under `/proc` means.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum ProcPath {
    /// Nothing special.
    Plain,
    /// This path.
    Means(PathBuf),
    /// Whatever a process has open, or has as its folder: it cannot be told.
    Unknown,
}

/// Looks at a path without dots.
pub(crate) fn proc_path(path: &Path, ctx: &ContextSnapshot) -> ProcPath {
    let mut names = path.components();
    if names.next() != Some(Component::RootDir) {
        return ProcPath::Plain;
    }
    match text(names.next()) {
        Some("proc") => {}
        Some("dev") => {
            return match (text(names.next()), text(names.next())) {
                (Some("fd"), Some(_)) => ProcPath::Unknown,
                _ => ProcPath::Plain,
            };
        }
        _ => return ProcPath::Plain,
    }
    let Some(process) = text(names.next()) else { return ProcPath::Plain };
    let is_own = matches!(process, "self" | "thread-self");
    if !is_own && !process.bytes().all(|byte| byte.is_ascii_digit()) {
        return ProcPath::Plain;
    }
    let mut what = text(names.next());
    if what == Some("task") {
        names.next();
        what = text(names.next());
    }
    match what {
        Some("root") => ProcPath::Means(Path::new("/").join(names.as_path())),
        Some("cwd") => ProcPath::Means(ctx.cwd.join(names.as_path())),
        Some("fd" | "map_files" | "exe" | "mem") => ProcPath::Unknown,
        _ => ProcPath::Plain,
    }
}

fn text(component: Option<Component<'_>>) -> Option<&str> {
    match component? {
        Component::Normal(name) => name.to_str(),
        _ => None,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn names_under_proc_are_seen_through() {
        let ctx = ContextSnapshot::new("/w", "s");
        for (path, expected) in [
            ("/proc/self/root/etc/shadow", Some("/etc/shadow")),
            ("/proc/1/root/etc/shadow", Some("/etc/shadow")),
            ("/proc/self/cwd/.env", Some("/w/.env")),
            ("/proc/thread-self/cwd/.env", Some("/w/.env")),
            ("/proc/self/task/7/cwd/.env", Some("/w/.env")),
            ("/proc/77/cwd/.env", Some("/w/.env")),
        ] {
            let expected = ProcPath::Means(expected.map(PathBuf::from).unwrap());
            assert_eq!(proc_path(Path::new(path), &ctx), expected, "{path}");
        }
        for path in ["/proc/self/fd/3", "/dev/fd/3", "/proc/9/exe"] {
            assert_eq!(proc_path(Path::new(path), &ctx), ProcPath::Unknown, "{path}");
        }
        for path in ["/proc/cpuinfo", "/dev/null", "/proc/self/status", "/w/proc/self/root/x"] {
            assert_eq!(proc_path(Path::new(path), &ctx), ProcPath::Plain, "{path}");
        }
    }
}
