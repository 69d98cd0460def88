//! Calls through all real layers.

use crate::place::Place;
use pegboard::permissions::Engine;
use pegboard::ports::Finished;
use pegboard::tools_std::{Services, all};
use pegboard::{ContextSnapshot, Pegboard, ToolContext, ToolUse};
use serde_json::json;
use std::sync::Arc;

async fn read(place: &Place, name: &str) -> Finished {
    let loaded = place.layers().unwrap();
    let services = Services::new().with_access_policy(Arc::<Engine>::clone(&loaded.engine));
    let pegboard = Pegboard::builder()
        .gate(loaded.engine)
        .hooks(loaded.hooks)
        .tools(all(&services).unwrap())
        .build()
        .unwrap();
    let ctx = ToolContext::new(Arc::new(ContextSnapshot::new(place.work(), "s")));
    let call = ToolUse::new("toolu_1", "Read", json!({"file_path": place.work().join(name)}));
    pegboard.invoke(call, ctx).await
}

#[tokio::test]
async fn a_file_of_the_project_is_read_unless_a_rule_denies_it() {
    let place = Place::new();
    place.file("w/a.txt", "first line\n").file("w/.env", "SECRET=1\n");
    place.project(&json!({"permissions": {"deny": ["Read(.env)"]}}));
    let read_it = read(&place, "a.txt").await;
    assert!(!read_it.result.is_error);
    assert!(read_it.result.joined_text().contains("first line"));
    let denied = read(&place, ".env").await;
    assert!(denied.result.is_error);
    assert!(!denied.result.joined_text().contains("SECRET"));
}

#[tokio::test]
async fn outside_the_project_nobody_is_there_to_say_yes() {
    let place = Place::new();
    place.file("home/b.txt", "of somebody else\n");
    let refused = read(&place, "../home/b.txt").await;
    assert!(refused.result.is_error);
    assert!(!refused.result.joined_text().contains("somebody else"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_hook_that_denies_stops_the_call_and_its_words_reach_the_model() {
    let place = Place::new();
    place.file("w/a.txt", "first line\n");
    let deny = json!({"type": "command", "command": "echo 'not this file' >&2; exit 2"});
    place.user(&json!({"hooks": {"PreToolUse": [{"matcher": "Read", "hooks": [deny]}]}}));
    let denied = read(&place, "a.txt").await;
    assert!(denied.result.is_error);
    let text = denied.result.joined_text();
    assert!(text.contains("not this file") && !text.contains("first line"), "{text}");
}
