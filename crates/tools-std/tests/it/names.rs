//! The names of these tools in other spellings. Whole calls under other agents' names are tested where all layers
//! meet.

use crate::harness::Session;

/// `NotebookEdit` as `notebook_edit`.
fn snake(name: &str) -> String {
    if name.chars().all(char::is_uppercase) {
        return name.to_lowercase();
    }
    let mut out = String::new();
    for (index, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && index > 0 {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

#[test]
fn every_tool_answers_to_its_snake_case_name() {
    let session = Session::new();
    let others: Vec<String> = ["Read", "Write", "Edit", "NotebookEdit", "Glob", "Grep", "Bash"]
        .iter()
        .filter(|name| {
            let tool = session.tool(name);
            let aliases = &tool.definition().aliases;
            !aliases.iter().any(|alias| alias.as_str() == snake(name))
        })
        .map(ToString::to_string)
        .collect();
    assert!(others.is_empty(), "{others:?}");
}
