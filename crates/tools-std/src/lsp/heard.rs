//! What was heard of a server: answers, diagnostics, how busy it is, and whether it is still there. Also the replies
//! to what a server may ask of us; all of it bounded.

use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, timeout_at};

/// Most files whose diagnostics are kept.
const MOST_FILES: usize = 1_000;
/// Most diagnostics of a file that are kept.
const MOST_DIAGNOSTICS: usize = 1_000;
/// Most pieces of work that are followed.
const MOST_WORK: usize = 100;
/// Bytes of complaints that are kept.
const MOST_COMPLAINTS: usize = 4 * 1024;

/// A server said no.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Refusal {
    pub(super) code: i64,
    pub(super) message: String,
}

/// Where the answer to a request goes.
pub(super) type Answer = oneshot::Sender<Result<Value, Refusal>>;

/// What was published about a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Published {
    pub(super) items: Vec<Value>,
    /// How often something was published about any file by then.
    pub(super) number: u64,
}

/// Everything heard; shared by the connection's tasks and whoever asks.
#[derive(Debug)]
pub(super) struct Heard {
    state: Mutex<State>,
    /// Counts what happened, so that it can be waited for.
    happened: watch::Sender<u64>,
    /// What the server is told when it asks for its configuration.
    settings: Value,
    /// The folders that it works on.
    folders: Value,
}

#[derive(Debug, Default)]
struct State {
    pending: HashMap<i64, Answer>,
    gone: Option<String>,
    messages: u64,
    publishes: u64,
    published: BTreeMap<String, Published>,
    /// How often work began, or the server said that it is not quiet.
    begun: u64,
    /// Work that began and did not end, by token, in words.
    work: BTreeMap<String, String>,
    /// Whether the server says that it has read the project; `None` when it never says.
    is_quiet: Option<bool>,
    complaints: Vec<u8>,
}

impl Heard {
    /// Nothing yet, of a server with these settings and folders.
    pub(super) fn new(settings: Value, folders: Value) -> Self {
        Self { state: Mutex::default(), happened: watch::Sender::new(0), settings, folders }
    }

    /// Expects an answer.
    ///
    /// # Errors
    /// When the server is gone; why.
    pub(super) fn expect(&self, id: i64, answer: Answer) -> Result<(), String> {
        let mut state = self.state();
        match &state.gone {
            Some(why) => Err(why.clone()),
            None => {
                state.pending.insert(id, answer);
                Ok(())
            }
        }
    }

    /// Expects it no more. Whether it was still expected.
    pub(super) fn give_up(&self, id: i64) -> bool {
        self.state().pending.remove(&id).is_some()
    }

    /// The server is gone: nobody waits any longer.
    pub(super) fn is_gone(&self, why: String) {
        let mut state = self.state();
        state.gone.get_or_insert(why);
        state.pending.clear();
        drop(state);
        self.tell();
    }

    /// Whether the server is there.
    pub(super) fn is_there(&self) -> bool {
        self.state().gone.is_none()
    }

    /// Why the server is gone, and the last that it complained about.
    pub(super) fn why_gone(&self) -> String {
        let state = self.state();
        let why = state.gone.clone().unwrap_or_else(|| "it was stopped".to_owned());
        match last_lines(&state.complaints) {
            complaints if complaints.is_empty() => why,
            complaints => format!("{why}. It complained:\n{complaints}"),
        }
    }

    /// Messages heard so far.
    pub(super) fn messages(&self) -> u64 {
        self.state().messages
    }

    /// How often the server began to be busy so far.
    pub(super) fn begun(&self) -> u64 {
        self.state().begun
    }

    /// How often diagnostics were published so far.
    pub(super) fn publishes(&self) -> u64 {
        self.state().publishes
    }

    /// What was published last about a file.
    pub(super) fn published(&self, uri: &str) -> Option<Published> {
        self.state().published.get(uri).cloned()
    }

    /// What the server is busy with before its answers are complete; `None` when it is not.
    pub(super) fn busy(&self) -> Option<String> {
        let state = self.state();
        let work = state.work.values().next().cloned();
        match state.is_quiet {
            Some(true) => None,
            Some(false) => Some(work.unwrap_or_else(|| "reading the project".to_owned())),
            None => work,
        }
    }

    /// Waits until `done` gives something, or nothing more can happen by `deadline`.
    pub(super) async fn wait<T>(
        &self,
        deadline: Instant,
        mut done: impl FnMut(&Self) -> Option<T>,
    ) -> Option<T> {
        let mut happened = self.happened.subscribe();
        loop {
            if let Some(found) = done(self) {
                return Some(found);
            }
            if !self.is_there() || !matches!(timeout_at(deadline, happened.changed()).await, Ok(Ok(()))) {
                return done(self);
            }
        }
    }

    /// Takes bytes of the server's complaints.
    pub(super) fn complains(&self, bytes: &[u8]) {
        let mut state = self.state();
        state.complaints.extend_from_slice(bytes);
        let over = state.complaints.len().saturating_sub(MOST_COMPLAINTS);
        state.complaints.drain(..over);
    }

    /// Takes a message; gives the reply when the server asked something. What is no message is passed over.
    pub(super) fn take(&self, message: Value) -> Option<Value> {
        self.state().messages += 1;
        let Value::Object(mut message) = message else { return None };
        let id = message.remove("id");
        let reply = match (message.get("method").and_then(Value::as_str), id) {
            (Some(method), Some(id)) => {
                let params = message.get("params").unwrap_or(&Value::Null);
                Some(match self.reply(method, params) {
                    Some(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                    None => json!({"jsonrpc": "2.0", "id": id, "error":
                        {"code": -32601, "message": "this client does not do that"}}),
                })
            }
            (Some(method), None) => {
                let method = method.to_owned();
                self.notified(&method, message.remove("params").unwrap_or_default());
                None
            }
            (None, Some(id)) => {
                let waiting = id.as_i64().and_then(|id| self.state().pending.remove(&id));
                if let Some(waiting) = waiting {
                    // Nobody may be waiting any more.
                    let _given_up = waiting.send(match message.remove("error") {
                        Some(error) if !error.is_null() => Err(refusal(&error)),
                        _ => Ok(message.remove("result").unwrap_or_default()),
                    });
                }
                None
            }
            (None, None) => None,
        };
        self.tell();
        reply
    }

    /// What a server gets for its request; `None` when we do not know it. It changes nothing on our side.
    fn reply(&self, method: &str, params: &Value) -> Option<Value> {
        Some(match method {
            "workspace/configuration" => {
                let items = params.get("items").and_then(Value::as_array);
                Value::Array(items.into_iter().flatten().take(1_000).map(|item| self.setting(item)).collect())
            }
            "workspace/workspaceFolders" => self.folders.clone(),
            "workspace/applyEdit" => {
                json!({"applied": false, "failureReason": "this client changes no files"})
            }
            "window/showDocument" => json!({"success": false}),
            "window/workDoneProgress/create"
            | "client/registerCapability"
            | "client/unregisterCapability"
            | "window/showMessageRequest" => Value::Null,
            refresh if refresh.starts_with("workspace/") && refresh.ends_with("/refresh") => Value::Null,
            _ => return None,
        })
    }

    /// The settings of a section such as `python.analysis`.
    fn setting(&self, item: &Value) -> Value {
        let section = item.get("section").and_then(Value::as_str).unwrap_or_default();
        let names = section.split('.').filter(|name| !name.is_empty());
        let found = names.into_iter().try_fold(&self.settings, |settings, name| settings.get(name));
        found.cloned().unwrap_or_default()
    }

    fn notified(&self, method: &str, mut params: Value) {
        let mut state = self.state();
        match method {
            "textDocument/publishDiagnostics" => {
                state.publishes += 1;
                let number = state.publishes;
                let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default().to_owned();
                let items = params.get_mut("diagnostics").map(Value::take);
                let mut items = if let Some(Value::Array(items)) = items { items } else { Vec::new() };
                items.truncate(MOST_DIAGNOSTICS);
                if state.published.len() < MOST_FILES || state.published.contains_key(&uri) {
                    state.published.insert(uri, Published { items, number });
                }
            }
            "experimental/serverStatus" => {
                state.is_quiet = params.get("quiescent").and_then(Value::as_bool).or(state.is_quiet);
                state.begun += u64::from(state.is_quiet == Some(false));
            }
            "$/progress" => {
                let Some(token) = params.get("token").map(Value::to_string) else { return };
                let value = params.get("value").unwrap_or(&Value::Null);
                let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
                match text("kind") {
                    "end" => {
                        state.work.remove(&token);
                    }
                    "begin" if state.work.len() < MOST_WORK => {
                        state.begun += 1;
                        let title = text("title").chars().take(100).collect();
                        state.work.insert(token, title);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn tell(&self) {
        self.happened.send_modify(|count| *count = count.wrapping_add(1));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refusal(error: &Value) -> Refusal {
    let message = error.get("message").and_then(Value::as_str).unwrap_or("it gave no reason");
    Refusal {
        code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
        message: message.chars().take(500).collect(),
    }
}

/// The last lines of the complaints, as text.
fn last_lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace('\0', "\u{2400}");
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let tail = lines.get(lines.len().saturating_sub(8)..).unwrap_or_default().join("\n");
    let skip = tail.chars().count().saturating_sub(1_000);
    tail.chars().skip(skip).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_a_server_are_answered_and_change_nothing() {
        let heard = Heard::new(json!({"python": {"analysis": {"x": 1}}}), json!([{"name": "w"}]));
        let ask = |method: &str, params: Value| {
            heard.take(json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params})).unwrap()
        };
        let items = json!({"items": [{"section": "python.analysis"}, {"section": "go"}, {}, 5]});
        let answer = ask("workspace/configuration", items);
        assert_eq!(
            answer["result"],
            json!([{"x": 1}, null, {"python": {"analysis": {"x": 1}}}, {"python": {"analysis": {"x": 1}}}])
        );
        assert_eq!(ask("workspace/applyEdit", json!({"edit": {}}))["result"]["applied"], json!(false));
        assert_eq!(ask("workspace/workspaceFolders", Value::Null)["result"], json!([{"name": "w"}]));
        for method in [
            "window/workDoneProgress/create",
            "client/registerCapability",
            "workspace/semanticTokens/refresh",
        ] {
            assert_eq!(
                ask(method, Value::Null),
                json!({"jsonrpc": "2.0", "id": "a", "result": null}),
                "{method}"
            );
        }
        assert_eq!(ask("workspace/unknown", Value::Null)["error"]["code"], json!(-32601));
    }

    #[test]
    fn garbage_is_passed_over() {
        let heard = Heard::new(Value::Null, Value::Null);
        for message in [
            json!(null),
            json!([]),
            json!(5),
            json!({}),
            json!({"id": null}),
            json!({"id": 7, "result": 1}),
            json!({"method": 5}),
            json!({"method": "$/progress"}),
            json!({"method": "$/progress", "params": {"token": 1}}),
            json!({"method": "textDocument/publishDiagnostics", "params": {"uri": 5, "diagnostics": {}}}),
            json!({"method": "experimental/serverStatus", "params": []}),
        ] {
            assert_eq!(heard.take(message.clone()), None, "{message}");
        }
        assert_eq!((heard.busy(), heard.is_there()), (None, true));
    }

    #[test]
    fn how_busy_a_server_is() {
        let heard = Heard::new(Value::Null, Value::Null);
        let progress = |token: &str, kind: &str| {
            heard.take(json!({"method": "$/progress", "params": {"token": token, "value": {"kind": kind, "title": token}}}));
        };
        progress("Indexing", "begin");
        assert_eq!(heard.busy().as_deref(), Some("Indexing"));
        progress("Indexing", "end");
        assert_eq!(heard.busy(), None);
        let status = |quiet: bool| {
            heard.take(json!({"method": "experimental/serverStatus", "params": {"quiescent": quiet}}))
        };
        status(false);
        assert_eq!(heard.busy().as_deref(), Some("reading the project"));
        progress("Check", "begin");
        status(true);
        assert_eq!(heard.busy(), None);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let heard = Heard::new(Value::Null, Value::Null);
        for number in 0..1_100 {
            let items = vec![json!({}); 1_100];
            let items = if number == 0 { items } else { Vec::new() };
            heard.take(json!({"method": "textDocument/publishDiagnostics", "params": {"uri": format!("file:///{number}"), "diagnostics": items}}));
            heard.take(
                json!({"method": "$/progress", "params": {"token": number, "value": {"kind": "begin"}}}),
            );
            heard.complains(&[b'x'; 100]);
        }
        let state = heard.state();
        assert_eq!(
            (state.published.len(), state.work.len(), state.complaints.len()),
            (MOST_FILES, MOST_WORK, MOST_COMPLAINTS)
        );
        assert_eq!(state.published["file:///0"].items.len(), MOST_DIAGNOSTICS);
    }
}
