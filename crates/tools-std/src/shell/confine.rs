//! What commands may use together, from settings and environment.

use crate::settings::ShellSettings;
use pegboard_process::Limits;
use std::collections::BTreeMap;

/// The variable that limits memory; it wins over the settings.
const MEMORY: &str = "CLAUDE_CODE_TOOL_MEMORY_LIMIT";
/// Fewer processes than this run no shell that is of use.
const LEAST_PROCESSES: u64 = 8;
/// Less memory than this runs no shell that is of use: 4 MiB.
const LEAST_MEMORY: u64 = 4 << 20;

/// Limits of all commands of a session, and what of the wishes is not understood.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct CommandLimits {
    /// The limits.
    pub limits: Limits,
    /// What is left out of account, in words for the operator.
    pub problems: Vec<String>,
}

impl CommandLimits {
    /// What settings and variables say. Give the variables that the program was started with, not those
    /// that settings of a project were mixed into.
    #[must_use]
    pub fn of(settings: &ShellSettings, vars: &BTreeMap<String, String>) -> Self {
        let mut problems = Vec::new();
        let wishes =
            [(MEMORY, vars.get(MEMORY)), ("tools.shell.memoryLimit", settings.memory_limit.as_ref())];
        let mut memory = None;
        for (name, text) in wishes {
            let Some(text) = text.filter(|text| !text.trim().is_empty()) else { continue };
            match Limits::read_memory(text) {
                Ok(bytes) => {
                    memory = bytes.map(|bytes| at_least(bytes, LEAST_MEMORY, name, &mut problems));
                    break;
                }
                Err(error) => problems.push(format!("{name} does not count: {error}")),
            }
        }
        let name = "tools.shell.processLimit";
        let processes = settings.process_limit.filter(|most| *most > 0);
        let processes = processes.map(|most| at_least(most, LEAST_PROCESSES, name, &mut problems));
        Self { limits: Limits::none().with_memory(memory).with_processes(processes), problems }
    }
}

fn at_least(wish: u64, least: u64, name: &str, problems: &mut Vec<String>) -> u64 {
    if wish < least {
        problems.push(format!("{name} is {wish}, with which no shell runs; {least} is used"));
    }
    wish.max(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_wins_and_garbage_does_not_count() {
        let read = |variable: Option<&str>, setting: Option<&str>, processes| {
            let vars = variable.map(|value| (MEMORY.to_owned(), value.to_owned())).into_iter().collect();
            let settings = ShellSettings {
                memory_limit: setting.map(str::to_owned),
                process_limit: processes,
                ..ShellSettings::default()
            };
            CommandLimits::of(&settings, &vars)
        };
        for (variable, setting, processes, expected, problems) in [
            (None, None, None, (None, None), 0),
            (Some("4G"), Some("1G"), None, (Some(4 << 30), None), 0),
            (Some("off"), Some("1G"), None, (None, None), 0),
            (Some("0"), Some("1G"), None, (None, None), 0),
            (Some("lots"), Some("1G"), None, (Some(1 << 30), None), 1),
            (Some(" "), Some("1G"), None, (Some(1 << 30), None), 0),
            (None, Some("few"), Some(0), (None, None), 1),
            (None, Some("1"), Some(1), (Some(LEAST_MEMORY), Some(LEAST_PROCESSES)), 2),
            (None, None, Some(500), (None, Some(500)), 0),
        ] {
            let read = read(variable, setting, processes);
            assert_eq!((read.limits.memory, read.limits.processes), expected, "{variable:?} {setting:?}");
            assert_eq!(read.problems.len(), problems, "{:?}", read.problems);
        }
    }
}
