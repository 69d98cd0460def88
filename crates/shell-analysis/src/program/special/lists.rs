//! Programs that look at lists of files: folders, recursion, check sums, pieces.

use pegboard_tool_core::ports::{CommandNature, FileAccess};

use crate::word::Word;

use super::super::ProgramUse;
use super::super::call::Call;

/// `md5sum -c FILE` reads the files that the list names.
pub(in super::super) fn digest(call: &Call<'_>, used: &mut ProgramUse) {
    if call.has(&["-c"]) {
        used.unknown_file(FileAccess::Read, call.at());
    }
}

/// `diff` reads folders as a whole with `-r`.
pub(in super::super) fn folders(call: &Call<'_>, used: &mut ProgramUse) {
    if call.has(&["-r"]) {
        used.deepen(FileAccess::Read);
        if !call.has(&["--no-dereference"]) {
            used.follows_links(call.at());
        }
    }
}

/// `grep` with `-r` reads folders as a whole, the working folder when none is named.
pub(in super::super) fn grep(call: &Call<'_>, used: &mut ProgramUse) {
    let recurses = call.options.iter().any(|given| {
        matches!(given.known.name, "-r" | "-R")
            || given.known.name == "-d"
                && given.value.as_ref().is_none_or(|value| {
                    value.value.as_deref() != Some("skip") && value.value.as_deref() != Some("read")
                })
    });
    if recurses {
        here(call, used, usize::from(!is_scripted(call)), true);
    }
    if call.has(&["-R"]) {
        used.follows_links(call.at());
    }
}

/// The same for programs that always look below folders, with a pattern first.
pub(in super::super) fn here_deep_after_pattern(call: &Call<'_>, used: &mut ProgramUse) {
    here(call, used, usize::from(!is_scripted(call)), true);
    let follows = match call.row.name {
        "ag" => call.has(&["f"]),
        _ => call.words.iter().any(|word| word.prefix.starts_with("--fo")),
    };
    if follows {
        used.follows_links(call.at());
    }
}

/// `ls` lists the working folder when none is named.
pub(in super::super) fn ls(call: &Call<'_>, used: &mut ProgramUse) {
    here(call, used, 0, false);
    if call.has(&["-L"]) && call.has(&["-R"]) {
        used.follows_links(call.at());
    }
}

/// `du`, `tree`: the names below the folders are listed, not what is in the files.
pub(in super::super) fn here_deep(call: &Call<'_>, used: &mut ProgramUse) {
    for touch in &mut used.files {
        touch.is_deep = false;
    }
    here(call, used, 0, false);
    let follows = if call.row.name == "tree" { "l" } else { "-L" };
    if call.has(&[follows]) {
        used.follows_links(call.at());
    }
}

/// ripgrep.
pub(in super::super) fn ripgrep(call: &Call<'_>, used: &mut ProgramUse) {
    let has_pattern = !is_scripted(call) && !call.has(&["--files", "--type-list"]);
    if call.has(&["--files"])
        && let Some((_, first)) = call.operands.first()
        && !is_scripted(call)
    {
        used.touch(first, FileAccess::Read, true);
    }
    here(call, used, usize::from(has_pattern), true);
    if call.has(&["-L"]) {
        used.follows_links(call.at());
    }
}

/// jq: a filter, then files; `--arg` and the like take two words each.
pub(in super::super) fn jq(call: &Call<'_>, used: &mut ProgramUse) {
    let mut skip = 0;
    for given in &call.options {
        match given.known.name {
            "--arg" | "--argjson" => skip += 2,
            "--slurpfile" | "--rawfile" => {
                skip += 2;
                used.unknown_file(FileAccess::Read, given.at);
            }
            _ => {}
        }
    }
    let has_filter_file = call.has(&["-f"]);
    let operands = call.operands.iter().skip(if skip > 0 { 0 } else { usize::from(!has_filter_file) });
    for (_, word) in operands {
        used.touch(word, FileAccess::Read, false);
    }
    // A filter can load modules and read the environment.
    let filter = call.operands.iter().find_map(|(_, word)| word.value.as_deref());
    if has_filter_file
        || skip > 0
        || filter.is_none_or(|text| {
            ["import", "include", "env", "ENV", "input_filename"].iter().any(|word| text.contains(word))
        })
    {
        used.nature = CommandNature::Other;
    }
}

/// `split`, `csplit`: pieces beside each other, under a prefix.
pub(in super::super) fn writes_pieces(call: &Call<'_>, used: &mut ProgramUse) {
    if call.has(&["--filter"]) {
        return;
    }
    let (prefix, usual) = match call.row.name {
        "split" => (call.operands.get(1).map(|(_, word)| *word), "x"),
        _ => (call.option("-f").and_then(|given| given.value.as_ref()), "xx"),
    };
    let usual = Word::known(usual, call.at());
    match prefix.unwrap_or(&usual) {
        word if word.value.is_some() && !word.has_glob => {
            let path = format!("{}*", word.value.as_deref().unwrap_or_default());
            used.path(path, FileAccess::Write, false, word.at);
            if let Some(touch) = used.files.last_mut() {
                touch.has_glob = true;
            }
        }
        _ => used.unknown_file(FileAccess::Write, call.at()),
    }
}

fn is_scripted(call: &Call<'_>) -> bool {
    call.has(&["-e", "-f"])
}

/// The working folder is looked at when fewer than these operands are given.
fn here(call: &Call<'_>, used: &mut ProgramUse, before: usize, is_deep: bool) {
    if call.operands.len() <= before {
        used.path(".", FileAccess::Read, is_deep, call.at());
    }
    if is_deep {
        let first = call.operands.get(before).map(|(_, word)| word.at);
        for touch in &mut used.files {
            touch.is_deep |= touch.access == FileAccess::Read && first.is_some_and(|at| touch.at >= at);
        }
    }
}

impl ProgramUse {
    /// All below the folders that are accessed this way is meant.
    pub(in super::super) fn deepen(&mut self, access: FileAccess) {
        for touch in &mut self.files {
            touch.is_deep |= touch.access == access;
        }
    }
}
