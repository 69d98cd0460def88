//! What files held is kept before a tool changes them, and nothing is changed when it cannot be kept.

use crate::harness::Session;
use pegboard_tool_core::ports::{
    CommandAnalyzer, CommandReport, CommandUse, FileAccess, FileHistory, FileUse, Restore, RestoreError,
    ShellStart, StoreError,
};
use pegboard_tools_std::Services;
use serde_json::json;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

#[derive(Debug, Default)]
struct Kept {
    is_full: bool,
    seen: Mutex<Vec<String>>,
}

impl Kept {
    fn note(&self, when: &str, path: &Path) {
        let holds = std::fs::read_to_string(path).unwrap_or_else(|_| "nothing".to_owned());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.seen.lock().unwrap().push(format!("{when} {name}: {holds}"));
    }
}

impl FileHistory for Kept {
    fn before_change(&self, _: &str, path: &Path) -> Result<(), StoreError> {
        if self.is_full {
            return Err(StoreError::new(path.to_path_buf(), io::ErrorKind::StorageFull.into()));
        }
        self.note("before", path);
        Ok(())
    }

    fn after_change(&self, _: &str, path: &Path) -> Result<(), StoreError> {
        self.note("after", path);
        Ok(())
    }

    fn restore(&self, turn: u64, _: Restore) -> Result<Vec<PathBuf>, Vec<RestoreError>> {
        Err(vec![RestoreError::NoSuchTurn { turn }])
    }
}

/// Knows that a line writes `out` and removes `old`, the link `link` and the folder `dir`.
#[derive(Debug)]
struct Known;

impl CommandAnalyzer for Known {
    fn analyze(&self, line: &str, _: &ShellStart) -> Arc<CommandReport> {
        let mut report = CommandReport::default();
        report.commands.push(CommandUse::new(vec![Some("sh".into())], 0, line));
        let mut add = |path: Option<&str>, access, is_deep| {
            let mut file = FileUse::new(path.map(str::to_owned), access, Some(0), 0);
            file.is_deep = is_deep;
            report.files.push(file);
        };
        add(Some("out"), FileAccess::Write, false);
        add(Some("old"), FileAccess::Remove, false);
        add(Some("link"), FileAccess::Remove, false);
        add(Some("dir"), FileAccess::Remove, true);
        add(Some("in"), FileAccess::Read, false);
        add(Some("/dev/null"), FileAccess::Write, false);
        add(None, FileAccess::Write, false);
        Arc::new(report)
    }
}

fn session(is_full: bool) -> (Session, Arc<Kept>) {
    let kept = Arc::new(Kept { is_full, ..Kept::default() });
    let services = Services::new()
        .with_history(Arc::clone(&kept) as Arc<dyn FileHistory>)
        .with_analyzer(Arc::new(Known));
    (Session::with(services), kept)
}

#[tokio::test]
async fn what_a_file_held_is_kept_before_it_changes() {
    let (session, kept) = session(false);
    session.call("Write", json!({"file_path": "new", "content": "1"})).await;
    session.call("Write", json!({"file_path": "new", "content": "2"})).await;
    session.call("Edit", json!({"file_path": "new", "old_string": "2", "new_string": "3"})).await;
    session.call("Edit", json!({"file_path": "other", "old_string": "", "new_string": "x"})).await;
    // What changes nothing is not kept: the same content, and an edit that finds nothing.
    session.call("Write", json!({"file_path": "new", "content": "3"})).await;
    session.call("Edit", json!({"file_path": "new", "old_string": "none", "new_string": "y"})).await;
    assert_eq!(
        *kept.seen.lock().unwrap(),
        [
            "before new: nothing",
            "after new: 1",
            "before new: 1",
            "after new: 2",
            "before new: 2",
            "after new: 3",
            "before other: nothing",
            "after other: x",
        ]
    );
}

#[cfg(unix)]
#[tokio::test]
async fn what_a_command_is_known_to_change_is_kept_too() {
    let (session, kept) = session(false);
    session.write("old", "o");
    session.write("dir/a/b", "b");
    session.write("dir/c", "c");
    std::os::unix::fs::symlink("old", session.root.join("link")).unwrap();
    let answer = session.call("Bash", json!({"command": "echo x > out; rm -r old link dir"})).await;
    assert!(!answer.is_error, "{}", answer.text);
    let seen = kept.seen.lock().unwrap();
    let (before, after): (Vec<_>, Vec<_>) = seen.iter().partition(|line| line.starts_with("before"));
    let mut before = before;
    before.sort();
    assert_eq!(
        before,
        [
            "before a: nothing",
            "before b: b",
            "before c: c",
            "before dir: nothing",
            "before link: o",
            "before old: o",
            "before out: nothing",
        ]
    );
    assert_eq!(after.len(), before.len());
    assert!(after.iter().any(|line| line.trim_end() == "after out: x"), "{after:?}");
}

#[tokio::test]
async fn nothing_changes_when_it_cannot_be_kept() {
    let (session, _) = session(true);
    session.write("out", "as it was");
    for (tool, input) in [
        ("Write", json!({"file_path": "new", "content": "1"})),
        ("Edit", json!({"file_path": "new", "old_string": "", "new_string": "x"})),
        #[cfg(unix)]
        ("Bash", json!({"command": "echo x > out"})),
    ] {
        let answer = session.call(tool, input).await;
        assert!(answer.is_error && answer.text.contains("could not be kept"), "{tool}: {}", answer.text);
    }
    assert_eq!(session.bytes("out"), b"as it was");
    assert!(!session.root.join("new").exists());
}
