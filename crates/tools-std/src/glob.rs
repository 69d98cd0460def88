//! Glob: files by name, newest first, at most 100 with a visible note. The model may expect hidden and
//! ignored files too (`CLAUDE_CODE_GLOB_HIDDEN`, `CLAUDE_CODE_GLOB_NO_IGNORE`), not the inside of
//! `.git` unless the pattern names it; a limit of 20 s, 60 s on WSL (`CLAUDE_CODE_GLOB_TIMEOUT_SECONDS`).

mod find;
mod hits;
mod pattern;

use crate::blocking::blocking;
use crate::input::{check_text, make_absolute, with_alias};
use crate::search::limits::Variables;
use crate::search::root::named_root;
use crate::search::walk::{Hidden, Ignored};
use crate::services::Services;
use find::Find;
use hits::Order;
use pattern::Pattern;
use pegboard_tool_core::{
    Access, Accesses, Concurrency, Effects, ErrorKind, Grant, InvalidInput, Progress, Resource,
    ResultContent, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// The tool.
#[derive(Clone, Debug)]
pub struct Glob {
    services: Services,
}

/// Input of [`Glob`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GlobInput {
    /// Such as `**/*.rs` or `src/{a,b}/*.ts`; `*` does not cross folders, `**` does.
    pub pattern: String,
    /// Folder to search in; without it the working directory.
    #[serde(default)]
    pub path: Option<String>,
    /// Lists what is there as a tree, folders too, each with a slash at its end. Models are not told of it: calls
    /// under another agent's name are made into it.
    #[serde(default)]
    #[schemars(skip)]
    pub folders: bool,
}

impl GlobInput {
    /// Whether folders within folders are meant.
    fn is_deep(&self) -> bool {
        self.pattern.contains("**")
    }
}

/// Output of [`Glob`].
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GlobOutput {
    /// How long it took.
    pub duration_ms: u64,
    /// How many names are in `filenames`.
    pub num_files: usize,
    /// Newest first; relative to the working directory where they are below it. In a listing by path, folders with a
    /// slash at their end.
    pub filenames: Vec<String>,
    /// Whether there are more.
    pub truncated: bool,
    /// How many files matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_matches: Option<usize>,
    /// Whether everything was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count_is_complete: Option<bool>,
    /// What the reader must know beside the names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

impl Glob {
    /// The tool with its services.
    #[must_use]
    pub fn new(services: Services) -> Self {
        Self { services }
    }

    fn pattern(input: &GlobInput, ctx: &ToolContext) -> Pattern {
        Pattern::split(&input.pattern, &named_root(input.path.as_deref(), ctx), ctx)
    }
}

impl Tool for Glob {
    type Input = GlobInput;
    type Output = GlobOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "Glob"
    }

    fn description(&self) -> String {
        "Finds files by name with a glob pattern: **/*.rs for all Rust files, *.md for those directly in the folder, \
         src/{a,b}/*.ts. Newest first, at most 100. Hidden and ignored files are included. To search in contents \
         use Grep."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.concurrency = Concurrency::Shared;
        definition.effects = Effects::ReadOnly;
        definition.examples = vec![serde_json::json!({"pattern": "**/*.rs"})];
        with_alias(definition, "glob")
    }

    fn concurrency(&self, _input: &GlobInput, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Shared
    }

    fn effects(&self, _input: &GlobInput, _ctx: &ToolContext) -> Effects {
        Effects::ReadOnly
    }

    fn accesses(&self, input: &GlobInput, ctx: &ToolContext) -> Accesses {
        let root = Self::pattern(input, ctx).root;
        match input.path.as_deref().filter(|path| !path.is_empty()).map(|path| ctx.absolute(path)) {
            // A pattern may lead out of the folder that the call names; whether that one is there is told too.
            Some(named) if named != root => Accesses::Only(Arc::from([
                Access::read(Resource::Tree(root)),
                Access::read(Resource::Tree(named)),
            ])),
            _ => Accesses::read_tree(root),
        }
    }

    fn backfill(&self, input: &mut Value, ctx: &ToolContext) {
        make_absolute("path", input, ctx);
    }

    fn backfills(&self) -> bool {
        true
    }

    async fn validate(&self, input: &GlobInput, ctx: &ToolContext) -> Result<(), InvalidInput> {
        check_text("pattern", &input.pattern)?;
        if let Some(path) = input.path.as_deref().filter(|path| !path.is_empty()) {
            check_text("path", path)?;
        }
        Self::pattern(input, ctx).compile().map(drop)
    }

    fn describe(&self, input: &GlobInput) -> String {
        let path = input.path.as_deref().filter(|path| !path.is_empty());
        if input.folders {
            let below = if input.is_deep() { " and what is below it" } else { "" };
            return format!("List {}{below}", path.unwrap_or("."));
        }
        match path {
            Some(path) => format!("Glob {} in {path}", input.pattern),
            None => format!("Glob {}", input.pattern),
        }
    }

    async fn call(
        &self,
        input: GlobInput,
        ctx: ToolContext,
        progress: Progress<()>,
    ) -> Result<ToolOutput<GlobOutput>, ToolError> {
        let grant = Grant::of(&self.accesses(&input, &ctx));
        self.call_granted(input, grant, ctx, progress).await
    }

    async fn call_granted(
        &self,
        input: GlobInput,
        grant: Grant,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<GlobOutput>, ToolError> {
        check_text("pattern", &input.pattern).map_err(invalid)?;
        let pattern = Self::pattern(&input, &ctx);
        let is_deep_listing = input.folders && input.is_deep();
        let path = input.path.filter(|path| !path.is_empty()).map(|path| ctx.absolute(path));
        // When this future is dropped nobody waits for the walk: end it.
        let cancel = ctx.cancel.child_token();
        let _guard = cancel.clone().drop_guard();
        let mut variables = Variables::of(&ctx);
        let usual = if variables.is_wsl() { 60 } else { 20 };
        let find = Find {
            test: pattern.compile().map_err(invalid)?,
            pattern,
            must_exist: path,
            order: if input.folders { Order::Tree } else { Order::Newest },
            // A listing of everything below a folder would be full of what builds and installations left there.
            ignored: match variables.is_off("CLAUDE_CODE_GLOB_NO_IGNORE") || is_deep_listing {
                true => Ignored::LeftOut,
                false => Ignored::Included,
            },
            hidden: match variables.is_off("CLAUDE_CODE_GLOB_HIDDEN") {
                true => Hidden::LeftOut,
                false => Hidden::Included,
            },
            time_limit: variables.seconds("CLAUDE_CODE_GLOB_TIMEOUT_SECONDS", usual),
            notices: variables.notices(),
            services: self.services.clone(),
            ctx: ctx.with_cancel(cancel),
        };
        blocking(move || find.run(&grant)).await.map(ToolOutput::new)
    }

    fn render_result(&self, output: &GlobOutput) -> Option<String> {
        let total = output.total_matches.unwrap_or(output.num_files);
        let lists = output.filenames.iter().any(|name| name.ends_with('/'));
        let files = match (lists, total) {
            (true, 1) => "entry",
            (true, _) => "entries",
            (false, 1) => "file",
            (false, _) => "files",
        };
        let more = if output.count_is_complete == Some(false) { "+" } else { "" };
        Some(match output.num_files {
            shown if shown < total => format!("{shown} of {total}{more} {files}"),
            _ => format!("{total}{more} {files}"),
        })
    }

    fn to_result(&self, output: &GlobOutput) -> Vec<ResultContent> {
        let names = (!output.filenames.is_empty()).then(|| output.filenames.join("\n"));
        names.into_iter().chain(output.notices.iter().cloned()).map(ResultContent::Text).collect()
    }
}

fn invalid(error: InvalidInput) -> ToolError {
    ToolError::new(ErrorKind::InvalidInput, error.text)
}
