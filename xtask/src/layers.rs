//! The layer test: who may depend on whom, and who may be heavy. Change a table together with `ARCHITECTURE.md`.

use std::{collections::BTreeSet, fs};

use anyhow::Context as _;

use crate::workspace::{Package, Workspace};

/// A crate and the crates of this project that it may name, through any feature. A row only names rows above it.
const LAYERS: &[(&str, &[&str])] = &[
    // core
    ("tool-core", &[]),
    // beneath: how children are started and ended
    ("process", &[]),
    // engines: know nothing of each other
    ("registry", &["tool-core"]),
    ("dispatch", &["tool-core"]),
    ("permissions", &["tool-core"]),
    ("hooks", &["tool-core", "process"]),
    ("scheduler", &["tool-core"]),
    ("session", &["tool-core"]),
    ("guard", &["tool-core"]),
    // leaves: heavy dependencies end here
    ("settings", &["tool-core"]),
    ("schema", &["tool-core"]),
    ("shell-analysis", &["tool-core"]),
    ("tools-std", &["tool-core", "process"]),
    ("wire", &["tool-core"]),
    // facade: the only one that sees all
    (
        "pegboard",
        &[
            "tool-core",
            "process",
            "registry",
            "dispatch",
            "permissions",
            "hooks",
            "scheduler",
            "session",
            "settings",
            "schema",
            "shell-analysis",
            "tools-std",
            "wire",
            "guard",
        ],
    ),
    // binary: sees the others through the facade
    ("cli", &["pegboard"]),
    // beside them, a dev-dependency of whoever wants it
    ("test-support", &["tool-core"]),
    // beside them, a program: asks real bash whether the shell analysis is right
    ("shell-oracle", &["tool-core", "shell-analysis"]),
];

/// What tests may name beyond that. `test-support` is open to everybody, the facade's tests to all layers below it.
const TESTS_MAY_USE: &str = "test-support";

/// Tests of a crate that also name another one: what they prove is a promise of both together.
const TESTS_ALSO_USE: &[(&str, &str)] = &[
    // A rule on commands is as good as the reading of the line.
    ("permissions", "shell-analysis"),
    // So is an ignore file on command lines.
    ("tools-std", "shell-analysis"),
];

/// A heavy crate and the only crates whose default features may reach it. The facade and the command wire the
/// standard layers in by default, so what those cannot do without is allowed there too.
const HEAVY: &[(&str, &[&str])] = &[
    // A JSON Schema engine.
    ("jsonschema", &["schema", "pegboard", "cli"]),
    // A JSON parser that keeps positions and comments.
    ("jsonc-parser", &["settings", "pegboard", "cli"]),
    // ripgrep's crates.
    ("grep-searcher", &["tools-std", "pegboard", "cli"]),
    ("grep-regex", &["tools-std", "pegboard", "cli"]),
    ("ignore", &["tools-std", "pegboard", "cli"]),
    // Patterns.
    ("globset", &["permissions", "tools-std", "pegboard", "cli"]),
    ("regex", &["permissions", "hooks", "schema", "tools-std", "pegboard", "cli"]),
    ("fancy-regex", &["permissions", "hooks", "schema", "pegboard", "cli"]),
    // Child processes.
    ("process-wrap", &["process", "hooks", "tools-std", "pegboard", "cli"]),
    // Watching files.
    ("notify", &["cli"]),
    // A terminal.
    ("clap", &["cli"]),
    ("indicatif", &["cli"]),
    // For programs, not for libraries.
    ("anyhow", &["cli"]),
    // Not in this workspace yet; whoever brings one names the crate in which it ends.
    ("brush-parser", &["shell-analysis", "shell-oracle", "pegboard", "cli"]),
    // Pictures, documents, terminals, language servers, pages.
    ("image", &["cli"]),
    ("lopdf", &["cli"]),
    ("portable-pty", &["cli"]),
    ("vt100", &["cli"]),
    ("ab_glyph", &["cli"]),
    ("epaint_default_fonts", &["cli"]),
    ("tokio-tungstenite", &["cli"]),
    ("html5ever", &["cli"]),
    ("notify", &[]),
    ("rmcp", &[]),
    // A network client, and what builds C code for one.
    ("hyper", &["cli"]),
    ("reqwest", &["cli"]),
    ("rustls", &["cli"]),
    ("openssl-sys", &[]),
    ("aws-lc-sys", &[]),
    // Only tests and benches; brush-parser names this one as an ordinary dependency.
    ("insta", &["shell-analysis", "shell-oracle", "pegboard", "cli"]),
    ("proptest", &[]),
    ("divan", &[]),
];

fn row(folder: &str) -> anyhow::Result<&'static [&'static str]> {
    let found = LAYERS.iter().find(|(name, _)| *name == folder);
    let (_, allowed) = found
        .with_context(|| format!("`crates/{folder}` has no row in LAYERS (xtask/src/layers.rs); add one"))?;
    Ok(allowed)
}

/// Crates of this project among the dependencies of `package`, by folder, with the kind of each.
fn internal<'a>(workspace: &'a Workspace, package: &'a Package) -> impl Iterator<Item = (&'a str, bool)> {
    package.dependencies.iter().filter_map(|dependency| {
        let other = workspace.packages.iter().find(|other| other.name == dependency.name)?;
        Some((other.folder().unwrap_or("xtask"), dependency.kind.as_deref() == Some("dev")))
    })
}

#[test]
fn dependencies_point_down_the_map() -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    let mut wrong = Vec::new();
    for package in workspace.crates() {
        let folder = package.folder().unwrap_or_default();
        let allowed = row(folder)?;
        for (other, is_dev) in internal(&workspace, package) {
            let for_tests = is_dev
                && (other == TESTS_MAY_USE
                    || folder == "pegboard"
                    || TESTS_ALSO_USE.contains(&(folder, other)));
            if !allowed.contains(&other) && !for_tests {
                let kind = if is_dev { "tests of `" } else { "`" };
                wrong.push(format!(
                    "{kind}{folder}` must not depend on `{other}`; talk through a port of tool-core, or wire them in `pegboard`"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn a_row_names_only_rows_above_it() {
    let mut above = BTreeSet::new();
    for (folder, allowed) in LAYERS {
        for other in *allowed {
            assert!(
                above.contains(other),
                "LAYERS: `{folder}` names `{other}`, which is not above it; reorder the rows"
            );
        }
        assert!(above.insert(folder), "LAYERS: `{folder}` has two rows; merge them");
    }
}

#[test]
fn nothing_heavy_by_default() -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    let mut wrong = Vec::new();
    for package in workspace.crates() {
        let folder = package.folder().unwrap_or_default();
        for reached in package.reaches("")? {
            let heavy = HEAVY.iter().find(|(name, _)| *name == reached.name);
            if heavy.is_some_and(|(_, allowed)| !allowed.contains(&folder)) {
                wrong.push(format!(
                    "`{folder}` reaches `{}` by default; put it behind a feature",
                    reached.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn every_folder_has_a_row_and_every_row_a_folder() -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    let mut folders = BTreeSet::new();
    for entry in fs::read_dir(workspace.workspace_root.join("crates"))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.insert(entry.file_name().to_string_lossy().into_owned());
        }
    }
    for folder in &folders {
        row(folder)?;
    }
    for (folder, _) in LAYERS {
        assert!(
            folders.contains(*folder),
            "LAYERS has a row `{folder}`, but `crates/{folder}` is gone; remove it"
        );
    }
    Ok(())
}
