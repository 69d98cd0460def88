//! What an edit keeps: links, owners, attributes, encodings, line ends; and what it refuses to lose.

use crate::harness::{Session, left_out};
use encoding_rs::{GB18030, SHIFT_JIS, WINDOWS_1252};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, SystemTime};

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"file_path": path, "old_string": old, "new_string": new})
}

async fn read(session: &Session, name: &str) {
    let answer = session.call("Read", json!({"file_path": name})).await;
    assert!(!answer.is_error, "{}", answer.text);
}

#[tokio::test]
async fn all_names_of_a_file_see_a_change_and_stay_names_of_one_file() {
    let session = Session::new();
    session.write("one", "a long first line\nb\n");
    std::fs::hard_link(session.root.join("one"), session.root.join("two")).unwrap();
    read(&session, "one").await;
    let answer = session.call("Edit", edit("one", "a long first line", "x")).await;
    assert!(!answer.is_error && answer.text.contains("the file has 2 names"), "{}", answer.text);
    assert_eq!(answer.data["linkedNames"], json!(2));
    let answer = session.call("Write", json!({"file_path": "one", "content": "longer than before\n"})).await;
    assert!(!answer.is_error && answer.text.contains("2 names"), "{}", answer.text);
    assert_eq!(session.bytes("two"), b"longer than before\n");
    let inode = |name: &str| std::fs::metadata(session.root.join(name)).unwrap().ino();
    assert_eq!(inode("one"), inode("two"));
    assert_eq!(std::fs::read_dir(&session.root).unwrap().count(), 2);
    // A write that was killed half-way left a copy: it is not passed over.
    session.write(".one.pegboard-old", "what was there");
    let refused = session.call("Edit", edit("one", "longer", "shorter")).await;
    assert!(refused.is_error && refused.text.contains("`.one.pegboard-old`"), "{}", refused.text);
    assert_eq!(session.bytes("two"), b"longer than before\n");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn attributes_of_a_file_survive_its_replacement() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let session = Session::new();
    session.write("f", "a\n");
    let path = session.root.join("f");
    if setxattr(&path, "user.origin", b"somewhere", XattrFlags::empty()).is_err() {
        return left_out("xattrs");
    }
    read(&session, "f").await;
    let answer = session.call("Edit", edit("f", "a", "b")).await;
    assert!(!answer.is_error, "{}", answer.text);
    let mut value = [0; 64];
    let length = getxattr(&path, "user.origin", &mut value).unwrap();
    assert_eq!(&value[..length], b"somewhere");
}

#[tokio::test]
async fn a_rewrite_keeps_the_line_ends_of_lines_that_stay() {
    let session = Session::new();
    session.write("f", "a\r\nb\nc\r\nd");
    read(&session, "f").await;
    let answer = session.call("Write", json!({"file_path": "f", "content": "a\nnew\nb\nc\nd"})).await;
    assert_eq!(session.bytes("f"), b"a\r\nnew\r\nb\nc\r\nd");
    // What did not change is no change in what people and hooks see.
    assert_eq!(
        answer.data["structuredPatch"][0]["lines"],
        json!([" a\r", "+new\r", " b", " c\r", " d", "\\ No newline at end of file"])
    );
}

#[tokio::test]
async fn lines_that_stand_for_omitted_text_are_refused() {
    let session = Session::new();
    session.write("f.js", "one();\ntwo();\n// ... existing code ...\n");
    session.write("g.py", "one()\ntwo()\n");
    for name in ["f.js", "g.py"] {
        read(&session, name).await;
    }
    for (tool, input) in [
        ("Write", json!({"file_path": "g.py", "content": "one()\n# ... rest of the code unchanged\n"})),
        ("Edit", edit("g.py", "two()", "# existing code here\nthree()")),
        ("Write", json!({"file_path": "f.js", "content": "one();\n// rest of the file remains the same\n"})),
    ] {
        let refused = session.call(tool, input).await;
        assert!(refused.is_error && refused.text.contains("left out"), "{}", refused.text);
    }
    assert_eq!(session.bytes("g.py"), b"one()\ntwo()\n");
    // A line that the file has already may stay, and in a new file nothing can be lost.
    let stays = json!({"file_path": "f.js", "content": "three();\n// ... existing code ...\n"});
    assert!(!session.call("Write", stays).await.is_error);
    let new = json!({"file_path": "new.js", "content": "// ... existing code ...\n"});
    assert!(!session.call("Write", new).await.is_error);
}

#[tokio::test]
async fn a_file_that_it_created_may_be_edited_and_what_it_edited_is_known() {
    let session = Session::new();
    session.call("Write", json!({"file_path": "f", "content": "a\nb\n"})).await;
    assert!(!session.call("Edit", edit("f", "a", "A")).await.is_error);
    assert!(!session.call("Edit", edit("f", "b", "B")).await.is_error);
    assert!(!session.call("Write", json!({"file_path": "f", "content": "c\n"})).await.is_error);
    assert_eq!(session.bytes("f"), b"c\n");
}

#[tokio::test]
async fn an_edit_that_was_made_before_is_named() {
    let session = Session::new();
    session.write("f", "fn alpha_beta_gamma() {}\n");
    read(&session, "f").await;
    let edit = || edit("f", "fn something_else() {}", "fn alpha_beta_gamma() {}");
    let answer = session.call("Edit", edit()).await;
    assert!(answer.is_error && answer.text.contains("in the file already (line 1)"), "{}", answer.text);
}

#[tokio::test]
async fn blocks_of_lines_are_all_made_or_none() {
    let session = Session::new();
    let text = "alpha\nbeta\nbetamax\ngamma";
    session.write("f", text);
    read(&session, "f").await;
    let blocks = |blocks: &[(&str, &str)]| {
        let edits: Vec<Value> =
            blocks.iter().map(|(old, new)| json!({"old_string": old, "new_string": new})).collect();
        json!({"file_path": "f", "edits": edits})
    };
    for (given, says) in [
        (blocks(&[("beta\n", "B\n"), ("delta\n", "D\n")]), "the text of block 2 was not found"),
        (blocks(&[("beta\n", "B\n"), ("beta\n", "D\n")]), "blocks 1 and 2 change the same lines"),
        (blocks(&[("beta\n", "beta\n")]), "nothing would change"),
        (blocks(&[("", "x\n"), ("beta\n", "B\n")]), "text of block 1 is empty"),
        (blocks(&[("eta\n", "X\n")]), "it is only a part of line 2; a block holds whole lines"),
        (
            blocks(&[("eta\nbetamax\n", "X\n")]),
            "its first line is only a part of line 2; a block holds whole lines",
        ),
        (
            blocks(&[("beta\nbeta\n", "X\n")]),
            "its last line is only a part of line 3; a block holds whole lines",
        ),
        (blocks(&[("  beta\n", "X\nY\n")]), "it is there but for indentation"),
        (blocks(&[("beta  \n", "X\n")]), "it is there but for blanks at the end of lines"),
    ] {
        let refused = session.call("Edit", given).await;
        assert!(refused.is_error && refused.text.contains(says), "{says}: {}", refused.text);
        assert_eq!(session.bytes("f"), text.as_bytes());
    }
    let given = blocks(&[("gamma\n", "G\nH\n"), ("alpha\n", ""), ("beta\n", "B\n")]);
    let invocation =
        session.tool("Edit").prepare(std::sync::Arc::new(given.clone()), &session.ctx()).unwrap();
    assert_eq!(invocation.describe(), "Edit f (3 places)");
    // Hooks and rules see all of it in the fields that they know.
    assert_eq!(invocation.view()["new_string"], json!("G\nH\nB\n"));
    assert!(invocation.render_use().unwrap().contains("-alpha"));
    let answer = session.call("Edit", given).await;
    assert!(!answer.is_error, "{}", answer.text);
    assert_eq!(session.bytes("f"), b"B\nbetamax\nG\nH");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_that_only_grows_is_left_as_it_is() {
    /// A folder that only grows until it is dropped.
    struct Grows(std::path::PathBuf);
    impl Grows {
        fn set(&self, sign: &str) -> bool {
            let status = std::process::Command::new("chattr")
                .arg(sign)
                .arg(&self.0)
                .stderr(std::process::Stdio::null())
                .status();
            status.is_ok_and(|status| status.success())
        }
    }
    impl Drop for Grows {
        fn drop(&mut self) {
            self.set("-a");
        }
    }
    let session = Session::new();
    session.write("d/f", "one\n");
    session.write("d/g", "one\n");
    std::fs::hard_link(session.root.join("d/g"), session.root.join("g")).unwrap();
    read(&session, "d/f").await;
    read(&session, "d/g").await;
    let folder = Grows(session.root.join("d"));
    if !folder.set("+a") {
        return left_out("chattr");
    }
    for (tool, input) in [
        ("Edit", edit("d/f", "one", "two")),
        ("Edit", edit("d/g", "one", "two")),
        ("Write", json!({"file_path": "d/f", "content": "x"})),
        ("Write", json!({"file_path": "d/new", "content": "x"})),
    ] {
        let answer = session.call(tool, input).await;
        assert!(answer.is_error && answer.text.contains("is append-only"), "{}", answer.text);
    }
    let mut names: Vec<_> =
        std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["f", "g"]);
    assert_eq!(session.bytes("d/f"), b"one\n");
}

#[tokio::test]
async fn leftovers_of_killed_writes_are_swept_and_nothing_else() {
    let session = Session::new();
    session.write("f", "a\n");
    let old = [".f.pegboard-1-2-3.tmp", ".long name.pegboard-99-0-5.tmp"];
    let kept = [".g.pegboard-1-2-4.tmp", ".f.pegboard-old", "f.pegboard-1-2-3.tmp", ".f.tmp", "x.tmp"];
    let hours_ago = SystemTime::now() - Duration::from_secs(3 * 60 * 60);
    for name in old.iter().chain(&kept) {
        session.write(name, "left");
        // One is new: somebody may be writing it.
        if !name.starts_with(".g") {
            let file = std::fs::File::options().write(true).open(session.root.join(name)).unwrap();
            file.set_modified(hours_ago).unwrap();
        }
    }
    read(&session, "f").await;
    assert!(!session.call("Edit", edit("f", "a", "b")).await.is_error);
    for (names, stay) in [(&old[..], false), (&kept[..], true)] {
        for name in names {
            assert_eq!(session.root.join(name).exists(), stay, "{name}");
        }
    }
}

#[tokio::test]
async fn what_is_too_large_or_no_text_is_refused_and_stays() {
    let session = Session::new();
    let file = std::fs::File::create(session.root.join("large")).unwrap();
    file.set_len(300 * 1024 * 1024).unwrap();
    session.write("binary", b"a\0b");
    for (name, says) in [("large", "larger than 256 MiB"), ("binary", "binary")] {
        session
            .snapshot
            .session
            .of::<pegboard_tools_std::ReadLedger>()
            .note_whole(&session.root.join(name), b"a\0b");
        for (tool, input) in
            [("Edit", edit(name, "a", "b")), ("Write", json!({"file_path": name, "content": "x"}))]
        {
            let refused = session.call(tool, input).await;
            assert!(refused.is_error && refused.text.contains(says), "{tool} {name}: {}", refused.text);
        }
    }
    assert_eq!(session.bytes("binary"), b"a\0b");
}

/// A text in an encoding, as a file has it.
fn encoded(encoding: usize, text: &str) -> Vec<u8> {
    let utf16 = |to: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(to).collect();
    match encoding {
        0 | 1 => text.as_bytes().to_vec(),
        2 => utf16(u16::to_le_bytes),
        3 => utf16(u16::to_be_bytes),
        4 => WINDOWS_1252.encode(text).0.into_owned(),
        5 => GB18030.encode(text).0.into_owned(),
        _ => SHIFT_JIS.encode(text).0.into_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn an_edit_changes_exactly_the_asked_bytes(
        encoding in 0usize..7,
        before in proptest::collection::vec(("[ab \t]{0,5}", any::<bool>()), 0..6),
        after in proptest::collection::vec(("[ab \t]{0,5}", any::<bool>()), 0..6),
        new in "[xy]{1,6}", ends in any::<bool>(),
    ) {
        let mark: &[u8] = [&b""[..], b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"", b"", b""][encoding];
        // Enough of the language that the encoding can be told.
        let language = [
            "", "naïve – é", "日本語 ü", "日本語 ü", "Grüße aus Köln, café crème à la carte – voilà l’été",
            "这是一个用于测试的中文文件，里面有一些注释和说明文字。", "これは日本語のテストファイルです。漢字とかなが入っています。",
        ][encoding];
        let lines = |lines: &[(String, bool)]| -> String {
            lines.iter().map(|(line, crlf)| format!("{line}{}", if *crlf { "\r\n" } else { "\n" })).collect()
        };
        let (before, after) = (format!("{language}\n{}", lines(&before)), lines(&after));
        let tail = if ends { after } else { format!("\n{after}end") };
        let file = |middle: &str| [mark, &encoded(encoding, &before), &encoded(encoding, middle), &encoded(encoding, &tail)].concat();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let session = Session::new();
            session.write("f", file("OLD"));
            read(&session, "f").await;
            let answer = session.call("Edit", edit("f", "OLD", &new)).await;
            assert!(!answer.is_error, "{encoding}: {}", answer.text);
            assert_eq!(session.bytes("f"), file(&new), "{encoding}");
        });
    }
}
