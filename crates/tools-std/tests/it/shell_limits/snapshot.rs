//! The login shell's snapshot against start-up files of all kinds.

use pegboard_tools_std::shell::snapshot::{Snapshot, SnapshotProblem, SnapshotRequest};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A home with start-up files.
struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    fn new(files: &[(&str, &str)]) -> Self {
        let home = Self { dir: tempfile::tempdir().unwrap() };
        for (name, text) in files {
            home.write(name, text);
        }
        home
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.dir.path().join(name), text).unwrap();
    }

    fn folder(&self) -> PathBuf {
        self.dir.path().join("captures")
    }

    fn request(&self) -> SnapshotRequest {
        let env = BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]);
        SnapshotRequest::new(Arc::new(env), self.dir.path())
            .with_folder(self.folder())
            .with_time_limit(Duration::from_secs(30))
    }

    async fn take(&self) -> Result<Snapshot, SnapshotProblem> {
        let request = self.request();
        let taken = Snapshot::take(&request);
        tokio::time::timeout(Duration::from_secs(60), taken).await.expect("it hangs")
    }

    /// How many captures were made.
    fn count(&self) -> usize {
        let count = self.dir.path().join("count");
        std::fs::read_to_string(count).unwrap_or_default().lines().count()
    }
}

/// What a command's shell prints when it starts with the snapshot.
fn run(snapshot: &Snapshot, line: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let start = dir.path().join("start");
    std::fs::write(&start, snapshot.text()).unwrap();
    let mut command = std::process::Command::new("/bin/bash");
    command.args(["--noprofile", "--norc", "-c", line]).env("BASH_ENV", &start);
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text).trim_end().to_owned()
}

#[tokio::test]
async fn aliases_functions_and_options_are_captured() {
    let home = Home::new(&[
        (".bash_profile", "hello() { echo \"hello $1\"; }\nset -o pipefail\n. ~/.bashrc\n"),
        (
            ".bashrc",
            "[ -z \"$PS1\" ] && return\nalias say='echo \"it'\"'\"'s\"'\nalias two='echo 1\necho 2'\n\
             shopt -s dotglob\nshopt -s extglob\nfunction is_c() { [[ $1 == @(c|h) ]] && echo yes; }\n",
        ),
    ]);
    let snapshot = home.take().await.unwrap();
    for (line, expected) in [
        ("say fine", "it's fine"),
        ("hello you", "hello you"),
        ("two", "1\n2"),
        ("false | true || echo failed", "failed"),
        ("is_c c", "yes"),
    ] {
        assert_eq!(run(&snapshot, line), expected, "{line}");
    }
    for name in ["say", "hello", "two", "is_c"] {
        assert!(snapshot.names().contains(name), "{name}");
    }
    assert!(snapshot.left_out().contains("-o dotglob"), "{:?}", snapshot.left_out());
    assert!(snapshot.left_out().contains("-o extglob"), "{:?}", snapshot.left_out());
}

#[tokio::test]
async fn the_file_of_interactive_shells_is_read_where_no_profile_reads_it() {
    let home = Home::new(&[(".bashrc", "alias only=here\n")]);
    assert!(home.take().await.unwrap().names().contains("only"));
}

#[tokio::test]
async fn a_capture_is_kept_until_a_file_changes() {
    let home = Home::new(&[(".bash_profile", "echo x >> ~/count\nalias a=b\n")]);
    let first = home.take().await.unwrap();
    assert_eq!(home.take().await.unwrap(), first);
    assert_eq!(home.count(), 1);
    home.write(".bash_profile", "echo x >> ~/count\nalias longer=b\n");
    assert!(home.take().await.unwrap().names().contains("longer"));
    assert_eq!(home.count(), 2);
    home.write(".bashrc", "");
    home.take().await.unwrap();
    assert_eq!(home.count(), 3);
    // What is damaged is captured anew.
    for entry in std::fs::read_dir(home.folder()).unwrap().flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap();
        std::fs::write(entry.path(), text.replace("alias", "ALIAS")).unwrap();
    }
    assert!(home.take().await.unwrap().text().contains("alias"));
    assert_eq!(home.count(), 4);
}

#[tokio::test]
async fn start_up_files_that_print_or_ask_do_no_harm() {
    for text in [
        "echo loud; echo louder >&2; alias a=b",
        "printf 'f\\0g\\0rm -rf /\\0end\\0\\0\\0'; alias a=b",
        "read -p 'your name? ' name; alias a=b",
        "cat; alias a=b",
        "set -eux; alias a=b",
        "trap 'echo bye' EXIT DEBUG; alias a=b",
        "exec >/dev/null 2>&1 9>&-; alias a=b",
        "builtin() { echo fooled; }; printf() { echo fooled; }; alias a=b",
        "IFS=ab; alias a=b; cd /",
        "sleep 300 & alias a=b",
        "PS1= ; PROMPT_COMMAND='exit 3'; alias a=b",
        "echo 'sleep 300' > ~/.bash_logout; alias a=b",
    ] {
        let home = Home::new(&[(".bash_profile", text)]);
        let snapshot = home.take().await.unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
        assert_eq!(snapshot.names().iter().map(String::as_str).collect::<Vec<_>>(), ["a"], "{text}");
        assert_eq!(run(&snapshot, "true"), "", "{text}");
    }
}

#[tokio::test]
async fn start_up_files_that_never_come_to_an_end_give_no_snapshot() {
    for (text, expected) in [
        ("exit 0", "end the shell"),
        ("exec sh", "end the shell"),
        ("exec sleep 0", "end the shell"),
        ("kill -9 $$", "end the shell"),
        ("if", ""),
    ] {
        let home = Home::new(&[(".bash_profile", text)]);
        let taken = home.take().await;
        if expected.is_empty() {
            // A file with a mistake is skipped by bash, as in the user's own terminal.
            assert!(taken.unwrap().names().is_empty(), "{text}");
        } else {
            let problem = taken.unwrap_err();
            assert!(matches!(problem, SnapshotProblem::Ended), "{text}: {problem:?}");
            assert!(problem.to_string().contains(expected), "{text}: {problem}");
        }
    }
}

#[tokio::test]
async fn start_up_files_that_hang_are_ended() {
    for text in ["sleep 300", "trap '' TERM; while :; do :; done", "setsid sleep 300 & echo $! > ~/id; wait"]
    {
        let home = Home::new(&[(".bash_profile", text)]);
        let request = home.request().with_time_limit(Duration::from_millis(300));
        let taken = tokio::time::timeout(Duration::from_secs(30), Snapshot::take(&request)).await.unwrap();
        assert!(matches!(taken, Err(SnapshotProblem::TooSlow(_))), "{text}: {taken:?}");
        if let Ok(id) = std::fs::read_to_string(home.dir.path().join("id")) {
            assert!(!PathBuf::from(format!("/proc/{}", id.trim())).exists(), "{text}");
        }
    }
}

#[tokio::test]
async fn a_huge_capture_is_refused() {
    let text = "v=$(printf '%*s' 40000 x)\nfor i in {1..100}; do alias \"a$i=$v\"; done\n";
    let problem = Home::new(&[(".bash_profile", text)]).take().await.unwrap_err();
    assert!(matches!(problem, SnapshotProblem::TooLarge), "{problem:?}");
}

#[tokio::test]
async fn hostile_names_are_left_out() {
    let text = "function a/b { echo; }\nfunction 'x;y' { echo; } 2>/dev/null\nalias '%=echo' 2>/dev/null\n\
                cd() { builtin cd \"$@\"; }\neval() { :; }\nalias if=echo\nalias ok=echo\n";
    let snapshot = Home::new(&[(".bashrc", text)]).take().await.unwrap();
    let names: Vec<&str> = snapshot.names().iter().map(String::as_str).collect();
    assert_eq!(names, ["cd", "ok"]);
    for name in ["a/b", "eval", "if", "%"] {
        assert!(snapshot.left_out().contains(name), "{name}: {:?}", snapshot.left_out());
    }
    assert_eq!(run(&snapshot, "if true; then ok fine; fi"), "fine");
}

#[tokio::test]
async fn a_folder_that_others_can_use_is_refused() {
    let home = Home::new(&[(".bashrc", "alias a=b")]);
    std::fs::create_dir(home.folder()).unwrap();
    std::fs::set_permissions(home.folder(), std::fs::Permissions::from_mode(0o777)).unwrap();
    assert!(matches!(home.take().await, Err(SnapshotProblem::NotPrivate(_))));
    std::fs::remove_dir(home.folder()).unwrap();
    std::os::unix::fs::symlink("/tmp", home.folder()).unwrap();
    assert!(matches!(home.take().await, Err(SnapshotProblem::NotPrivate(_))));
    std::fs::remove_file(home.folder()).unwrap();
    home.take().await.unwrap();
    let kept = std::fs::read_dir(home.folder()).unwrap().flatten().next().unwrap().path();
    assert_eq!(std::fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::remove_file(&kept).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &kept).unwrap();
    assert!(matches!(home.take().await, Err(SnapshotProblem::NotPrivate(_))));
}

#[tokio::test]
async fn without_bash_there_is_a_problem_and_no_snapshot() {
    let home = Home::new(&[]);
    let taken = Snapshot::take(&home.request().with_shell("/nowhere/bash")).await;
    assert!(matches!(taken, Err(SnapshotProblem::NoShell)));
}
