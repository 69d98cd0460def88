//! From records to the script and its names.

use super::names::{is_carried, is_harmless_option, is_interactive_default};
use super::records::{OptionKind, Records};
use super::{MOST_BYTES, Snapshot, SnapshotProblem};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

/// Writes the script: functions first, while no alias is expanded in them; options last, so that they
/// do not act on the definitions.
pub(super) fn write(records: Records) -> Result<Snapshot, SnapshotProblem> {
    let (mut names, mut left_out) = (BTreeSet::new(), BTreeSet::new());
    // Functions of many start-up files need extended patterns to be read at all.
    let mut text = "shopt -s extglob\n".to_owned();
    for (name, definition) in records.functions {
        let begins = definition.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(" ()"));
        if is_carried(&name) && begins {
            text.push_str(&definition);
            text.push('\n');
            names.insert(name);
        } else {
            left_out.insert(name);
        }
    }
    text.push_str("shopt -u extglob\nshopt -s expand_aliases\n");
    for (name, value) in records.aliases {
        if is_carried(&name) {
            let _infallible = writeln!(text, "alias -- {name}={}", quoted(&value));
            names.insert(name);
        } else {
            left_out.insert(name);
        }
    }
    for (kind, name) in records.options {
        if is_harmless_option(&name) {
            let set = match kind {
                OptionKind::Set => "set -o",
                OptionKind::Shopt => "shopt -s",
            };
            let _infallible = writeln!(text, "{set} {name}");
        } else if !is_interactive_default(&name) {
            left_out.insert(format!("-o {name}"));
        }
    }
    if text.len() > MOST_BYTES {
        return Err(SnapshotProblem::TooLarge);
    }
    Ok(Snapshot { text: text.into(), names: Arc::new(names), left_out: Arc::new(left_out) })
}

/// One word of bash that stands for the text.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_stay_out_and_values_are_quoted() {
        let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let records = Records {
            aliases: vec![pair("ll", "ls -l 'x'; y"), pair("a;rm -rf", "x"), pair("if", "x")],
            functions: vec![
                pair("g", "g () \n{ \n    echo g\n}"),
                pair("builtin", "builtin () \n{ \n    :\n}"),
                pair("h", "rm -rf /; h () { :; }"),
            ],
            options: vec![
                (OptionKind::Set, "pipefail".to_owned()),
                (OptionKind::Set, "histexpand".to_owned()),
                (OptionKind::Shopt, "dotglob".to_owned()),
            ],
        };
        let snapshot = write(records).unwrap();
        insta::assert_snapshot!(snapshot.text(), @r"
        shopt -s extglob
        g () 
        { 
            echo g
        }
        shopt -u extglob
        shopt -s expand_aliases
        alias -- ll='ls -l '\''x'\''; y'
        set -o pipefail
        ");
        assert_eq!(snapshot.names().iter().collect::<Vec<_>>(), ["g", "ll"]);
        let left_out: Vec<_> = snapshot.left_out().iter().map(String::as_str).collect();
        assert_eq!(left_out, ["-o dotglob", "a;rm -rf", "builtin", "h", "if"]);
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let aliases = vec![("x".to_owned(), "y".repeat(MOST_BYTES))];
        let records = Records { aliases, ..Records::default() };
        assert!(matches!(write(records), Err(SnapshotProblem::TooLarge)));
    }
}
