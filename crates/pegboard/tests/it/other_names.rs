//! Calls under other agents' names, through all layers and into the real tools.

use crate::place::Place;
use pegboard::permissions::Engine;
use pegboard::registry::aliases::{CLINE, SNAKE_CASE, accept, offer};
use pegboard::registry::{Catalog, Entry, Services as Made, ToolPool, assemble};
use pegboard::schema::SchemaValidator;
use pegboard::tools_std::{Services, all};
use pegboard::{ContextSnapshot, Pegboard, ToolContext, ToolUse};
use serde_json::{Value, json};
use std::sync::Arc;

/// How the names come in.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// Understood, not shown to the model.
    Accepted,
    /// Shown to the model.
    Offered,
}

/// A session with the real tools under other names too.
struct World {
    place: Place,
    pegboard: Pegboard,
    ctx: ToolContext,
    pool: Arc<ToolPool>,
}

impl World {
    fn new(way: Way) -> Self {
        let place = Place::new();
        place.user(&json!({"permissions": {"allow": ["Edit", "Write", "NotebookEdit", "Bash(wc *)"]}}));
        let loaded = place.layers().unwrap();
        let services = Services::new().with_access_policy(Arc::<Engine>::clone(&loaded.engine));
        let tools = all(&services).unwrap();
        let catalog = tools.into_iter().map(Entry::of).fold(Catalog::new(), Catalog::with);
        let catalog = match way {
            Way::Offered => offer(catalog, CLINE).unwrap(),
            Way::Accepted => catalog,
        };
        let env = pegboard::tool_core::ToolEnv::new();
        let mut offers = catalog.base_tools(&env, &Made::new(), 0).tools;
        if way == Way::Accepted {
            offers = accept(offers, CLINE).unwrap();
        }
        let offers = accept(offers, SNAKE_CASE).unwrap();
        let pool = Arc::new(assemble(offers, Vec::new(), &SchemaValidator::new()).pool);
        let pegboard = Pegboard::builder()
            .gate(loaded.engine)
            .hooks(loaded.hooks)
            .pool(Arc::clone(&pool))
            .build()
            .unwrap();
        let ctx = ToolContext::new(Arc::new(ContextSnapshot::new(place.work(), "s")));
        Self { place, pegboard, ctx, pool }
    }

    async fn call(&self, name: &str, input: Value) -> (bool, String) {
        let call = ToolUse::new("toolu_1", name, input);
        let finished = self.pegboard.invoke(call, self.ctx.clone()).await;
        (finished.result.is_error, finished.result.joined_text().to_string())
    }

    async fn works(&self, name: &str, input: Value) -> String {
        let (is_error, text) = self.call(name, input.clone()).await;
        assert!(!is_error, "{name} {input}: {text}");
        text
    }

    async fn refused(&self, name: &str, input: Value, says: &str) {
        let (is_error, text) = self.call(name, input.clone()).await;
        assert!(is_error && text.contains(says), "{name} {input}: {text}");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.place.work().join(name)).unwrap()
    }
}

const TWO_BLOCKS: &str = "------- SEARCH\nalpha\n=======\nALPHA\n+++++++ REPLACE\n\n<<<<<<< SEARCH\ngamma\n=======\nGAMMA\n\
                          delta\n>>>>>>> REPLACE\n";

#[tokio::test]
async fn calls_in_clines_form_run_the_real_tools() {
    for way in [Way::Accepted, Way::Offered] {
        let world = World::new(way);
        world.place.file("w/a.txt", "alpha\nbeta\ngamma\n").file("w/d/b.txt", "x\n");
        let diff = json!({"path": "a.txt", "diff": TWO_BLOCKS, "task_progress": "- [x] one"});
        world.refused("replace_in_file", diff.clone(), "has not been read").await;
        let lines = json!({"path": "a.txt", "start_line": "2", "end_line": 2});
        let shown = world.works("read_file", lines).await;
        assert!(shown.contains("2\tbeta") && !shown.contains("gamma"), "{shown}");
        world.works("replace_in_file", diff).await;
        assert_eq!(world.read("a.txt"), "ALPHA\nbeta\nGAMMA\ndelta\n");
        // All blocks or none.
        let half = TWO_BLOCKS.replace("alpha", "beta").replace("gamma", "nowhere");
        let half = json!({"path": "a.txt", "diff": half});
        world.refused("replace_in_file", half, "the text of block 2 was not found").await;
        world.refused("replace_in_file", json!({"path": "a.txt", "diff": "x"}), "SEARCH/REPLACE").await;
        world.refused("replace_in_file", json!({"path": "a.txt"}), "diff").await;
        assert_eq!(world.read("a.txt"), "ALPHA\nbeta\nGAMMA\ndelta\n");
        // One file, whatever name it is written or read by.
        world.works("write_to_file", json!({"path": "n/new.txt", "content": "new\n"})).await;
        let edit = json!({"file_path": "n/new.txt", "old_string": "new", "new_string": "newer"});
        world.works("Edit", edit).await;
        world.works("write_to_file", json!({"path": "n/new.txt", "content": "newest\n"})).await;
        world.works("new_rule", json!({"path": "rules/a.md", "content": "Be short.\n"})).await;
        let block = "------- SEARCH\n=======\nmade\n+++++++ REPLACE";
        world.works("replace_in_file", json!({"path": "made.txt", "diff": block})).await;
        assert_eq!(world.read("made.txt"), "made\n");
        assert_eq!(
            (world.read("n/new.txt"), world.read("rules/a.md")),
            ("newest\n".into(), "Be short.\n".into())
        );
        let wc = json!({"command": "wc -l a.txt", "requires_approval": "false", "timeout": "30"});
        assert!(world.works("execute_command", wc).await.contains("4 a.txt"));
        let found = world
            .works("search_files", json!({"path": ".", "regex": "G[A-Z]+", "file_pattern": "*.txt"}))
            .await;
        assert!(found.contains("a.txt:3:GAMMA"), "{found}");
        let flat = world.works("list_files", json!({"path": "."})).await;
        let deep = world.works("list_files", json!({"path": ".", "recursive": "true"})).await;
        assert!(
            flat.contains("a.txt") && !flat.contains("b.txt") && deep.contains("b.txt"),
            "{flat}\n{deep}"
        );
        let has = |listing: &str, name: &str| listing.lines().any(|line| line == name);
        assert!(has(&flat, "n/") && !has(&flat, "n/new.txt"), "{flat}");
        assert!(has(&deep, "n/") && has(&deep, "n/new.txt"), "{deep}");
        world
            .refused("read_file", json!({"path": "a.txt", "start_line": 3, "end_line": 2}), "end_line")
            .await;
        world.refused("read_file", json!({"path": "a.txt", "nonsense": 1}), "nonsense").await;
    }
}

#[tokio::test]
async fn several_blocks_are_an_edit_to_rules_and_hooks() {
    for way in [Way::Accepted, Way::Offered] {
        let world = World::new(way);
        world.place.file("w/a.txt", "alpha\ngamma\n");
        let input = Arc::new(json!({"path": "a.txt", "diff": TWO_BLOCKS}));
        let found = pegboard::ports::ToolLookup::find(&*world.pool, "replace_in_file", &input).unwrap();
        assert_eq!(found.tool.definition().name.as_str(), "Edit");
        let adapted = found.adapted.unwrap();
        found.schema.check(&adapted).unwrap();
        let invocation = found.tool.prepare(Arc::clone(&adapted), &world.ctx).unwrap();
        let view = invocation.view();
        assert_eq!(view["file_path"], json!(world.place.work().join("a.txt")));
        assert_eq!(view["old_string"], json!("alpha\ngamma\n"));
        assert_eq!(view["new_string"], json!("ALPHA\nGAMMA\ndelta\n"));
        // What hooks saw may come back as it is, and one replacement as Edit has it.
        found.schema.check(view).unwrap();
        assert!(found.tool.prepare(Arc::new(view.clone()), &world.ctx).is_ok());
        let plain = json!({"file_path": "a.txt", "old_string": "a", "new_string": "b"});
        found.schema.check(&plain).unwrap();
        // Models are not told, so a call of Edit with it is refused.
        world.refused("Edit", (*adapted).clone(), "edits").await;
        let definitions = world.pool.definitions_json();
        assert!(!definitions.contains("\"edits\""), "{definitions}");
        assert_eq!(definitions.contains("replace_in_file"), way == Way::Offered);
    }
}

#[tokio::test]
async fn snake_case_names_run_the_same_tools() {
    let world = World::new(Way::Accepted);
    world.place.file("w/a.txt", "alpha\n");
    let cell =
        json!({"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": []});
    let notebook = json!({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4});
    world.place.file("w/n.ipynb", &notebook.to_string());
    for (name, input) in [
        ("read", json!({"file_path": "a.txt"})),
        ("edit", json!({"file_path": "a.txt", "old_string": "alpha", "new_string": "beta"})),
        ("write", json!({"file_path": "a.txt", "content": "gamma\n"})),
        ("glob", json!({"pattern": "*.txt"})),
        ("grep", json!({"pattern": "gamma"})),
        ("bash", json!({"command": "wc -l a.txt"})),
        ("read", json!({"file_path": "n.ipynb"})),
        ("notebook_edit", json!({"notebook_path": "n.ipynb", "cell_id": "cell-0", "new_source": "1"})),
    ] {
        world.works(name, input).await;
    }
    assert_eq!(world.read("a.txt"), "gamma\n");
    // Every name of the set for a tool that is there leads to it.
    for spec in SNAKE_CASE.iter().chain(CLINE) {
        if let Some(entry) = world.pool.entry(spec.tool) {
            let named = world.pool.canonical(spec.name).unwrap_or_else(|| panic!("{}", spec.name));
            assert_eq!(named, &entry.tool().definition().name, "{}", spec.name);
        }
    }
}
