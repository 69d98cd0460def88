//! How lines are started: env file, another shell, a prefix, credentials.

use crate::harness::Session;
use pegboard_tools_std::Services;
use pegboard_tools_std::shell::ShellStartup;
use serde_json::json;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A session whose host has these variables; `ROOT` in them is the folder that is given.
fn session(host: &Path, vars: &[(&str, &str)]) -> Session {
    let root = host.to_str().unwrap();
    let vars: BTreeMap<String, String> =
        vars.iter().map(|(name, value)| ((*name).to_owned(), value.replace("ROOT", root))).collect();
    let services = Services::new().with_shell(ShellStartup::of(&vars));
    Session::with(services).env("PATH", &std::env::var("PATH").unwrap())
}

fn script(host: &Path, name: &str, text: &str) {
    let path = host.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

async fn run(session: &Session, command: &str) -> String {
    session.call("Bash", json!({ "command": command })).await.text
}

#[tokio::test(flavor = "multi_thread")]
async fn variables_of_the_env_file_reach_a_command_and_nothing_else_does() {
    let host = tempfile::tempdir().unwrap();
    let session = session(host.path(), &[("CLAUDE_ENV_FILE", "ROOT/env")]);
    let text = "echo noise; export A='one two'; B=plain; C=\"$KEEP\nline\"; IFS=x; PATH=bin:$PATH; BASH_ENV=/evil\n\
                ls() { echo evil; }; alias cat=evil; shopt -s expand_aliases; set -f; cd /; exec 3>&-\n";
    std::fs::write(host.path().join("env"), text).unwrap();
    let session = session.env("KEEP", "kept");
    let shown = "echo \"$A|$B|$C\"; ls -d /etc; echo x*|cat; echo \"${PATH%%:*}\" | grep -c bin; pwd; echo \"[$BASH_ENV]\"";
    // It closed the descriptor of the answer, so it does not count, and that is said.
    assert!(run(&session, shown).await.contains("[CLAUDE_ENV_FILE does not count:"));
    std::fs::write(host.path().join("env"), text.replace("; exec 3>&-", "")).unwrap();
    let root = session.root.display();
    assert_eq!(run(&session, shown).await, format!("one two|plain|kept\nline\n/etc\nx*\n1\n{root}\n[]"));
    std::fs::remove_file(host.path().join("env")).unwrap();
    assert_eq!(
        run(&session, "echo x").await,
        "x\n[CLAUDE_ENV_FILE does not count: the env file is not there]"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_env_file_that_leaves_something_running_counts_and_it_is_ended() {
    let host = tempfile::tempdir().unwrap();
    let pid = host.path().join("pid");
    let text = format!("sleep 1000 & echo $! > {}\nA=1\n", pid.display());
    std::fs::write(host.path().join("env"), text).unwrap();
    let session = session(host.path(), &[("CLAUDE_ENV_FILE", "ROOT/env")]);
    assert_eq!(run(&session, "echo \"[$A]\"").await, "[1]");
    let id = std::fs::read_to_string(pid).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.trim()));
    assert!(stat.is_ok_and(|stat| stat.contains(") Z ")) || !Path::new("/proc").join(id.trim()).exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_context_cannot_name_a_shell_or_a_file() {
    let host = tempfile::tempdir().unwrap();
    std::fs::write(host.path().join("env"), "A=evil").unwrap();
    let mut session = session(host.path(), &[]);
    for name in ["CLAUDE_ENV_FILE", "CLAUDE_CODE_SHELL", "CLAUDE_CODE_SHELL_PREFIX", "BASH_ENV"] {
        session = session.env(name, host.path().join("env").to_str().unwrap());
    }
    assert_eq!(run(&session, "echo \"$0 [$A]\"").await, "bash []");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_shell_runs_lines_and_says_where_it_is() {
    let host = tempfile::tempdir().unwrap();
    let session = session(host.path(), &[("CLAUDE_CODE_SHELL", "/bin/sh")]);
    std::fs::create_dir(session.root.join("sub")).unwrap();
    assert_eq!(run(&session, "echo ${BASH_VERSION:-none}; echo err >&2; exit 0").await, "none\nerr");
    let moved = session.call("Bash", json!({"command": "cd /"})).await;
    assert!(moved.text.starts_with("Shell cwd was reset"), "{}", moved.text);
    let gone = self::session(host.path(), &[("CLAUDE_CODE_SHELL", "ROOT/nothing")]);
    assert_eq!(run(&gone, "echo x").await, "the shell that CLAUDE_CODE_SHELL names is not there");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prefix_gets_the_command_as_its_last_argument() {
    let host = tempfile::tempdir().unwrap();
    script(
        host.path(),
        "log",
        "#!/bin/sh\nprintf '%s\\n' \"$#\" >> \"$0.txt\"\nfor last; do :; done\neval \"$last\"\n",
    );
    for prefix in ["ROOT/log", "ROOT/log --verbose"] {
        let session = session(host.path(), &[("CLAUDE_CODE_SHELL_PREFIX", prefix)]);
        std::fs::create_dir(session.root.join("sub")).unwrap();
        assert_eq!(
            run(&session, "echo \"it's $0\"; (exit 3) || echo 'two  blanks'").await,
            "it's bash\ntwo  blanks"
        );
        let moved = session.call("Bash", json!({"command": "cd /"})).await;
        assert!(moved.text.starts_with("Shell cwd was reset"), "{}", moved.text);
    }
    assert_eq!(std::fs::read_to_string(host.path().join("log.txt")).unwrap(), "1\n1\n2\n2\n");
    let gone = session(host.path(), &[("CLAUDE_CODE_SHELL_PREFIX", "ROOT/nothing x")]);
    assert!(run(&gone, "echo x").await.contains("CLAUDE_CODE_SHELL_PREFIX is not there"));
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_are_kept_from_commands_on_request() {
    let session = Session::new()
        .env("PATH", &std::env::var("PATH").unwrap())
        .env("OPENAI_API_KEY", "s3cr3t")
        .env("CLAUDE_EFFORT", "high");
    let line = "echo \"[$OPENAI_API_KEY] $CLAUDE_EFFORT $CLAUDECODE\"";
    assert_eq!(run(&session, line).await, "[s3cr3t] high 1");
    let session = session.env("CLAUDE_CODE_SUBPROCESS_ENV_SCRUB", "1");
    assert_eq!(run(&session, line).await, "[] high 1");
}
