//! Command lines against closed paths. A line that names a closed path is refused; one that could touch one is put to
//! a person: a folder with all that it holds, a file that is not told, a part that is not understood, a mention in
//! code. What a program opens of its own accord is not seen here: only a sandbox keeps it out.

use super::folders::Folders;
use super::shells::{Handed, Reader};
use super::{git, glob, mention, shown, why};
use crate::blocking::blocking;
use crate::services::Services;
use pegboard_tool_core::ports::{
    ClosedPaths, CommandNature, CommandReport, CommandUse, FileAccess, FileUse, ShellStart,
};
use pegboard_tool_core::{AccessMode, ToolCheck, ToolContext};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the closed paths say about the line `text` of Bash, of which `report` is told.
pub(crate) async fn line(
    services: &Services,
    report: Option<Arc<CommandReport>>,
    text: &str,
    ctx: &ToolContext,
) -> ToolCheck {
    let Some(policy) = services.access_policy.clone() else { return ToolCheck::PassThrough };
    // Some stamps of files are looked at here and now: where nothing is closed, a call waits for nothing.
    let Some(closed) = policy.closed(ctx) else { return ToolCheck::PassThrough };
    let (handed, ctx) = (Handed { text: text.to_owned(), reader: Reader::OfBash }, ctx.clone());
    let look = move || Ok(judge(&*closed, report, &handed, &ctx));
    blocking(look).await.unwrap_or_else(|error| ToolCheck::Deny(error.model_text.into_owned()))
}

/// The same about what another tool hands to a shell.
pub(super) fn handed(
    services: &Services,
    closed: &dyn ClosedPaths,
    handed: &Handed,
    ctx: &ToolContext,
) -> ToolCheck {
    let mut start = ShellStart::bash(start_of(&handed.reader, ctx).unwrap_or(&ctx.cwd), ctx.home.clone());
    if matches!(handed.reader, Reader::OfBash) {
        start.is_bash = services.shell.is_bash();
        start.shadowed = services.shell.shadowed();
    }
    let report = services.analyzer.as_ref().map(|analyzer| analyzer.analyze(&handed.text, &start));
    judge(closed, report, handed, ctx)
}

/// Where the shell starts, when that is known.
fn start_of<'a>(reader: &'a Reader, ctx: &'a ToolContext) -> Option<&'a PathBuf> {
    match reader {
        Reader::OfBash | Reader::New => Some(&ctx.cwd),
        Reader::Kept(place) => place.as_ref(),
    }
}

fn judge(
    closed: &dyn ClosedPaths,
    report: Option<Arc<CommandReport>>,
    handed: &Handed,
    ctx: &ToolContext,
) -> ToolCheck {
    let report =
        report.unwrap_or_else(|| Arc::new(CommandReport::opaque("nobody can read command lines here", 0)));
    let folders = Folders::of(&report, start_of(&handed.reader, ctx).map(PathBuf::as_path), ctx);
    let mut line = Line { closed, ctx, folders, text: &handed.text, denied: None, doubt: None };
    line.judge(&report);
    if matches!(handed.reader, Reader::Kept(_)) {
        line.hold_options(&report);
    }
    match (line.denied, line.doubt) {
        (Some(reason), _) => ToolCheck::Deny(reason),
        (None, Some(reason)) => ToolCheck::Ask(reason),
        (None, None) => ToolCheck::PassThrough,
    }
}

struct Line<'a> {
    closed: &'a dyn ClosedPaths,
    ctx: &'a ToolContext,
    folders: Folders,
    text: &'a str,
    denied: Option<String>,
    doubt: Option<String>,
}

impl Line<'_> {
    fn judge(&mut self, report: &CommandReport) {
        let folders = self.folders.list.clone();
        folders.iter().for_each(|folder| self.hold(folder, AccessMode::Read));
        files_of(report).iter().for_each(|file| self.file(file));
        let others = report.commands.iter().filter(|command| {
            matches!(command.nature, CommandNature::Other | CommandNature::ReadOnlyInTrusted)
        });
        others.for_each(|command| self.words(command));
        if report.commands.iter().any(is_untold) {
            let mentioned = mention::closed_in(self.text, &folders, self.closed, self.ctx);
            self.doubt(mentioned.unwrap_or_else(|| {
                "a command of it cannot be told, and some files are closed by ignore files; name the command"
                    .to_owned()
            }));
        }
        if report.commands.iter().any(git::may_rewrite) {
            self.doubt("git may change .pegboardignore or .clineignore, which only people do".to_owned());
        }
        if let Some(part) = report.opaque.first() {
            let mentioned = mention::closed_in(self.text, &folders, self.closed, self.ctx);
            self.doubt(mentioned.unwrap_or_else(|| {
                format!("it cannot be told whether it touches what the ignore files close: {}", part.reason)
            }));
        }
    }

    /// A shell that stays keeps its options, and what a glob means later hangs on them.
    fn hold_options(&mut self, report: &CommandReport) {
        let changes = |command: &CommandUse| {
            command.program.as_deref() == Some("shopt")
                && command.argv.iter().skip(1).any(|word| {
                    word.as_deref().is_none_or(|word| word.starts_with('-') && word.contains(['s', 'u']))
                })
        };
        if report.commands.iter().any(changes) {
            self.doubt(
                "`shopt` changes how later code is read, and some files are closed by ignore files"
                    .to_owned(),
            );
        }
    }

    fn hold(&mut self, path: &Path, mode: AccessMode) {
        if self.denied.is_none() {
            self.denied = why(self.closed, path, mode, self.ctx);
        }
    }

    fn doubt(&mut self, reason: String) {
        self.doubt.get_or_insert(reason);
    }

    fn file(&mut self, file: &FileUse) {
        let (mode, verb) = match file.access {
            FileAccess::Read => (AccessMode::Read, "reads"),
            FileAccess::Write => (AccessMode::Write, "writes"),
            FileAccess::Remove => (AccessMode::Write, "removes"),
        };
        let Some(named) = file.path.as_deref() else {
            return self.doubt(format!(
                "which file it {verb} cannot be told, and some are closed by ignore files; name the file"
            ));
        };
        if is_no_file(named) {
            return;
        }
        if !self.folders.tells(named, self.ctx) {
            self.doubt(format!(
                "where `{named}` is cannot be told, and some files are closed by ignore files"
            ));
        }
        for path in self.folders.paths(named, self.ctx) {
            if !file.has_glob {
                self.place(&path, mode, file.is_deep);
                continue;
            }
            match glob::expand(&path) {
                Some(found) => found.iter().for_each(|path| self.place(path, mode, file.is_deep)),
                None => self.doubt(format!(
                    "which files `{named}` stands for cannot be told, and some are closed by ignore files"
                )),
            }
        }
    }

    fn place(&mut self, path: &Path, mode: AccessMode, is_deep: bool) {
        self.hold(path, mode);
        if is_deep
            && self.denied.is_none()
            && let Some(reason) = self.closed.below(path, mode)
        {
            self.doubt(format!("{} {reason}; Glob and Grep leave them out", shown(path, self.ctx)));
        }
    }

    /// Words of a program of which it is not known what files it opens: one that is a closed path is taken for one that
    /// it opens.
    fn words(&mut self, command: &CommandUse) {
        // The words of a glob are not told: what it means now is looked up in the text.
        if command.has_glob
            && let Some(reason) =
                mention::closed_by_pattern(&command.text, &self.folders.list, self.closed, self.ctx, |_| true)
        {
            self.doubt(reason);
        }
        for word in command.argv.iter().skip(1).flatten() {
            let pieces = word.split(['=', '@', ':', ',']).chain([word.as_str()]);
            for piece in pieces.filter(|piece| !piece.is_empty() && !piece.contains(char::is_whitespace)) {
                for path in self.folders.paths(piece, self.ctx) {
                    if path.symlink_metadata().is_ok() {
                        self.hold(&path, AccessMode::Read);
                    }
                }
            }
            if let Some(reason) = mention::closed_in(word, &self.folders.list, self.closed, self.ctx) {
                self.doubt(reason);
            }
        }
    }
}

/// Whether `command` runs a program that nobody can tell. One without words only assigns.
fn is_untold(command: &CommandUse) -> bool {
    !command.argv.is_empty()
        && (command.program.is_none() || command.argv.first().is_some_and(Option::is_none))
}

/// The files of a report, those of its plain lists too.
fn files_of(report: &CommandReport) -> Vec<FileUse> {
    let mut files = report.files.clone();
    let lists = [
        (&report.reads, FileAccess::Read),
        (&report.writes, FileAccess::Write),
        (&report.removes, FileAccess::Remove),
    ];
    for (list, access) in lists {
        for path in list {
            if !files.iter().any(|file| file.path == *path && file.access == access) {
                files.push(FileUse::new(path.clone(), access, None, 0));
            }
        }
    }
    files
}

/// Whether `named` is one of the shell's own streams, nothing, or a connection.
fn is_no_file(named: &str) -> bool {
    let streams = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"];
    streams.contains(&named)
        || ["/dev/tcp/", "/dev/udp/"].iter().any(|net| named.starts_with(net))
        || ["/dev/fd/", "/proc/self/fd/"]
            .iter()
            .any(|fd| named.strip_prefix(fd).is_some_and(|number| matches!(number, "0" | "1" | "2")))
}
