//! Read, Grep, Edit and Write of short files in legacy encodings: the right letters are shown, found and replaced, and
//! every other byte stays.

use crate::harness::Session;
use encoding_rs::Encoding;
use serde_json::json;

/// Encoding, how Read names it, the file with `OLD` where the edit is, what stands there, what shall stand there.
const FILES: &[(&str, &str, &str, &str, &str)] = &[
    ("windows-1252", "Latin-1 (Windows-1252)", "# na[OLD]\r\nx = 1\n", "ïve", "ïveté"),
    ("windows-1252", "Latin-1 (Windows-1252)", "// [OLD] prüfen\nint x;\n", "Länge", "Größe"),
    ("windows-1252", "Latin-1 (Windows-1252)", "id;prix\n1;[OLD]\n", "5 €", "6 €"),
    ("windows-1252", "Latin-1 (Windows-1252)", "say = “[OLD]”\n", "it’s", "señor"),
    ("windows-1252", "Latin-1 (Windows-1252)", "nome = '[OLD]'\n", "configuração", "opções"),
    ("shift_jis", "Shift_JIS", "int x; // [OLD]\n", "設定", "表示"),
    ("shift_jis", "Shift_JIS", "[OLD]\n", "日本語", "テスト"),
    ("gb18030", "GB18030", "x = 1  # [OLD]\r\n", "计数", "数据"),
    ("gb18030", "GB18030", "姓名,年龄\n[OLD],20\n", "张三", "李四"),
    ("euc-jp", "EUC-JP", "/* [OLD]を開く */\n", "ファイル", "画面"),
    ("euc-kr", "EUC-KR", "// [OLD]을 읽는다\n", "파일", "이름"),
    ("big5", "Big5", "// 讀取[OLD]\nint x;\n", "設定檔", "資料庫"),
    ("windows-1251", "windows-1251", "x = 1  # [OLD]\n", "счётчик", "проверка"),
    ("koi8-r", "KOI8-R", "/* [OLD] ввода */\n", "Проверка", "Ошибка"),
    ("windows-1250", "windows-1250", "// Sprawdź [OLD]\nint x;\n", "długość ścieżki", "żółty"),
];

fn encoded(label: &str, text: &str) -> Vec<u8> {
    let (bytes, _, lossy) = Encoding::for_label(label.as_bytes()).unwrap().encode(text);
    assert!(!lossy, "{label} {text}");
    bytes.into_owned()
}

#[tokio::test]
async fn the_right_letters_are_read_found_and_replaced() {
    let session = Session::new();
    for (at, (label, name, file, old, new)) in FILES.iter().enumerate() {
        let path = format!("f{at}");
        let (before, after) = file.split_once("[OLD]").unwrap();
        let bytes = |middle: &str| [before, middle, after].map(|part| encoded(label, part)).concat();
        session.write(&path, bytes(old));

        let shown = session.call("Read", json!({"file_path": path})).await;
        assert!(
            shown.text.contains(old) && shown.text.contains(&format!("[encoding: {name}]")),
            "{}",
            shown.text
        );

        let found =
            session.call("Grep", json!({"pattern": old, "path": path, "output_mode": "content"})).await;
        assert!(!found.is_error && found.text.contains(old), "{label} {old}: {}", found.text);

        let edit = json!({"file_path": path, "old_string": old, "new_string": new});
        let edited = session.call("Edit", edit).await;
        assert!(!edited.is_error, "{label} {old}: {}", edited.text);
        assert_eq!(session.bytes(&path), bytes(new), "{label} {new}");

        let again = session.call("Read", json!({"file_path": path})).await;
        assert!(again.text.contains(new), "{label} {new}: {}", again.text);
        let whole = [before, old, after].concat();
        let written = session.call("Write", json!({"file_path": path, "content": whole})).await;
        assert!(!written.is_error, "{label} {old}: {}", written.text);
        assert_eq!(session.bytes(&path), bytes(old), "{label} {old}");
    }
}

#[tokio::test]
async fn letters_that_the_encoding_has_not_change_nothing() {
    let session = Session::new();
    let bytes = encoded("shift_jis", "int x; // 設定\n");
    session.write("f", &bytes);
    session.call("Read", json!({"file_path": "f"})).await;
    let edit = json!({"file_path": "f", "old_string": "設定", "new_string": "señor"});
    let refused = session.call("Edit", edit).await;
    assert!(refused.is_error && refused.text.contains("Shift_JIS"), "{}", refused.text);
    assert_eq!(session.bytes("f"), bytes);
}
