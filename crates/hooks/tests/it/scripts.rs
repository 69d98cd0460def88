//! Scripts of every kind, good and bad, in the languages that users write them in: `data/scripts`.

use crate::support::{Place, Seen, hooks, lives, read_fifo};
use pegboard_test_support::left_out;
use pegboard_tool_core::ToolContext;
use pegboard_tool_core::ports::{HookCall, HookDecision, HookReportOutcome, HookRunner as _, PreOutcome};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The program for a script's ending, where this machine has it.
fn interpreter(script: &str) -> Option<PathBuf> {
    let name = match script.rsplit_once('.')?.1 {
        "sh" => "sh",
        "py" => "python3",
        "js" => "node",
        _ => return None,
    };
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        left_out(name, &std::env::var("PEGBOARD_REQUIRE_TOOLS").unwrap_or_default());
    }
    found
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scripts")
}

/// A handler of this script; `None` when its language is missing here, which was said.
fn handler(script: &str, args: &[&str], timeout: f64) -> Option<Value> {
    let program = interpreter(script)?;
    let script = folder().join(script);
    let args: Vec<&str> = [script.to_str().unwrap()].into_iter().chain(args.iter().copied()).collect();
    Some(json!({"type": "command", "command": program, "args": args, "timeout": timeout}))
}

fn place() -> (Place, ToolContext) {
    let place = Place::new();
    let mut snapshot = place.snapshot();
    let env = Arc::make_mut(&mut snapshot.env);
    // Installed languages may be found by a shim that needs these.
    for name in ["PATH", "HOME", "PYENV_ROOT"] {
        if let Ok(value) = std::env::var(name) {
            env.insert(name.to_owned(), value);
        }
    }
    let ctx = ToolContext::new(Arc::new(snapshot));
    (place, ctx)
}

async fn pre(handler: Value, command: &str, ctx: &ToolContext) -> PreOutcome {
    let input = json!({"command": command, "padding": "p".repeat(200_000)});
    let config = json!({"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]});
    hooks(config).pre(&HookCall::new("Bash", &[], "toolu_1", &input, ctx)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_scripts_answer_is_read_whatever_way_they_write_it() {
    use HookReportOutcome::{Answered, Killed, NotUnderstood};
    for (script, outcome, decision, reason) in [
        ("prints_10mb.sh", NotUnderstood, Some(HookDecision::Deny), Some("after 10 MB")),
        ("prints_10mb.py", NotUnderstood, Some(HookDecision::Deny), Some("after 10 MB")),
        ("prints_10mb.js", NotUnderstood, Some(HookDecision::Deny), Some("after 10 MB")),
        ("invalid_utf8.sh", Answered, None, None),
        ("invalid_utf8_inside.py", Answered, Some(HookDecision::Deny), Some("bad \u{fffd} byte")),
        ("by_signal.sh", Killed, None, None),
        ("by_signal.py", Killed, None, None),
        ("by_signal.js", Killed, None, None),
        ("pieces.sh", Answered, Some(HookDecision::Deny), Some("in pieces")),
        ("pieces.py", Answered, Some(HookDecision::Deny), Some("in pieces")),
        ("pieces.js", Answered, Some(HookDecision::Deny), Some("in pieces")),
        ("logs_around.sh", NotUnderstood, Some(HookDecision::Deny), Some("between logs")),
        ("guards.js", Answered, Some(HookDecision::Deny), Some("not here: rm -rf build")),
    ] {
        let (_place, ctx) = place();
        let Some(handler) = handler(script, &[], 60.0) else { continue };
        let said = pre(handler, "rm -rf build", &ctx).await;
        let report = &said.reports[0];
        assert_eq!((report.outcome, said.decision), (outcome, decision), "{script}: {:?}", report.notice);
        assert_eq!(said.reason.as_deref(), reason, "{script}");
        let failed = outcome != Answered;
        assert_eq!(report.notice.is_some(), failed, "{script}: {:?}", report.notice);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_may_rewrite_a_call() {
    let (_place, ctx) = place();
    let Some(handler) = handler("rewrites.py", &[], 60.0) else { return };
    let said = pre(handler, "npm publish", &ctx).await;
    assert_eq!(said.decision, Some(HookDecision::Allow));
    assert_eq!(*said.updated_input.unwrap(), json!({"command": "npm publish --dry-run"}));
    assert_eq!(said.additional_context, ["hooks add --dry-run here"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_that_do_not_end_are_ended_with_all_that_they_started() {
    for script in [
        "sleeps.sh",
        "sleeps.py",
        "sleeps.js",
        "traps_term.sh",
        "traps_term.py",
        "traps_term.js",
        "leaves_grandchild.py",
    ] {
        let (place, ctx) = place();
        let fifo = place.fifo("ids");
        let ctx = ctx.with_cancel(pegboard_tool_core::CancellationToken::new());
        // The limit is far away: the test ends the script as soon as it says who it is, by cancelling.
        let Some(handler) = handler(script, &[fifo.to_str().unwrap()], 600.0) else { continue };
        let ids = async {
            let ids = read_fifo(fifo).await;
            ctx.cancel.cancel();
            ids
        };
        let (said, ids) = tokio::join!(pre(handler, "ls", &ctx), ids);
        assert_eq!(said.reports[0].outcome, HookReportOutcome::Cancelled, "{script}");
        assert!(!ids.trim().is_empty() && !ids.split_whitespace().any(lives), "{script}: {ids}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_time_limit_ends_scripts_that_ignore_the_polite_signal() {
    for script in ["sleeps.py", "traps_term.sh", "traps_term.py", "traps_term.js", "leaves_grandchild.py"] {
        let (place, ctx) = place();
        let fifo = place.fifo("ids");
        // Long enough for any interpreter to start; it says who it is before the limit.
        let Some(handler) = handler(script, &[fifo.to_str().unwrap()], 3.0) else { continue };
        let seen = async { read_fifo(fifo).await.split_whitespace().map(Seen::new).collect::<Vec<_>>() };
        let (said, seen) = tokio::join!(pre(handler, "ls", &ctx), seen);
        assert_eq!(said.reports[0].outcome, HookReportOutcome::TimedOut, "{script}");
        assert_eq!(said.decision, None, "{script}");
        assert!(!seen.is_empty() && !seen.iter().any(Seen::lives), "{script}: {seen:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_that_holds_stdout_does_not_hold_the_answer() {
    for (script, reason) in [
        ("holds_stdout.sh", "no from sh"),
        ("holds_stdout.py", "no from python"),
        ("holds_stdout.js", "no from node"),
    ] {
        let (place, ctx) = place();
        let fifo = place.fifo("id");
        place.fifo("id.up");
        let Some(handler) = handler(script, &[fifo.to_str().unwrap()], 600.0) else { continue };
        let (said, id) = tokio::join!(pre(handler, "ls", &ctx), read_fifo(fifo));
        assert_eq!(said.reason.as_deref(), Some(reason), "{script}");
        // It left the group on purpose and its hook was not killed: it stays.
        assert!(lives(&id), "{script}");
        std::process::Command::new("kill").args(["-9", id.trim()]).status().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_handlers_run_at_once_and_merge_in_order() {
    const MANY: usize = 100;
    let place = Place::new();
    let (arrived, go) = (place.fifo("arrived"), place.fifo("go"));
    // Each says that it is there and then waits for a word that comes when all are: one after another they would
    // wait for ever.
    let commands: Vec<Value> = (0..MANY)
        .map(|number| {
            let command = format!(
                "cat >/dev/null; echo {number} > {}; read -r word < {}; echo '{{\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",\"additionalContext\":\"{number}\",\"updatedInput\":{{\"n\":{number}}}}}}}'",
                arrived.display(),
                go.display(),
            );
            json!({"type": "command", "command": command})
        })
        .collect();
    let config = json!({"PreToolUse": [{"hooks": commands}]});
    let barrier = tokio::task::spawn_blocking(move || {
        use std::io::{BufRead as _, Write as _};
        let open = |path: &Path| {
            // Both ends, so that the pipe stays while writers come and go.
            std::fs::OpenOptions::new().read(true).write(true).open(path).unwrap()
        };
        let mut lines = std::io::BufReader::new(open(&arrived)).lines();
        let mut seen: Vec<usize> =
            (0..MANY).map(|_| lines.next().unwrap().unwrap().parse().unwrap()).collect();
        seen.sort_unstable();
        let mut go = open(&go);
        // A shell reads its line byte by byte, so one word each is enough. The pipe must outlive the readers.
        for _ in 0..MANY {
            go.write_all(b"go\n").unwrap();
        }
        (seen, go)
    });
    let (input, ctx) = (json!({}), place.ctx());
    let hooks = hooks(config);
    let call = HookCall::new("Bash", &[], "t", &input, &ctx);
    let said = tokio::time::timeout(Duration::from_secs(300), hooks.pre(&call)).await.unwrap();
    let (seen, _go) = barrier.await.unwrap();
    let all: Vec<usize> = (0..MANY).collect();
    assert_eq!(seen, all);
    let order: Vec<String> = all.iter().map(ToString::to_string).collect();
    assert_eq!(said.additional_context, order);
    assert_eq!(*said.updated_input.unwrap(), json!({"n": MANY - 1}));
    assert_eq!(said.reports.len(), MANY);
}

/// Most memory of this process so far, in kilobytes.
fn peak_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
#[cfg(target_os = "linux")]
async fn memory_stays_bounded_however_much_handlers_write() {
    let place = Place::new();
    let ctx = place.ctx();
    // 20 handlers of 100 MB each: 2 GB in all, of which the start of each is kept.
    let commands: Vec<Value> = (0..20)
        .map(|number| json!({"type": "command", "command": format!("head -c 100000000 /dev/zero; exit 0 #{number}")}))
        .collect();
    let input = json!({});
    let before = peak_kilobytes();
    let said = hooks(json!({"PreToolUse": [{"hooks": commands}]}))
        .pre(&HookCall::new("Bash", &[], "t", &input, &ctx))
        .await;
    assert_eq!(said.reports.len(), 20);
    // Answers that never end are bounded too, and refuse.
    let commands: Vec<Value> = (0..8)
        .map(|number| json!({"type": "command", "command": format!("printf '{{\"a\":\"'; head -c 100000000 /dev/zero | tr '\\0' a #{number}")}))
        .collect();
    let said = hooks(json!({"PreToolUse": [{"hooks": commands}]}))
        .pre(&HookCall::new("Bash", &[], "t", &input, &ctx))
        .await;
    assert_eq!(said.decision, Some(HookDecision::Deny));
    assert!(said.reason.unwrap().contains("too long to read"));
    let grown = peak_kilobytes().saturating_sub(before);
    assert!(grown < 800_000, "{grown} kB");
}
