//! PowerShell: the engine with a stand-in program, and the real one where it is installed.

use crate::harness::{Session, left_out};
use pegboard_tool_core::{Accesses, Availability, Concurrency, Effects, ToolEnv};
use pegboard_tools_std::Services;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Stands in for PowerShell: runs the command's file as a shell would, and does what the start script
/// says at its end.
const STAND_IN: &str = r#"#!/bin/bash
while [ "$1" != -File ]; do shift; done
command=$(sed -n "s/^ *\. '\(.*\)'$/\1/p" "$2")
cwd=$(sed -n "s/.*WriteAllText('\(.*\)', .*/\1/p" "$2")
trap 'pwd -P > "$cwd"' EXIT
tail -c +4 "$command" | grep -v PegboardWentWell > "$command.sh"
. "$command.sh"
"#;

/// Says what it was given.
const ECHO: &str = r#"#!/bin/bash
printf '%s\n' "$@" | sed 's/ *\/.*//'
command=$(sed -n "s/^ *\. '\(.*\)'$/\1/p" "${@: -1}")
printf '<%s %s>' "$NO_COLOR" "$POWERSHELL_UPDATECHECK"
cat "$command"
cat
"#;

fn program(folder: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
    std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn session(pwsh: &str) -> Session {
    let session = Session::with(Services::new());
    let bin = session.root.join("bin");
    program(&bin, "pwsh", pwsh);
    program(&bin, "robocopy", "#!/bin/sh\nexit $1\n");
    program(&bin, "git", "#!/bin/sh\nexit 1\n");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    session.env("PATH", &path)
}

async fn run(session: &Session, command: &str) -> (String, bool) {
    let answer = session.call("PowerShell", json!({"command": command})).await;
    (answer.text, answer.is_error)
}

#[tokio::test]
async fn a_line_arrives_byte_for_byte_without_being_quoted() {
    let session = session(ECHO);
    for line in [
        "'\"'\"$x `\" \\",
        "a\nb\r\nc",
        "Write-Output \"\u{e4}\u{4e2d}\u{1f600}\"",
        "# only a comment",
        "a `",
    ] {
        let (text, is_error) = run(&session, line).await;
        let expected = format!(
            "-NoLogo\n-NoProfile\n-NonInteractive\n-File\n\n<1 Off>\u{feff}{line}\n\n$global:PegboardWentWell = $?"
        );
        assert_eq!((text, is_error), (expected, false), "{line}");
    }
}

#[tokio::test]
async fn exit_codes_are_read_by_program() {
    let session = session(STAND_IN);
    for (line, expected) in [
        ("grep zzz /dev/null", Ok("[no matches]")),
        ("git diff --exit-code", Ok("[there are differences]")),
        ("robocopy 1", Ok("[files were copied]")),
        ("robocopy 7", Ok("[files were copied or left alone; none failed]")),
        ("robocopy 8", Err("Exit code 8")),
        ("git status", Err("Exit code 1")),
        ("diff /dev/null /dev/zero -q >/dev/null; false", Err("Exit code 1")),
        ("exit 3", Err("Exit code 3")),
        ("echo a; echo b >&2; echo c", Ok("a\nb\nc")),
        ("kill -TERM $$", Err("Exit code 143 (SIGTERM)")),
    ] {
        let (text, is_error) = run(&session, line).await;
        assert_eq!(
            (text.as_str(), is_error),
            expected.map_or_else(|text| (text, true), |text| (text, false)),
            "{line}"
        );
    }
}

#[tokio::test]
async fn the_location_carries_over_inside_the_project() {
    let session = session(STAND_IN);
    std::fs::create_dir(session.root.join("sub")).unwrap();
    let (text, _) = run(&session, "cd /tmp").await;
    assert_eq!(text, format!("Shell cwd was reset to {}", session.root.display()));
    let tool = session.tool("PowerShell");
    let ctx = session.ctx();
    let invocation = tool.prepare(Arc::new(json!({"command": "cd sub"})), &ctx).unwrap();
    assert!(invocation.changes_context());
    let output = invocation.call(pegboard_tool_core::Grant::default(), ctx, Arc::new(())).await.unwrap();
    let change = format!("{:?}", output.context_change);
    assert!(change.contains("Cwd") && change.contains("sub"), "{change}");
}

#[tokio::test]
async fn a_line_is_killed_at_its_limit_and_runs_in_the_background_when_asked() {
    let session = session(STAND_IN);
    let answer = session.call("PowerShell", json!({"command": "sleep 300", "timeout": 200})).await;
    assert!(answer.is_error && answer.text.contains("0.2s timeout and was killed"), "{}", answer.text);
    let answer = session.call("PowerShell", json!({"command": "sleep 300", "run_in_background": true})).await;
    let id = answer.data["backgroundTaskId"].as_str().unwrap().to_owned();
    assert!(id.starts_with("powershell_"), "{id}");
    let answer = session.call("TaskStop", json!({"task_id": id})).await;
    assert!(!answer.is_error, "{}", answer.text);
}

#[tokio::test]
async fn bad_input_is_refused() {
    let session = session(STAND_IN);
    for input in [
        json!({}),
        json!({"command": "a\0b"}),
        json!({"command": "a", "timeout": -1}),
        json!({"command": "a", "shell": "b"}),
    ] {
        let answer = session.call("PowerShell", input.clone()).await;
        assert!(answer.is_error, "{input}");
    }
    assert!(session.call_cancelled("PowerShell", json!({"command": "sleep 300"})).await.is_error);
    let session = Session::new().env("PATH", "/nowhere");
    assert!(run(&session, "x").await.0.contains("not on PATH"));
}

#[test]
fn nothing_is_told_of_a_line() {
    let session = session(STAND_IN);
    let input = Arc::new(json!({"command": "Get-ChildItem"}));
    let ctx = session.ctx();
    let invocation = session.tool("PowerShell").prepare(input, &ctx).unwrap();
    assert_eq!(invocation.concurrency(), Concurrency::Exclusive);
    assert_eq!(invocation.effects(), Effects::Destructive);
    assert_eq!(*invocation.accesses(), Accesses::Everything);
}

#[test]
fn it_is_there_on_windows_and_elsewhere_when_asked_for() {
    let bin = tempfile::tempdir().unwrap();
    for name in ["pwsh", "pwsh.exe"] {
        program(bin.path(), name, "");
    }
    let tool = session(STAND_IN).tool("PowerShell");
    let of = |os: &str, switch: Option<&str>, path: PathBuf| {
        let mut env = ToolEnv::new();
        env.os = os.to_owned();
        env.path = vec![path];
        env.vars.extend(switch.map(|value| ("CLAUDE_CODE_USE_POWERSHELL_TOOL".to_owned(), value.to_owned())));
        match tool.availability(&env) {
            Availability::Here => "here".to_owned(),
            Availability::Absent(why) => why,
        }
    };
    let here = bin.path().to_owned();
    let off = "off outside of Windows; CLAUDE_CODE_USE_POWERSHELL_TOOL=1 turns it on";
    for (os, switch, path, expected) in [
        ("linux", None, &here, off),
        ("linux", Some("1"), &here, "here"),
        ("macos", Some("true"), &here, "here"),
        ("linux", Some("0"), &here, "CLAUDE_CODE_USE_POWERSHELL_TOOL turns it off"),
        ("linux", Some("1"), &PathBuf::from("/nowhere"), "PowerShell 7 (`pwsh`) is not on PATH"),
        ("windows", None, &here, "here"),
        ("windows", Some("0"), &here, "CLAUDE_CODE_USE_POWERSHELL_TOOL turns it off"),
    ] {
        assert_eq!(of(os, switch, path.clone()), expected, "{os} {switch:?}");
    }
}

#[tokio::test]
async fn the_real_one_where_it_is_installed() {
    let path = std::env::var("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|folder| folder.join("pwsh").is_file()) {
        left_out("pwsh");
        return;
    }
    let session = Session::new().env("PATH", &path).env("HOME", "/tmp");
    for (line, expected) in [
        ("Write-Output \"\u{e4}\u{4e2d}\"", Ok("\u{e4}\u{4e2d}")),
        ("Write-Output \"it's\"; Write-Output '$x'", Ok("it's\n$x")),
        ("exit 3", Err("Exit code 3")),
        ("/bin/sh -c 'exit 5'", Err("Exit code 5")),
        ("/bin/sh -c 'exit 5'; Write-Output fine", Ok("fine")),
        ("grep zzz /dev/null", Ok("[no matches]")),
        ("Read-Host", Err("Exit code 1")),
    ] {
        let answer: (String, bool) = run(&session, line).await;
        match expected {
            Ok(text) => assert_eq!(answer, (text.to_owned(), false), "{line}"),
            Err(start) => assert!(answer.1 && answer.0.starts_with(start), "{line}: {answer:?}"),
        }
    }
    let answer = session.call("PowerShell", json!({"command": "Set-Location /tmp; throw 'x'"})).await;
    assert!(answer.is_error && answer.text.contains("Shell cwd was reset"), "{}", answer.text);
    assert_eq!(answer.data, Value::Null);
}
