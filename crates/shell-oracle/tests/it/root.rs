//! The private root itself: what a line does there is seen, and nothing else happens.

use crate::naive::{Blind, Naive};
use pegboard_shell_oracle::{
    Campaign, Change, Ending, Missing, Oracle, OracleError, Profile, Ran, Shell, World,
};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

/// Long enough for a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);

/// The oracle; `None`, with a message that is not captured, where the machine forbids it.
pub(crate) fn oracle() -> Option<Oracle> {
    let own = Path::new(env!("CARGO_BIN_EXE_pegboard-shell-oracle"));
    let stub = Path::new(env!("CARGO_BIN_EXE_pegboard-shell-stub"));
    let built = Oracle::build(&std::env::temp_dir(), own, stub);
    let tried = built.and_then(|oracle| oracle.shell().map(|_| oracle));
    match tried {
        Ok(oracle) => Some(oracle),
        Err(error @ OracleError::Unavailable { .. }) => {
            let _ = writeln!(std::io::stderr(), "SKIPPED: {error}");
            None
        }
        Err(error) => panic!("{error}: {:?}", std::error::Error::source(&error)),
    }
}

fn run(shell: &mut Shell, line: &str) -> Ran {
    shell.run(line, World::Plain, LIMIT).expect("the shell lives")
}

fn words(ran: &Ran) -> Vec<String> {
    ran.execs.iter().map(|exec| exec.argv.join(" ")).collect()
}

#[test]
fn what_a_line_starts_and_changes_is_seen() {
    let Some(oracle) = oracle() else { return };
    let mut shell = oracle.shell().expect("it did start");
    let ran = run(
        &mut shell,
        "x=rm; $x 'a b' \"$(curl u)\"; env -i nice /bin/cp q | xargs ls < b; echo x > sub/out",
    );
    let mut seen = words(&ran);
    seen.sort();
    let expected = [
        "/bin/cp q",
        "curl u",
        "env -i nice /bin/cp q",
        "ls one two three",
        "nice /bin/cp q",
        "rm a b rm from-output",
        "xargs ls",
    ];
    assert_eq!(seen, expected);
    assert_eq!(ran.changes, [Change::Written("/work/p/sub/out".into())]);
    // The next line finds everything as it was.
    assert_eq!(run(&mut shell, "[ -e sub/out ] && rm found").execs, []);
    // A forged first word is seen through.
    let ran = run(&mut shell, "exec -a ls rm x");
    assert_eq!((ran.execs[0].program.as_str(), ran.execs[0].argv[0].as_str()), ("rm", "ls"));
}

#[test]
fn what_goes_on_in_the_background_is_waited_for_and_what_goes_on_for_ever_is_ended() {
    let Some(oracle) = oracle() else { return };
    let mut shell = oracle.shell().expect("it did start");
    let ran = run(
        &mut shell,
        "(read -t 0.2 x < <(read -t 1 y < /dev/stderr); rm late) & disown; setsid -f rm later",
    );
    let mut seen = words(&ran);
    seen.sort();
    assert_eq!(seen, ["rm late", "rm later", "setsid -f rm later"]);
    assert_eq!(ran.ending, Ending::Over);
    let endless = "trap '' TERM; rm first; setsid bash -c 'while :; do :; done' & while :; do :; done";
    let ran = shell.run(endless, World::Plain, Duration::from_millis(300)).expect("the shell lives");
    assert_eq!(ran.ending, Ending::TimedOut);
    assert!(words(&ran).contains(&"rm first".to_owned()));
    assert_eq!(words(&run(&mut shell, "rm next")), ["rm next"]);
}

#[test]
fn hostile_variables_are_cleaned_and_a_snapshot_is_read() {
    let Some(oracle) = oracle() else { return };
    let mut shell = oracle.shell().expect("it did start");
    let line = "ls; cd sub; cat a; for i in x-y; do echo $i; done; set -x; [ -o posix ] && rm posix";
    let ran = shell.run(line, World::Hostile, LIMIT).expect("the shell lives");
    assert_eq!(words(&ran), ["ls", "cat a"]);
    let ran = shell.run("ls x; ll y\necho z; wget q", World::Snapshot, LIMIT).expect("the shell lives");
    assert_eq!(words(&ran), ["rm from-snapshot x", "rm from-alias y", "rm from-snapshot z", "wget q"]);
}

#[test]
fn an_analyzer_that_is_wrong_is_caught_and_one_that_says_nothing_is_not() {
    let Some(oracle) = oracle() else { return };
    let mut campaign = Campaign::new(60, 1, Profile::Hostile);
    campaign.most_unsound = 3;
    let figures = campaign.run(&oracle, &Naive).expect("it runs");
    assert!(figures.unsound.len() >= 3, "{figures:?}");
    for unsound in &figures.unsound {
        assert!(unsound.small.len() <= unsound.line.len());
        assert!(matches!(unsound.missing, Missing::Program(_) | Missing::File(_)));
    }
    let figures = campaign.run(&oracle, &Blind).expect("it runs");
    assert_eq!((figures.lines, figures.opaque, figures.unsound.len()), (60, 60, 0));
    assert!(figures.execs > 60, "the lines start {} programs", figures.execs);
}
