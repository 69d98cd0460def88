//! Size of results: nothing is lost silently.

use crate::world::{World, text};
use pegboard_test_support::{AllowAll, Behaviour, FakeTool, MemoryStore, RefusingStore};
use pegboard_tool_core::ErrorKind;
use pegboard_tool_core::ports::ResultStore;
use serde_json::json;
use std::sync::Arc;

/// `n` characters of two bytes each, of which head and tail can be told apart.
fn long(n: usize) -> String {
    format!("<{}>", "ä".repeat(n - 2))
}

fn tool(behaviour: Behaviour, limit: Option<usize>) -> FakeTool {
    FakeTool::new("Echo").behaving(behaviour).defined(|definition| definition.max_inline_chars = limit)
}

async fn shown(tool: &FakeTool, store: Option<Arc<dyn ResultStore>>) -> (String, Vec<String>) {
    let world = World::with(tool, Arc::new(AllowAll), |mut config| {
        config.store = store;
        config
    });
    let finished = world.call("Echo", json!({})).await;
    (text(&finished), world.observer.details("notice"))
}

#[tokio::test]
async fn no_output_is_lost_silently() {
    let fails = Behaviour::Fail(ErrorKind::Failed, long(50_000));
    for behaviour in [Behaviour::Text(long(50_000)), fails] {
        let store = Arc::new(MemoryStore::new());
        let tool = tool(behaviour, Some(30_000));
        let (stored, notices) = shown(&tool, Some(Arc::clone(&store) as _)).await;
        let texts = store.texts();
        let (path, whole) = texts.first_key_value().unwrap();
        assert_eq!(*whole, long(50_000), "all of it is in the store");
        assert!(stored.contains(&path.display().to_string()) && stored.contains("50000 characters"));
        assert!(stored.contains('<') && stored.ends_with('>') && stored.chars().count() < 30_000);
        assert!(notices.is_empty());
    }
}

#[tokio::test]
async fn what_cannot_be_stored_is_cut_and_says_so() {
    let tool = tool(Behaviour::Text(long(50_000)), Some(30_000));
    for (store, why, told) in [
        (None, "there is no place to store it", 0),
        (Some(Arc::new(RefusingStore) as Arc<dyn ResultStore>), "it could not be stored", 1),
    ] {
        let (shown, notices) = shown(&tool, store).await;
        assert!(shown.contains(why) && shown.contains("[20400 characters left out]"), "{shown:.300}");
        assert!(shown.ends_with('>') && shown.chars().count() <= 30_000);
        assert_eq!(notices.len(), told);
    }
}

#[tokio::test]
async fn a_short_preview_reads_so() {
    let words: Vec<_> = (1..=400).map(|n| n.to_string()).collect();
    let tool = tool(Behaviour::Text(words.join(" ")), Some(60));
    let store = Arc::new(MemoryStore::new());
    insta::assert_snapshot!(shown(&tool, Some(store)).await.0, @"
    The output is too long to show: 1491 characters. All of it (1491 bytes) is in /memory/tool-results/0-id.txt; read the parts that you need there.

    Its beginning:
    1 2 3 4 5 6 7 8 9 10 11 12 13 

    [1431 characters left out]

    Its end:
    93 394 395 396 397 398 399 400
    ");
    insta::assert_snapshot!(shown(&tool, None).await.0, @"
    The output is too long to show: 1491 characters, and there is no place to store it.

    Its beginning:
    1 2 3 4 5 6 7 8

    [1461 characters left out]

    Its end:
    397 398 399 400
    ");
}

#[tokio::test]
async fn what_fits_stays_as_it_is() {
    for (length, limit, stored) in
        [(30_000, Some(30_000), 0), (30_001, Some(30_000), 1), (1_000_000, None, 0), (2, Some(0), 1)]
    {
        let store = Arc::new(MemoryStore::new());
        let tool = tool(Behaviour::Text(long(length)), limit);
        let (shown, _) = shown(&tool, Some(Arc::clone(&store) as _)).await;
        assert_eq!(store.texts().len(), stored, "{length} {limit:?}");
        assert_eq!(shown == long(length), stored == 0);
    }
}

#[test]
fn a_result_is_stored_also_without_a_runtime() {
    let tool = tool(Behaviour::Text(long(100)), Some(10));
    let store = Arc::new(MemoryStore::new());
    let (_, notices) = futures::executor::block_on(shown(&tool, Some(Arc::clone(&store) as _)));
    assert_eq!((store.texts().len(), notices.len()), (1, 0));
}
