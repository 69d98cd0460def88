//! Bash under limits that all commands of a session share. Everything stays within limits that are small.

use crate::harness::{Session, left_out};
use pegboard_process::{Bound, Confinement, Limits};
use pegboard_tools_std::Services;
use pegboard_tools_std::shell::ShellStartup;
use serde_json::json;
use std::collections::BTreeMap;

fn session(limits: Limits) -> Session {
    let startup = ShellStartup::of(&BTreeMap::new()).with_limits(limits);
    Session::with(Services::new().with_shell(startup)).env("PATH", "/usr/bin:/bin")
}

/// Whether control groups can be written here; else the test is skipped.
fn has_groups(limits: Limits) -> bool {
    let report = Confinement::new(limits).report();
    let holds = |bound| matches!(bound, Bound::Off | Bound::CgroupV1 | Bound::CgroupV2);
    if holds(report.memory) && holds(report.processes) {
        return true;
    }
    left_out("cgroups");
    false
}

#[tokio::test]
async fn a_fork_bomb_is_stopped_and_told() {
    let limits = Limits::none().with_processes(Some(60));
    if !has_groups(limits) {
        return;
    }
    let session = session(limits);
    if !std::path::Path::new("/usr/bin/python3").exists() {
        left_out("python3");
        return;
    }
    // Each child leaves session and environment behind. (bash would wait between its tries.)
    let bomb = "/usr/bin/python3 -c '\nimport os\nfor _ in range(10000):\n  try:\n    if os.fork() == 0:\n      \
                os.setsid()\n      os.execve(\"/bin/sleep\", [\"sleep\", \"300\"], {})\n  except OSError:\n    pass\n'";
    let answer = session.call("Bash", json!({"command": bomb, "timeout": 60000})).await;
    assert!(!answer.is_error, "{}", answer.text);
    assert!(answer.text.contains("may have 60 processes and threads together"), "{}", answer.text);
    let answer = session.call("Bash", json!({"command": "echo fine"})).await;
    assert_eq!(answer.text, "fine");
}

#[tokio::test]
async fn a_command_that_wants_too_much_memory_is_killed_and_told() {
    let limits = Limits::none().with_memory(Some(48 << 20));
    if !has_groups(limits) {
        return;
    }
    let session = session(limits);
    let answer =
        session.call("Bash", json!({"command": "head -c 100000000 /dev/zero | tail >/dev/null"})).await;
    assert!(answer.is_error && answer.text.starts_with("Exit code 137 (SIGKILL)"), "{}", answer.text);
    assert!(answer.text.contains("50331648 bytes of memory"), "{}", answer.text);
    let answer = session.call("Bash", json!({"command": "echo fine"})).await;
    assert_eq!(answer.text, "fine");
}

#[tokio::test]
async fn a_background_task_tells_which_limits_were_hit_in_its_time() {
    let limits = Limits::none().with_memory(Some(48 << 20));
    if !has_groups(limits) {
        return;
    }
    let session = session(limits);
    let hog = "head -c 100000000 /dev/zero | tail >/dev/null; until [ -e go ]; do :; done";
    session.call("Bash", json!({"command": hog, "run_in_background": true})).await;
    // While it runs, and after that.
    let told = async {
        loop {
            let answer = session.call("TaskOutput", json!({"task_id": "bash_1", "block": false})).await;
            if answer.text.contains("50331648 bytes of memory") {
                break assert!(answer.text.contains("runs since"), "{}", answer.text);
            }
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), told).await.expect("it is never told");
    session.write("go", "");
    let answer = session.call("TaskOutput", json!({"task_id": "bash_1", "timeout": 60000})).await;
    assert!(answer.text.contains("exited with code 0") && answer.text.contains("50331648 bytes of memory"));
    assert!(answer.data["notices"][0].as_str().unwrap().starts_with("a process was killed"));
    let events = session.snapshot.session.of::<pegboard_tools_std::shell::Tasks>().take_events();
    assert!(events.is_empty(), "TaskOutput told of the end: {events:?}");
    // Each is told of what happened in its own time.
    session.call("Bash", json!({"command": "true", "run_in_background": true})).await;
    let tasks = session.snapshot.session.of::<pegboard_tools_std::shell::Tasks>();
    assert!(tasks.wait("bash_2").await.unwrap().notices.is_empty());
    session.call("Bash", json!({"command": hog, "run_in_background": true})).await;
    assert_eq!(tasks.wait("bash_3").await.unwrap().notices.len(), 1);
    let said: Vec<String> = tasks.take_events().iter().map(|event| event.text()).collect();
    assert!(said.last().unwrap().contains(" [a process was killed: the 50331648 bytes"), "{said:?}");
}

#[tokio::test]
async fn a_line_under_limits_reads_as_one_without() {
    let free = session(Limits::none());
    let bound = session(Limits::none().with_processes(Some(200)).with_memory(Some(1 << 30)));
    for command in ["nosuchcommand", "echo $0 $#", "exit 3", "kill -TERM $$", "echo 'a\"b'; echo \\$x", "if"]
    {
        let (free, bound) = (
            free.call("Bash", json!({"command": command})).await,
            bound.call("Bash", json!({"command": command})).await,
        );
        assert_eq!((free.text, free.is_error), (bound.text, bound.is_error), "{command}");
    }
}
