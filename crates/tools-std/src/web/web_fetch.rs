//! WebFetch: one page of the web as Markdown, or the answer of a model that read it. The model may expect
//! https, redirections within the host only, at most 10,000,000 bytes and 60 s, and pages of the last 15
//! minutes from memory; images and PDF documents are shown as Read shows them, and what is no text is kept
//! as a file.

use super::address_guard::{AddressGuard, Resolve, SystemResolver};
use super::answer;
use super::cache::{self, PageCache};
use super::fetch::{Fetched, Fetcher};
use super::file::{PageFile, Told};
use super::frame::{self, ASKED_CHARS, SHOWN_CHARS};
use super::keep::keep;
use super::location::Location;
use super::network::Network;
use super::page::{Body, Page};
use super::preapproved::is_preapproved;
use crate::blocking::blocking;
use crate::input::{check_text, with_alias};
use crate::read::ImageView;
use crate::services::Services;
use pegboard_tool_core::{
    Access, Accesses, Concurrency, Effects, ErrorKind, Grant, InvalidInput, Progress, Resource,
    ResultContent, Tool, ToolCheck, ToolContext, ToolDefinition, ToolError, ToolOutput, Violation,
};
use reqwest::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Most bytes of a page when the settings say nothing, and whatever they say.
const MAX_BYTES: (usize, usize) = (10_000_000, 100_000_000);
/// Seconds of a fetch when the settings say nothing, and whatever they say.
const SECONDS: (u64, u64) = (60, 600);
/// Characters of the page that comes with a status of failure.
const FAILURE_CHARS: usize = 2000;
/// Lines of a result that people see.
const LINES_SHOWN: usize = 8;

/// The tool.
#[derive(Clone, Debug)]
pub struct WebFetch {
    services: Services,
    fetcher: Fetcher,
}

/// Input of [`WebFetch`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WebFetchInput {
    /// Address of the page, beginning with `https://`; `http://` is made `https://`.
    pub url: String,
    /// What to find out from the page. A model reads the page and answers this.
    pub prompt: String,
}

/// Output of [`WebFetch`].
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WebFetchOutput {
    /// Size of what came, in bytes.
    pub bytes: usize,
    /// Status of the answer, such as 200.
    pub code: u16,
    /// The status in words, such as `OK`.
    pub code_text: String,
    /// What the model reads.
    pub result: String,
    /// How long it took.
    pub duration_ms: u64,
    /// The address that was fetched.
    pub url: String,
    /// The picture that it is, as it is shown and where it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageView>,
}

impl WebFetch {
    /// The tool with its services, asking the system for the addresses of names.
    #[must_use]
    pub fn new(services: Services) -> Self {
        Self::with_resolver(services, Arc::new(SystemResolver))
    }

    /// The tool with its services and somebody else who knows the addresses of names. What they say is judged
    /// all the same.
    #[must_use]
    pub fn with_resolver(services: Services, resolver: Arc<dyn Resolve>) -> Self {
        let settings = &services.settings.web;
        let seconds = settings.timeout_seconds.unwrap_or(SECONDS.0).clamp(1, SECONDS.1);
        let fetcher = Fetcher {
            guard: AddressGuard::of(settings, resolver),
            network: Network::new(settings),
            policy: services.access_policy.clone(),
            max_bytes: settings.max_bytes.unwrap_or(MAX_BYTES.0).clamp(1, MAX_BYTES.1),
            time_limit: Duration::from_secs(seconds),
        };
        Self { services, fetcher }
    }

    fn location(&self, input: &WebFetchInput) -> Result<Location, InvalidInput> {
        Location::parse(&input.url, self.fetcher.guard.allowed()).map_err(|problem| {
            let text = format!("`url` cannot be fetched: {problem}");
            InvalidInput::with_violations(text.clone(), vec![Violation::new("/url", text)])
        })
    }

    async fn page(&self, location: &Location, grant: &Grant, ctx: &ToolContext) -> Result<Seen, ToolError> {
        let cache = ctx.session.of::<PageCache>();
        let good_for = cache::good_for(ctx);
        if grant.hosts.iter().any(|host| host == location.host())
            && let Some(page) = cache.find(location.as_str(), good_for, tokio::time::Instant::now())
        {
            return Ok(Seen::Page(page));
        }
        let answer = match self.fetcher.fetch(location, grant, ctx).await? {
            Fetched::Answer(answer) => answer,
            Fetched::Elsewhere { status, from, to } => {
                let text = elsewhere(status, &from, &to);
                return Ok(Seen::Elsewhere { status, text });
            }
        };
        let max_bytes = self.fetcher.max_bytes;
        // When this future is dropped nobody waits for the page: end the conversion.
        let over = ctx.cancel.child_token();
        let _guard = over.clone().drop_guard();
        let read = blocking(move || Ok(Page::read(answer, max_bytes, &|| over.is_cancelled())?)).await?;
        let page = Arc::new(read);
        if page.status.is_success() && !good_for.is_zero() {
            cache.keep(&[location.as_str(), &page.url], &page, tokio::time::Instant::now());
        }
        Ok(Seen::Page(page))
    }
}

/// What a fetch gave.
enum Seen {
    Page(Arc<Page>),
    Elsewhere { status: StatusCode, text: String },
}

impl Tool for WebFetch {
    type Input = WebFetchInput;
    type Output = WebFetchOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "WebFetch"
    }

    fn description(&self) -> String {
        "Fetches a page of the web and answers `prompt` from it. HTML becomes Markdown; other text is read as it is; \
         an image is shown, a PDF document is read from the text of its first pages, and these and other files are kept: \
         the result says where, for Read. A redirection to another host is not followed: the result names the address, \
         call again with it. Pages of the last 15 minutes come from memory. Not for pages behind a login."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.concurrency = Concurrency::Shared;
        definition.effects = Effects::ReadOnly;
        definition.examples = vec![
            json!({"url": "https://doc.rust-lang.org/book/", "prompt": "List the chapters with their links."}),
        ];
        with_alias(definition, "web_fetch")
    }

    fn concurrency(&self, _input: &WebFetchInput, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Shared
    }

    fn effects(&self, _input: &WebFetchInput, _ctx: &ToolContext) -> Effects {
        Effects::ReadOnly
    }

    fn accesses(&self, input: &WebFetchInput, _ctx: &ToolContext) -> Accesses {
        match self.location(input) {
            Ok(location) => {
                Accesses::Only(Arc::from([Access::read(Resource::Host(location.host().to_owned()))]))
            }
            Err(_) => Accesses::Everything,
        }
    }

    fn backfill(&self, input: &mut Value, _ctx: &ToolContext) {
        if let Some(Value::String(url)) = input.get_mut("url")
            && let Ok(location) = Location::parse(url, self.fetcher.guard.allowed())
        {
            location.as_str().clone_into(url);
        }
    }

    fn backfills(&self) -> bool {
        true
    }

    async fn validate(&self, input: &WebFetchInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        check_text("url", &input.url)?;
        check_text("prompt", &input.prompt)?;
        self.location(input).map(drop)
    }

    async fn check_permissions(&self, input: &WebFetchInput, _ctx: &ToolContext) -> ToolCheck {
        match self.location(input) {
            Ok(location) if is_preapproved(&location, &self.services.settings.web) => ToolCheck::Allow,
            _ => ToolCheck::PassThrough,
        }
    }

    fn describe(&self, input: &WebFetchInput) -> String {
        match self.location(input) {
            Ok(location) => format!("WebFetch {}", location.as_str()),
            Err(_) => "WebFetch".to_owned(),
        }
    }

    fn render_use(&self, input: &WebFetchInput, _ctx: &ToolContext) -> Option<String> {
        Some(input.prompt.clone())
    }

    async fn call(
        &self,
        input: WebFetchInput,
        ctx: ToolContext,
        progress: Progress<()>,
    ) -> Result<ToolOutput<WebFetchOutput>, ToolError> {
        let grant = Grant::of(&self.accesses(&input, &ctx));
        self.call_granted(input, grant, ctx, progress).await
    }

    async fn call_granted(
        &self,
        input: WebFetchInput,
        grant: Grant,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<WebFetchOutput>, ToolError> {
        let started = Instant::now();
        let invalid = |error: InvalidInput| ToolError::new(ErrorKind::InvalidInput, error.text);
        check_text("prompt", &input.prompt).map_err(invalid)?;
        let location = self.location(&input).map_err(invalid)?;
        let (status, bytes, told) = match self.page(&location, &grant, &ctx).await? {
            Seen::Elsewhere { status, text } => (status, 0, text.into()),
            Seen::Page(page) => {
                let told = self.told(&page, &input.prompt, &ctx).await?;
                (page.status, page.bytes, told)
            }
        };
        Ok(ToolOutput::new(WebFetchOutput {
            bytes,
            code: status.as_u16(),
            code_text: status.canonical_reason().unwrap_or_default().to_owned(),
            result: told.text,
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            url: location.as_str().to_owned(),
            image: told.image,
        }))
    }

    fn to_result(&self, output: &WebFetchOutput) -> Vec<ResultContent> {
        let picture = output.image.as_ref().map(|image| image.picture.block());
        picture.into_iter().chain([ResultContent::Text(output.result.clone())]).collect()
    }

    fn render_result(&self, output: &WebFetchOutput) -> Option<String> {
        let WebFetchOutput { code, code_text, bytes, duration_ms, result, .. } = output;
        let mut text = format!("{code} {code_text}, {bytes} bytes, {duration_ms} ms");
        for line in result.lines().take(LINES_SHOWN) {
            text.push('\n');
            text.extend(line.chars().take(200));
        }
        if result.lines().count() > LINES_SHOWN {
            text.push_str("\n...");
        }
        Some(text)
    }
}

impl WebFetch {
    /// What the model is told about a page.
    async fn told(&self, page: &Arc<Page>, prompt: &str, ctx: &ToolContext) -> Result<Told, ToolError> {
        if page.status.is_success()
            && let Body::File { content, media, extension } = &page.body
            && !content.is_empty()
        {
            let file = PageFile { page, content, media, extension };
            return file.told(self.services.ask.as_ref(), prompt, ctx).await;
        }
        self.result(page, prompt, ctx).await.map(Told::from)
    }

    /// The same about a text.
    async fn result(&self, page: &Arc<Page>, prompt: &str, ctx: &ToolContext) -> Result<String, ToolError> {
        if !page.status.is_success() {
            return Ok(failure(page));
        }
        let chars = frame::chars(page);
        if chars == 0 {
            return Ok(format!("{} answered {}, with nothing in it.", page.url, said(page.status)));
        }
        if let Some(ask) = &self.services.ask
            && let Some(framed) = frame::framed(page, ASKED_CHARS)
            && let Some(answer) = answer::of(ask, prompt, &framed, ctx).await?
        {
            let mut text = answer::in_words(&page.url, &answer);
            if chars > ASKED_CHARS || page.is_cut {
                let _written = write!(text, "\n\n[{}]", Self::cut_note(page, chars, ASKED_CHARS, ctx).await?);
            }
            return Ok(text);
        }
        let mut text = frame::framed(page, SHOWN_CHARS).unwrap_or_default();
        if chars > SHOWN_CHARS || page.is_cut {
            let _written = write!(text, "\n[{}]", Self::cut_note(page, chars, SHOWN_CHARS, ctx).await?);
        }
        if self.services.ask.is_some() {
            text.push_str(answer::NONE);
        }
        Ok(text)
    }

    /// Says what is missing, and where the whole is.
    async fn cut_note(
        page: &Arc<Page>,
        chars: usize,
        shown: usize,
        ctx: &ToolContext,
    ) -> Result<String, ToolError> {
        let mut note = String::new();
        if page.is_cut {
            note.push_str("The page is larger than what is fetched: its end is missing.");
        }
        if chars > shown {
            let (page, ctx) = (Arc::clone(page), ctx.clone());
            let kept = blocking(move || {
                let Body::Text { text, extension, .. } = &page.body else { return Ok(None) };
                Ok(keep(&ctx, &format!("page.{extension}"), text.as_bytes()).ok())
            });
            let rest = match kept.await? {
                Some(path) => {
                    format!("All of it is in {}; read the parts that you need there.", path.display())
                }
                None => "The rest could not be stored.".to_owned(),
            };
            let blank = if note.is_empty() { "" } else { " " };
            let _written =
                write!(note, "{blank}The first {shown} of {chars} characters were read here. {rest}");
        }
        Ok(note)
    }
}

fn elsewhere(status: StatusCode, from: &Location, to: &Location) -> String {
    format!(
        "{} redirects to another host ({}):\n{}\nIt was not asked. To fetch it, call WebFetch again with this address.",
        from.as_str(),
        said(status),
        to.as_str()
    )
}

/// A page with a status of failure: the status counts, and a little of what the server says.
fn failure(page: &Page) -> String {
    let mut text = format!("{} answered {}.", page.url, said(page.status));
    if let Some(when) = &page.retry_after {
        let unit = if when.bytes().all(|byte| byte.is_ascii_digit()) { " seconds" } else { "" };
        let after = if unit.is_empty() { "at" } else { "after" };
        let _written = write!(text, " It may be asked again {after} {when}{unit}.");
    }
    if frame::chars(page) > 0
        && let Some(framed) = frame::framed(page, FAILURE_CHARS)
    {
        text.push('\n');
        text.push_str(&framed);
    }
    text
}

fn said(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}
