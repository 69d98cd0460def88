//! More programs that run others.

use pegboard_tool_core::ports::FileAccess;

use crate::word::Word;

use super::super::call::Call;
use super::super::{ProgramUse, Start, effects};

const HIDDEN: &str = "where the command begins cannot be told";

/// `capsh -- WORDS`: these are words of a shell.
pub(in super::super) fn capsh(call: &Call<'_>, used: &mut ProgramUse) {
    used.opaque.push("a command with other rights");
    used.elsewhere(call.at());
    let place = call.words.iter().position(|word| matches!(word.value.as_deref(), Some("--" | "==")));
    if let Some(place) = place {
        let mut words = vec![Word::known("bash", call.at())];
        words.extend(call.words.get(place + 1..).unwrap_or_default().iter().cloned());
        used.starts.push(Start::Words(words));
    }
}

/// The command may begin earlier than the letters say.
pub(in super::super) fn start_hidden(call: &Call<'_>, used: &mut ProgramUse) {
    if !call.is_certain() {
        opaque_anywhere(call, used);
    }
}

/// A folder of variables, which may be any.
pub(in super::super) fn environment(_: &Call<'_>, used: &mut ProgramUse) {
    used.deepen(FileAccess::Read);
    used.opaque.push("variables from files");
}

/// `ccache -o NAME=VALUE` changes settings; else a compiler is run.
pub(in super::super) fn ccache(call: &Call<'_>, used: &mut ProgramUse) {
    if call.words.iter().skip(1).any(|word| word.prefix.contains("prefix_command")) {
        used.opaque.push("an option that changes what runs");
    }
}

/// It cannot be told what runs.
pub(in super::super) fn opaque(_: &Call<'_>, used: &mut ProgramUse) {
    used.opaque.push("a program that is told what to run in a way of its own");
}

/// Nor which hosts are reached.
pub(in super::super) fn opaque_network(call: &Call<'_>, used: &mut ProgramUse) {
    used.network.push(None);
    opaque(call, used);
}

/// A command may begin at any word.
pub(in super::super) fn opaque_anywhere(call: &Call<'_>, used: &mut ProgramUse) {
    used.opaque.push(HIDDEN);
    if let Some(place) = call.words.iter().skip(1).position(|word| !word.prefix.starts_with('-')) {
        effects::command(call, place + 1, used);
    }
    super::wrappers::anywhere(call, used);
}

/// `conda run -n ENV COMMAND`, `pyenv exec COMMAND`; other verbs may reach the network.
pub(in super::super) fn behind_run(call: &Call<'_>, used: &mut ProgramUse) {
    let runs = |word: &Word| {
        matches!(
            word.value.as_deref(),
            Some("exec" | "x" | "run" | "shell" | "env" | "local:run" | "start" | "--")
        ) || word.value.is_none()
    };
    if call.words.iter().skip(1).any(runs) {
        used.opaque.push(HIDDEN);
        used.elsewhere(call.at());
        super::wrappers::anywhere(call, used);
    } else if call.words.len() > 1 {
        used.network.push(None);
    }
}

/// `nix run`, `nix develop -c COMMAND`, `nix shell -c COMMAND`.
pub(in super::super) fn nix(call: &Call<'_>, used: &mut ProgramUse) {
    opaque_network(call, used);
    let place =
        call.words.iter().position(|word| matches!(word.value.as_deref(), Some("-c" | "--command" | "--")));
    if let Some(place) = place {
        effects::command(call, place + 1, used);
    }
}

/// Its words are joined for a shell unless it is told not to.
pub(in super::super) fn shell_words(call: &Call<'_>, used: &mut ProgramUse) {
    if let Some((place, _)) = call.operands.first() {
        effects::joined_line(call.words.get(*place..).unwrap_or_default(), used);
    }
}

/// An option that is not known may name a command.
pub(in super::super) fn unknown_is_opaque(call: &Call<'_>, used: &mut ProgramUse) {
    if !call.is_certain() || call.has(&["--bind", "--with-shell", "--become"]) {
        opaque(call, used);
    }
}

/// `ip netns exec NAME COMMAND`, `ip vrf exec NAME COMMAND`, `ip -b FILE`.
pub(in super::super) fn ip(call: &Call<'_>, used: &mut ProgramUse) {
    let is_exec = |word: &Word| match word.value.as_deref() {
        // Words may be shortened.
        Some(text) => {
            text.len() > 1 && "exec".starts_with(text) || text.starts_with("-b") || text.starts_with("-all")
        }
        None => true,
    };
    if let Some(place) = call.words.iter().skip(1).position(is_exec) {
        used.opaque.push(HIDDEN);
        effects::command(call, place + 3, used);
    }
}

/// A browser for terminals: its settings and pages run programs.
pub(in super::super) fn browser(call: &Call<'_>, used: &mut ProgramUse) {
    if !call.is_certain() {
        opaque(call, used);
        used.network.push(None);
    }
    if used.network.is_empty() && used.files.is_empty() {
        used.network.push(None);
    }
}

/// A host in the options, or one that cannot be told.
pub(in super::super) fn database(call: &Call<'_>, used: &mut ProgramUse) {
    if !call.is_certain() || used.network.is_empty() && !call.has(&["-s"]) {
        used.network.push(None);
    }
}
