//! Where this process stands in the system's control groups.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The groups of this process, as folders.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Hierarchies {
    /// In version 2.
    pub(super) unified: Option<PathBuf>,
    /// Folder of the whole of version 2, above which nothing is.
    pub(super) unified_top: Option<PathBuf>,
    /// In the hierarchy of version 1 that counts memory.
    pub(super) memory: Option<PathBuf>,
    /// In the hierarchy of version 1 that counts processes.
    pub(super) pids: Option<PathBuf>,
}

impl Hierarchies {
    /// Asks the system.
    pub(super) fn of_this_process() -> Self {
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        Self::read(&groups, &mounts)
    }

    fn read(groups: &str, mounts: &str) -> Self {
        let mut found = Self::default();
        for mount in mounts.lines().filter_map(Mount::read) {
            let own = |controller: Option<&str>| {
                let path = groups.lines().find_map(|line| path_of(line, controller))?;
                // A mount whose root is elsewhere does not show our group.
                let below = Path::new(path).strip_prefix(&mount.root).ok()?;
                Some(if below.as_os_str().is_empty() { mount.at.clone() } else { mount.at.join(below) })
            };
            match mount.controllers {
                None if found.unified.is_none() => {
                    found.unified = own(None);
                    found.unified_top = found.unified.as_ref().map(|_| mount.at.clone());
                }
                None => {}
                Some(controllers) => {
                    let has = |name: &str| controllers.split(',').any(|controller| controller == name);
                    if has("memory") && found.memory.is_none() {
                        found.memory = own(Some("memory"));
                    }
                    if has("pids") && found.pids.is_none() {
                        found.pids = own(Some("pids"));
                    }
                }
            }
        }
        found
    }
}

/// A mounted hierarchy.
struct Mount<'a> {
    root: PathBuf,
    at: PathBuf,
    /// The options that name controllers; `None` for version 2.
    controllers: Option<&'a str>,
}

impl<'a> Mount<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ').skip(3);
        let (root, at) = (before.next()?, before.next()?);
        let mut after = after.split(' ');
        let controllers = match after.next()? {
            "cgroup2" => None,
            "cgroup" => Some(after.nth(1)?),
            _ => return None,
        };
        Some(Self { root: unescaped(root), at: unescaped(at), controllers })
    }
}

/// The path of a line of `/proc/self/cgroup`, when it is that of the controller (`None`: version 2).
fn path_of<'a>(line: &'a str, controller: Option<&str>) -> Option<&'a str> {
    let (_, rest) = line.split_once(':')?;
    let (controllers, path) = rest.split_once(':')?;
    let fits = match controller {
        None => controllers.is_empty(),
        Some(name) => controllers.split(',').any(|one| one == name),
    };
    fits.then_some(path)
}

/// Blanks and backslashes stand as `\040` in the table of mounts.
fn unescaped(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits =
            after.get(..3).filter(|_| *first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    PathBuf::from(OsStr::from_bytes(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_systems() {
        let path = |text: &str| Some(PathBuf::from(text));
        // A desktop with version 2 only.
        let unified = Hierarchies::read(
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope\n",
            "25 22 0:22 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
        );
        let expected = "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope";
        assert_eq!(unified.unified, path(expected));
        assert_eq!(unified.unified_top, path("/sys/fs/cgroup"));
        assert_eq!(unified.memory, None);
        // Both versions side by side.
        let hybrid = Hierarchies::read(
            "9:name=systemd:/\n8:pids:/a\n4:memory:/b/c\n1:cpu,cpuacct:/\n0::/\n",
            "30 25 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
             31 25 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
             32 25 0:28 / /sys/fs/cgroup/cpu\\040x rw - cgroup cgroup rw,cpu,cpuacct\n\
             33 25 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
        );
        assert_eq!(hybrid.memory, path("/sys/fs/cgroup/memory/b/c"));
        assert_eq!(hybrid.pids, path("/sys/fs/cgroup/pids/a"));
        assert_eq!(hybrid.unified, path("/sys/fs/cgroup/unified"));
        // A container that sees its own part.
        let container = Hierarchies::read(
            "4:memory:/docker/abc\n",
            "30 25 0:26 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
        );
        assert_eq!(container.memory, path("/sys/fs/cgroup/memory"));
        // A mount that shows another part, and garbage.
        let elsewhere = Hierarchies::read("0::/x\nnonsense\n", "1 2 0:3 /y /m rw - cgroup2 c rw\nnonsense\n");
        assert_eq!(elsewhere, Hierarchies::default());
        assert_eq!(unescaped("/a\\040b\\134c\\9"), PathBuf::from("/a b\\c\\9"));
    }
}
