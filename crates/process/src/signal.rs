//! Sending signals to a group.

/// The ways to end a process.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum End {
    /// It may clean up.
    Politely,
    /// It may not.
    Hard,
    /// It may do nothing until it is killed.
    #[cfg(target_os = "linux")]
    Stop,
}

#[cfg(unix)]
impl End {
    pub(crate) fn signal(self) -> rustix::process::Signal {
        match self {
            Self::Politely => rustix::process::Signal::TERM,
            Self::Hard => rustix::process::Signal::KILL,
            #[cfg(target_os = "linux")]
            Self::Stop => rustix::process::Signal::STOP,
        }
    }
}

/// Signals the group of `leader`. Whether there was one.
#[cfg(unix)]
pub(crate) fn group(leader: u32, end: End) -> bool {
    pid(leader).is_some_and(|leader| rustix::process::kill_process_group(leader, end.signal()).is_ok())
}

/// Interrupts the group of `leader`.
#[cfg(unix)]
pub(crate) fn interrupt_group(leader: u32) {
    if let Some(leader) = pid(leader) {
        let _gone_is_fine = rustix::process::kill_process_group(leader, rustix::process::Signal::INT);
    }
}

/// This system has no such signal.
#[cfg(not(unix))]
pub(crate) fn interrupt_group(_leader: u32) {}

/// Whether the group of `leader` has a member.
#[cfg(unix)]
pub(crate) fn group_lives(leader: u32) -> bool {
    pid(leader).is_some_and(|leader| rustix::process::test_kill_process_group(leader).is_ok())
}

/// This system has no way to tell.
#[cfg(not(unix))]
pub(crate) fn group_lives(_leader: u32) -> bool {
    false
}

#[cfg(unix)]
pub(crate) fn pid(id: u32) -> Option<rustix::process::Pid> {
    i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw)
}

/// Ends the process `leader` and its descendants; this system has no polite way.
#[cfg(not(unix))]
pub(crate) fn group(leader: u32, _end: End) -> bool {
    let mut command = std::process::Command::new("taskkill");
    command.args(["/T", "/F", "/PID", &leader.to_string()]);
    command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
    command.stderr(std::process::Stdio::null()).status().is_ok_and(|status| status.success())
}
