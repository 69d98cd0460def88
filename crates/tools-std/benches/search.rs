//! Glob and Grep over 20,000 files against `rg` on the same tree, where `rg` is in the path.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a bench stops at the first problem")]

use divan::Bencher;
use pegboard_tool_core::ports::{AccessPolicy, Verdict};
use pegboard_tool_core::{AccessMode, ContextSnapshot, DynTool, Grant, ToolContext};
use pegboard_tools_std::{IgnorePolicy, Services, all};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, LazyLock};

/// 200 folders of 100 files, a third of them TypeScript, 2 KB each; one file in a thousand has the
/// rare token.
static TREE: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let filler = "const value = compute(left, right); // and so on\n".repeat(40);
    for folder in 0..200 {
        let path = dir.path().join(format!("package{}/src{folder}", folder % 20));
        std::fs::create_dir_all(&path).unwrap();
        for file in 0..100 {
            let extension = ["ts", "js", "md"][file % 3];
            let rare = if (folder * 100 + file) % 1_000 == 0 { "rare_token_here\n" } else { "" };
            std::fs::write(path.join(format!("file{file}.{extension}")), format!("{filler}{rare}")).unwrap();
        }
    }
    dir
});

static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap());

fn main() {
    divan::main();
}

/// Allows every path.
#[derive(Debug)]
struct Open;

impl AccessPolicy for Open {
    fn path(&self, _path: &Path, _mode: AccessMode, _ctx: &ToolContext) -> Verdict {
        Verdict::Allow
    }

    fn host(&self, _host: &str, _ctx: &ToolContext) -> Verdict {
        Verdict::Ask
    }
}

fn call(bencher: Bencher<'_, '_>, name: &str, input: Value, expected: &str) {
    call_with(bencher, &Services::new(), name, input, expected);
}

fn call_with(bencher: Bencher<'_, '_>, services: &Services, name: &str, input: Value, expected: &str) {
    let tools = all(services).unwrap();
    let tool: Arc<dyn DynTool> =
        tools.into_iter().find(|tool| tool.definition().name.as_str() == name).unwrap();
    let root = TREE.path().canonicalize().unwrap();
    let ctx = ToolContext::new(Arc::new(ContextSnapshot::new(root, "bench")));
    let input = Arc::new(input);
    bencher.bench_local(|| {
        let invocation = tool.prepare(Arc::clone(&input), &ctx).unwrap();
        let grant = Grant::of(invocation.accesses());
        let output = RUNTIME.block_on(invocation.call(grant, ctx.clone(), Arc::new(()))).unwrap();
        assert!(output.data.to_string().contains(expected));
        output
    });
}

fn rg(bencher: Bencher<'_, '_>, arguments: &[&str], after: fn(&Path, &str)) {
    let root = TREE.path().canonicalize().unwrap();
    if Command::new("rg").arg("--version").stdout(Stdio::null()).status().is_err() {
        return;
    }
    bencher.bench_local(|| {
        let output = Command::new("rg").args(arguments).current_dir(&root).output().expect("rg runs");
        assert!(output.status.success());
        for line in std::str::from_utf8(&output.stdout).unwrap().lines() {
            after(&root, line);
        }
    });
}

#[divan::bench]
fn glob_ours(bencher: Bencher<'_, '_>) {
    call(bencher, "Glob", json!({"pattern": "**/*.ts"}), "\"totalMatches\":6800");
}

/// What our answer needs: the names, and a look at each for its age.
#[divan::bench]
fn glob_rg(bencher: Bencher<'_, '_>) {
    rg(bencher, &["--files", "--hidden", "--no-ignore", "-g", "**/*.ts"], |root, line| {
        divan::black_box(std::fs::metadata(root.join(line)).unwrap().modified().unwrap());
    });
}

/// The same with an ignore file that closes nothing of it: each hit is judged.
#[divan::bench]
fn glob_ours_behind_an_ignore_file(bencher: Bencher<'_, '_>) {
    let closed = "# closed\n.env*\nsecrets/\n*.pem\n/private/\n!example.pem\nnode_modules/\n";
    std::fs::write(TREE.path().join(".pegboardignore"), closed).unwrap();
    let policy = IgnorePolicy::new(TREE.path(), Arc::new(Open));
    let services = Services::new().with_access_policy(Arc::new(policy));
    call_with(bencher, &services, "Glob", json!({"pattern": "**/*.ts"}), "\"totalMatches\":6800");
    std::fs::remove_file(TREE.path().join(".pegboardignore")).unwrap();
}

#[divan::bench]
fn grep_rare_ours(bencher: Bencher<'_, '_>) {
    call(bencher, "Grep", json!({"pattern": "rare_token_\\w+"}), "\"totalFiles\":20");
}

#[divan::bench]
fn grep_rare_rg(bencher: Bencher<'_, '_>) {
    rg(bencher, &["--hidden", "-l", "rare_token_\\w+"], |_, _| ());
}

#[divan::bench]
fn grep_common_files_ours(bencher: Bencher<'_, '_>) {
    call(bencher, "Grep", json!({"pattern": "compute"}), "\"totalFiles\":20000");
}

#[divan::bench]
fn grep_common_files_rg(bencher: Bencher<'_, '_>) {
    rg(bencher, &["--hidden", "-l", "compute"], |root, line| {
        divan::black_box(std::fs::metadata(root.join(line)).unwrap().modified().unwrap());
    });
}

#[divan::bench]
fn grep_common_content_ours(bencher: Bencher<'_, '_>) {
    let input = json!({"pattern": "compute", "output_mode": "content", "glob": "*.md"});
    call(bencher, "Grep", input, "\"totalLines\":264000");
}

#[divan::bench]
fn grep_common_content_rg(bencher: Bencher<'_, '_>) {
    rg(bencher, &["--hidden", "-n", "-g", "*.md", "compute"], |_, _| ());
}
