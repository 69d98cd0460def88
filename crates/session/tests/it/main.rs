//! Tests of the session folder on a real file system.
#![expect(clippy::unwrap_used, clippy::unreachable, reason = "tests fail by panicking")]

mod conformance;
mod history;
mod journal;
mod journaled;

use pegboard_session::{RESULTS_FOLDER, SessionDir, SessionError};
use pegboard_tool_core::ports::ResultStore;
use proptest::prelude::*;
use std::fs;

#[test]
fn a_result_is_kept_whole_under_its_id() {
    let root = tempfile::tempdir().unwrap();
    let session = SessionDir::create(root.path().join("a/b")).unwrap();
    let results = session.results();
    let stored = results.put("toolu_1", "text\n").unwrap();
    assert_eq!(stored.path, session.path().join(RESULTS_FOLDER).join("toolu_1.txt"));
    assert_eq!((fs::read_to_string(&stored.path).unwrap().as_str(), stored.bytes), ("text\n", 5));
    let again = results.put("toolu_1", "other").unwrap();
    assert_eq!(again.path, results.dir().join("toolu_1.2.txt"));
    assert_eq!(fs::read_to_string(&stored.path).unwrap(), "text\n");
    SessionDir::create(session.path()).unwrap();
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().unwrap();
    let open = root.path().join("s");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
    let session = SessionDir::create(&open).unwrap();
    let stored = session.results().put("a", "x").unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&open), mode(&open.join(RESULTS_FOLDER)), mode(&stored.path)), (0o700, 0o700, 0o600));
}

#[cfg(unix)]
#[test]
fn no_link_is_followed() {
    use std::os::unix::fs::symlink;
    let root = tempfile::tempdir().unwrap();
    let elsewhere = root.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let link = root.path().join("link");
    symlink(&elsewhere, &link).unwrap();
    assert!(matches!(SessionDir::create(&link), Err(SessionError::NotAFolder { .. })));

    let session = SessionDir::create(root.path().join("s")).unwrap();
    symlink(&elsewhere, session.path().join(RESULTS_FOLDER)).unwrap();
    assert!(session.results().put("a", "x").is_err());
    fs::remove_file(session.path().join(RESULTS_FOLDER)).unwrap();
    session.results().put("first", "x").unwrap();
    let target = root.path().join("target");
    symlink(&target, session.results().dir().join("b.txt")).unwrap();
    assert_eq!(session.results().put("b", "x").unwrap().path, session.results().dir().join("b.2.txt"));
    assert!(!target.exists());
    assert!(fs::read_dir(&elsewhere).unwrap().next().is_none());
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    use std::os::unix::fs::symlink;
    let root = tempfile::tempdir().unwrap();
    let session = SessionDir::create(root.path().join("s")).unwrap();
    // A folder that cannot be made: its place is under a device.
    let odd = SessionDir::create(root.path().join("t")).unwrap();
    symlink("/dev/full", odd.path().join(RESULTS_FOLDER)).unwrap();
    assert!(odd.results().put("a", "x").is_err());
    assert!(session.results().put("a", "x").is_ok());
}

#[test]
fn results_of_one_id_that_come_at_once_are_all_kept() {
    let root = tempfile::tempdir().unwrap();
    let session = SessionDir::create(root.path().join("s")).unwrap();
    let texts: Vec<String> = (0..8).map(|number| number.to_string().repeat(10_000)).collect();
    std::thread::scope(|scope| {
        for text in &texts {
            let results = session.results();
            scope.spawn(move || {
                let stored = results.put("toolu_1", text).unwrap();
                assert_eq!(&fs::read_to_string(stored.path).unwrap(), text);
            });
        }
    });
    assert_eq!(fs::read_dir(session.results().dir()).unwrap().count(), texts.len());
}

proptest! {
    #[test]
    fn no_id_leaves_the_folder(id in ".{0,80}") {
        let root = tempfile::tempdir().unwrap();
        let session = SessionDir::create(root.path().join("s")).unwrap();
        let stored = session.results().put(&id, "x").unwrap();
        let results = session.results();
        prop_assert_eq!(stored.path.parent(), Some(results.dir()));
        prop_assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }
}
