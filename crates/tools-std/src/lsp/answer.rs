//! One question to one server, from the file as it is now to what the model reads.

use super::connection::AskError;
use super::documents::{SyncError, Synced, text_of};
use super::input::{LspInput, Operation};
use super::output::{LspItem, short};
use super::position;
use super::protocol::{self, Call, Diagnostic, Entries, Location, Position, Symbol};
use super::server::{Doubt, Running};
use super::uri;
use crate::blocking::blocking;
use crate::services::Services;
use pegboard_tool_core::ports::Verdict;
use pegboard_tool_core::{ErrorKind, ToolContext, ToolError};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Most items that are shown.
const MOST_ITEMS: usize = 100;
/// Most characters of a hover.
const MOST_HOVER_CHARS: usize = 10_000;
/// Most entries that are looked at.
const MOST_ENTRIES: usize = 10_000;
/// How deep symbols in symbols are followed.
const MOST_DEPTH: usize = 30;
/// How long the first diagnostics are waited for, and how long more of them.
const FIRST: Duration = Duration::from_secs(15);
const MORE: Duration = Duration::from_millis(500);

/// The file that is asked about.
#[derive(Clone, Debug)]
pub(super) struct File {
    /// Where it is.
    pub(super) canonical: PathBuf,
    /// As the call names it.
    pub(super) shown: String,
}

/// What a server said.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) items: Vec<LspItem>,
    pub(super) total: usize,
    pub(super) notices: Vec<String>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// The server; it may be started again.
    Server(AskError),
    /// Something else.
    Call(ToolError),
}

impl From<AskError> for NoAnswer {
    fn from(error: AskError) -> Self {
        Self::Server(error)
    }
}

impl From<SyncError> for NoAnswer {
    fn from(error: SyncError) -> Self {
        match error {
            SyncError::File(error) => Self::Call(error),
            SyncError::Server(error) => Self::Server(error),
        }
    }
}

/// A question under way.
#[derive(Debug)]
pub(super) struct Question<'a> {
    pub(super) input: &'a LspInput,
    pub(super) file: Option<&'a File>,
    pub(super) running: &'a Running,
    pub(super) services: &'a Services,
    pub(super) ctx: &'a ToolContext,
}

/// An item before its place is put in words: with a file, and a position in the server's units.
struct Found {
    path: PathBuf,
    at: Position,
    item: LspItem,
}

impl Question<'_> {
    /// Asks.
    ///
    /// # Errors
    /// When there is no answer.
    pub(super) async fn answer(&self) -> Result<Said, NoAnswer> {
        let published = self.running.heard().publishes();
        let synced = {
            let mut documents = self.running.documents.lock().await;
            let file = self.file.map(|file| (file.canonical.as_path(), file.shown.as_str()));
            documents.sync(self.running.connection(), file, self.services, self.ctx).await?
        };
        self.can()?;
        let mut said = match (self.input.operation, self.file, synced) {
            (Operation::WorkspaceSymbols, _, _) => self.workspace_symbols().await?,
            (operation, Some(file), Some(synced)) => match operation {
                Operation::DocumentSymbols => self.document_symbols(file).await?,
                Operation::Diagnostics => self.diagnostics(file, &synced, published).await?,
                _ => self.about_place(file, &synced).await?,
            },
            _ => {
                return Err(NoAnswer::Call(ToolError::new(
                    ErrorKind::InvalidInput,
                    "`file_path` is missing",
                )));
            }
        };
        if let Some(busy) = self.running.heard().busy() {
            let name = &self.running.name;
            said.notices.push(format!(
                "{name} is still busy ({busy}): the answer may be incomplete, ask again later"
            ));
        }
        Ok(said)
    }

    /// Refuses what the server says it cannot do.
    fn can(&self) -> Result<(), NoAnswer> {
        let capability = match self.input.operation {
            Operation::Definition => "definitionProvider",
            Operation::References => "referencesProvider",
            Operation::Hover => "hoverProvider",
            Operation::DocumentSymbols => "documentSymbolProvider",
            Operation::WorkspaceSymbols => "workspaceSymbolProvider",
            Operation::Implementation => "implementationProvider",
            Operation::IncomingCalls | Operation::OutgoingCalls => "callHierarchyProvider",
            Operation::Diagnostics => return Ok(()),
        };
        if self.running.can(capability) {
            return Ok(());
        }
        let text = format!("{} cannot answer {}", self.running.name, self.input.operation.name());
        Err(NoAnswer::Call(ToolError::failed(text)))
    }

    async fn about_place(&self, file: &File, synced: &Synced) -> Result<Said, NoAnswer> {
        let at = match self.declared(file, &synced.text).await? {
            Some(at) => at,
            None => self.place(&synced.text, &file.shown).map_err(NoAnswer::Call)?,
        };
        let place = json!({"textDocument": {"uri": uri::of(&file.canonical)}, "position": at});
        let ask = |method: &'static str, params: Value| self.running.ask(method, params, Doubt::UntilItKnows);
        match self.input.operation {
            Operation::Hover => {
                let answer = ask("textDocument/hover", place.clone()).await?;
                let text = protocol::hover(&answer);
                if text.is_empty() || self.is_about_something_denied(&place).await? {
                    return Ok(Said::default());
                }
                Ok(hover(&text))
            }
            Operation::IncomingCalls | Operation::OutgoingCalls => self.calls(place, file).await,
            Operation::References => {
                let mut params = place;
                if let Some(params) = params.as_object_mut() {
                    params.insert("context".to_owned(), json!({"includeDeclaration": true}));
                }
                let mut found = protocol::locations(ask("textDocument/references", params).await?);
                found.all.sort_by(|a, b| (&a.uri, a.range.start).cmp(&(&b.uri, b.range.start)));
                self.locations(found).await
            }
            Operation::Implementation => {
                self.locations(protocol::locations(ask("textDocument/implementation", place).await?)).await
            }
            _ => self.locations(protocol::locations(ask("textDocument/definition", place).await?)).await,
        }
    }

    /// Where the file declares the symbol, when no line was given: better than its first mention, which may be in a
    /// comment.
    async fn declared(&self, file: &File, text: &str) -> Result<Option<Value>, AskError> {
        let Some(symbol) = self.input.symbol.as_deref().filter(|_| self.input.line.is_none()) else {
            return Ok(None);
        };
        if !self.running.can("documentSymbolProvider") {
            return Ok(None);
        }
        let params = json!({"textDocument": {"uri": uri::of(&file.canonical)}});
        let answer = match self.running.ask("textDocument/documentSymbol", params, Doubt::Never).await {
            Ok(answer) => answer,
            Err(AskError::Refused(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut open = protocol::entries::<Symbol>(answer).all;
        let mut looked_at = 0;
        while let Some(mut found) = open.pop() {
            looked_at += 1;
            if found.name == symbol {
                let range = found.selection_range.or(found.location.map(|location| location.range));
                let line = range.and_then(|range| text.split('\n').nth(range.start.line as usize));
                let (Some(range), Some(line)) = (range, line) else { continue };
                let near = self.running.encoding.to_chars(line, range.start.character as usize);
                let chars = position::find(line, symbol, Some(near)).unwrap_or(near);
                let units = self.running.encoding.to_units(line, chars);
                return Ok(Some(json!({"line": range.start.line, "character": units})));
            }
            if looked_at < MOST_ENTRIES {
                open.extend(protocol::entries(Value::Array(std::mem::take(&mut found.children))).all);
            }
        }
        Ok(None)
    }

    /// The position that is asked about, in the server's units.
    fn place(&self, text: &str, shown: &str) -> Result<Value, ToolError> {
        let wrong = |text: String| ToolError::new(ErrorKind::InvalidInput, text);
        let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
        let near = self.input.character.map(|character| character as usize - 1);
        let (index, chars) = match (self.input.line, &self.input.symbol) {
            (Some(number), symbol) => {
                let index = number as usize - 1;
                let line = lines.get(index).ok_or_else(|| {
                    wrong(format!("{shown} has {} lines; there is no line {number}", lines.len()))
                })?;
                let chars = match (symbol, near) {
                    (Some(symbol), near) => position::find(line, symbol, near).ok_or_else(|| {
                        wrong(format!(
                            "line {number} of {shown} has no `{}`; it is: {}",
                            short(symbol),
                            short(line)
                        ))
                    })?,
                    (None, Some(near)) if near <= line.chars().count() => near,
                    (None, Some(_)) => {
                        let count = line.chars().count();
                        return Err(wrong(format!("line {number} of {shown} has {count} characters only")));
                    }
                    (None, None) => return Err(wrong("`symbol` or `character` is missing".to_owned())),
                };
                (index, chars)
            }
            (None, Some(symbol)) => {
                let mut hits = lines.iter().enumerate();
                hits.find_map(|(index, line)| Some((index, position::find(line, symbol, None)?)))
                    .ok_or_else(|| wrong(format!("{shown} has no `{}`", short(symbol))))?
            }
            (None, None) => return Err(wrong("`line` is missing".to_owned())),
        };
        let line = lines.get(index).copied().unwrap_or_default();
        Ok(json!({"line": index, "character": self.running.encoding.to_units(line, chars)}))
    }

    /// Whether what stands at a place is defined in a file that may not be read.
    async fn is_about_something_denied(&self, place: &Value) -> Result<bool, NoAnswer> {
        if self.services.access_policy.is_none() || !self.running.can("definitionProvider") {
            return Ok(false);
        }
        let answer = self.running.ask("textDocument/definition", place.clone(), Doubt::Never).await?;
        let mut paths = protocol::locations(answer).all.into_iter().filter_map(|found| uri::path(&found.uri));
        Ok(paths.any(|path| self.reading(&path) == Verdict::Deny))
    }

    async fn locations(&self, found: Entries<Location>) -> Result<Said, NoAnswer> {
        let all = found.all.into_iter().map(|Location { uri, range }| (uri, range.start, LspItem::default()));
        self.finish(all.collect(), found.unreadable, Text::Source).await
    }

    async fn workspace_symbols(&self) -> Result<Said, NoAnswer> {
        let params = json!({"query": self.input.query});
        let answer = self.running.ask("workspace/symbol", params, Doubt::UntilItKnows).await?;
        let found = protocol::entries::<Symbol>(answer);
        let items = found.all.into_iter().filter_map(|symbol| {
            let location = symbol.location.clone()?;
            let text = symbol.container_name.as_deref().filter(|name| !name.is_empty());
            let text = text.map(|container| format!("in {}", short(container)));
            Some((location.uri, location.range.start, LspItem { text, ..named(&symbol) }))
        });
        self.finish(items.collect(), found.unreadable, Text::Own).await
    }

    async fn document_symbols(&self, file: &File) -> Result<Said, NoAnswer> {
        let params = json!({"textDocument": {"uri": uri::of(&file.canonical)}});
        let answer = self.running.ask("textDocument/documentSymbol", params, Doubt::Never).await?;
        let found = protocol::entries::<Symbol>(answer);
        let mut unreadable = found.unreadable;
        let mut items = Vec::new();
        let mut open: Vec<(Symbol, usize)> = found.all.into_iter().rev().map(|symbol| (symbol, 0)).collect();
        while let Some((mut symbol, depth)) = open.pop() {
            if items.len() >= MOST_ENTRIES {
                break;
            }
            let range = symbol.selection_range.or(symbol.location.as_ref().map(|location| location.range));
            let line = range.map(|range| range.start.line as usize + 1);
            let text = symbol.detail.as_deref().map(short).filter(|detail| !detail.is_empty());
            items.push(LspItem { line, text, depth, ..named(&symbol) });
            if depth < MOST_DEPTH {
                let children =
                    protocol::entries::<Symbol>(Value::Array(std::mem::take(&mut symbol.children)));
                unreadable += children.unreadable;
                open.extend(children.all.into_iter().rev().map(|child| (child, depth + 1)));
            }
        }
        let total = items.len();
        items.truncate(2 * MOST_ITEMS);
        Ok(Said { items, total, notices: unreadable_notice(unreadable) })
    }

    async fn calls(&self, place: Value, file: &File) -> Result<Said, NoAnswer> {
        let answer =
            self.running.ask("textDocument/prepareCallHierarchy", place, Doubt::UntilItKnows).await?;
        let prepared = protocol::entries::<Value>(answer);
        let (method, is_incoming) = match self.input.operation {
            Operation::IncomingCalls => ("callHierarchy/incomingCalls", true),
            _ => ("callHierarchy/outgoingCalls", false),
        };
        let mut items = Vec::new();
        let mut unreadable = 0;
        for item in prepared.all.into_iter().take(3) {
            let answer = self.running.ask(method, json!({ "item": item }), Doubt::Never).await?;
            let found = protocol::entries::<Call>(answer);
            unreadable += found.unreadable;
            for Call { from: symbol, from_ranges } in found.all {
                let Some(uri) = symbol.uri.clone() else { continue };
                let mut lines: Vec<u32> = from_ranges.iter().map(|range| range.start.line + 1).collect();
                lines.sort_unstable();
                lines.dedup();
                let shown: Vec<String> = lines.iter().take(20).map(u32::to_string).collect();
                // The lines of an incoming call are in the caller's file, those of an outgoing one in this file.
                let whose = if is_incoming { String::new() } else { format!(" of {}", file.shown) };
                let text = (!shown.is_empty()).then(|| format!("called in line {}{whose}", shown.join(", ")));
                let at = symbol.selection_range.unwrap_or_default().start;
                items.push((uri, at, LspItem { text, ..named(&symbol) }));
            }
        }
        self.finish(items, unreadable, Text::Own).await
    }

    async fn diagnostics(&self, file: &File, synced: &Synced, published: u64) -> Result<Said, NoAnswer> {
        let (running, uri) = (self.running, uri::of(&file.canonical));
        let heard = running.heard();
        running.until_quiet(running.patience()).await;
        let mut notices = Vec::new();
        let mut values = Vec::new();
        if running.can("diagnosticProvider") {
            let params = json!({"textDocument": {"uri": uri}});
            let mut answer = running.ask("textDocument/diagnostic", params, Doubt::Never).await?;
            if let Some(Value::Array(items)) = answer.get_mut("items").map(Value::take) {
                values = items;
            }
        } else {
            let known = heard.published(&uri);
            let mut seen = if synced.is_news || known.is_none() { published } else { u64::MAX };
            let mut wait = FIRST;
            while seen != u64::MAX {
                let newer = heard.wait(Instant::now() + wait, |heard| {
                    heard.published(&uri).map(|published| published.number).filter(|number| *number > seen)
                });
                match newer.await {
                    Some(number) => (seen, wait) = (number, MORE),
                    None => break,
                }
            }
            if seen == published {
                notices.push(format!("{} said nothing about this file in time", running.name));
            }
            if !heard.is_there() {
                return Err(AskError::Gone(heard.why_gone()).into());
            }
        }
        let pushed = heard.published(&uri).map(|published| published.items).unwrap_or_default();
        for value in pushed {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let mut found = protocol::entries::<Diagnostic>(Value::Array(values));
        found.all.sort_by_key(|found| found.range.start);
        let items = found.all.iter().map(|diagnostic| {
            let message = diagnostic.message.lines().map(short).collect::<Vec<_>>().join("\n    ");
            let (kind, name) = (Some(diagnostic.severity().to_owned()), diagnostic.origin());
            let item = LspItem { kind, name, text: Some(message), ..LspItem::default() };
            (uri.clone(), diagnostic.range.start, item)
        });
        let mut said = self.finish(items.collect(), found.unreadable, Text::Own).await?;
        said.notices.extend(notices);
        Ok(said)
    }

    /// Puts places in words, leaves out what may not be read, and bounds the whole.
    async fn finish(
        &self,
        all: Vec<(String, Position, LspItem)>,
        unreadable: usize,
        text: Text,
    ) -> Result<Said, NoAnswer> {
        let mut notices = unreadable_notice(unreadable);
        if all.len() > MOST_ENTRIES {
            notices.push(format!("only the first {MOST_ENTRIES} of {} entries were looked at", all.len()));
        }
        let mut elsewhere = 0;
        let mut found = Vec::new();
        for (uri, at, item) in all.into_iter().take(MOST_ENTRIES) {
            match uri::path(&uri) {
                Some(path) => found.push(Found { path, at, item }),
                None => elsewhere += 1,
            }
        }
        if elsewhere > 0 {
            notices.push(format!("{elsewhere} place(s) that are in no file left out"));
        }
        found.retain(|found| self.reading(&found.path) != Verdict::Deny);
        let total = found.len();
        found.truncate(MOST_ITEMS);
        let texts = self.texts(&found).await?;
        let mut items = Vec::new();
        for Found { path, at, mut item } in found {
            let known = texts.get(&path);
            let line = known.and_then(|text| text.split('\n').nth(at.line as usize));
            let line = line.map(|line| line.trim_end_matches('\r'));
            let units = at.character as usize;
            let chars = line.map_or(units, |line| self.running.encoding.to_chars(line, units));
            (item.line, item.character) = (Some(at.line as usize + 1), Some(chars + 1));
            item.path = Some(self.shown(&path));
            if text == Text::Source {
                item.text = line.map(short).filter(|line| !line.is_empty());
            }
            items.push(item);
        }
        Ok(Said { items, total, notices })
    }

    /// The texts of these files, as far as they may be read without a person.
    async fn texts(&self, found: &[Found]) -> Result<HashMap<PathBuf, Arc<str>>, NoAnswer> {
        let mut texts = HashMap::new();
        let mut missing = Vec::new();
        {
            let documents = self.running.documents.lock().await;
            for Found { path, .. } in found {
                if texts.contains_key(path) || missing.contains(path) || self.reading(path) != Verdict::Allow
                {
                    continue;
                }
                match documents.text(path) {
                    Some(text) => {
                        texts.insert(path.clone(), text);
                    }
                    None => missing.push(path.clone()),
                }
            }
        }
        let read = blocking(move || {
            let texts = missing.into_iter().filter_map(|path| {
                // Where a link leads is another file, maybe one that may not be read.
                let text = text_of(&path).ok()?;
                Some((path, Arc::from(text)))
            });
            Ok(texts.collect::<Vec<(PathBuf, Arc<str>)>>())
        });
        texts.extend(read.await.map_err(NoAnswer::Call)?);
        Ok(texts)
    }

    /// May this file be read, under each of its names?
    fn reading(&self, path: &Path) -> Verdict {
        let direct = self.services.reading(path, self.ctx);
        match self.named(path) {
            Some(named) if named != path => direct.max(self.services.reading(&named, self.ctx)),
            _ => direct,
        }
    }

    /// A path below the working directory by the name that the session has for that.
    fn named(&self, path: &Path) -> Option<PathBuf> {
        let cwd = std::fs::canonicalize(&self.ctx.cwd).ok()?;
        Some(self.ctx.cwd.join(path.strip_prefix(&cwd).ok()?))
    }

    /// A path as the model reads it.
    fn shown(&self, path: &Path) -> String {
        let named = self.named(path);
        let below = named.as_deref().and_then(|named| named.strip_prefix(&self.ctx.cwd).ok());
        below.unwrap_or(path).to_string_lossy().into_owned()
    }
}

/// Where the text of an item comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Text {
    /// From the line of the file.
    Source,
    /// It has one.
    Own,
}

fn named(symbol: &Symbol) -> LspItem {
    LspItem { kind: Some(symbol.kind().to_owned()), name: Some(short(&symbol.name)), ..LspItem::default() }
}

fn hover(text: &str) -> Said {
    let text = text.replace('\0', "\u{2400}");
    let count = text.chars().count();
    let mut notices = Vec::new();
    if count > MOST_HOVER_CHARS {
        notices.push(format!("the first {MOST_HOVER_CHARS} of {count} characters"));
    }
    let text = text.chars().take(MOST_HOVER_CHARS).collect();
    Said { items: vec![LspItem { text: Some(text), ..LspItem::default() }], total: 1, notices }
}

fn unreadable_notice(unreadable: usize) -> Vec<String> {
    let notice = format!("{unreadable} entries of the answer were not understood and are left out");
    (unreadable > 0).then_some(notice).into_iter().collect()
}
