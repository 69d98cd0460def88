//! Monitor on WebSockets, with a local server.

use crate::harness::{Denies, Session};
use crate::tasks::{LONG, tasks};
use futures_util::SinkExt as _;
use pegboard_tool_core::{Accesses, Grant, PermissionMode};
use pegboard_tools_std::Services;
use pegboard_tools_std::settings::ToolSettings;
use pegboard_tools_std::shell::{TaskEnd, TaskEvent};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;

/// A session that may reach this machine.
fn session(host: &str) -> Session {
    let mut settings = ToolSettings::default();
    settings.web = settings.web.with_private([host]);
    let mut session = Session::with(Services::new().with_settings(settings));
    session.snapshot.session_dir = Some(session.root.join("session"));
    session
}

/// A server that says this to who comes first, then waits for its end when it should.
async fn server(messages: Vec<Message>, stays: bool) -> (String, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let serve = async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
        for message in messages {
            // Who was told too much is gone already.
            let _gone = socket.send(message).await;
        }
        if stays {
            std::future::pending::<()>().await;
        }
        let _gone = socket.close(None).await;
    };
    (host, tokio::spawn(serve))
}

fn input(url: &str) -> Value {
    json!({"ws": {"url": url}, "description": "a socket"})
}

async fn seen(session: &Session) -> (Vec<String>, TaskEnd) {
    let mut all = Vec::new();
    let collect = async {
        loop {
            for event in tasks(session).next_events().await {
                match event {
                    TaskEvent::Lines { lines, .. } => all.extend(lines),
                    TaskEvent::Ended(task) => return task.end.unwrap(),
                    other => panic!("{other:?}"),
                }
            }
        }
    };
    let end = tokio::time::timeout(LONG, collect).await.unwrap();
    (all, end)
}

#[tokio::test(flavor = "multi_thread")]
async fn each_text_message_is_an_event() {
    let messages = vec![Message::text("one"), Message::binary(vec![0, 1, 2]), Message::text("two\nlines")];
    let (host, _server) = server(messages, false).await;
    let session = session(&host);
    let answer = session.call("Monitor", input(&format!("ws://{host}/live"))).await;
    assert!(!answer.is_error, "{}", answer.text);
    let (lines, end) = seen(&session).await;
    assert_eq!(lines, ["one", "[binary message of 3 bytes]", "two\nlines"]);
    assert!(matches!(end, TaskEnd::Closed { .. }), "{end:?}");
    let file = std::fs::read_to_string(answer.data["outputFile"].as_str().unwrap()).unwrap();
    assert_eq!(file, "one\n[binary message of 3 bytes]\ntwo\nlines\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_too_large_ends_the_watch() {
    let (host, _server) = server(vec![Message::text("x".repeat(1024 * 1024 + 1))], true).await;
    let session = session(&host);
    assert!(!session.call("Monitor", input(&format!("ws://{host}"))).await.is_error);
    let (lines, end) = seen(&session).await;
    assert!(
        lines.is_empty() && matches!(&end, TaskEnd::Lost { problem } if problem.contains("1 MiB")),
        "{end:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_is_stopped_like_any_task() {
    let (host, _server) = server(Vec::new(), true).await;
    let session = session(&host);
    let answer = session.call("Monitor", input(&format!("ws://{host}"))).await;
    let stopped = session.call("TaskStop", json!({"task_id": answer.data["taskId"]})).await;
    assert!(!stopped.is_error && stopped.text.ends_with("was stopped"), "{}", stopped.text);
}

/// A session that may reach this machine, with a rule against every host.
fn denying(host: &str) -> Session {
    let mut settings = ToolSettings::default();
    settings.web = settings.web.with_private([host]);
    let services = Services::new().with_settings(settings).with_access_policy(Arc::new(Denies("x")));
    Session::with(services)
}

/// Whether no connection waits.
fn nobody_came(listener: TcpListener) -> bool {
    let came = listener.into_std().unwrap().accept();
    came.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_a_rule_forbids_or_nobody_approved_is_not_asked() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let url = format!("ws://{host}/");
    let denied = denying(&host).call("Monitor", input(&url)).await;
    assert!(denied.is_error && denied.text.contains("a rule forbids"), "{}", denied.text);
    let session = session(&host);
    for grant in [Grant::default(), Grant::new(Vec::new(), vec!["other.test".to_owned()])] {
        let answer = session.call_in("Monitor", input(&url), session.ctx(), |_| grant).await;
        assert!(answer.is_error && answer.text.contains("not the host that was approved"), "{}", answer.text);
    }
    assert!(nobody_came(listener));
    // Where nobody is asked, what was approved counts: the rules deny whatever they do not name.
    let (host, _server) = server(vec![Message::text("hello")], false).await;
    let mut session = denying(&host);
    session.snapshot.mode = PermissionMode::DontAsk;
    let answer = session.call("Monitor", input(&format!("ws://{host}/"))).await;
    assert!(!answer.is_error, "{}", answer.text);
    assert_eq!(seen(&session).await.0, ["hello"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirection_is_not_followed() {
    let inside = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let to = inside.local_addr().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let redirects = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = [0; 4096];
        let _asked = stream.read(&mut head).await.unwrap();
        let answer = format!("HTTP/1.1 302 Found\r\nLocation: ws://{to}/\r\nContent-Length: 0\r\n\r\n");
        stream.write_all(answer.as_bytes()).await.unwrap();
    });
    // Both are allowed by name, so only the redirection itself can hold it back.
    let session = session("127.0.0.1");
    let answer = session.call("Monitor", input(&format!("ws://{host}/"))).await;
    assert!(
        answer.is_error && answer.text.contains("speaks no WebSocket there (status 302)"),
        "{}",
        answer.text
    );
    redirects.await.unwrap();
    assert!(nobody_came(inside));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_public_or_no_socket_is_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let session = Session::new();
    for (url, says) in [
        (format!("wss://{host}/"), "not reached from here"),
        ("wss://169.254.169.254/latest".to_owned(), "not reached from here"),
        ("wss://[::1]:9/".to_owned(), "not reached from here"),
        ("https://example.com/".to_owned(), "must begin with wss://"),
        ("wss://user:key@example.com/".to_owned(), "user name or password"),
    ] {
        let answer = session.call("Monitor", input(&url)).await;
        assert!(answer.is_error && answer.text.contains(says), "{url}: {}", answer.text);
    }
    let mut odd = input("wss://example.com");
    odd["ws"]["protocols"] = json!(["a\r\nHost: evil"]);
    assert!(session.call("Monitor", odd).await.is_error);
    let invocation = session.tool("Monitor").prepare(Arc::new(input("wss://Example.com/x")), &session.ctx());
    let grant = Grant::of(invocation.unwrap().accesses());
    assert_eq!(grant.hosts.iter().map(|host| &**host).collect::<Vec<_>>(), ["example.com"]);
    assert!(!matches!(
        session
            .tool("Monitor")
            .prepare(Arc::new(input("wss://example.com")), &session.ctx())
            .unwrap()
            .accesses(),
        Accesses::Everything
    ));
}
