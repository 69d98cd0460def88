//! Programs of which it cannot be told what they start.

use pegboard_tool_core::ports::FileAccess;

use super::super::ProgramUse;
use super::super::call::Call;

/// An editor runs commands of its own language, from options and start-up files.
pub(in super::super) fn editor(call: &Call<'_>, used: &mut ProgramUse) {
    let options =
        call.words.iter().skip(1).any(|word| word.prefix.starts_with(['-', '+']) || word.value.is_none());
    used.opaque.push(if options { "commands of an editor" } else { "an editor" });
}

/// `crontab`, `at`: commands that run later.
pub(in super::super) fn later(call: &Call<'_>, used: &mut ProgramUse) {
    if !(call.row.name == "crontab" && call.has(&["-l"]) && call.is_certain()) {
        used.opaque.push("commands that run later");
    }
}

/// A debugger runs commands of its own language.
pub(in super::super) fn debugger(_: &Call<'_>, used: &mut ProgramUse) {
    used.opaque.push("commands of a debugger");
}

/// A folder of scripts.
pub(in super::super) fn scripts(call: &Call<'_>, used: &mut ProgramUse) {
    if !call.has(&["--test", "--list"]) {
        used.opaque.push("scripts of a folder");
    }
}

/// A compiler loads what these name.
pub(in super::super) fn compiler(call: &Call<'_>, used: &mut ProgramUse) {
    for word in call.words.iter().skip(1) {
        if ["-fplugin", "-specs", "--specs", "-wrapper", "-B", "-Xclang", "-load", "@"]
            .iter()
            .any(|bad| word.prefix.starts_with(bad))
        {
            used.opaque.push("what a compiler loads");
        }
        if let Some(path) = word.prefix.strip_prefix('@') {
            used.touch(&crate::word::Word::known(path, word.at), FileAccess::Read, false);
        }
    }
}

/// `openssl` loads engines and providers.
pub(in super::super) fn openssl(call: &Call<'_>, used: &mut ProgramUse) {
    for (index, word) in call.words.iter().enumerate().skip(1) {
        let Some(value) = call.words.get(index + 1) else { continue };
        match word.value.as_deref() {
            Some(
                "-in" | "-inkey" | "-key" | "-cert" | "-CAfile" | "-CApath" | "-kfile" | "-signature"
                | "-verify" | "-certfile",
            ) => {
                used.touch(value, FileAccess::Read, false);
            }
            Some("-out" | "-keyout" | "-CAserial") => used.touch(value, FileAccess::Write, false),
            Some("-connect" | "-proxy" | "-url" | "-host") => {
                used.network.push(value.value.as_deref().and_then(super::super::hosts::host))
            }
            _ => {}
        }
    }
    let loads = |text: &str| text.trim_start_matches('-').starts_with("engine") || text.contains("provider");
    if call.words.iter().skip(1).any(|word| loads(&word.prefix) || word.prefix == "-config") {
        used.opaque.push("what openssl loads");
    }
}

/// A terminal multiplexer gives texts to shells.
pub(in super::super) fn multiplexer(call: &Call<'_>, used: &mut ProgramUse) {
    let looks = call.words.get(1).is_some_and(|word| {
        matches!(
            word.value.as_deref(),
            Some("ls" | "list-sessions" | "-V" | "list-windows" | "list-panes" | "capture-pane" | "-ls")
        )
    });
    if !looks {
        used.opaque.push("commands in another terminal");
    }
}
