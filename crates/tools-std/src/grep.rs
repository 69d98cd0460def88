//! Grep: contents of files, by ripgrep's engine in this process. The model may expect ripgrep's
//! syntax; ignored files and the inside of `.git` left out unless the path itself is given; hidden
//! files included; every answer paged (250 entries unless `head_limit` says otherwise) with a notice
//! that says what is left; a part that could not be read named; a limit of 60 s
//! (`PEGBOARD_GREP_TIMEOUT_SECONDS`).

mod encoded;
mod filter;
mod hits;
mod input;
mod output;
mod run;
mod sink;
mod types;

pub use input::{GrepInput, OutputMode};
pub use output::GrepOutput;

use crate::blocking::blocking;
use crate::input::{check_text, make_absolute, with_alias};
use crate::search::root::{Root, accesses_of, named_root};
use crate::services::Services;
use pegboard_tool_core::{
    Accesses, Concurrency, Effects, ErrorKind, Grant, InvalidInput, Progress, ResultContent, Tool,
    ToolContext, ToolDefinition, ToolError, ToolOutput,
};
use run::Search;
use serde_json::Value;

/// The tool.
#[derive(Clone, Debug)]
pub struct Grep {
    services: Services,
}

impl Grep {
    /// The tool with its services.
    #[must_use]
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl Tool for Grep {
    type Input = GrepInput;
    type Output = GrepOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "Grep"
    }

    fn description(&self) -> String {
        "Searches contents of files with a regular expression in ripgrep's syntax (escape literal braces and \
         parentheses). output_mode: files_with_matches (default, newest first), content (path:line:text, with -A, -B, \
         -C for context and -o for the matching part only), count. Narrow by glob (*.rs, !*.min.js) or type (rust, \
         js, py). Patterns match within lines unless multiline is true. Page with head_limit and offset."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.concurrency = Concurrency::Shared;
        definition.effects = Effects::ReadOnly;
        definition.examples =
            vec![serde_json::json!({"pattern": "fn\\s+main", "type": "rust", "output_mode": "content"})];
        with_alias(definition, "grep")
    }

    fn concurrency(&self, _input: &GrepInput, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Shared
    }

    fn effects(&self, _input: &GrepInput, _ctx: &ToolContext) -> Effects {
        Effects::ReadOnly
    }

    fn accesses(&self, input: &GrepInput, ctx: &ToolContext) -> Accesses {
        accesses_of(named_root(input.path.as_deref(), ctx))
    }

    fn backfill(&self, input: &mut Value, ctx: &ToolContext) {
        make_absolute("path", input, ctx);
    }

    fn backfills(&self) -> bool {
        true
    }

    async fn validate(&self, input: &GrepInput, ctx: &ToolContext) -> Result<(), InvalidInput> {
        check_text("pattern", &input.pattern)?;
        for (field, text) in [("path", &input.path), ("glob", &input.glob), ("type", &input.file_type)] {
            if let Some(text) = text.as_deref().filter(|text| !text.is_empty()) {
                check_text(field, text)?;
            }
        }
        sink::matcher(input)?;
        filter::Filter::new(input, &ctx.cwd).map(drop)
    }

    fn describe(&self, input: &GrepInput) -> String {
        let path = input.path.as_deref().filter(|path| !path.is_empty());
        let place =
            path.or(input.glob.as_deref()).or(input.file_type.as_deref()).filter(|place| !place.is_empty());
        match place {
            Some(place) => format!("Grep {} in {place}", input.pattern),
            None => format!("Grep {}", input.pattern),
        }
    }

    async fn call(
        &self,
        input: GrepInput,
        ctx: ToolContext,
        progress: Progress<()>,
    ) -> Result<ToolOutput<GrepOutput>, ToolError> {
        let grant = Grant::of(&self.accesses(&input, &ctx));
        self.call_granted(input, grant, ctx, progress).await
    }

    async fn call_granted(
        &self,
        input: GrepInput,
        grant: Grant,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<GrepOutput>, ToolError> {
        // When this future is dropped nobody waits for the search: end it.
        let cancel = ctx.cancel.child_token();
        let _guard = cancel.clone().drop_guard();
        let (ctx, services) = (ctx.with_cancel(cancel), self.services.clone());
        let search = move || {
            let root = Root::judged(named_root(input.path.as_deref(), &ctx), &grant, &services, &ctx)?;
            let output = Search::new(&input, &root, &services, &ctx)?.run()?;
            root.still_there(&grant)?;
            Ok(output)
        };
        blocking(search).await.map(ToolOutput::new)
    }

    fn render_result(&self, output: &GrepOutput) -> Option<String> {
        let many =
            |count: u64, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
        let files = output.total_files.unwrap_or(output.num_files) as u64;
        let files = many(files, "file", "files");
        Some(match output.num_matches {
            Some(matches) => format!("{} in {files}", many(matches, "match", "matches")),
            None => files,
        })
    }

    fn to_result(&self, output: &GrepOutput) -> Vec<ResultContent> {
        let text = output
            .content
            .clone()
            .or_else(|| Some(output.filenames.join("\n")))
            .filter(|text| !text.is_empty());
        text.into_iter().chain(output.notices.iter().cloned()).map(ResultContent::Text).collect()
    }
}

fn invalid(error: InvalidInput) -> ToolError {
    ToolError::new(ErrorKind::InvalidInput, error.text)
}
