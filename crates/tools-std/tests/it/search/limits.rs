//! Pages, cuts, time and memory of Glob and Grep.

use crate::harness::Session;
use serde_json::{Value, json};
use std::io::Write as _;
use std::time::{Duration, SystemTime};

#[tokio::test]
async fn a_log_streams_with_its_context() {
    let session = Session::new();
    let file = std::fs::File::create(session.root.join("log")).unwrap();
    let mut log = std::io::BufWriter::new(file);
    for n in 0..400_000 {
        writeln!(log, "{n} {}", if n % 1_000 == 7 { "hit" } else { "quiet as a mouse, and a bit longer" })
            .unwrap();
    }
    log.flush().unwrap();
    drop(log);
    let input = json!({
        "pattern": "hit", "output_mode": "content", "-B": 100_000, "-A": 1, "offset": 300_000, "head_limit": 2,
        "path": "log",
    });
    let answer = session.call("Grep", input).await;
    assert!(answer.text.starts_with("log-300001-300000 quiet as a mouse"), "{}", answer.text);
    assert!(answer.text.contains("[at most 5000 lines of context are shown]"), "{}", answer.text);
    assert_eq!(answer.data["numMatches"], json!(400));
    assert_eq!(answer.data["numLines"], json!(2));
}

#[tokio::test]
async fn all_lines_of_a_large_answer_come_page_by_page() {
    let session = Session::new();
    let line = format!("hit {}\n", "x".repeat(400));
    for name in ["a", "b"] {
        session.write(name, line.repeat(15_000));
    }
    let (mut offset, mut seen, mut pages) = (0, 0, 0);
    while offset < 30_000 {
        let input = json!({"pattern": "hit", "output_mode": "content", "head_limit": 0, "offset": offset});
        let answer = session.call("Grep", input).await;
        assert_eq!(answer.data["totalLines"], json!(30_000));
        let content = answer.data["content"].as_str().unwrap();
        assert!(content.len() < 9 * 1024 * 1024, "{}", content.len());
        let first = content.lines().next().unwrap();
        let expected = format!("{}:{}:hit", if offset < 15_000 { "a" } else { "b" }, offset % 15_000 + 1);
        assert!(first.starts_with(&expected), "{offset}: {first:.40}");
        seen += content.lines().count();
        offset += answer.data["numLines"].as_u64().unwrap() as usize;
        pages += 1;
        if offset < 30_000 {
            assert!(answer.text.contains(&format!("go on with offset {offset}")), "no way on");
        }
    }
    assert_eq!(seen, 30_000);
    assert!(pages > 1);
}

#[tokio::test]
async fn very_long_lines_are_cut_around_the_match() {
    let session = Session::new();
    session.write("min.js", format!("{}hit{}", "a".repeat(3_000_000), "b".repeat(3_000_000)));
    let answer = session.call("Grep", json!({"pattern": "hit", "output_mode": "content"})).await;
    assert!(answer.text.chars().count() < 700 && answer.text.contains("hit"), "{:.200}", answer.text);
    assert!(answer.text.contains("[line cut: characters 2999801 to 3000300 of 6000003]"), "{}", answer.text);
    let answer =
        session.call("Grep", json!({"pattern": ".*hit.*", "output_mode": "content", "-o": true})).await;
    assert!(answer.text.chars().count() < 700 && answer.text.contains("line cut"), "{:.200}", answer.text);
}

#[tokio::test]
async fn paging_in_every_mode_shows_each_entry_once() {
    let session = Session::new();
    for n in 0..23 {
        session.write(&format!("{n:02}"), "hit\nhit\n");
        let file = std::fs::File::options().write(true).open(session.root.join(format!("{n:02}"))).unwrap();
        // Ties are broken by the name.
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(n / 5)).unwrap();
    }
    for (mode, total) in [("files_with_matches", 23_usize), ("count", 23), ("content", 46)] {
        let mut seen: Vec<String> = Vec::new();
        for offset in (0..total + 7).step_by(7) {
            let input = json!({"pattern": "hit", "output_mode": mode, "head_limit": 7, "offset": offset});
            let data = session.call("Grep", input).await.data;
            let lines: Vec<String> = match data["content"].as_str() {
                Some(content) => content.lines().map(str::to_owned).collect(),
                None => data["filenames"].as_array().unwrap().iter().map(|name| name.to_string()).collect(),
            };
            assert_eq!(lines.len(), 7.min(total.saturating_sub(offset)), "{mode} {offset}");
            seen.extend(lines);
        }
        let mut unique = seen.clone();
        unique.sort();
        unique.dedup();
        assert_eq!((seen.len(), unique.len()), (total, total), "{mode}");
    }
    let newest = session.call("Grep", json!({"pattern": "hit", "head_limit": 5})).await;
    assert!(newest.text.starts_with("20\n21\n22\n15\n16\n"), "{}", newest.text);
    let newest = session.call("Glob", json!({"pattern": "*"})).await;
    assert!(newest.text.starts_with("20\n21\n22\n15\n16\n"), "{}", newest.text);
}

#[tokio::test]
async fn time_limits_and_switches_come_from_the_environment() {
    let session = Session::new()
        .env("PEGBOARD_GREP_TIMEOUT_SECONDS", "soon")
        .env("CLAUDE_CODE_GLOB_TIMEOUT_SECONDS", "-1")
        .env("CLAUDE_CODE_GLOB_HIDDEN", "perhaps")
        .env("USE_BUILTIN_RIPGREP", "0");
    session.write("a", "hit\n");
    let grep = session.call("Grep", json!({"pattern": "hit"})).await;
    assert_eq!(
        grep.text,
        "a\n[PEGBOARD_GREP_TIMEOUT_SECONDS is no number of seconds; 60 counts]\n\
         [USE_BUILTIN_RIPGREP=0 does not count: the engine is ripgrep's own, in this process]"
    );
    let glob = session.call("Glob", json!({"pattern": "*"})).await;
    assert_eq!(
        glob.text,
        "a\n[CLAUDE_CODE_GLOB_HIDDEN is neither true nor false and does not count]\n\
         [CLAUDE_CODE_GLOB_TIMEOUT_SECONDS is no number of seconds; 20 counts]"
    );
    // Once a session is enough.
    for (tool, input) in [("Grep", json!({"pattern": "hit"})), ("Glob", json!({"pattern": "*"}))] {
        assert_eq!(session.call(tool, input).await.text, "a");
    }
}

#[tokio::test]
async fn people_see_what_was_found_in_a_line() {
    let session = Session::new();
    for n in 0..130 {
        session.write(&format!("{n}"), "hit\nhit\n");
    }
    for (tool, input, says) in [
        ("Glob", json!({"pattern": "*"}), "100 of 130 files"),
        ("Glob", json!({"pattern": "7"}), "1 file"),
        ("Glob", json!({"pattern": "x"}), "0 files"),
        ("Grep", json!({"pattern": "hit"}), "130 files"),
        (
            "Grep",
            json!({"pattern": "hit", "output_mode": "content", "head_limit": 3}),
            "260 matches in 130 files",
        ),
        ("Grep", json!({"pattern": "hit", "output_mode": "count", "path": "1"}), "2 matches in 1 file"),
        ("Grep", json!({"pattern": "zzz", "output_mode": "content"}), "0 matches in 0 files"),
    ] {
        let data: Value = session.call(tool, input.clone()).await.data;
        assert_eq!(session.tool(tool).render_result(&data).as_deref(), Some(says), "{tool} {input}");
    }
}
