//! `cp`, `mv`, `ln`, `install`, `dd` and their like.

use pegboard_tool_core::ports::FileAccess;

use crate::word::Word;

use super::super::ProgramUse;
use super::super::call::Call;

/// `cp`.
pub(in super::super) fn cp(call: &Call<'_>, used: &mut ProgramUse) {
    let is_deep = call.has(&["-R", "-a"]);
    transfer(call, used, is_deep, &[FileAccess::Read]);
    if is_deep && call.has(&["-L"]) {
        used.follows_links(call.at());
    }
}

/// `mv`: what was there is gone, and readable elsewhere.
pub(in super::super) fn mv(call: &Call<'_>, used: &mut ProgramUse) {
    transfer(call, used, true, &[FileAccess::Read, FileAccess::Remove]);
}

/// `ln`: the target can be read through the link.
pub(in super::super) fn ln(call: &Call<'_>, used: &mut ProgramUse) {
    if let [(_, only)] = call.operands.as_slice()
        && call.option("-t").is_none()
    {
        used.touch(only, FileAccess::Read, true);
        written_in(".", only, used, false);
        return;
    }
    transfer(call, used, true, &[FileAccess::Read]);
}

/// `install`: like `cp`, or makes folders.
pub(in super::super) fn install(call: &Call<'_>, used: &mut ProgramUse) {
    if call.has(&["-d"]) {
        for (_, word) in &call.operands {
            used.touch(word, FileAccess::Write, false);
        }
    } else {
        transfer(call, used, false, &[FileAccess::Read]);
    }
}

/// `chmod`, `chown`: with `-R` all below is meant; with `--reference` there is no mode.
pub(in super::super) fn owner(call: &Call<'_>, used: &mut ProgramUse) {
    if call.has(&["--reference"])
        && let Some((_, first)) = call.operands.first()
    {
        used.touch(first, FileAccess::Write, false);
    }
    // `chmod -x FILE`: the mode looks like an option.
    let is_mode = call.options.iter().any(|given| given.known.name.len() == 1);
    if call.row.name == "chmod"
        && is_mode
        && let Some((_, first)) = call.operands.first()
    {
        used.touch(first, FileAccess::Write, false);
    }
    if call.has(&["-R"]) {
        used.deepen(FileAccess::Write);
    }
}

/// `rmdir -p` removes the folders above as well.
pub(in super::super) fn rmdir(call: &Call<'_>, used: &mut ProgramUse) {
    if !call.has(&["-p"]) {
        return;
    }
    for (_, word) in &call.operands {
        let Some(path) = word.value.as_deref() else { continue };
        let mut path = path.trim_end_matches('/');
        while let Some((above, _)) = path.rsplit_once('/') {
            if above.is_empty() {
                break;
            }
            used.path(above, FileAccess::Remove, false, word.at);
            path = above;
        }
    }
}

/// `shred -u` removes what it has overwritten.
pub(in super::super) fn shred(call: &Call<'_>, used: &mut ProgramUse) {
    if call.has(&["u", "--remove"]) {
        for (_, word) in &call.operands {
            used.touch(word, FileAccess::Remove, false);
        }
    }
}

/// `mktemp TEMPLATE`: the last letters of the name are chosen.
pub(in super::super) fn mktemp(_: &Call<'_>, used: &mut ProgramUse) {
    for touch in &mut used.files {
        if let Some(at) = touch.path.as_deref().and_then(|path| path.find("XXX")) {
            touch.path = touch.path.as_deref().and_then(|path| path.get(..at)).map(|path| format!("{path}*"));
            touch.has_glob = true;
        }
    }
}

/// `patch` writes the files that the patch names.
pub(in super::super) fn patch(call: &Call<'_>, used: &mut ProgramUse) {
    if let Some(path) = call.operands.first().and_then(|(_, word)| word.value.as_deref()) {
        for end in [".orig", ".rej"] {
            used.path(format!("{path}{end}"), FileAccess::Write, false, call.at());
        }
    }
    if call.operands.is_empty() && !call.has(&["--dry-run"]) {
        used.unknown_file(FileAccess::Write, call.at());
    }
    if call.has(&["-e"]) || call.options.iter().any(|given| given.known.name == "e") {
        used.opaque.push("commands of an editor");
    }
}

/// `dd if=FILE of=FILE`.
pub(in super::super) fn dd(call: &Call<'_>, used: &mut ProgramUse) {
    for word in call.words.iter().skip(1) {
        let text = word.value.as_deref().unwrap_or(&word.prefix);
        let Some((name, value)) = text.split_once('=') else {
            if word.value.is_none() {
                used.unknown_file(FileAccess::Read, word.at);
                used.unknown_file(FileAccess::Write, word.at);
            }
            continue;
        };
        let access = match name {
            "if" => FileAccess::Read,
            "of" => FileAccess::Write,
            _ => continue,
        };
        match word.value {
            Some(_) => {
                if value.starts_with('~') {
                    // The shell expands it here unless it is quoted, as in an assignment.
                    used.path(value, access, false, word.at);
                }
                let path = Word { has_glob: word.has_glob, ..Word::known(value, word.at) };
                used.touch(&path, access, false);
            }
            None => used.unknown_file(access, word.at),
        }
    }
}

/// Sources go to a target, or into it when it is a folder.
fn transfer(call: &Call<'_>, used: &mut ProgramUse, is_deep: bool, access: &[FileAccess]) {
    if call.has(&["b", "-b", "--backup", "-S"]) {
        used.unknown_file(FileAccess::Write, call.at());
    }
    let in_folder = call.option("-t").map(|given| given.value.clone().unwrap_or_default());
    let operands: Vec<&Word> = call.operands.iter().map(|(_, word)| *word).collect();
    let (sources, target) = match (&in_folder, operands.split_last()) {
        (Some(folder), _) => (operands.as_slice(), folder),
        (None, Some((last, sources))) => (sources, *last),
        (None, None) => return,
    };
    for source in sources {
        for access in access {
            used.touch(source, *access, is_deep);
        }
    }
    if target.value.is_none() || target.is_many && in_folder.is_none() && !target.has_glob {
        used.unknown_file(FileAccess::Write, target.at);
        return;
    }
    used.touch(target, FileAccess::Write, is_deep);
    let Some(folder) = target.value.as_deref() else { return };
    if call.has(&["-T"]) {
        return;
    }
    let folder = match folder.starts_with('~') && !target.has_tilde {
        true => format!("./{folder}"),
        false => folder.to_owned(),
    };
    for source in sources {
        if call.has(&["--parents"])
            && let Some(path) = source.value.as_deref()
        {
            used.path(
                format!("{}/{path}", folder.trim_end_matches('/')),
                FileAccess::Write,
                is_deep,
                source.at,
            );
        }
        written_in(&folder, source, used, is_deep);
    }
}

/// The name of `source` is written in `folder`.
fn written_in(folder: &str, source: &Word, used: &mut ProgramUse, is_deep: bool) {
    let name = source.value.as_deref().and_then(|path| path.trim_end_matches('/').rsplit('/').next());
    match name {
        Some("" | "." | "..") => {}
        Some(name) => {
            used.path(
                format!("{}/{name}", folder.trim_end_matches('/')),
                FileAccess::Write,
                is_deep,
                source.at,
            );
            let has_glob = source.has_glob && name.contains(['*', '?', '[']);
            if let Some(touch) = used.files.last_mut() {
                touch.has_glob |= has_glob;
            }
        }
        None => used.unknown_file(FileAccess::Write, source.at),
    }
}
