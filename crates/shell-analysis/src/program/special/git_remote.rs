//! git: subcommands that reach another repository, and addresses of one.

use pegboard_tool_core::ports::FileAccess;

use crate::word::Word;

use super::super::call::Call;
use super::super::{ProgramUse, effects, hosts};
use super::git::{behind_dashes, operands};

/// Some host.
pub(in super::super) fn network(_: &Call<'_>, used: &mut ProgramUse) {
    used.network.push(None);
}

/// `clone URL [FOLDER]`.
pub(in super::super) fn clone(call: &Call<'_>, used: &mut ProgramUse) {
    if !call.is_certain() {
        used.opaque.push("an option of git that may change what runs");
    }
    let Some((_, source)) = call.operands.first() else { return };
    address(source, used);
    match call.operands.get(1) {
        Some((_, folder)) => used.touch(folder, FileAccess::Write, true),
        None => {
            let name = source.value.as_deref().and_then(|text| {
                text.trim_end_matches('/').trim_end_matches(".git").rsplit(['/', ':']).next()
            });
            match name {
                Some(name) if !name.is_empty() => used.path(name, FileAccess::Write, true, source.at),
                _ => used.unknown_file(FileAccess::Write, source.at),
            }
        }
    }
}

/// `fetch`, `pull`, `push`, `ls-remote`: a remote or its address.
pub(in super::super) fn transfer(call: &Call<'_>, used: &mut ProgramUse) {
    const PROGRAMS: &[&str] = &["--upload-pack", "--receive-pack", "--exec"];
    for (index, word) in call.words.iter().enumerate().skip(1) {
        let (name, glued) = word
            .prefix
            .split_once('=')
            .map_or((word.prefix.as_str(), None), |(name, value)| (name, Some(value)));
        let is_program = name.len() > 3
            && name.starts_with("--")
            && PROGRAMS.iter().any(|program| program.starts_with(name));
        if is_program {
            used.opaque.push("an option that changes what runs");
            match (glued, word.value.is_some()) {
                (Some(program), true) => effects::program(&Word::known(program, word.at), used),
                (None, true) => {
                    if let Some(program) = call.words.get(index + 1) {
                        effects::program(program, used);
                    }
                }
                _ => {}
            }
        }
        if word.value.is_none()
            && (word.is_many || word.prefix.is_empty() && !behind_dashes(call).contains(word))
        {
            used.opaque.push("words of git that cannot be told");
        }
    }
    match operands(call).find(|word| word.value.as_deref().is_none_or(|text| hosts::remote(text).is_some())) {
        Some(word) => address(word, used),
        None => used.network.push(None),
    }
    if matches!(call.row.name, "pull" | "subtree") {
        used.path(".", FileAccess::Write, false, call.at());
    }
}

/// An address of a repository: `ext::COMMAND` runs one.
pub(super) fn address(word: &Word, used: &mut ProgramUse) {
    match word.value.as_deref() {
        Some(text) => match text.split_once("::") {
            Some(("ext", command)) => effects::line(&Word::known(command, word.at), Vec::new(), used),
            Some((kind, _)) if kind.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                used.opaque.push("a helper of git for an address");
            }
            _ => {
                if text.starts_with('-') {
                    used.opaque.push("an option of git that may change what runs");
                }
                hosts::url_or_path(word, used);
            }
        },
        None => {
            used.network.push(None);
            if word.prefix.len() < 4 {
                used.opaque.push("an address that cannot be told");
            }
        }
    }
}
