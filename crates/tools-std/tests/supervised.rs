//! What tools start beside command lines, under a supervisor, which is this program started again; so it has a
//! `main` of its own.
#![cfg_attr(
    target_os = "linux",
    expect(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::print_stdout,
        reason = "tests fail by panicking, and this is a program"
    )
)]

#[cfg(target_os = "linux")]
#[path = "it/harness.rs"]
#[expect(dead_code, reason = "the other tests use the rest")]
mod harness;

#[cfg(target_os = "linux")]
mod supervised {
    pub(crate) mod lost;
    pub(crate) mod programs;
    pub(crate) mod terminals;
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() {
    if let Some(code) = pegboard_process::supervisor::serve(std::env::args_os()) {
        std::process::exit(code.into());
    }
    pegboard_process::supervisor::supervise_with(std::env::current_exe().unwrap());
    use supervised::{lost, programs, terminals};
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [host, kind, how, dir] = &args[..]
        && host == "host"
    {
        return lost::be_host(kind, how, dir.as_ref());
    }
    let tests: [(&str, fn()); 10] = [
        ("nothing_outlives_its_owner", lost::nothing_outlives_its_owner),
        ("nothing_outlives_a_host_that_is_killed", lost::nothing_outlives_a_host_that_is_killed),
        ("nothing_outlives_a_host_with_limits", lost::nothing_outlives_a_host_with_limits),
        ("keys_reach_the_program_and_not_its_supervisor", terminals::keys_reach_the_program),
        ("a_terminal_tells_sizes_and_ends", terminals::a_terminal_tells_sizes_and_ends),
        ("jobs_of_a_shell_have_the_terminal_in_turn", terminals::jobs_have_the_terminal_in_turn),
        ("code_is_interrupted_and_its_state_survives", programs::code_is_interrupted),
        ("memory_of_interpreters_is_limited", programs::memory_is_limited),
        ("an_end_is_told_as_it_was", programs::an_end_is_told_as_it_was),
        ("jobs_that_a_line_of_bash_left_are_told", programs::jobs_are_told),
    ];
    let tests = tests.map(|(name, test)| {
        libtest_mimic::Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), tests.into()).exit();
}

/// Runs `work`, which must not hang.
#[cfg(target_os = "linux")]
fn in_runtime<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let limit = std::time::Duration::from_secs(120);
    runtime.block_on(async { tokio::time::timeout(limit, work).await.expect("it hangs") })
}

/// Services with these limits of all programs.
#[cfg(target_os = "linux")]
fn services(limits: pegboard_process::Limits) -> pegboard_tools_std::Services {
    let startup = pegboard_tools_std::shell::ShellStartup::default().with_limits(limits);
    pegboard_tools_std::Services::new().with_shell(startup)
}

/// Whether a program is there; a test without it is left out.
#[cfg(target_os = "linux")]
fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        harness::left_out(program);
    }
    found
}
