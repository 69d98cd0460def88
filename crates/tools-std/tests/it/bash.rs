//! Bash with the real shell.

use crate::harness::Session;
use pegboard_tool_core::ports::{CommandAnalyzer, CommandNature, CommandReport, CommandUse, ShellStart};
use pegboard_tool_core::{
    CancellationToken, Concurrency, ContextChange, DynTool, Grant, RawOutput, ResultContent, ToolContext,
    ToolError, dyn_tool,
};
use pegboard_tools_std::Services;
use pegboard_tools_std::bash::Bash;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

fn session() -> Session {
    let path = std::env::var("PATH").unwrap();
    Session::new().env("PATH", &path)
}

async fn run_tool(tool: &dyn DynTool, input: Value, ctx: ToolContext) -> Result<RawOutput, ToolError> {
    let invocation = tool.prepare(Arc::new(input), &ctx).map_err(|error| ToolError::failed(error.text))?;
    invocation.validate().await.map_err(|error| ToolError::failed(error.text))?;
    invocation.call(Grant::default(), ctx, Arc::new(())).await
}

async fn run(session: &Session, command: &str) -> Result<RawOutput, ToolError> {
    run_tool(&*session.tool("Bash"), json!({ "command": command }), session.ctx()).await
}

fn text(output: &RawOutput) -> String {
    output
        .content
        .iter()
        .map(|content| match content {
            ResultContent::Text(text) => text.as_str(),
            _ => panic!("{content:?}"),
        })
        .collect()
}

async fn ok(session: &Session, command: &str) -> String {
    text(&run(session, command).await.unwrap_or_else(|error| panic!("{command}: {error}")))
}

async fn fails(session: &Session, command: &str) -> String {
    run(session, command).await.expect_err(command).model_text.into_owned()
}

/// Whether a process runs whose command line holds this text (a corpse does not run).
pub(crate) fn runs(text: &str) -> bool {
    let ids =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    ids.filter(|id| id.bytes().all(|byte| byte.is_ascii_digit())).any(|id| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        id != std::process::id().to_string() && line.trim() == text
    })
}

#[tokio::test]
async fn cd_carries_over_inside_the_project_and_nowhere_else() {
    let mut session = session();
    std::fs::create_dir(session.root.join("sub")).unwrap();
    let change = |output: RawOutput| match output.context_change {
        Some(ContextChange::Cwd(path)) => Some(path),
        None => None,
        other => panic!("{other:?}"),
    };
    let sub = session.root.join("sub");
    assert_eq!(change(run(&session, "cd sub").await.unwrap()), Some(sub.clone()));
    assert_eq!(change(run(&session, "cd sub; exit 0").await.unwrap()), Some(sub.clone()));
    assert_eq!(change(run(&session, "cd sub; grep x /dev/null").await.unwrap()), Some(sub.clone()));
    assert_eq!(change(run(&session, "cd sub && cd ..").await.unwrap()), None);
    let outside = run(&session, "cd /").await.unwrap();
    assert_eq!(text(&outside), format!("Shell cwd was reset to {}", session.root.display()));
    assert_eq!(outside.data["stderr"], text(&outside));
    assert_eq!(change(outside), None);
    assert!(fails(&session, "cd sub; false").await.contains("Shell cwd was reset"));
    session.snapshot.directories.push(PathBuf::from("/usr"));
    assert_eq!(change(run(&session, "cd /usr/bin").await.unwrap()), Some("/usr/bin".into()));
    session.snapshot.cwd = sub;
    assert_eq!(change(run(&session, "cd /").await.unwrap()), Some(session.root.clone()));
    session.snapshot.agent_id = Some("agent".into());
    assert_eq!(change(run(&session, "cd ..").await.unwrap()), None);
}

#[tokio::test]
async fn a_project_behind_a_link_keeps_its_name() {
    let mut session = session();
    std::fs::create_dir_all(session.root.join("real/sub")).unwrap();
    std::os::unix::fs::symlink("real", session.root.join("link")).unwrap();
    session.snapshot.project_dir = session.root.join("link");
    session.snapshot.cwd = session.root.join("link");
    let output = run(&session, "cd sub").await.unwrap();
    assert_eq!(output.context_change, Some(ContextChange::Cwd(session.root.join("link/sub"))));
}

#[tokio::test]
async fn state_of_a_shell_ends_with_it() {
    let session = session();
    ok(&session, "export A=1; f() { :; }; alias x=y").await;
    assert_eq!(
        ok(&session, "echo \"[$A]\"; type f x 2>&1 | grep -c 'not found'; echo \"$0 $# $LINENO\"").await,
        "[]\n2\nbash 0 1"
    );
}

#[tokio::test]
async fn the_environment_is_cleaned() {
    let mut session = session();
    for name in [
        "BASH_ENV",
        "ENV",
        "CDPATH",
        "GLOBIGNORE",
        "IFS",
        "PS4",
        "PROMPT_COMMAND",
        "OTEL_X",
        "BASHOPTS",
        "SHELLOPTS",
    ] {
        session = session.env(name, "/evil");
    }
    let session = session
        .env("BASH_FUNC_ls%%", "() { echo evil; }")
        .env("PATH", "bin:.::/usr/bin:/bin")
        .env("GIT_EXTERNAL_DIFF", "/evil")
        .env("GIT_CONFIG_KEY_7", "core.pager")
        .env("KEEP", "a b");
    let shown = ok(&session, "env | sort | grep -vE '^(PWD|OLDPWD|SHLVL|_|PEGBOARD_PROCESS_TREE)='; printf '%q\\n' \"$IFS\"; ls -d /; echo \"[$BASH_ENV]\"").await;
    insta::assert_snapshot!(shown, @r"
    CLAUDECODE=1
    CLAUDE_CODE_CHILD_SESSION=1
    CLAUDE_CODE_SESSION_ID=session
    GIT_CONFIG_COUNT=3
    GIT_CONFIG_KEY_0=core.fsmonitor
    GIT_CONFIG_KEY_1=core.pager
    GIT_CONFIG_KEY_2=protocol.ext.allow
    GIT_CONFIG_VALUE_0=false
    GIT_CONFIG_VALUE_1=cat
    GIT_CONFIG_VALUE_2=never
    GIT_OPTIONAL_LOCKS=0
    GIT_PAGER=cat
    GIT_TERMINAL_PROMPT=0
    KEEP=a b
    PATH=/usr/bin:/bin
    $' \t\n'
    /
    []
    ");
}

#[tokio::test]
async fn both_streams_are_one_in_their_true_order() {
    let session = session();
    assert_eq!(ok(&session, "echo a; echo b >&2; echo c").await, "a\nb\nc");
    assert_eq!(
        ok(&session, "echo a; echo b > /dev/stderr; echo c > /dev/stdout; echo d").await,
        "a\nb\nc\nd"
    );
}

#[tokio::test]
async fn codes_are_answers_or_failures() {
    let session = session();
    session.write("a", "1");
    session.write("b", "2");
    assert_eq!(ok(&session, "grep zzz a").await, "[no matches]");
    assert!(ok(&session, "diff a b").await.ends_with("[the inputs differ]"));
    assert!(fails(&session, "diff a nosuch").await.starts_with("Exit code 2\n"));
    assert_eq!(fails(&session, "false").await, "Exit code 1");
    assert_eq!(fails(&session, "pgrep zzz-no-such").await, "Exit code 1");
    assert_eq!(fails(&session, "kill -9 $$").await, "Exit code 137 (SIGKILL)");
    assert_eq!(
        fails(&session, "sh -c 'kill -TERM $$'; exit $?").await.lines().next(),
        Some("Exit code 143 (SIGTERM)")
    );
    assert!(fails(&session, "echo (").await.contains("line 1: syntax error"));
}

#[tokio::test]
async fn long_output_is_whole_on_disk_and_shown_by_its_ends() {
    let mut session = session();
    session.snapshot.session_dir = Some(session.root.join("session"));
    let ctx = |id: &str| session.ctx().for_call(id.into(), CancellationToken::new());
    let tool = session.tool("Bash");
    let print =
        |code: u8| format!("echo first; head -c 39988 /dev/zero | tr '\\0' x; echo; echo last; exit {code}");
    let valid = run_tool(&*tool, json!({"command": print(0)}), ctx("toolu_1")).await.unwrap();
    let path = session.root.join("session/tool-results/toolu_1-output.txt");
    let shown = text(&valid);
    assert!(shown.starts_with("first\nxxx") && shown.contains("xxx\nlast\n[all 40000 bytes"), "{shown}");
    assert!(shown.contains(path.to_str().unwrap()) && shown.len() < 10_000);
    assert_eq!(valid.data["persistedOutputSize"], 40_000);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 40_000);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let failed = run_tool(&*tool, json!({"command": print(2)}), ctx("../toolu")).await.unwrap_err();
    let shown = failed.model_text;
    assert!(shown.starts_with("Exit code 2\nfirst\nxxx") && shown.contains("xxx\nlast\n[all 40000 bytes"));
    assert!((9_000..11_000).contains(&shown.chars().count()), "{}", shown.len());
    assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 2);
    let short =
        run_tool(&*tool, json!({"command": "head -c 30000 /dev/zero | tr '\\0' x"}), ctx("s")).await.unwrap();
    assert_eq!(text(&short).len(), 30_000);
}

#[tokio::test]
async fn a_hundred_megabytes_are_stored_while_the_command_runs() {
    let mut session = session();
    session.snapshot.session_dir = Some(session.root.join("session"));
    let output = run(&session, "head -c 100000000 /dev/zero; echo end").await.unwrap();
    let path = output.data["persistedOutputPath"].as_str().unwrap().to_owned();
    assert_eq!(std::fs::metadata(path).unwrap().len(), 100_000_004);
    assert!(text(&output).contains("end\n[all 100000004 bytes") && text(&output).len() < 40_000);
}

#[tokio::test]
async fn output_without_end_is_ended() {
    let session = session();
    let tool = dyn_tool(Bash::new(Services::new()).with_most_output(1_000_000)).unwrap();
    let ctx = session.ctx();
    let error = run_tool(&*tool, json!({"command": "yes pegboard-endless"}), ctx).await.unwrap_err();
    assert!(error.model_text.starts_with("The command printed more than 1000000 bytes and was killed"));
    assert!(!runs("yes pegboard-endless"));
    let (_, rest) = error.model_text.rsplit_once(" are in ").unwrap();
    std::fs::remove_file(rest.trim_end_matches(']')).unwrap();
}

#[tokio::test]
async fn nothing_outlives_a_call() {
    let session = session();
    for command in [
        "sleep 311 & echo started",
        "nohup sleep 311 >/dev/null 2>&1 & disown; echo started",
        "setsid sleep 311 & echo started",
        "set -m; sleep 311 & echo started",
        "(trap '' TERM; exec sleep 311) & echo started",
    ] {
        assert!(ok(&session, command).await.contains("started"), "{command}");
        assert!(!runs("sleep 311"), "{command}");
    }
}

#[tokio::test]
async fn dropping_a_call_kills_its_command() {
    let session = session();
    let tool = session.tool("Bash");
    let watch = async {
        while !runs("sleep 312") {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        outcome = run_tool(&*tool, json!({"command": "sleep 312; :"}), session.ctx()) => panic!("{outcome:?}"),
        () = watch => {}
    }
    assert!(!runs("sleep 312"));
}

#[tokio::test]
async fn bad_input_runs_nothing() {
    let session = session();
    let tool = session.tool("Bash");
    for input in [
        json!({"command": ""}),
        json!({"command": "echo a\u{0}; touch x"}),
        json!({"command": "touch x", "timeout": -1}),
        json!({"command": "touch x", "background": true}),
        json!({"command": ["touch", "x"]}),
    ] {
        assert!(run_tool(&*tool, input, session.ctx()).await.is_err());
    }
    assert!(!session.root.join("x").exists());
    let mut gone = self::session();
    gone.snapshot.cwd = gone.root.join("gone");
    assert!(fails(&gone, "echo x").await.contains("working directory is gone"));
}

#[derive(Debug)]
struct Words;

impl CommandAnalyzer for Words {
    fn analyze(&self, line: &str, _start: &ShellStart) -> Arc<CommandReport> {
        let mut report = CommandReport::default();
        for part in line.split(';') {
            let words: Vec<_> = part.split_whitespace().map(|word| Some(word.to_owned())).collect();
            let looks =
                matches!(words.first(), Some(Some(name)) if ["ls", "cat", "cd"].contains(&name.as_str()));
            let mut command = CommandUse::new(words, 0, part);
            if looks {
                command.nature = CommandNature::ReadOnly;
            }
            report.commands.push(command);
        }
        Arc::new(report)
    }
}

/// Counts how often it is asked.
#[derive(Debug, Default)]
struct Counted(std::sync::atomic::AtomicUsize);

impl CommandAnalyzer for Counted {
    fn analyze(&self, line: &str, start: &ShellStart) -> Arc<CommandReport> {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Words.analyze(line, start)
    }
}

#[tokio::test]
async fn a_line_is_analysed_once_in_a_folder() {
    let session = session();
    let counted = Arc::new(Counted::default());
    let analyzer: Arc<dyn CommandAnalyzer> = Arc::<Counted>::clone(&counted);
    let tool = dyn_tool(Bash::new(Services::new().with_analyzer(analyzer))).unwrap();
    let mut asked = Vec::new();
    let mut elsewhere = session.snapshot.clone();
    elsewhere.cwd = session.root.join("elsewhere");
    let elsewhere = pegboard_tool_core::ToolContext::new(Arc::new(elsewhere));
    for (command, ctx) in
        [("ls", session.ctx()), ("ls", session.ctx()), ("make", session.ctx()), ("make", elsewhere)]
    {
        let invocation = tool.prepare(Arc::new(json!({"command": command})), &ctx).unwrap();
        assert_eq!(invocation.concurrency() == Concurrency::Shared, command == "ls");
        asked.push(counted.0.load(std::sync::atomic::Ordering::Relaxed));
    }
    assert_eq!(asked, [1, 1, 2, 3]);
}

#[tokio::test]
async fn only_known_readers_share() {
    let session = session();
    let tool = dyn_tool(Bash::new(Services::new().with_analyzer(Arc::new(Words)))).unwrap();
    for (command, shared) in [("ls -l; cat a", true), ("cd sub; ls", false), ("make", false), ("./ls", false)]
    {
        let prepare =
            |tool: &dyn DynTool| tool.prepare(Arc::new(json!({"command": command})), &session.ctx()).unwrap();
        let invocation = prepare(&*tool);
        assert_eq!(invocation.concurrency() == Concurrency::Shared, shared, "{command}");
        assert_eq!(invocation.changes_context(), !shared, "{command}");
        assert_eq!(prepare(&*session.tool("Bash")).concurrency(), Concurrency::Exclusive);
    }
}
