//! Folders that a new file needs: made with it, and gone again when the file does not come.

use crate::harness::Session;
use pegboard_tool_core::ports::{FileHistory, Restore, RestoreError, StoreError};
use pegboard_tools_std::Services;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn write(path: &str) -> Value {
    json!({"file_path": path, "content": "x\n"})
}

fn edit(path: &str) -> Value {
    json!({"file_path": path, "old_string": "", "new_string": "x\n"})
}

/// Keeps nothing.
#[derive(Debug)]
struct NoRoom;

impl FileHistory for NoRoom {
    fn before_change(&self, _tool_use_id: &str, path: &Path) -> Result<(), StoreError> {
        Err(StoreError::new(path.to_path_buf(), std::io::ErrorKind::StorageFull.into()))
    }

    fn after_change(&self, _tool_use_id: &str, _path: &Path) -> Result<(), StoreError> {
        Ok(())
    }

    fn restore(&self, _turn: u64, _restore: Restore) -> Result<Vec<PathBuf>, Vec<RestoreError>> {
        Ok(Vec::new())
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_made_leaves_no_folder() {
    let session = Session::new();
    session.write("there/f", "f");
    let long = "n".repeat(256);
    for path in [
        format!("new/a/b/{long}"),
        format!("there/a/{long}"),
        format!("new/{long}/f"),
        "there/f/a/g".to_owned(),
    ] {
        for (tool, input) in [("Write", write(&path)), ("Edit", edit(&path))] {
            let answer = session.call(tool, input).await;
            assert!(answer.is_error, "{path}: {}", answer.text);
            assert!(!session.root.join("new").exists() && !session.root.join("there/a").exists(), "{path}");
        }
    }
    let answer = session.call("Write", write(&format!("new/a/{long}"))).await;
    assert!(answer.text.contains("the name is too long; nothing was changed"), "{}", answer.text);
    // A folder that was there stays, also an empty one.
    std::fs::create_dir(session.root.join("empty")).unwrap();
    assert!(session.call("Write", write(&format!("empty/a/{long}"))).await.is_error);
    assert!(session.root.join("empty").is_dir() && !session.root.join("empty/a").exists());
    assert!(!session.call("Write", write("new/a/b/f")).await.is_error);
    assert_eq!(session.bytes("new/a/b/f"), b"x\n");
}

#[tokio::test]
async fn a_cancelled_or_refused_write_makes_no_folder() {
    let session = Session::new();
    for (tool, input) in [("Write", write("new/f")), ("Edit", edit("new/f"))] {
        assert!(session.call_cancelled(tool, input).await.is_error);
    }
    let other = Session::with(Services::new().with_history(Arc::new(NoRoom)));
    assert!(other.call("Write", write("new/f")).await.is_error);
    for root in [&session.root, &other.root] {
        assert!(!root.join("new").exists());
    }
}

#[test]
fn writes_that_fail_beside_others_take_nothing_away_from_them() {
    let session = Session::new();
    let (long, root) = ("n".repeat(256), &session.root);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let long = &long;
            scope.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                let own = Session::at(root);
                for round in 0..100 {
                    let (path, fails) = match thread % 2 {
                        0 => (format!("{round}/new/{long}"), true),
                        _ => (format!("{round}/new/{thread}"), false),
                    };
                    let answer = runtime.block_on(own.call("Write", write(&path)));
                    assert_eq!(answer.is_error, fails, "{path}: {}", answer.text);
                }
            });
        }
    });
    for round in 0..100 {
        let names: Vec<_> = std::fs::read_dir(root.join(format!("{round}/new"))).unwrap().collect();
        assert_eq!(names.len(), 2, "{round}: {names:?}");
    }
}

#[tokio::test]
async fn a_path_that_ends_like_a_folder_makes_no_file() {
    let session = Session::new();
    session.write("there/f", "f");
    for path in ["new/", "new/a/", "new/.", "there/..", "there/f/"] {
        for (tool, input) in [("Write", write(path)), ("Edit", edit(path))] {
            let answer = session.call(tool, input).await;
            assert!(answer.is_error && answer.text.contains("names a folder"), "{path}: {}", answer.text);
        }
        assert!(!session.root.join("new").exists(), "{path}");
    }
}
