//! What commands print: in order, complete, bounded, seen while it comes.

use crate::harness::Session;
use pegboard_tool_core::{ContextSnapshot, DynTool, Grant, ProgressSink, ToolContext, dyn_tool};
use pegboard_tools_std::Services;
use pegboard_tools_std::bash::Bash;
use pegboard_tools_std::settings::ToolSettings;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

fn session() -> Session {
    let mut session = Session::new().env("PATH", &std::env::var("PATH").unwrap());
    session.snapshot.session_dir = Some(session.root.join("session"));
    session
}

/// Keeps events.
#[derive(Debug, Default)]
struct Kept(Mutex<Vec<Value>>);

impl ProgressSink for Kept {
    fn progress(&self, event: Value) {
        self.0.lock().unwrap().push(event);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn people_see_a_command_while_it_runs() {
    let session = session();
    std::process::Command::new("mkfifo").arg(session.root.join("go")).status().unwrap();
    let kept = Arc::new(Kept::default());
    let line = "for i in 1 2 3 4 5 6 7; do echo \"line $i\"; done; read x < go; echo end";
    let invocation =
        session.tool("Bash").prepare(Arc::new(json!({"command": line})), &session.ctx()).unwrap();
    let sink: Arc<dyn ProgressSink> = Arc::<Kept>::clone(&kept);
    let call = invocation.call(Grant::default(), session.ctx(), sink);
    let watch = async {
        while !kept.0.lock().unwrap().iter().any(|event| event["bytes"] == 49) {
            tokio::task::yield_now().await;
        }
        std::fs::write(session.root.join("go"), "x\n").unwrap();
    };
    tokio::time::timeout(crate::tasks::LONG, async { tokio::join!(call, watch) }).await.unwrap().0.unwrap();
    let events = kept.0.lock().unwrap();
    assert_eq!(
        events[0],
        json!({"lastLines": ["line 3", "line 4", "line 5", "line 6", "line 7"], "bytes": 49, "seconds": 0})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_settings_bound_what_is_printed() {
    let mut settings = ToolSettings::default();
    settings.shell.max_output_bytes = Some(100_000);
    let mut session = Session::with(Services::new().with_settings(settings));
    session = session.env("PATH", &std::env::var("PATH").unwrap());
    session.snapshot.session_dir = Some(session.root.join("session"));
    let answer = session.call("Bash", json!({"command": "yes pegboard-flood"})).await;
    assert!(
        answer.is_error
            && answer.text.starts_with("The command printed more than 100000 bytes and was killed")
    );
    assert!(!crate::bash::runs("yes pegboard-flood"));
    // Both numbers are those of the file.
    let (_, path) = answer.text.rsplit_once(" are in ").unwrap();
    let length = std::fs::metadata(path.trim_end_matches(']')).unwrap().len();
    assert!(answer.text.contains(&format!("was killed, after {length} bytes\n")), "{:.200}", answer.text);
    assert!(answer.text.contains(&format!("[all {length} bytes of output")), "{length}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_what_is_left_behind_does_not_hold_the_call() {
    let session = session();
    let answer = session.call("Bash", json!({"command": "yes pegboard-left & echo done"})).await;
    assert!(!answer.is_error && !crate::bash::runs("yes pegboard-left"), "{:.300}", answer.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn last_words_of_a_process_substitution_are_heard() {
    let session = session();
    let answer = session.call("Bash", json!({"command": "echo a > >(sed s/a/b/)"})).await;
    assert_eq!(answer.text, "b");
}

#[tokio::test(flavor = "multi_thread")]
async fn output_that_cannot_be_stored_is_told_and_hangs_nothing() {
    let session = session();
    // A file stands where the folder should be.
    std::fs::write(session.root.join("session"), "").unwrap();
    let line = "echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last";
    let answer = session.call("Bash", json!({"command": line})).await;
    assert!(!answer.is_error);
    assert!(answer.text.starts_with("first\nx") && answer.text.contains("x\nlast\n"), "{:.200}", answer.text);
    assert!(answer.text.ends_with("): what is left out is lost]"), "{}", answer.text.lines().last().unwrap());
    assert_eq!(answer.data.get("persistedOutputPath"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_overwritten_is_in_the_file_that_is_named() {
    let session = session();
    session.write("mac.txt", "one\rtwo\rthree");
    for (line, shown, raw, pieces) in [
        ("printf 'one\\rtwo\\rthree\\n'", "three", "one\rtwo\rthree\n", 2),
        ("printf 'hello\\rJ'; exit 3", "Exit code 3\nJello", "hello\rJ", 1),
        ("cat mac.txt", "three", "one\rtwo\rthree", 2),
    ] {
        let answer = session.call("Bash", json!({"command": line})).await;
        let (text, path) = answer.text.rsplit_once(" are in ").unwrap_or_else(|| panic!("{}", answer.text));
        let length = raw.len();
        let expected = format!(
            "{shown}\n[{pieces} pieces of lines were overwritten by what came after a carriage return]\n\
             [all {length} bytes of output"
        );
        assert_eq!(text, expected, "{line}");
        assert_eq!(std::fs::read(path.trim_end_matches(']')).unwrap(), raw.as_bytes());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn people_see_the_end_of_a_long_output() {
    let session = session();
    let tool = session.tool("Bash");
    let invocation = tool.prepare(Arc::new(json!({"command": "seq 1 100"})), &session.ctx()).unwrap();
    assert_eq!(invocation.render_use().as_deref(), Some("seq 1 100"));
    let output = invocation.call(Grant::default(), session.ctx(), Arc::new(())).await.unwrap();
    let seen = tool.render_result(&output.data).unwrap();
    assert!(seen.starts_with("... 80 lines above ...\n81\n") && seen.ends_with("\n100"), "{seen}");
}

/// Runs a script in a session of its own and gives the file of its output, or its text.
fn stored(tool: &Arc<dyn DynTool>, script: &str) -> Vec<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let mut snapshot = ContextSnapshot::new(dir.path(), "session");
    Arc::make_mut(&mut snapshot.env).insert("PATH".into(), std::env::var("PATH").unwrap());
    snapshot.session_dir = Some(dir.path().join("session"));
    let ctx = ToolContext::new(Arc::new(snapshot));
    runtime.block_on(async {
        let invocation = tool.prepare(Arc::new(json!({ "command": script })), &ctx).unwrap();
        let output = invocation.call(Grant::default(), ctx, Arc::new(())).await.unwrap();
        match output.data["persistedOutputPath"].as_str() {
            Some(path) => std::fs::read(path).unwrap(),
            None => output.data["stdout"].as_str().unwrap().as_bytes().to_vec(),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Numbered blocks of random size, each from a writer of its own, to either stream.
    #[test]
    fn output_of_any_size_and_chunking_arrives_complete_and_in_order(
        blocks in proptest::collection::vec((1..60_000usize, any::<bool>()), 1..12),
    ) {
        let tool = dyn_tool(Bash::new(Services::new())).unwrap();
        let (mut script, mut expected) = (String::new(), Vec::new());
        for (number, (size, to_errors)) in blocks.iter().enumerate() {
            let letter = char::from(b'a' + u8::try_from(number).unwrap());
            let redirection = if *to_errors { ">&2" } else { "" };
            writeln!(script, "head -c {size} /dev/zero | tr '\\0' {letter} {redirection}").unwrap();
            expected.extend(std::iter::repeat_n(letter as u8, *size));
        }
        let found = stored(&tool, &script);
        prop_assert_eq!(found.len(), expected.len());
        prop_assert!(found == expected);
    }
}
