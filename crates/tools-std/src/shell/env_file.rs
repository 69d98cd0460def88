//! The env file: a script that is read before each command, in a shell of its own. Its variables reach
//! the command; functions, aliases and options do not, so a line means what it says.

use super::environment;
use crate::confined;
use crate::printed::{Printed, read_to_its_end};
use pegboard_process::Limits;
use pegboard_tool_core::ToolContext;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long it may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Most bytes of variables.
const MOST_BYTES: usize = 1024 * 1024;
/// Files that are remembered: there is one, unless its path depends on the working directory.
const MOST_HUNG: usize = 64;
/// Reads the file `$1` and prints its variables with the program `$0`, whatever the file prints or redefines.
const SCRIPT: &str = r#"exec 3>&1 >/dev/null 2>&1; set -a; . "$1"; set +a; "$0" -0 >&3"#;
/// Variables that a shell sets about itself.
const OF_SHELL: [&str; 4] = ["PWD", "OLDPWD", "SHLVL", "_"];

/// The variables of the context and of the file, or why the file does not count, in words for the model.
pub(crate) async fn variables(
    file: &Path,
    bash: &Path,
    limits: Limits,
    ctx: &ToolContext,
) -> Result<BTreeMap<String, String>, String> {
    read(file, bash, limits, PATIENCE, ctx).await
}

async fn read(
    file: &Path,
    bash: &Path,
    limits: Limits,
    patience: Duration,
    ctx: &ToolContext,
) -> Result<BTreeMap<String, String>, String> {
    if !file.is_file() {
        return Err("the env file is not there".to_owned());
    }
    let env = environment::program("env", ctx, &["/usr/bin/env", "/bin/env"]);
    let env = env.ok_or("the program `env`, which reads the env file, is not installed")?;
    let stamp = Stamp::of(file);
    let hung = ctx.session.of::<Hung>();
    if hung.holds(file, stamp) {
        let text = "the env file did not finish before and is not run again in this session until it changes";
        return Err(text.to_owned());
    }
    let unread = "the env file could not be read";
    let mut confined = confined::of(limits, ctx).command(bash).map_err(|_| unread)?;
    let command = confined.command();
    command.args(["--noprofile", "--norc", "-c", SCRIPT]).arg(env).arg(file);
    command.current_dir(&ctx.cwd).env_clear().envs(environment::of(ctx));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    // Dropping the tree ends what the file left running.
    let (mut child, _tree) = confined.start().map_err(|_| unread)?;
    let pipe = child.stdout().take().ok_or(unread)?;
    let read = tokio::select! {
        biased;
        () = ctx.cancel.cancelled() => return Err("the call was interrupted".to_owned()),
        read = tokio::time::timeout(patience, read_to_its_end(&mut child, pipe, MOST_BYTES)) => read,
    };
    let Ok(read) = read else {
        hung.note(file, stamp);
        return Err(format!(
            "the env file did not finish within {} s; it is not run again in this session until it changes",
            patience.as_secs_f64()
        ));
    };
    let Printed { bytes, status } = read.map_err(|_| unread)?;
    if bytes.is_empty() || status.is_none() {
        return Err("the env file ends the shell that reads it, or sets too much".to_owned());
    }
    let text = String::from_utf8_lossy(&bytes);
    let pairs = text.split('\0').filter_map(|pair| pair.split_once('='));
    let pairs = pairs.filter(|(name, _)| {
        !OF_SHELL.contains(name) && *name != pegboard_process::MARK && !name.starts_with("GIT_CONFIG_")
    });
    Ok(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

/// The state of a file, as far as a change of it shows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Stamp {
    place: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(file: &Path) -> Option<Self> {
        let data = file.metadata().ok()?;
        Some(Self {
            place: (data.dev(), data.ino()),
            size: data.size(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        })
    }
}

/// The files that did not come to their end in this session, as they were.
#[derive(Debug, Default)]
struct Hung(Mutex<BTreeMap<PathBuf, Stamp>>);

impl Hung {
    fn holds(&self, file: &Path, stamp: Option<Stamp>) -> bool {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stamp.is_some() && files.get(file).copied() == stamp
    }

    fn note(&self, file: &Path, stamp: Option<Stamp>) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if files.len() >= MOST_HUNG {
            files.clear();
        }
        files.extend(stamp.map(|stamp| (file.to_owned(), stamp)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pegboard_tool_core::ContextSnapshot;
    use std::sync::Arc;

    #[tokio::test]
    async fn a_file_that_hangs_is_not_run_again_until_it_changes() {
        let dir = tempfile::tempdir().unwrap();
        let ctx = ToolContext::new(Arc::new(ContextSnapshot::new(dir.path(), "session")));
        let file = dir.path().join("env");
        let read = |patience| read(&file, Path::new("/bin/bash"), Limits::none(), patience, &ctx);
        std::fs::write(&file, "sleep 1000").unwrap();
        let problem = read(Duration::from_millis(50)).await.unwrap_err();
        assert!(problem.contains("did not finish within 0.05 s"), "{problem}");
        let problem = read(Duration::from_secs(60)).await.unwrap_err();
        assert!(problem.contains("is not run again"), "{problem}");
        std::fs::write(&file, "A='now it ends'").unwrap();
        let variables = read(Duration::from_secs(60)).await.unwrap();
        assert_eq!(variables.get("A").map(String::as_str), Some("now it ends"));
    }
}
