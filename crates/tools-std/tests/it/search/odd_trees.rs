//! Trees with odd names, links, pipes, ignore files; and calls that name odd places.

use crate::harness::{Denies, Session};
use pegboard_tools_std::Services;
use serde_json::json;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn names_that_are_no_text_are_shown_on_one_line_and_said_to_be_odd() {
    let session = Session::new();
    std::fs::write(session.root.join(OsStr::from_bytes(b"bad\xff.txt")), "hit\n").unwrap();
    std::fs::write(session.root.join("two\nlines.txt"), "hit\n").unwrap();
    for (tool, input) in [
        ("Glob", json!({"pattern": "*.txt"})),
        ("Glob", json!({"pattern": "**/*.txt"})),
        ("Glob", json!({"pattern": "[bt]*.{txt,md}"})),
        ("Grep", json!({"pattern": "hit"})),
        ("Grep", json!({"pattern": "hit", "output_mode": "content"})),
    ] {
        let answer = session.call(tool, input.clone()).await;
        let lines: Vec<&str> = answer.text.lines().collect();
        assert_eq!(lines.len(), 3, "{input}: {}", answer.text);
        assert!(lines.iter().any(|line| line.starts_with("bad\u{fffd}.txt")), "{}", answer.text);
        assert!(lines.iter().any(|line| line.starts_with("two\\nlines.txt")), "{}", answer.text);
        assert!(lines[2].starts_with("[some names are not UTF-8"), "{}", answer.text);
    }
}

#[tokio::test]
async fn pipes_devices_and_broken_links_hold_nothing_up() {
    let session = Session::new();
    session.write("a", "hit\n");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        session.root.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    symlink("/dev/zero", session.root.join("zero")).unwrap();
    symlink("gone", session.root.join("broken")).unwrap();
    let both = async {
        assert_eq!(session.call("Grep", json!({"pattern": "hit"})).await.text, "a");
        for path in ["pipe", "zero"] {
            let answer = session.call("Grep", json!({"pattern": "hit", "path": path})).await;
            assert!(answer.is_error && answer.text.contains("not a regular file"), "{path}: {}", answer.text);
        }
        let glob = session.call("Glob", json!({"pattern": "*"})).await;
        assert!(!glob.text.contains("broken"), "{}", glob.text);
    };
    tokio::time::timeout(Duration::from_secs(30), both).await.unwrap();
}

#[tokio::test]
async fn a_folder_that_is_named_is_searched_although_it_is_ignored() {
    let session = Session::new();
    session.write(".git/HEAD", "hit\n");
    session.write(".gitignore", "dist/*\ncache/\n*.log\n");
    session.write("dist/a.js", "hit\n");
    session.write("cache/b.js", "hit\n");
    session.write("venv/.gitignore", "*\n");
    session.write("venv/c.py", "hit\n");
    session.write("logs/d.log", "hit\n");
    session.write("logs/e.txt", "hit\n");
    let named = "\n[everything here is ignored by git; it was searched because it is named]";
    for (path, expected) in [
        (None, "logs/e.txt".to_owned()),
        (Some("dist"), format!("dist/a.js{named}")),
        (Some("cache"), "cache/b.js".to_owned()),
        (Some("venv"), format!("venv/c.py{named}")),
        (Some("logs"), "logs/e.txt".to_owned()),
        (Some("logs/d.log"), "logs/d.log".to_owned()),
        (Some(".git"), ".git/HEAD".to_owned()),
    ] {
        let answer = session.call("Grep", json!({"pattern": "hit", "path": path})).await;
        assert_eq!(answer.text, expected, "{path:?}");
    }
}

#[tokio::test]
async fn patterns_and_paths_of_glob() {
    let session = Session::new();
    session.write("src/a.rs", "");
    session.write("src/sub/b.rs", "");
    session.write("a{b}.txt", "");
    symlink("src", session.root.join("link")).unwrap();
    let root = session.root.display().to_string();
    for (input, expected) in [
        (json!({"pattern": "*.rs", "path": "src"}), "src/a.rs"),
        (json!({"pattern": "./src/./*.rs"}), "src/a.rs"),
        (json!({"pattern": "../src/*.rs", "path": "src"}), "src/a.rs"),
        (json!({"pattern": format!("{root}/src/*.rs")}), "src/a.rs"),
        (json!({"pattern": format!("{root}/src/*.rs"), "path": "link"}), "src/a.rs"),
        (json!({"pattern": "link/*.rs"}), "link/a.rs"),
        (json!({"pattern": "*.rs", "path": "link"}), "link/a.rs"),
        (json!({"pattern": "src/{sub,none}/[a-c].rs"}), "src/sub/b.rs"),
        (json!({"pattern": "a\\{b\\}.txt"}), "a{b}.txt"),
        (json!({"pattern": "src/sub/b.rs"}), "src/sub/b.rs"),
    ] {
        assert_eq!(session.call("Glob", input.clone()).await.text, expected, "{input}");
    }
    for (input, says) in [
        (json!({"pattern": "src/*/../a.rs"}), "`..` comes after a wildcard"),
        (json!({"pattern": "*", "path": "src/a.rs"}), "is a file"),
        (json!({"pattern": format!("{root}/*"), "path": "gone"}), "does not exist"),
    ] {
        let answer = session.call("Glob", input.clone()).await;
        assert!(answer.is_error && answer.text.contains(says), "{input}: {}", answer.text);
    }
    // Letter case counts.
    assert!(session.call("Glob", json!({"pattern": "src/*.RS"})).await.text.starts_with("No files found"));
    let off = Session::new().env("CLAUDE_CODE_GLOB_NO_IGNORE", "0").env("CLAUDE_CODE_GLOB_HIDDEN", "off");
    off.write(".env", "");
    let answer = off.call("Glob", json!({"pattern": ".env"})).await;
    assert!(
        answer.text.contains("[ignored and hidden files were left out, as the settings say]"),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn a_folder_that_a_rule_denies_is_no_place_to_search() {
    let session = Session::with(Services::new().with_access_policy(Arc::new(Denies("secret"))));
    session.write("secret/f", "hit\n");
    for (tool, input) in [
        ("Grep", json!({"pattern": "hit", "path": "secret"})),
        ("Grep", json!({"pattern": "hit", "path": "secret/f"})),
        ("Glob", json!({"pattern": "*", "path": "secret"})),
        ("Glob", json!({"pattern": "secret/*"})),
    ] {
        let answer = session.call(tool, input.clone()).await;
        assert!(
            answer.is_error && answer.text.contains("may not be read"),
            "{tool} {input}: {}",
            answer.text
        );
    }
}

#[tokio::test]
async fn unknown_types_name_those_that_are_near() {
    let session = Session::new();
    session.write("a.ts", "hit\n");
    let answer = session.call("Grep", json!({"pattern": "hit", "type": "rs"})).await;
    assert_eq!(answer.text, "unrecognized file type: rs; did you mean `rust`? Or filter by `glob`");
    assert!(answer.is_error);
    for glob in ["*.{md,sh", "[z", "{a"] {
        let answer = session.call("Grep", json!({"pattern": "hit", "glob": glob})).await;
        assert!(answer.is_error, "{glob}: {}", answer.text);
    }
    let answer = session.call("Grep", json!({"pattern": "hit", "glob": "*.none"})).await;
    assert!(answer.text.contains("[no file passes the filter (glob `*.none`), so nothing was searched]"));
}

#[tokio::test]
async fn patterns_of_every_kind() {
    let session = Session::new();
    session.write("a", "-77\n--x\nx -> y\n\tif (a) {\nfn main() {}\n");
    for (pattern, expected) in [
        ("-77", "a:1:-77"),
        ("--x", "a:2:--x"),
        ("->", "a:3:x -> y"),
        ("^\\tif \\(a\\) \\{$", "a:4:\tif (a) {"),
        ("fn\\s+(?P<name>\\w+)\\(", "a:5:fn main() {}"),
        ("(?i)FN MAIN", "a:5:fn main() {}"),
        ("\\bmain\\b", "a:5:fn main() {}"),
    ] {
        let answer = session.call("Grep", json!({"pattern": pattern, "output_mode": "content"})).await;
        assert_eq!(answer.text, expected, "{pattern}");
    }
    for (pattern, says) in [
        ("(", "unclosed group"),
        ("a{99999999}", "exceeds"),
        ("(?=x)", "look-around"),
        ("\\1", "backreferences are not supported"),
        ("a**{2,1}", "invalid repetition count range"),
    ] {
        let answer = session.call("Grep", json!({"pattern": pattern})).await;
        assert!(answer.is_error && answer.text.contains(says), "{pattern}: {}", answer.text);
    }
}
