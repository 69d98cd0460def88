//! Handlers that post to an address, against a server of the test's own.

use crate::support::Place;
use pegboard_hooks::{HookConfig, HookOptions, Hooks, HttpRules};
use pegboard_tool_core::ports::{HookCall, HookDecision, HookReportOutcome, HookRunner as _, PreOutcome};
use pegboard_tool_core::{Origin, SettingSource, ToolContext};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Answers one request with these bytes, after all of it was read; gives its head and body. Without bytes it
/// never answers.
async fn serve(answer: Option<String>) -> (u16, tokio::task::JoinHandle<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let task = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let read = stream.read(&mut buffer).await.unwrap();
            request.extend_from_slice(&buffer[..read]);
            let text = String::from_utf8_lossy(&request);
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head.lines().find_map(|line| {
                line.to_lowercase().strip_prefix("content-length: ").and_then(|length| length.parse().ok())
            });
            if body.len() >= length.unwrap_or(0) {
                break;
            }
        }
        match answer {
            Some(answer) => {
                stream.write_all(answer.as_bytes()).await.unwrap();
                stream.shutdown().await.unwrap();
            }
            None => {
                // Until the other side gives up.
                while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
            }
        }
        let text = String::from_utf8(request).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), serde_json::from_str(body).unwrap())
    });
    (port, task)
}

fn response(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

fn ctx(place: &Place) -> ToolContext {
    let mut snapshot = place.snapshot();
    Arc::make_mut(&mut snapshot.env).insert("TOK".to_owned(), "secret".to_owned());
    ToolContext::new(Arc::new(snapshot))
}

async fn pre(handler: Value, rules: HttpRules, ctx: &ToolContext) -> (PreOutcome, Vec<String>) {
    let layers = vec![(Origin::of(SettingSource::User), json!({"PreToolUse": [{"hooks": [handler]}]}))];
    let (config, problems) = HookConfig::from_layers(layers, &HookOptions::new().with_http(rules));
    let input = json!({"command": "ls"});
    let said = Hooks::new(config).pre(&HookCall::new("Bash", &[], "t", &input, ctx)).await;
    (said, problems.iter().map(|problem| problem.text.clone()).collect())
}

#[tokio::test]
async fn c_h_34_only_json_of_a_good_answer_decides() {
    use HookReportOutcome::{Answered, Crashed, NotUnderstood, WrongSchema};
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"r"}}"#;
    let allow = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;
    let place = Place::new();
    for (answer, outcome, decision) in [
        (response("200 OK", deny), Answered, Some(HookDecision::Deny)),
        (response("200 OK", allow), Answered, Some(HookDecision::Allow)),
        (response("200 OK", ""), Answered, None),
        (response("204 No Content", ""), Answered, None),
        (response("200 OK", "no"), NotUnderstood, None),
        (response("200 OK", &format!("{allow} {allow}")), NotUnderstood, None),
        (response("200 OK", &format!("log {deny}")), NotUnderstood, Some(HookDecision::Deny)),
        (response("200 OK", r#"{"continue":"no"}"#), WrongSchema, None),
        (response("500 Internal Server Error", deny), Crashed, None),
        (response("403 Forbidden", allow), Crashed, None),
        (
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n".to_owned(),
            Crashed,
            None,
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"decision\":\"approve\"}".to_owned(),
            Crashed,
            None,
        ),
        ("nonsense".to_owned(), Crashed, None),
    ] {
        let (port, server) = serve(Some(answer.clone())).await;
        let handler = json!({"type": "http", "url": format!("http://127.0.0.1:{port}/hook")});
        let (said, problems) = pre(handler, HttpRules::default(), &ctx(&place)).await;
        assert_eq!(problems, [""; 0]);
        assert_eq!(
            (said.reports[0].outcome, said.decision),
            (outcome, decision),
            "{answer}: {:?}",
            said.reports
        );
        assert!(said.additional_context.is_empty());
        let (_, body) = server.await.unwrap();
        assert_eq!(body["tool_input"], json!({"command": "ls"}));
    }
}

#[tokio::test]
async fn headers_hold_only_what_they_may() {
    let place = Place::new();
    for (own, upper, expected) in [
        (json!([]), None, "authorization: bearer \r\n"),
        (json!(["TOK"]), None, "authorization: bearer secret\r\n"),
        (json!(["TOK"]), Some(vec![]), "authorization: bearer \r\n"),
    ] {
        let (port, server) = serve(Some(response("200 OK", ""))).await;
        let handler = json!({
            "type": "http", "url": format!("http://127.0.0.1:{port}/"),
            "headers": {"Authorization": "Bearer $TOK"}, "allowedEnvVars": own,
        });
        pre(handler, HttpRules::new(None, upper), &ctx(&place)).await;
        let (head, _) = server.await.unwrap();
        let head = format!("{head}\r\n").to_lowercase();
        // A client may leave out the blank at the end.
        assert!(head.contains(expected) || head.contains(&expected.replace(" \r\n", "\r\n")), "{head}");
        assert!(
            head.starts_with("post / http/1.1") && head.contains("content-type: application/json"),
            "{head}"
        );
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up_and_one_that_is_not_there_could_not_start() {
    let place = Place::new();
    let (port, server) = serve(None).await;
    let handler = json!({"type": "http", "url": format!("http://127.0.0.1:{port}/"), "timeout": 0.2});
    let (said, _) = pre(handler, HttpRules::default(), &ctx(&place)).await;
    assert_eq!((said.reports[0].outcome, said.decision), (HookReportOutcome::TimedOut, None));
    server.await.unwrap();
    // Bound and let go: nobody listens there.
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let handler = json!({"type": "http", "url": format!("http://127.0.0.1:{port}/"), "onFailure": "block"});
    let (said, _) = pre(handler, HttpRules::default(), &ctx(&place)).await;
    assert_eq!(said.reports[0].outcome, HookReportOutcome::CouldNotStart, "{:?}", said.reports);
    assert_eq!(said.decision, Some(HookDecision::Deny));
}

#[tokio::test]
async fn an_address_that_is_not_allowed_is_skipped_and_told() {
    let place = Place::new();
    let handler = json!({"type": "http", "url": "https://evil.example/x"});
    let rules = HttpRules::new(Some(vec!["https://good.example/*".to_owned()]), None);
    let (said, problems) = pre(handler, rules, &ctx(&place)).await;
    assert!(said.reports.is_empty());
    assert!(problems[0].contains("allowedHttpHookUrls"), "{problems:?}");
    for handler in [
        json!({"type": "http"}),
        json!({"type": "http", "url": "file:///etc/passwd"}),
        json!({"type": "http", "url": "nonsense"}),
        json!({"type": "http", "url": "http://x", "headers": {"a b": "c"}}),
    ] {
        let (said, problems) = pre(handler, HttpRules::default(), &ctx(&place)).await;
        // What cannot be read blocks where it could have blocked.
        assert_eq!(said.decision, Some(HookDecision::Deny));
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
}
