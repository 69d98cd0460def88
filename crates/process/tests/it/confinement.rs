//! Commands that want more than they may have. Everything in here stays within limits that are small.

use super::lives;
use pegboard_process::{Bound, Confinement, Finding, Limits, Reach};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};

const PATH: &str = "/usr/bin:/bin";

/// Runs a bash line and gives what it printed and how it ended; its tree is ended too.
async fn run(confinement: &Confinement, program: &str, args: &[&str]) -> (String, std::process::ExitStatus) {
    let mut confined = confinement.command(Path::new(program)).unwrap();
    let command = confined.command();
    command.args(args).env_clear().env("PATH", PATH);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (mut child, tree) = confined.start().unwrap();
    let (mut stdout, mut stderr) = (child.stdout().take().unwrap(), child.stderr().take().unwrap());
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let work = async {
        let ended = async {
            let status = child.wait().await.unwrap();
            assert_eq!(tree.end(Reach::Everything, Duration::ZERO).await, 0);
            status
        };
        tokio::join!(ended, stdout.read_to_end(&mut out), stderr.read_to_end(&mut err)).0
    };
    let status = tokio::time::timeout(Duration::from_secs(60), work).await.expect("it hangs");
    out.extend(err);
    (String::from_utf8_lossy(&out).into_owned(), status)
}

/// Says that a test is left out because `what` is missing here. `PEGBOARD_REQUIRE_TOOLS` names what must not be
/// missing, with blanks between, such as `pdftoppm git`; `all` is everything.
fn left_out(what: &str) {
    pegboard_test_support::left_out(what, &std::env::var("PEGBOARD_REQUIRE_TOOLS").unwrap_or_default());
}

/// Skips where the system has no control group that can be written.
fn in_groups(limits: Limits, needs: fn(&Confinement) -> Bound) -> Option<Confinement> {
    let confinement = Confinement::new(limits);
    if matches!(needs(&confinement), Bound::CgroupV1 | Bound::CgroupV2) {
        return Some(confinement);
    }
    left_out("cgroups");
    None
}

#[tokio::test]
async fn ten_thousand_processes_stay_within_the_limit_and_end() {
    let limits = Limits::none().with_processes(Some(100));
    let Some(confinement) = in_groups(limits, |confinement| confinement.report().processes) else { return };
    // Each child leaves session and environment behind.
    let python = "import os\nstarted = refused = 0\nfor _ in range(10000):\n  try:\n    child = os.fork()\n  except \
                  OSError:\n    refused += 1\n    continue\n  if child == 0:\n    os.setsid()\n    \
                  os.execve('/bin/sleep', ['sleep', '300'], {})\n  started += 1\nprint(started, refused)";
    if !Path::new("/usr/bin/python3").exists() {
        return left_out("python3");
    }
    let (text, status) = run(&confinement, "/usr/bin/python3", &["-c", python]).await;
    assert!(status.success(), "{text}");
    let numbers: Vec<u64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    assert!(matches!(*numbers, [started, refused] if started < 100 && started + refused == 10_000), "{text}");
    assert!(confinement.hits().processes > 0);
    // And another command finds room again.
    assert_eq!(run(&confinement, "/bin/sh", &["-c", "echo fine"]).await.0, "fine\n");
}

#[tokio::test]
async fn a_bomb_without_end_is_ended() {
    let limits = Limits::none().with_processes(Some(50));
    let Some(confinement) = in_groups(limits, |confinement| confinement.report().processes) else { return };
    let mut confined = confinement.command(Path::new("/bin/bash")).unwrap();
    let command = confined.command();
    command.args(["-c", "echo started; b() { b | b & }; while :; do b; done"]);
    command.env_clear().env("PATH", PATH);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let (mut child, tree) = confined.start().unwrap();
    let mut lines = BufReader::new(child.stdout().take().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "started");
    while confinement.hits().processes == 0 {
        tokio::task::yield_now().await;
    }
    let ended = tokio::time::timeout(Duration::from_secs(60), tree.end(Reach::Everything, Duration::ZERO));
    assert_eq!(ended.await.unwrap(), 0);
    child.wait().await.unwrap();
}

#[tokio::test]
async fn memory_is_counted_for_all_processes_together() {
    let limits = Limits::none().with_memory(Some(48 << 20));
    let Some(confinement) = in_groups(limits, |confinement| confinement.report().memory) else { return };
    // `tail` keeps a line without an end; each of the four shells would fit alone.
    let hungry =
        "for i in 1 2 3 4; do { v=$(head -c 15000000 /dev/zero | tr '\\0' x); sleep 1; } & done; wait";
    let alone = "head -c 20000000 /dev/zero | tail | wc -c";
    assert_eq!(run(&confinement, "/bin/bash", &["-c", alone]).await.0, "20000000\n");
    assert_eq!(confinement.hits().memory, 0);
    let one = "head -c 100000000 /dev/zero | tail | wc -c; echo ${PIPESTATUS[1]}";
    let (text, _) = run(&confinement, "/bin/bash", &["-c", one]).await;
    assert!(text.ends_with("137\n"), "{text}");
    assert!(confinement.hits().memory > 0);
    let before = confinement.hits().memory;
    let (text, _) = run(&confinement, "/bin/bash", &["-c", hungry]).await;
    assert!(confinement.hits().memory > before, "{text}");
}

#[tokio::test]
async fn nothing_leaves_a_control_group() {
    let limits = Limits::none().with_processes(Some(200));
    let Some(confinement) = in_groups(limits, |confinement| confinement.report().processes) else { return };
    assert!(matches!(confinement.report().finding, Finding::CgroupV1 | Finding::CgroupV2));
    // Twice removed, in a session of its own, with an empty environment, its parents gone.
    let script = "(setsid env -i setsid sh -c 'echo $$; exec sleep 300' &); exec sleep 300";
    let mut confined = confinement.command(Path::new("/bin/bash")).unwrap();
    let command = confined.command();
    command.args(["-c", script]).env_clear().env("PATH", PATH);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let (mut child, tree) = confined.start().unwrap();
    let mut lines = BufReader::new(child.stdout().take().unwrap()).lines();
    let id: u32 = lines.next_line().await.unwrap().unwrap().parse().unwrap();
    assert!(lives(id));
    assert_eq!(tree.end(Reach::Everything, Duration::from_millis(20)).await, 0);
    child.wait().await.unwrap();
    assert!(!lives(id));
}

#[tokio::test]
async fn without_groups_each_process_has_the_limit_of_memory() {
    let confinement = Confinement::without_groups(Limits::none().with_memory(Some(32 << 20)));
    assert!(confinement.report().is_weaker_than_asked());
    let line = "head -c 100000000 /dev/zero | tail | wc -c; echo ${PIPESTATUS[1]}";
    let (text, _) = run(&confinement, "/bin/bash", &["-c", line]).await;
    assert!(text.contains("exhausted") && text.contains("0\n1\n"), "{text}");
    // Another process is not held back by it.
    let line = "head -c 20000000 /dev/zero | tail | wc -c & head -c 20000000 /dev/zero | tail | wc -c; wait";
    assert_eq!(run(&confinement, "/bin/bash", &["-c", line]).await.0, "20000000\n20000000\n");
}

#[tokio::test]
async fn without_groups_the_processes_of_the_user_are_counted() {
    if !rustix::process::getuid().is_root() || !Path::new("/usr/bin/setpriv").exists() {
        return left_out("setpriv");
    }
    let confinement = Confinement::without_groups(Limits::none().with_processes(Some(20)));
    // The limit holds for a user other than root; the count of root's processes is added to it.
    let line = "ulimit -u; (for i in 1 2 3; do sleep 0 & done; wait)";
    let args = ["--reuid=65534", "--regid=65534", "--clear-groups", "/bin/bash", "-c", line];
    let (text, status) = run(&confinement, "/usr/bin/setpriv", &args).await;
    let most: u64 = text.trim().parse().unwrap_or_else(|_| panic!("{text}"));
    assert!((20..20_000).contains(&most), "{most}");
    assert!(status.success());
}

#[tokio::test]
async fn a_limit_that_cannot_be_set_runs_nothing() {
    let confinement = Confinement::without_groups(Limits::none().with_memory(Some(u64::MAX)));
    let mut confined = confinement.command(Path::new("/bin/sh")).unwrap();
    confined.arg("-c").arg("echo ran");
    drop(confined);
    let (text, status) = run(&confinement, "/bin/sh", &["-c", "echo ran"]).await;
    // Either the shell takes the number as it is, or it says that it cannot and runs nothing.
    assert!(text == "ran\n" && status.success() || status.code() == Some(126), "{text}");
}

#[tokio::test]
async fn a_program_that_is_missing_is_an_error_of_the_start() {
    let confinement = Confinement::new(Limits::none().with_processes(Some(50)));
    let error = confinement.command(Path::new("/nowhere/bash")).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn what_holds_is_said_in_words() {
    let none = Confinement::new(Limits::none()).report();
    insta::assert_snapshot!(none, @r"
    memory: no limit
    processes: no limit
    killed at the end: by group, session, environment and parents: not a process that left all four behind
    when the host itself is killed: commands that run live on
    ");
    let limits = Limits::none().with_memory(Some(1 << 30)).with_processes(Some(100));
    insta::assert_snapshot!(Confinement::without_groups(limits).report(), @r"
    memory: held for each process by itself only (no writable control group): several processes may use more together
    processes: held by counting every process of the user (no writable control group): other programs of the user count too
    killed at the end: by group, session, environment and parents: not a process that left all four behind
    when the host itself is killed: commands that run live on
    ");
}
