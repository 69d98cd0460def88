//! Types of files by name, and what was meant by a name that is none.

use ignore::types::{Types, TypesBuilder};
use pegboard_tool_core::InvalidInput;

/// Names that are told at most.
const MOST_NEAR: usize = 5;

/// The files of type `name`.
///
/// # Errors
/// When there is no such type, with the engine's words and the names that are near.
pub(super) fn select(name: &str) -> Result<Types, InvalidInput> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    builder.select(name).build().map_err(|error| {
        let near = near(name, &builder);
        let hint = match near.is_empty() {
            true => "filter by `glob` instead".to_owned(),
            false => format!("did you mean {}? Or filter by `glob`", near.join(" or ")),
        };
        InvalidInput::new(format!("{error}; {hint}"))
    })
}

fn near(name: &str, builder: &TypesBuilder) -> Vec<String> {
    let name = name.trim_start_matches('.').to_lowercase();
    let extension = format!("*.{name}");
    let mut found: Vec<(usize, String)> = builder
        .definitions()
        .iter()
        .filter_map(|definition| {
            let other = definition.name();
            let distance = match edits(&name, other) {
                _ if definition.globs().contains(&extension) => 0,
                edits if edits <= 1 || edits == 2 && name.len() > 3 => edits,
                _ if name.len() > 2
                    && (other.starts_with(&name) || name.starts_with(other) && other.len() > 2) =>
                {
                    3
                }
                _ => return None,
            };
            Some((distance, format!("`{other}`")))
        })
        .collect();
    found.sort();
    // A file name ending says it all.
    let surest = found.first().map_or(0, |(distance, _)| *distance);
    found
        .into_iter()
        .filter(|(distance, _)| *distance == surest)
        .map(|(_, name)| name)
        .take(MOST_NEAR)
        .collect()
}

/// How many letters must be put in, taken out or changed to come from `a` to `b`.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, from) in (1..).zip(a.chars().take(64)) {
        let mut diagonal = std::mem::replace(row.first_mut().unwrap_or(&mut 0), line);
        for at in 0..b.len() {
            let (left, above) = (row.get(at).copied().unwrap_or(0), row.get(at + 1).copied().unwrap_or(0));
            let change = diagonal + usize::from(b.get(at) != Some(&from));
            if let Some(cell) = row.get_mut(at + 1) {
                *cell = change.min(left + 1).min(above + 1);
            }
            diagonal = above;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_of_types() {
        for (name, expected) in [
            ("rs", "`rust`"),
            (".tsx", "`ts` or `typescript`"),
            ("pyhton", "`python`"),
            ("Rust", "`rust`"),
            ("qqqqqq", ""),
        ] {
            let text = select(name).unwrap_err().text;
            assert!(text.contains("unrecognized file type"), "{text}");
            let mut builder = TypesBuilder::new();
            builder.add_defaults();
            assert_eq!(near(name, &builder).join(" or "), expected, "{name}");
        }
        assert!(select("rust").is_ok());
        assert_eq!((edits("abc", "abc"), edits("abc", "acb"), edits("", "ab")), (0, 2, 2));
    }
}
