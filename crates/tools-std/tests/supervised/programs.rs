//! Interpreters that are supervised.

use crate::harness::{Answer, Session, left_out};
use crate::{has, in_runtime, services};
use pegboard_process::{Bound, Confinement, Limits};
use serde_json::json;

fn session(limits: Limits) -> Session {
    Session::with(services(limits)).env("PATH", &std::env::var("PATH").unwrap())
}

async fn run(session: &Session, language: &str, code: &str, timeout: u64) -> Answer {
    session.call("Repl", json!({"language": language, "code": code, "timeout": timeout})).await
}

pub(crate) fn code_is_interrupted() {
    for (program, language, before, endless, after) in [
        ("python3", "python", "x = 5", "while True: pass", "x"),
        ("python3", "python", "x = 5", "import subprocess; subprocess.run(['sleep', '300'])", "x"),
        ("node", "node", "x = 5", "for (;;) {}", "x"),
        ("bash", "bash", "x=5", "while :; do :; done", "echo $x"),
        ("bash", "bash", "x=5", "sleep 300", "echo $x"),
    ] {
        if !has(program) {
            continue;
        }
        in_runtime(async {
            let session = session(Limits::none().with_processes(Some(300)));
            assert!(!run(&session, language, before, 60_000).await.is_error);
            let answer = run(&session, language, endless, 500).await;
            assert!(answer.text.contains("interrupted after 0.5s; the state is kept"), "{}", answer.text);
            assert_eq!(run(&session, language, after, 60_000).await.text, "5", "{endless}");
        });
    }
}

pub(crate) fn memory_is_limited() {
    let limits = Limits::none().with_memory(Some(200 << 20));
    let memory = Confinement::new(limits).report().memory;
    if !matches!(memory, Bound::CgroupV1 | Bound::CgroupV2) {
        return left_out("cgroups");
    }
    if !has("python3") {
        return;
    }
    in_runtime(async {
        let session = session(limits);
        let answer = run(&session, "python", "x = b'x' * 400_000_000", 60_000).await;
        assert!(answer.is_error && answer.text.contains("Exit code 137 (SIGKILL)"), "{}", answer.text);
        assert!(answer.text.contains("209715200 bytes of memory that all commands"), "{}", answer.text);
        assert_eq!(run(&session, "python", "1 + 1", 60_000).await.text, "2");
    });
}

pub(crate) fn an_end_is_told_as_it_was() {
    for (program, language, code, expected) in [
        ("bash", "bash", "exit 3", "the interpreter ended: Exit code 3;"),
        ("bash", "bash", "kill -9 $$", "the interpreter ended: Exit code 137 (SIGKILL);"),
        ("python3", "python", "import os; os.kill(os.getpid(), 11)", "ended: Exit code 139 (SIGSEGV);"),
        (
            "python3",
            "python",
            "import os\nif os.fork(): os._exit(4)\nimport time; time.sleep(300)",
            "ended: Exit code 4;",
        ),
    ] {
        if !has(program) {
            continue;
        }
        in_runtime(async {
            let answer = run(&session(Limits::none()), language, code, 60_000).await;
            assert!(answer.text.contains(expected), "{code}: {}", answer.text);
        });
    }
}

pub(crate) fn jobs_are_told() {
    if !has("bash") {
        return;
    }
    for (line, said) in [
        ("sleep 314 >/dev/null 2>&1 &", "[1 job that the line left running was ended;"),
        ("sleep 314 & sleep 314 & false", "[2 jobs that the line left running were ended;"),
        ("sleep 314 & kill $!; wait", ""),
        ("true", ""),
    ] {
        in_runtime(async {
            let answer = session(Limits::none()).call("Bash", json!({"command": line})).await;
            assert_eq!(answer.text.contains("left running"), !said.is_empty(), "{line}: {}", answer.text);
            assert!(answer.text.contains(said), "{line}: {}", answer.text);
        });
    }
}
