//! Glob and Grep (C-T-18, C-T-19).

mod encodings;
mod limits;
mod listing;
mod odd_trees;

use crate::harness::Session;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

fn names(data: &Value) -> Vec<&str> {
    data["filenames"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[tokio::test]
async fn c_t_18_glob_shows_the_newest_hundred() {
    let session = Session::new();
    let begin = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for n in 0..150 {
        session.write(&format!("d{}/{n:03}.txt", n % 7), "");
        let file = std::fs::File::options()
            .write(true)
            .open(session.root.join(format!("d{}/{n:03}.txt", n % 7)))
            .unwrap();
        file.set_modified(begin + Duration::from_secs(n)).unwrap();
    }
    let answer = session.call("Glob", json!({"pattern": "**/*.txt"})).await;
    let found = names(&answer.data);
    assert_eq!((found.len(), found[0], found[99]), (100, "d2/149.txt", "d1/050.txt"));
    assert_eq!(answer.data["truncated"], json!(true));
    assert_eq!((&answer.data["totalMatches"], &answer.data["countIsComplete"]), (&json!(150), &json!(true)));
    assert!(
        answer.text.ends_with("[the newest 100 of 150 files; use a narrower pattern or path]"),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn c_t_18_ignored_and_hidden_files_are_listed_unless_switched_off() {
    let make = |session: Session| {
        session.write(".gitignore", "*.log\n");
        session.write(".git/HEAD", "x");
        session.write("a.log", "");
        session.write(".hidden", "");
        session.write("b", "");
        session
    };
    let list = |session: Session| async move {
        let answer = session.call("Glob", json!({"pattern": "**/*"})).await;
        let mut found: Vec<String> = names(&answer.data).into_iter().map(str::to_owned).collect();
        found.sort();
        found.join(" ")
    };
    assert_eq!(list(make(Session::new())).await, ".gitignore .hidden a.log b");
    let off = |name| make(Session::new().env(name, "false"));
    assert_eq!(list(off("CLAUDE_CODE_GLOB_NO_IGNORE")).await, ".gitignore .hidden b");
    assert_eq!(list(off("CLAUDE_CODE_GLOB_HIDDEN")).await, "a.log b");
    let session = make(Session::new());
    assert_eq!(names(&session.call("Glob", json!({"pattern": ".git/*"})).await.data), [".git/HEAD"]);
}

#[tokio::test]
async fn glob_says_what_is_wrong() {
    let session = Session::new();
    session.write("f", "");
    session.write("d/f.md", "");
    for (input, says) in [
        (json!({"pattern": "a\0b"}), "`pattern` holds a NUL byte"),
        (json!({"pattern": "*", "path": "a\0"}), "`path` holds a NUL byte"),
        (json!({"pattern": ""}), "`pattern` is empty"),
        (json!({"pattern": "a{b"}), "unclosed alternate"),
        (json!({"pattern": "*", "path": "gone"}), "does not exist"),
        (json!({"pattern": "*", "path": "f"}), "is a file"),
    ] {
        let answer = session.call("Glob", input.clone()).await;
        assert!(answer.is_error && answer.text.contains(says), "{input}: {}", answer.text);
    }
    let answer = session.call("Glob", json!({"pattern": "*.md"})).await;
    assert_eq!(
        answer.text,
        "No files found\n[`*.md` is looked for directly in the folder; `**/*.md` looks below it too]"
    );
    assert_eq!(
        session.call("Glob", json!({"pattern": "gone/*"})).await.text.lines().next(),
        Some("No files found")
    );
}

#[tokio::test]
async fn links_are_listed_and_never_followed() {
    let session = Session::new();
    session.write("d/f", "hit");
    symlink("..", session.root.join("d/up")).unwrap();
    symlink("loop", session.root.join("loop")).unwrap();
    symlink("d/f", session.root.join("link")).unwrap();
    let answer = session.call("Glob", json!({"pattern": "**/*"})).await;
    let mut found = names(&answer.data);
    found.sort_unstable();
    assert_eq!(found, ["d/f", "link"]);
    assert_eq!(session.call("Grep", json!({"pattern": "hit"})).await.text, "d/f");
}

#[tokio::test]
async fn paths_outside_the_working_directory_are_absolute() {
    let session = Session::new();
    let other = Session::new();
    other.write("x/f", "hit");
    let expected = other.root.join("x/f").to_string_lossy().into_owned();
    let pattern = other.root.join("**/f").to_string_lossy().into_owned();
    assert_eq!(session.call("Glob", json!({"pattern": pattern})).await.text, expected);
    assert_eq!(session.call("Grep", json!({"pattern": "hit", "path": other.root})).await.text, expected);
}

#[tokio::test]
async fn c_t_19_grep_modes() {
    let session = Session::new();
    session.write("a.txt", "one hit\nmiss\nhit hit\n");
    session.write("d/b.rs", "hit\r\n");
    session.write("skipped.log", "hit\n");
    session.write(".gitignore", "*.log\n");
    let grep = async |input: Value| session.call("Grep", input).await;
    let answer = grep(json!({"pattern": "hit"})).await;
    let mut found = names(&answer.data);
    found.sort_unstable();
    assert_eq!(found, ["a.txt", "d/b.rs"]);
    let content = |more: Value| {
        let mut input = json!({"pattern": "hit", "output_mode": "content"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        grep(input)
    };
    assert_eq!(content(json!({})).await.text, "a.txt:1:one hit\na.txt:3:hit hit\nd/b.rs:1:hit");
    assert_eq!(content(json!({"-n": false})).await.text, "a.txt:one hit\na.txt:hit hit\nd/b.rs:hit");
    assert_eq!(
        content(json!({"-o": true})).await.text,
        "a.txt:1:hit\na.txt:3:hit\na.txt:3:hit\nd/b.rs:1:hit"
    );
    assert_eq!(
        content(json!({"-A": 1})).await.text,
        "a.txt:1:one hit\na.txt-2-miss\na.txt:3:hit hit\n--\nd/b.rs:1:hit"
    );
    assert_eq!(
        content(json!({"pattern": "miss", "-C": 1})).await.text,
        "a.txt-1-one hit\na.txt:2:miss\na.txt-3-hit hit"
    );
    assert_eq!(content(json!({"pattern": "HIT$", "-i": true, "type": "rust"})).await.text, "d/b.rs:1:hit");
    assert_eq!(
        content(json!({"glob": "!*.rs", "head_limit": 1, "-n": false})).await.text,
        "a.txt:one hit\n[lines 1 to 1 of 2; go on with offset 1, or narrow the search]"
    );
    assert_eq!(content(json!({"path": "skipped.log"})).await.text, "skipped.log:1:hit");
    let count = grep(json!({"pattern": "hit", "output_mode": "count", "head_limit": 1})).await;
    assert_eq!(
        count.text,
        "a.txt:2\n[files 1 to 1 of 2; go on with offset 1, or narrow the search]\n[total: 3 matches in 2 files]"
    );
    assert_eq!((&count.data["numMatches"], &count.data["totalFiles"]), (&json!(3), &json!(2)));
    assert_eq!((&count.data["numFiles"], &count.data["appliedLimit"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn pages_follow_each_other_without_a_gap() {
    let session = Session::new();
    for n in 0..5 {
        session.write(&format!("{n}"), "hit\nx\nhit\ny\nz\nhit\n");
    }
    let page = async |offset: usize, limit: usize| {
        let input = json!({
            "pattern": "hit", "output_mode": "content", "-B": 1, "offset": offset, "head_limit": limit
        });
        session.call("Grep", input).await
    };
    let whole = page(0, 0).await;
    let whole: Vec<&str> = whole.data["content"].as_str().unwrap().lines().collect();
    assert_eq!(whole.len(), 5 * 6 + 4);
    for offset in 0..whole.len() {
        let answer = page(offset, 7).await;
        let lines: Vec<&str> = answer.data["content"].as_str().unwrap().lines().collect();
        assert_eq!(lines, &whole[offset..whole.len().min(offset + 7)], "{offset}");
        assert_eq!(answer.data["totalLines"], json!(whole.len()));
    }
    let past = page(99, 7).await;
    assert!(past.text.contains("No entries at this offset") && !past.is_error, "{}", past.text);
}

#[tokio::test]
async fn more_matches_than_are_kept_are_still_paged_and_counted() {
    let session = Session::new();
    for n in 0..30 {
        session.write(&format!("{n:02}"), "hit\n".repeat(1_000));
    }
    let input = json!({"pattern": "hit", "output_mode": "content", "offset": 29_990, "head_limit": 1_000});
    let answer = session.call("Grep", input).await;
    assert_eq!(answer.data["totalLines"], json!(30_000));
    assert_eq!(answer.data["numLines"], json!(10));
    assert!(answer.text.starts_with("29:991:hit\n29:992:hit"), "{}", answer.text);
}

#[tokio::test]
async fn grep_says_what_is_wrong() {
    let session = Session::new();
    session.write("a.txt", "hit\n");
    let answer = session.call("Grep", json!({"pattern": "hit", "type": "rust"})).await;
    let nothing = "No matches found\n[no file passes the filter (type `rust`), so nothing was searched]";
    assert_eq!((answer.text.as_str(), answer.is_error), (nothing, false));
    for (input, says) in [
        (json!({"pattern": "interface{"}), "repetition quantifier expects a valid decimal"),
        (json!({"pattern": ""}), "`pattern` is empty"),
        (json!({"pattern": "a", "glob": "[z"}), "unclosed character class"),
        (json!({"pattern": "a", "type": "nonsense"}), "unrecognized file type: nonsense"),
        (json!({"pattern": "a", "path": "gone"}), "does not exist"),
        (json!({"pattern": "a", "nonsense": 1}), "unknown field"),
    ] {
        let answer = session.call("Grep", input.clone()).await;
        assert!(answer.is_error && answer.text.contains(says), "{input}: {}", answer.text);
    }
}

#[tokio::test]
async fn binary_files_and_encodings() {
    let session = Session::new();
    session.write("bin", b"hit\0hit\n");
    session
        .write("utf16", "\u{feff}un hit é\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    session.write("latin1", b"hit caf\xe9\n");
    let content = async |more: Value| {
        let mut input = json!({"pattern": "hit", "output_mode": "content"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        session.call("Grep", input).await.text
    };
    assert_eq!(content(json!({})).await, "latin1:1:hit café\nutf16:1:un hit é");
    assert_eq!(content(json!({"path": "bin"})).await, "bin: binary file matches");
    assert_eq!(content(json!({"path": "utf16", "pattern": "é"})).await, "utf16:1:un hit é");
}

#[tokio::test]
async fn lines_are_crossed_only_when_asked_for() {
    let session = Session::new();
    session.write("a", "foo\nbar\nfoo\r\nbar\n");
    let grep = async |pattern: &str, multiline: bool| {
        let input = json!({"pattern": pattern, "multiline": multiline, "output_mode": "content"});
        session.call("Grep", input).await.text
    };
    assert_eq!(grep("foo.bar", true).await, "a:1:foo\na:2:bar");
    assert_eq!(grep("foo\\r?\\nbar", true).await, "a:1:foo\na:2:bar\na:3:foo\na:4:bar");
    assert_eq!(grep("foo.bar", false).await, "No matches found");
    assert_eq!(grep("foo$", false).await, "a:1:foo\na:3:foo");
    assert!(grep("foo\\nbar", false).await.contains("literal \"\\n\" is not allowed"));
}

#[tokio::test]
async fn ignore_files_far_above_do_not_count_outside_a_repository() {
    let session = Session::new();
    session.write(".gitignore", "*\n");
    session.write("d/a", "hit\n");
    assert_eq!(session.call("Grep", json!({"pattern": "hit", "path": "d"})).await.text, "d/a");
    session.write(".git/HEAD", "hit\n");
    let all = session.call("Grep", json!({"pattern": "hit"})).await.text;
    assert_eq!(all, "No matches found");
    let named = session.call("Grep", json!({"pattern": "hit", "path": "d"})).await.text;
    assert_eq!(named, "d/a\n[everything here is ignored by git; it was searched because it is named]");
}

#[tokio::test]
async fn parts_that_cannot_be_searched_are_named() {
    let session = Session::new();
    session.write("a", "hit\n");
    crate::harness::unreadable(&session.root, "deep");
    for (tool, input) in [("Grep", json!({"pattern": "hit"})), ("Glob", json!({"pattern": "**/a"}))] {
        let answer = session.call(tool, input).await;
        assert!(
            answer.text.starts_with("a\n[incomplete: 1 path(s) could not be searched: deep/"),
            "{}",
            answer.text
        );
    }
}

#[tokio::test]
async fn a_cancelled_search_gives_nothing() {
    let session = Session::new();
    session.write("a", "hit\n");
    for (tool, input) in [
        ("Grep", json!({"pattern": "hit"})),
        ("Grep", json!({"pattern": "hit", "path": "a"})),
        ("Glob", json!({"pattern": "**/*"})),
    ] {
        let answer = session.call_cancelled(tool, input).await;
        assert!(answer.is_error && answer.text.contains("interrupted"), "{tool}: {}", answer.text);
    }
}

#[tokio::test]
async fn only_the_matching_parts_are_those_of_ripgrep() {
    let session = Session::new();
    session.write("f", "ab1\n22\n\nc 3 44\nend\n");
    session.write("g", "xa\nb\nxa\nc\n");
    session.write("h", "a\r\nbb\r\n");
    // What `rg -on` and `rg -Uon` say.
    for (path, pattern, multiline, expected) in [
        (
            "f",
            "[0-9]*",
            false,
            &["1:", "1:", "1:1", "2:22", "3:", "4:", "4:", "4:3", "4:44", "5:", "5:", "5:", "5:"][..],
        ),
        ("f", "$", false, &["1:", "2:", "3:", "4:", "5:"]),
        ("f", r"\b", false, &["1:", "1:", "2:", "2:", "4:", "4:", "4:", "4:", "4:", "4:", "5:", "5:"]),
        ("f", r"1\n22", true, &["1:1", "2:22"]),
        ("f", r"(?s)2\n.*?4", true, &["2:2", "4:c 3 4"]),
        ("f", r"44\n", true, &["4:44"]),
        ("f", r"\s+", true, &["4: ", "4: "]),
        ("f", "[0-9]+$", true, &["1:1", "2:22", "4:44"]),
        ("f", "^", true, &[]),
        ("f", r"\n", true, &[]),
        ("g", r"\Ax", true, &["1:x"]),
        ("g", r"xa\n\b", true, &["1:xa", "3:xa"]),
        ("g", r"c\n\z", true, &["4:c"]),
        ("g", "a$", true, &["1:a", "3:a"]),
        ("g", r"b\n(xa)", true, &["2:b", "3:xa"]),
        ("h", "$", false, &["1:", "2:"]),
        ("h", ".$", false, &["1:a", "2:b"]),
    ] {
        let input = json!({"pattern": pattern, "path": path, "output_mode": "content", "-o": true, "multiline": multiline});
        let answer = session.call("Grep", input).await;
        let lines: Vec<String> = expected.iter().map(|line| format!("{path}:{line}")).collect();
        let shown = answer.data["content"].as_str().unwrap_or_default();
        assert_eq!(shown, lines.join("\n"), "{pattern:?} {}", answer.text);
    }
}
