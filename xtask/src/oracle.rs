//! The shell analysis against real bash: a program of its own, so that xtask stays light.

use crate::{cmd::Cmd, report::Outcome};

/// The package of that program.
pub(crate) const PACKAGE: &str = "pegboard-shell-oracle";

/// Runs generated lines; `rest` goes to the program.
pub(crate) fn fuzz(rest: &[String]) -> anyhow::Result<bool> {
    // `cargo run` would build one of the two programs only.
    let build = Cmd::cargo("build --quiet --release --bins -p").args([PACKAGE]);
    let run = Cmd::cargo("run --quiet --release -p").args([PACKAGE, "--"]).args(rest.iter().cloned());
    Ok(build.run()? && run.run()?)
}

/// Whether this machine lets bash be asked.
pub(crate) fn probe() -> anyhow::Result<Outcome> {
    if !Cmd::cargo("build --quiet --bins -p").args([PACKAGE]).run()? {
        return Ok(Outcome::Failed);
    }
    let probe = Cmd::cargo("run --quiet -p").args([PACKAGE, "--", "--probe"]);
    Ok(if probe.works() {
        Outcome::Passed
    } else {
        Outcome::Skipped(
            "no private root on this machine: the shell analysis was not compared with real bash",
        )
    })
}
