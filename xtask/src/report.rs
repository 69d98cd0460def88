//! What happened to each step, in order, with its time: the summary at the end of `cargo xtask test`.

use std::{
    fmt,
    time::{Duration, Instant},
};

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All its commands succeeded.
    Passed,
    /// One of its commands did not.
    Failed,
    /// It did not run; the text says why.
    Skipped(&'static str),
}

/// The steps so far.
#[derive(Debug, Default)]
pub(crate) struct Report {
    steps: Vec<(&'static str, Outcome, Duration)>,
}

impl Report {
    /// Runs a step, unless an earlier one failed: then it is only noted.
    pub(crate) fn step(
        &mut self,
        name: &'static str,
        step: impl FnOnce() -> anyhow::Result<Outcome>,
    ) -> anyhow::Result<()> {
        if !self.passed() {
            self.steps.push((name, Outcome::Skipped("an earlier step failed"), Duration::ZERO));
            return Ok(());
        }
        println!("\n== {name}");
        let start = Instant::now();
        let outcome = step()?;
        if let Outcome::Skipped(reason) = outcome {
            println!("SKIPPED: {reason}");
        }
        self.steps.push((name, outcome, start.elapsed()));
        Ok(())
    }

    /// Whether no step failed so far.
    pub(crate) fn passed(&self) -> bool {
        self.steps.iter().all(|(_, outcome, _)| *outcome != Outcome::Failed)
    }

    /// Prints the summary and says whether everything passed.
    pub(crate) fn finish(&self) -> bool {
        println!("\n{self}");
        self.passed()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut total = Duration::ZERO;
        for (name, outcome, time) in &self.steps {
            total += *time;
            let seconds = time.as_secs_f64();
            match outcome {
                Outcome::Passed => writeln!(f, "ok       {name:<10} {seconds:>7.1} s")?,
                Outcome::Failed => writeln!(f, "FAILED   {name:<10} {seconds:>7.1} s")?,
                Outcome::Skipped(reason) => writeln!(f, "SKIPPED  {name:<10}           {reason}")?,
            }
        }
        let verdict = if self.passed() { "passed" } else { "FAILED" };
        write!(f, "{verdict} in {:.1} s", total.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_stops_the_rest() -> anyhow::Result<()> {
        let mut report = Report::default();
        report.step("first", || Ok(Outcome::Passed))?;
        report.step("tool", || Ok(Outcome::Skipped("not installed")))?;
        assert!(report.passed());
        report.step("second", || Ok(Outcome::Failed))?;
        report.step("third", || anyhow::bail!("must not run"))?;
        assert!(!report.passed());
        let summary = report.to_string();
        let words: Vec<_> = summary.lines().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(words, ["ok", "SKIPPED", "FAILED", "SKIPPED", "FAILED"]);
        assert!(summary.contains("an earlier step failed"), "{summary}");
        Ok(())
    }
}
