//! The groups of one confinement: its limits, and room for a group of each tree.

use super::hierarchies::Hierarchies;
use super::tree_group::{Kind, TreeGroup};
use super::{control, counted};
use crate::limits::Limits;
use crate::proc_table;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How the names of our groups begin; the PID namespace and the id of the process that made them follow.
const PREFIX: &str = "pegboard-";

/// Groups of a confinement. Removed when the last of its trees is gone.
#[derive(Debug)]
pub(crate) struct SessionGroups {
    /// In version 2: where membership is kept and everything is killed at once.
    unified: Option<PathBuf>,
    /// Which group holds the limit of memory.
    memory: Option<(Kind, PathBuf)>,
    /// Which group holds the limit of processes.
    processes: Option<(Kind, PathBuf)>,
    trees: AtomicU64,
}

impl SessionGroups {
    /// Makes groups with the limits; `None` where the system lets us make none. A limit that could
    /// not be set shows as one without a [`Kind`].
    pub(crate) fn make(limits: Limits) -> Option<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (own, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let name = format!("{PREFIX}{}-{own}-{count}", pid_namespace());
        let places = Hierarchies::of_this_process();
        let mut groups = Self { unified: None, memory: None, processes: None, trees: AtomicU64::new(0) };
        groups.make_unified(&places, limits, &name);
        if let (Some(bytes), None, Some(place)) = (limits.memory, &groups.memory, &places.memory) {
            groups.memory = make_in(place, &name, |group| {
                control(&group.join("memory.limit_in_bytes"), &bytes.to_string())?;
                // What is swapped out counts too, where the system counts it.
                let _not_counted_here =
                    control(&group.join("memory.memsw.limit_in_bytes"), &bytes.to_string());
                Ok(())
            })
            .map(|group| (Kind::V1, group));
        }
        if let (Some(most), None, Some(place)) = (limits.processes, &groups.processes, &places.pids) {
            groups.processes =
                make_in(place, &name, |group| control(&group.join("pids.max"), &most.to_string()))
                    .map(|group| (Kind::V1, group));
        }
        (!groups.folders().is_empty()).then_some(groups)
    }

    fn make_unified(&mut self, places: &Hierarchies, limits: Limits, name: &str) {
        let Some(own) = &places.unified else { return };
        let wanted = [("memory", limits.memory.is_some()), ("pids", limits.processes.is_some())];
        let wanted: Vec<&str> =
            wanted.iter().filter(|(_, is_wanted)| *is_wanted).map(|(name, _)| *name).collect();
        let top = places.unified_top.as_deref();
        let place = limiting_place(own, top, &wanted).unwrap_or_else(|| own.clone());
        let Some(group) = make_in(&place, name, |group| fs::metadata(group.join("cgroup.procs")).map(|_| ()))
        else {
            return;
        };
        if let Some(bytes) = limits.memory
            && control(&group.join("memory.max"), &bytes.to_string()).is_ok()
        {
            let _no_swap_here = control(&group.join("memory.swap.max"), "0");
            self.memory = Some((Kind::V2, group.clone()));
        }
        if let Some(most) = limits.processes
            && control(&group.join("pids.max"), &most.to_string()).is_ok()
        {
            self.processes = Some((Kind::V2, group.clone()));
        }
        self.unified = Some(group);
    }

    /// Where the limit of memory is.
    pub(crate) fn memory_kind(&self) -> Option<Kind> {
        self.memory.as_ref().map(|(kind, _)| *kind)
    }

    /// Where the limit of processes is.
    pub(crate) fn processes_kind(&self) -> Option<Kind> {
        self.processes.as_ref().map(|(kind, _)| *kind)
    }

    /// How often the limits of memory and of processes were hit.
    pub(crate) fn hits(&self) -> (u64, u64) {
        let memory = self.memory.as_ref().map_or(0, |(kind, group)| match kind {
            Kind::V2 => counted(&group.join("memory.events"), "oom_kill"),
            Kind::V1 => counted(&group.join("memory.oom_control"), "oom_kill"),
        });
        let processes =
            self.processes.as_ref().map_or(0, |(_, group)| counted(&group.join("pids.events"), "max"));
        (memory, processes)
    }

    /// A group for one tree, with what its first process must join.
    ///
    /// # Errors
    /// When the system refuses another group.
    pub(crate) fn for_tree(self: &Arc<Self>) -> io::Result<TreeGroup> {
        let (kind, parent) = match (&self.unified, &self.processes, &self.memory) {
            (Some(group), ..) => (Kind::V2, group),
            (None, Some((kind, group)), _) | (None, None, Some((kind, group))) => (*kind, group),
            (None, None, None) => return Err(io::Error::other("there is no control group")),
        };
        let folder = parent.join(format!("t{}", self.trees.fetch_add(1, Ordering::Relaxed)));
        fs::create_dir(&folder)?;
        let others = self.folders().into_iter().filter(|group| *group != parent.as_path());
        let mut joins = vec![folder.join("cgroup.procs")];
        joins.extend(others.map(|group| group.join("cgroup.procs")));
        Ok(TreeGroup::new(kind, folder, joins, Arc::clone(self)))
    }

    /// Every group, each once.
    pub(crate) fn folders(&self) -> Vec<&Path> {
        let limiting = [&self.memory, &self.processes].into_iter().flatten().map(|(_, group)| group);
        let mut folders: Vec<&Path> = self.unified.iter().chain(limiting).map(PathBuf::as_path).collect();
        folders.sort();
        folders.dedup();
        folders
    }
}

impl Drop for SessionGroups {
    fn drop(&mut self) {
        for group in self.folders() {
            let _still_used = fs::remove_dir(group);
        }
    }
}

/// Makes a group below `place` and sets it up; nothing is left of one that cannot be.
fn make_in(place: &Path, name: &str, set_up: impl Fn(&Path) -> io::Result<()>) -> Option<PathBuf> {
    sweep(place);
    let group = place.join(name);
    fs::create_dir(&group).ok()?;
    if set_up(&group).is_ok() && can_join(&group) {
        return Some(group);
    }
    let _nothing_in_it = fs::remove_dir(&group);
    None
}

/// Whether a child of ours may go there: being allowed to make a group is not yet that.
fn can_join(group: &Path) -> bool {
    let mut probe = std::process::Command::new("/bin/sh");
    probe.args(["-c", "echo 0 > \"$1\"", "sh"]).arg(group.join("cgroup.procs")).env_clear();
    probe.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

/// A number of our PID namespace; containers may share control groups, and ids of processes mean nothing outside.
fn pid_namespace() -> u64 {
    fs::metadata("/proc/self/ns/pid").map_or(0, |found| found.ino())
}

/// The process of our PID namespace that made a group of this name.
fn maker(name: &str, namespace: u64) -> Option<u32> {
    let mut numbers = name.strip_prefix(PREFIX)?.split('-');
    let is_ours = numbers.next()?.parse() == Ok(namespace);
    numbers.next()?.parse().ok().filter(|_| is_ours)
}

/// Removes what hosts that were killed left: empty groups of processes that are gone.
fn sweep(place: &Path) {
    if !proc_table::is_ours() {
        return;
    }
    let namespace = pid_namespace();
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let id = entry.file_name().to_str().and_then(|name| maker(name, namespace));
        if id.is_some_and(|id| !Path::new(&format!("/proc/{id}")).exists()) {
            for inner in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
                let _still_used_or_no_group = fs::remove_dir(inner.path());
            }
            let _still_used = fs::remove_dir(entry.path());
        }
    }
}

/// The folder of version 2 below which a new group has all the controllers: our own group, or the one
/// above it when our own has no limits that a neighbour would escape.
fn limiting_place(own: &Path, top: Option<&Path>, wanted: &[&str]) -> Option<PathBuf> {
    let read = |file: PathBuf| fs::read_to_string(file).unwrap_or_default();
    let gives = |place: &Path| {
        let given = read(place.join("cgroup.subtree_control"));
        wanted.iter().all(|name| given.split_whitespace().any(|one| one == *name))
    };
    if wanted.is_empty() {
        return None;
    }
    if gives(own) {
        return Some(own.to_owned());
    }
    // Works where our group has no processes of its own to compete with its children.
    let asked: Vec<String> = wanted.iter().map(|name| format!("+{name}")).collect();
    if control(&own.join("cgroup.subtree_control"), &asked.join(" ")).is_ok() && gives(own) {
        return Some(own.to_owned());
    }
    let above = own.parent().filter(|_| Some(own) != top)?;
    let files = ["memory.max", "memory.high", "memory.swap.max", "pids.max", "cpu.max"];
    let is_unbound = files.iter().all(|file| {
        let limit = read(own.join(file));
        limit.is_empty() || limit.starts_with("max")
    });
    (is_unbound && gives(above)).then(|| above.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_other_namespaces_are_nobody_elses_to_remove() {
        for (name, expected) in [
            ("pegboard-7-12-0", Some(12)),
            ("pegboard-8-12-0", None),
            ("pegboard-12-0", None),
            ("pegboard-7-x-0", None),
            ("pegboard-7", None),
            ("user.slice", None),
        ] {
            assert_eq!(maker(name, 7), expected, "{name}");
        }
    }

    #[test]
    fn a_neighbour_is_made_only_where_it_escapes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (top, own) = (dir.path(), dir.path().join("scope"));
        fs::create_dir(&own).unwrap();
        let wanted = ["memory", "pids"];
        let place = || limiting_place(&own, Some(top), &wanted);
        assert_eq!(place(), None, "no controllers at all");
        fs::write(top.join("cgroup.subtree_control"), "memory\n").unwrap();
        assert_eq!(place(), None, "one is missing");
        fs::write(top.join("cgroup.subtree_control"), "cpu memory pids\n").unwrap();
        assert_eq!(place(), Some(top.to_owned()));
        assert_eq!(limiting_place(&own, Some(&own), &wanted), None, "nothing above the top");
        fs::write(own.join("memory.max"), "max\n").unwrap();
        assert_eq!(place(), Some(top.to_owned()));
        fs::write(own.join("memory.max"), "1000000\n").unwrap();
        assert_eq!(place(), None, "our own limit would be escaped");
        fs::write(own.join("cgroup.subtree_control"), "memory pids\n").unwrap();
        assert_eq!(place(), Some(own.clone()));
        assert_eq!(limiting_place(&own, Some(top), &[]), None);
    }
}
