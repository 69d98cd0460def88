//! Path rules and safety on the files that a command line touches.

use crate::expand::{expand, is_wild, literal_folder};
use crate::findings::{Findings, HOLDING};
use crate::judge::{guard_path, hold_path, is_session_result};
use crate::judge_shell::Shell;
use crate::path_index::Wild;
use crate::paths::JudgedPath;
use crate::proc_path::{ProcPath, proc_path, proc_path_behind};
use crate::resolve::{resolve, unclear};
use crate::safety::{could_be_protected, is_critical_removal, is_repository_root};
use crate::shell_command::ShellCommand;
use crate::shell_copies::copies;
use crate::shell_place::ShellPlace;
use pegboard_tool_core::ports::{CommandReport, FileAccess, FileUse};
use pegboard_tool_core::{AccessMode, ContextSnapshot, RuleEffect, without_dots};
use std::path::{Component, Path, PathBuf};

const CANNOT_TELL: &str = "cannot tell whether it names a file of this line";

/// The files of a report. Whatever stands only in its older lists counts too.
pub(crate) fn files_of(report: &CommandReport) -> Vec<FileUse> {
    let mut files = report.files.clone();
    let lists = [
        (&report.reads, FileAccess::Read),
        (&report.writes, FileAccess::Write),
        (&report.removes, FileAccess::Remove),
    ];
    for (list, access) in lists {
        for path in list {
            let is_known = files
                .iter()
                .any(|file| file.path == *path && (file.access == access || access == FileAccess::Write));
            if !is_known {
                let mut file = FileUse::new(path.clone(), access, None, 0);
                file.is_redirection = true;
                files.push(file);
            }
        }
    }
    files
}

/// Whether `named` is one of the shell's own streams, or nothing.
pub(crate) fn is_standard_stream(named: &str) -> bool {
    matches!(
        named,
        "/dev/null"
            | "/dev/stdin"
            | "/dev/stdout"
            | "/dev/stderr"
            | "/dev/tty"
            | "/dev/fd/0"
            | "/dev/fd/1"
            | "/dev/fd/2"
            | "/proc/self/fd/0"
            | "/proc/self/fd/1"
            | "/proc/self/fd/2"
    )
}

/// Whether bash opens a connection instead of a file.
pub(crate) fn is_network(named: &str) -> bool {
    named.starts_with("/dev/tcp/") || named.starts_with("/dev/udp/")
}

impl Shell<'_> {
    /// Path rules and safety on one file.
    pub(crate) fn hold_file(
        &self,
        file: &FileUse,
        commands: &[ShellCommand<'_>],
        place: &ShellPlace,
        findings: &mut Findings,
    ) {
        let is_write = file.access != FileAccess::Read;
        let command = file.command.and_then(|at| commands.get(at));
        let mut file = file.clone();
        file.is_deep &= file.access != FileAccess::Remove || command.is_none_or(removes_folders);
        let file = &file;
        let named = match file.path.as_deref() {
            Some(named) if is_standard_stream(named) => return,
            Some(named) => named,
            None => return self.hold_unknown(file, findings),
        };
        findings.writes_files |= is_write;
        if file.access == FileAccess::Remove {
            let is_picky = command.is_some_and(picks_by_name);
            let takes_link = command.is_some_and(|command| {
                matches!(command.run.program.as_deref(), Some("rm" | "rmdir" | "unlink" | "mv"))
            });
            self.guard_removal(named, file, Removal { is_picky, takes_link }, place, findings);
        }
        if is_write && let Some(name) = could_be_protected(named).filter(|_| named.contains(['*', '?', '[']))
        {
            findings.guard(format!("`{named}` could be {name}"));
        }
        let has_rules = HOLDING.iter().any(|effect| self.rules.of(*effect).has_path_rules(is_write));
        if !place.tells(named) {
            if has_rules {
                self.hold_any_path_rule(is_write, findings);
            }
            // It could be in a folder that is protected.
            if is_write && !Path::new(named).is_absolute() {
                findings.guard(format!("where `{named}` is cannot be told"));
            }
        }
        if !is_write && !has_rules && !self.config.asks_before_reads_outside {
            return;
        }
        let is_copy = file.access == FileAccess::Write && command.is_some_and(|command| copies(command));
        for absolute in place.paths(named) {
            if file.has_glob {
                self.hold_glob(&absolute, file, findings);
            } else {
                self.hold_place(&absolute, file, is_copy, findings);
            }
        }
    }

    /// A file that is not told could be any that a rule names; one that changes is put to a person.
    fn hold_unknown(&self, file: &FileUse, findings: &mut Findings) {
        match file.access {
            FileAccess::Read => self.hold_any_path_rule(false, findings),
            FileAccess::Write => {
                findings.writes_files = true;
                findings.guard("which file is written cannot be told");
                self.hold_any_path_rule(true, findings);
            }
            FileAccess::Remove => {
                findings.writes_files = true;
                findings.guard("what is removed cannot be told");
                self.hold_any_path_rule(true, findings);
            }
        }
    }

    /// A path rule may mean what nobody can tell.
    pub(crate) fn hold_any_path_rule(&self, is_write: bool, findings: &mut Findings) {
        for effect in HOLDING {
            let id = self.rules.of(effect).first_path_rule(is_write);
            findings.hold(self.rules, RuleEffect::Ask, id, CANNOT_TELL);
        }
    }

    fn hold_place(&self, absolute: &Path, file: &FileUse, is_copy: bool, findings: &mut Findings) {
        let mode = mode_of(file.access);
        let path = JudgedPath::of_shell(absolute, mode, false, self.call.ctx);
        hold_path(&path, self.rules, &self.ground, findings);
        if mode == AccessMode::Write {
            guard_path(&path, self.call.ctx, self.config, &self.ground, findings);
            if path.canonical.is_none() {
                findings.guard(unclear(&path.named));
            }
        } else if self.config.asks_before_reads_outside
            && !path.is_inside
            && !is_session_result(&path, self.call.ctx)
        {
            findings.insist("it reads outside the working directories");
        }
        if file.is_deep {
            // What a copy puts there is compared with what it takes.
            let wild = if file.access != FileAccess::Write || is_copy { Wild::Not } else { Wild::Too };
            if file.access != FileAccess::Write
                && let Some(top) = &path.canonical
            {
                self.hold_found_below(&path, top, findings);
            }
            self.hold_below(&path, mode, wild, findings);
        }
    }

    /// Rules that name something below a folder that is touched with all that it holds.
    fn hold_below(&self, path: &JudgedPath, mode: AccessMode, wild: Wild, findings: &mut Findings) {
        let heres = self.ground.forbidding();
        for effect in HOLDING {
            let rules_of = self.rules.of(effect);
            let mut ids = Vec::new();
            if mode == AccessMode::Read || effect == RuleEffect::Deny {
                ids.push(rules_of.read.could_forbid_below(path, wild, &heres));
            }
            if mode == AccessMode::Write {
                ids.push(rules_of.edit.could_forbid_below(path, wild, &heres));
            }
            for id in ids {
                findings.hold(self.rules, RuleEffect::Ask, id, CANNOT_TELL);
            }
        }
    }

    /// A glob stands for what it matches now, and for whatever a rule names that it could match.
    fn hold_glob(&self, pattern: &Path, file: &FileUse, findings: &mut Findings) {
        let mode = mode_of(file.access);
        let heres = self.ground.forbidding();
        for effect in HOLDING {
            let rules_of = self.rules.of(effect);
            let mut ids = Vec::new();
            if mode == AccessMode::Read || effect == RuleEffect::Deny {
                ids.push(rules_of.read.could_forbid_glob(pattern, file.is_deep, &heres));
            }
            if mode == AccessMode::Write {
                ids.push(rules_of.edit.could_forbid_glob(pattern, file.is_deep, &heres));
            }
            for id in ids {
                findings.hold(self.rules, RuleEffect::Ask, id, CANNOT_TELL);
            }
        }
        match expand(pattern) {
            Some(found) => found.iter().for_each(|path| self.hold_place(path, file, false, findings)),
            None => {
                let folder = literal_folder(pattern);
                let path = JudgedPath::of_shell(&folder, mode, false, self.call.ctx);
                self.hold_below(&path, mode, Wild::Too, findings);
            }
        }
    }

    fn guard_removal(
        &self,
        named: &str,
        file: &FileUse,
        removal: Removal,
        place: &ShellPlace,
        findings: &mut Findings,
    ) {
        let ctx = self.call.ctx;
        let real = Grounds::of(ctx);
        for raw in place.paths(named) {
            let places = spellings(&raw, removal.takes_link && !named.ends_with('/'), ctx);
            let is_spared = |at: &PathBuf| {
                removal.is_picky && (*at == ctx.project_dir || *at == ctx.cwd || real.is_ground(at))
            };
            let is_critical = |cwd: &Path| {
                places.iter().filter(|at| !is_spared(at)).any(|at| {
                    is_critical_removal(named, at, cwd, ctx)
                        || is_critical_removal(named, at, &real.ctx.cwd, &real.ctx)
                })
            };
            if place.folders.iter().any(|cwd| is_critical(cwd)) {
                findings.guard(format!("removing `{named}` would take away more than a build folder"));
            }
            let is_whole = file.is_deep && !file.has_glob && !removal.is_picky;
            if is_whole && places.iter().any(|at| is_repository_root(at)) {
                findings.guard(format!("`{named}` is a repository with its history"));
            }
        }
    }
}

/// How a command removes.
#[derive(Clone, Copy, Debug)]
struct Removal {
    /// Only what has a certain name below the target.
    is_picky: bool,
    /// A link itself, not what it leads to.
    takes_link: bool,
}

/// The folders that we stand on, links resolved.
struct Grounds {
    ctx: ContextSnapshot,
}

impl Grounds {
    fn of(ctx: &ContextSnapshot) -> Self {
        let mut ctx = ctx.clone();
        let real = |path: &Path| resolve(path).unwrap_or_else(|| path.to_path_buf());
        ctx.cwd = real(&ctx.cwd);
        ctx.project_dir = real(&ctx.project_dir);
        ctx.home = ctx.home.as_deref().map(real);
        ctx.directories.iter_mut().for_each(|directory| *directory = real(directory));
        Self { ctx }
    }

    fn is_ground(&self, path: &Path) -> bool {
        path == self.ctx.project_dir || path == self.ctx.cwd
    }
}

/// Every path that a removal of `raw` could take away: as named, in the folder where its own folder leads, behind
/// names under `/proc`, and where it leads unless a link itself is taken.
fn spellings(raw: &Path, takes_link: bool, ctx: &ContextSnapshot) -> Vec<PathBuf> {
    let named = without_dots(raw);
    let mut found = vec![named.clone()];
    let mut add = |path: PathBuf| {
        if !found.contains(&path) {
            found.push(path);
        }
    };
    // A wildcard in a folder's name stands for the folders that are there.
    let folder = raw.parent().unwrap_or(raw);
    let is_wild_folder = folder.components().any(|part| is_wild(&part.as_os_str().to_string_lossy()));
    let folders =
        if is_wild_folder { expand(folder).unwrap_or_default() } else { vec![folder.to_path_buf()] };
    let ends_in_name = matches!(raw.components().next_back(), Some(Component::Normal(_)));
    for folder in folders.iter().filter(|_| ends_in_name) {
        let Some(name) = raw.file_name() else { continue };
        resolve(folder).into_iter().for_each(|folder| add(folder.join(name)));
        if let ProcPath::Means(folder) | ProcPath::Perhaps(folder) = proc_path_behind(folder, ctx) {
            add(folder.join(name));
        }
    }
    let follows = !takes_link || !ends_in_name || raw != named;
    if follows {
        resolve(raw).into_iter().for_each(&mut add);
    }
    // What stands under `/proc` is no link that could be taken away.
    let in_proc = if follows { proc_path_behind(raw, ctx) } else { proc_path(&named, ctx) };
    if let ProcPath::Means(path) | ProcPath::Perhaps(path) = in_proc {
        add(without_dots(&path));
        resolve(&path).into_iter().for_each(add);
    }
    found
}

/// Tests of `find` that pick what has a certain name or is empty.
const PICKING: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-lname",
    "-ilname",
];

/// Whether `find` takes only what has a certain name: nothing in its expression takes that back, and the pattern is
/// more than wildcards.
fn picks_by_name(command: &ShellCommand<'_>) -> bool {
    let Some(words) = command.known_words().filter(|words| words.first() == Some(&"find")) else {
        return false;
    };
    let widens = |word: &&str| matches!(*word, "-o" | "-or" | "," | "!" | "-not" | "(" | ")" | "\\(" | "\\)");
    if words.iter().any(widens) {
        return false;
    }
    words.windows(2).any(|pair| {
        let [test, pattern] = pair else { return false };
        let says =
            pattern.chars().any(|letter| !matches!(letter, '*' | '?' | '.' | '/' | '+' | '^' | '$' | '\\'));
        PICKING.contains(test) && says && !pattern.contains('[')
    }) || words.contains(&"-empty")
}

/// Whether a removal takes folders too: `rm` does only when told so.
fn removes_folders(command: &ShellCommand<'_>) -> bool {
    if command.run.program.as_deref() != Some("rm") {
        return true;
    }
    let words = command.run.argv.iter().skip(1).take_while(|word| word.as_deref() != Some("--"));
    let mut words = words.map(Option::as_deref);
    words.any(|word| match word.map(|word| (word.starts_with("--"), word)) {
        Some((true, word)) => word.starts_with("--r"),
        Some((false, word)) => word.starts_with('-') && word.contains(['r', 'R']),
        // A name that a glob finds could be an option.
        None => !command.run.has_glob || [" *", " ?", " ["].iter().any(|glob| command.source.contains(glob)),
    })
}

fn mode_of(access: FileAccess) -> AccessMode {
    match access {
        FileAccess::Read => AccessMode::Read,
        FileAccess::Write | FileAccess::Remove => AccessMode::Write,
    }
}
