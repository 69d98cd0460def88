//! Running the login shell, and trying out what came of it.

use super::script::quoted;
use super::{MOST_BYTES, Snapshot, SnapshotProblem, SnapshotRequest, stamps};
use crate::shell::environment::passes;
use pegboard_process::{Confined, Confinement, Reach};
use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Time between the polite signal and the hard one.
const GRACE: Duration = Duration::from_millis(100);
/// Bytes of records that are read: more make no script.
const MOST_RECORD_BYTES: u64 = 2 * MOST_BYTES as u64;

/// Says everything on a stream of its own, whatever the start-up files did to the others. POSIX mode
/// for a moment, since a special builtin is no function there; `exec` at the end, since `exit` would
/// read a logout file.
const SAY: &str = r#"
pegboard_set=$SHELLOPTS pegboard_shopt=$BASHOPTS
POSIXLY_CORRECT=1
\unset -f builtin unset trap exec set
\unset POSIXLY_CORRECT
\builtin trap - DEBUG ERR RETURN EXIT
\builtin set +o errexit +o nounset +o xtrace +o verbose +o noclobber +o noglob
\builtin unset HISTFILE IFS
\exec 9>"$pegboard_file"
for pegboard_name in ${pegboard_set//:/ }; do
  \builtin printf 'o\0%s\0\0' "$pegboard_name" >&9
done
for pegboard_name in ${pegboard_shopt//:/ }; do
  \builtin printf 'p\0%s\0\0' "$pegboard_name" >&9
done
for pegboard_name in "${!BASH_ALIASES[@]}"; do
  \builtin printf 'a\0%s\0%s\0' "$pegboard_name" "${BASH_ALIASES[$pegboard_name]}" >&9
done
while IFS= \builtin read -r pegboard_name; do
  pegboard_name=${pegboard_name#declare -* }
  \builtin printf 'f\0%s\0%s\0' "$pegboard_name" "$(\builtin declare -f -- "$pegboard_name")" >&9
done < <(\builtin declare -F)
\builtin printf 'end\0\0\0' >&9
\exec 9>&-
\exec /bin/sh -c :
"#;

/// Runs the user's start-up files and gives the records.
pub(super) async fn capture(
    request: &SnapshotRequest,
    shell: &Path,
    folder: &Path,
) -> Result<Vec<u8>, SnapshotProblem> {
    let file = tempfile::Builder::new().prefix("capture-").tempfile_in(folder)?;
    let bashrc = request.home.join(".bashrc");
    let also = if stamps::profile_names_bashrc(&request.home) || !bashrc.is_file() {
        String::new()
    } else {
        format!("\\builtin . {}\n", quoted(&bashrc.to_string_lossy()))
    };
    let path = quoted(&file.path().to_string_lossy());
    let line = format!("{also}pegboard_file={path}\n{SAY}");
    let mut confined = Confinement::new(request.limits).command(shell)?;
    let command = confined.command();
    command.args(["--login", "-i", "-c", &line]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let status = run(confined, request).await?;
    let mut bytes = Vec::new();
    // Opened before the shell ran, so nobody can put another file in its place.
    file.as_file().take(MOST_RECORD_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_RECORD_BYTES {
        return Err(SnapshotProblem::TooLarge);
    }
    if status != Some(0) || !bytes.ends_with(b"end\0\0\0") {
        return Err(SnapshotProblem::Ended);
    }
    Ok(bytes)
}

/// Reads the script in a shell as commands get it: it must be read to its end without a word.
pub(super) async fn try_out(
    request: &SnapshotRequest,
    shell: &Path,
    folder: &Path,
    snapshot: &Snapshot,
) -> Result<(), SnapshotProblem> {
    let script = tempfile::Builder::new().prefix("try-").tempfile_in(folder)?;
    let said = tempfile::Builder::new().prefix("said-").tempfile_in(folder)?;
    std::fs::write(script.path(), snapshot.text())?;
    let mut confined = Confinement::new(request.limits).command(shell)?;
    let line = format!(". {} && printf ok", quoted(&script.path().to_string_lossy()));
    let command = confined.command();
    command.args(["--noprofile", "--norc", "-c", &line]);
    let stream = || said.as_file().try_clone().map(Stdio::from);
    command.stdout(stream()?).stderr(stream()?);
    let status = run(confined, request).await?;
    let mut bytes = Vec::new();
    std::fs::File::open(said.path())?.take(16).read_to_end(&mut bytes)?;
    if status == Some(0) && bytes == b"ok" { Ok(()) } else { Err(SnapshotProblem::Unusable) }
}

/// Runs a shell without input and gives its exit code. Nothing of it is left.
async fn run(mut confined: Confined, request: &SnapshotRequest) -> Result<Option<i32>, SnapshotProblem> {
    let command = confined.command();
    command.env_clear().envs(environment(request)).env("HOME", &request.home);
    command.current_dir(if request.home.is_dir() { &request.home } else { Path::new("/") });
    command.stdin(Stdio::null());
    let (mut child, tree) = confined.start()?;
    let ended = tokio::time::timeout(request.time_limit, child.wait()).await;
    let (_left, status) = tokio::join!(tree.end(Reach::Everything, GRACE), child.wait());
    match ended {
        Ok(_) => Ok(status?.code()),
        Err(_) => Err(SnapshotProblem::TooSlow(request.time_limit)),
    }
}

/// The host's environment without what would change how bash starts or reads, and without a history to write.
fn environment(request: &SnapshotRequest) -> impl Iterator<Item = (&String, &String)> {
    request.env.iter().filter(|(name, value)| passes(name, value) && *name != "HISTFILE")
}
