//! A session in a temporary folder, and calls in it.

use pegboard_tool_core::ports::{AccessPolicy, Verdict};
use pegboard_tool_core::{
    AccessMode, CancellationToken, ContextSnapshot, DynTool, Grant, ResultContent, ToolContext, ToolError,
};
use pegboard_tools_std::{Services, all};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A session whose working directory is a new folder.
pub(crate) struct Session {
    /// Goes with the session.
    _dir: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) snapshot: ContextSnapshot,
    tools: Vec<Arc<dyn DynTool>>,
}

/// What a call gave.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) data: Value,
    pub(crate) is_error: bool,
}

impl Session {
    pub(crate) fn new() -> Self {
        Self::with(Services::new())
    }

    pub(crate) fn with(services: Services) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let snapshot = ContextSnapshot::new(&root, "session");
        Self { tools: all(&services).unwrap(), _dir: dir, root, snapshot }
    }

    /// A session in a folder that is there.
    pub(crate) fn at(root: &Path) -> Self {
        let mut session = Self::new();
        session.root = root.canonicalize().unwrap();
        session.snapshot = ContextSnapshot::new(&session.root, "session");
        session
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        Arc::make_mut(&mut self.snapshot.env).insert(name.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn ctx(&self) -> ToolContext {
        ToolContext::new(Arc::new(self.snapshot.clone()))
    }

    pub(crate) fn tool(&self, name: &str) -> Arc<dyn DynTool> {
        Arc::clone(self.tools.iter().find(|tool| tool.definition().name.as_str() == name).expect(name))
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.root.join(name)).unwrap()
    }

    /// A call that is granted what it names.
    pub(crate) async fn call(&self, name: &str, input: Value) -> Answer {
        self.call_in(name, input, self.ctx(), |grant| grant).await
    }

    /// A call in a context of its own; `between` comes between its judgement and its run.
    pub(crate) async fn call_in(
        &self,
        name: &str,
        input: Value,
        ctx: ToolContext,
        between: impl FnOnce(Grant) -> Grant,
    ) -> Answer {
        let outcome = async {
            let wrong = |error: pegboard_tool_core::InvalidInput| ToolError::failed(error.text);
            let invocation = self.tool(name).prepare(Arc::new(input), &ctx).map_err(wrong)?;
            invocation.validate().await.map_err(wrong)?;
            let grant = between(Grant::of(invocation.accesses()));
            invocation.call(grant, ctx, Arc::new(())).await
        };
        match outcome.await {
            Ok(output) => Answer { text: text_of(&output.content), data: output.data, is_error: false },
            Err(error) => Answer { text: error.model_text.into_owned(), data: Value::Null, is_error: true },
        }
    }

    /// A call that is cancelled before it runs.
    pub(crate) async fn call_cancelled(&self, name: &str, input: Value) -> Answer {
        let cancel = CancellationToken::new();
        cancel.cancel();
        self.call_in(name, input, self.ctx().with_cancel(cancel), |grant| grant).await
    }
}

/// The texts, and a line for each picture.
pub(crate) fn text_of(content: &[ResultContent]) -> String {
    let texts = content.iter().map(|block| match block {
        ResultContent::Text(text) => text.clone(),
        ResultContent::Image { media_type, .. } => format!("<{media_type}>"),
        ResultContent::Other(other) => panic!("not a text: {other:?}"),
    });
    texts.collect::<Vec<_>>().join("\n")
}

impl Answer {
    /// Media types of its pictures, in order.
    pub(crate) fn images(&self) -> Vec<&str> {
        let line = |line: &'_ str| line.starts_with("<image/") && line.ends_with('>');
        self.text.lines().filter(|text| line(text)).map(|text| text.trim_matches(['<', '>'])).collect()
    }
}

/// Denies paths with a certain part.
#[derive(Debug)]
pub(crate) struct Denies(pub(crate) &'static str);

impl AccessPolicy for Denies {
    fn path(&self, path: &Path, _mode: AccessMode, _ctx: &ToolContext) -> Verdict {
        if path.iter().any(|part| part == self.0) { Verdict::Deny } else { Verdict::Allow }
    }

    fn host(&self, _host: &str, _ctx: &ToolContext) -> Verdict {
        Verdict::Deny
    }
}

/// Wants a person for paths with a certain part.
#[derive(Debug)]
pub(crate) struct Asks(pub(crate) &'static str);

impl AccessPolicy for Asks {
    fn path(&self, path: &Path, _mode: AccessMode, _ctx: &ToolContext) -> Verdict {
        if path.iter().any(|part| part == self.0) { Verdict::Ask } else { Verdict::Allow }
    }

    fn host(&self, _host: &str, _ctx: &ToolContext) -> Verdict {
        Verdict::Deny
    }
}

/// Makes a folder `name` with a part that nobody can look into, not even root: its path is longer than
/// the system allows.
#[cfg(unix)]
pub(crate) fn unreadable(root: &Path, name: &str) {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let long = "d".repeat(250);
    mkdirat(CWD, root.join(name), Mode::RWXU).unwrap();
    let mut folder = openat(CWD, root.join(name), flags, Mode::empty()).unwrap();
    for _ in 0..18 {
        mkdirat(&folder, &long, Mode::RWXU).unwrap();
        folder = openat(&folder, &long, flags, Mode::empty()).unwrap();
    }
}

/// Says that a test is left out because `what` is missing here. `PEGBOARD_REQUIRE_TOOLS` names what must not be
/// missing, with blanks between, such as `pdftoppm git`; `all` is everything.
pub(crate) fn left_out(what: &str) {
    pegboard_test_support::left_out(what, &std::env::var("PEGBOARD_REQUIRE_TOOLS").unwrap_or_default());
}
