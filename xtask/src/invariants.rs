//! The table of invariants in `ARCHITECTURE.md` names tests; this holds that they exist.

use std::{fs, path::Path};

use anyhow::Context as _;

use crate::workspace::Workspace;

/// Every `folder::test` in backticks in the table of invariants.
fn named(text: &str) -> Vec<(&str, &str)> {
    let table = text.split_once("\n## Invariants\n").map_or("", |(_, table)| table);
    table
        .lines()
        .filter(|line| line.starts_with('|'))
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter_map(|word| word.split_once("::"))
        .collect()
}

/// Whether a source file under `folder` has a test of this name: a function right below a line that ends a test
/// attribute, or one in a `proptest!` block.
fn has_test(folder: &Path, test: &str) -> anyhow::Result<bool> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        let found = if path.is_dir() {
            has_test(&path, test)?
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            declares(&fs::read_to_string(&path)?, test)
        } else {
            false
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

fn declares(source: &str, test: &str) -> bool {
    let mut under_attribute = false;
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            under_attribute = true;
        } else if !line.starts_with("#[") && !line.starts_with("//") {
            let name = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
            if under_attribute
                && name.and_then(|rest| rest.strip_prefix(test)).is_some_and(|r| r.starts_with('('))
            {
                return true;
            }
            under_attribute = false;
        }
    }
    false
}

#[test]
fn every_test_named_in_the_architecture_exists() -> anyhow::Result<()> {
    let root = Workspace::load()?.workspace_root;
    let text = fs::read_to_string(root.join("ARCHITECTURE.md"))?;
    let named = named(&text);
    assert!(!named.is_empty(), "ARCHITECTURE.md: the table of invariants names no test");
    let mut missing = Vec::new();
    for (folder, test) in named {
        let place = if folder == "xtask" { root.join("xtask") } else { root.join("crates").join(folder) };
        if !has_test(&place, test)? {
            missing.push(format!(
                "ARCHITECTURE.md names `{folder}::{test}`, which is no test; correct the name"
            ));
        }
    }
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
    Ok(())
}

#[test]
fn only_functions_with_a_test_attribute_count() {
    let source = "#[test]\nfn one() {}\nfn two() {}\n#[tokio::test(start_paused = true)]\n/// Says.\nasync fn three() {}";
    assert!(declares(source, "one") && declares(source, "three"));
    assert!(!declares(source, "two") && !declares(source, "on") && !declares(source, "thre"));
}
