//! Copies, moves and links of whole folders: what they put where.

use crate::expand::{expand, is_wild};
use crate::findings::Findings;
use crate::judge_shell::{Reading, Shell};
use crate::paths::JudgedPath;
use crate::safety::protected_below;
use crate::shell_command::ShellCommand;
use crate::shell_place::ShellPlace;
use pegboard_tool_core::AccessMode;
use pegboard_tool_core::ports::{FileAccess, FileUse};
use std::path::PathBuf;

/// Takes the depth from files of commands that find no folder: what is copied or moved is a file then.
pub(crate) fn settle_depth(files: &mut [FileUse], commands: &[ShellCommand<'_>], place: &ShellPlace) {
    let is_file = |file: &FileUse| {
        let named = file.path.as_deref().filter(|named| !file.has_glob && place.tells(named));
        named.is_some_and(|named| {
            let paths = place.paths(named);
            paths.iter().any(|path| path.exists()) && !paths.iter().any(|path| path.is_dir())
        })
    };
    for at in 0..commands.len() {
        let mut sources = files
            .iter()
            .filter(|file| file.command == Some(at) && file.is_deep && file.access == FileAccess::Read);
        let mut count = 0;
        let all_files = sources.all(|file| {
            count += 1;
            is_file(file)
        });
        if count > 0 && all_files {
            files.iter_mut().filter(|file| file.command == Some(at)).for_each(|file| file.is_deep = false);
        }
    }
}

/// Whether a command puts what it takes from a folder elsewhere under the same names.
pub(crate) fn copies(command: &ShellCommand<'_>) -> bool {
    matches!(command.run.program.as_deref(), Some("cp" | "mv"))
}

impl Shell<'_> {
    /// A copy or a move of a folder that holds something protected makes a name for that elsewhere.
    pub(crate) fn guard_copies(&self, reading: &Reading<'_>, findings: &mut Findings) {
        for (at, command) in reading.commands.iter().enumerate() {
            let of = |access| {
                reading
                    .files
                    .iter()
                    .filter(move |file| file.command == Some(at) && file.access == access && file.is_deep)
            };
            // A link shows the same folder under another name.
            if command.run.program.as_deref() == Some("ln") || of(FileAccess::Write).next().is_none() {
                continue;
            }
            for named in of(FileAccess::Read).filter_map(|file| file.path.as_deref()) {
                for folder in reading.place.paths(named) {
                    let folders =
                        if is_wild(named) { expand(&folder).unwrap_or_default() } else { vec![folder] };
                    for target in of(FileAccess::Write).filter(|_| copies(command)) {
                        self.hold_copied(target, &folders, &reading.place, findings);
                    }
                    if let Some(name) = folders.iter().find_map(|folder| protected_below(folder)) {
                        findings.guard(format!("`{named}` holds {name}, and puts it elsewhere"));
                    }
                }
            }
        }
    }

    /// Rules on what a copy of `folders` makes below its target.
    fn hold_copied(
        &self,
        target: &FileUse,
        folders: &[PathBuf],
        place: &ShellPlace,
        findings: &mut Findings,
    ) {
        for named in target.path.iter().flat_map(|named| place.paths(named)) {
            let path = JudgedPath::of_shell(&named, AccessMode::Write, false, self.call.ctx);
            for top in folders {
                self.hold_found_below(&path, top, findings);
            }
        }
    }
}
