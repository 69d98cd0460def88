//! The env file: a script that is read before each command, in a shell of its own. Its variables reach
//! the command; functions, aliases and options do not, so a line means what it says.

use super::environment;
use pegboard_tool_core::ToolContext;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

/// How long it may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Most bytes of variables.
const MOST_BYTES: u64 = 1024 * 1024;
/// Reads the file `$1` and prints its variables with the program `$0`, whatever the file prints or redefines.
const SCRIPT: &str = r#"exec 3>&1 >/dev/null 2>&1; set -a; . "$1"; set +a; "$0" -0 >&3"#;
/// Variables that a shell sets about itself.
const OF_SHELL: [&str; 4] = ["PWD", "OLDPWD", "SHLVL", "_"];

/// The variables of the context and of the file, or why the file does not count, in words for the model.
pub(crate) async fn variables(
    file: &Path,
    bash: &Path,
    ctx: &ToolContext,
) -> Result<BTreeMap<String, String>, String> {
    if !file.is_file() {
        return Err("the env file is not there".to_owned());
    }
    let env = environment::program("env", ctx, &["/usr/bin/env", "/bin/env"]);
    let env = env.ok_or("the program `env`, which reads the env file, is not installed")?;
    let mut command = Command::new(bash);
    command.args(["--noprofile", "--norc", "-c", SCRIPT]).arg(env).arg(file);
    command.current_dir(&ctx.cwd).env_clear().envs(environment::of(ctx));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let unread = "the env file could not be read";
    // Dropping the tree ends what the file left running.
    let (mut child, _tree) = pegboard_process::start(command).map_err(|_| unread)?;
    let pipe = child.stdout().take().ok_or(unread)?;
    let mut bytes = Vec::new();
    let mut limited = pipe.take(MOST_BYTES);
    let read = async {
        let read = limited.read_to_end(&mut bytes).await;
        read.is_ok() && child.wait().await.is_ok()
    };
    let done = tokio::select! {
        biased;
        () = ctx.cancel.cancelled() => return Err("the call was interrupted".to_owned()),
        done = tokio::time::timeout(PATIENCE, read) => done,
    };
    match done {
        Err(_) => return Err(format!("the env file did not finish within {} s", PATIENCE.as_secs())),
        Ok(false) => return Err(unread.to_owned()),
        Ok(true) => {}
    }
    if bytes.is_empty() || bytes.len() as u64 == MOST_BYTES {
        return Err("the env file ends the shell that reads it, or sets too much".to_owned());
    }
    let text = String::from_utf8_lossy(&bytes);
    let pairs = text.split('\0').filter_map(|pair| pair.split_once('='));
    let pairs = pairs.filter(|(name, _)| {
        !OF_SHELL.contains(name) && *name != pegboard_process::MARK && !name.starts_with("GIT_CONFIG_")
    });
    Ok(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}
