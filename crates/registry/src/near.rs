//! Which names are near to one that was not found. Bounded for long names and large pools.

/// Names are compared up to this many characters.
const COMPARED_CHARS: usize = 64;

/// Most names that are answered.
const ANSWERED: usize = 5;

/// Similarity from which a name is worth saying, of 1.
const ENOUGH: f64 = 0.6;

/// The names that are nearest to `given`, best first; of equals the first in byte order.
pub(crate) fn near<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let given = plain(given);
    let mut best: Vec<(f64, &str)> = Vec::with_capacity(ANSWERED + 1);
    let mut candidate = String::new();
    for name in names {
        candidate.clear();
        plain_into(name, &mut candidate);
        let similarity = similarity(&given, &candidate);
        if similarity < ENOUGH {
            continue;
        }
        let place = best
            .partition_point(|(more, other)| *more > similarity || (*more == similarity && *other < name));
        best.insert(place, (similarity, name));
        best.truncate(ANSWERED);
    }
    best.into_iter().map(|(_, name)| name.to_owned()).collect()
}

fn similarity(one: &str, other: &str) -> f64 {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    if short.is_empty() {
        return 0.0;
    }
    // `search_issues` for `mcp__github__search_issues`, `WebFetchTool` for `WebFetch`.
    let part = if short.len() >= 4 && (long.starts_with(short) || long.ends_with(short)) { 0.8 } else { 0.0 };
    // Lengths alone rule most names out.
    let bound = short.len() as f64 / long.len() as f64;
    if bound < ENOUGH { part } else { strsim::normalized_damerau_levenshtein(one, other).max(part) }
}

fn plain(name: &str) -> String {
    let mut text = String::new();
    plain_into(name, &mut text);
    text
}

/// Lower case ASCII without separators; other letters stay, and no tool has them.
fn plain_into(name: &str, text: &mut String) {
    let letters = name.chars().take(COMPARED_CHARS).filter(|letter| !matches!(letter, '_' | '-' | ' ' | '.'));
    text.extend(letters.map(|letter| letter.to_ascii_lowercase()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_best_first() {
        let names =
            ["Read", "Write", "Edit", "WebFetch", "mcp__github__search_issues", "TaskGet", "TaskList"];
        let near = |given| near(given, names.into_iter());
        assert_eq!(near("read"), ["Read"]);
        assert_eq!(near("Raed"), ["Read"]);
        assert_eq!(near("web_fetch"), ["WebFetch"]);
        assert_eq!(near("search_issues"), ["mcp__github__search_issues"]);
        assert_eq!(near("TaskLis"), ["TaskList"]);
        assert!(near("").is_empty() && near("xyzzy").is_empty() && near(&"é".repeat(1_000_000)).is_empty());
    }

    #[test]
    fn few_are_answered_of_many() {
        let names: Vec<_> = (0..10_000).map(|number| format!("tool_{number:04}")).collect();
        let near = near("tool_00", names.iter().map(String::as_str));
        assert_eq!(near.len(), ANSWERED);
    }
}
