//! PDF documents by pages (C-T-11).

use crate::harness::{Session, left_out};
use serde_json::json;
use std::fmt::Write as _;

/// A document with these contents of pages.
fn document(contents: &[String]) -> Vec<u8> {
    let count = contents.len();
    let kids: Vec<String> = (0..count).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {count} >>", kids.join(" ")),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    for (page, content) in contents.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
            5 + 2 * page
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    of_objects(&objects)
}

/// A document of these objects, the first of which is its catalog.
fn of_objects<S: AsRef<str>>(objects: &[S]) -> Vec<u8> {
    let (mut text, mut places) = ("%PDF-1.4\n".to_owned(), Vec::new());
    for (index, object) in objects.iter().enumerate() {
        places.push(text.len());
        writeln!(text, "{} 0 obj\n{}\nendobj", index + 1, object.as_ref()).unwrap();
    }
    let (start, size) = (text.len(), objects.len() + 1);
    write!(text, "xref\n0 {size}\n0000000000 65535 f \n").unwrap();
    for place in places {
        writeln!(text, "{place:010} 00000 n ").unwrap();
    }
    write!(text, "trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").unwrap();
    text.into_bytes()
}

/// A document of so many pages, that say their number.
pub(crate) fn numbered_pages(count: usize) -> Vec<u8> {
    let page =
        |number| format!("BT /F1 24 Tf 20 150 Td (This is page {number}) Tj 0 -30 Td (of {count}) Tj ET");
    document(&(1..=count).map(page).collect::<Vec<_>>())
}

/// A session without a renderer.
fn plain() -> Session {
    Session::new().env("PATH", "/nowhere:relative")
}

async fn read(session: &Session, pages: Option<&str>) -> crate::harness::Answer {
    let input = match pages {
        Some(pages) => json!({"file_path": "d.pdf", "pages": pages}),
        None => json!({"file_path": "d.pdf"}),
    };
    session.call("Read", input).await
}

#[tokio::test]
async fn c_t_11_pages_are_chosen() {
    let session = plain();
    session.write("d.pdf", numbered_pages(12));
    let answer = read(&session, None).await;
    assert!(
        answer.is_error
            && answer.text.contains("has 12 pages")
            && answer.text.contains("choose with `pages`"),
        "{}",
        answer.text
    );
    let answer = read(&session, Some("1-5")).await;
    assert_eq!(answer.data["file"]["pages"].as_array().unwrap().len(), 5);
    assert_eq!(answer.data["file"]["totalPages"], json!(12));
    assert!(
        answer.text.contains("[page 5 of 12]\nThis is page 5\nof 12") && !answer.text.contains("page 6"),
        "{}",
        answer.text
    );
    for (pages, says) in [
        ("1-21", "at most 20"),
        ("12-13", "has 12 pages, so there is no page 13"),
        ("x", "no range"),
        ("0", "count from 1"),
    ] {
        let answer = read(&session, Some(pages)).await;
        assert!(answer.is_error && answer.text.contains(says), "{pages}: {}", answer.text);
    }
    for input in
        [json!({"file_path": "d.pdf", "pages": "1", "offset": 1}), json!({"file_path": "d.pdf", "limit": 3})]
    {
        let answer = session.call("Read", input).await;
        assert!(answer.is_error && answer.text.contains("offset and limit"), "{}", answer.text);
    }
}

#[tokio::test]
async fn without_a_renderer_there_is_text_and_a_notice() {
    let session = plain();
    session.write("d.pdf", numbered_pages(2));
    let answer = read(&session, None).await;
    assert!(answer.images().is_empty());
    insta::assert_snapshot!(answer.text, @r"
    [page 1 of 2]
    This is page 1
    of 2
    [page 2 of 2]
    This is page 2
    of 2
    [text only: pictures of the pages need `pdftoppm` (poppler-utils), which is not installed]
    ");
}

#[tokio::test]
async fn with_a_renderer_there_are_pictures_too() {
    let path = std::env::var("PATH").unwrap_or_default();
    let there = std::env::split_paths(&path).any(|folder| folder.join("pdftoppm").is_file());
    if !there {
        return left_out("pdftoppm");
    }
    let session = Session::new().env("PATH", &path).env("TMPDIR", "/tmp");
    session.write("d.pdf", numbered_pages(11));
    let answer = read(&session, Some("9-11")).await;
    assert_eq!(answer.images(), ["image/jpeg"; 3], "{}", answer.text);
    assert!(answer.text.contains("This is page 9"), "{}", answer.text);
    assert!(answer.data["file"]["pages"][2]["image"]["base64"].is_string());
    // The switch.
    let session = session.env("PEGBOARD_PDF_PICTURES", "0");
    let answer = read(&session, Some("9")).await;
    assert!(answer.images().is_empty() && !answer.text.contains("text only"), "{}", answer.text);
}

/// A renderer that is a script.
fn with_renderer(script: &str) -> Session {
    use std::os::unix::fs::PermissionsExt as _;
    let session = Session::new();
    session.write("bin/pdftoppm", format!("#!/bin/sh\n{script}\n"));
    let program = session.root.join("bin/pdftoppm");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    session.write("d.pdf", numbered_pages(2));
    session.env("PATH", &path).env("SECRET", "s3cret")
}

#[tokio::test]
async fn a_renderer_that_fails_costs_the_pictures_only() {
    for (script, says) in [
        ("exit 1", "[text only: the renderer could not draw these pages]"),
        (
            "echo no picture > $(dirname \"${11}\")/page-1.jpg",
            "[text only: the renderer could not draw these pages]",
        ),
        ("kill -9 $$", "[text only: the renderer could not draw these pages]"),
    ] {
        let session = with_renderer(script);
        let answer = read(&session, None).await;
        assert!(
            answer.text.contains("This is page 2") && answer.text.contains(says),
            "{script}: {}",
            answer.text
        );
        assert!(answer.images().is_empty());
    }
}

#[tokio::test]
async fn a_page_that_holds_too_much_is_said_once_and_not_drawn() {
    let session = with_renderer("touch \"$HOME/was-run\"; exit 1");
    let home = session.root.to_str().unwrap().to_owned();
    let session = session.env("HOME", &home);
    session.write("d.pdf", document(&[" ".repeat(65 << 20)]));
    let answer = read(&session, None).await;
    insta::assert_snapshot!(answer.text, @r"
    [page 1 of 1]
    [no text was read from this page]
    [the text of page 1 was not read to the end, there is too much of it]
    [text only: pages that hold too much are not drawn]
    ");
    assert!(!session.root.join("was-run").exists());
}

#[tokio::test]
async fn a_renderer_is_told_little_and_leaves_nothing() {
    let session = with_renderer("env > \"$HOME/told\"; pwd > \"$HOME/where\"; sleep 1000 & exit 0");
    let home = session.root.to_str().unwrap().to_owned();
    let session = session.env("HOME", &home);
    tokio::time::timeout(std::time::Duration::from_secs(30), read(&session, None)).await.unwrap();
    let told = String::from_utf8(session.bytes("told")).unwrap();
    assert!(told.contains("PATH=") && !told.contains("SECRET"), "{told}");
    let folder = String::from_utf8(session.bytes("where")).unwrap();
    assert!(folder.contains("pegboard-pdf-") && !std::path::Path::new(folder.trim()).exists(), "{folder}");
}

#[tokio::test]
async fn damaged_and_hostile_documents_are_errors_and_the_session_goes_on() {
    let session = plain();
    let whole = numbered_pages(3);
    let nested = format!("%PDF-1.4\n1 0 obj\n{}\nendobj\ntrailer << /Root 1 0 R >>", "[".repeat(100_000));
    let cycle = "%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >> endobj\ntrailer << /Root 1 0 R >>";
    for (name, bytes) in [
        ("header", b"%PDF-1.7\n".to_vec()),
        ("garbage", [&b"%PDF-1.7\n"[..], &[0xff, 0, 7].repeat(5_000)].concat()),
        ("nested", nested.into_bytes()),
        ("cycle", cycle.as_bytes().to_vec()),
        ("encrypted", include_bytes!("../../data/encrypted.pdf").to_vec()),
    ] {
        session.write("d.pdf", bytes);
        let answer =
            tokio::time::timeout(std::time::Duration::from_secs(30), read(&session, None)).await.unwrap();
        assert!(answer.is_error, "{name}: {}", answer.text);
        let says = if name == "encrypted" {
            "d.pdf is encrypted"
        } else {
            "looks like a PDF document but cannot be read"
        };
        assert!(answer.text.contains(says), "{name}: {}", answer.text);
    }
    // One that is cut may be mended.
    session.write("d.pdf", &whole[..whole.len() - 300]);
    let answer = read(&session, None).await;
    assert!(answer.text.contains("This is page 1"), "{}", answer.text);
    std::fs::File::create(session.root.join("huge")).unwrap();
    session.write("d.pdf", b"%PDF-1.7\n");
    std::fs::OpenOptions::new()
        .write(true)
        .open(session.root.join("d.pdf"))
        .unwrap()
        .set_len(200 << 20)
        .unwrap();
    let answer = read(&session, None).await;
    assert!(answer.is_error && answer.text.contains("at most 104.9 MB are read"), "{}", answer.text);
}

#[tokio::test]
async fn a_loop_in_the_tree_of_pages_costs_nothing_but_the_loop() {
    let session = plain();
    let content = |text: &str| {
        let content = format!("BT /F1 24 Tf 20 150 Td ({text}) Tj ET");
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len())
    };
    // The parent of a node in the loop is the node itself, and the font comes from there.
    let page = |contents: u32| {
        format!("<< /Type /Page /Parent 3 0 R /MediaBox [0 0 300 200] /Contents {contents} 0 R >>")
    };
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R 2 0 R 5 0 R 3 0 R] /Count 900000000 >>".to_owned(),
        "<< /Type /Pages /Parent 3 0 R /Kids [2 0 R 4 0 R 3 0 R] /Count 2 /Resources << /Font << /F1 8 0 R >> >> >>"
            .to_owned(),
        page(6),
        page(7),
        content("first"),
        content("second"),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    session.write("d.pdf", of_objects(&objects));
    let answer =
        tokio::time::timeout(std::time::Duration::from_secs(30), read(&session, None)).await.unwrap();
    assert!(answer.text.starts_with("[page 1 of 2]\nfirst\n[page 2 of 2]\nsecond\n"), "{}", answer.text);
}

#[tokio::test]
async fn what_stands_before_a_document_is_passed_over() {
    let session = plain();
    for junk in [
        b"\xef\xbb\xbf".to_vec(),
        b"\n\n".to_vec(),
        b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n".to_vec(),
        vec![0; 600],
        vec![b'x'; 1024],
    ] {
        session.write("d.pdf", [junk.clone(), numbered_pages(2)].concat());
        let answer = read(&session, Some("2")).await;
        assert!(answer.text.starts_with("[page 2 of 2]\nThis is page 2\n"), "{junk:?}: {}", answer.text);
    }
    session.write("d.pdf", [vec![b'x'; 1025], numbered_pages(2)].concat());
    let answer = read(&session, None).await;
    assert!(answer.is_error && answer.text.contains("is not a PDF although"), "{}", answer.text);
    // Text that says how a document begins is text.
    session.write("about.txt", "A document begins with %PDF-1.7 and a newline.\n");
    let answer = session.call("Read", json!({"file_path": "about.txt"})).await;
    assert!(answer.text.contains("1\tA document begins"), "{}", answer.text);
}

#[tokio::test]
async fn dingbats_are_shown_as_what_they_look_like() {
    let session = plain();
    for encoding in ["", "/Encoding /WinAnsiEncoding", "/Encoding << /Differences [1 /a73 /a20] >>"] {
        let content = "BT /F1 24 Tf 20 150 Td (n4) Tj (\\001\\002) Tj ET";
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>"
                .to_owned(),
            format!("<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+ZapfDingbats {encoding} >>"),
            format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        ];
        session.write("d.pdf", of_objects(&objects));
        let answer = read(&session, None).await;
        let expected =
            if encoding.contains("a73") { "\u{25a0}\u{2714}\u{25a0}\u{2714}" } else { "\u{25a0}\u{2714}" };
        assert_eq!(answer.data["file"]["pages"][0]["text"], json!(expected), "{encoding}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_document_that_everybody_may_open_needs_no_password() {
    let session = plain();
    session.write("d.pdf", include_bytes!("../../data/owner-password.pdf"));
    let answer = read(&session, None).await;
    assert_eq!(answer.data["file"]["pages"][0]["text"], json!("Encrypted words"), "{}", answer.text);
}

#[tokio::test]
async fn much_text_is_a_partial_view() {
    let session = plain().env("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", "10");
    session.write("d.pdf", numbered_pages(4));
    let answer = read(&session, None).await;
    assert!(answer.text.contains("PARTIAL view: pages 3-4 are left out"), "{}", answer.text);
    let session = session.env("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", "3");
    let answer = read(&session, Some("2")).await;
    assert!(
        answer.text.contains("[page 2 of 4]\nThis is page\n[PARTIAL view: 12 of 19 bytes"),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn operators_of_text_make_lines_and_words() {
    let session = plain();
    let content = "q 1 0 0 1 10 10 cm BT /F1 10 Tf 12 TL 0 150 Td [(Hel) -20 (lo) -400 (world)] TJ T* (second) Tj \
                   (third) ' 2 0 (fourth) \" ET Q BT /F1 10 Tf 1 0 0 1 10 60 Tm (left) Tj 1 0 0 1 150 60 Tm (right) Tj ET \
                   BT /F1 10 Tf 1 0 0 1 10 20 Tm (octal \\101 \\(x\\)) Tj ET";
    session.write("d.pdf", document(&[content.to_owned(), String::new()]));
    let answer = read(&session, Some("1")).await;
    insta::assert_snapshot!(answer.data["file"]["pages"][0]["text"].as_str().unwrap(), @r"
    Hello world
    second
    third
    fourth

    left	right

    octal A (x)
    ");
    let answer = read(&session, Some("2")).await;
    assert!(
        answer.text.contains(
            "[no text was read from this page]\n[the text of page 2 is empty: a scan or a drawing, perhaps]"
        ),
        "{}",
        answer.text
    );
}
