//! `pegboard guard`: one hook event of another agent on stdin, one answer. The exit code is 0 or 2, whatever happens: hosts
//! take every other one for consent. So everything runs on a thread of its own, whose panic, and whose taking too long, is a
//! deny.

use crate::args::{Cli, Command, CompatWith};
use crate::guard_judge::{Rules, judge};
use crate::guard_signals::Signals;
use clap::{Args, Parser, Subcommand};
use pegboard::guard::{
    Answer, AnswerAllow, AnswerAsk, Event, Gate, Host, MAX_EVENT_BYTES, Options, Platform, advice, answer,
    fault_answer, read, snippet,
};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;
use tokio::sync::oneshot;

/// Answer after this time, and refuse: a host that gives up waiting lets the call run.
const TIME_LIMIT: Duration = Duration::from_secs(20);
/// Stack for deciding. Depth of events and settings is limited; this is room to spare.
const STACK_BYTES: usize = 64 * 1024 * 1024;
/// Most bytes of an event too long that are still taken from the host, which may else fail while it writes.
const MOST_DRAINED_BYTES: u64 = 1024 * 1024 * 1024;

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct GuardArgs {
    #[command(subcommand)]
    action: Option<GuardAction>,
    #[command(flatten)]
    options: GuardOptions,
}

#[derive(Debug, Subcommand)]
enum GuardAction {
    /// Print the settings that make an agent ask pegboard before each call
    Install {
        /// Which agent: claude, gemini or codex
        #[arg(long)]
        agent: Host,
        #[command(flatten)]
        answers: AnswerArgs,
    },
}

#[derive(Args, Debug)]
struct AnswerArgs {
    /// `deny`: refuse what would be asked, for where nobody answers; a rule: put calls that match to a person
    #[arg(long, value_name = "deny|RULE")]
    ask: Vec<String>,
    /// Also answer that a call may run; else the agent's own prompt stands
    #[arg(long)]
    answer_allow: bool,
}

#[derive(Args, Debug)]
struct GuardOptions {
    /// Which agent sends the events: claude, gemini or codex; an event of another one is refused
    #[arg(long)]
    agent: Option<Host>,
    #[command(flatten)]
    answers: AnswerArgs,
    /// More settings, a file or JSON text
    #[arg(long, value_name = "FILE|JSON")]
    settings: Vec<OsString>,
    /// Which settings files are read: a list of user, project, local; empty for none
    #[arg(long, value_name = "LIST")]
    setting_sources: Option<String>,
    /// One more working directory
    #[arg(long, value_name = "DIR")]
    add_dir: Vec<PathBuf>,
    /// Let calls run that match a rule, as far as `--answer-allow` says so
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// Refuse calls that match a rule
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,
    /// Also read the `.claude` files
    #[arg(long, value_name = "AGENT")]
    compat: Option<CompatWith>,
    /// Skip settings files that cannot be read, instead of refusing every call
    #[arg(long)]
    lenient_settings: bool,
}

/// What the command prints and how it ends.
#[derive(Debug, Eq, PartialEq)]
struct Said {
    stdout: String,
    stderr: String,
    code: u8,
    /// Whether a host reads stdout, so that it has to arrive.
    is_answer: bool,
}

impl Said {
    fn fault(words: &str, agent: Option<Host>) -> Self {
        fault_answer(words, agent.map(|host| (host, Gate::PreToolUse)), Platform::here()).into()
    }
}

impl From<Answer> for Said {
    fn from(answer: Answer) -> Self {
        Self { stdout: answer.stdout, stderr: answer.stderr, code: answer.exit.code(), is_answer: true }
    }
}

/// Whether the command line is for `guard`.
pub(crate) fn is_meant(mut args: impl Iterator<Item = OsString>) -> bool {
    args.nth(1).is_some_and(|first| first == "guard")
}

/// Runs `pegboard guard`.
pub(crate) fn main() -> ExitCode {
    // What a panic prints would be read as our answer.
    std::panic::set_hook(Box::new(|_| {}));
    let agent = named_agent(std::env::args_os());
    let said = supervised(TIME_LIMIT, agent, || start(std::env::args_os(), &mut io::stdin().lock()));
    say(said)
}

/// Runs `job` and gives what it says; what it cannot say in time, or at all, is a deny. A signal is one too, and after a
/// verdict signals change nothing any more.
fn supervised(limit: Duration, agent: Option<Host>, job: impl FnOnce() -> Said + Send + 'static) -> Said {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return Said::fault("the runtime did not start; the call is refused", agent);
    };
    runtime.block_on(watched(limit, agent, job))
}

async fn watched(limit: Duration, agent: Option<Host>, job: impl FnOnce() -> Said + Send + 'static) -> Said {
    let mut signals = Signals::install();
    let (sender, verdict) = oneshot::channel();
    let worker = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        // Nobody listens any more when it took too long.
        let _ = sender.send(job());
    });
    if worker.is_err() {
        return Said::fault("no thread could be started; the call is refused", agent);
    }
    tokio::select! {
        biased;
        verdict = verdict => verdict.unwrap_or_else(|_| {
            Said::fault("pegboard failed while it judged the call (a bug); the call is refused", agent)
        }),
        () = signals.told_to_end() => {
            Said::fault("a signal told pegboard to end before there was a verdict; the call is refused", agent)
        }
        () = tokio::time::sleep(limit) => {
            let words = format!("no verdict after {} s; the call is refused", limit.as_secs());
            Said::fault(&words, agent)
        }
    }
}

/// The agent of the arguments, before they are checked.
fn named_agent(args: impl Iterator<Item = OsString>) -> Option<Host> {
    let args: Vec<String> = args.filter_map(|arg| arg.into_string().ok()).collect();
    let after = args.iter().skip_while(|arg| *arg != "--agent").nth(1);
    let joined = args.iter().find_map(|arg| arg.strip_prefix("--agent="));
    after.map(String::as_str).or(joined)?.parse().ok()
}

fn start(args: impl Iterator<Item = OsString>, stdin: &mut dyn Read) -> Said {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            return Said::fault(&crate::first_words(&error.to_string()), None);
        }
        Err(help) => {
            return Said { stdout: help.to_string(), stderr: String::new(), code: 0, is_answer: false };
        }
    };
    let Command::Guard(args) = cli.command else { return Said::fault("`guard` was meant", None) };
    match args.action {
        Some(GuardAction::Install { agent, answers }) => install(agent, &answers),
        None => guard(&args.options, stdin),
    }
}

fn install(agent: Host, answers: &AnswerArgs) -> Said {
    let program = match std::env::current_exe().map(|path| path.into_os_string().into_string()) {
        Ok(Ok(program)) => program,
        Ok(Err(_)) => {
            return Said::fault("the path of this program is no text; move it to another folder", None);
        }
        Err(error) => return Said::fault(&format!("the path of this program cannot be told: {error}"), None),
    };
    let mut options = Vec::new();
    for ask in &answers.ask {
        if let Err(words) = Asked::of(ask) {
            return Said::fault(&words, None);
        }
        options.extend(["--ask", ask]);
    }
    if answers.answer_allow {
        options.push("--answer-allow");
    }
    let lines: Vec<String> = advice(agent).iter().map(|line| format!("pegboard: {line}")).collect();
    let stdout = snippet(agent, &program, &options, Platform::here());
    Said { stdout, stderr: lines.join("\n"), code: 0, is_answer: false }
}

/// A value of `--ask`.
enum Asked<'a> {
    /// Asks become denies.
    Deny,
    /// An ask rule.
    Rule(&'a str),
}

impl<'a> Asked<'a> {
    /// Tells the two apart. A misspelt `deny` must not become a rule that never matches.
    fn of(value: &'a str) -> Result<Self, String> {
        let starts_rule =
            |text: &str| text.contains('(') || text.starts_with(|c: char| c.is_ascii_uppercase());
        match value {
            "deny" => Ok(Self::Deny),
            rule if starts_rule(rule) || rule.starts_with("mcp__") => Ok(Self::Rule(rule)),
            other => Err(format!("`--ask {other}` is neither `deny` nor a rule such as 'Bash(git push *)'")),
        }
    }
}

fn guard(args: &GuardOptions, stdin: &mut dyn Read) -> Said {
    let mut options = Options::default();
    let mut rules = Rules {
        settings: &args.settings,
        setting_sources: args.setting_sources.as_deref(),
        add_dir: &args.add_dir,
        allow: &args.allow,
        ask: Vec::new(),
        deny: &args.deny,
        reads_claude: args.compat == Some(CompatWith::Claude),
        is_lenient: args.lenient_settings,
    };
    for value in &args.answers.ask {
        match Asked::of(value) {
            Ok(Asked::Deny) => options.ask = AnswerAsk::Deny,
            Ok(Asked::Rule(rule)) => rules.ask.push(rule.to_owned()),
            Err(words) => return Said::fault(&words, args.agent),
        }
    }
    if args.answers.answer_allow {
        options.allow = AnswerAllow::Yes;
    }
    let event = match taken(stdin) {
        Ok(event) => event,
        Err(error) => {
            let words = format!("standard input cannot be read ({error}); the call is refused");
            return Said::fault(&words, args.agent);
        }
    };
    let request = match read(&event, args.agent) {
        Ok(Event::NoGate) => return Answer::nothing().into(),
        Ok(Event::Gate(request)) => request,
        Err(fault) => return fault.kind.answer(fault.asked, options.platform).into(),
    };
    match judge(&request, &rules) {
        Ok(decisions) => answer(&request, &decisions, &options).into(),
        Err(fault) => fault_answer(&fault.text, Some((request.host, request.gate)), options.platform).into(),
    }
}

/// The whole of standard input. Of an event that is too long the first part, which is then refused for its length.
fn taken(stdin: &mut dyn Read) -> io::Result<Vec<u8>> {
    let most = u64::try_from(MAX_EVENT_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let mut event = Vec::new();
    stdin.take(most).read_to_end(&mut event)?;
    if event.len() > MAX_EVENT_BYTES {
        io::copy(&mut stdin.take(MOST_DRAINED_BYTES), &mut io::sink())?;
    }
    Ok(event)
}

/// Prints. An answer that does not arrive is a deny.
fn say(mut said: Said) -> ExitCode {
    if !said.stdout.is_empty() {
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(said.stdout.as_bytes()).and_then(|()| stdout.flush());
        let is_lost = written.is_err() || said.is_answer && leads_nowhere();
        if is_lost && said.code == 0 {
            said = Said::fault("the answer cannot be written to stdout; the call is refused", None);
        }
    }
    if !said.stderr.is_empty() {
        // Nobody is left to tell when stderr is gone.
        let _ = writeln!(io::stderr(), "{}", said.stderr);
    }
    ExitCode::from(said.code)
}

/// Whether stdout is the null device, as it is when the host closed it.
#[cfg(unix)]
fn leads_nowhere() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let stdout = io::stdout().as_fd().try_clone_to_owned().map(std::fs::File::from);
    match (stdout.and_then(|file| file.metadata()), std::fs::metadata("/dev/null")) {
        (Ok(stdout), Ok(null)) => stdout.rdev() == null.rdev() && stdout.ino() == null.ino(),
        (Err(_), _) => true,
        (Ok(_), Err(_)) => false,
    }
}

#[cfg(not(unix))]
fn leads_nowhere() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_deny() {
        let said = supervised(TIME_LIMIT, None, || panic!("a bug"));
        assert_eq!((said.code, said.stdout.as_str()), (2, ""));
        assert!(said.stderr.starts_with("pegboard: pegboard failed"), "{}", said.stderr);
    }

    #[test]
    fn no_verdict_in_time_is_a_deny() {
        let (_keep, never) = std::sync::mpsc::channel::<Said>();
        let said = supervised(Duration::ZERO, None, move || never.recv().unwrap());
        assert_eq!((said.code, said.stdout.as_str()), (2, ""));
        assert!(said.stderr.starts_with("pegboard: no verdict"), "{}", said.stderr);
    }

    #[test]
    fn input_that_cannot_be_read_is_a_deny() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("gone"))
            }
        }
        let said = start(["pegboard", "guard"].map(OsString::from).into_iter(), &mut Broken);
        assert_eq!((said.code, said.stdout.as_str()), (2, ""));
        assert!(said.stderr.contains("gone"), "{}", said.stderr);
    }

    #[test]
    fn a_misspelt_deny_is_no_rule() {
        assert!(matches!(Asked::of("deny"), Ok(Asked::Deny)));
        for rule in ["Bash", "Bash(git push *)", "mcp__fs__delete", "tool(a:b)"] {
            assert!(matches!(Asked::of(rule), Ok(Asked::Rule(_))), "{rule}");
        }
        for other in ["dney", "", "Deny ".trim_start_matches('D'), "allow"] {
            assert!(Asked::of(other).is_err(), "{other}");
        }
    }

    #[test]
    fn the_agent_is_known_before_the_arguments_are_checked() {
        let of = |args: &[&str]| named_agent(args.iter().map(OsString::from));
        assert_eq!(of(&["pegboard", "guard", "--agent", "codex", "--x"]), Some(Host::Codex));
        assert_eq!(of(&["pegboard", "guard", "--agent=gemini"]), Some(Host::Gemini));
        assert_eq!(of(&["pegboard", "guard", "--agent"]), None);
    }
}
