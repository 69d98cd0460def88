//! What git ignores is closed, whatever the lines: git itself is asked.

use super::policy;
use crate::harness::left_out;
use pegboard_tool_core::ports::{AccessPolicy as _, Verdict};
use pegboard_tool_core::{AccessMode, ContextSnapshot, ToolContext};
use proptest::prelude::*;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

const FILES: [&str; 12] =
    ["a", "b", "d/a", "d/b", "d/e/a", "d/e/f/b", "x/d/a", "x/e/ab", ".h", "s p", "x/.h/b", "f/f/f"];

fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1").stdin(Stdio::null());
    command
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "d", "e", "f", "x", ".h", "s p", "ab"]),
        2 => prop::sample::select(vec!["*", "**", "?", "[ab]", "a*", "*b", "[!a]", "\\a"]),
    ];
    let line = (any::<bool>(), any::<bool>(), prop::collection::vec(name, 1..4), any::<bool>());
    let line = line.prop_map(|(opens, is_anchored, names, is_folder)| {
        let sign = |is: bool, text: &'static str| if is { text } else { "" };
        format!("{}{}{}{}", sign(opens, "!"), sign(is_anchored, "/"), names.join("/"), sign(is_folder, "/"))
    });
    prop::collection::vec(line, 1..6)
}

#[test]
fn whatever_git_ignores_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    match git(&root).args(["init", "-q"]).status() {
        Ok(status) => assert!(status.success()),
        Err(_) => return left_out("git"),
    }
    for file in FILES {
        std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        std::fs::write(root.join(file), "").unwrap();
    }
    let ctx = ToolContext::new(Arc::new(ContextSnapshot::new(&root, "s")));
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(150));
    let outcome = runner.run(&lines(), |lines| {
        let text = lines.join("\n");
        std::fs::write(root.join(".gitignore"), &text).unwrap();
        std::fs::write(root.join(".pegboardignore"), &text).unwrap();
        let output = git(&root).args(["check-ignore", "--no-index"]).args(FILES).output().unwrap();
        prop_assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
        let ignored = String::from_utf8(output.stdout).unwrap();
        let policy = policy();
        for file in FILES {
            let is_ignored = ignored.lines().any(|line| line.trim_matches('"') == file);
            let is_closed = policy.path(&root.join(file), AccessMode::Read, &ctx) == Verdict::Deny;
            prop_assert_eq!(is_closed, is_ignored, "{} under {:?}", file, &lines);
        }
        Ok(())
    });
    outcome.unwrap();
}
