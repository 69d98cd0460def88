//! Files are put back as they were, or not at all.

use pegboard_session::{BackupLimits, FileBackups};
use pegboard_tool_core::ports::{FileHistory, Restore, RestoreError};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

struct World {
    root: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap() }
    }

    fn history(&self) -> FileBackups {
        self.limited(BackupLimits::default())
    }

    fn limited(&self, limits: BackupLimits) -> FileBackups {
        let session = self.root.path().join("session");
        fs::create_dir_all(&session).unwrap();
        FileBackups::open(&session, limits).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn kept(&self) -> usize {
        fs::read_dir(self.path("session/history/objects")).unwrap().count()
    }
}

fn change(history: &FileBackups, path: &Path, to: Option<&str>) {
    history.before_change("toolu_1", path).unwrap();
    match to {
        Some(text) => fs::write(path, text).unwrap(),
        None => fs::remove_file(path).unwrap(),
    }
    history.after_change("toolu_1", path).unwrap();
}

#[test]
fn a_turn_is_put_back_and_the_undo_too() {
    let world = World::new();
    let (old, new, gone) = (world.path("old"), world.path("new"), world.path("gone"));
    fs::write(&old, "1").unwrap();
    fs::write(&gone, "x").unwrap();
    let history = world.history();
    change(&history, &old, Some("2"));
    change(&history, &old, Some("3"));
    change(&history, &new, Some("n"));
    change(&history, &gone, None);
    drop(history);

    let history = world.history();
    assert_eq!(history.last_turn(), Some(1));
    let mut files = history.restore(1, Restore::IfUnchanged).unwrap();
    files.sort();
    assert_eq!(files, [gone.clone(), new.clone(), old.clone()]);
    assert_eq!(fs::read_to_string(&old).unwrap(), "1");
    assert_eq!(fs::read_to_string(&gone).unwrap(), "x");
    assert!(!new.exists());

    let turns = history.turns();
    assert_eq!((turns.len(), turns[0].is_undone, turns[1].undoes), (2, true, Some(1)));
    assert_eq!(history.last_turn(), None);
    history.restore(turns[1].turn, Restore::IfUnchanged).unwrap();
    assert_eq!(fs::read_to_string(&old).unwrap(), "3");
    assert!(new.exists() && !gone.exists());
}

#[test]
fn what_somebody_else_changed_since_stays_unless_forced() {
    let world = World::new();
    let (mine, theirs) = (world.path("mine"), world.path("theirs"));
    fs::write(&mine, "1").unwrap();
    fs::write(&theirs, "1").unwrap();
    let history = world.history();
    change(&history, &mine, Some("2"));
    change(&history, &theirs, Some("2"));
    fs::write(&theirs, "edited by hand").unwrap();
    let problems = history.restore(1, Restore::IfUnchanged).unwrap_err();
    assert!(matches!(&problems[..], [RestoreError::ChangedSince { path }] if *path == theirs));
    assert_eq!(fs::read_to_string(&mine).unwrap(), "2", "nothing is put back when one file refuses");
    history.restore(1, Restore::Forced).unwrap();
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "1");
    // What was overwritten by force is not lost.
    history.restore(2, Restore::IfUnchanged).unwrap();
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "edited by hand");
}

#[test]
fn a_change_that_a_killed_process_left_half_way_needs_force() {
    let world = World::new();
    let file = world.path("f");
    fs::write(&file, "1").unwrap();
    let history = world.history();
    history.before_change("toolu_1", &file).unwrap();
    drop(history);
    let history = world.history();
    history.restore(1, Restore::IfUnchanged).unwrap();
    drop(history);
    fs::write(&file, "2").unwrap();
    let history = world.history();
    assert!(history.restore(1, Restore::IfUnchanged).is_err());
    history.restore(1, Restore::Forced).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "1");
}

#[test]
fn later_turns_come_first() {
    let world = World::new();
    let file = world.path("f");
    let history = world.history();
    change(&history, &file, Some("1"));
    history.next_turn();
    change(&history, &file, Some("2"));
    assert!(history.restore(1, Restore::IfUnchanged).is_err());
    history.restore(2, Restore::IfUnchanged).unwrap();
    history.restore(1, Restore::IfUnchanged).unwrap();
    assert!(!file.exists());
    assert!(matches!(
        &history.restore(99, Restore::IfUnchanged).unwrap_err()[..],
        [RestoreError::NoSuchTurn { turn: 99 }]
    ));
}

#[cfg(unix)]
#[test]
fn modes_links_and_folders_come_back() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let world = World::new();
    let (script, link, folder, inside) =
        (world.path("s"), world.path("l"), world.path("d"), world.path("d/i"));
    fs::write(&script, "#!").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o751)).unwrap();
    symlink("s", &link).unwrap();
    fs::create_dir(&folder).unwrap();
    fs::write(&inside, "i").unwrap();
    let history = world.history();
    for path in [&inside, &folder, &link, &script] {
        history.before_change("toolu_1", path).unwrap();
    }
    fs::remove_dir_all(&folder).unwrap();
    fs::remove_file(&link).unwrap();
    fs::remove_file(&script).unwrap();
    for path in [&inside, &folder, &link, &script] {
        history.after_change("toolu_1", path).unwrap();
    }
    history.restore(1, Restore::IfUnchanged).unwrap();
    assert_eq!(fs::metadata(&script).unwrap().permissions().mode() & 0o7777, 0o751);
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("s"));
    assert_eq!(fs::read_to_string(&inside).unwrap(), "i");
}

#[test]
fn repositories_are_left_to_themselves() {
    let world = World::new();
    let store = world.path(".git");
    fs::create_dir(&store).unwrap();
    let history = world.history();
    change(&history, &store.join("config"), Some("x"));
    assert!(history.turns().is_empty());
}

#[test]
fn what_is_too_large_is_told_and_not_kept() {
    let world = World::new();
    let file = world.path("f");
    fs::write(&file, "0123456789").unwrap();
    let mut limits = BackupLimits::default();
    limits.max_file_bytes = 9;
    let history = world.limited(limits);
    change(&history, &file, Some("2"));
    assert_eq!(world.kept(), 0);
    assert!(matches!(&history.restore(1, Restore::Forced).unwrap_err()[..], [RestoreError::NotKept { .. }]));
    assert_eq!(fs::read_to_string(&file).unwrap(), "2");
}

#[test]
fn equal_contents_are_kept_once_and_old_ones_go() {
    let world = World::new();
    let (a, b) = (world.path("a"), world.path("b"));
    for path in [&a, &b] {
        fs::write(path, "same content").unwrap();
    }
    let history = world.history();
    change(&history, &a, Some("1"));
    change(&history, &b, Some("1"));
    assert_eq!(world.kept(), 1);
    history.next_turn();
    change(&history, &a, Some("22"));
    assert_eq!(world.kept(), 2);
    drop(history);
    let mut limits = BackupLimits::default();
    limits.max_bytes = 5;
    let history = world.limited(limits);
    assert_eq!(history.turns().iter().map(|turn| turn.turn).collect::<Vec<_>>(), [2]);
    assert_eq!((world.kept(), history.turn()), (1, 3));
    drop(history);
    limits.max_age = Duration::ZERO;
    // A change is older than zero once the clock has moved.
    while world.limited(limits).last_turn().is_some() {}
    assert_eq!((world.kept(), world.history().turn()), (0, 3));
}

#[test]
fn two_processes_do_not_share_a_history() {
    let world = World::new();
    let first = world.history();
    assert!(FileBackups::open(&world.path("session"), BackupLimits::default()).is_err());
    drop(first);
}

#[test]
fn the_last_session_of_a_folder_is_found_and_old_histories_go() {
    use pegboard_session::{SessionDir, sessions_in, sweep};
    use std::time::UNIX_EPOCH;
    let root = tempfile::tempdir().unwrap();
    let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
    let file = root.path().join("file");
    for (name, cwd, seconds) in [("1", "/a", 10), ("2", "/b", 20), ("3", "/a", 30)] {
        let session = SessionDir::create(root.path().join("sessions").join(name)).unwrap();
        session.describe(Path::new(cwd), at(seconds)).unwrap();
        session.describe(Path::new("/other"), at(99)).unwrap();
        let history = FileBackups::open(session.path(), BackupLimits::default()).unwrap();
        change(&history, &file, Some(name));
    }
    let sessions = root.path().join("sessions");
    let names = |cwd| -> Vec<String> {
        let found = sessions_in(&sessions, Path::new(cwd));
        found.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(
        (names("/a"), names("/b"), names("/c")),
        (vec!["3".into(), "1".into()], vec!["2".into()], vec![])
    );
    sweep(&sessions, Duration::from_secs(15), at(36));
    let kept = |name: &str| sessions.join(name).join("history").exists();
    assert_eq!((kept("1"), kept("2"), kept("3")), (false, false, true));
    assert_eq!(names("/a").len(), 2);
}

/// Keeps these paths, does `work`, notes how they look.
fn turn(history: &FileBackups, paths: &[&Path], work: impl FnOnce()) {
    paths.iter().for_each(|path| history.before_change("toolu_1", path).unwrap());
    work();
    paths.iter().for_each(|path| history.after_change("toolu_1", path).unwrap());
}

#[test]
fn a_place_that_there_cannot_be_is_no_hindrance() {
    let world = World::new();
    let (f, g, inside) = (world.path("f"), world.path("g"), world.path("g/f"));
    fs::write(&f, "f").unwrap();
    fs::write(&g, "g").unwrap();
    let history = world.history();
    // A copy to `g` may mean `g` or, if that were a folder, `g/f`.
    turn(&history, &[&g, &inside], || fs::write(&g, fs::read(&f).unwrap()).unwrap());
    history.restore(1, Restore::IfUnchanged).unwrap();
    assert_eq!(fs::read_to_string(&g).unwrap(), "g");
}

#[test]
fn a_folder_that_was_made_goes_with_all_that_is_in_it_unless_somebody_worked_in_it() {
    let world = World::new();
    let (d, e) = (world.path("d"), world.path("e"));
    fs::create_dir_all(d.join("in")).unwrap();
    fs::write(d.join("in/x"), "x").unwrap();
    let history = world.history();
    turn(&history, &[&d.join("in/x"), &d.join("in"), &d, &e], || fs::rename(&d, &e).unwrap());
    fs::write(e.join("mine"), "mine").unwrap();
    assert!(history.restore(1, Restore::IfUnchanged).is_err());
    assert!(e.join("in/x").exists() && !d.exists());
    fs::remove_file(e.join("mine")).unwrap();
    history.restore(1, Restore::IfUnchanged).unwrap();
    assert!(!e.exists());
    assert_eq!(fs::read_to_string(d.join("in/x")).unwrap(), "x");
    // Back again, with what was in the folder.
    history.restore(2, Restore::IfUnchanged).unwrap();
    assert_eq!(fs::read_to_string(e.join("in/x")).unwrap(), "x");
}

#[test]
fn an_undo_that_fails_on_the_way_is_taken_back_and_can_be_tried_again() {
    let world = World::new();
    let (a, z) = (world.path("a"), world.path("z"));
    fs::write(&a, "1").unwrap();
    fs::write(&z, "1").unwrap();
    let history = world.history();
    turn(&history, &[&a, &z], || {
        fs::write(&a, "2").unwrap();
        fs::remove_file(&z).unwrap();
    });
    // Something that cannot go stands in the place of a file.
    fs::create_dir(&z).unwrap();
    fs::write(z.join("mine"), "mine").unwrap();
    assert!(history.restore(1, Restore::Forced).is_err());
    assert_eq!(fs::read_to_string(&a).unwrap(), "2");
    assert_eq!(history.last_turn(), Some(1));
    fs::remove_dir_all(&z).unwrap();
    history.restore(1, Restore::IfUnchanged).unwrap();
    assert_eq!(fs::read_to_string(&a).unwrap(), "1");
    assert_eq!(fs::read_to_string(&z).unwrap(), "1");
    assert_eq!(history.last_turn(), None);
}

#[test]
fn a_turn_whose_undo_was_undone_is_the_last_one_again() {
    let world = World::new();
    let file = world.path("f");
    let history = world.history();
    change(&history, &file, Some("1"));
    for _ in 0..3 {
        assert_eq!(history.last_turn(), Some(1));
        history.restore(1, Restore::IfUnchanged).unwrap();
        assert_eq!(history.last_turn(), None);
        let undo = history.turns().last().unwrap().turn;
        history.restore(undo, Restore::IfUnchanged).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "1");
}

#[test]
fn what_is_kept_is_looked_at_before_it_is_used() {
    let world = World::new();
    let file = world.path("f");
    fs::write(&file, "1").unwrap();
    let history = world.history();
    change(&history, &file, Some("2"));
    let object = fs::read_dir(world.path("session/history/objects")).unwrap().next().unwrap().unwrap().path();
    fs::write(object, "evil").unwrap();
    assert!(history.restore(1, Restore::Forced).is_err());
    assert_eq!(fs::read_to_string(&file).unwrap(), "2");
    // Kept again, it is sound again.
    history.next_turn();
    fs::write(&file, "1").unwrap();
    change(&history, &file, Some("3"));
    history.restore(2, Restore::IfUnchanged).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "1");
}

#[cfg(unix)]
#[test]
fn no_link_on_the_way_is_followed_and_other_names_of_a_file_stay_with_it() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    let (folder, file, other) = (world.path("d"), world.path("d/x"), world.path("hard"));
    fs::create_dir(&folder).unwrap();
    fs::write(&file, "1").unwrap();
    fs::hard_link(&file, &other).unwrap();
    let history = world.history();
    change(&history, &file, Some("2"));
    fs::rename(&folder, world.path("d2")).unwrap();
    fs::create_dir(world.path("foreign")).unwrap();
    fs::write(world.path("foreign/x"), "theirs").unwrap();
    symlink("foreign", &folder).unwrap();
    assert!(history.restore(1, Restore::Forced).is_err());
    assert_eq!(fs::read_to_string(world.path("foreign/x")).unwrap(), "theirs");
    fs::remove_file(&folder).unwrap();
    fs::rename(world.path("d2"), &folder).unwrap();
    history.restore(1, Restore::IfUnchanged).unwrap();
    assert_eq!(
        (fs::read_to_string(&file).unwrap(), fs::read_to_string(&other).unwrap()),
        ("1".into(), "1".into())
    );
}

#[test]
fn the_last_turn_is_kept_however_large_it_is() {
    let world = World::new();
    let mut limits = BackupLimits::default();
    limits.max_bytes = 5;
    let (a, b) = (world.path("a"), world.path("b"));
    fs::write(&a, "0123456789").unwrap();
    fs::write(&b, "9876543210").unwrap();
    let history = world.limited(limits);
    change(&history, &a, Some("1"));
    change(&history, &b, Some("1"));
    drop(history);
    let history = world.limited(limits);
    history.restore(1, Restore::IfUnchanged).unwrap();
    assert_eq!(fs::read_to_string(&a).unwrap(), "0123456789");
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text_are_kept_and_put_back() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let (file, link) = (world.root.path().join(OsStr::from_bytes(b"f\xff")), world.path("link"));
    fs::write(&file, "1").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let history = world.history();
    change(&history, &file, Some("2"));
    change(&history, &link, None);
    drop(history);
    world.history().restore(1, Restore::IfUnchanged).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "1");
    assert_eq!(fs::read_link(&link).unwrap(), file);
}

#[test]
fn a_folder_of_somebody_else_is_no_session() {
    use pegboard_session::{SessionDir, SessionError};
    let world = World::new();
    fs::write(world.path("file"), "x").unwrap();
    assert!(matches!(SessionDir::create(world.root.path()), Err(SessionError::NotASession { .. })));
    let empty = world.path("empty");
    fs::create_dir(&empty).unwrap();
    SessionDir::create(&empty).unwrap().describe(Path::new("/w"), std::time::SystemTime::now()).unwrap();
    SessionDir::create(&empty).unwrap();
}
