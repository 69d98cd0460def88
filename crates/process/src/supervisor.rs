//! A supervisor of one command: the host's own program, started again, which outlives the host.
//!
//! It takes in every lost child of the command (as a child subreaper), so that a process which left
//! group, session and environment behind is still found, and ends all of them when the command ends or
//! the host is gone, also when the host was killed. The host opts in: it calls [`serve`] first thing in
//! `main` and [`supervise_with`] afterwards. Linux only; elsewhere both do nothing.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

#[cfg(target_os = "linux")]
mod reaper;
#[cfg(target_os = "linux")]
mod terminal;

#[cfg(target_os = "linux")]
use crate::cgroup::{Kind, TreeGroup};

/// First argument of the program when it is started as a supervisor.
const WORD: &str = "process-supervisor";
/// First argument of the program when it is started to take a terminal and become a command.
const TERMINAL_WORD: &str = "process-in-terminal";
/// Before the command's own words.
pub(crate) const PROGRAM_FOLLOWS: &str = "--";
const VERSION_1: &str = "--v1";
const VERSION_2: &str = "--v2";
const AROUND: &str = "--around";
/// Before the program that takes the terminal for the command.
const TERMINAL: &str = "--terminal";

/// Which program supervises.
#[derive(Clone, Debug)]
pub(crate) struct Supervisor {
    program: PathBuf,
}

static CHOSEN: OnceLock<Supervisor> = OnceLock::new();

/// Lets commands of a [`Confinement`](crate::Confinement) be supervised by `program`, whose `main`
/// calls [`serve`]: usually `/proc/self/exe`. Once a process; a second call changes nothing. Where `/proc` does not
/// show the processes of our own PID namespace, a supervisor could not find its children, and there is none.
pub fn supervise_with(program: impl Into<PathBuf>) {
    #[cfg(target_os = "linux")]
    if crate::proc_table::is_ours() {
        let _first_wins = CHOSEN.set(Supervisor { program: program.into() });
    }
    #[cfg(not(target_os = "linux"))]
    let _there_is_none = program;
}

/// Supervises when the arguments of the process ask for it, and gives the exit code to leave with;
/// `None` for every other start. Call it before anything else: it expects no thread and no runtime.
pub fn serve(args: impl IntoIterator<Item = OsString>) -> Option<u8> {
    let mut args = args.into_iter().skip(1);
    let word = args.next()?;
    if word != WORD && word != TERMINAL_WORD {
        return None;
    }
    #[cfg(target_os = "linux")]
    {
        Some(if word == WORD { reaper::supervise(args) } else { terminal::become_program(args) })
    }
    #[cfg(not(target_os = "linux"))]
    {
        Some(126)
    }
}

impl Supervisor {
    pub(crate) fn of_this_process() -> Option<&'static Self> {
        CHOSEN.get()
    }

    /// Program and arguments, without [`PROGRAM_FOLLOWS`].
    pub(crate) fn words(&self) -> Vec<OsString> {
        vec![self.program.clone().into(), WORD.into(), std::process::id().to_string().into()]
    }

    /// Further words, for a command that is to have the terminal on which the supervisor is started.
    pub(crate) fn terminal_words(&self) -> [OsString; 2] {
        [TERMINAL.into(), self.program.clone().into()]
    }
}

/// What a supervisor must know of a group, to end it without the host.
#[cfg(target_os = "linux")]
pub(crate) fn group_words(group: &TreeGroup) -> Vec<OsString> {
    let kind = match group.kind() {
        Kind::V1 => VERSION_1,
        Kind::V2 => VERSION_2,
    };
    let mut words = vec![kind.into(), group.folder().into()];
    words.extend(group.around().into_iter().flat_map(|folder| [AROUND.into(), folder.into()]));
    words
}
