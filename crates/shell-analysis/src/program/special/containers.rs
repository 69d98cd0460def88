//! docker, podman and the like.

use pegboard_tool_core::ports::{CommandNature, FileAccess};

use crate::word::Word;

use super::super::call::Call;
use super::super::{ProgramUse, effects};

/// Lists look; all else runs programs with other files, or may change anything.
pub(in super::super) fn containers(call: &Call<'_>, used: &mut ProgramUse) {
    const LOOKS: &[&str] = &["ps", "images", "logs", "inspect", "version", "info"];
    let verb = call.words.get(1).and_then(|word| word.value.as_deref());
    for (index, word) in call.words.iter().enumerate().skip(1) {
        let text = word.value.as_deref().unwrap_or(&word.prefix);
        let (name, glued) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let builds = matches!(verb, Some("build" | "compose" | "buildx" | "image"));
        let is_file = matches!(name, "--env-file" | "--label-file" | "--secret" | "--password-file")
            || builds && matches!(name, "-f" | "--file");
        if is_file {
            match (glued, call.words.get(index + 1)) {
                (Some(_), _) if word.value.is_none() => used.unknown_file(FileAccess::Read, word.at),
                (Some(path), _) => used.touch(&Word::known(path, word.at), FileAccess::Read, false),
                (None, Some(path)) => {
                    used.touch(path, FileAccess::Read, false);
                }
                _ => {}
            }
        }
        if matches!(name, "-v" | "--volume" | "--mount" | "-o" | "--output") || text.starts_with("-v") {
            used.elsewhere(word.at);
        }
        if name == "--format" && glued.or_else(|| call.words.get(index + 1)?.value.as_deref()).is_none() {
            used.unknown_file(FileAccess::Read, word.at);
        }
    }
    let is_elsewhere = |word: &Word| {
        ["-H", "--host", "-c", "--context", "--url", "--connection", "-r", "--remote", "--config", "--tls"]
            .iter()
            .any(|option| word.prefix.starts_with(option))
            || word.value.is_none()
            || word.has_glob
    };
    match verb {
        Some(verb) if LOOKS.contains(&verb) => {
            let is_plain =
                effects::is_by_name_or_system(&call.words[0]) && !call.words.iter().skip(1).any(is_elsewhere);
            used.nature = if is_plain { CommandNature::ReadOnly } else { CommandNature::Other };
        }
        Some(
            "pull" | "push" | "login" | "logout" | "search" | "run" | "build" | "compose" | "buildx"
            | "create",
        ) => {
            used.network.push(None);
            if matches!(verb, Some("build" | "compose" | "buildx")) {
                used.path(".", FileAccess::Read, true, call.at());
            }
        }
        Some("cp" | "save" | "load" | "import" | "export") => {
            for word in call.words.iter().skip(2).filter(|word| !word.prefix.starts_with('-')) {
                used.touch(word, FileAccess::Read, true);
                used.touch(word, FileAccess::Write, true);
            }
        }
        Some(_) => {}
        None => used.opaque.push("a subcommand that cannot be told"),
    }
    if call
        .words
        .iter()
        .skip(1)
        .any(|word| ["-H", "--host", "--url"].iter().any(|option| word.prefix.starts_with(option)))
    {
        used.network.push(None);
    }
}
