//! Real processes that try to outlive their tree.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests fail by panicking")]

mod confinement;

use pegboard_process::{ProcessTree, Reach, start};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

/// Starts a script and gives the ids that it printed, one a line, up to `count`.
async fn ids(script: &str, count: usize) -> (pegboard_process::Child, ProcessTree, Vec<u32>) {
    let mut command = Command::new("/bin/bash");
    command.args(["-c", script]).env_clear().env("PATH", "/usr/bin:/bin");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let (mut child, tree) = start(command).unwrap();
    let mut lines = BufReader::new(child.stdout().take().unwrap()).lines();
    let mut ids = Vec::new();
    while ids.len() < count {
        ids.push(lines.next_line().await.unwrap().unwrap().parse().unwrap());
    }
    (child, tree, ids)
}

/// Whether the process runs (a corpse does not).
fn lives(id: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

#[tokio::test]
async fn ending_a_tree_leaves_nothing_of_it() {
    for (name, script, count) in [
        ("plain", "sleep 300 & echo $!; echo $$; wait", 2),
        (
            "ignores TERM",
            "trap '' TERM; (trap '' TERM; sleep 300) & echo $!; echo $$; while :; do sleep 1; done",
            2,
        ),
        ("own group", "set -m; sleep 300 & echo $!; wait", 1),
        ("own session", "setsid sh -c 'echo $$; exec sleep 300' & wait", 1),
        ("own session, empty environment", "setsid env -i sh -c 'echo $$; exec sleep 300' & wait", 1),
        ("stopped", "sleep 300 & echo $!; kill -STOP $!; wait", 1),
    ] {
        let (mut child, tree, ids) = ids(script, count).await;
        assert!(ids.iter().all(|id| lives(*id)), "{name}");
        assert_eq!(tree.end(Reach::Everything, Duration::from_millis(50)).await, 0, "{name}");
        child.wait().await.unwrap();
        assert!(!ids.iter().any(|id| lives(*id)), "{name}");
    }
}

#[tokio::test]
async fn what_the_leader_left_behind_is_ended_too() {
    let (mut child, tree, ids) = ids("setsid sh -c 'echo $$; exec sleep 300' & sleep 300 & echo $!", 2).await;
    child.wait().await.unwrap();
    assert!(ids.iter().all(|id| lives(*id)));
    assert_eq!(tree.end(Reach::Everything, Duration::ZERO).await, 0);
    assert!(!ids.iter().any(|id| lives(*id)));
}

#[tokio::test]
async fn the_reach_of_a_group_spares_who_left_it() {
    let (mut child, tree, ids) = ids("setsid sh -c 'echo $$; exec sleep 300' & wait $!; :", 1).await;
    tree.end(Reach::Group, Duration::from_secs(5)).await;
    child.wait().await.unwrap();
    assert!(lives(ids[0]));
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(i32::try_from(ids[0]).unwrap()).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
}

#[tokio::test]
async fn dropping_a_tree_kills_it() {
    let (mut child, tree, ids) = ids("trap '' TERM; sleep 300 & echo $!; wait", 1).await;
    drop(tree);
    child.wait().await.unwrap();
    assert!(!lives(ids[0]));
}

#[tokio::test]
async fn a_child_has_no_terminal_and_a_session_of_its_own() {
    let mut command = Command::new("/bin/bash");
    command.args(["-c", "(: </dev/tty) 2>/dev/null || echo none; ps -o sid= -p $$ | tr -d ' '; echo $$"]);
    command.env_clear().env("PATH", "/usr/bin:/bin").stdout(Stdio::piped()).stderr(Stdio::null());
    let (mut child, tree) = start(command).unwrap();
    let mut lines = BufReader::new(child.stdout().take().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "none");
    let session = lines.next_line().await.unwrap().unwrap();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), session);
    child.wait().await.unwrap();
    assert_eq!(tree.end(Reach::Everything, Duration::ZERO).await, 0);
}
