//! What a journal answers, in this process and in the next.

use pegboard_session::{Durability, FileJournal, JOURNAL_FILE, read_journal};
use pegboard_tool_core::ports::{Finished, Journal, JournalCall, JournalError, JournalRecord, Outcome};
use pegboard_tool_core::{
    Concurrency, ContextChange, ContextSnapshot, ErrorKind, ResultContent, ToolResult, ToolUse,
};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;
use std::time::Duration;

fn edit(id: &str) -> ToolUse {
    ToolUse::new(id, "Edit", json!({"file_path": "/w/a", "n": 1}))
}

fn finished(id: &str) -> Finished {
    let mut result = ToolResult::new(
        id,
        vec![
            ResultContent::Text("é\n\u{0}".into()),
            ResultContent::Image { media_type: "image/png".into(), data: Arc::from("aGk=") },
            ResultContent::Other(json!({"type": "odd"})),
        ],
    );
    result.is_error = true;
    let mut finished =
        Finished::new(result, "Edit", Arc::new(json!({"n": 2})), Outcome::Failed(ErrorKind::Conflict));
    finished.context_change = Some(ContextChange::All(vec![
        ContextChange::Cwd("/w/sub".into()),
        ContextChange::Env(vec![("A".into(), None)]),
    ]));
    finished.messages = vec!["a text".into()];
    finished.stop = Some("why".into());
    finished.duration = Duration::from_micros(1_234);
    finished
}

fn shown(finished: &Finished) -> String {
    format!("{finished:?}")
}

#[test]
fn the_next_process_knows_what_was_begun_and_how_it_ended() {
    for durability in [Durability::Process, Durability::Power] {
        let root = tempfile::tempdir().unwrap();
        let context = ContextSnapshot::new("/w", "s");
        let journal = FileJournal::open(root.path(), durability).unwrap();
        let (done, open, refused) = (edit("done"), edit("open"), edit("refused"));
        journal.intent(JournalCall::new(&done, &context, Concurrency::Exclusive)).unwrap();
        journal
            .outcome(JournalCall::new(&done, &context, Concurrency::Exclusive), &finished("done"))
            .unwrap();
        journal.intent(JournalCall::new(&open, &context, Concurrency::Shared)).unwrap();
        let no = Finished::not_run(&refused, Outcome::Refused, "no");
        journal.outcome(JournalCall::new(&refused, &context, Concurrency::Shared), &no).unwrap();
        assert!(
            journal.intent(JournalCall::new(&open, &context, Concurrency::Shared)).is_err(),
            "begun twice"
        );
        assert!(matches!(FileJournal::open(root.path(), durability), Err(JournalError::InUse { .. })));
        for again in [false, true] {
            let reopened;
            let journal = if again {
                reopened = FileJournal::open(root.path(), durability).unwrap();
                &reopened
            } else {
                &journal
            };
            if again {
                assert_eq!(journal.turn(), 2);
            }
            let recorded = |call: &ToolUse| journal.recorded(call).unwrap();
            assert!(
                matches!(recorded(&done), JournalRecord::Outcome(it) if shown(&it) == shown(&finished("done")))
            );
            assert!(matches!(recorded(&open), JournalRecord::Intent));
            assert!(
                matches!(recorded(&refused), JournalRecord::Outcome(it) if it.outcome == Outcome::Refused)
            );
            assert!(matches!(recorded(&edit("new")), JournalRecord::None));
            for other in [
                ToolUse::new("done", "Write", json!({"file_path": "/w/a", "n": 1})),
                ToolUse::new("done", "Edit", json!({"file_path": "/w/a", "n": 2})),
                ToolUse::unreadable("done", "Edit", "{"),
            ] {
                assert!(
                    matches!(journal.recorded(&other), Err(JournalError::OtherCall { id }) if id == "done")
                );
            }
            if !again {
                // As an ended process leaves it.
                let bytes = fs::read(root.path().join(JOURNAL_FILE)).unwrap();
                fs::remove_file(root.path().join(JOURNAL_FILE)).unwrap();
                fs::write(root.path().join(JOURNAL_FILE), bytes).unwrap();
            }
        }
    }
}

#[test]
fn a_journal_that_keeps_nothing_writes_no_file() {
    let root = tempfile::tempdir().unwrap();
    let context = ContextSnapshot::new("/w", "s");
    let journal = FileJournal::open(root.path(), Durability::None).unwrap();
    let call = edit("a");
    journal.intent(JournalCall::new(&call, &context, Concurrency::Exclusive)).unwrap();
    journal.outcome(JournalCall::new(&call, &context, Concurrency::Exclusive), &finished("a")).unwrap();
    assert!(matches!(journal.recorded(&call), Ok(JournalRecord::Outcome(_))));
    assert!(fs::read_dir(root.path()).unwrap().next().is_none());
}

#[test]
fn a_journal_can_be_read_while_it_is_written() {
    let root = tempfile::tempdir().unwrap();
    let context = ContextSnapshot::new("/w", "s");
    let journal = FileJournal::open(root.path(), Durability::Process).unwrap();
    let (done, open) = (edit("done"), ToolUse::unreadable("open", "Bash", "{"));
    journal.intent(JournalCall::new(&done, &context, Concurrency::Exclusive)).unwrap();
    journal.outcome(JournalCall::new(&done, &context, Concurrency::Exclusive), &finished("done")).unwrap();
    journal.intent(JournalCall::new(&open, &context, Concurrency::Exclusive)).unwrap();
    let calls = read_journal(root.path()).unwrap();
    assert_eq!(calls.len(), 2);
    assert_eq!((calls[0].turn, calls[0].mode.as_str(), calls[0].began), (1, "default", true));
    assert_eq!(calls[0].finished.as_ref().map(shown), Some(shown(&finished("done"))));
    assert!(
        calls[1].finished.is_none()
            && matches!(&calls[1].call.input, pegboard_tool_core::RawInput::Unreadable(_))
    );
}

#[test]
fn lines_of_a_later_version_are_passed_over() {
    let root = tempfile::tempdir().unwrap();
    let context = ContextSnapshot::new("/w", "s");
    let journal = FileJournal::open(root.path(), Durability::Process).unwrap();
    let call = edit("a");
    journal.intent(JournalCall::new(&call, &context, Concurrency::Exclusive)).unwrap();
    drop(journal);
    let text = fs::read_to_string(root.path().join(JOURNAL_FILE)).unwrap();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(matches!(line["record"]["type"].as_str(), Some("turn" | "intent")), "{line}");
    }
    assert!(matches!(
        FileJournal::open(root.path(), Durability::Process).unwrap().recorded(&call),
        Ok(JournalRecord::Intent)
    ));
}
