//! The first process of the private root: runs one line after the other and tells what each did.
//!
//! As process 1 of its namespace it is the parent of whatever a line leaves behind, and "all processes" to it are
//! those of the line.

use crate::environment::{CWD, World, cleaned};
use crate::ran::{Ending, Ran, records};
use crate::tree;
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Where lines run.
const WORK: &str = "/work";
/// Where the stubs write.
const LOG: &str = "/work/.oracle/log";
/// Bytes of records that are read; a line that starts more is endless.
const MOST_LOG: u64 = 4 * 1024 * 1024;

/// A line to run.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) world: World,
    /// Milliseconds until everything is ended.
    pub(crate) limit: u64,
}

/// What the watch is told.
enum Watch {
    Started(Duration),
    Over,
}

/// Serves requests, one JSON object a line, until `input` ends.
///
/// # Errors
///
/// When it is not process 1 of a private root, or the folder cannot be laid.
pub fn serve(input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    // INVARIANT: `end_all` is reached only behind this; elsewhere it would end processes of others.
    if rustix::process::getpid() != Pid::INIT || !Path::new("/oracle/runner").is_file() {
        return Err(io::Error::other("the runner is started by the oracle, in a private root"));
    }
    limit_resources();
    fs::create_dir_all("/work/.oracle")?;
    tree::lay(Path::new(WORK))?;
    let (tell, told) = mpsc::channel();
    let (answer, answers) = mpsc::channel();
    std::thread::spawn(move || watch(&told, &answer));
    writeln!(output, "ready")?;
    output.flush()?;
    for line in input.lines() {
        let request: Request = serde_json::from_str(&line?)?;
        fs::write(LOG, "")?;
        let _ = fs::remove_file("/work/.oracle/cwd");
        start(&request)?;
        let _ = tell.send(Watch::Started(Duration::from_millis(request.limit)));
        reap();
        let _ = tell.send(Watch::Over);
        let ending = answers.recv().map_err(io::Error::other)?;
        // Whatever was started between the last wait and now.
        reap();
        let execs = records(&read_log()?);
        let changes = tree::changes(Path::new(WORK))?;
        if !changes.is_empty() {
            open_up(Path::new(WORK));
            tree::lay(Path::new(WORK))?;
        }
        serde_json::to_writer(&mut output, &Ran::new(ending, execs, changes))?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

fn start(request: &Request) -> io::Result<()> {
    let mut command = Command::new("/oracle/real/bash");
    std::os::unix::process::CommandExt::arg0(&mut command, "bash");
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.args(["--noprofile", "--norc", "-c", &request.line]).current_dir(CWD);
    command.env_clear().envs(cleaned(request.world));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}

/// Waits until nothing is left.
fn reap() {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// Ends everything when a line is not over in time.
fn watch(told: &mpsc::Receiver<Watch>, answer: &mpsc::Sender<Ending>) {
    while let Ok(told_now) = told.recv() {
        let Watch::Started(limit) = told_now else { continue };
        let mut patience = limit;
        let mut ending = Ending::Over;
        // Again and again: what forks while it is ended may slip through.
        while let Err(mpsc::RecvTimeoutError::Timeout) = told.recv_timeout(patience) {
            ending = Ending::TimedOut;
            patience = Duration::from_millis(5);
            end_all();
        }
        if answer.send(ending).is_err() {
            return;
        }
    }
}

/// Ends every process of the namespace but this one: the group of process 1, negated, is all of them.
fn end_all() {
    let _ = rustix::process::kill_process_group(Pid::INIT, Signal::KILL);
}

fn limit_resources() {
    let limits = [
        (Resource::Nproc, 400),
        (Resource::Fsize, 1 << 20),
        (Resource::Core, 0),
        (Resource::As, 1 << 30),
        (Resource::Nofile, 256),
    ];
    for (resource, most) in limits {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        let _ = rustix::process::setrlimit(resource, limit);
    }
}

fn read_log() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(fs::File::open(LOG)?, MOST_LOG), &mut bytes)?;
    Ok(bytes)
}

/// Lets folders be removed that a line closed.
fn open_up(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let _ = fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o755));
            open_up(&entry.path());
        }
    }
}
