//! Lines that an analyzer once got wrong, kept as a file: a JSON string a line, `#` starts a note. In front of the
//! string may stand the world in which it happened.

use crate::environment::World;

/// A kept line.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct KeptLine {
    /// The command line.
    pub line: String,
    /// In which it is run; all of them when none is named.
    pub worlds: Vec<World>,
}

/// Reads such a file.
///
/// # Errors
///
/// The number, from 1, of a line that is none of this, and what is wrong with it.
pub fn kept_lines(text: &str) -> Result<Vec<KeptLine>, String> {
    let mut kept = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (world, string) = match line.split_once('"') {
            Some((world, _)) => (world.trim(), line.trim_start_matches(world)),
            None => return Err(format!("line {}: no JSON string", index + 1)),
        };
        let worlds = match world {
            "" => World::ALL.to_vec(),
            "plain" => vec![World::Plain],
            "hostile" => vec![World::Hostile],
            "snapshot" => vec![World::Snapshot],
            other => return Err(format!("line {}: there is no world `{other}`", index + 1)),
        };
        let line = serde_json::from_str(string).map_err(|error| format!("line {}: {error}", index + 1))?;
        kept.push(KeptLine { line, worlds });
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_worlds_and_strings_are_read_and_all_else_refused() {
        let kept = kept_lines("# note\n\n\"a\\nb\"\nsnapshot \"x\"\n").unwrap();
        assert_eq!(kept[0], KeptLine { line: "a\nb".into(), worlds: World::ALL.to_vec() });
        assert_eq!(kept[1], KeptLine { line: "x".into(), worlds: vec![World::Snapshot] });
        for wrong in ["x", "moon \"x\"", "\"x", "\"x\" y"] {
            assert!(kept_lines(wrong).is_err(), "{wrong}");
        }
    }
}
