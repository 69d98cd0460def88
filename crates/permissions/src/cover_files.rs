//! What lets the files of a command line be opened: that they are inside the working directories, a path rule, or
//! the mode.

use crate::expand::{expand, literal_folder};
use crate::judge::permits;
use crate::paths::JudgedPath;
use crate::shell_cover::{Cover, Covers};
use crate::shell_files::{is_network, is_standard_stream};
use pegboard_tool_core::AccessMode;
use pegboard_tool_core::ports::{FileAccess, FileUse};
use std::path::Path;

impl Covers<'_> {
    pub(crate) fn files_of(&self, at: usize) -> impl Iterator<Item = &FileUse> {
        let files = self.reading.files.iter();
        files.filter(move |file| {
            file.command == Some(at) && (!file.is_redirection || file.access == FileAccess::Read)
        })
    }

    /// What lets the shell open a file for a redirection.
    pub(crate) fn of_redirection(&self, file: &FileUse) -> Cover {
        let Some(named) = file.path.as_deref() else { return Cover::default() };
        if is_standard_stream(named) {
            return Cover::looks();
        }
        let is_told = self.reading.place.tells(named) && !is_network(named);
        if file.access == FileAccess::Read {
            // The command's own cover looks at it too; a rule for the command covers what it is fed.
            let by_command = file.command.is_some_and(|at| self.rule_from_above(at).is_some());
            let is_fine = is_told && (by_command || self.is_inside(file) || self.read_rule(file).is_some());
            return if is_fine { Cover::looks() } else { Cover::default() };
        }
        if !is_told || file.has_glob || named.starts_with('~') {
            return Cover::default();
        }
        let mut cover = Cover { edit: true, ..Cover::default() };
        let mut ids = Vec::new();
        for absolute in self.reading.place.paths(named) {
            let path = self.judged(&absolute, AccessMode::Write);
            cover.edit &= path.is_inside;
            ids.push(permits(&path, self.shell.rules, &self.shell.ground));
        }
        cover.rule = ids.into_iter().collect::<Option<Vec<u32>>>().and_then(|ids| ids.into_iter().min());
        cover
    }

    /// The Read rule that lets all of `file` be looked at that is not inside.
    pub(crate) fn read_rule(&self, file: &FileUse) -> Option<u32> {
        let named = file.path.as_deref().filter(|named| self.reading.place.tells(named))?;
        if file.has_glob || file.access != FileAccess::Read {
            return None;
        }
        let mut best = None;
        for absolute in self.reading.place.paths(named) {
            let mut path = self.judged(&absolute, AccessMode::Read);
            if path.is_inside {
                continue;
            }
            path.is_tree = file.is_deep || absolute.is_dir();
            let id = self.reads_by_rule(&path)?;
            best = Some(best.map_or(id, |best: u32| best.min(id)));
        }
        best
    }

    pub(crate) fn reads_by_rule(&self, path: &JudgedPath) -> Option<u32> {
        permits(path, self.shell.rules, &self.shell.ground)
    }

    pub(crate) fn judged(&self, path: &Path, mode: AccessMode) -> JudgedPath {
        JudgedPath::of_shell(path, mode, false, self.shell.call.ctx)
    }

    /// Whether all that `file` stands for is inside the working directories.
    pub(crate) fn is_inside(&self, file: &FileUse) -> bool {
        let Some(named) = file.path.as_deref() else { return false };
        if is_standard_stream(named) {
            return true;
        }
        if !self.reading.place.tells(named) {
            return false;
        }
        self.reading.place.paths(named).iter().all(|absolute| {
            if !file.has_glob {
                return self.judged(absolute, AccessMode::Read).is_inside;
            }
            let folder = literal_folder(absolute);
            self.judged(&folder, AccessMode::Read).is_inside
                && expand(absolute).is_some_and(|found| {
                    found.iter().all(|path| self.judged(path, AccessMode::Read).is_inside)
                })
        })
    }
}
