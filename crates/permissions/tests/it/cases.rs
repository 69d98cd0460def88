//! All recorded cases: what the gate must say, made from failures of other systems. A case that needs the
//! full reading of shell programs is listed in `permissions_today.jsonl` with the verdict of today, which
//! is never more permissive than the right one.

use crate::world::World;
use pegboard_tool_core::ports::Verdict;
use pegboard_tool_core::{RuleEffect, SettingSource};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::Command;

const CASES: &str = include_str!("../data/permissions.jsonl");
const TODAY: &str = include_str!("../data/permissions_today.jsonl");

#[derive(Debug, Deserialize)]
struct Case {
    id: String,
    settings: Lists,
    settings_by_source: Option<BTreeMap<String, Lists>>,
    mode: String,
    tool: String,
    input: Value,
    expect: Verdict,
    #[serde(default)]
    also: Vec<Verdict>,
    #[serde(default)]
    setup: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Lists {
    allow: Vec<String>,
    ask: Vec<String>,
    deny: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Today {
    id: String,
    today: Verdict,
    why: String,
}

#[test]
fn every_recorded_case_holds() {
    let today: HashMap<String, Today> = TODAY
        .lines()
        .map(|line| serde_json::from_str::<Today>(line).unwrap())
        .map(|case| (case.id.clone(), case))
        .collect();
    let mut wrong = Vec::new();
    let (mut held, mut count) = (0, 0);
    for line in CASES.lines() {
        count += 1;
        let (case, verdict, reason) = run(line);
        let is_right = verdict == case.expect || case.also.contains(&verdict);
        match today.get(&case.id) {
            None if is_right => held += 1,
            Some(listed)
                if listed.today == verdict
                    && verdict > case.expect
                    && !is_right
                    && !listed.why.is_empty() => {}
            listed => {
                let state = if listed.is_some() { "listed" } else { "not listed" };
                wrong.push(format!(
                    "{} {state}: {verdict:?} ({reason}), expected {:?} {:?}: {}",
                    case.id, case.expect, case.also, case.input
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!((count, held), (310, 310 - today.len()), "cases, and those that hold");
}

fn run(line: &str) -> (Case, Verdict, String) {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let text = top.to_str().unwrap();
    let moved = line.replace("/private/work", "/PRIVATE").replace("/home/dev", &format!("{text}/home/dev"));
    let moved =
        moved.replace("/work/", &format!("{text}/work/")).replace("/work is", &format!("{text}/work is"));
    let case: Case = serde_json::from_str(&moved).unwrap();
    let mut world = World::new();
    world.root = top.join("work/proj");
    world.home = top.join("home/dev");
    std::fs::create_dir_all(&world.home).unwrap();
    if case.setup.iter().any(|line| line.starts_with("(root)")) {
        std::fs::create_dir_all(top.join("private/work/proj")).unwrap();
        link(&top.join("private/work"), &top.join("work"));
    } else {
        std::fs::create_dir_all(&world.root).unwrap();
    }
    for line in case.setup.iter().filter(|line| !line.starts_with("(root)") && !line.starts_with("earlier "))
    {
        let status = Command::new("sh").arg("-c").arg(line).current_dir(&world.root).status().unwrap();
        assert!(status.success(), "{}: {line}", case.id);
    }
    world.mode = case.mode.parse().unwrap();
    match &case.settings_by_source {
        None => world = add(world, &case.settings, SettingSource::Project),
        Some(sources) => {
            for (source, lists) in sources {
                world = add(world, lists, source.parse().unwrap());
            }
        }
    }
    let decision = world.decide(&case.tool, &case.input);
    (case, decision.verdict, decision.reason.into_owned())
}

fn add(mut world: World, lists: &Lists, source: SettingSource) -> World {
    for (effect, rules) in
        [(RuleEffect::Allow, &lists.allow), (RuleEffect::Ask, &lists.ask), (RuleEffect::Deny, &lists.deny)]
    {
        for rule in rules {
            world = world.rule(effect, rule, source);
        }
    }
    world
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) {
    std::os::unix::fs::symlink(to, at).unwrap();
}

#[cfg(windows)]
fn link(to: &Path, at: &Path) {
    std::os::windows::fs::symlink_dir(to, at).unwrap();
}
