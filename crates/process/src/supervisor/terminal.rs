//! The step between a supervisor and a program in a terminal: it leads a session of its own, takes the
//! terminal, and becomes the program. The supervisor stays outside of that session, so no key and no
//! hang-up reaches it.

use super::reaper::{NOT_RUN, complain, not_started};
use rustix::process::{ioctl_tiocsctty, setsid};
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Becomes the program that the arguments name, in the terminal that is its standard input; the exit
/// code when that fails.
pub(super) fn become_program(mut args: impl Iterator<Item = OsString>) -> u8 {
    let Some(program) = args.next() else { return complain("there is no command", NOT_RUN) };
    if setsid().is_err() || ioctl_tiocsctty(std::io::stdin()).is_err() {
        return complain("the terminal could not be taken", NOT_RUN);
    }
    not_started(&Command::new(program).args(args).exec())
}
