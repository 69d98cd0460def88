//! The steps of `cargo xtask test`, in the order in which they fail fastest.

use anyhow::bail;

use crate::{
    cmd::Cmd,
    codegen::{self, Mode},
    oracle,
    report::{Outcome, Report},
    workspace::{Package, Workspace},
};

/// Which crates a step looks at.
#[derive(Debug)]
struct Scope<'a> {
    workspace: &'a Workspace,
    packages: Vec<&'a Package>,
    whole: bool,
}

/// Builds beside the tests: alone, programs would be built again with other features of the same libraries.
pub(crate) const WITH_TESTS: &str = "build --quiet --all-features --tests --bins";

type Step = fn(&Scope<'_>) -> anyhow::Result<Outcome>;

/// Every step with its name. Cheap ones first.
const STEPS: &[(&str, Step)] = &[
    ("fmt", fmt),
    ("layers", layers),
    ("clippy", clippy),
    ("test", tests),
    ("oracle", against_bash),
    ("doctest", doctests),
    ("docs", api_docs),
    ("alone", alone),
    ("generated", generated),
    ("examples", examples),
    ("deny", deny),
    ("typos", typos),
];

/// All steps, or one, for the crates named; all crates when none is.
pub(crate) fn test(workspace: &Workspace, names: &[String], only: Option<&str>) -> anyhow::Result<bool> {
    let scope = Scope { workspace, packages: workspace.select(names)?, whole: names.is_empty() };
    match only {
        None => run(&scope, STEPS.iter().map(|(name, _)| *name)),
        Some(name) => run(&scope, [name]),
    }
}

/// The steps that run no test but the layer test.
pub(crate) fn lint(workspace: &Workspace) -> anyhow::Result<bool> {
    run(&Scope::whole(workspace)?, ["fmt", "layers", "clippy", "docs"])
}

/// The API documentation.
pub(crate) fn docs(workspace: &Workspace) -> anyhow::Result<bool> {
    run(&Scope::whole(workspace)?, ["docs"])
}

/// All benches there are; `rest` goes to their programs.
pub(crate) fn bench(workspace: &Workspace, rest: &[String]) -> anyhow::Result<bool> {
    // Benches are named one by one: a plain `cargo bench` also starts the test harness of each library, which
    // refuses the arguments of the bench programs.
    let mut cmd = Cmd::cargo("bench");
    let mut found = 0;
    for package in &workspace.packages {
        for bench in package.targets("bench") {
            found += 1;
            cmd = cmd.args(["-p", &package.name, "--bench", &bench.name]);
        }
    }
    if found == 0 {
        println!("SKIPPED: no crate has a bench");
        return Ok(true);
    }
    if !rest.is_empty() {
        let rest = rest.strip_prefix(&["--".to_owned()]).unwrap_or(rest);
        cmd = cmd.args(["--"]).args(rest.iter().cloned());
    }
    cmd.run()
}

fn run<'a>(scope: &Scope<'_>, names: impl IntoIterator<Item = &'a str>) -> anyhow::Result<bool> {
    let mut report = Report::default();
    for name in names {
        let Some((name, step)) = STEPS.iter().find(|(known, _)| *known == name) else {
            let known: Vec<_> = STEPS.iter().map(|(name, _)| *name).collect();
            bail!("there is no step `{name}`; the steps are {}", known.join(", "));
        };
        report.step(name, || step(scope))?;
    }
    Ok(report.finish())
}

impl<'a> Scope<'a> {
    fn whole(workspace: &'a Workspace) -> anyhow::Result<Self> {
        Ok(Self { workspace, packages: workspace.select(&[])?, whole: true })
    }

    /// `--workspace`, or `-p NAME` for each.
    fn flags(&self) -> Vec<String> {
        self.flags_of(|_| true)
    }

    /// The same for those that `wanted` picks; nothing when it picks none of the crates named.
    fn flags_of(&self, wanted: impl Fn(&Package) -> bool) -> Vec<String> {
        if self.whole {
            return vec!["--workspace".to_owned()];
        }
        let picked = self.packages.iter().filter(|package| wanted(package));
        picked.flat_map(|package| ["-p".to_owned(), package.name.clone()]).collect()
    }
}

fn fmt(scope: &Scope<'_>) -> anyhow::Result<Outcome> {
    let which = if scope.whole { vec!["--all".to_owned()] } else { scope.flags() };
    outcome(&Cmd::cargo("fmt --check").args(which))
}

fn layers(scope: &Scope<'_>) -> anyhow::Result<Outcome> {
    if !scope.whole {
        return Ok(Outcome::Skipped("concerns the whole workspace"));
    }
    outcome(&Cmd::cargo("test --quiet -p xtask"))
}

fn clippy(scope: &Scope<'_>) -> anyhow::Result<Outcome> {
    let cmd = Cmd::cargo("clippy --all-targets --all-features").args(scope.flags());
    outcome(&cmd.args(["--", "-D", "warnings"]))
}

/// nextest when it is there; `cargo test` runs the same tests, only slower, so a missing nextest is no failure.
fn tests(scope: &Scope<'_>) -> anyhow::Result<Outcome> {
    if Cmd::cargo("nextest --version").works() {
        let cmd = Cmd::cargo("nextest run --all-features --no-tests pass --no-fail-fast").args(scope.flags());
        return outcome(&cmd);
    }
    println!("SKIPPED nextest: not installed; `cargo test` runs the same tests");
    outcome(&Cmd::cargo("test --all-features --lib --bins --tests").args(scope.flags()))
}

/// The tests of the oracle pass where the machine forbids private roots; here that is said.
fn against_bash(scope: &Scope<'_>) -> anyhow::Result<Outcome> {
    if !scope.packages.iter().any(|package| package.name == oracle::PACKAGE) {
        return Ok(Outcome::Skipped("concerns the oracle"));
    }
    oracle::probe()
}

fn doctests(scope: &Scope<'_>) -> anyhow::Result<Outcome> {
    let flags = scope.flags_of(|package| package.targets("lib").next().is_some());
    if flags.is_empty() {
        return Ok(Outcome::Skipped("none of these crates is a library"));
    }
    outcome(&Cmd::cargo("test --doc --all-features").args(flags))
}

fn api_docs(scope: &Scope<'_>) -> anyhow::Result<Outcome> {
    let cmd = Cmd::cargo("doc --no-deps --all-features").args(scope.flags());
    outcome(&cmd.env("RUSTDOCFLAGS", "-D warnings"))
}

/// Each crate by a cargo of its own: in one build, features that a sibling switched on would hide what is missing.
fn alone(scope: &Scope<'_>) -> anyhow::Result<Outcome> {
    for package in &scope.packages {
        let cmd = Cmd::cargo("check --quiet --no-default-features -p").args([package.name.as_str()]);
        if !cmd.run()? {
            return Ok(Outcome::Failed);
        }
    }
    Ok(Outcome::Passed)
}

fn generated(scope: &Scope<'_>) -> anyhow::Result<Outcome> {
    if !scope.whole {
        return Ok(Outcome::Skipped("concerns the whole workspace"));
    }
    Ok(if codegen::run(scope.workspace, Mode::Check, None)? { Outcome::Passed } else { Outcome::Failed })
}

/// Built with the tests' features, so that what the step `test` built is used; then each is run.
fn examples(scope: &Scope<'_>) -> anyhow::Result<Outcome> {
    let packages = scope.packages.iter();
    let names: Vec<&str> = packages
        .flat_map(|package| package.targets("example"))
        .map(|example| example.name.as_str())
        .collect();
    if names.is_empty() {
        return Ok(Outcome::Skipped("these crates have no examples"));
    }
    if !Cmd::cargo(WITH_TESTS).args(["--examples"]).args(scope.flags()).run()? {
        return Ok(Outcome::Failed);
    }
    for name in names {
        let program = scope.workspace.built(&format!("examples/{name}"));
        if !Cmd::new(program).dir(&scope.workspace.workspace_root).run()? {
            return Ok(Outcome::Failed);
        }
    }
    Ok(Outcome::Passed)
}

/// Advisories need a database from the network; everything else can be told from the lock file.
fn deny(scope: &Scope<'_>) -> anyhow::Result<Outcome> {
    if !scope.whole {
        return Ok(Outcome::Skipped("concerns the whole workspace"));
    }
    if !Cmd::cargo("deny --version").works() {
        return Ok(Outcome::Skipped("cargo-deny is not installed; `cargo install cargo-deny --locked`"));
    }
    outcome(&Cmd::cargo("deny --all-features check licenses bans sources"))
}

fn typos(scope: &Scope<'_>) -> anyhow::Result<Outcome> {
    if !scope.whole {
        return Ok(Outcome::Skipped("concerns the whole workspace"));
    }
    if !Cmd::new("typos").args(["--version"]).works() {
        return Ok(Outcome::Skipped("typos is not installed; `cargo install typos-cli --locked`"));
    }
    outcome(&Cmd::new("typos").dir(&scope.workspace.workspace_root))
}

fn outcome(cmd: &Cmd) -> anyhow::Result<Outcome> {
    Ok(if cmd.run()? { Outcome::Passed } else { Outcome::Failed })
}
