//! What programs draw and what they are typed.

use super::{has, open_shell, screen, session, tungsten};
use serde_json::json;

#[tokio::test]
async fn a_shell_keeps_its_state_and_answers_with_its_screen() {
    let session = session();
    open_shell(&session).await;
    screen(&session, json!({"action": "send", "keys": "x=41; cd /usr<Enter>"})).await;
    let shown = screen(
        &session,
        json!({"action": "send", "text": "echo \"<$((x+1))>\" $PWD\n", "wait_for_regex": "<42> /usr\n/usr"}),
    )
    .await;
    assert!(shown.contains("echo \"<$((x+1))>\" $PWD\n<42> /usr\n/usr "), "{shown}");
    let listed = tungsten(&session, json!({"action": "list"})).await;
    assert_eq!(listed.text, "main: bash (80 columns, 24 rows), running");
}

#[tokio::test]
async fn a_command_ends_and_its_last_screen_stays() {
    let session = session();
    let answer =
        tungsten(&session, json!({"action": "open", "command": "echo hello; exit 3", "wait_end": true}))
            .await;
    insta::assert_snapshot!(answer.text, @r"
    [main: 80 columns, 24 rows, the program ended with exit code 3]
    hello
    ");
    let answer = tungsten(&session, json!({"action": "send", "keys": "x"})).await;
    assert!(answer.is_error && answer.text.contains("ended with exit code 3"), "{}", answer.text);
    assert_eq!(screen(&session, json!({"action": "read"})).await, "hello");
    let answer = tungsten(
        &session,
        json!({"action": "open", "session": "k", "command": "kill -9 $$", "wait_end": true}),
    )
    .await;
    assert!(answer.text.contains("ended by a signal: Killed"), "{}", answer.text);
}

#[tokio::test]
async fn keys_interrupt_complete_and_end() {
    let session = session();
    open_shell(&session).await;
    screen(&session, json!({"action": "send", "keys": "bash -c 'echo up; exec sleep 1000'<Enter>", "wait_for_regex": "^up$"})).await;
    let shown =
        screen(&session, json!({"action": "send", "keys": "<C-c>", "wait_for_regex": r"\^C\n.*[$#]$"})).await;
    assert!(shown.contains("^C"), "{shown}");
    screen(
        &session,
        json!({"action": "send", "keys": "echo first<Enter>", "wait_for_regex": "^first\n.*[$#]$"}),
    )
    .await;
    let shown = screen(
        &session,
        json!({"action": "send", "keys": "<C-p><C-w>second<Enter>", "wait_for_regex": "^second\n.*[$#]$"}),
    )
    .await;
    assert!(shown.contains("echo second"), "{shown}");
    let answer = tungsten(&session, json!({"action": "send", "keys": "<C-d>", "wait_end": true})).await;
    assert!(answer.text.contains("the program ended with exit code 0"), "{}", answer.text);
}

#[tokio::test]
async fn what_is_wrong_is_said_before_anything_runs() {
    let session = session();
    for (input, expected) in [
        (json!({"action": "read"}), "no terminal is open"),
        (json!({"action": "send"}), "nothing to type"),
        (json!({"action": "send", "keys": "<Entre>"}), "no terminal is open"),
        (json!({"action": "open", "cols": 5}), "`cols` must be 20 to 300"),
        (json!({"action": "open", "keys": "x"}), "`keys` means nothing to `open`"),
        (json!({"action": "read", "wait_for": "x", "wait_idle": 5}), "give one of"),
        (json!({"action": "read", "wait_for_regex": "("}), "is no pattern"),
        (json!({"action": "read", "wait_for": "  "}), "is blank"),
        (json!({"action": "open", "session": "a/b"}), "is no name"),
        (json!({"action": "open", "command": "a\0b"}), "NUL"),
        (json!({"action": "resize"}), "needs `cols` or `rows`"),
        (json!({"action": "launch"}), "unknown variant"),
    ] {
        let answer = tungsten(&session, input.clone()).await;
        assert!(answer.is_error && answer.text.contains(expected), "{input}: {}", answer.text);
    }
    open_shell(&session).await;
    let answer = tungsten(&session, json!({"action": "send", "keys": "<Entre>"})).await;
    assert!(answer.is_error && answer.text.contains("`<Entre>` is no key"), "{}", answer.text);
    let answer = tungsten(&session, json!({"action": "open", "session": "main"})).await;
    assert!(answer.is_error && answer.text.contains("there is a terminal `main` already"), "{}", answer.text);
}

#[tokio::test]
async fn a_pager_takes_the_screen_and_gives_it_back() {
    if !has("less") {
        return;
    }
    let session = session();
    let lines: String = (1..=500).map(|line| format!("line {line}\n")).collect();
    session.write("long.txt", lines);
    open_shell(&session).await;
    let answer =
        tungsten(&session, json!({"action": "send", "keys": "less long.txt<Enter>", "wait_for": "line 23"}))
            .await;
    assert_eq!(answer.data["view"]["full_screen"], json!(true), "{}", answer.text);
    let shown =
        screen(&session, json!({"action": "send", "keys": "<PageDown>", "wait_for": "line 46"})).await;
    assert!(shown.starts_with("line 24\n"), "{shown}");
    let shown = screen(&session, json!({"action": "send", "keys": "G", "wait_for": "line 500"})).await;
    assert!(shown.starts_with("line 478\n"), "{shown}");
    screen(&session, json!({"action": "send", "keys": "<Up>", "wait_for": "line 477"})).await;
    let answer =
        tungsten(&session, json!({"action": "send", "keys": "q", "wait_for": "less long.txt"})).await;
    assert_eq!(answer.data["view"]["full_screen"], json!(false));
    assert!(!answer.text.contains("line 500"), "{}", answer.text);
}

#[tokio::test]
async fn curses_draw_frames_and_are_told_the_new_size() {
    if !has("python3") {
        return;
    }
    let session = session();
    session.write(
        "draw.py",
        r"
import curses
def main(w):
    while True:
        h, c = w.getmaxyx()
        w.erase()
        w.border()
        w.addstr(2, 3, f'{c}x{h} äöü 日本')
        w.refresh()
        if w.getch() == ord('q'):
            break
curses.wrapper(main)
",
    );
    let shown = screen(
        &session,
        json!({"action": "open", "command": "python3 draw.py", "cols": 30, "rows": 6, "wait_for_regex": "30x6(.*\n)+└─{28}┘"}),
    )
    .await;
    assert_eq!(
        shown,
        "┌────────────────────────────┐\n│                            │\n│  30x6 äöü 日本             │\n│                            │\n│                            │\n└────────────────────────────┘"
    );
    let shown = screen(
        &session,
        json!({"action": "resize", "cols": 40, "rows": 8, "wait_for_regex": "40x8(.*\n)+└─{38}┘"}),
    )
    .await;
    assert_eq!(shown.lines().count(), 8, "{shown}");
    let answer = super::tungsten(&session, json!({"action": "send", "keys": "q", "wait_end": true})).await;
    assert!(answer.text.contains("exit code 0"), "{}", answer.text);
}

#[tokio::test]
async fn an_editor_saves_what_was_typed() {
    if !has("vim") {
        return;
    }
    let session = session();
    screen(&session, json!({"action": "open", "command": "vim -u NONE -N note.txt", "wait_for": "note.txt"}))
        .await;
    screen(
        &session,
        json!({"action": "send", "keys": "ihello <lt>b> there<Esc>:wq<Enter>", "wait_end": true}),
    )
    .await;
    assert_eq!(session.bytes("note.txt"), b"hello <b> there\n");
}

#[tokio::test]
async fn a_flood_is_drained_and_the_last_screen_is_kept() {
    let session = session();
    let command = "yes 0123456789012345678901234567890123456789 | head -c 20000000; echo; echo the end";
    let answer =
        tungsten(&session, json!({"action": "open", "command": command, "wait_end": true, "timeout": 50000}))
            .await;
    assert!(!answer.is_error && answer.text.contains("\nthe end"), "{}", answer.text);
    assert!(
        answer.text.contains("more lines went off the top since the last look; `scrollback: 1000` shows"),
        "{}",
        answer.text
    );
    assert!(answer.text.contains("of them are lost]"), "{}", answer.text);
    let answer = tungsten(&session, json!({"action": "read", "scrollback": 1000})).await;
    assert_eq!(answer.data["view"]["scrollback"].as_str().unwrap().lines().count(), 1000);
    assert!(!answer.text.contains("since the last look"), "{}", answer.text);
}

#[tokio::test]
async fn garbage_leaves_the_terminal_in_order() {
    let session = session();
    let command = "head -c 300000 /dev/urandom; printf '\\0\\033c\\033[2J\\033[Hclean \\303'; sleep 0.1; printf '\\244\\n'; cat";
    screen(&session, json!({"action": "open", "command": command, "wait_for": "clean ä", "timeout": 30000}))
        .await;
    let shown =
        screen(&session, json!({"action": "send", "keys": "still here<Enter>", "wait_for": "still here"}))
            .await;
    assert!(shown.contains("still here"), "{shown}");
}

#[tokio::test]
async fn a_program_that_reads_nothing_does_not_hold_a_call() {
    let session = session();
    screen(
        &session,
        json!({"action": "open", "command": "stty raw -echo; echo ready; sleep 1000", "wait_for": "ready"}),
    )
    .await;
    let text = "x".repeat(60_000);
    let mut refused = None;
    for _ in 0..100 {
        let answer = tungsten(&session, json!({"action": "send", "text": text, "wait_idle": 0})).await;
        if answer.is_error {
            refused = Some(answer.text);
            break;
        }
    }
    assert!(refused.is_some_and(|text| text.contains("does not read")));
    let answer = tungsten(&session, json!({"action": "close"})).await;
    assert!(!answer.is_error && answer.text.contains("closed, and the program with it"), "{}", answer.text);
}

#[tokio::test]
async fn a_wait_that_is_not_met_says_so() {
    let session = session();
    open_shell(&session).await;
    let answer = tungsten(&session, json!({"action": "read", "wait_for": "never", "timeout": 50})).await;
    assert!(!answer.is_error && answer.text.contains("what was waited for did not come"), "{}", answer.text);
    let answer =
        tungsten(&session, json!({"action": "send", "keys": "exit<Enter>", "wait_for": "never"})).await;
    assert!(answer.text.contains("the program ended before what was waited for came"), "{}", answer.text);
}

#[tokio::test]
async fn a_program_in_a_terminal_has_the_cleaned_environment() {
    let session = session().env("PS4", "x").env("TMUX", "outer").env("SECRET_OF_TEST", "kept");
    let command = "echo \"[$TERM|$TMUX|$PS4|$SECRET_OF_TEST|$(tty | cut -c1-9)|$CLAUDECODE]\"; stty size";
    let shown = screen(
        &session,
        json!({"action": "open", "command": command, "rows": 10, "cols": 90, "wait_end": true}),
    )
    .await;
    assert_eq!(shown, "[xterm-256color||+ |kept|/dev/pts/|1]\n10 90");
}
