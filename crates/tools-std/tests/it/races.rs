//! A link that is swapped between judgement and use: the judged file is used, or none.

use crate::harness::Session;
use pegboard_tools_std::{ReadBeforeEdit, Services};
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Swaps `dir/way` between a folder with the judged file and one with a secret, until told to stop.
fn swap_for_ever(root: &Path, stop: &AtomicBool) {
    let (way, next) = (root.join("way"), root.join("next"));
    let mut is_secret = false;
    while !stop.load(Ordering::Relaxed) {
        is_secret = !is_secret;
        let _ = fs::remove_file(&next);
        symlink(if is_secret { "secret" } else { "open" }, &next).unwrap();
        fs::rename(&next, &way).unwrap();
    }
}

/// Runs `rounds` calls while the link is swapped; says how many succeeded and how many were refused.
fn race(session: &Session, tool: &str, input: impl Fn(usize) -> serde_json::Value) -> (usize, usize) {
    let stop = AtomicBool::new(false);
    let (mut done, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| swap_for_ever(&session.root, &stop));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        // A link that was swapped is refused; one that happens to be back is not. Both happen in enough rounds.
        for round in 0..2_000 {
            let ctx = session.ctx();
            let root = session.root.clone();
            let answer = runtime.block_on(session.call_in(tool, input(round), ctx, move |grant| {
                // Judged as the open file, whatever the link says at this moment.
                let mut paths = grant.paths.to_vec();
                for path in &mut paths {
                    path.canonical = root.join("open/file");
                }
                pegboard_tool_core::Grant::new(paths, Vec::new())
            }));
            assert!(!answer.text.contains("the secret"), "{}", answer.text);
            if answer.is_error { refused += 1 } else { done += 1 }
        }
        stop.store(true, Ordering::Relaxed);
    });
    (done, refused)
}

fn session() -> Session {
    let session = Session::with(Services::new().with_read_before_edit(ReadBeforeEdit::Off));
    session.write("open/file", "the open file");
    session.write("secret/file", "the secret");
    symlink("open", session.root.join("way")).unwrap();
    session
}

#[test]
fn reading_through_a_swapped_link_never_shows_the_other_file() {
    let session = session();
    let (done, refused) = race(&session, "Read", |_| json!({"file_path": "way/file"}));
    assert!(done > 0 && refused > 0, "{done} done, {refused} refused: nothing was raced");
}

#[test]
fn writing_through_a_swapped_link_never_changes_the_other_file() {
    let session = session();
    let (done, refused) = race(
        &session,
        "Write",
        |round| json!({"file_path": "way/file", "content": format!("round {round}")}),
    );
    assert!(done > 0 && refused > 0, "{done} done, {refused} refused: nothing was raced");
    assert_eq!(session.bytes("secret/file"), b"the secret");
}
