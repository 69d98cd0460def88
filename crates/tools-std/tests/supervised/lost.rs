//! Children that left session, group, environment and parents behind, of everything that tools start.

use crate::harness::Session;
use crate::{has, in_runtime, services};
use pegboard_process::Limits;
use pegboard_tool_core::ContextSnapshot;
use pegboard_tools_std::lsp::stop_language_servers;
use pegboard_tools_std::settings::ToolSettings;
use pegboard_tools_std::shell::ShellStartup;
use pegboard_tools_std::shell::snapshot::{Snapshot, SnapshotRequest};
use pegboard_tools_std::terminal::close_all;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{BufRead as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// What starts a child that is then lost.
const KINDS: [&str; 6] = ["repl", "terminal", "lsp", "search", "env-file", "snapshot"];

/// Whether what is started goes on after it lost its child.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Then {
    Ends,
    GoesOn,
}

/// A line of any shell that loses a child; both say who they are.
fn line(dir: &Path, then: Then) -> String {
    let dir = dir.display();
    let rest = if then == Then::GoesOn { "; sleep 300" } else { "" };
    format!(
        "(setsid env -i setsid sh -c 'echo $$ > {dir}/lost; exec sleep 300' &); \
         until [ -s {dir}/lost ]; do :; done; echo $$ > {dir}/owner{rest}"
    )
}

/// A session in `dir` whose host, settings and home lose a child at each turn.
fn session(limits: Limits, dir: &Path, then: Then) -> Session {
    let line = line(dir, then);
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/fake_language_server.py");
    let serve = format!("{}; exec python3 {server} plain {}/log", self::line(dir, Then::Ends), dir.display());
    let settings: ToolSettings = serde_json::from_value(json!({
        "lsp": {"servers": {"fake": {
            "command": "sh", "args": ["-c", serve], "extensions": ["fake"], "rootMarkers": ["fake.toml"],
        }}},
        "web": {"search": {
            "backend": "command", "command": ["sh", "-c", format!("{line}; echo '[]'")], "timeoutSeconds": 100,
        }},
    }))
    .unwrap();
    std::fs::write(dir.join("env"), format!("{line}\nA=from-file\n")).unwrap();
    let vars = BTreeMap::from([("CLAUDE_ENV_FILE".to_owned(), dir.join("env").to_str().unwrap().to_owned())]);
    let startup = ShellStartup::of(&vars).with_limits(limits);
    let mut session = Session::with(services(limits).with_shell(startup).with_settings(settings));
    session.root = dir.to_owned();
    session.snapshot = ContextSnapshot::new(dir, "session");
    session.snapshot.trusted = true;
    session.write("fake.toml", "");
    session.write("a.fake", "one two\n");
    session.env("PATH", &std::env::var("PATH").unwrap())
}

/// Starts it. Gives what it answered, when it comes to that.
async fn start(kind: &str, session: &Session, limits: Limits, then: Then) -> String {
    let dir = &session.root;
    let (tool, input) = match kind {
        "repl" => ("Repl", json!({"language": "bash", "code": line(dir, Then::Ends)})),
        "terminal" => {
            let command = line(dir, Then::GoesOn);
            return session.call("Tungsten", json!({"action": "open", "command": command})).await.text;
        }
        "lsp" => ("LSP", json!({"operation": "hover", "file_path": "a.fake", "line": 1, "symbol": "two"})),
        "search" => ("WebSearch", json!({"query": "q"})),
        "env-file" => ("Bash", json!({"command": "echo $A"})),
        _ => {
            std::fs::write(dir.join(".bashrc"), format!("{}\nalias hi=true\n", line(dir, then))).unwrap();
            let env = BTreeMap::from([("PATH".to_owned(), std::env::var("PATH").unwrap())]);
            let request = SnapshotRequest::new(Arc::new(env), dir).with_folder(dir.join("captures"));
            let taken = Snapshot::take(&request.with_limits(limits)).await;
            return taken.unwrap().text().to_owned();
        }
    };
    let answer = session.call(tool, input).await;
    assert!(!answer.is_error, "{kind}: {}", answer.text);
    answer.text
}

/// The process that wrote this file, once it did.
async fn id(file: &Path) -> u32 {
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if let Some(id) = text.strip_suffix('\n') {
            return id.parse().unwrap();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn lives(id: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

fn is_there(kind: &str) -> bool {
    kind != "lsp" || has("python3")
}

pub(crate) fn nothing_outlives_its_owner() {
    for kind in KINDS.into_iter().filter(|kind| is_there(kind)) {
        let dir = tempfile::tempdir().unwrap();
        in_runtime(async {
            let root = dir.path().canonicalize().unwrap();
            let session = session(Limits::none(), &root, Then::Ends);
            let said = start(kind, &session, Limits::none(), Then::Ends).await;
            let lost = id(&root.join("lost")).await;
            let owned = ["repl", "terminal", "lsp"].contains(&kind);
            assert_eq!(lives(lost), owned, "{kind}");
            match kind {
                "lsp" => stop_language_servers(&session.snapshot.session).await,
                "env-file" => assert_eq!(said, "from-file"),
                "snapshot" => assert!(said.contains("hi"), "{said}"),
                _ => close_all(&session.snapshot.session, None).await,
            }
            assert!(!lives(lost), "{kind}");
        });
    }
}

pub(crate) fn nothing_outlives_a_host_that_is_killed() {
    KINDS.into_iter().filter(|kind| is_there(kind)).for_each(|kind| is_killed_with_its_host(kind, "free"));
}

pub(crate) fn nothing_outlives_a_host_with_limits() {
    KINDS.into_iter().filter(|kind| is_there(kind)).for_each(|kind| is_killed_with_its_host(kind, "limited"));
}

fn is_killed_with_its_host(kind: &str, how: &str) {
    let dir = tempfile::tempdir().unwrap();
    let mut host = Command::new(std::env::current_exe().unwrap());
    host.args(["host", kind, how]).arg(dir.path().canonicalize().unwrap());
    let mut host = host.stdout(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    std::io::BufReader::new(host.stdout.take().unwrap()).read_line(&mut said).unwrap();
    let handles: Vec<OwnedFd> = said.split_whitespace().map(|id| handle(id.parse().unwrap())).collect();
    assert_eq!(handles.len(), 2, "{kind}: {said:?}");
    kill_process(Pid::from_child(&host), Signal::KILL).unwrap();
    host.wait().unwrap();
    for handle in handles {
        let wait = Timespec { tv_sec: 30, tv_nsec: 0 };
        let ended = poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&wait)).unwrap();
        assert_eq!(ended, 1, "{kind}: it lives on");
    }
}

fn handle(id: u32) -> OwnedFd {
    pidfd_open(Pid::from_raw(i32::try_from(id).unwrap()).unwrap(), PidfdFlags::empty()).unwrap()
}

/// Starts it, says who there is, and waits to be killed.
pub(crate) fn be_host(kind: &str, how: &str, dir: &Path) {
    let limits = if how == "limited" { Limits::none().with_processes(Some(200)) } else { Limits::none() };
    in_runtime(async {
        let session = session(limits, dir, Then::GoesOn);
        let works = async {
            start(kind, &session, limits, Then::GoesOn).await;
            std::future::pending::<()>().await;
        };
        let says = async {
            let (lost, owner) = (id(&dir.join("lost")).await, id(&dir.join("owner")).await);
            println!("{lost} {owner}");
            std::io::stdout().flush().unwrap();
        };
        tokio::join!(works, says);
    });
}
