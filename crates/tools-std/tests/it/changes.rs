//! Write and Edit (C-T-06, C-T-12 to C-T-17), and who else is at the file.

use crate::harness::Session;
use pegboard_tool_core::Grant;
use pegboard_tools_std::{ReadBeforeEdit, ReadLedger, Services};
use serde_json::{Value, json};
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::time::{Duration, SystemTime};

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"file_path": path, "old_string": old, "new_string": new})
}

#[tokio::test]
async fn c_t_06_the_second_edit_sees_the_first() {
    let session = Session::new();
    session.write("f", "a\n");
    session.call("Read", json!({"file_path": "f"})).await;
    assert!(!session.call("Edit", edit("f", "a", "b")).await.is_error);
    assert!(!session.call("Edit", edit("f", "b", "c")).await.is_error);
    assert_eq!(session.bytes("f"), b"c\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn edits_of_one_file_at_once_are_kept_apart() {
    let session = std::sync::Arc::new(Session::new());
    let text: String = (0..24).map(|n| format!("<{n}>\n")).collect();
    session.write("f", &text);
    session.call("Read", json!({"file_path": "f"})).await;
    let edits: Vec<_> = (0..24)
        .map(|n| {
            let session = std::sync::Arc::clone(&session);
            let input = edit("f", &format!("<{n}>"), &format!("[{n}]"));
            tokio::spawn(async move { session.call("Edit", input).await })
        })
        .collect();
    for edit in edits {
        let answer = edit.await.unwrap();
        assert!(!answer.is_error, "{}", answer.text);
    }
    assert_eq!(session.bytes("f"), text.replace('<', "[").replace('>', "]").as_bytes());
}

#[tokio::test]
async fn what_reading_does_not_help_with_is_not_asked_to_be_read() {
    let session = Session::new();
    let write = |path: &str| json!({"file_path": path, "content": "x"});
    let cases: [(&str, &[u8], &str, &str); 7] = [
        ("d.pdf", b"%PDF-1.4\n", "is a PDF document (9 bytes)", "qpdf"),
        ("mail.pdf", b"Subject: x\n\n%PDF-1.4\n", "is a PDF document", "Read shows its pages"),
        ("p.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a PNG image", "ImageMagick"),
        ("z.zip", b"PK\x03\x04 1.4", "is a ZIP archive", "Unpack it"),
        ("s.db", b"SQLite format 3\x00 1.4", "is an SQLite database", "sqlite3"),
        ("prog", b"\x7fELF 1.4", "is an ELF program", "make it again"),
        ("odd", b"1.4 \0\x01", "is a binary file (it holds NUL bytes, 6 bytes)", "knows its form"),
    ];
    for (name, bytes, what, advice) in cases {
        session.write(name, bytes);
        for _ in 0..2 {
            for (tool, input) in [("Edit", edit(name, "1.4", "1.5")), ("Write", write(name))] {
                let refused = session.call(tool, input).await;
                assert!(refused.is_error && refused.text.contains(what), "{name}: {}", refused.text);
                assert!(
                    refused.text.contains("changes text only; nothing was changed")
                        && refused.text.contains(advice)
                        && !refused.text.contains("read it"),
                    "{name}: {}",
                    refused.text
                );
            }
            // The same after it was read.
            session.call("Read", json!({"file_path": name})).await;
        }
        assert_eq!(session.bytes(name), bytes);
    }
    session.write("long", format!("{}\n", "x".repeat(9_000)));
    session.call("Read", json!({"file_path": "long"})).await;
    let refused = session.call("Write", write("long")).await;
    assert!(refused.is_error && refused.text.contains("long lines cut"), "{}", refused.text);
    assert!(refused.text.contains("Edit"), "{}", refused.text);
}

#[tokio::test]
async fn c_t_12_a_file_must_be_read_first() {
    let session = Session::new();
    session.write("f", "a\n");
    let refused = session.call("Edit", edit("f", "a", "b")).await;
    assert!(refused.is_error && refused.text.contains("has not been read"), "{}", refused.text);
    assert_eq!(session.bytes("f"), b"a\n");
    // Another tool may have shown it.
    session.snapshot.session.of::<ReadLedger>().note_whole(&session.root.join("f"), b"a\n");
    assert!(!session.call("Edit", edit("f", "a", "b")).await.is_error);
    // A command counts when it plainly shows the one file, and nobody wrote that since.
    let ledger = session.snapshot.session.of::<ReadLedger>();
    let later = SystemTime::now() + Duration::from_secs(60);
    for (command, began, may) in [
        ("cat g", later - Duration::from_secs(3600), false),
        ("cat g | head", later, false),
        ("cat g", later, true),
    ] {
        session.write("g", "a\n");
        ledger.note_command(command, "a\n", began, &session.ctx());
        assert_eq!(!session.call("Edit", edit("g", "a", "b")).await.is_error, may, "{command}");
    }

    let lax = Session::with(Services::new().with_read_before_edit(ReadBeforeEdit::Off));
    lax.write("f", "a\n");
    assert!(!lax.call("Edit", edit("f", "a", "b")).await.is_error);
}

#[tokio::test]
async fn where_nothing_can_be_made_that_is_said() {
    let session = Session::new();
    for path in ["/proc/x", "/proc/x/y", "/proc/self/x"] {
        for (tool, input) in
            [("Write", json!({"file_path": path, "content": "x"})), ("Edit", edit(path, "", "x"))]
        {
            let answer = session.call(tool, input).await;
            assert!(
                answer.is_error && answer.text.contains("takes no new files"),
                "{tool} {path}: {}",
                answer.text
            );
            assert!(!answer.text.contains("again"), "{tool} {path}: {}", answer.text);
        }
    }
    // A file that is there, but nothing can be put beside it.
    session.call("Read", json!({"file_path": "/proc/self/comm"})).await;
    let answer = session.call("Write", json!({"file_path": "/proc/self/comm", "content": "x"})).await;
    assert!(answer.is_error && answer.text.contains("takes no new files"), "{}", answer.text);
}

#[tokio::test]
async fn c_t_13_and_14_matches_are_literal_and_unique_or_all() {
    let session = Session::new();
    session.write("f", "x abc x\n");
    session.call("Read", json!({"file_path": "f"})).await;
    let refused = session.call("Edit", edit("f", "x", "y")).await;
    assert!(refused.is_error && refused.text.contains("2 matches"), "{}", refused.text);
    let refused = session.call("Edit", edit("f", "a.c", "y")).await;
    assert!(refused.is_error && refused.text.contains("not found"), "{}", refused.text);
    let all = json!({"file_path": "f", "old_string": "x", "new_string": "$1\\n", "replace_all": true});
    let answer = session.call("Edit", all).await;
    assert_eq!(session.bytes("f"), b"$1\\n abc $1\\n\n");
    assert_eq!(answer.data["originalFile"], json!("x abc x\n"));
    assert_eq!((&answer.data["replaceAll"], &answer.data["userModified"]), (&json!(true), &json!(false)));
    let patch = json!([{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-x abc x", "+$1\\n abc $1\\n"]}]);
    assert_eq!(answer.data["structuredPatch"], patch);
    assert_eq!(
        answer.text,
        format!("Edited {}. It now has:\n     1\t$1\\n abc $1\\n", session.root.join("f").display())
    );
}

#[tokio::test]
async fn c_t_16_a_stale_edit_shows_the_fresh_region_and_may_then_be_made_again() {
    let session = Session::new();
    session.write("f", "one\ntwo\n");
    session.call("Read", json!({"file_path": "f"})).await;
    session.write("f", "zero\none\ntwo\n");
    let stale = session.call("Edit", edit("f", "two", "2")).await;
    assert!(stale.is_error);
    insta::assert_snapshot!(stale.text, @r"
    f changed since it was read, so nothing was written; the text is now at:
         1	zero
         2	one
         3	two
    If the edit is still right, make it again.
    ");
    assert_eq!(session.bytes("f"), b"zero\none\ntwo\n");
    assert!(!session.call("Edit", edit("f", "two", "2")).await.is_error);
    // What is gone is gone.
    session.write("f", "zero\n");
    let stale = session.call("Edit", edit("f", "one", "1")).await;
    assert!(stale.is_error && stale.text.contains("1\tzero"), "{}", stale.text);
}

#[tokio::test]
async fn c_t_17_write_creates_and_replaces_what_was_read() {
    let session = Session::new();
    let answer = session.call("Write", json!({"file_path": "new/deep/f", "content": "a\n"})).await;
    assert_eq!((&answer.data["type"], &answer.data["originalFile"]), (&json!("create"), &Value::Null));
    session.write("old", "old\n");
    let refused = session.call("Write", json!({"file_path": "old", "content": "new\n"})).await;
    assert!(refused.is_error && refused.text.contains("has not been read"), "{}", refused.text);
    assert_eq!(session.bytes("old"), b"old\n");
    session.call("Read", json!({"file_path": "old"})).await;
    let answer = session.call("Write", json!({"file_path": "old", "content": "new\n"})).await;
    assert_eq!((&answer.data["type"], &answer.data["originalFile"]), (&json!("update"), &json!("old\n")));
    assert_eq!(answer.data["structuredPatch"][0]["lines"], json!(["-old", "+new"]));
    // What it wrote itself it knows.
    assert!(!session.call("Write", json!({"file_path": "new/deep/f", "content": "b\n"})).await.is_error);
    assert_eq!((session.bytes("old"), session.bytes("new/deep/f")), (b"new\n".to_vec(), b"b\n".to_vec()));
}

#[tokio::test]
async fn a_replaced_file_keeps_its_style() {
    let session = Session::new();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    session.write("crlf", "a\r\nb\r\n");
    session.write("utf16", utf16("\u{feff}a\r\n"));
    session.write("latin1", b"caf\xe9\n");
    for name in ["crlf", "utf16", "latin1"] {
        session.call("Read", json!({"file_path": name})).await;
        assert!(!session.call("Write", json!({"file_path": name, "content": "é\nx\n"})).await.is_error);
    }
    assert_eq!(session.bytes("crlf"), "é\r\nx\r\n".as_bytes());
    assert_eq!(session.bytes("utf16"), utf16("\u{feff}é\r\nx\r\n"));
    assert_eq!(session.bytes("latin1"), b"\xe9\nx\n");
    let refused = session.call("Write", json!({"file_path": "latin1", "content": "日"})).await;
    assert!(refused.is_error && refused.text.contains("has no `日`"), "{}", refused.text);
    assert_eq!(session.bytes("latin1"), b"\xe9\nx\n");
}

#[tokio::test]
async fn an_empty_old_string_creates_a_file() {
    let session = Session::new();
    let answer = session.call("Edit", edit("d/f", "", "text")).await;
    assert!(!answer.is_error && answer.data["originalFile"].is_null(), "{answer:?}");
    assert_eq!(session.bytes("d/f"), b"text");
}

#[tokio::test]
async fn links_stay_and_their_target_changes() {
    let session = Session::new();
    session.write("real/f", "a\n");
    symlink("real/f", session.root.join("link")).unwrap();
    session.call("Read", json!({"file_path": "link"})).await;
    assert!(!session.call("Edit", edit("link", "a", "b")).await.is_error);
    // The file is the same one by its other name.
    assert!(!session.call("Write", json!({"file_path": "real/f", "content": "c\n"})).await.is_error);
    assert!(session.root.join("link").is_symlink());
    assert_eq!(session.bytes("real/f"), b"c\n");
    symlink("real/new", session.root.join("dangling")).unwrap();
    assert!(!session.call("Write", json!({"file_path": "dangling", "content": "d"})).await.is_error);
    assert_eq!(session.bytes("real/new"), b"d");
    assert!(session.root.join("dangling").is_symlink());
}

#[tokio::test]
async fn what_moved_since_it_was_approved_is_refused() {
    for (tool, input) in [
        ("Read", json!({"file_path": "d/f"})),
        ("Edit", edit("d/f", "inside", "changed")),
        ("Write", json!({"file_path": "d/f", "content": "changed"})),
        ("Write", json!({"file_path": "d/new", "content": "changed"})),
        ("Glob", json!({"pattern": "*", "path": "d"})),
        ("Grep", json!({"pattern": "secret", "path": "d"})),
    ] {
        let session = Session::new();
        session.write("d/f", "inside\n");
        session.write("outside/f", "secret\n");
        session.call("Read", json!({"file_path": "d/f"})).await;
        let swap = |grant: Grant| {
            std::fs::rename(session.root.join("d"), session.root.join("was")).unwrap();
            symlink("outside", session.root.join("d")).unwrap();
            grant
        };
        let answer = session.call_in(tool, input, session.ctx(), swap).await;
        assert!(
            answer.is_error && answer.text.contains("changed since it was approved"),
            "{tool}: {}",
            answer.text
        );
        assert_eq!(
            (session.bytes("outside/f"), session.bytes("was/f")),
            (b"secret\n".to_vec(), b"inside\n".to_vec())
        );
        assert!(!session.root.join("outside/new").exists());
    }
}

#[tokio::test]
async fn nothing_runs_without_a_grant_of_its_path() {
    let session = Session::new();
    session.write("f", "a\n");
    for (tool, input) in [
        ("Read", json!({"file_path": "f"})),
        ("Write", json!({"file_path": "g", "content": ""})),
        ("Edit", edit("f", "a", "b")),
        ("Glob", json!({"pattern": "*"})),
        ("Grep", json!({"pattern": "a"})),
    ] {
        let answer = session.call_in(tool, input, session.ctx(), |_| Grant::default()).await;
        assert!(
            answer.is_error && answer.text.contains("not part of what was approved"),
            "{tool}: {}",
            answer.text
        );
    }
    assert!(!session.root.join("g").exists());
}

#[tokio::test]
async fn a_cancelled_change_changes_nothing() {
    let session = Session::new();
    session.write("f", "a\n");
    session.call("Read", json!({"file_path": "f"})).await;
    for (tool, input) in [("Edit", edit("f", "a", "b")), ("Write", json!({"file_path": "f", "content": "b"}))]
    {
        let answer = session.call_cancelled(tool, input).await;
        assert!(answer.is_error && answer.text.contains("interrupted"), "{tool}: {}", answer.text);
    }
    assert_eq!(session.bytes("f"), b"a\n");
}

#[tokio::test]
async fn a_file_keeps_mode_and_owner_and_nothing_is_left_beside_it() {
    let session = Session::new();
    session.write("f", "a\n");
    let path = session.root.join("f");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o4750)).unwrap();
    // Only root may give files away; for others this changes nothing.
    drop(std::os::unix::fs::chown(&path, Some(4242), Some(4242)));
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o4750)).unwrap();
    let before = std::fs::metadata(&path).unwrap();
    session.call("Read", json!({"file_path": "f"})).await;
    let answer = session.call("Edit", edit("f", "a", "b")).await;
    assert!(!answer.is_error, "{}", answer.text);
    let after = std::fs::metadata(&path).unwrap();
    assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
    assert_eq!(std::fs::read_dir(&session.root).unwrap().count(), 1);
}

#[tokio::test]
async fn people_see_the_change_before_it_is_made() {
    let session = Session::new();
    session.write("f", "1\n2\n3\n");
    let shown = |tool: &str, input: Value| {
        let invocation = session.tool(tool).prepare(std::sync::Arc::new(input), &session.ctx()).unwrap();
        invocation.render_use().unwrap()
    };
    insta::assert_snapshot!(shown("Edit", edit("f", "2", "two")), @r"
    @@ -1,3 +1,3 @@
     1
    -2
    +two
     3
    ");
    insta::assert_snapshot!(shown("Write", json!({"file_path": "g", "content": "new\n"})), @r"
    @@ -0,0 +1,1 @@
    +new
    ");
}
