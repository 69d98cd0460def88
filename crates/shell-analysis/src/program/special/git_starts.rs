//! git: subcommands whose words name programs.

use pegboard_tool_core::ports::FileAccess;

use crate::word::Word;

use super::super::call::Call;
use super::super::{ProgramUse, effects, hosts};
use super::git::{operands, tree};
use super::git_remote::address;

/// Programs that settings or words name are run.
pub(in super::super) fn helpers(_: &Call<'_>, used: &mut ProgramUse) {
    used.opaque.push("programs that git is told to run");
}

/// `bisect run COMMAND`.
pub(in super::super) fn bisect(call: &Call<'_>, used: &mut ProgramUse) {
    match call.words.get(1).and_then(|word| word.value.as_deref()) {
        Some("run") => effects::command(call, 2, used),
        Some(_) => {}
        None if call.words.len() > 1 => used.opaque.push("a subcommand that cannot be told"),
        None => {}
    }
    tree(call, used);
}

/// `rebase -x TEXT`.
pub(in super::super) fn rebase(call: &Call<'_>, used: &mut ProgramUse) {
    option_line(call, &["-x", "--exec"], used);
    tree(call, used);
}

/// `difftool -x TEXT`.
pub(in super::super) fn difftool(call: &Call<'_>, used: &mut ProgramUse) {
    used.opaque.push("programs that git is told to run");
    option_line(call, &["-x", "--extcmd"], used);
}

/// A text behind one of these options is a command line.
fn option_line(call: &Call<'_>, names: &[&str], used: &mut ProgramUse) {
    for (index, word) in call.words.iter().enumerate().skip(1) {
        let Some(text) = word.value.as_deref() else {
            if word.prefix.is_empty() || word.prefix.starts_with('-') {
                used.opaque.push("words of git that cannot be told");
            }
            continue;
        };
        if text == "--" {
            return;
        }
        let long = names.iter().find(|name| name.starts_with("--")).copied().unwrap_or_default();
        let (name, glued) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let is_long = name.len() > 2 && name.starts_with("--") && long.starts_with(name);
        if let Some(glued) = glued.filter(|_| is_long) {
            effects::line(&Word::known(glued, word.at), Vec::new(), used);
        } else if is_long || names.contains(&text) || is_cluster_with(text, 'x') {
            if let Some(value) = call.words.get(index + 1) {
                effects::line(value, Vec::new(), used);
            }
        } else if let Some(glued) = text.strip_prefix("-x") {
            effects::line(&Word::known(glued, word.at), Vec::new(), used);
        }
    }
}

/// `-ix`: a cluster of short options that ends in this one.
fn is_cluster_with(text: &str, letter: char) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.len() > 2 && text.ends_with(letter)
}

/// `submodule foreach TEXT`.
pub(in super::super) fn submodule(call: &Call<'_>, used: &mut ProgramUse) {
    let place = call.words.iter().position(|word| word.value.as_deref() == Some("foreach"));
    match place {
        Some(mut place) => {
            place += 1;
            while call.words.get(place).is_some_and(|word| {
                matches!(word.value.as_deref(), Some("--recursive" | "-q" | "--quiet" | "--"))
            }) {
                place += 1;
            }
            used.opaque.push("a command that runs in other folders");
            used.elsewhere(call.at());
            let words = call.words.get(place..).unwrap_or_default();
            if let [only] = words {
                effects::line(only, Vec::new(), used);
            } else if !words.is_empty() {
                effects::command(call, place, used);
            }
        }
        None => {
            if !matches!(
                call.words.get(1).and_then(|word| word.value.as_deref()),
                None | Some("status" | "summary")
            ) {
                let added = operands(call)
                    .skip(1)
                    .filter(|word| word.value.as_deref().is_some_and(|text| hosts::remote(text).is_some()));
                for word in added {
                    address(word, used);
                }
                used.network.push(None);
                used.path(".", FileAccess::Write, true, call.at());
            }
            if call.words.iter().any(|word| word.value.is_none() && word.prefix.is_empty()) {
                used.opaque.push("words of git that cannot be told");
            }
        }
    }
}
