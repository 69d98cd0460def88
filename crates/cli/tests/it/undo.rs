//! `pegboard undo` and sessions that go on after a crash.

use crate::world::{World, text};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

fn change(world: &World) {
    let (said, _) = world.turn(
        &["--allow", "Write", "--allow", "Edit", "--allow", "Bash"],
        &[
            ("t1", "Write", json!({"file_path": "new.txt", "content": "new\n"})),
            ("t2", "Bash", json!({"command": "rm old.txt; echo more > made.txt"})),
        ],
    );
    assert_eq!(said.code, 0, "{}", said.err);
}

#[test]
fn what_a_turn_changed_is_put_back() {
    let world = World::new();
    world.file("old.txt", "old\n");
    change(&world);
    assert!(!world.project().join("old.txt").exists());
    let listed = world.run(&["undo", "--list", "--format", "json"], "");
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!(listed[0]["files"].as_array().unwrap().len(), 3, "{listed}");
    let said = world.run(&["undo"], "");
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(said.out.lines().count(), 3, "{}", said.out);
    assert_eq!(world.read("old.txt"), "old\n");
    assert!(!world.project().join("new.txt").exists() && !world.project().join("made.txt").exists());
    let said = world.run(&["undo"], "");
    assert_eq!(said.code, 1, "{}", said.out);
    // An undo can be undone.
    let said = world.run(&["undo", "--turn", "2"], "");
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(world.read("new.txt"), "new\n");
}

#[test]
fn a_file_that_somebody_else_changed_is_not_overwritten() {
    let world = World::new();
    world.file("old.txt", "old\n");
    change(&world);
    world.file("new.txt", "mine\n");
    let said = world.run(&["undo"], "");
    assert_eq!(said.code, 1, "{}", said.out);
    assert!(said.err.contains("new.txt") && said.err.contains("--force"), "{}", said.err);
    assert_eq!(world.read("new.txt"), "mine\n");
    assert!(!world.project().join("old.txt").exists(), "nothing is put back when one file refuses");
    assert_eq!(world.run(&["undo", "--force"], "").code, 0);
    assert_eq!(world.read("old.txt"), "old\n");
}

#[test]
fn another_folder_and_an_unknown_session_have_nothing_to_undo() {
    let world = World::new();
    world.file("old.txt", "old\n");
    change(&world);
    fs::create_dir(world.project().join("sub")).unwrap();
    let said = world.run(&["undo", "--cwd", "sub"], "");
    assert_eq!(said.code, 1, "{}", said.out);
    let said = world.run(&["undo", "--session", "nothing"], "");
    assert_eq!(said.code, 2, "{}", said.out);
}

#[test]
fn a_turn_that_ran_is_not_run_again_in_its_session() {
    let world = World::new();
    let calls = [
        ("t1", "Bash", json!({"command": "echo x >> log; mkdir -p sub; cd sub"})),
        ("t2", "Bash", json!({"command": "pwd"})),
    ];
    let options = ["--session-dir", "session", "--allow", "Bash"];
    let (first, blocks) = world.turn(&options, &calls);
    let (second, again) = world.turn(&options, &calls);
    assert_eq!((first.code, &blocks), (second.code, &again), "{}", second.err);
    assert_eq!(world.read("log"), "x\n");
    // What the first call changed for those after it holds in the next process too.
    let more = [calls[0].clone(), calls[1].clone(), ("t3", "Bash", json!({"command": "pwd"}))];
    let (_, blocks) = world.turn(&options, &more);
    assert!(text(&blocks[2]).ends_with("/sub"), "{}", text(&blocks[2]));
    // An id stands for one call.
    let (said, blocks) = world.turn(&options, &[("t1", "Bash", json!({"command": "echo other"}))]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(text(&blocks[0]).contains("same id"), "{}", text(&blocks[0]));
}

#[test]
fn two_processes_do_not_share_a_session() {
    let world = World::new();
    let turn = json!([{"type": "tool_use", "id": "t1", "name": "Bash",
        "input": {"command": "echo on > ready; sleep 60"}}]);
    world.file("turn.json", turn.to_string());
    let mut child = world.start(&["run", "turn.json", "--session-dir", "s", "--allow", "Bash"]);
    world.wait_for("ready");
    let (said, _) = world.turn(&["--session-dir", "s"], &[("t2", "Read", json!({"file_path": "ready"}))]);
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("another process"), "{}", said.err);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Kills a process again and again while it runs a turn of writes, then lets it finish.
#[cfg(unix)]
#[test]
fn whenever_a_process_is_killed_each_call_has_one_result_and_no_file_is_half() {
    const KILLS: usize = 200;
    const CALLS: usize = 6;
    let body = |file: usize| format!("new {file}\n").repeat(2_000);
    let mut random = 12_345_u64;
    let (mut kills, mut outcomes, mut whole) = (0, BTreeMap::<&str, usize>::new(), None);
    while kills < KILLS {
        let world = World::new();
        let blocks: Vec<Value> = (0..CALLS)
            .map(|file| {
                let command = format!("echo ran >> log{file}");
                let write = json!({"file_path": format!("f{file}"), "content": body(file)});
                [
                    json!({"type": "tool_use", "id": format!("w{file}"), "name": "Write", "input": write}),
                    json!({"type": "tool_use", "id": format!("b{file}"), "name": "Bash", "input": {"command": command}}),
                ]
            })
            .flat_map(Vec::from)
            .collect();
        world.file("turn.json", Value::Array(blocks).to_string());
        let args = ["run", "turn.json", "--session-dir", "s", "--allow", "Bash", "--allow", "Write"];
        // How long a turn takes on this machine: kills fall anywhere in that time.
        let whole = *whole.get_or_insert_with(|| {
            let before = std::time::Instant::now();
            world.run(
                &["run", "turn.json", "--session-dir", "probe", "--allow", "Bash", "--allow", "Write"],
                "",
            );
            let took = before.elapsed();
            for file in 0..CALLS {
                let _ = fs::remove_file(world.project().join(format!("f{file}")));
                let _ = fs::remove_file(world.project().join(format!("log{file}")));
            }
            took
        });
        for _ in 0..4 {
            let mut child = world.start(&args);
            // A linear congruence: where the kill falls differs each time.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            std::thread::sleep(whole.mul_f64((random >> 40) as f64 / f64::from(1 << 24)));
            let _ = child.kill();
            child.wait().unwrap();
            kills += 1;
            for file in 0..CALLS {
                // It was not there before.
                let now = fs::read_to_string(world.project().join(format!("f{file}")));
                assert!(now.is_err() || now.is_ok_and(|now| now == body(file)), "f{file} is half");
            }
        }
        let said = world.run(&args, "");
        assert_eq!(said.code, 0, "{}", said.err);
        let answer: Value = serde_json::from_str(&said.out).unwrap();
        let results = answer["content"].as_array().unwrap();
        let expected: Vec<String> =
            (0..CALLS).flat_map(|file| [format!("w{file}"), format!("b{file}")]).collect();
        let ids: Vec<&str> = results.iter().filter_map(|result| result["tool_use_id"].as_str()).collect();
        assert_eq!(ids, expected);
        for (at, result) in results.iter().enumerate().filter(|(at, _)| at % 2 == 0) {
            let is_there = world.project().join(format!("f{}", at / 2)).exists();
            assert!(is_there || text(result).contains("may have run"), "{}", text(result));
        }
        for (at, result) in results.iter().enumerate().filter(|(at, _)| at % 2 == 1) {
            let ran = fs::read_to_string(world.project().join(format!("log{}", at / 2))).unwrap_or_default();
            assert!(ran.len() <= "ran\n".len(), "a call ran twice: {ran:?}");
            let may = text(result).contains("may have run");
            *outcomes.entry(if may { "may have run" } else { "ran" }).or_default() += 1;
            assert!(may || ran == "ran\n", "{}", text(result));
        }
        assert_eq!(world.run(&args, "").out, said.out, "the results of a session stay");
    }
    assert!(outcomes.len() == 2, "no kill fell into a call: {outcomes:?}");
}
