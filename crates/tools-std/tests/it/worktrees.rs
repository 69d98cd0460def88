//! EnterWorktree and ExitWorktree on real repositories.

mod entering;
mod leaving;
mod resuming;
mod trouble;

use crate::harness::{Answer, Session};
use pegboard_tool_core::{ContextChange, Grant, RawOutput, ResultContent, ToolError};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// git as a person would run it.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .envs(["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "A")))
        .envs(["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "a@example.org")))
        .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// A session in a folder that is no repository.
fn plain() -> Session {
    let mut session = Session::new().env("PATH", &std::env::var("PATH").unwrap());
    session.snapshot.trusted = true;
    session
}

/// A session in a repository with one commit.
fn repository() -> Session {
    let session = plain();
    git(&session.root, &["init", "--quiet", "-b", "main"]);
    session.write("a.txt", "one\n");
    session.write("sub/b.txt", "two\n");
    session.write(".gitignore", "ignored\n");
    git(&session.root, &["add", "."]);
    git(&session.root, &["commit", "--quiet", "-m", "first"]);
    session
}

impl Session {
    /// A call whose change of the context is applied, as the layers above do.
    async fn go(&mut self, name: &str, input: Value) -> Result<Answer, ToolError> {
        let ctx = self.ctx();
        let output = raw(self, name, input).await?;
        if let Some(change) = &output.context_change {
            // What is applied is data: it survives being written down.
            let kept = serde_json::to_string(change).unwrap();
            let change: ContextChange = serde_json::from_str(&kept).unwrap();
            self.snapshot = ctx.snapshot().changed(&change);
        }
        let texts = output.content.iter().map(|content| match content {
            ResultContent::Text(text) => text.as_str(),
            other => panic!("{other:?}"),
        });
        let text = texts.collect::<Vec<_>>().join("\n");
        Ok(Answer { text, data: output.data, is_error: false })
    }

    async fn goes(&mut self, name: &str, input: Value) -> String {
        let shown = input.to_string();
        self.go(name, input).await.unwrap_or_else(|error| panic!("{name} {shown}: {error}")).text
    }

    async fn refuses(&mut self, name: &str, input: Value) -> String {
        let before = self.snapshot.generation;
        let error = self.go(name, input).await.expect_err(name);
        assert_eq!(self.snapshot.generation, before);
        error.model_text.into_owned()
    }

    fn tree(&self, name: &str) -> PathBuf {
        self.root.join(".claude/worktrees").join(name)
    }
}

async fn raw(session: &Session, name: &str, input: Value) -> Result<RawOutput, ToolError> {
    let ctx = session.ctx();
    let wrong = |error: pegboard_tool_core::InvalidInput| ToolError::failed(error.text);
    let invocation = session.tool(name).prepare(Arc::new(input), &ctx).map_err(wrong)?;
    invocation.validate().await.map_err(wrong)?;
    let grant = Grant::of(invocation.accesses());
    invocation.call(grant, ctx, Arc::new(())).await
}

fn entering(session: &Session, input: Value) -> Box<dyn pegboard_tool_core::Invocation> {
    session.tool("EnterWorktree").prepare(Arc::new(input), &session.ctx()).unwrap()
}
