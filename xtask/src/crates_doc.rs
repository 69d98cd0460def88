//! `docs/crates.md`: what each crate is for, what it stands on, and what it costs to depend on it.

use std::fmt::Write as _;

use crate::workspace::{Package, Workspace};

const HEADER: &str = "\
<!-- Written by `cargo xtask codegen`. Do not edit. -->

# The crates

Each can be used alone. *Stands on* names the crates of this project that it depends on, through any feature. The
last two columns count the packages that it pulls in (itself excluded, Linux, development dependencies aside): with
its default features, and with none.

| folder | package | what it does | stands on | crates | without default features |
|---|---|---|---|---:|---:|
";

/// The text of the reference.
pub(crate) fn generate(workspace: &Workspace) -> anyhow::Result<String> {
    let mut text = HEADER.to_owned();
    for package in workspace.crates() {
        writeln!(
            text,
            "| `crates/{}` | `{}` | {} | {} | {} | {} |",
            package.folder().unwrap_or_default(),
            package.name,
            package.description.as_deref().unwrap_or_default().replace('|', "\\|"),
            stands_on(workspace, package),
            package.reaches("")?.len(),
            package.reaches("--no-default-features")?.len(),
        )?;
    }
    Ok(text)
}

fn stands_on(workspace: &Workspace, package: &Package) -> String {
    let names = |dependency: &&str| {
        package.dependencies.iter().any(|d| d.name == **dependency && d.kind.as_deref() != Some("dev"))
    };
    let mut folders: Vec<_> =
        workspace.crates().filter(|other| names(&other.name.as_str())).filter_map(Package::folder).collect();
    folders.sort_unstable();
    if folders.is_empty() { "-".to_owned() } else { folders.join(", ") }
}
