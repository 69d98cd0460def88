//! Which git subcommands may write the work tree, the ignore files in it too.

use pegboard_tool_core::ports::CommandUse;

/// Subcommands that take files of the work tree from what git keeps.
const REWRITES: &[&str] = &[
    "am",
    "apply",
    "bisect",
    "checkout",
    "checkout-index",
    "cherry-pick",
    "clean",
    "merge",
    "mv",
    "pull",
    "read-tree",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "sparse-checkout",
    "stash",
    "switch",
];

/// Options in front of the subcommand that take the word behind them.
const TAKES_WORD: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"];

/// Subcommands of `git stash` that only look.
const STASH_LOOKS: &[&str] = &["list", "show"];

/// Whether `command` is a git that may write files of the work tree. One whose subcommand is not told may.
pub(super) fn may_rewrite(command: &CommandUse) -> bool {
    if command.program.as_deref() != Some("git") {
        return false;
    }
    let mut words = command.argv.iter().skip(1).map(Option::as_deref);
    while let Some(word) = words.next() {
        match word {
            None => return true,
            Some(option) if TAKES_WORD.contains(&option) => {
                // A name of somebody's own for a subcommand.
                if words.next().flatten().is_none_or(|value| value.starts_with("alias.")) {
                    return true;
                }
            }
            Some(option) if option.starts_with('-') => {}
            Some("stash") => {
                return !words.next().flatten().is_some_and(|next| STASH_LOOKS.contains(&next));
            }
            Some(name) => return REWRITES.contains(&name),
        }
    }
    false
}
