//! The `http` handler: the event is posted to an address, whose answer is read like the JSON of a command.

use crate::event::EventKind;
use crate::http_rules::HttpRules;
use crate::stream::ANSWER_BYTES;
use crate::{Answer, HandlerEnd, HookHandler, HookInput, output};
use async_trait::async_trait;
use pegboard_tool_core::ports::HookReportOutcome;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use serde_json::{Map, Value};
use std::error::Error;
use std::sync::OnceLock;

/// Posts each event to an address. Redirects are not followed: an address that was allowed must not lead to one
/// that was not. Proxies are not used.
#[derive(Debug)]
pub(crate) struct HttpHandler {
    url: Url,
    headers: Vec<(HeaderName, String)>,
    variables: Vec<String>,
    rules: HttpRules,
    condition: Option<String>,
    client: OnceLock<Result<Client, String>>,
}

impl HttpHandler {
    /// From its object in the settings.
    pub(crate) fn new(
        object: &Map<String, Value>,
        condition: Option<&str>,
        rules: &HttpRules,
    ) -> Result<Self, String> {
        let url = object.get("url").and_then(Value::as_str).ok_or("must have a `url`")?;
        let url = Url::parse(url).map_err(|error| format!("`url` is no address: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("`url` must begin with http or https, not {}", url.scheme()));
        }
        let mut headers = Vec::new();
        match object.get("headers") {
            None | Some(Value::Null) => {}
            Some(Value::Object(given)) => {
                for (name, value) in given {
                    let value =
                        value.as_str().ok_or_else(|| format!("the header `{name}` must be a string"))?;
                    let name = HeaderName::try_from(name.as_str());
                    let name = name.map_err(|_| "a name in `headers` is none".to_owned())?;
                    headers.push((name, value.to_owned()));
                }
            }
            Some(_) => return Err("`headers` must be an object of strings".to_owned()),
        }
        let variables = match object.get("allowedEnvVars") {
            None | Some(Value::Null) => Some(Vec::new()),
            Some(Value::Array(names)) => names.iter().map(|name| name.as_str().map(str::to_owned)).collect(),
            Some(_) => None,
        };
        let variables = variables.ok_or("`allowedEnvVars` must be a list of strings")?;
        let (rules, condition) = (rules.clone(), condition.map(str::to_owned));
        Ok(Self { url, headers, variables, rules, condition, client: OnceLock::new() })
    }

    fn client(&self) -> Result<&Client, String> {
        let made = self.client.get_or_init(|| {
            // Where the program chose a provider already, that one stays.
            let _chosen = rustls::crypto::ring::default_provider().install_default();
            Client::builder()
                .redirect(Policy::none())
                .no_proxy()
                .pool_max_idle_per_host(0)
                .build()
                .map_err(|error| chain(&error))
        });
        made.as_ref().map_err(Clone::clone)
    }

    async fn send(&self, input: &HookInput, event: EventKind) -> HandlerEnd {
        let could_not_start = |why: &str| {
            HandlerEnd::failed(HookReportOutcome::CouldNotStart, format!("could not start: {why}"))
        };
        let client = match self.client() {
            Ok(client) => client,
            Err(why) => return could_not_start(&why),
        };
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            let value = self.rules.header(value, &self.variables, &input.ctx.env);
            let Ok(value) = HeaderValue::try_from(value) else {
                return could_not_start(&format!("the value of the header `{name}` cannot be sent"));
            };
            headers.insert(name.clone(), value);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let sent = client.post(self.url.clone()).headers(headers).body(input.text.to_string()).send().await;
        match sent {
            Ok(response) => read(response, event).await,
            Err(error) if error.is_connect() => could_not_start(&chain(&error.without_url())),
            Err(error) => failed(&chain(&error.without_url())),
        }
    }
}

async fn read(mut response: Response, event: EventKind) -> HandlerEnd {
    let status = response.status();
    if !status.is_success() {
        return failed(&format!("the answer has the status {status}"));
    }
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= ANSWER_BYTES => body.extend_from_slice(&chunk),
            Ok(Some(_)) => return output::read_cut(text_of(body), event),
            Ok(None) => break,
            Err(error) => return failed(&chain(&error.without_url())),
        }
    }
    let text = text_of(body);
    let is_object = matches!(serde_json::from_str(text.trim()), Ok(Value::Object(_)));
    match text.trim() {
        "" => HandlerEnd::answered(Answer::silent()),
        // What makes things stricter counts wherever it stands; plain text is for nobody.
        _ if is_object => output::read_text(text, event),
        _ => {
            let end = output::read_text(text, event);
            let answer = end.answer.restricted();
            let why = "wrote an answer that was not understood: it is not one JSON object";
            HandlerEnd { answer, ..HandlerEnd::failed(HookReportOutcome::NotUnderstood, why) }
        }
    }
}

fn text_of(body: Vec<u8>) -> String {
    String::from_utf8(body).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn failed(why: &str) -> HandlerEnd {
    HandlerEnd::failed(HookReportOutcome::Crashed, format!("failed: {why}"))
}

fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

#[async_trait]
impl HookHandler for HttpHandler {
    fn label(&self) -> String {
        // What stands before and after the place may be secret.
        let host = self.url.host_str().unwrap_or_default();
        let port = self.url.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}://{host}{port}{}", self.url.scheme(), self.url.path())
    }

    fn identity(&self) -> Option<String> {
        Some(format!("http {} {:?}", self.url, self.condition))
    }

    async fn handle(&self, input: &HookInput) -> HandlerEnd {
        let Some(event) = EventKind::of(&input.event) else {
            return HandlerEnd::failed(HookReportOutcome::CouldNotStart, "fired for what is no event");
        };
        tokio::select! {
            biased;
            () = input.ctx.cancel.cancelled() => HandlerEnd::cancelled(),
            end = self.send(input, event) => end.counted(),
            () = tokio::time::sleep(input.time_limit) => HandlerEnd::timed_out(input.time_limit),
        }
    }
}
