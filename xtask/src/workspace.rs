//! What cargo knows about the workspace: its packages, what they depend on, what they are built into.

use std::{collections::BTreeSet, path::PathBuf};

use anyhow::{Context as _, bail};
use serde::Deserialize;

use crate::cmd::Cmd;

/// All counts and trees are taken for this platform, so that they do not depend on the machine.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// The workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    /// Its packages, `xtask` among them, sorted by name.
    pub(crate) packages: Vec<Package>,
    /// Where the build goes.
    pub(crate) target_directory: PathBuf,
    /// Folder of the root manifest.
    pub(crate) workspace_root: PathBuf,
}

/// One package.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    /// Its name, such as `pegboard-hooks`.
    pub(crate) name: String,
    /// Its one job.
    pub(crate) description: Option<String>,
    /// Its manifest.
    pub(crate) manifest_path: PathBuf,
    /// Everything it names, through any feature and for any platform.
    pub(crate) dependencies: Vec<Dependency>,
    /// What it is built into.
    pub(crate) targets: Vec<Target>,
}

/// One line of a package's dependencies.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    /// Name of the package it is.
    pub(crate) name: String,
    /// `None` for an ordinary one, else `dev` or `build`.
    pub(crate) kind: Option<String>,
}

/// A library, program, example, bench or test.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    /// Its name.
    pub(crate) name: String,
    /// `lib`, `bin`, `example`, `bench`, `test`, ..
    pub(crate) kind: Vec<String>,
}

impl Workspace {
    /// Asks cargo. Does not resolve or download anything.
    pub(crate) fn load() -> anyhow::Result<Self> {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let text = Cmd::cargo("metadata --format-version 1 --no-deps").dir(&root).read()?;
        let mut workspace: Self = serde_json::from_str(&text).context("cargo metadata cannot be read")?;
        workspace.packages.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(workspace)
    }

    /// A program of the debug build, such as `pegboard` or `examples/NAME`.
    pub(crate) fn built(&self, name: &str) -> PathBuf {
        self.target_directory.join("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// The packages in `crates/`.
    pub(crate) fn crates(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.folder().is_some())
    }

    /// The packages that people named, by folder or by package name; all when they named none.
    pub(crate) fn select(&self, names: &[String]) -> anyhow::Result<Vec<&Package>> {
        if names.is_empty() {
            return Ok(self.packages.iter().collect());
        }
        let find = |name: &String| {
            let found = self.packages.iter().find(|p| p.name == *name || p.folder() == Some(name));
            found.with_context(|| format!("there is no crate `{name}`; `ls crates` lists them"))
        };
        names.iter().map(find).collect()
    }
}

impl Package {
    /// Folder in `crates/`, `None` for a package elsewhere.
    pub(crate) fn folder(&self) -> Option<&str> {
        let folder = self.manifest_path.parent()?;
        let parent = folder.parent()?.file_name()?;
        if parent == "crates" { folder.file_name()?.to_str() } else { None }
    }

    /// Its targets of one kind.
    pub(crate) fn targets<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Target> {
        self.targets.iter().filter(move |target| target.kind.iter().any(|k| k == kind))
    }

    /// Names of all packages that it pulls in, itself excluded, dev-dependencies aside. `features` are flags of
    /// `cargo tree`, such as `--no-default-features`. Two versions of one package count twice.
    pub(crate) fn reaches(&self, features: &str) -> anyhow::Result<BTreeSet<Reached>> {
        let tree = Cmd::cargo("tree --edges no-dev --prefix none --format {p} --target")
            .args([PLATFORM, "--package", self.name.as_str()])
            .args(features.split_whitespace())
            .read()?;
        let reached: BTreeSet<_> = tree.lines().filter_map(Reached::parse).collect();
        if !reached.iter().any(|reached| reached.name == self.name) {
            bail!("`cargo tree` does not list `{}` itself; its output changed:\n{tree}", self.name);
        }
        Ok(reached.into_iter().filter(|reached| reached.name != self.name).collect())
    }
}

/// A package in somebody's tree.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reached {
    /// Its name.
    pub(crate) name: String,
    /// Its version, as cargo prints it.
    pub(crate) version: String,
}

impl Reached {
    /// Reads a line such as `serde v1.0.229 (*)`.
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        Some(Self { name: words.next()?.to_owned(), version: words.next()?.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_found_by_folder_and_by_package() -> anyhow::Result<()> {
        let workspace = Workspace::load()?;
        let found = workspace.select(&["hooks".into(), "pegboard-cli".into(), "xtask".into()])?;
        let names: Vec<_> = found.iter().map(|package| package.name.as_str()).collect();
        assert_eq!(names, ["pegboard-hooks", "pegboard-cli", "xtask"]);
        assert!(workspace.select(&["nobody".into()]).is_err());
        assert!(workspace.crates().all(|package| package.name != "xtask"));
        Ok(())
    }
}
