//! LSP: questions to language servers about definitions, references, types, symbols, calls and errors.
//!
//! The model may expect: lines and columns count as Read shows them; a server is started on first use and stays for the
//! session; files are as they are on the disk at each question; at most 100 places, with a note about more. A server
//! runs code of the project (build scripts, plug-ins), so in a folder that is not trusted its start asks.
//!
//! The client is written here, on the bare protocol: a library would have to believe a length before its bytes are
//! there, and hides the ids that a cancellation needs.

mod answer;
mod connection;
mod documents;
mod frame;
mod heard;
mod input;
mod languages;
mod output;
mod position;
mod protocol;
mod server;
mod servers;
mod uri;

pub use input::{LspInput, Operation};
pub use output::{LspItem, LspOutput};
pub(crate) use servers::stop_below;
pub use servers::stop_language_servers;

use crate::families::Made;
use crate::file::judged::judged;
use crate::input::{make_absolute, with_alias};
use crate::{Services, confined};
use answer::{File, NoAnswer, Question, Said};
use connection::AskError;
use languages::Server;
use pegboard_tool_core::{
    AccessMode, Accesses, Availability, Concurrency, Effects, ErrorKind, Grant, InvalidInput, Progress,
    ResultContent, Tool, ToolCheck, ToolContext, ToolDefinition, ToolEnv, ToolError, ToolOutput, dyn_tool,
    resolve_links,
};
use serde_json::Value;
use server::Limits;
use servers::Servers;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Servers that one question about a project goes to.
const MOST_SERVERS: usize = 3;

/// The tools of this family.
pub(crate) fn tools(services: &Services) -> Made {
    Ok(vec![dyn_tool(Lsp::new(services.clone()))?])
}

/// Asks language servers.
#[derive(Clone, Debug)]
pub struct Lsp {
    services: Services,
}

/// A server and the project that it is asked about.
#[derive(Clone, Debug)]
struct Site {
    server: Server,
    root: PathBuf,
}

impl Lsp {
    /// The tool with its services. Of the settings it uses `lsp`.
    #[must_use]
    pub fn new(services: Services) -> Self {
        Self { services }
    }

    fn servers(&self) -> Vec<Server> {
        languages::servers(&self.services.settings.lsp)
    }

    /// Who is asked about the file at `canonical`.
    fn site_of(&self, canonical: &Path, ctx: &ToolContext) -> Result<Site, ToolError> {
        let servers = self.servers();
        let Some(server) = servers.iter().find(|server| server.knows(canonical)) else {
            let mut known: Vec<&str> =
                servers.iter().flat_map(|server| &server.extensions).map(String::as_str).collect();
            known.sort_unstable();
            known.dedup();
            let text = format!(
                "no language server is known for such files; there are some for: {}. Use Grep instead",
                known.join(", ")
            );
            return Err(ToolError::new(ErrorKind::InvalidInput, text));
        };
        let root = root_of(server, canonical, ctx);
        Ok(Site { server: server.clone(), root })
    }

    /// Who is asked about the project: the servers whose marks it has.
    fn sites(&self, ctx: &ToolContext) -> Vec<Site> {
        let here = real(&ctx.cwd);
        let sites = self.servers().into_iter().filter_map(|server| {
            let root = root_of(&server, &here, ctx);
            let is_marked = server.markers.iter().any(|marker| root.join(marker).is_file());
            let is_known = is_marked || ctx.session.of::<Servers>().is_running(&server, &root);
            is_known.then_some(Site { server, root })
        });
        sites.take(MOST_SERVERS).collect()
    }

    /// The sites of a call, as far as they can be told before it runs.
    fn sites_of(&self, input: &LspInput, ctx: &ToolContext) -> Vec<Site> {
        match &input.file_path {
            Some(path) => self.site_of(&real(&ctx.absolute(path)), ctx).into_iter().collect(),
            None => self.sites(ctx),
        }
    }

    /// Asks one server; one that dies while it is asked is started again once.
    async fn ask(
        &self,
        site: &Site,
        input: &LspInput,
        file: Option<&File>,
        ctx: &ToolContext,
    ) -> Result<Said, ToolError> {
        let limits = Limits::of(&self.services.settings.lsp);
        let servers = ctx.session.of::<Servers>();
        let confinement = confined::of_session(&self.services, ctx);
        let mut again = true;
        loop {
            let running = servers.running(&site.server, &site.root, &confinement, ctx, limits).await?;
            let question = Question { input, file, running: &running, services: &self.services, ctx };
            match question.answer().await {
                Ok(said) => return Ok(said),
                Err(NoAnswer::Call(error)) => return Err(error),
                Err(NoAnswer::Server(AskError::Gone(_))) if again => again = false,
                Err(NoAnswer::Server(error)) => return Err(running.failed(&error)),
            }
        }
    }

    async fn answer(
        &self,
        input: &LspInput,
        grant: &Grant,
        ctx: &ToolContext,
    ) -> Result<LspOutput, ToolError> {
        let file = match &input.file_path {
            Some(path) => {
                let canonical = judged(&ctx.absolute(path), AccessMode::Read, grant, path)?;
                if self.services.denies_reading(&canonical, ctx) {
                    return Err(ToolError::new(ErrorKind::Forbidden, format!("{path} may not be read")));
                }
                Some(File { canonical, shown: path.clone() })
            }
            None => None,
        };
        let sites = match &file {
            Some(file) => vec![self.site_of(&file.canonical, ctx)?],
            None => self.sites(ctx),
        };
        if sites.is_empty() {
            let text = "it cannot be told which language the project is in; give `file_path`, a file of the language";
            return Err(ToolError::new(ErrorKind::InvalidInput, text));
        }
        let mut output = LspOutput {
            operation: input.operation,
            servers: Vec::new(),
            items: Vec::new(),
            total: 0,
            notices: Vec::new(),
        };
        let mut failure = None;
        for site in &sites {
            match self.ask(site, input, file.as_ref(), ctx).await {
                Ok(said) => {
                    output.servers.push(site.server.name.clone());
                    output.items.extend(said.items);
                    output.total += said.total;
                    output.notices.extend(said.notices);
                }
                Err(error) if sites.len() == 1 => return Err(error),
                Err(error) => {
                    output.notices.push(error.model_text.to_string());
                    failure = Some(error);
                }
            }
        }
        match failure {
            Some(error) if output.servers.is_empty() => Err(error),
            _ => Ok(output),
        }
    }
}

impl Tool for Lsp {
    type Input = LspInput;
    type Output = LspOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "LSP"
    }

    fn description(&self) -> String {
        "Asks a language server, which understands the code: definition, references, hover (type and documentation), \
         implementation, incoming_calls and outgoing_calls of a symbol, given by file_path, line and symbol (or \
         character); document_symbols and diagnostics (errors, warnings) of a file; workspace_symbols by query. More \
         exact than a search by text. The first question to a server may take a while."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.concurrency = Concurrency::Shared;
        definition.effects = Effects::ReadOnly;
        definition.examples = vec![
            serde_json::json!({"operation": "references", "file_path": "src/lib.rs", "line": 10, "symbol": "parse"}),
            serde_json::json!({"operation": "diagnostics", "file_path": "src/lib.rs"}),
        ];
        with_alias(definition, "lsp")
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        let value = env.vars.get("ENABLE_LSP_TOOL").map(|value| value.trim().to_ascii_lowercase());
        if value.is_none_or(|value| matches!(value.as_str(), "" | "0" | "false" | "no" | "off")) {
            return Availability::Absent("it needs ENABLE_LSP_TOOL=1 in the environment".to_owned());
        }
        let servers = self.servers();
        if servers.iter().any(|server| server.program(env.path.iter().cloned()).is_ok()) {
            return Availability::Here;
        }
        let names: Vec<&str> = servers.iter().map(|server| server.command.as_str()).collect();
        Availability::Absent(format!("no language server is installed; looked for {}", names.join(", ")))
    }

    fn concurrency(&self, _input: &LspInput, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Shared
    }

    fn effects(&self, _input: &LspInput, _ctx: &ToolContext) -> Effects {
        Effects::ReadOnly
    }

    /// The file, or the project; what servers name beside that is judged one by one.
    fn accesses(&self, input: &LspInput, ctx: &ToolContext) -> Accesses {
        match &input.file_path {
            Some(path) => Accesses::read_file(ctx.absolute(path)),
            None => Accesses::read_tree(&ctx.cwd),
        }
    }

    fn time_limit(&self, _input: &LspInput, _ctx: &ToolContext) -> Option<Duration> {
        let limits = Limits::of(&self.services.settings.lsp);
        Some(limits.start * 2 + limits.indexing * 2 + limits.request * 4 + Duration::from_secs(60))
    }

    fn backfill(&self, input: &mut Value, ctx: &ToolContext) {
        make_absolute("file_path", input, ctx);
    }

    fn backfills(&self) -> bool {
        true
    }

    async fn validate(&self, input: &LspInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        input.check()
    }

    async fn check_permissions(&self, input: &LspInput, ctx: &ToolContext) -> ToolCheck {
        if ctx.trusted {
            return ToolCheck::PassThrough;
        }
        let servers = ctx.session.of::<Servers>();
        let mut new = self.sites_of(input, ctx).into_iter();
        match new.find(|site| !servers.is_running(&site.server, &site.root)) {
            Some(site) => ToolCheck::Ask(format!(
                "it starts the language server {}, which may run code of this folder, and the folder is not trusted",
                site.server.name
            )),
            None => ToolCheck::PassThrough,
        }
    }

    fn describe(&self, input: &LspInput) -> String {
        let what = input.query.as_ref().or(input.symbol.as_ref());
        let place = input.file_path.as_ref().map(|path| match input.line {
            Some(line) => format!("{path}:{line}"),
            None => path.clone(),
        });
        let parts = [Some(&input.operation.name().to_owned()), what, place.as_ref()];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        format!("LSP {}", parts.join(" "))
    }

    async fn call(
        &self,
        input: LspInput,
        ctx: ToolContext,
        progress: Progress<()>,
    ) -> Result<ToolOutput<LspOutput>, ToolError> {
        let grant = Grant::of(&self.accesses(&input, &ctx));
        self.call_granted(input, grant, ctx, progress).await
    }

    async fn call_granted(
        &self,
        input: LspInput,
        grant: Grant,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<LspOutput>, ToolError> {
        input.check().map_err(|error| ToolError::new(ErrorKind::InvalidInput, error.text))?;
        tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => Err(ToolError::cancelled()),
            answer = self.answer(&input, &grant, &ctx) => answer.map(ToolOutput::new),
        }
    }

    fn to_result(&self, output: &LspOutput) -> Vec<ResultContent> {
        vec![ResultContent::Text(output.words())]
    }
}

/// The root of the project of a file. One outside of the working directories belongs to the project that the session
/// is in: a definition in a library is asked about there.
fn root_of(server: &Server, canonical: &Path, ctx: &ToolContext) -> PathBuf {
    let project = real(&ctx.project_dir);
    let mut directories =
        std::iter::once(project.clone()).chain(ctx.directories.iter().map(|path| real(path)));
    match directories.find(|directory| canonical.starts_with(directory)) {
        Some(directory) => server.root(canonical, &directory),
        None => {
            let cwd = real(&ctx.cwd);
            let from = if cwd.starts_with(&project) { &cwd } else { &project };
            server.root(from, &project)
        }
    }
}

fn real(path: &Path) -> PathBuf {
    resolve_links(path).unwrap_or_else(|_| path.to_path_buf())
}
