//! What a supervisor does: start the command, take in its lost children, end them all.

use super::{AROUND, PROGRAM_FOLLOWS, TERMINAL, TERMINAL_WORD, VERSION_1, VERSION_2};
use crate::cgroup::{Kind, TreeGroup};
use crate::proc_table;
use crate::signal::End;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, pidfd_open};
use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The command could not be run.
pub(super) const NOT_RUN: u8 = 126;
/// There is no such command.
const NOT_FOUND: u8 = 127;
/// How long what a command leaves behind may go on, such as a `tee` that writes its last words.
const FAREWELL: Duration = Duration::from_millis(100);
/// Time between the polite signal and the hard one for what a command leaves behind.
const GRACE: Duration = Duration::from_millis(100);
/// Time between two looks while something is ending.
const LOOK_AGAIN: Duration = Duration::from_millis(2);
/// Time between two looks where the system cannot wake us, and for taking in corpses.
const IDLE_LOOK: Duration = Duration::from_millis(500);
/// How long the system may take to remove what was killed.
const REMOVAL: Duration = Duration::from_secs(10);

/// What the host said.
struct Order {
    host: Pid,
    group: Option<TreeGroup>,
    around: Vec<PathBuf>,
    /// The program that takes the terminal for the command, when there is one to take.
    terminal: Option<OsString>,
    words: Vec<OsString>,
}

/// Runs a command to its end and gives its exit code.
pub(super) fn supervise(args: impl Iterator<Item = OsString>) -> u8 {
    let Some(order) = read(args) else { return complain("the supervisor was called wrongly", NOT_RUN) };
    // Before the command starts: it must not reach the host's terminal. Who was started in a terminal of its own leads
    // its session already, and cannot make another. To ask for the session's leader is no way: it has no number for us
    // when it lives outside of our PID namespace, as in a container.
    if rustix::process::setsid().is_err() && order.terminal.is_none() {
        return complain("the supervisor cannot leave the session of the host", NOT_RUN);
    }
    // A command may mean its parent by a signal, as with `kill $PPID`. Handlers end with an exec, so the command has
    // none of them, and who reads the flag is nobody.
    for signal in
        [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM, Signal::ALARM, Signal::USR1, Signal::USR2]
    {
        if signal_hook::flag::register(signal.as_raw(), Arc::new(AtomicBool::new(false))).is_err() {
            return complain("the supervisor cannot take signals", NOT_RUN);
        }
    }
    // Before the command starts: a child of a child that is lost must find us.
    if rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_err() {
        return complain("the supervisor cannot take in lost children", NOT_RUN);
    }
    // The handle is that of our parent if our parent is still the host after it was opened.
    let host = pidfd_open(order.host, PidfdFlags::empty()).ok();
    if rustix::process::getppid() != Some(order.host) {
        return NOT_RUN;
    }
    let mut words = order.words.iter();
    let mut command = match (&order.terminal, words.next()) {
        (_, None) => return complain("there is no command", NOT_RUN),
        // Makes a session of its own, which the leader of a group could not.
        (Some(taker), Some(program)) => {
            let mut command = Command::new(taker);
            command.arg(TERMINAL_WORD).arg(program);
            command
        }
        // A group of its own, so that `kill 0` of the command does not reach its supervisor.
        (None, Some(program)) => {
            let mut command = Command::new(program);
            command.process_group(0);
            command
        }
    };
    let child = match command.args(words).spawn() {
        Ok(child) => child,
        Err(error) => return not_started(&error),
    };
    let Some(child) = crate::signal::pid(child.id()) else { return NOT_RUN };
    release_streams();
    let status = watch(child, host.as_ref(), &order);
    // Of a host that is gone nobody reads last words.
    let farewell = if status.is_some() { FAREWELL } else { Duration::ZERO };
    let is_all_ended = end_the_rest(&order, farewell);
    match status {
        // An exit code tells the host that nothing is left.
        Some(_) if !is_all_ended => leave_by(Signal::KILL),
        Some(status) => leave_as(status),
        None => NOT_RUN,
    }
}

fn read(mut args: impl Iterator<Item = OsString>) -> Option<Order> {
    let host = args.next()?.to_str()?.parse().ok()?;
    let host = Pid::from_raw(host)?;
    let mut order = Order { host, group: None, around: Vec::new(), terminal: None, words: Vec::new() };
    loop {
        let word = args.next()?;
        match word.to_str()? {
            VERSION_1 => order.group = Some(TreeGroup::known(Kind::V1, args.next()?.into())),
            VERSION_2 => order.group = Some(TreeGroup::known(Kind::V2, args.next()?.into())),
            TERMINAL => order.terminal = Some(args.next()?),
            AROUND => order.around.push(args.next()?.into()),
            PROGRAM_FOLLOWS => break,
            _ => return None,
        }
    }
    order.words = args.collect();
    Some(order)
}

/// Says that the system did not start the command, with the code that a shell would give.
pub(super) fn not_started(error: &std::io::Error) -> u8 {
    let code = if error.kind() == std::io::ErrorKind::NotFound { NOT_FOUND } else { NOT_RUN };
    complain("the command could not be started", code)
}

/// Says why there is no command, where the command would have written.
pub(super) fn complain(text: &str, code: u8) -> u8 {
    let _nobody_listens = writeln!(std::io::stderr(), "pegboard: {text}");
    code
}

/// Gives the command's streams up, so that their readers see the command's end and not ours.
fn release_streams() {
    if let Ok(nothing) = fs::OpenOptions::new().read(true).write(true).open("/dev/null") {
        let _kept_open = rustix::stdio::dup2_stdin(&nothing);
        let _kept_open = rustix::stdio::dup2_stdout(&nothing);
        let _kept_open = rustix::stdio::dup2_stderr(&nothing);
    }
}

/// Waits for the command, taking in corpses; `None` when the host is gone.
fn watch(child: Pid, host: Option<&OwnedFd>, order: &Order) -> Option<WaitStatus> {
    let own = pidfd_open(child, PidfdFlags::empty()).ok();
    loop {
        while let Ok(Some((id, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            if id == child {
                return Some(status);
            }
        }
        if rustix::process::getppid() != Some(order.host) {
            return None;
        }
        let (Some(own), Some(host)) = (&own, host) else {
            std::thread::sleep(Duration::from_millis(10));
            continue;
        };
        let mut ends = [PollFd::new(own, PollFlags::IN), PollFd::new(host, PollFlags::IN)];
        let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(IDLE_LOOK.subsec_nanos()) };
        let _interrupted_is_fine = poll(&mut ends, Some(&wait));
    }
}

/// Ends every process that the command brought about, politely first. Whether none is left.
fn end_the_rest(order: &Order, farewell: Duration) -> bool {
    let began = Instant::now();
    let mut asked = false;
    let mut is_left = has_children();
    while is_left && began.elapsed() < REMOVAL {
        if began.elapsed() < farewell + GRACE {
            if !asked && began.elapsed() >= farewell {
                signal_all(order, End::Politely);
                asked = true;
            }
        } else {
            // Stopped processes give birth to none, so that killing outruns what multiplies.
            signal_all(order, End::Stop);
            if let Some(group) = &order.group {
                group.kill();
            }
            signal_all(order, End::Hard);
        }
        std::thread::sleep(LOOK_AGAIN);
        is_left = has_children();
    }
    if let Some(group) = &order.group {
        group.remove();
    }
    // Goes when this was the last tree of a host that is gone; the host removes it itself otherwise.
    if rustix::process::getppid() != Some(order.host) {
        for folder in &order.around {
            let _others_are_in_it = fs::remove_dir(folder);
        }
    }
    !is_left
}

fn signal_all(order: &Order, end: End) {
    let members = order.group.iter().flat_map(TreeGroup::members);
    let members = members.map(|id| (id, proc_table::born(id))).filter(|(_, born)| *born > 0);
    let own = std::process::id();
    for (id, born) in proc_table::descendants(own).into_iter().chain(members) {
        proc_table::signal_exactly(id, born, end);
    }
}

/// Takes in what ended; whether a child is left. Whatever descends from us hangs on one.
fn has_children() -> bool {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Leaves as the command did: with its code, or by its signal.
fn leave_as(status: WaitStatus) -> u8 {
    if let Some(code) = status.exit_status() {
        return u8::try_from(code).unwrap_or(u8::MAX);
    }
    let number = status.terminating_signal().unwrap_or(0);
    let nothing = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
    let _no_second_core = rustix::process::setrlimit(rustix::process::Resource::Core, nothing);
    let code = u8::try_from(128 + number).unwrap_or(u8::MAX);
    Signal::from_named_raw(number).map_or(code, leave_by)
}

fn leave_by(signal: Signal) -> u8 {
    // Takes our own handler away first.
    let _no_handler = signal_hook::low_level::emulate_default_handler(signal.as_raw());
    // Twice: the first one may only take away a handler of the language's runtime.
    for _ in 0..2 {
        let _still_here = rustix::process::kill_process(rustix::process::getpid(), signal);
        std::thread::sleep(LOOK_AGAIN);
    }
    u8::try_from(128 + signal.as_raw()).unwrap_or(u8::MAX)
}
