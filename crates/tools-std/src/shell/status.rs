//! What an exit status says, in words.

use std::process::ExitStatus;

/// How a program ended, as far as the system says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Status {
    /// As a shell reports it: 128 and the number of the signal for one that was ended by it.
    pub(crate) code: Option<i32>,
    /// The signal that ended it, or that a shell reports of its own command.
    pub(crate) signal: Option<i32>,
}

impl Status {
    pub(crate) fn of(status: ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self { code: Some(128 + signal), signal: Some(signal) };
        }
        let code = status.code();
        let signal = if cfg!(unix) { code.filter(|code| (129..=192).contains(code)) } else { None };
        Self { code, signal: signal.map(|code| code - 128) }
    }

    /// The line that a failure starts with: `Exit code 143 (SIGTERM)`.
    pub(crate) fn heading(self) -> String {
        let code = self.code.map_or_else(|| "unknown".to_owned(), |code| code.to_string());
        match self.signal.and_then(signal_name) {
            Some(name) => format!("Exit code {code} ({name})"),
            None => format!("Exit code {code}"),
        }
    }
}

/// The name of a signal by its number.
#[cfg(unix)]
pub(crate) fn signal_name(signal: i32) -> Option<&'static str> {
    use rustix::process::Signal;
    let names = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::SYS, "SIGSYS"),
    ];
    names.iter().find(|(known, _)| known.as_raw() == signal).map(|(_, name)| *name)
}

/// The name of a signal by its number; this system has none.
#[cfg(not(unix))]
pub(crate) fn signal_name(_signal: i32) -> Option<&'static str> {
    None
}
