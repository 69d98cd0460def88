//! Commands under a supervisor, which is this program started again; so it has a `main` of its own.
#![cfg_attr(
    target_os = "linux",
    expect(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::print_stdout,
        reason = "tests fail by panicking, and this is a program"
    )
)]

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() {
    if let Some(code) = pegboard_process::supervisor::serve(std::env::args_os()) {
        std::process::exit(code.into());
    }
    linux::main();
}

#[cfg(target_os = "linux")]
mod linux {
    use libtest_mimic::{Arguments, Trial};
    use pegboard_process::{Child, Confinement, Finding, Limits, Orphans, ProcessTree, Reach, supervisor};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
    use std::ffi::OsStr;
    use std::io::{BufRead as _, Write as _};
    use std::os::fd::OwnedFd;
    use std::os::unix::process::ExitStatusExt as _;
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::time::Duration;
    use tokio::io::{AsyncBufReadExt as _, BufReader};

    /// A lost child without session, group, environment or parents of the command.
    const LOST: &str = "(setsid env -i setsid sh -c 'echo $$; exec sleep 300' &)";

    /// Says the id of the session.
    const SESSION: &str = "read -r _ _ _ _ _ session _ < /proc/$$/stat; echo $session";

    pub(super) fn main() {
        supervisor::supervise_with(std::env::current_exe().unwrap());
        let mut args = std::env::args().skip(1);
        match args.next().as_deref() {
            Some("host") => return be_host(args.next().as_deref() == Some("limited")),
            Some("foreign table") => return only_groups_are_ended_where_the_table_is_foreign(),
            Some("own table") => return CHECKS.iter().for_each(|(_, check)| check()),
            _ => {}
        }
        let in_container: [(&'static str, fn()); 2] = [
            // The host leads neither session nor group there: both are those of processes it has no number for.
            ("all_holds_in_a_container", || in_container(&["--mount-proc"], "own table")),
            ("a_foreign_process_table_is_not_used", || in_container(&[], "foreign table")),
        ];
        let tests = CHECKS.into_iter().chain(in_container).map(|(name, check)| {
            Trial::test(name, move || {
                check();
                Ok(())
            })
        });
        libtest_mimic::run(&Arguments::from_args(), tests.collect()).exit();
    }

    const CHECKS: [(&str, fn()); 10] = [
        ("signals_to_the_parent_spare_the_supervisor", signals_to_the_parent_spare_the_supervisor),
        ("codes_and_signals_pass_through", codes_and_signals_pass_through),
        ("lost_children_end_with_the_command", lost_children_end_with_the_command),
        ("lost_children_end_when_the_tree_is_ended", lost_children_end_when_the_tree_is_ended),
        ("a_command_that_kills_its_group_spares_its_supervisor", kill_0_spares_the_supervisor),
        ("a_code_of_the_supervisor_says_that_nothing_is_left", a_code_says_that_nothing_is_left),
        ("what_a_killed_supervisor_leaves_is_looked_for", what_a_killed_supervisor_leaves_is_looked_for),
        ("streams_close_when_the_command_closes_them", streams_close_when_the_command_closes_them),
        ("nothing_outlives_a_host_that_is_killed", || nothing_outlives_a_killed_host("free")),
        ("nothing_outlives_a_host_with_limits", || nothing_outlives_a_killed_host("limited")),
    ];

    /// Runs this program as the first process of a PID namespace, as in a container.
    fn in_container(options: &[&str], word: &str) {
        let unshare = |last: &[&OsStr]| {
            let mut command = Command::new("unshare");
            command.args(["--pid", "--fork", "--kill-child"]).args(options).args(last);
            command
        };
        let may = unshare(&[OsStr::new("true")]).stderr(Stdio::null()).status();
        if !may.is_ok_and(|status| status.success()) {
            let required = std::env::var("PEGBOARD_REQUIRE_TOOLS").unwrap_or_default();
            return pegboard_test_support::left_out("unshare", &required);
        }
        let own = std::env::current_exe().unwrap();
        let status = unshare(&[own.as_os_str(), OsStr::new(word)]).status().unwrap();
        assert!(status.success(), "{word}: {status}");
    }

    /// Its numbers are those of other processes, which must not be signalled; what we know without it is the group.
    fn only_groups_are_ended_where_the_table_is_foreign() {
        let confinement = Confinement::new(Limits::none());
        let report = confinement.report();
        assert_eq!((report.finding, report.orphans), (Finding::ProcessGroup, Orphans::LiveOn));
        in_runtime(async {
            for is_dropped in [false, true] {
                let (mut child, tree) =
                    start(&confinement, "trap '' TERM; (trap '' TERM; sleep 300) & echo $!; echo $$; wait");
                let handles: Vec<OwnedFd> = ids(&mut child, 2).await.into_iter().map(handle).collect();
                if is_dropped {
                    drop(tree);
                } else {
                    assert_eq!(tree.end(Reach::Everything, Duration::from_millis(20)).await, 0);
                }
                handles.iter().for_each(ends);
                child.wait().await.unwrap();
            }
        });
    }

    fn in_runtime<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime
            .block_on(async { tokio::time::timeout(Duration::from_secs(60), work).await.expect("it hangs") })
    }

    fn limits(are_set: bool) -> Limits {
        if are_set { Limits::none().with_processes(Some(200)) } else { Limits::none() }
    }

    fn start(confinement: &Confinement, script: &str) -> (Child, ProcessTree) {
        let mut confined = confinement.command(Path::new("/bin/bash")).unwrap();
        let command = confined.command();
        command.args(["-c", script, "bash"]).env_clear().env("PATH", "/usr/bin:/bin");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        confined.start().unwrap()
    }

    async fn ids(child: &mut Child, count: usize) -> Vec<u32> {
        let mut lines = BufReader::new(child.stdout().take().unwrap()).lines();
        let mut ids = Vec::new();
        while ids.len() < count {
            ids.push(lines.next_line().await.unwrap().unwrap().parse().unwrap());
        }
        ids
    }

    fn handle(id: u32) -> OwnedFd {
        pidfd_open(Pid::from_raw(i32::try_from(id).unwrap()).unwrap(), PidfdFlags::empty()).unwrap()
    }

    /// Waits for the end of a process; fails when it does not come.
    fn ends(handle: &OwnedFd) {
        let wait = Timespec { tv_sec: 30, tv_nsec: 0 };
        assert_eq!(poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&wait)).unwrap(), 1, "it lives on");
    }

    fn has_ended(handle: &OwnedFd) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&now)).unwrap() == 1
    }

    fn codes_and_signals_pass_through() {
        for are_set in [false, true] {
            let confinement = Confinement::new(limits(are_set));
            assert_eq!(confinement.report().orphans, Orphans::Ended);
            for (script, code, signal) in [
                ("exit 0", Some(0), None),
                ("exit 7", Some(7), None),
                ("exit 255", Some(255), None),
                ("kill -TERM $$", None, Some(15)),
                ("kill -KILL $$", None, Some(9)),
                ("kill -SEGV $$", None, Some(11)),
                ("kill -HUP $$", None, Some(1)),
            ] {
                let status = in_runtime(async {
                    let (mut child, tree) = start(&confinement, script);
                    let status = child.wait().await.unwrap();
                    assert_eq!(tree.end(Reach::Everything, Duration::ZERO).await, 0);
                    status
                });
                assert_eq!((status.code(), status.signal()), (code, signal), "{script}");
            }
        }
    }

    fn lost_children_end_with_the_command() {
        let confinement = Confinement::new(Limits::none());
        assert_eq!(confinement.report().finding, Finding::Supervisor);
        in_runtime(async {
            let (mut child, tree) = start(&confinement, &format!("{LOST}; read x < <(sleep 0.2)"));
            let lost = handle(ids(&mut child, 1).await[0]);
            child.wait().await.unwrap();
            assert!(has_ended(&lost), "the supervisor ended before what it supervises");
            assert_eq!(tree.end(Reach::Everything, Duration::ZERO).await, 0);
        });
    }

    fn a_code_says_that_nothing_is_left() {
        let confinement = Confinement::new(Limits::none());
        in_runtime(async {
            let (mut child, mut tree) =
                start(&confinement, &format!("{SESSION}; {LOST}; read x < <(sleep 0.2); exit 3"));
            let said = ids(&mut child, 2).await;
            assert_eq!(said[0], tree.leader(), "the command is in the session of its host");
            let lost = handle(said[1]);
            let status = child.wait().await.unwrap();
            assert_eq!(status.code(), Some(3));
            tree.leader_ended(status);
            assert!(has_ended(&lost));
            assert_eq!(tree.end(Reach::Everything, Duration::ZERO).await, 0);
        });
    }

    fn what_a_killed_supervisor_leaves_is_looked_for() {
        let confinement = Confinement::new(Limits::none());
        in_runtime(async {
            let (mut child, mut tree) = start(&confinement, "sleep 300 & echo $!; kill -KILL $PPID; exit 0");
            let left = handle(ids(&mut child, 1).await[0]);
            let status = child.wait().await.unwrap();
            assert_eq!(status.signal(), Some(9));
            tree.leader_ended(status);
            assert_eq!(tree.end(Reach::Everything, Duration::ZERO).await, 0);
            assert!(has_ended(&left));
        });
    }

    fn lost_children_end_when_the_tree_is_ended() {
        let confinement = Confinement::new(Limits::none());
        for script in
            [format!("{LOST}; sleep 300"), format!("trap '' TERM; {LOST}; while :; do sleep 1; done")]
        {
            in_runtime(async {
                let (mut child, tree) = start(&confinement, &script);
                let lost = handle(ids(&mut child, 1).await[0]);
                let (left, status) =
                    tokio::join!(tree.end(Reach::Everything, Duration::from_millis(20)), child.wait());
                assert_eq!(left, 0);
                assert!(!status.unwrap().success());
                assert!(has_ended(&lost));
            });
        }
        in_runtime(async {
            let (mut child, tree) = start(&confinement, &format!("{LOST}; sleep 300"));
            let lost = handle(ids(&mut child, 1).await[0]);
            drop(tree);
            child.wait().await.unwrap();
            assert!(has_ended(&lost), "a dropped tree lost a child");
        });
    }

    fn kill_0_spares_the_supervisor() {
        let confinement = Confinement::new(Limits::none());
        in_runtime(async {
            let (mut child, tree) = start(&confinement, &format!("{LOST}; sleep 0.2; kill -TERM 0"));
            let lost = handle(ids(&mut child, 1).await[0]);
            assert_eq!(child.wait().await.unwrap().signal(), Some(15));
            assert!(has_ended(&lost));
            tree.end(Reach::Everything, Duration::ZERO).await;
        });
    }

    fn signals_to_the_parent_spare_the_supervisor() {
        let confinement = Confinement::new(Limits::none());
        in_runtime(async {
            let kills = "for s in HUP INT QUIT TERM ALRM USR1 USR2; do kill -$s $PPID; done; sleep 0.1";
            // The command itself has the usual answer to each of them.
            let (mut child, tree) =
                start(&confinement, &format!("{LOST}; sleep 0.1; {kills}; kill -USR1 $$"));
            let lost = handle(ids(&mut child, 1).await[0]);
            assert_eq!(child.wait().await.unwrap().signal(), Some(10));
            assert!(has_ended(&lost));
            tree.end(Reach::Everything, Duration::ZERO).await;
        });
    }

    fn streams_close_when_the_command_closes_them() {
        let confinement = Confinement::new(Limits::none());
        in_runtime(async {
            let (mut child, tree) = start(&confinement, "echo a; exec >&- 2>&-; sleep 300");
            let mut lines = BufReader::new(child.stdout().take().unwrap()).lines();
            assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("a"));
            assert_eq!(lines.next_line().await.unwrap(), None);
            tree.end(Reach::Everything, Duration::ZERO).await;
        });
    }

    /// Starts a command, says which processes there are, and waits to be killed.
    fn be_host(are_set: bool) {
        let confinement = Confinement::new(limits(are_set));
        in_runtime(async {
            let script = format!("trap '' TERM; {LOST}; sleep 300 & echo $!; echo $$; echo $PPID; wait");
            let (mut child, _tree) = start(&confinement, &script);
            let ids = ids(&mut child, 4).await;
            println!("{} {} {} {}", ids[0], ids[1], ids[2], ids[3]);
            println!("{}", folder_of(ids[2]));
            std::io::stdout().flush().unwrap();
            child.wait().await.unwrap();
        });
    }

    /// The control group of a process, below the folder of its hierarchy.
    fn folder_of(id: u32) -> String {
        let groups = std::fs::read_to_string(format!("/proc/{id}/cgroup")).unwrap();
        let ours = groups.lines().find(|line| line.contains("/pegboard-"));
        ours.and_then(|line| line.rsplit(':').next()).unwrap_or("none").to_owned()
    }

    fn nothing_outlives_a_killed_host(how: &str) {
        let mut host = Command::new(std::env::current_exe().unwrap());
        let mut host = host.args(["host", how]).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = std::io::BufReader::new(host.stdout.take().unwrap()).lines();
        let ids = lines.next().unwrap().unwrap();
        let group = lines.next().unwrap().unwrap();
        let handles: Vec<OwnedFd> = ids.split(' ').map(|id| handle(id.parse().unwrap())).collect();
        assert!(!handles.iter().any(has_ended));
        let id = Pid::from_raw(i32::try_from(host.id()).unwrap()).unwrap();
        kill_process(id, Signal::KILL).unwrap();
        host.wait().unwrap();
        handles.iter().for_each(ends);
        // The supervisor, which is the last to go, took the groups with it.
        let group = group.split("/t").next().unwrap();
        for hierarchy in ["", "/unified", "/pids"] {
            assert!(!Path::new(&format!("/sys/fs/cgroup{hierarchy}{group}")).exists(), "{hierarchy}{group}");
        }
    }
}
