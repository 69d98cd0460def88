//! The process table of Linux: who belongs to a tree, by session, group, mark or parent.

use crate::MARK;
use crate::signal::{self, End};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::sync::OnceLock;

/// A process that runs (or is stopped), as far as the tree must know.
#[derive(Clone, Copy, Debug)]
struct Entry {
    id: u32,
    parent: u32,
    group: u32,
    session: u32,
    /// Clock ticks since the system started.
    born: u64,
}

/// Whether there is a table and it is that of our PID namespace. Another one, such as that of the host in a container,
/// has other processes under our numbers: nothing that it shows may be signalled.
pub(crate) fn is_ours() -> bool {
    static IS_OURS: OnceLock<bool> = OnceLock::new();
    *IS_OURS.get_or_init(|| {
        let own = fs::read_link("/proc/self").ok();
        own.and_then(|own| own.to_str()?.parse().ok()) == Some(std::process::id())
    })
}

/// The numbers of all processes; none where the table is not ours.
fn ids() -> impl Iterator<Item = u32> {
    let table = if is_ours() { fs::read_dir("/proc").ok() } else { None };
    table.into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// When the process `id` was born; 0 when it is gone.
pub(crate) fn born(id: u32) -> u64 {
    read(id).map_or(0, |entry| entry.born)
}

/// Everything alive that belongs to the tree of `leader`, the leader among it.
pub(crate) fn members(leader: u32, mark: &str, born: u64) -> Vec<(u32, u64)> {
    let own = std::process::id();
    // A process older than the leader is none of its descendants; most of a machine is older.
    let young = ids().filter(|id| *id != own).filter_map(read).filter(|entry| entry.born >= born);
    let (inside, outside): (Vec<_>, Vec<_>) = young.partition(|entry| {
        entry.id == leader || entry.group == leader || entry.session == leader || carries(entry.id, mark)
    });
    let known = inside.iter().map(|entry| entry.id).collect();
    with_descendants(inside, outside, known)
}

/// Everything alive that descends from the process `id`.
pub(crate) fn descendants(id: u32) -> Vec<(u32, u64)> {
    let all = ids().filter(|other| *other != id).filter_map(read).collect();
    with_descendants(Vec::new(), all, BTreeSet::from([id]))
}

/// The command that the supervisor `id` started, which leads a group. Lost children have the same
/// parent, but they are younger.
pub(crate) fn command_of(id: u32) -> Option<u32> {
    let children = ids()
        .filter_map(read)
        .filter(|entry| entry.parent == id && entry.session == id && entry.group == entry.id);
    children.min_by_key(|entry| (entry.born, entry.id)).map(|entry| entry.id)
}

fn with_descendants(
    mut inside: Vec<Entry>,
    mut outside: Vec<Entry>,
    mut known: BTreeSet<u32>,
) -> Vec<(u32, u64)> {
    loop {
        let (children, others): (Vec<_>, Vec<_>) =
            outside.into_iter().partition(|entry| known.contains(&entry.parent));
        if children.is_empty() {
            break;
        }
        known.extend(children.iter().map(|entry| entry.id));
        inside.extend(children);
        outside = others;
    }
    inside.into_iter().map(|entry| (entry.id, entry.born)).collect()
}

/// How many threads the processes of a user have.
pub(crate) fn threads_of(user: u32) -> u64 {
    let Ok(table) = fs::read_dir("/proc") else { return 0 };
    let owned = table.flatten().filter(|entry| entry.metadata().is_ok_and(|found| found.uid() == user));
    owned
        .filter_map(|entry| fs::read_dir(entry.path().join("task")).ok())
        .map(|tasks| tasks.count() as u64)
        .sum()
}

/// Whether the group of `leader` has a living member.
pub(crate) fn group_lives(leader: u32, born: u64) -> bool {
    ids().any(|id| read(id).is_some_and(|entry| entry.group == leader && entry.born >= born))
}

/// Signals the process `id` if it is still the one that was born then.
pub(crate) fn signal_exactly(id: u32, born: u64, end: End) {
    let Some(pid) = signal::pid(id) else { return };
    match rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) {
        // The handle stays with the process that it was opened for, so a look after that is certain.
        Ok(handle) if self::born(id) == born => {
            let _gone_is_fine = rustix::process::pidfd_send_signal(handle, end.signal());
        }
        Ok(_) | Err(rustix::io::Errno::SRCH) => {}
        Err(_) if self::born(id) == born => {
            let _gone_is_fine = rustix::process::kill_process(pid, end.signal());
        }
        Err(_) => {}
    }
}

/// The entry of a process that is not a corpse.
fn read(id: u32) -> Option<Entry> {
    let stat = fs::read(format!("/proc/{id}/stat")).ok()?;
    // The name before the last `)` may hold anything.
    let after = stat.iter().rposition(|byte| *byte == b')')?;
    let fields = std::str::from_utf8(stat.get(after + 1..)?).ok()?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let small = |index: usize| number(index).and_then(|number| u32::try_from(number).ok());
    if matches!(*fields.first()?, "Z" | "X" | "x") {
        return None;
    }
    Some(Entry { id, parent: small(1)?, group: small(2)?, session: small(3)?, born: number(19)? })
}

/// Whether the environment that the process started with has the mark.
fn carries(id: u32, mark: &str) -> bool {
    let Ok(environment) = fs::read(format!("/proc/{id}/environ")) else { return false };
    environment.split(|byte| *byte == 0).any(|pair| {
        pair.strip_prefix(MARK.as_bytes())
            .and_then(|rest| rest.strip_prefix(b"="))
            .is_some_and(|marks| marks.split(|byte| *byte == b':').any(|one| one == mark.as_bytes()))
    })
}
