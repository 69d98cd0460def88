//! The report as it grows, and its unions at the end.

use pegboard_tool_core::ports::{CommandNature, CommandReport, CommandUse, FileAccess, FileUse, OpaquePart};

use crate::limits::MAX_COMMANDS;

/// The report of a line while it is walked.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    report: CommandReport,
    /// How many walks are on that are only there to see what becomes of variables.
    muted: u32,
    /// Variables that are assigned and may be in the environment of what runs.
    ambient: Vec<String>,
    /// Where an option is set that changes what globs match.
    glob_option: Option<usize>,
    /// Whether there is a glob that no command or file of the report tells of.
    has_glob: bool,
}

impl Builder {
    /// Whether nothing is noted now.
    pub(crate) fn is_muted(&self) -> bool {
        self.muted > 0
    }

    pub(crate) fn mute(&mut self) {
        self.muted += 1;
    }

    pub(crate) fn unmute(&mut self) {
        self.muted -= 1;
    }

    /// Adds a command and gives its index.
    pub(crate) fn command(&mut self, command: CommandUse) -> usize {
        let index = self.report.commands.len();
        if self.is_muted() {
            return index;
        }
        if index >= MAX_COMMANDS {
            self.opaque("too many commands", command.at);
            return index.saturating_sub(1);
        }
        self.report.commands.push(command);
        index
    }

    /// Says what the command at `index` does.
    pub(crate) fn nature(&mut self, index: usize, nature: CommandNature) {
        if let (false, Some(command)) = (self.is_muted(), self.report.commands.get_mut(index)) {
            command.nature = nature;
        }
    }

    /// The commands so far.
    pub(crate) fn commands(&self) -> &[CommandUse] {
        &self.report.commands
    }

    /// A glob that is expanded into a variable.
    pub(crate) fn glob(&mut self) {
        self.has_glob = true;
    }

    /// An option that changes what globs match is set, or may be.
    pub(crate) fn glob_option(&mut self, at: usize) {
        self.glob_option.get_or_insert(at);
    }

    /// How many parts are opaque so far.
    pub(crate) fn opaque_count(&self) -> usize {
        self.report.opaque.len()
    }

    /// The variable, assigned for the command at `index`, tells nothing.
    pub(crate) fn drop_assign(&mut self, index: usize, name: &str) {
        if let (false, Some(command)) = (self.is_muted(), self.report.commands.get_mut(index)) {
            command.assigns.retain(|assigned| assigned != name);
        }
    }

    pub(crate) fn opaque(&mut self, reason: &str, at: usize) {
        if self.is_muted() || self.report.opaque.len() >= MAX_COMMANDS {
            return;
        }
        if !self.report.opaque.iter().any(|part| part.at == at && part.reason == reason) {
            self.report.opaque.push(OpaquePart::new(reason, at));
        }
    }

    pub(crate) fn file(&mut self, file: FileUse) {
        if !self.is_muted() && self.report.files.len() < MAX_COMMANDS {
            self.report.files.push(file);
        } else if !self.is_muted() {
            self.opaque("too many files", file.at);
        }
    }

    pub(crate) fn network(&mut self, host: Option<String>) {
        if !self.is_muted() && !self.report.network.contains(&host) {
            self.report.network.push(host);
        }
    }

    /// A variable that is assigned in the shell and may reach the commands of the line by their environment.
    pub(crate) fn ambient(&mut self, name: &str) {
        if !self.is_muted() && !self.ambient.iter().any(|known| known == name) {
            self.ambient.push(name.to_owned());
        }
    }

    pub(crate) fn finish(mut self) -> CommandReport {
        let has_glob = self.has_glob
            || self.report.commands.iter().any(|command| command.has_glob)
            || self.report.files.iter().any(|file| file.has_glob);
        if let Some(at) = self.glob_option.filter(|_| has_glob) {
            self.opaque("an option that changes what globs match", at);
            // Which files a glob means now cannot be told.
            for file in self.report.files.iter_mut().filter(|file| file.has_glob) {
                (file.path, file.has_glob) = (None, false);
            }
        }
        let mut report = self.report;
        if !self.ambient.is_empty() {
            for command in &mut report.commands {
                for name in &self.ambient {
                    if !command.assigns.contains(name) {
                        command.assigns.push(name.clone());
                    }
                }
            }
        }
        for file in &report.files {
            let list = match file.access {
                FileAccess::Read => &mut report.reads,
                FileAccess::Write => &mut report.writes,
                FileAccess::Remove => &mut report.removes,
            };
            if !list.contains(&file.path) {
                list.push(file.path.clone());
            }
        }
        report
    }
}
