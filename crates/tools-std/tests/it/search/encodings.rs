//! Grep in files that are not UTF-8, or no text.

use crate::harness::Session;
use serde_json::{Value, json};

async fn content(session: &Session, more: Value) -> String {
    let mut input = json!({"output_mode": "content"});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    session.call("Grep", input).await.text
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

#[tokio::test]
async fn letters_are_found_in_every_encoding_that_is_recognised() {
    let session = Session::new();
    let japanese = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\nhit 猫\n";
    let chinese = "天地玄黄,宇宙洪荒。日月盈昃,辰宿列张。寒来暑往,秋收冬藏。\nhit 猫\n";
    session.write("sjis", encoding_rs::SHIFT_JIS.encode(japanese).0);
    session.write("gb", encoding_rs::GB18030.encode(chinese).0);
    session.write("utf8", japanese);
    session.write("utf8bom", format!("\u{feff}{japanese}"));
    session.write("utf16be", utf16(&format!("\u{feff}{japanese}"), u16::to_be_bytes));
    session.write("utf16le", utf16(&format!("\u{feff}{japanese}"), u16::to_le_bytes));
    let bare = format!("{}{japanese}", "plain words first, so that it can be told\n".repeat(20));
    session.write("utf16bare", utf16(&bare, u16::to_le_bytes));
    let names = ["gb", "sjis", "utf16bare", "utf16be", "utf16le", "utf8", "utf8bom"];
    let lines = |number: usize| {
        let line = |name: &&str| {
            let number = if *name == "utf16bare" { number + 20 } else { number };
            format!("{name}:{number}:hit 猫")
        };
        names.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    // By letters of the language, and by ASCII: in both cases lines are shown as they read.
    assert_eq!(content(&session, json!({"pattern": "hit 猫"})).await, lines(2));
    assert_eq!(content(&session, json!({"pattern": "^hit"})).await, lines(2));
    assert_eq!(content(&session, json!({"pattern": "hit \\x{732b}"})).await, lines(2));
    let only = content(&session, json!({"pattern": "hit.*", "-o": true, "-n": false})).await;
    assert_eq!(only.lines().next(), Some("gb:hit 猫"));
    let count = session.call("Grep", json!({"pattern": "猫", "output_mode": "count"})).await;
    assert_eq!((&count.data["totalFiles"], &count.data["numMatches"]), (&json!(7), &json!(13)));
}

#[tokio::test]
async fn latin1_is_found_by_its_letters() {
    let session = Session::new();
    session.write("latin1", b"Gr\xfc\xdfe aus \xd6sterreich\n");
    session.write("utf8", "Grüße aus Österreich\n");
    for pattern in ["grüße", "ÖSTERREICH$", "Gr\\x{fc}", "(?-i)Gr\\p{L}{3} "] {
        let text = content(&session, json!({"pattern": pattern, "-i": true})).await;
        assert_eq!(text, "latin1:1:Grüße aus Österreich\nutf8:1:Grüße aus Österreich", "{pattern}");
    }
}

#[tokio::test]
async fn binary_files_say_that_they_match_and_never_show_themselves() {
    let session = Session::new();
    session.write("early", b"hit\n\0\x01\x02\n");
    session.write("late", b"\0\x01\x02\nhit\n");
    let on_the_way = content(&session, json!({"pattern": "hit"})).await;
    // As ripgrep: a file is left at its first NUL unless it is named.
    assert!(on_the_way == "No matches found" || on_the_way == "early: binary file matches", "{on_the_way}");
    for name in ["early", "late"] {
        let text = content(&session, json!({"pattern": "hit", "path": name})).await;
        assert_eq!(text, format!("{name}: binary file matches"));
        let text = content(&session, json!({"pattern": "hit", "path": name, "offset": 1})).await;
        assert_eq!(text, "No entries at this offset: there are 1 lines");
    }
}

#[tokio::test]
async fn line_ends_of_windows_are_no_part_of_lines() {
    let session = Session::new();
    session.write("a", "one\r\ntwo\r\n\r\nlast");
    assert_eq!(content(&session, json!({"pattern": "^$"})).await, "a:3:");
    assert_eq!(content(&session, json!({"pattern": "o$"})).await, "a:2:two");
    assert_eq!(content(&session, json!({"pattern": "last$"})).await, "a:4:last");
    assert_eq!(
        content(&session, json!({"pattern": "one\\r\\ntwo", "multiline": true})).await,
        "a:1:one\na:2:two"
    );
}

#[tokio::test]
async fn utf_8_with_stray_bytes_is_searched_and_shown_as_utf_8() {
    let session = Session::new();
    session.write("f", b"caf\xc3\xa9 \xc3\xbcn\xc3\xaf\nbad \xff caf\xc3\xa9\n");
    // The damage lies behind what a file is recognised by.
    let late = "log line é ok\n".repeat(20_000);
    session.write("late", [late.as_bytes(), b"caf\xc3\xa9 \xc3\xa9 \xff\n"].concat());
    let expected = "f:1:café ünï\nf:2:bad \u{10feff} café\nlate:20001:café é \u{10feff}";
    assert_eq!(content(&session, json!({"pattern": "café"})).await, expected);
}
