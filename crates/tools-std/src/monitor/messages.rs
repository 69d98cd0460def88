//! Messages of a WebSocket as events, until it closes.

use super::lines::message as shown;
use crate::foreign::one_line;
use crate::shell::output::Collector;
use crate::shell::task::{Task, TaskEnd};
use crate::shell::task_events::Events;
use futures_util::StreamExt as _;
use reqwest::Upgraded;
use std::sync::Arc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Error, Message};

/// Sees messages until the socket or the task ends.
pub(super) async fn watch(
    mut socket: WebSocketStream<Upgraded>,
    mut collector: Collector,
    most_output: u64,
    task: Arc<Task>,
    events: Arc<Events>,
) -> TaskEnd {
    let description = task.about.description.clone().unwrap_or_default();
    let host = task.from.clone().unwrap_or_default();
    let end = loop {
        collector.settle().await;
        if collector.output().bytes() > most_output {
            break TaskEnd::TooMuchOutput;
        }
        let message = tokio::select! {
            biased;
            end = task.over() => break end,
            message = socket.next() => message,
        };
        let text = match message {
            Some(Ok(Message::Text(text))) => text.as_str().to_owned(),
            Some(Ok(Message::Binary(bytes))) => format!("[binary message of {} bytes]", bytes.len()),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
            Some(Ok(Message::Close(frame))) => {
                // The protocol bounds the reason.
                let code = frame.as_ref().map(|frame| u16::from(frame.code));
                break TaskEnd::Closed { code, reason: frame.map(|frame| one_line(frame.reason.as_str())) };
            }
            Some(Err(Error::Capacity(_))) => {
                break TaskEnd::Lost { problem: "a message was larger than 1 MiB".to_owned() };
            }
            Some(Err(Error::ConnectionClosed | Error::AlreadyClosed)) | None => {
                break TaskEnd::Closed { code: None, reason: None };
            }
            Some(Err(_)) => break TaskEnd::Lost { problem: "the connection broke off".to_owned() },
        };
        events.message(&task.id, &description, &host, shown(&text));
        collector.take(format!("{text}\n").as_bytes());
    };
    collector.finish().await;
    end
}
