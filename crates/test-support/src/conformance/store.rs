//! What every store of large results keeps.

use pegboard_tool_core::ports::ResultStore;
use std::collections::BTreeSet;
use std::path::Component;

/// Runs the cases against the store that `make` makes. Where its paths exist, the files are read.
///
/// # Panics
/// At the first case that the store fails.
pub fn store_conformance<S: ResultStore>(make: impl Fn() -> S) {
    let store = make();
    let long = "x".repeat(10_000);
    let ids =
        ["toolu_01", "a", "../up", "/etc/passwd", "a/b", "", ".", "..", "nul\0", "line\nbreak", "ä", &long];
    let mut paths = BTreeSet::new();
    for (index, id) in ids.iter().chain(&ids).enumerate() {
        let text = format!("{index}: ä\0\r\n{}", "z".repeat(100_000));
        // Refusing is fine, half a text is not.
        let Ok(stored) = store.put(id, &text) else { continue };
        assert_eq!(stored.bytes, text.len() as u64, "`{id}`: all of the text is stored");
        let below = stored.path.strip_prefix(store.dir());
        assert!(below.is_ok(), "`{id}`: a result is in the folder of results");
        let plain =
            below.is_ok_and(|path| path.components().all(|part| matches!(part, Component::Normal(_))));
        assert!(plain, "`{id}`: no id leads out of the folder of results");
        assert!(paths.insert(stored.path.clone()), "`{id}`: a result never replaces another");
        if stored.path.exists() {
            let read = std::fs::read(&stored.path).unwrap_or_default();
            assert!(read == text.as_bytes(), "`{id}`: the file holds the text");
        }
    }
    let plain = make().put("toolu_02", "text");
    assert!(plain.is_ok(), "a plain id and a short text can be stored: {plain:?}");
}
