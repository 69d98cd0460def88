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
    /// This path, or that of another process.
    Perhaps(PathBuf),
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
        Some("cwd") if is_own => ProcPath::Means(ctx.cwd.join(names.as_path())),
        Some("cwd") => ProcPath::Perhaps(ctx.cwd.join(names.as_path())),
        Some("fd" | "map_files" | "exe" | "mem") => ProcPath::Unknown,
        _ => ProcPath::Plain,
    }
}

/// More links than these in one path are not followed.
const MOST_LINKS: usize = 40;

/// The same for a path that may get to such a name through links. Only paths that lead elsewhere need this look.
pub(crate) fn proc_path_behind(path: &Path, ctx: &ContextSnapshot) -> ProcPath {
    let (mut path, mut is_sure) = (path.to_path_buf(), true);
    let mut is_through = false;
    for _ in 0..MOST_LINKS {
        match step(&path, ctx) {
            Step::End(_) if !is_through => return ProcPath::Plain,
            Step::End(path) if is_sure => return ProcPath::Means(path),
            Step::End(path) => return ProcPath::Perhaps(path),
            Step::Link(next) => path = next,
            Step::Proc(ProcPath::Means(next)) => (path, is_through) = (next, true),
            Step::Proc(ProcPath::Perhaps(next)) => (path, is_through, is_sure) = (next, true, false),
            Step::Proc(ProcPath::Unknown | ProcPath::Plain) => return ProcPath::Unknown,
        }
    }
    ProcPath::Unknown
}

enum Step {
    /// No link is left.
    End(PathBuf),
    /// The path behind the first link.
    Link(PathBuf),
    /// The path behind the first name that stands for something else.
    Proc(ProcPath),
}

fn step(path: &Path, ctx: &ContextSnapshot) -> Step {
    let mut done = PathBuf::new();
    let mut names = path.components();
    while let Some(name) = names.next() {
        match name {
            Component::CurDir => continue,
            Component::ParentDir => {
                done.pop();
                continue;
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => done.push(name),
        }
        let rest = || names.as_path();
        let behind = |next: PathBuf| if rest().as_os_str().is_empty() { next } else { next.join(rest()) };
        match proc_path(&done, ctx) {
            ProcPath::Plain => {}
            ProcPath::Means(next) => return Step::Proc(ProcPath::Means(behind(next))),
            ProcPath::Perhaps(next) => return Step::Proc(ProcPath::Perhaps(behind(next))),
            ProcPath::Unknown => return Step::Proc(ProcPath::Unknown),
        }
        // They name the process that looks, which is not the one that will run.
        if matches!(done.to_str(), Some("/proc/self" | "/proc/thread-self")) {
            continue;
        }
        if let Ok(target) = std::fs::read_link(&done) {
            done.pop();
            return Step::Link(behind(done.join(target)));
        }
    }
    Step::End(done)
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
        ] {
            let expected = ProcPath::Means(expected.map(PathBuf::from).unwrap());
            assert_eq!(proc_path(Path::new(path), &ctx), expected, "{path}");
        }
        let expected = ProcPath::Perhaps("/w/.env".into());
        assert_eq!(proc_path(Path::new("/proc/77/cwd/.env"), &ctx), expected);
        for path in ["/proc/self/fd/3", "/dev/fd/3", "/proc/9/exe"] {
            assert_eq!(proc_path(Path::new(path), &ctx), ProcPath::Unknown, "{path}");
        }
        for path in ["/proc/cpuinfo", "/dev/null", "/proc/self/status", "/w/proc/self/root/x"] {
            assert_eq!(proc_path(Path::new(path), &ctx), ProcPath::Plain, "{path}");
        }
    }

    #[test]
    fn links_to_such_names_are_seen_through() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let ctx = ContextSnapshot::new("/w", "s");
        let link = |name: &str, target: &str| std::os::unix::fs::symlink(target, root.join(name)).unwrap();
        link("rt", "/proc/self/root");
        link("here", "/proc/self/cwd");
        link("two", "rt");
        link("plain", "gone");
        link("loop", "loop");
        let of = |path: &str| proc_path_behind(&root.join(path), &ctx);
        for (path, expected) in [("rt/gone", "/gone"), ("two/gone", "/gone"), ("here/x/../y", "/w/y")] {
            assert_eq!(of(path), ProcPath::Means(expected.into()), "{path}");
        }
        assert_eq!(of("plain/x"), ProcPath::Plain);
        assert_eq!(of("loop/x"), ProcPath::Unknown);
    }
}
