//! `tests/data/tools.jsonl`: failures that other systems had, one a line. A case that is not checked
//! here is in `elsewhere.jsonl` with the reason; any other one fails the test.

use crate::bash::runs;
use crate::documents::numbered_pages;
use crate::harness::{Answer, Session, unreadable};
use pegboard_tool_core::CancellationToken;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "texts for people")]
struct Case {
    id: String,
    tool: String,
    setup: String,
    input: Value,
    expect: String,
    why: String,
    #[serde(default)]
    debatable: bool,
    #[serde(default)]
    prepare: Vec<Step>,
    /// Variables of the session.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// The call is cancelled once a process of this command line runs.
    cancel_when_runs: Option<String>,
    check: Option<Check>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Step {
    Sh { sh: String },
    Read { read: String },
    Call { call: String, input: Value },
    Repeat { repeat: String, times: usize, to: String },
    Unreadable { unreadable: String },
    Pdf { pdf: String, pages: usize },
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Check {
    error: bool,
    says: Vec<String>,
    says_not: Vec<String>,
    order: Vec<String>,
    max_chars: Option<usize>,
    /// Files and their bytes, each a character below U+0100.
    bytes: BTreeMap<String, String>,
    mode: BTreeMap<String, String>,
    folders: Vec<String>,
    /// Files whose bytes and time stay.
    untouched: Vec<String>,
    then_read: BTreeMap<String, String>,
    /// Media types of the pictures in the answer.
    images: Vec<String>,
    /// The same of files that are read after it.
    then_images: BTreeMap<String, Vec<String>>,
    /// The whole text; `ROOT` stands for the working directory.
    exact: Option<String>,
    /// Command lines of which no process is left.
    gone: Vec<String>,
    /// The text is the id of a process that is not there.
    printed_process_is_gone: bool,
    /// Notebooks and how many cells with ids they have, all different.
    unique_ids: BTreeMap<String, usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Elsewhere {
    id: String,
    reason: String,
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_is_answered_as_it_was_judged() {
    let cases: Vec<Case> = lines(include_str!("../data/tools.jsonl"));
    let elsewhere: Vec<Elsewhere> = lines(include_str!("../data/elsewhere.jsonl"));
    assert!(elsewhere.iter().all(|case| !case.reason.is_empty()));
    let elsewhere: BTreeSet<&str> = elsewhere.iter().map(|case| case.id.as_str()).collect();
    let (mut problems, mut run) = (Vec::new(), 0);
    for case in &cases {
        match (&case.check, elsewhere.contains(case.id.as_str())) {
            (Some(check), false) => {
                run += 1;
                problems.extend(
                    run_case(case, check).await.map_err(|error| format!("{}: {error}", case.id)).err(),
                );
            }
            (None, true) => {}
            (None, false) => problems.push(format!("{} is neither checked nor listed as elsewhere", case.id)),
            (Some(_), true) => problems.push(format!("{} is checked and listed as elsewhere", case.id)),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(run >= 75, "only {run} cases");
}

fn lines<T: for<'a> Deserialize<'a>>(text: &str) -> Vec<T> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

async fn run_case(case: &Case, check: &Check) -> Result<(), String> {
    let path = std::env::var("PATH").unwrap();
    let session = case
        .env
        .iter()
        .fold(Session::new().env("PATH", &path), |session, (name, value)| session.env(name, value));
    for step in &case.prepare {
        prepare(&session, step).await;
    }
    let before: Vec<_> = check.untouched.iter().map(|name| state(&session, name)).collect();
    let answer = call(&session, case).await;
    let said = &answer.text;
    let must =
        |holds: bool, what: String| if holds { Ok(()) } else { Err(format!("{what}; it said: {said:.500}")) };
    must(answer.is_error == check.error, format!("error should be {}", check.error))?;
    for text in &check.says {
        must(said.contains(text), format!("should say {text:?}"))?;
    }
    if let Some(exact) = &check.exact {
        let exact = exact.replace("ROOT", session.root.to_str().unwrap());
        must(*said == exact, format!("should say {exact:?} and nothing else"))?;
    }
    for line in &check.gone {
        must(!runs(line), format!("{line} should be gone"))?;
    }
    if check.printed_process_is_gone {
        let first = said.lines().next().unwrap_or_default();
        let id: u32 = first.trim().parse().map_err(|_| format!("no id: {said}"))?;
        must(!Path::new(&format!("/proc/{id}/exe")).exists(), "the process should be gone".to_owned())?;
    }
    for text in &check.says_not {
        must(!said.contains(text), format!("should not say {text:?}"))?;
    }
    let places: Vec<_> = check.order.iter().map(|text| said.find(text)).collect();
    must(places.is_sorted() && !places.contains(&None), format!("order {:?}", check.order))?;
    must(check.max_chars.is_none_or(|max| said.chars().count() <= max), "too long".to_owned())?;
    for (name, expected) in &check.bytes {
        let expected: Vec<u8> = expected.chars().map(|c| u8::try_from(c).unwrap()).collect();
        let found = session.bytes(name);
        must(found == expected, format!("{name} holds {:?}", String::from_utf8_lossy(&found)))?;
    }
    for (name, mode) in &check.mode {
        let found = std::fs::metadata(session.root.join(name)).unwrap().permissions().mode() & 0o7777;
        must(format!("{found:o}") == *mode, format!("mode of {name} is {found:o}"))?;
    }
    for name in &check.folders {
        must(session.root.join(name).is_dir(), format!("{name} should be a folder"))?;
    }
    for (name, before) in check.untouched.iter().zip(before) {
        must(state(&session, name) == before, format!("{name} should be untouched"))?;
    }
    must(
        check.images == answer.images(),
        format!("pictures should be {:?}, are {:?}", check.images, answer.images()),
    )?;
    for (name, images) in &check.then_images {
        let answer = session.call("Read", json!({"file_path": name})).await;
        must(
            answer.images() == *images,
            format!("pictures of {name} should be {images:?}, are {:?}", answer.images()),
        )?;
    }
    for (name, count) in &check.unique_ids {
        let notebook: Value = serde_json::from_slice(&session.bytes(name)).unwrap();
        let cells = notebook["cells"].as_array().unwrap();
        let ids: BTreeSet<&str> = cells.iter().filter_map(|cell| cell["id"].as_str()).collect();
        must(ids.len() == *count && cells.len() == *count, format!("ids of {name}: {ids:?}"))?;
    }
    for (name, text) in &check.then_read {
        let answer = session.call("Read", json!({"file_path": name})).await;
        must(answer.text.contains(text), format!("{name} then reads {}", answer.text))?;
    }
    Ok(())
}

/// The call, cancelled as the case wants.
async fn call(session: &Session, case: &Case) -> Answer {
    let Some(line) = &case.cancel_when_runs else {
        return session.call(&case.tool, case.input.clone()).await;
    };
    let cancel = CancellationToken::new();
    let ctx = session.ctx().with_cancel(cancel.clone());
    let watch = async {
        while !runs(line) {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    tokio::join!(session.call_in(&case.tool, case.input.clone(), ctx, |grant| grant), watch).0
}

fn state(session: &Session, name: &str) -> (Vec<u8>, SystemTime) {
    let modified = std::fs::metadata(session.root.join(name)).unwrap().modified().unwrap();
    (session.bytes(name), modified)
}

async fn prepare(session: &Session, step: &Step) {
    match step {
        Step::Sh { sh } => {
            let status = Command::new("sh").arg("-c").arg(sh).current_dir(&session.root).status().unwrap();
            assert!(status.success(), "{sh}");
        }
        Step::Read { read } => {
            let answer = session.call("Read", json!({"file_path": read})).await;
            assert!(!answer.is_error, "{answer:?}");
        }
        Step::Call { call, input } => {
            let answer = session.call(call, input.clone()).await;
            assert!(!answer.is_error, "{answer:?}");
        }
        Step::Repeat { repeat, times, to } => session.write(to, repeat.repeat(*times)),
        Step::Pdf { pdf, pages } => session.write(pdf, numbered_pages(*pages)),
        Step::Unreadable { unreadable: name } => unreadable(&session.root, name),
    }
}
