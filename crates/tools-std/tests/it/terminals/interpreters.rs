//! Interpreters: state, output, errors, interrupts, ends.

use super::{PATIENCE, call, has, lives, session};
use crate::harness::{Answer, Session};
use pegboard_tool_core::{Availability, CancellationToken, Concurrency, Effects, ToolEnv};
use pegboard_tools_std::terminal::close_all;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

async fn repl(session: &Session, input: Value) -> Answer {
    call(session, "Repl", input).await
}

async fn run(session: &Session, language: &str, code: &str) -> Answer {
    repl(session, json!({"language": language, "code": code})).await
}

/// Runs code that must not fail.
async fn ran(session: &Session, language: &str, code: &str) -> String {
    let answer = run(session, language, code).await;
    assert!(!answer.is_error, "{code}: {}", answer.text);
    answer.text
}

/// Waits for a file that code writes, away from the runtime.
async fn file(path: PathBuf) {
    let wait = tokio::task::spawn_blocking(move || {
        while std::fs::read(&path).map_or(0, |bytes| bytes.len()) == 0 {
            std::thread::yield_now();
        }
    });
    tokio::time::timeout(PATIENCE, wait).await.expect("the file never came").unwrap();
}

/// Pieces of code and what they give, one after the other in one interpreter.
type Talk = &'static [(&'static str, Result<&'static str, &'static str>)];

/// For each program and its language: a talk.
const TALKS: &[(&str, &str, Talk)] = &[
    (
        "python3",
        "python",
        &[
            ("1 + 1", Ok("2")),
            ("x = [1]\nfor i in range(2):\n    x.append(i)\n\nx", Ok("[1, 0, 1]")),
            ("def f(y):\n    return x[0] / y\n", Ok("[no output]")),
            ("print('out'); import sys; print('err', file=sys.stderr); 'ä\\n'", Ok("out\nerr\n'ä\\n'")),
            ("None", Ok("[no output]")),
            (
                "f(0)",
                Err(
                    "Traceback (most recent call last):\n  File \"<cell 7>\", line 1, in <module>\n    f(0)\n  File \"<cell 4>\", line 2, in f\n    return x[0] / y\n           ~~~~~^~~\nZeroDivisionError: division by zero",
                ),
            ),
            ("if True print(1)", Err("SyntaxError: invalid syntax")),
            ("x = 'unclosed", Err("SyntaxError: unterminated string literal")),
            ("input()", Err("EOFError: EOF when reading a line")),
            ("await __import__('asyncio').sleep(0, 'slept')", Ok("'slept'")),
            (
                "class A: pass\nimport pickle\ntype(pickle.loads(pickle.dumps(A()))).__module__",
                Ok("'__main__'"),
            ),
            ("import os\nif os.fork() == 0: print('child')\nelse: os.wait()[1]", Ok("child")),
            ("import os\nos.chdir('/usr')\nos.system('pwd')", Ok("/usr\n0")),
            ("print('a\\0b\\x1b[31mred')", Ok("a\u{2400}bred")),
            ("sys.stdout.close()", Ok("[no output]")),
            ("sys.stdout = sys.__stdout__ = open('/dev/null', 'w'); os.write(1, b'raw\\n')", Ok("raw")),
            ("x", Ok("[no output]")),
        ],
    ),
    (
        "node",
        "node",
        &[
            ("1 + 1", Ok("2")),
            ("const x = { a: [1, { b: 2 }] };\nx", Ok("{ a: [ 1, { b: 2 } ] }")),
            ("const x = 5; x", Ok("5")),
            ("function f(y) {\n  return y.z;\n}", Ok("[no output]")),
            (
                "f(null)",
                Err(
                    "Uncaught TypeError: Cannot read properties of null (reading 'z')\n    at f (cell-5:2:12)\n    at cell-6:1:1",
                ),
            ),
            ("syntax error", Err("Uncaught SyntaxError: Unexpected identifier")),
            ("console.log('out'); console.error('err'); 'str'", Ok("out\nerr\n'str'")),
            ("await new Promise((done) => setTimeout(() => done(42), 1))", Ok("42")),
            (
                "setTimeout(() => { throw new Error('late') }, 1); await new Promise((done) => setTimeout(done, 30))",
                Ok("Uncaught Error: late\n    at Timeout._onTimeout (cell-10:1:26)\n"),
            ),
            ("(await importModule('node:path')).join('a', 'b')", Ok("'a/b'")),
            ("await import('node:path')", Err("Use `await importModule(\"name\")`")),
            ("require('fs').readFileSync(0, 'utf8')", Ok("''")),
            ("x", Ok("5")),
        ],
    ),
    (
        "bash",
        "bash",
        &[
            ("x=41; f() { echo \"f $1\"; }", Ok("[no output]")),
            ("f $((x + 1))\necho err >&2", Ok("f 42\nerr")),
            ("for i in 1 2; do\n  echo $i\ndone", Ok("1\n2")),
            ("cat <<'E'\nit's $x \\ !\nE", Ok("it's $x \\ !")),
            ("cd /usr", Ok("[no output]")),
            ("pwd; false", Ok("/usr\n[exit status 1]")),
            ("if then", Ok("syntax error near unexpected token `then'")),
            ("read line; echo \"$? [$line]\"", Ok("1 []")),
            ("echo \"n1 1 0\" >&4", Ok("4: Bad file descriptor")),
            ("set -x; true; set +x", Ok("++ true\n++ set +x")),
            ("alias hi='echo hello'", Ok("[no output]")),
            ("hi; echo $-", Ok("hello")),
            ("exec >&2 2>/dev/null; echo still", Ok("still")),
        ],
    ),
];

#[tokio::test]
async fn state_stays_and_answers_are_those_of_a_repl() {
    for (program, language, talk) in TALKS {
        if !has(program) {
            continue;
        }
        let session = session();
        for (code, expected) in *talk {
            let answer = run(&session, language, code).await;
            // Part of an error or of what bash says of itself is the system's own.
            let is_whole = matches!(expected, Ok(text) if !text.ends_with('\n')) && *language != "bash";
            let (is_error, text) = match expected {
                Ok(text) => (false, text),
                Err(text) => (true, text),
            };
            assert_eq!(answer.is_error, is_error, "{language}: {code}: {}", answer.text);
            let fits = if is_whole { answer.text == **text } else { answer.text.contains(*text) };
            assert!(fits, "{language}: {code}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn incomplete_code_of_a_bash_repl_is_answered_at_once() {
    if !has("bash") {
        return;
    }
    let session = session();
    assert_eq!(ran(&session, "bash", "x=1").await, "[no output]");
    for (code, says) in [
        ("echo \"unterminated", "unexpected EOF while looking for matching `\"'"),
        ("echo first\necho 'unterminated", "unexpected EOF while looking for matching `''"),
        ("echo `date", "unexpected EOF while looking for matching ``'"),
        ("echo $'abc", "unexpected EOF while looking for matching `''"),
        ("echo ${x", "unexpected EOF while looking for matching `}'"),
        ("echo \"${x\"", "unexpected EOF while looking for matching"),
        ("echo $(date", "unexpected EOF while looking for matching `)'"),
        ("echo \"$(echo \"x)\"", "unexpected EOF while looking for matching"),
        ("echo $((1+", "unexpected EOF while looking for matching `)'"),
        ("((1+", "unexpected EOF while looking for matching `)'"),
        ("y=(1", "unexpected EOF while looking for matching `)'"),
        ("cat <(ls", "unexpected EOF while looking for matching `)'"),
        ("[[ a", "conditional binary operator expected"),
        ("if true; then", "syntax error: unexpected end of file"),
        ("f() {", "syntax error: unexpected end of file"),
        ("case x in", "syntax error: unexpected end of file"),
        ("for i in a", "syntax error: unexpected end of file"),
        ("cat <<E\nbody", "body"),
        ("echo \\", ""),
        ("\"", "unexpected EOF while looking for matching `\"'"),
    ] {
        let answer = repl(&session, json!({"language": "bash", "code": code, "timeout": 600_000})).await;
        assert!(!answer.is_error && answer.text.contains(says), "{code}: {}", answer.text);
        assert!(!answer.text.contains("near unexpected token `}'"), "{code}: {}", answer.text);
        assert_eq!(ran(&session, "bash", "echo $x").await, "1", "{code}");
    }
}

/// Code that runs until it is interrupted, once it wrote the file `began`; and code that shows the state.
const ENDLESS: &[(&str, &str, &str, &str, &str)] = &[
    ("python3", "python", "x = 5", "open('began', 'w').write('1')\nwhile True: pass", "x"),
    ("python3", "python", "x = 5", "open('began', 'w').write('1')\nimport time; time.sleep(1000)", "x"),
    (
        "python3",
        "python",
        "x = 5",
        "import asyncio; open('began', 'w').write('1')\nawait asyncio.sleep(1000)",
        "x",
    ),
    (
        "python3",
        "python",
        "x = 5",
        "import subprocess; open('began', 'w').write('1')\nsubprocess.run(['sleep', '1000'])",
        "x",
    ),
    ("node", "node", "x = 5", "require('fs').writeFileSync('began', '1'); for (;;) {}", "x"),
    ("node", "node", "x = 5", "require('fs').writeFileSync('began', '1'); await new Promise(() => {})", "x"),
    ("bash", "bash", "x=5", "echo 1 > began; while :; do :; done", "echo $x"),
    // The program says itself that it runs: between two commands bash may be ended by an interrupt.
    (
        "bash",
        "bash",
        "x=5",
        "f() { sh -c 'echo 1 > began; exec sleep 1000'; echo not here; }; f; f",
        "echo $x",
    ),
];

#[tokio::test]
async fn code_is_interrupted_at_its_limit_and_the_state_survives() {
    for (program, language, before, endless, after) in ENDLESS {
        if !has(program) {
            continue;
        }
        let session = session();
        ran(&session, language, before).await;
        let answer = repl(&session, json!({"language": language, "code": endless, "timeout": 300})).await;
        assert!(answer.is_error, "{endless}: {}", answer.text);
        assert!(
            answer.text.contains("interrupted after 0.3s; the state is kept"),
            "{endless}: {}",
            answer.text
        );
        assert!(!answer.text.contains("not here"), "{}", answer.text);
        assert_eq!(ran(&session, language, after).await, "5", "{endless}");
    }
}

#[tokio::test]
async fn a_cancelled_or_dropped_call_interrupts_its_code() {
    for (program, language, before, endless, after) in ENDLESS {
        // Node may end by an interrupt that comes in the first moment of its code.
        if *language == "node" || !has(program) {
            continue;
        }
        let session = session();
        ran(&session, language, before).await;
        let token = CancellationToken::new();
        let ctx = session.ctx().with_cancel(token.clone());
        let input = json!({"language": language, "code": endless});
        let (answer, ()) = tokio::join!(session.call_in("Repl", input.clone(), ctx, |grant| grant), async {
            file(session.root.join("began")).await;
            token.cancel();
        });
        assert!(
            answer.is_error && answer.text.contains("interrupted; the state is kept"),
            "{endless}: {}",
            answer.text
        );
        std::fs::remove_file(session.root.join("began")).unwrap();
        tokio::select! {
            _ = session.call("Repl", input) => panic!("it ended"),
            () = file(session.root.join("began")) => {}
        }
        let text = ran(&session, language, after).await;
        assert!(text.ends_with('5'), "{endless}: {text}");
    }
}

#[tokio::test]
async fn code_that_does_not_obey_is_killed_and_that_is_said() {
    if !has("python3") {
        return;
    }
    let session = session();
    let deaf = "import signal, os\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nopen('pid', 'w').write(str(os.getpid()))\nwhile True: pass";
    let answer = repl(&session, json!({"language": "python", "code": deaf, "timeout": 1000})).await;
    assert!(answer.is_error);
    assert!(
        answer.text.contains("did not obey the interrupt within 4s and was killed; its state is gone"),
        "{}",
        answer.text
    );
    assert!(!lives(&String::from_utf8(session.bytes("pid")).unwrap()));
    assert!(run(&session, "python", "signal").await.text.contains("NameError"));
}

#[tokio::test]
async fn code_may_go_on_and_is_reached_later() {
    if !has("python3") {
        return;
    }
    let session = session();
    let code = "import time, os\nprint('begun', flush=True)\nwhile not os.path.exists('go'): time.sleep(0.01)\nprint('gone')\n7";
    let input = json!({"language": "python", "code": code, "timeout": 500, "at_timeout": "keep_running"});
    let answer = repl(&session, input).await;
    assert_eq!((answer.is_error, answer.data["state"].clone()), (false, json!("running")), "{}", answer.text);
    assert!(answer.text.starts_with("begun\n[still running after 0.5s"), "{}", answer.text);
    let answer = run(&session, "python", "1").await;
    assert!(answer.is_error && answer.text.contains("still runs earlier code"), "{}", answer.text);
    // A dropped look does not interrupt.
    let look = repl(&session, json!({"language": "python", "action": "read"}));
    assert!(tokio::time::timeout(Duration::from_millis(20), look).await.is_err());
    session.write("go", "");
    let answer = repl(&session, json!({"language": "python", "action": "read"})).await;
    assert_eq!((answer.text.as_str(), answer.data["state"].clone()), ("gone\n7", json!("done")));
    session.write("go2", "");
    let input =
        json!({"language": "python", "code": "time.sleep(1000)", "timeout": 1, "at_timeout": "keep_running"});
    assert_eq!(repl(&session, input).await.data["state"], json!("running"));
    let answer = repl(&session, json!({"language": "python", "action": "interrupt"})).await;
    assert!(!answer.is_error && answer.text.contains("KeyboardInterrupt"), "{}", answer.text);
    let answer = repl(&session, json!({"language": "python", "action": "interrupt"})).await;
    assert!(answer.text.contains("no code was running"), "{}", answer.text);
}

#[tokio::test]
async fn what_is_printed_between_calls_is_kept() {
    if !has("node") {
        return;
    }
    let session = session();
    ran(&session, "node", "const fs = require('fs'); const timer = setInterval(() => { if (!fs.existsSync('go')) return; clearInterval(timer); console.log('late'); fs.writeFileSync('done', '1') }, 1); 0").await;
    session.write("go", "");
    file(session.root.join("done")).await;
    assert_eq!(
        ran(&session, "node", "'now'").await,
        "[printed since the last call]\nlate\n[this call]\n'now'"
    );
}

#[tokio::test]
async fn a_flood_is_bounded_and_counted() {
    for (program, language, code) in [
        ("python3", "python", "print('first')\nfor i in range(100): print('x' * 100_000)\nprint('last')"),
        (
            "node",
            "node",
            "console.log('first'); for (let i = 0; i < 100; i++) console.log('x'.repeat(100000)); console.log('last')",
        ),
        ("bash", "bash", "echo first; head -c 10000000 /dev/zero | tr '\\0' x; echo; echo last"),
    ] {
        if !has(program) {
            continue;
        }
        let mut session = session();
        session.snapshot.session_dir = Some(session.root.join("kept"));
        let text = ran(&session, language, code).await;
        assert!(text.len() < 10_000, "{}", text.len());
        assert!(text.starts_with("first\n") && text.contains("bytes left out here"), "{language}");
        let (_, path) = text.rsplit_once("bytes of output are in ").expect(&text);
        let whole = std::fs::read_to_string(path.trim_end_matches(']')).unwrap();
        assert!(whole.len() > 10_000_000 && whole.starts_with("first\nx") && whole.ends_with("x\nlast\n"));
    }
}

#[tokio::test]
async fn an_interpreter_that_ends_says_how_and_the_next_one_is_new() {
    for (program, language, code, is_error, how) in [
        ("python3", "python", "exit()", false, "ended: Exit code 0;"),
        (
            "python3",
            "python",
            "x = 1\nimport sys; sys.exit('why')",
            true,
            "why\n[the interpreter ended: Exit code 1;",
        ),
        ("python3", "python", "import os; os.kill(os.getpid(), 11)", true, "ended: Exit code 139 (SIGSEGV);"),
        ("python3", "python", "import os; os.closerange(3, 20)", true, "ended: Exit code 70;"),
        ("node", "node", "process.exit(4)", true, "ended: Exit code 4;"),
        (
            "node",
            "node",
            "process.kill(process.pid, 'SIGKILL'); for (;;) {}",
            true,
            "ended: Exit code 137 (SIGKILL);",
        ),
        ("bash", "bash", "echo bye; exit 3", true, "bye\nexit\n[the interpreter ended: Exit code 3;"),
        ("bash", "bash", "set -e; false; echo no", true, "ended: Exit code 1;"),
        ("bash", "bash", "exit", false, "ended: Exit code 0;"),
    ] {
        if !has(program) {
            continue;
        }
        let session = session();
        let answer = run(&session, language, code).await;
        assert_eq!(answer.is_error, is_error, "{code}: {}", answer.text);
        assert!(answer.text.contains(how), "{code}: {}", answer.text);
        ran(&session, language, if language == "bash" { "echo new" } else { "'new'" }).await;
    }
}

#[tokio::test]
async fn garbage_in_the_channel_of_answers_is_noticed() {
    if !has("python3") {
        return;
    }
    let session = session();
    // A whole line hurts nobody.
    assert_eq!(ran(&session, "python", "import os; os.write(4, b'garbage\\n'); 7").await, "7");
    for code in ["os.write(4, b'garbage')", "os.write(4, b'x' * 5000)", "os.write(4, b'\\xff\\0')"] {
        ran(&session, "python", "import os").await;
        let answer = run(&session, "python", &format!("print('before')\n{code}")).await;
        assert!(answer.is_error, "{code}: {}", answer.text);
        let expected = "was killed: something wrote into the channel by which it answers, which is broken; its state \
                        is gone, and the next code starts a new one";
        assert!(
            answer.text.starts_with("before\n") && answer.text.contains(expected),
            "{code}: {}",
            answer.text
        );
        assert_eq!(ran(&session, "python", "1 + 1").await, "2", "{code}");
    }
}

#[tokio::test]
async fn a_fork_that_outlives_its_interpreter_does_not_hold_the_call() {
    if !has("python3") {
        return;
    }
    let session = session();
    let code = "import os\nif os.fork(): os._exit(4)\nimport time; time.sleep(1000)";
    let answer = run(&session, "python", code).await;
    assert!(answer.text.contains("ended: Exit code 4;"), "{}", answer.text);
}

#[tokio::test]
async fn a_long_failure_is_in_a_file() {
    if !has("python3") {
        return;
    }
    let mut session = session();
    session.snapshot.session_dir = Some(session.root.join("kept"));
    let answer = run(&session, "python", "print('x' * 50_000)\n1 / 0").await;
    assert!(answer.is_error && answer.text.len() < 12_000, "{}", answer.text);
    let (_, path) = answer.text.rsplit_once("all of it is in ").expect(&answer.text);
    let whole = std::fs::read_to_string(path.trim_end_matches(']')).unwrap();
    assert!(whole.len() > 50_000 && whole.contains("ZeroDivisionError"), "{}", whole.len());
}

#[tokio::test]
async fn a_restart_empties_the_state_and_interpreters_are_apart() {
    if !has("python3") {
        return;
    }
    let session = session();
    ran(&session, "python", "x = 1").await;
    let other = json!({"language": "python", "session": "other", "code": "x = 2\nx"});
    assert_eq!(repl(&session, other).await.text, "2");
    assert_eq!(ran(&session, "python", "x").await, "1");
    let answer =
        repl(&session, json!({"language": "python", "action": "restart", "code": "'x' in globals()"})).await;
    assert_eq!(answer.text, "False\n[restarted; the state is empty]");
    assert!(repl(&session, json!({"language": "python", "action": "stop"})).await.text.contains("stopped"));
    let answer = repl(&session, json!({"language": "python", "action": "read"})).await;
    assert!(answer.is_error && answer.text.contains("no python interpreter `main` runs"), "{}", answer.text);
}

#[tokio::test]
async fn nothing_of_an_interpreter_outlives_its_session() {
    if !has("python3") {
        return;
    }
    let mut session = session();
    let code =
        "import subprocess, os\np = subprocess.Popen(['setsid', 'sleep', '1000'])\nprint(os.getpid(), p.pid)";
    let first = ran(&session, "python", code).await;
    close_all(&session.snapshot.session, None).await;
    assert!(!first.split(' ').any(lives), "{first}");
    let second = ran(&session, "python", code).await;
    session.snapshot.session = Arc::default();
    assert!(!second.split(' ').any(lives), "{second}");
}

#[tokio::test]
async fn no_file_of_the_folder_runs_before_the_code_and_its_modules_can_be_imported() {
    if !has("python3") || !has("node") {
        return;
    }
    let session = session();
    for name in ["sitecustomize.py", "usercustomize.py", "json.py", "ast.py", "traceback.py", "linecache.py"]
    {
        session.write(name, "open('ran', 'a').write(__name__)");
    }
    session.write("start.py", "open('ran', 'a').write('start')");
    session.write("start.js", "require('fs').writeFileSync('ran', 'start')");
    session.write("mine.py", "value = 7");
    session.write("mine.js", "module.exports = 8");
    session.write("lib/theirs.py", "value = 9");
    session.write(".bashrc", "echo ran > ran");
    let lib = session.root.join("lib").to_string_lossy().into_owned();
    let session = session
        .env("PYTHONSTARTUP", "start.py")
        .env("PYTHONPATH", &format!(".:{lib}"))
        .env("NODE_OPTIONS", "--require ./start.js")
        .env("BASH_ENV", ".bashrc");
    for (language, code) in [("python", "0"), ("node", "0"), ("bash", ":")] {
        ran(&session, language, code).await;
    }
    assert!(!session.root.join("ran").exists());
    assert_eq!(ran(&session, "python", "import mine, theirs\nmine.value, theirs.value").await, "(7, 9)");
    assert_eq!(ran(&session, "node", "require('./mine')").await, "8");
}

#[tokio::test]
async fn what_is_missing_or_wrong_is_said() {
    let empty = crate::harness::Session::new().env("PATH", "/nowhere:.");
    let answer = run(&empty, "node", "1").await;
    assert!(answer.is_error && answer.text.starts_with("node is not installed; there: "), "{}", answer.text);
    let session = session();
    for (input, expected) in [
        (json!({"language": "python"}), "`run` needs `code`"),
        (json!({"language": "ruby", "code": "1"}), "unknown variant `ruby`"),
        (json!({"language": "bash", "action": "stop", "code": "x"}), "means nothing to this action"),
        (json!({"language": "bash", "code": "a\0b"}), "NUL"),
        (json!({"language": "bash", "code": "x".repeat(300_000)}), "write it to a file"),
        (json!({"language": "bash", "code": "1", "timeout": 0}), "`timeout` is 0"),
        (json!({"language": "bash", "code": "1", "session": "a b"}), "is no name"),
        (json!({"language": "bash", "action": "interrupt"}), "no bash interpreter `main` runs"),
    ] {
        let answer = repl(&session, input).await;
        assert!(answer.is_error && answer.text.contains(expected), "{}", answer.text);
    }
    assert!(session.call_cancelled("Repl", json!({"language": "bash", "code": "1"})).await.is_error);
    for number in 0..6 {
        let input = json!({"language": "bash", "session": format!("s{number}"), "code": ":"});
        assert!(!repl(&session, input).await.is_error);
    }
    let answer = run(&session, "bash", ":").await;
    assert!(
        answer.is_error && answer.text.contains("too many interpreters run (bash s0, "),
        "{}",
        answer.text
    );
}

#[test]
fn the_tool_is_gated_exclusive_and_described() {
    let session = session();
    let tool = session.tool("Repl");
    let mut env = ToolEnv::new();
    let absent = |env: &ToolEnv| match tool.availability(env) {
        Availability::Absent(why) => why,
        Availability::Here => "here".to_owned(),
    };
    assert!(absent(&env).contains("internal"));
    env.vars.insert("PEGBOARD_INTERNAL".to_owned(), "1".to_owned());
    assert!(absent(&env).contains("flag `repl`"));
    env.flags.insert("repl".to_owned());
    assert!(absent(&env).contains("none of python3, node and bash"));
    env.path = std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect();
    assert_eq!(absent(&env), "here");
    let input = json!({"language": "python", "code": "import os\nos", "session": "a"});
    let invocation = tool.prepare(Arc::new(input), &session.ctx()).unwrap();
    assert_eq!(
        (invocation.concurrency(), invocation.effects()),
        (Concurrency::Exclusive, Effects::Destructive)
    );
    assert_eq!(invocation.describe(), "python a: import os ...");
    assert_eq!(invocation.render_use().unwrap(), "import os\nos");
    let schema = &tool.definition().input_schema;
    assert!(schema["properties"].as_object().unwrap().values().all(|field| field["description"].is_string()));
    assert!(!schema.to_string().contains("$ref"), "{schema:#}");
}
