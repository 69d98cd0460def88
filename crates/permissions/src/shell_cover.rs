//! What lets the parts of a command line run: a rule of their own or of what starts them, that they only look, or
//! the mode. Every part needs one.

use crate::judge_shell::{MAX_LINE, Reading, Shell};
use crate::rule_set::Only;
use crate::shell_command::ShellCommand;
use crate::shell_place::{CdTarget, cd_target};
use pegboard_tool_core::ports::CommandNature;
use pegboard_tool_core::{AccessMode, PermissionMode, RuleEffect};
use std::path::Path;

/// Programs that run what they are given in ways that no prefix tells: only a rule for exactly this line allows them.
const NEED_EXACT: [&str; 4] = ["watch", "setsid", "ionice", "flock"];

/// Programs that are there to run others: a pattern that covers them covers what they run. What others start by an
/// option or a script (`tar --to-command`, `sort --compress-program`, `awk`) needs a cover of its own.
const RUN_OTHERS: &[&str] = &[
    "ash",
    "bash",
    "bun",
    "bunx",
    "bundle",
    "busybox",
    "caffeinate",
    "chroot",
    "chrt",
    "chronic",
    "command",
    "conda",
    "dash",
    "devbox",
    "direnv",
    "doas",
    "docker",
    "env",
    "eval",
    "exec",
    "firejail",
    "fish",
    "hatch",
    "kubectl",
    "ksh",
    "ltrace",
    "mise",
    "nerdctl",
    "nix",
    "npm",
    "npx",
    "nsenter",
    "parallel",
    "pdm",
    "pipenv",
    "pipx",
    "pnpm",
    "pnpx",
    "podman",
    "poetry",
    "prlimit",
    "pty",
    "rlwrap",
    "runuser",
    "rustup",
    "script",
    "setpriv",
    "sh",
    "ssh",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "toybox",
    "unbuffer",
    "unshare",
    "uv",
    "uvx",
    "xargs",
    "xvfb-run",
    "yarn",
    "zsh",
];

/// What lets one part of a line run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cover {
    /// It only looks, inside the working directories.
    pub(crate) read_only: bool,
    /// It changes files in a known way, inside the working directories.
    pub(crate) edit: bool,
    /// This rule.
    pub(crate) rule: Option<u32>,
}

impl Cover {
    pub(crate) fn looks() -> Self {
        Self { read_only: true, ..Self::default() }
    }

    /// Whether it may run in the default mode.
    pub(crate) fn holds(&self) -> bool {
        self.read_only || self.rule.is_some()
    }
}

/// The covers of one line.
pub(crate) struct Covers<'s> {
    pub(crate) shell: &'s Shell<'s>,
    pub(crate) reading: &'s Reading<'s>,
    /// For each command the rule for itself.
    own: Vec<Option<u32>>,
    /// For each command the rule that covers what it starts too.
    passed_on: Vec<Option<u32>>,
}

impl<'s> Covers<'s> {
    pub(crate) fn new(shell: &'s Shell<'s>, reading: &'s Reading<'s>) -> Self {
        let mut covers = Self { shell, reading, own: Vec::new(), passed_on: Vec::new() };
        let rules = reading.commands.iter().enumerate().map(|(at, command)| {
            let own = covers.rule(at, command, Only::All);
            let runs_others =
                command.run.program.as_deref().is_some_and(|program| RUN_OTHERS.contains(&program));
            let passed_on = if runs_others { own } else { covers.rule(at, command, Only::Exact) };
            (own, passed_on)
        });
        let (own, passed_on) = rules.unzip();
        covers.own = own;
        covers.passed_on = passed_on;
        covers
    }

    /// The cover of every command, then of every redirection.
    pub(crate) fn all(&self) -> Vec<Cover> {
        let commands = (0..self.reading.commands.len()).map(|at| self.of(at));
        let files = self.reading.files.iter().filter(|file| file.is_redirection);
        commands.chain(files.map(|file| self.of_redirection(file))).collect()
    }

    /// The rule for a command, whatever starts it.
    fn rule(&self, at: usize, command: &ShellCommand<'_>, only: Only) -> Option<u32> {
        if !command.is_harmless || command.program().is_none() {
            return None;
        }
        let only = match self.shell.call.ctx.mode {
            _ if only == Only::Exact || self.needs_exact(at, command) => Only::Exact,
            PermissionMode::Auto => Only::NotBroad,
            _ => Only::All,
        };
        if self.shell.is_suspended() {
            return None;
        }
        let allow = self.shell.rules.of(RuleEffect::Allow);
        let texts = command.permitted_texts();
        texts.iter().find_map(|(program, text)| allow.permits(self.shell.name, program, text, only))
    }

    /// A transparent wrapper is looked through: a pattern for it means no command. `find` that does more than look
    /// can do anything.
    fn needs_exact(&self, at: usize, command: &ShellCommand<'_>) -> bool {
        let nature = command.run.nature;
        let program = command.run.program.as_deref().unwrap_or_default();
        let starts = || self.reading.commands.iter().any(|other| other.run.starter == Some(at));
        nature == CommandNature::Transparent
            || NEED_EXACT.contains(&program)
            || program == "find"
                && (matches!(nature, CommandNature::Other | CommandNature::FileEdit) || starts())
    }

    /// The rule for the command at `at`, or for what starts it.
    pub(crate) fn rule_from_above(&self, at: usize) -> Option<u32> {
        if let Some(id) = self.own.get(at).copied().flatten() {
            return Some(id);
        }
        let mut at = at;
        for _ in 0..=self.reading.commands.len() {
            at = self.reading.commands.get(at)?.run.starter?;
            if let Some(id) = self.passed_on.get(at).copied().flatten() {
                return Some(id);
            }
        }
        None
    }

    /// What lets the command at `at` run.
    pub(crate) fn of(&self, at: usize) -> Cover {
        let Some(command) = self.reading.commands.get(at) else { return Cover::default() };
        if command.run.argv.is_empty() {
            return if command.is_harmless { Cover::looks() } else { Cover::default() };
        }
        if command.program().is_none() {
            return Cover::default();
        }
        let mut cover = Cover { rule: self.rule_from_above(at), ..Cover::default() };
        if !command.is_harmless {
            return cover;
        }
        match cd_target(command) {
            CdTarget::None => {}
            CdTarget::Unknown => return cover,
            CdTarget::Home | CdTarget::Folder(_) => return self.of_move(cover),
        }
        let is_short = self.reading.line.len() <= MAX_LINE;
        match command.run.nature {
            CommandNature::Transparent => {
                cover.read_only = self.reading.commands.iter().any(|other| other.run.starter == Some(at));
            }
            CommandNature::ReadOnly if is_short => self.look(at, &mut cover),
            CommandNature::ReadOnlyInTrusted if is_short && self.is_trusted_git(command) => {
                self.look(at, &mut cover);
            }
            CommandNature::FileEdit => {
                cover.edit = self.reading.place.is_certain
                    && !command.run.has_glob
                    && !command.has_unknown_word()
                    && self.files_of(at).all(|file| self.is_inside(file));
            }
            CommandNature::ReadOnly | CommandNature::ReadOnlyInTrusted | CommandNature::Other => {}
        }
        cover
    }

    /// A move is a look at the folders it could lead to.
    fn of_move(&self, mut cover: Cover) -> Cover {
        let place = &self.reading.place;
        if !place.is_certain {
            return cover;
        }
        let mut ids = Vec::new();
        let all_fine = place.folders.iter().all(|folder| {
            let mut path = self.judged(folder, AccessMode::Read);
            path.is_tree = true;
            path.is_inside
                || self.reads_by_rule(&path).is_some_and(|id| {
                    ids.push(id);
                    true
                })
        });
        match ids.into_iter().min() {
            None => cover.read_only = all_fine,
            Some(id) if all_fine => cover.rule = cover.rule.or(Some(id)),
            Some(_) => {}
        }
        cover
    }

    /// A command that only looks is covered where it may look: inside, or where Read rules let it.
    fn look(&self, at: usize, cover: &mut Cover) {
        let mut ids = Vec::new();
        let all_fine = self.files_of(at).all(|file| {
            self.is_inside(file)
                || self.read_rule(file).is_some_and(|id| {
                    ids.push(id);
                    true
                })
        });
        match ids.into_iter().min() {
            None => cover.read_only = all_fine,
            Some(id) if all_fine => cover.rule = cover.rule.or(Some(id)),
            Some(_) => {}
        }
    }

    /// Whether git would find the trusted repository, and nothing outside is named.
    fn is_trusted_git(&self, command: &ShellCommand<'_>) -> bool {
        let ctx = self.shell.call.ctx;
        let Some(words) = command.known_words() else { return false };
        ctx.trusted
            && self.reading.place.stays()
            && is_same_repository(&ctx.cwd, &ctx.project_dir)
            && words.iter().skip(1).filter(|word| !word.starts_with('-')).all(|word| {
                let paths = self.reading.place.paths(word);
                paths.iter().all(|absolute| self.judged(absolute, AccessMode::Read).is_inside)
            })
    }
}

impl Shell<'_> {
    /// Whether no shell rule counts: in auto mode, for a monitor, or when the classifier sees every line.
    fn is_suspended(&self) -> bool {
        self.call.ctx.mode == PermissionMode::Auto
            && (self.config.classify_all_shell || self.call.tool.name.as_str() == "Monitor")
    }
}

/// Whether git finds the same repository in `folder` as in `root`, above it: no other one lies between.
fn is_same_repository(folder: &Path, root: &Path) -> bool {
    let between = folder.ancestors().take_while(|at| *at != root);
    let is_repository = |at: &Path| at.join(".git").symlink_metadata().is_ok() || at.join("HEAD").exists();
    folder.starts_with(root) && !between.into_iter().any(is_repository)
}
