//! The oracle as a program: `pegboard-shell-oracle --count N --seed S`. `cargo xtask fuzz-shell` calls it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it talks to the person at the terminal")]

use pegboard_shell_analysis::ShellAnalyzer;
use pegboard_shell_oracle::{
    Campaign, Figures, Oracle, OracleError, Profile, World, is_untold, kept_lines, missing, start,
};
use pegboard_tool_core::ports::CommandAnalyzer as _;
use std::process::ExitCode;
use std::time::Duration;

const HELP: &str = "\
pegboard-shell-oracle [--count N] [--seed S] [--profile ordinary|hostile|soup]... [--world plain|hostile|snapshot]...
                      [--jobs N] [--limit-ms N] [--most N] [--reasons] [--only-told]
pegboard-shell-oracle --print [--count N] [--seed S] [--profile P]   only print the lines
pegboard-shell-oracle --line LINE [--world W]                        run one line and show everything
pegboard-shell-oracle --kept FILE [--world W]                        run the lines of a file, one JSON string a line
pegboard-shell-oracle --probe                                        whether this machine allows it

Without --profile all are run. --only-told runs no line of which the report says that it cannot tell. Exit codes: 0 all contained, 1 an unsound line, 2 wrong arguments or a fault,
3 this machine forbids private roots.";

/// What is asked for.
#[derive(Debug)]
struct Asked {
    count: u64,
    seed: u64,
    profiles: Vec<Profile>,
    worlds: Vec<World>,
    jobs: usize,
    limit: Duration,
    most: usize,
    reasons: bool,
    only_told: bool,
    mode: Mode,
}

#[derive(Debug)]
enum Mode {
    Run,
    Print,
    Line(String),
    Kept(String),
    Probe,
    Runner,
    Help,
}

fn main() -> ExitCode {
    let asked = match asked(std::env::args().skip(1)) {
        Ok(asked) => asked,
        Err(wrong) => {
            eprintln!("pegboard-shell-oracle: {wrong}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match run(&asked) {
        Ok(code) => code,
        Err(error @ OracleError::Unavailable { .. }) => {
            println!("SKIPPED: {error}");
            ExitCode::from(3)
        }
        Err(error) => {
            let cause =
                std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
            eprintln!("pegboard-shell-oracle: {error}{cause}");
            ExitCode::from(2)
        }
    }
}

fn asked(mut args: impl Iterator<Item = String>) -> Result<Asked, String> {
    let mut asked = Asked {
        count: 1000,
        seed: 1,
        profiles: Vec::new(),
        worlds: Vec::new(),
        jobs: 2,
        limit: Duration::from_secs(2),
        most: 40,
        reasons: false,
        only_told: false,
        mode: Mode::Run,
    };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"));
        match arg.as_str() {
            "--count" => asked.count = number(value()?)?,
            "--seed" => asked.seed = number(value()?)?,
            "--jobs" => asked.jobs = usize::try_from(number(value()?)?).map_err(|error| error.to_string())?,
            "--most" => asked.most = usize::try_from(number(value()?)?).map_err(|error| error.to_string())?,
            "--limit-ms" => asked.limit = Duration::from_millis(number(value()?)?),
            "--profile" => asked.profiles.push(match value()?.as_str() {
                "ordinary" => Profile::Ordinary,
                "hostile" => Profile::Hostile,
                "soup" => Profile::Soup,
                other => return Err(format!("there is no profile `{other}`")),
            }),
            "--world" => asked.worlds.push(match value()?.as_str() {
                "plain" => World::Plain,
                "hostile" => World::Hostile,
                "snapshot" => World::Snapshot,
                other => return Err(format!("there is no world `{other}`")),
            }),
            "--line" => asked.mode = Mode::Line(value()?),
            "--kept" => asked.mode = Mode::Kept(value()?),
            "--only-told" => asked.only_told = true,
            "--reasons" => asked.reasons = true,
            "--print" => asked.mode = Mode::Print,
            "--probe" => asked.mode = Mode::Probe,
            "--runner" => asked.mode = Mode::Runner,
            "--help" | "-h" => asked.mode = Mode::Help,
            other => return Err(format!("`{other}` is not known")),
        }
    }
    if asked.profiles.is_empty() {
        asked.profiles = vec![Profile::Ordinary, Profile::Hostile, Profile::Soup];
    }
    if asked.worlds.is_empty() {
        asked.worlds = World::ALL.to_vec();
    }
    Ok(asked)
}

fn campaign(asked: &Asked, profile: Profile) -> Campaign {
    let mut campaign = Campaign::new(asked.count, asked.seed, profile);
    campaign.worlds.clone_from(&asked.worlds);
    campaign.jobs = asked.jobs;
    campaign.limit = asked.limit;
    campaign.most_unsound = asked.most;
    campaign.runs_untold = !asked.only_told;
    campaign
}

fn oracle() -> Result<Oracle, OracleError> {
    let own = std::env::current_exe()?;
    let stub = own.with_file_name("pegboard-shell-stub");
    if !stub.is_file() {
        let text = format!("{} is missing; `cargo build -p pegboard-shell-oracle` makes it", stub.display());
        return Err(std::io::Error::new(std::io::ErrorKind::NotFound, text).into());
    }
    Oracle::build(&std::env::temp_dir(), &own, &stub)
}

#[cfg(target_os = "linux")]
fn runner() -> Result<(), OracleError> {
    Ok(pegboard_shell_oracle::serve(std::io::stdin().lock(), std::io::stdout().lock())?)
}

#[cfg(not(target_os = "linux"))]
fn runner() -> Result<(), OracleError> {
    Ok(())
}

fn run(asked: &Asked) -> Result<ExitCode, OracleError> {
    match &asked.mode {
        Mode::Help => println!("{HELP}"),
        Mode::Runner => runner()?,
        Mode::Probe => {
            let _shell = oracle()?.shell()?;
            println!("real bash can be asked on this machine");
        }
        Mode::Print => {
            for profile in &asked.profiles {
                let campaign = campaign(asked, *profile);
                for index in 0..asked.count {
                    println!("{}", campaign.line(index).0.replace('\n', "\n    "));
                }
            }
        }
        Mode::Line(line) => {
            let mut shell = oracle()?.shell()?;
            for world in &asked.worlds {
                let report = ShellAnalyzer::new().analyze(line, &start(*world));
                let ran = shell.run(line, *world, asked.limit)?;
                println!("{world:?}\n{report:#?}\n{ran:#?}\nmissing: {:?}", missing(&report, &ran));
            }
        }
        Mode::Kept(file) => return kept(asked, file),
        Mode::Run => {
            let oracle = oracle()?;
            let mut sound = true;
            for profile in &asked.profiles {
                let figures = campaign(asked, *profile).run(&oracle, &ShellAnalyzer::new())?;
                sound &= figures.unsound.is_empty();
                print(*profile, asked, &figures);
            }
            return Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn kept(asked: &Asked, file: &str) -> Result<ExitCode, OracleError> {
    let text = std::fs::read_to_string(file)?;
    let kept =
        kept_lines(&text).map_err(|wrong| std::io::Error::new(std::io::ErrorKind::InvalidData, wrong))?;
    let mut shell = oracle()?.shell()?;
    let (mut untold, mut unsound) = (0, 0);
    for kept in &kept {
        for world in kept.worlds.iter().filter(|world| asked.worlds.contains(world)) {
            let report = ShellAnalyzer::new().analyze(&kept.line, &start(*world));
            let ran = shell.run(&kept.line, *world, asked.limit)?;
            untold += u32::from(is_untold(&report));
            if let Some(missing) = missing(&report, &ran) {
                unsound += 1;
                println!("{world:?} {:?}: {missing}", kept.line);
            }
        }
    }
    println!("{} lines: {untold} times untold, {unsound} times unsound", kept.len());
    Ok(if unsound == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(profile: Profile, asked: &Asked, figures: &Figures) {
    let lines = figures.lines.max(1);
    let each =
        |time: Duration| time.as_secs_f64() * 1e3 / f64::from(u32::try_from(lines).unwrap_or(u32::MAX));
    println!("{profile:?}, seed {}, worlds {:?}", asked.seed, asked.worlds);
    println!(
        "  {} lines in {:.1} s: {:.2} ms a line with {} shells, {:.3} ms of it analysis (slowest {:.1} ms)",
        figures.lines,
        figures.took.as_secs_f64(),
        each(figures.took),
        asked.jobs,
        each(figures.analysis),
        figures.slowest.0.as_secs_f64() * 1e3,
    );
    println!(
        "  {} programs started, {} lines changed files, {} ended at the limit",
        figures.execs, figures.changing, figures.timed_out
    );
    println!(
        "  opaque {}, a program unknown {}: {} % cannot be told",
        figures.opaque,
        figures.unknown,
        figures.untold_percent()
    );
    if asked.reasons {
        let mut reasons: Vec<_> = figures.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (reason, count) in reasons {
            let example = figures.examples.get(reason).map(String::as_str).unwrap_or_default();
            println!("  {count:6}  {reason}   e.g. {example:?}");
        }
        println!("  slowest to analyse: {:?}", figures.slowest.1);
    }
    println!("  unsound: {}", figures.unsound.len());
    for unsound in &figures.unsound {
        println!("\n  #{} in {:?}: {}", unsound.index, unsound.world, unsound.missing);
        println!("    line  {:?}", unsound.line);
        println!("    small {:?}", unsound.small);
        for foreseen in &unsound.foreseen {
            println!("    foreseen {foreseen}");
        }
    }
}
