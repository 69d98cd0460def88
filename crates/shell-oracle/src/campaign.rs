//! Runs many lines and counts.

use crate::contained::{Missing, is_untold, missing};
use crate::environment::{World, start};
use crate::generate::{Profile, line};
use crate::ran::{Ending, Ran};
use crate::random::Random;
use crate::shell::{Oracle, OracleError, Shell};
use crate::shrink::shrunk;
use pegboard_tool_core::ports::{CommandAnalyzer, CommandReport};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Which lines are run, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Campaign {
    /// How many lines.
    pub count: u64,
    /// What decides about them.
    pub seed: u64,
    /// Of which kind.
    pub profile: Profile,
    /// Worlds, taken in turn.
    pub worlds: Vec<World>,
    /// Shells at once.
    pub jobs: usize,
    /// How long a line may take.
    pub limit: Duration,
    /// Whether a line of which the report says that it cannot tell is run all the same. It cannot be unsound.
    pub runs_untold: bool,
    /// It stops after so many unsound lines.
    pub most_unsound: usize,
}

/// A line that did what its report does not have.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unsound {
    /// Its number in the run.
    pub index: u64,
    /// As generated.
    pub line: String,
    /// As small as it still fails.
    pub small: String,
    /// In which world.
    pub world: World,
    /// What the report does not have, for the small line.
    pub missing: Missing,
    /// What it has instead, for the small line.
    pub foreseen: Vec<String>,
}

/// What a run showed.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Figures {
    /// Lines that were run.
    pub lines: u64,
    /// Lines of which the report says opaque.
    pub opaque: u64,
    /// Lines with a program that cannot be told, none of them opaque.
    pub unknown: u64,
    /// Lines that were ended at the limit.
    pub timed_out: u64,
    /// Programs that were started.
    pub execs: u64,
    /// Lines that changed files.
    pub changing: u64,
    /// Reasons for opaque with how many lines have them first.
    pub reasons: BTreeMap<String, u64>,
    /// For each reason, and for an unknown program, the first line.
    pub examples: BTreeMap<String, String>,
    /// Time of the analyzer, summed over the shells.
    pub analysis: Duration,
    /// The slowest analysis with its line.
    pub slowest: (Duration, String),
    /// Time from the first line to the last.
    pub took: Duration,
    /// The lines that were not contained.
    pub unsound: Vec<Unsound>,
}

impl Campaign {
    /// `count` lines of `profile` from `seed`, in every world, one shell.
    #[must_use]
    pub fn new(count: u64, seed: u64, profile: Profile) -> Self {
        Self {
            count,
            seed,
            profile,
            worlds: World::ALL.to_vec(),
            jobs: 1,
            limit: Duration::from_secs(2),
            runs_untold: true,
            most_unsound: 40,
        }
    }

    /// The line with number `index` and the world in which it runs.
    #[must_use]
    pub fn line(&self, index: u64) -> (String, World) {
        let turn =
            usize::try_from(index).unwrap_or_default().checked_rem(self.worlds.len()).unwrap_or_default();
        let world = self.worlds.get(turn).copied().unwrap_or(World::Plain);
        (line(&mut Random::new(self.seed, index), self.profile), world)
    }

    /// Runs the lines against `analyzer`.
    ///
    /// # Errors
    ///
    /// When no private root can be made, or one ended by itself.
    pub fn run(&self, oracle: &Oracle, analyzer: &dyn CommandAnalyzer) -> Result<Figures, OracleError> {
        let began = Instant::now();
        let next = AtomicU64::new(0);
        let all = Mutex::new(Figures::default());
        let outcome: Result<Vec<()>, OracleError> = std::thread::scope(|scope| {
            let jobs: Vec<_> = (0..self.jobs.max(1))
                .map(|_| scope.spawn(|| self.job(oracle, analyzer, &next, &all)))
                .collect();
            let ended = |job: std::thread::ScopedJoinHandle<'_, Result<(), OracleError>>| {
                job.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            jobs.into_iter().map(ended).collect()
        });
        outcome?;
        let mut figures = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        figures.took = began.elapsed();
        figures.unsound.sort_by_key(|unsound| unsound.index);
        Ok(figures)
    }

    fn job(
        &self,
        oracle: &Oracle,
        analyzer: &dyn CommandAnalyzer,
        next: &AtomicU64,
        all: &Mutex<Figures>,
    ) -> Result<(), OracleError> {
        let mut shell = oracle.shell()?;
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= self.count {
                return Ok(());
            }
            let (line, world) = self.line(index);
            let began = Instant::now();
            let report = analyzer.analyze(&line, &start(world));
            let analysis = began.elapsed();
            let ran = match self.runs_untold || !is_untold(&report) {
                true => shell.run(&line, world, self.limit)?,
                false => Ran::new(Ending::Over, Vec::new(), Vec::new()),
            };
            let wrong = missing(&report, &ran).is_some();
            let unsound = if wrong { self.unsound(&mut shell, analyzer, index, &line, world)? } else { None };
            let mut figures = all.lock().unwrap_or_else(PoisonError::into_inner);
            figures.add(&line, &report, &ran, analysis);
            figures.unsound.extend(unsound);
            if figures.unsound.len() >= self.most_unsound {
                return Ok(());
            }
        }
    }

    /// The small form of a line that failed; `None` when it does not fail again.
    fn unsound(
        &self,
        shell: &mut Shell,
        analyzer: &dyn CommandAnalyzer,
        index: u64,
        line: &str,
        world: World,
    ) -> Result<Option<Unsound>, OracleError> {
        let mut broken = None;
        let mut look = |line: &str| {
            let report = analyzer.analyze(line, &start(world));
            if is_untold(&report) || broken.is_some() {
                return None;
            }
            match shell.run(line, world, self.limit) {
                Ok(ran) => missing(&report, &ran).map(|missing| (missing, report)),
                Err(error) => {
                    broken = Some(error);
                    None
                }
            }
        };
        let small =
            if look(line).is_some() { shrunk(line, |line| look(line).is_some()) } else { line.to_owned() };
        let found = look(&small);
        if let Some(error) = broken {
            return Err(error);
        }
        Ok(found.map(|(missing, report)| {
            let foreseen =
                report.commands.iter().map(|command| format!("{:?} exact={}", command.argv, command.exact));
            Unsound { index, line: line.to_owned(), small, world, missing, foreseen: foreseen.collect() }
        }))
    }
}

impl Figures {
    fn add(&mut self, line: &str, report: &CommandReport, ran: &Ran, analysis: Duration) {
        self.lines += 1;
        self.execs += u64::try_from(ran.execs.len()).unwrap_or_default();
        self.timed_out += u64::from(ran.ending == Ending::TimedOut);
        self.changing += u64::from(!ran.changes.is_empty());
        self.analysis += analysis;
        if analysis > self.slowest.0 {
            self.slowest = (analysis, line.to_owned());
        }
        let reason = if let Some(part) = report.opaque.first() {
            self.opaque += 1;
            part.reason.clone()
        } else if is_untold(report) {
            self.unknown += 1;
            "(a program that cannot be told)".to_owned()
        } else {
            return;
        };
        *self.reasons.entry(reason.clone()).or_default() += 1;
        self.examples.entry(reason).or_insert_with(|| line.to_owned());
    }

    /// Share of lines that are opaque or have a program that cannot be told, in percent.
    #[must_use]
    pub fn untold_percent(&self) -> u64 {
        (self.opaque + self.unknown) * 100 / self.lines.max(1)
    }
}
