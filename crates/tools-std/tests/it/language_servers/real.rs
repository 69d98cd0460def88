//! Real servers: rust-analyzer, pyright, typescript-language-server. They are looked for on PATH and in
//! `target/language-servers/node_modules/.bin` of the workspace.

use super::{ask, ask_ok};
use crate::harness::{Session, left_out};
use pegboard_tools_std::lsp::stop_language_servers;
use serde_json::json;
use std::process::{Command, Stdio};

/// A trusted session on these files, where the program is installed and runs.
fn session(program: &str, files: &[(&str, &str)]) -> Option<Session> {
    let local = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/language-servers/node_modules/.bin");
    let local = std::path::absolute(local).unwrap();
    let path = format!("{}:{}", local.display(), std::env::var("PATH").unwrap());
    let mut session = Session::new().env("PATH", &path);
    for name in ["HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"] {
        if let Ok(value) = std::env::var(name) {
            session = session.env(name, &value);
        }
    }
    session.snapshot.trusted = true;
    for (name, text) in files {
        session.write(name, text);
    }
    let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file());
    let works = found.is_some_and(|file| {
        // A program of rustup stands for one that may not be installed.
        let mut command = Command::new(file);
        command
            .arg("--version")
            .env("PATH", &path)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        program != "rust-analyzer" || command.status().is_ok_and(|status| status.success())
    });
    if !works {
        left_out(program);
        return None;
    }
    Some(session)
}

#[tokio::test]
async fn rust_analyzer_knows_a_crate() {
    let Some(session) = session(
        "rust-analyzer",
        &[
            ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            (
                "src/lib.rs",
                "mod shape;\n/* 漢😀 */ pub use shape::area;\n\n/// Twice the area.\npub fn twice(side: u32) -> u32 {\n    2 * area(side)\n}\n",
            ),
            (
                "src/shape.rs",
                "/// The area of a square.\npub fn area(side: u32) -> u32 {\n    side * side\n}\n\npub trait Shape {}\npub struct Square;\nimpl Shape for Square {}\n",
            ),
        ],
    ) else {
        return;
    };
    let lib = "src/lib.rs";
    let text =
        ask_ok(&session, json!({"operation": "definition", "file_path": lib, "line": 6, "symbol": "area"}))
            .await;
    assert_eq!(text, "src/shape.rs:2:8: pub fn area(side: u32) -> u32 {");
    let text =
        ask_ok(&session, json!({"operation": "definition", "file_path": lib, "line": 2, "symbol": "area"}))
            .await;
    assert_eq!(text, "src/shape.rs:2:8: pub fn area(side: u32) -> u32 {");
    let text = ask_ok(
        &session,
        json!({"operation": "references", "file_path": "src/shape.rs", "line": 2, "symbol": "area"}),
    )
    .await;
    let expected = "src/lib.rs:2:25: /* 漢😀 */ pub use shape::area;\nsrc/lib.rs:6:9: 2 * area(side)\n\
                    src/shape.rs:2:8: pub fn area(side: u32) -> u32 {";
    assert_eq!(text, expected);
    let text =
        ask_ok(&session, json!({"operation": "hover", "file_path": lib, "line": 6, "symbol": "area"})).await;
    assert!(
        text.contains("pub fn area(side: u32) -> u32") && text.contains("The area of a square."),
        "{text}"
    );
    let text = ask_ok(
        &session,
        json!({"operation": "implementation", "file_path": "src/shape.rs", "symbol": "Shape"}),
    )
    .await;
    assert!(text.starts_with("src/shape.rs:8:"), "{text}");
    let text = ask_ok(
        &session,
        json!({"operation": "incoming_calls", "file_path": "src/shape.rs", "symbol": "area"}),
    )
    .await;
    assert_eq!(text, "src/lib.rs:5:8: function twice: called in line 6");
    let text =
        ask_ok(&session, json!({"operation": "outgoing_calls", "file_path": lib, "symbol": "twice"})).await;
    assert_eq!(text, "src/shape.rs:2:8: function area: called in line 6 of src/lib.rs");
    let text = ask_ok(&session, json!({"operation": "document_symbols", "file_path": "src/shape.rs"})).await;
    assert!(text.contains("function area: fn(side: u32) -> u32 (line 2)"), "{text}");
    let text = ask_ok(&session, json!({"operation": "workspace_symbols", "query": "Square"})).await;
    assert!(text.contains("src/shape.rs:7:12: struct Square"), "{text}");
    let text = ask_ok(&session, json!({"operation": "diagnostics", "file_path": lib})).await;
    assert_eq!(text, "No errors or warnings.");
    // A change is seen at once.
    session.write(lib, "pub fn broken() -> u32 {\n    nowhere::nothing(1\n}\n");
    let text = ask_ok(&session, json!({"operation": "diagnostics", "file_path": lib})).await;
    assert!(text.contains("src/lib.rs:2:") && text.contains("error"), "{text}");
    stop_language_servers(&session.ctx().session).await;
}

#[tokio::test]
async fn pyright_knows_a_package() {
    let Some(session) = session(
        "pyright-langserver",
        &[
            ("pyproject.toml", "[project]\nname = \"a\"\n"),
            (
                "shape.py",
                "def area(side: int) -> int:\n    \"\"\"The area of a square.\"\"\"\n    return side * side\n",
            ),
            (
                "main.py",
                "from shape import area\n\n\ndef twice(side: int) -> int:\n    _ = \"漢😀\"; x = area(side)\n    return 2 * x\n",
            ),
        ],
    ) else {
        return;
    };
    let at = json!({"operation": "definition", "file_path": "main.py", "line": 5, "symbol": "area"});
    assert_eq!(ask_ok(&session, at).await, "shape.py:1:5: def area(side: int) -> int:");
    let at = json!({"operation": "hover", "file_path": "main.py", "line": 5, "symbol": "area"});
    let text = ask_ok(&session, at).await;
    assert!(text.contains("(side: int) -> int") && text.contains("The area of a square."), "{text}");
    let at = json!({"operation": "references", "file_path": "shape.py", "line": 1, "symbol": "area"});
    let text = ask_ok(&session, at).await;
    assert!(text.contains("main.py:5:19: _ = \"漢😀\"; x = area(side)"), "{text}");
    let at = json!({"operation": "incoming_calls", "file_path": "shape.py", "symbol": "area"});
    assert_eq!(ask_ok(&session, at).await, "main.py:4:5: function twice: called in line 5");
    let text = ask_ok(&session, json!({"operation": "workspace_symbols", "query": "twice"})).await;
    assert!(text.contains("main.py:4:5: function twice"), "{text}");
    let check = json!({"operation": "diagnostics", "file_path": "main.py"});
    assert_eq!(ask_ok(&session, check.clone()).await, "No errors or warnings.");
    session.write("main.py", "x: int = \"text\"\n");
    let text = ask_ok(&session, check).await;
    assert!(text.starts_with("main.py:1:10: error reportAssignmentType (Pyright): "), "{text}");
    let implementation =
        ask(&session, json!({"operation": "implementation", "file_path": "shape.py", "symbol": "area"}))
            .await;
    assert_eq!(implementation.text, "pyright cannot answer implementation");
    stop_language_servers(&session.ctx().session).await;
}

#[tokio::test]
async fn typescript_language_server_knows_a_package() {
    let Some(session) = session(
        "typescript-language-server",
        &[
            ("tsconfig.json", "{\"compilerOptions\": {\"strict\": true}, \"include\": [\"*.ts\"]}\n"),
            (
                "shape.ts",
                "/** The area of a square. */\nexport function area(side: number): number {\n  return side * side;\n}\nexport interface Shape {}\nexport class Square implements Shape {}\n",
            ),
            (
                "main.ts",
                "import { area } from \"./shape\";\n\nexport function twice(side: number): number {\n  const t = \"漢😀\"; return t.length * area(side);\n}\n",
            ),
        ],
    ) else {
        return;
    };
    let at = json!({"operation": "definition", "file_path": "main.ts", "line": 4, "symbol": "area"});
    assert_eq!(ask_ok(&session, at).await, "shape.ts:2:17: export function area(side: number): number {");
    let at = json!({"operation": "hover", "file_path": "main.ts", "line": 4, "symbol": "area"});
    let text = ask_ok(&session, at).await;
    assert!(text.contains("The area of a square."), "{text}");
    let at = json!({"operation": "references", "file_path": "shape.ts", "line": 2, "symbol": "area"});
    let text = ask_ok(&session, at).await;
    assert!(text.contains("main.ts:4:37: const t = \"漢😀\"; return t.length * area(side);"), "{text}");
    let at = json!({"operation": "implementation", "file_path": "shape.ts", "symbol": "Shape"});
    assert!(ask_ok(&session, at).await.contains("shape.ts:6:"));
    let at = json!({"operation": "outgoing_calls", "file_path": "main.ts", "symbol": "twice"});
    assert_eq!(ask_ok(&session, at).await, "shape.ts:2:17: function area: called in line 4 of main.ts");
    let check = json!({"operation": "diagnostics", "file_path": "main.ts"});
    assert_eq!(ask_ok(&session, check.clone()).await, "No errors or warnings.");
    session.write("main.ts", "const x: number = \"text\";\nexport { x };\n");
    let text = ask_ok(&session, check).await;
    assert!(text.contains("main.ts:1:7: error 2322 (typescript): "), "{text}");
    stop_language_servers(&session.ctx().session).await;
}
