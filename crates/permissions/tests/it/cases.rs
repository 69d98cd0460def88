//! All recorded cases: what the gate must say, made from failures of other systems.

use crate::world::World;
use pegboard_tool_core::ports::{AccessPolicy, Verdict};
use pegboard_tool_core::{AccessMode, RuleEffect, SettingSource};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const CASES: &str = include_str!("../data/permissions.jsonl");

#[derive(Debug, Deserialize)]
struct Case {
    id: String,
    settings: Lists,
    settings_by_source: Option<BTreeMap<String, Lists>>,
    kind: String,
    mode: String,
    tool: String,
    input: Value,
    expect: Verdict,
    #[serde(default)]
    also: Vec<Verdict>,
    #[serde(default)]
    setup: Vec<String>,
    #[serde(default)]
    additional_dirs: Vec<PathBuf>,
    filtered: Option<String>,
    redirect_to: Option<String>,
    redirect_expect: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Lists {
    allow: Vec<String>,
    ask: Vec<String>,
    deny: Vec<String>,
}

#[test]
fn every_recorded_case_holds() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for line in CASES.lines() {
        count += 1;
        let found = run(line);
        let Found { case, verdict, reason, .. } = &found;
        let is_right = verdict == &case.expect || case.also.contains(verdict);
        let prompts = case.kind == "false-prompt" && *verdict != Verdict::Allow;
        if !is_right || prompts {
            wrong.push(format!(
                "{}: {verdict:?} ({reason}), expected {:?} {:?}: {}",
                case.id, case.expect, case.also, case.input
            ));
        }
        wrong.extend(found.beside().into_iter().map(|text| format!("{}: {text}", case.id)));
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, 310);
}

/// A case that was decided, and where.
struct Found {
    case: Case,
    world: World,
    verdict: Verdict,
    reason: String,
    _folder: tempfile::TempDir,
}

impl Found {
    /// What is wrong with what the case says beside the verdict.
    fn beside(&self) -> Vec<String> {
        let (engine, _) = self.world.engine();
        let ctx = self.world.context();
        let path = |name: &str| engine.path(&self.world.root.join(name), AccessMode::Read, &ctx);
        let mut wrong = Vec::new();
        let mut expect = |what: &str, found: Verdict, expected: Verdict| {
            if found != expected {
                wrong.push(format!("{what}: {found:?}, expected {expected:?}"));
            }
        };
        match self.case.filtered.as_deref() {
            None => {}
            Some("only a.txt may be reported") => {
                expect("app.config", path("app.config"), Verdict::Deny);
                expect("a.txt", path("a.txt"), Verdict::Allow);
            }
            Some("no hit in .env.local") => expect(".env.local", path(".env.local"), Verdict::Deny),
            Some("src/a.txt only") => {
                expect("src/secret.txt", path("src/secret.txt"), Verdict::Deny);
                expect("src/a.txt", path("src/a.txt"), Verdict::Allow);
            }
            Some(other) => wrong.push(format!("nobody looks whether `{other}`")),
        }
        if let (Some(to), Some(expected)) = (&self.case.redirect_to, &self.case.redirect_expect) {
            let host = to.split('/').nth(2).unwrap();
            let is_followed = engine.host(host, &ctx) == Verdict::Allow;
            if is_followed != (expected == "followed") {
                wrong.push(format!("{host} is followed: {is_followed}"));
            }
        }
        wrong
    }
}

fn run(line: &str) -> Found {
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
    world.directories.clone_from(&case.additional_dirs);
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
    let reason = decision.reason.into_owned();
    Found { case, world, verdict: decision.verdict, reason, _folder: folder }
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
