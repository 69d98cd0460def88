//! Disks that are full or read-only, folders that take no file, two programs at one file, and a program that is
//! killed while it writes: the old content or the new one is there, never half of it, and no change is lost.
//!
//! Some of this needs a process of its own: this test binary, started again with a variable that says what to do.

use crate::harness::{Answer, Session, left_out};
use pegboard_tool_core::{ContextSnapshot, ToolContext};
use pegboard_tools_std::ReadLedger;
use serde_json::{Value, json};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

/// What a child process of this test does, and where.
const ROLE: &str = "PEGBOARD_TEST_ROLE";
const PLACE: &str = "PEGBOARD_TEST_PLACE";

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"file_path": path, "old_string": old, "new_string": new})
}

async fn read(session: &Session, name: &str) {
    let answer = session.call("Read", json!({"file_path": name})).await;
    assert!(!answer.is_error, "{}", answer.text);
}

/// As if the model had seen all of a file that is too long to be read at once.
fn know(session: &Session, name: &str) {
    let ledger = session.snapshot.session.of::<ReadLedger>();
    ledger.note_whole(&session.root.join(name), &session.bytes(name));
}

/// The files of a folder, hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Part of this test binary that runs in a process of its own. Without its variable it does nothing.
#[test]
fn child() {
    let (Ok(role), Ok(place)) = (std::env::var(ROLE), std::env::var(PLACE)) else { return };
    let session = Session::at(Path::new(&place));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match role.as_str() {
        "once" => {
            let answer = runtime.block_on(rewrite(&session, "new"));
            {
                eprintln!("answer: {}", answer.text);
            }
        }
        "for ever" => {
            for letter in ["a", "b"].iter().cycle() {
                let answer = runtime.block_on(rewrite(&session, letter));
                assert!(!answer.is_error, "{}", answer.text);
            }
        }
        "count" => runtime.block_on(count(&session, "child", 40)),
        other => panic!("no such role: {other}"),
    }
}

fn start(role: &str, place: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    configure(&mut command, role, place);
    command
}

fn configure(command: &mut Command, role: &str, place: &Path) {
    command.args(["--exact", "faults::child", "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role).env(PLACE, place).stdin(Stdio::null());
}

const SIZE: usize = 300_000;

/// Rewrites the file `f` with `text` many times over.
async fn rewrite(session: &Session, text: &str) -> Answer {
    know(session, "f");
    let content = text.repeat(SIZE / text.len());
    session.call("Write", json!({"file_path": "f", "content": content})).await
}

/// Counts up the line of `who` in the file `counts`, through whatever others do to it.
async fn count(session: &Session, who: &str, times: usize) {
    for number in 0..times {
        loop {
            read(session, "counts").await;
            let (old, new) = (format!("{who}={number};"), format!("{who}={};", number + 1));
            let answer = session.call("Edit", edit("counts", &old, &new)).await;
            if !answer.is_error {
                break;
            }
            let by_others = ["changed since", "at this very moment", "locked by another"];
            assert!(by_others.iter().any(|text| answer.text.contains(text)), "{}", answer.text);
        }
    }
}

async fn counted(session: &Session, is_linked: bool) {
    session.write("counts", "one=0;\ntwo=0;\nthree=0;\nchild=0;\n");
    if is_linked {
        std::fs::hard_link(session.root.join("counts"), session.root.join("other")).unwrap();
    }
    let mut child = start("count", &session.root).stdout(Stdio::null()).spawn().unwrap();
    std::thread::scope(|scope| {
        for who in ["one", "two", "three"] {
            let root = &session.root;
            scope.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(count(&Session::at(root), who, 40));
            });
        }
    });
    assert!(child.wait().unwrap().success());
    assert_eq!(session.bytes("counts"), b"one=40;\ntwo=40;\nthree=40;\nchild=40;\n");
    let expected: &[&str] = if is_linked { &["counts", "other"] } else { &["counts"] };
    assert_eq!(names(&session.root), expected);
}

#[tokio::test]
async fn sessions_and_processes_at_one_file_lose_no_change() {
    counted(&Session::new(), false).await;
}

#[tokio::test]
async fn sessions_and_processes_at_a_file_with_two_names_lose_no_change() {
    counted(&Session::new(), true).await;
}

#[tokio::test]
async fn a_file_that_was_replaced_between_read_and_edit_is_left_alone() {
    let session = Session::new();
    let path = session.root.join("f");
    type Way = (&'static str, fn(&Path));
    let ways: [Way; 4] = [
        ("changed since it was read", |path| {
            std::fs::write(path.with_file_name("g"), "b\n").unwrap();
            std::fs::rename(path.with_file_name("g"), path).unwrap();
        }),
        ("directory", |path| {
            std::fs::remove_file(path).unwrap();
            std::fs::create_dir(path).unwrap();
        }),
        ("named pipe", |path| {
            std::fs::remove_file(path).unwrap();
            assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        }),
        ("does not exist", |path| std::fs::remove_file(path).unwrap()),
    ];
    for (says, replace) in ways {
        session.write("f", "a\n");
        read(&session, "f").await;
        replace(&path);
        let answer = session.call("Edit", edit("f", "a", "c")).await;
        assert!(answer.is_error && answer.text.contains(says), "{says}: {}", answer.text);
        if path.is_dir() {
            std::fs::remove_dir(&path).unwrap();
        } else {
            drop(std::fs::remove_file(&path));
        }
    }
}

#[test]
fn a_write_that_is_killed_leaves_the_old_content_or_the_new() {
    let session = Session::new();
    session.write("f", "a".repeat(SIZE));
    let mut seen = [0; 2];
    for round in 0..40u64 {
        let mut child =
            start("for ever", &session.root).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Not a wait for something: any moment is as good as another.
        std::thread::sleep(std::time::Duration::from_micros(20_000 + round * 1_733));
        kill(&mut child);
        let bytes = session.bytes("f");
        assert_eq!(bytes.len(), SIZE);
        let first = bytes[0];
        assert!(bytes.iter().all(|byte| *byte == first), "half of each in round {round}");
        seen[usize::from(first == b'b')] += 1;
    }
    assert!(seen[0] > 0 && seen[1] > 0, "nothing was written: {seen:?}");
}

fn kill(child: &mut Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Starts a role under strace with a fault in the `when`th call of each of `calls` that a thread makes.
fn with_fault(session: &Session, calls: &str, fault: &str, when: u32) -> Option<std::process::Output> {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={calls}")]);
    command.args(["-e".to_owned(), format!("inject={calls}:{fault}:when={when}")]);
    command.arg(std::env::current_exe().unwrap());
    configure(&mut command, "once", &session.root);
    command.output().ok()
}

fn can_trace() -> bool {
    let tried = Command::new("strace").args(["-f", "-o", "/dev/null", "true"]).output();
    tried.is_ok_and(|tried| tried.status.success())
}

#[test]
fn a_write_that_is_killed_at_any_call_leaves_the_old_content_or_the_new() {
    if !can_trace() {
        return left_out("strace");
    }
    // The calls that a write is made of, each as often as it is made.
    let calls = [
        ("openat", 5),
        ("write", 3),
        ("fchown", 1),
        ("fchmod", 1),
        ("fsync", 2),
        ("renameat2", 1),
        ("unlinkat", 1),
    ];
    let (mut old, mut new) = (0, 0);
    for is_linked in [false, true] {
        for (call, times) in calls.iter().chain(&[("pwrite64", 1), ("ftruncate", 1), ("fallocate", 1)]) {
            for when in 1..=*times {
                let session = Session::new();
                let before = "o".repeat(SIZE);
                session.write("f", &before);
                if is_linked {
                    std::fs::hard_link(session.root.join("f"), session.root.join("g")).unwrap();
                }
                with_fault(&session, call, "signal=KILL", when).unwrap();
                let bytes = session.bytes("f");
                let after = "new".repeat(SIZE / 3);
                if bytes == before.as_bytes() {
                    old += 1;
                } else if bytes == after.as_bytes() {
                    new += 1;
                } else {
                    // Only a file with several names is written in place: then the copy has the old content.
                    assert!(is_linked, "half of each after {call} {when}");
                    assert_eq!(session.bytes(".f.pegboard-old"), before.as_bytes(), "{call} {when}");
                }
            }
        }
    }
    assert!(old > 0 && new > 0, "{old} old, {new} new");
}

#[test]
fn what_the_system_refuses_leaves_the_file_and_is_said() {
    if !can_trace() {
        return left_out("strace");
    }
    for (calls, fault, says) in [
        ("fsync", "error=EDQUOT", "the disk quota is used up"),
        ("fsync", "error=EIO", "Input/output error"),
        ("fsync", "error=EFBIG", "files of this size are not allowed here"),
        ("fsync", "error=ENOSPC", "no space left on the device"),
        ("renameat2", "error=EROFS", "the file system is read-only"),
        ("renameat2", "error=EPERM", "permission denied"),
    ] {
        let session = Session::new();
        session.write("f", "old");
        let output = with_fault(&session, calls, fault, 1).unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(says) && said.contains("nothing was changed"), "{fault}: {said}");
        assert_eq!(session.bytes("f"), b"old", "{fault}");
        assert_eq!(names(&session.root), ["f"], "{fault}");
    }
    // File systems that cannot exchange names, or where something is mounted on the file.
    for fault in ["error=EINVAL", "error=ENOSYS", "error=EBUSY"] {
        let session = Session::new();
        session.write("f", "old");
        let output = with_fault(&session, "renameat2", fault, 1).unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(session.bytes("f"), "new".repeat(SIZE / 3).as_bytes(), "{fault}: {said}");
        assert_eq!(names(&session.root), ["f"], "{fault}");
    }
}

/// A file system of its own, gone with this value.
struct Mounted(PathBuf);

impl Mounted {
    fn new(at: &Path, options: &str) -> Option<Self> {
        let tried = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at).output();
        let mounted = tried.is_ok_and(|tried| tried.status.success());
        if !mounted {
            left_out("mount");
        }
        mounted.then(|| Self(at.to_path_buf()))
    }

    fn again(&self, options: &str) {
        let status = Command::new("mount").args(["-o", options]).arg(&self.0).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).status());
    }
}

#[tokio::test]
async fn a_full_disk_keeps_the_old_file() {
    let place = tempfile::tempdir().unwrap();
    let Some(_mounted) = Mounted::new(place.path(), "size=512k") else { return };
    let session = Session::at(place.path());
    let text = "x".repeat(200_000);
    session.write("plain", &text);
    session.write("one", "short\n");
    std::fs::hard_link(session.root.join("one"), session.root.join("two")).unwrap();
    know(&session, "plain");
    read(&session, "one").await;
    let large = "y".repeat(400_000);
    for (tool, input) in [
        ("Write", json!({"file_path": "plain", "content": large})),
        ("Write", json!({"file_path": "one", "content": large})),
        ("Edit", edit("one", "short", &large)),
        ("Write", json!({"file_path": "new", "content": large})),
        ("Edit", edit("new", "", &large)),
        ("Write", json!({"file_path": "d/e/new", "content": large})),
    ] {
        let answer = session.call(tool, input).await;
        assert!(answer.is_error && answer.text.contains("no space left on the device"), "{}", answer.text);
        assert!(answer.text.contains("nothing was changed"), "{}", answer.text);
        assert_eq!(
            (session.bytes("plain"), session.bytes("two")),
            (text.clone().into(), b"short\n".to_vec())
        );
        assert_eq!(names(&session.root), ["one", "plain", "two"]);
    }
    // What fits is written still.
    let answer = session.call("Edit", edit("one", "short", "small")).await;
    assert!(!answer.is_error, "{}", answer.text);
}

#[tokio::test]
async fn a_read_only_file_system_is_said() {
    let place = tempfile::tempdir().unwrap();
    let Some(mounted) = Mounted::new(place.path(), "size=512k") else { return };
    let session = Session::at(place.path());
    session.write("f", "a\n");
    session.write("one", "a\n");
    std::fs::hard_link(session.root.join("one"), session.root.join("two")).unwrap();
    for name in ["f", "one"] {
        read(&session, name).await;
    }
    mounted.again("remount,ro");
    for (tool, input) in [
        ("Edit", edit("f", "a", "b")),
        ("Edit", edit("one", "a", "b")),
        ("Write", json!({"file_path": "f", "content": "b\n"})),
        ("Write", json!({"file_path": "new", "content": "b\n"})),
        ("Write", json!({"file_path": "d/new", "content": "b\n"})),
    ] {
        let answer = session.call(tool, input).await;
        assert!(answer.is_error && answer.text.contains("the file system is read-only"), "{}", answer.text);
    }
    assert_eq!((session.bytes("f"), session.bytes("two")), (b"a\n".to_vec(), b"a\n".to_vec()));
}

#[test]
fn what_another_user_owns_is_written_in_place_or_not_at_all() {
    const NOBODY: u32 = 65_534;
    let session = Session::new();
    session.write("f", "old");
    let path = session.root.join("f");
    let set = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    set(&path, 0o666);
    let as_nobody = || {
        let mut command = start("once", &session.root);
        let output = command.uid(NOBODY).gid(NOBODY).env("TMPDIR", "/tmp").output().ok()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        said.contains("answer: ").then_some(said)
    };
    // A folder that takes no new file: nothing could be put beside the old content, so it is not risked.
    set(&session.root, 0o755);
    let Some(said) = as_nobody() else { return left_out("nobody") };
    assert!(said.contains("its folder takes no new file: permission denied"), "{said}");
    assert_eq!(session.bytes("f"), b"old");
    // One that does: the file stays whose it was.
    set(&session.root, 0o777);
    let owner = std::fs::metadata(&path).unwrap().uid();
    let said = as_nobody().unwrap();
    assert_eq!(session.bytes("f"), "new".repeat(SIZE / 3).as_bytes(), "{said}");
    assert_eq!(std::fs::metadata(&path).unwrap().uid(), owner);
    assert_eq!(names(&session.root), ["f"]);
    session.write("f", "old");
    set(&path, 0o644);
    let said = as_nobody().unwrap();
    assert!(said.contains("cannot be written: permission denied"), "{said}");
}

#[tokio::test]
async fn a_lock_of_another_program_does_not_hold_up_a_replacement_but_a_write_in_place() {
    let session = Session::new();
    for name in ["plain", "one"] {
        session.write(name, "a\n");
        read(&session, name).await;
    }
    std::fs::hard_link(session.root.join("one"), session.root.join("two")).unwrap();
    let lock = |name: &str| {
        let file = std::fs::File::open(session.root.join(name)).unwrap();
        file.try_lock().unwrap();
        file
    };
    let _locks = (lock("plain"), lock("one"));
    let answer = session.call("Edit", edit("plain", "a", "b")).await;
    assert!(!answer.is_error, "{}", answer.text);
    let answer = session.call("Edit", edit("one", "a", "b")).await;
    assert!(answer.is_error && answer.text.contains("locked by another program"), "{}", answer.text);
    assert_eq!(session.bytes("two"), b"a\n");
}

#[tokio::test]
async fn a_session_knows_nothing_of_what_another_one_read() {
    let session = Session::new();
    session.write("f", "a\n");
    read(&session, "f").await;
    let other = ToolContext::new(Arc::new(ContextSnapshot::new(&session.root, "other")));
    let answer = session.call_in("Edit", edit("f", "a", "b"), other, |grant| grant).await;
    assert!(answer.is_error && answer.text.contains("has not been read"), "{}", answer.text);
}
