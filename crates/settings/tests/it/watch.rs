//! Watching the files: every way in which editors write is seen.

use std::fs;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use pegboard_settings::{LiveSettings, Settings, WatchOptions, Watcher};
use pegboard_tool_core::RuleEffect;

use crate::world::{World, texts};

/// Far more than anything here takes.
const LONG: Duration = Duration::from_secs(60);

fn watch(world: &World, options: WatchOptions) -> (Watcher, Receiver<Settings>) {
    let settings = world.load();
    let (send, received) = channel();
    let live = LiveSettings::new(world.request.clone(), &settings);
    let watcher = Watcher::start(live, options, move |settings| drop(send.send(settings))).unwrap();
    (watcher, received)
}

/// By the notices of the system alone.
fn noticing() -> WatchOptions {
    let mut options = WatchOptions::default();
    options.quiet = Duration::from_millis(10);
    options.look = LONG;
    options
}

fn until(received: &Receiver<Settings>, deny: &[&str]) {
    loop {
        let settings = received.recv_timeout(LONG).unwrap();
        if texts(&settings, RuleEffect::Deny) == deny {
            return;
        }
    }
}

fn deny(rule: &str) -> String {
    format!(r#"{{"permissions": {{"deny": ["{rule}"]}}}}"#)
}

#[test]
fn edits_replacements_removals_and_new_folders_are_seen() {
    let world = World::new();
    world.user(&deny("U"));
    let (watcher, received) = watch(&world, noticing());
    // In place.
    world.user(&deny("U2"));
    until(&received, &["U2"]);
    // As a new file that takes the name.
    let file = world.request.locations.user_file.clone().unwrap();
    let new = file.with_extension("new");
    fs::write(&new, deny("U3")).unwrap();
    fs::rename(&new, &file).unwrap();
    until(&received, &["U3"]);
    // Moved away first, then written anew.
    fs::rename(&file, file.with_extension("old")).unwrap();
    world.user(&deny("U4"));
    until(&received, &["U4"]);
    // In a folder that was not there.
    world.project(&deny("P"));
    until(&received, &["U4", "P"]);
    world.project(&deny("P2"));
    until(&received, &["U4", "P2"]);
    // A drop-in of the policy.
    world.file("etc/pegboard/managed-settings.d/a.json", &deny("M"));
    until(&received, &["U4", "P2", "M"]);
    fs::remove_file(&file).unwrap();
    until(&received, &["P2", "M"]);
    drop(watcher);
    assert!(received.recv().is_err(), "nobody watches any more");
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_is_watched() {
    let world = World::new();
    world.file("dotfiles/pegboard.json", &deny("A"));
    fs::create_dir_all(world.path("w/.pegboard")).unwrap();
    std::os::unix::fs::symlink(world.path("dotfiles/pegboard.json"), world.path("w/.pegboard/settings.json"))
        .unwrap();
    let (_watcher, received) = watch(&world, noticing());
    world.file("dotfiles/pegboard.json", &deny("Other"));
    until(&received, &["Other"]);
}

#[test]
fn without_notices_looking_finds_it() {
    let world = World::new();
    let mut options = WatchOptions::default();
    options.quiet = Duration::from_millis(1);
    options.look = Duration::from_millis(1);
    let (_watcher, received) = watch(&world, options);
    world.user(&deny("AB"));
    until(&received, &["AB"]);
}

#[test]
fn other_files_of_the_project_wake_nobody() {
    let world = World::new();
    let (watcher, received) = watch(&world, noticing());
    for number in 0..50 {
        world.file(&format!("w/{number}.txt"), "x");
    }
    world.user(&deny("U"));
    until(&received, &["U"]);
    drop(watcher);
    assert!(received.try_iter().count() <= 1, "woken by files that are no settings");
}

#[test]
fn accepting_a_folder_counts_at_once() {
    let world = World::new();
    world.project(r#"{"permissions": {"allow": ["A"], "deny": ["D"]}}"#);
    let (_watcher, received) = watch(&world, noticing());
    let settings = world.load();
    world.store().accept(&settings.trust).unwrap();
    loop {
        let settings = received.recv_timeout(LONG).unwrap();
        if texts(&settings, RuleEffect::Allow) == ["A"] {
            return;
        }
    }
}
