//! What well-known programs do with their words: which commands they start, which files they touch, which hosts
//! they reach. Everything here is a table or reads one; nothing here knows the grammar of the shell.

use pegboard_tool_core::ports::{CommandNature, FileAccess};

use crate::word::Word;

mod assignments;
mod call;
mod effects;
mod hosts;
mod row;
mod rows;
mod special;
#[cfg(test)]
mod tests;

use call::Call;

/// What a program would do with its words.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProgramUse {
    /// Commands that it would start.
    pub(crate) starts: Vec<Start>,
    /// Files that it would touch.
    pub(crate) files: Vec<Touch>,
    /// Hosts that it would reach; `None` for one that cannot be told.
    pub(crate) network: Vec<Option<String>>,
    /// Why it cannot be told what it starts. A program that is not known is not opaque: it is judged by its name.
    pub(crate) opaque: Vec<&'static str>,
    /// What it does besides.
    pub(crate) nature: CommandNature,
}

/// A command that a program would start.
#[derive(Clone, Debug)]
pub(crate) enum Start {
    /// These words as a command, without a shell. A word may be of unknown value (what `xargs` appends, what
    /// `find` puts for `{}`).
    Words(Vec<Word>),
    /// A text that a shell (bash or sh; both are read as bash) runs as a command line; the offset is that of the
    /// word it stands in. Further words become `$0`, `$1`, ...
    Line {
        /// The text.
        text: String,
        /// The words behind it.
        arguments: Vec<Word>,
        /// Byte offset.
        at: usize,
    },
    /// What stands on the program's standard input, as a command line: `bash -s`, bare `sh`.
    Input,
    /// Not a program but a shell builtin that runs a text in this very shell: `eval`, `trap`.
    Here(String, usize),
}

/// A file that a program would touch.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Touch {
    /// The path as named; `None` when it cannot be told.
    pub(crate) path: Option<String>,
    /// What is done with it.
    pub(crate) access: FileAccess,
    /// Whether all below it is meant too.
    pub(crate) is_deep: bool,
    /// Whether the path holds a glob that is not quoted.
    pub(crate) has_glob: bool,
    /// Byte offset of the word.
    pub(crate) at: usize,
}

/// Tells what the program of `words` (the program first) would do. `words` is never empty.
pub(crate) fn look(words: &[Word]) -> ProgramUse {
    let mut used = ProgramUse::default();
    let Some(name) = words.first().and_then(|word| word.value.as_deref()) else { return used };
    if is_of_a_process(name) {
        used.opaque.push("a program that another process holds");
        return used;
    }
    let Some(row) = rows::find(base_name(name)) else { return used };
    let call = Call::read(row, words);
    effects::apply(&call, &mut used);
    if let Some(hook) = row.hook {
        hook(&call, &mut used);
    }
    used.settle();
    used
}

/// Whether the path is that of whatever some process runs or has open.
fn is_of_a_process(path: &str) -> bool {
    let is_held = |part: &str| matches!(part, "exe" | "fd" | "map_files");
    path.split('/').any(|part| part == "proc") && path.split('/').any(is_held)
        || path.starts_with("/dev/fd/")
        || path.starts_with("/dev/std")
}

/// The last part of a path.
fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
