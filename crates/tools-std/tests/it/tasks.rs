//! Commands that go on after their call, with the real shell.

use crate::harness::Session;
use pegboard_tool_core::ports::{CommandAnalyzer, CommandReport, CommandUse, ShellStart};
use pegboard_tools_std::Services;
use pegboard_tools_std::shell::{TaskEnd, TaskEvent, Tasks};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// Bound against hanging.
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// Knows the program of a line that is one command.
#[derive(Debug)]
struct First;

impl CommandAnalyzer for First {
    fn analyze(&self, line: &str, _start: &ShellStart) -> Arc<CommandReport> {
        let mut report = CommandReport::default();
        let words = line.split_whitespace().map(|word| Some(word.to_owned())).collect();
        report.commands.push(CommandUse::new(words, 0, line));
        Arc::new(report)
    }
}

pub(crate) fn session() -> Session {
    let path = std::env::var("PATH").unwrap();
    let mut session = Session::with(Services::new().with_analyzer(Arc::new(First))).env("PATH", &path);
    session.snapshot.session_dir = Some(session.root.join("session"));
    session
}

pub(crate) fn tasks(session: &Session) -> Arc<Tasks> {
    session.snapshot.session.of::<Tasks>()
}

pub(crate) async fn background(session: &Session, command: &str) -> (String, String) {
    let answer = session.call("Bash", json!({"command": command, "run_in_background": true})).await;
    assert!(!answer.is_error, "{}", answer.text);
    let field = |name: &str| answer.data[name].as_str().unwrap_or_default().to_owned();
    (field("backgroundTaskId"), field("persistedOutputPath"))
}

pub(crate) fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

/// Waits until a file holds a full line, and gives it.
pub(crate) async fn line_of(path: &str) -> String {
    let line = async {
        loop {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            if let Some((line, _)) = text.split_once('\n') {
                return line.to_owned();
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, line).await.expect(path)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_in_the_background_runs_on_and_says_when_it_ends() {
    let session = session();
    let (id, path) = background(&session, "echo begun; read x < fifo; echo $x; exit 3").await;
    assert_eq!(id, "bash_1");
    // There is no fifo, so it fails at once.
    let tasks = tasks(&session);
    let view = tokio::time::timeout(LONG, tasks.wait(&id)).await.unwrap().unwrap();
    assert_eq!(view.end, Some(TaskEnd::Exited { code: Some(3), signal: None }));
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("begun\n"));
    let events = tokio::time::timeout(LONG, tasks.next_events()).await.unwrap();
    let [TaskEvent::Ended(ended)] = &events[..] else { panic!("{events:?}") };
    assert_eq!((ended.id.as_str(), ended.output.as_deref()), ("bash_1", Some(path.as_ref())));
    assert!(events[0].text().contains("exited with code 3"));
    assert!(tasks.take_events().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn at_its_limit_a_command_moves_or_is_killed() {
    let mut session = session();
    let line = "printf early; cd /; while :; do read -t 1 x <> fifo; done";
    std::process::Command::new("mkfifo").arg(session.root.join("fifo")).status().unwrap();
    let input = |command: &str| json!({"command": command, "timeout": 300});
    let answer = session.call("Bash", input(line)).await;
    assert!(!answer.is_error, "{}", answer.text);
    let path = answer.data["persistedOutputPath"].as_str().unwrap();
    assert_eq!(
        answer.text.replace(path, "PATH"),
        "Command did not complete within its 0.3s timeout and was moved to the background with task id bash_1\n\
         Its output goes to PATH\n\
         You are told when it ends. TaskOutput reads its output, TaskStop ends it.\n\
         A `cd` of a command in the background does not carry over to later calls.\n\
         early"
    );
    assert_eq!(answer.data["timedOutAfterMs"], 300);
    assert_eq!(std::fs::read_to_string(path).unwrap(), "early");
    let stopped = tokio::time::timeout(LONG, tasks(&session).stop("bash_1")).await.unwrap().unwrap();
    assert_eq!(stopped.end, Some(TaskEnd::Stopped));

    for command in ["sleep 321", "while :; do read -t 1 x <> fifo; done # git"] {
        let answer = session.call("Bash", input(command)).await;
        assert!(answer.is_error && answer.text.contains("0.3s timeout and was killed"), "{}", answer.text);
    }
    session = session.env("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1");
    let answer = session.call("Bash", input(line)).await;
    assert!(answer.is_error && answer.text.contains("was killed\nearly"), "{}", answer.text);
    let answer = session.call("Bash", json!({"command": line, "run_in_background": true})).await;
    assert!(answer.is_error && answer.text.contains("switched off"), "{}", answer.text);
    assert_eq!(tasks(&session).list().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_end_with_their_session() {
    let session = session();
    let mut pids = Vec::new();
    for command in ["echo $$; exec sleep 322", "trap '' TERM; echo $$; setsid sleep 322; :"] {
        let (_, path) = background(&session, command).await;
        pids.push(line_of(&path).await);
    }
    assert!(pids.iter().all(|pid| lives(pid)));
    drop(session);
    assert!(!pids.iter().any(|pid| lives(pid)));
}

#[test]
fn tasks_end_with_their_runtime() {
    let session = session();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let pid = runtime.block_on(async {
        let (_, path) = background(&session, "echo $$; exec sleep 323").await;
        line_of(&path).await
    });
    assert!(lives(&pid));
    drop(runtime);
    assert!(!lives(&pid));
    assert!(matches!(tasks(&session).list()[0].end, Some(TaskEnd::Lost { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_run_waits_a_little_and_then_ends_the_rest() {
    let session = session();
    let (short, _) = background(&session, "echo short").await;
    let (long, path) = background(&session, "echo $$; exec sleep 324").await;
    let pid = line_of(&path).await;
    let tasks = tasks(&session);
    let stopped = tokio::time::timeout(LONG, tasks.finish(Duration::from_millis(200)));
    let stopped: Vec<String> = stopped.await.unwrap().into_iter().map(|task| task.id).collect();
    assert_eq!(stopped, [long]);
    assert!(!lives(&pid));
    let ended = tasks.view(&short).unwrap().end;
    assert_eq!(ended, Some(TaskEnd::Exited { code: Some(0), signal: None }));
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_of_an_agent_have_a_limited_life_and_end_with_it() {
    let mut session = session().env("CLAUDE_SUBAGENT_BG_SHELL_MAX_MS", "200");
    let (own, _) = background(&session, "sleep 325").await;
    session.snapshot.agent_id = Some("agent".into());
    let (short, _) = background(&session, "sleep 325").await;
    let tasks = tasks(&session);
    let view = tokio::time::timeout(LONG, tasks.wait(&short)).await.unwrap().unwrap();
    assert_eq!(view.end, Some(TaskEnd::TimedOut));
    session = session.env("CLAUDE_SUBAGENT_BG_SHELL_MAX_MS", "0");
    let (long, _) = background(&session, "sleep 325").await;
    let stopped = tokio::time::timeout(LONG, tasks.stop_of_agent("agent")).await.unwrap();
    assert_eq!(stopped.iter().map(|task| &task.id).collect::<Vec<_>>(), [&long]);
    assert!(tasks.view(&own).unwrap().end.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_foreground_output_keeps_growing_in_the_background() {
    let session = session();
    let command = "head -c 400000 /dev/zero | tr '\\0' x; read y < go; echo $y";
    std::process::Command::new("mkfifo").arg(session.root.join("go")).status().unwrap();
    let answer = session.call("Bash", json!({"command": command, "timeout": 1000})).await;
    assert!(!answer.is_error, "{}", answer.text);
    let path = answer.data["persistedOutputPath"].as_str().unwrap().to_owned();
    assert!(answer.text.len() < 10_000 && answer.text.contains("left out here"));
    std::fs::write(session.root.join("go"), "more\n").unwrap();
    let id = answer.data["backgroundTaskId"].as_str().unwrap();
    tokio::time::timeout(LONG, tasks(&session).wait(id)).await.unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.len() == 400_005 && text.ends_with("xmore\n"));
    assert_eq!(answer.data["stderr"].as_str().map(|text| text.contains("cd")), Some(false));
}
