//! Package managers and build programs.

use pegboard_tool_core::ports::FileAccess;

use crate::word::Word;

use super::super::call::Call;
use super::super::{ProgramUse, assignments, effects};

const UNKNOWN: &str = "an option of a program that starts others is not known";

/// The subcommand: the first word that is no option, with its index.
fn subcommand<'a>(call: &'a Call<'_>) -> Option<(usize, &'a str)> {
    let found = call.words.iter().enumerate().skip(1).find(|(_, word)| !word.prefix.starts_with(['-', '+']));
    found.and_then(|(index, word)| Some((index, word.value.as_deref()?)))
}

/// The command behind the operand `count`, with its own options.
pub(super) fn behind(call: &Call<'_>, count: usize, used: &mut ProgramUse) {
    used.network.push(None);
    if let Some((place, _)) = call.operands.get(count) {
        command_from(call, *place, used);
    }
}

/// The command that begins at the first word from `place` on that is no option.
fn command_from(call: &Call<'_>, place: usize, used: &mut ProgramUse) {
    let mut index = place;
    while let Some(word) = call.words.get(index) {
        match word.value.as_deref() {
            Some("--") => {
                index += 1;
                break;
            }
            Some(
                "-y" | "--yes" | "--no" | "--no-install" | "-q" | "--quiet" | "--silent" | "-s"
                | "--prefer-offline" | "--offline" | "--bun",
            ) => index += 1,
            Some(
                "-p" | "--package" | "-w" | "--workspace" | "--with" | "--from" | "--python" | "--group"
                | "--extra",
            ) => index += 2,
            Some("-c" | "--call" | "--shell-mode") => {
                if let Some(text) = call.words.get(index + 1) {
                    effects::line(text, Vec::new(), used);
                }
                return;
            }
            Some(text)
                if text.starts_with("--package=")
                    || text.starts_with("--with=")
                    || text.starts_with("--from=")
                    || text.starts_with("--workspace=") =>
            {
                index += 1
            }
            Some(text) if text.starts_with("--call=") || text.starts_with("-c") => {
                let text = text.trim_start_matches("--call=").trim_start_matches("-c");
                effects::line(&Word::known(text, word.at), Vec::new(), used);
                return;
            }
            Some(text) if text.starts_with('-') => {
                used.opaque.push(UNKNOWN);
                index += 1;
            }
            None if word.prefix.is_empty() || word.prefix.starts_with('-') => {
                used.opaque.push("where the command begins cannot be told");
                return;
            }
            _ => break,
        }
    }
    effects::command(call, index, used);
}

/// `npx`, `bunx`, `uvx`: the package may come from the network.
pub(in super::super) fn npx(call: &Call<'_>, used: &mut ProgramUse) {
    if !call.is_certain() {
        used.opaque.push(UNKNOWN);
    }
    used.network.push(None);
}

/// `npm`, `pnpm`, `yarn`.
pub(in super::super) fn npm(call: &Call<'_>, used: &mut ProgramUse) {
    if call.words.iter().any(|word| {
        ["--script-shell", "--node-options", "--shell", "--git", "--editor", "--browser", "--viewer"]
            .iter()
            .any(|bad| word.prefix.starts_with(bad))
    }) {
        used.opaque.push("an option that changes what runs");
    }
    written_folders(call, &["--prefix", "-C", "--dir", "--cwd", "--cache", "--pack-destination"], used);
    let Some((index, name)) = subcommand(call) else {
        let is_known = call.words.iter().all(|word| word.value.is_some());
        if !is_known {
            used.opaque.push("a subcommand that cannot be told");
        }
        return;
    };
    match name {
        // A script of the package, or a program; a name that no program is known by is a script.
        "run" if call.row.name == "yarn" => {
            let target = call.words.get(index + 1).and_then(|word| word.value.as_deref());
            let is_program =
                |name: &str| !matches!(name, "watch" | "install") && super::super::rows::find(name).is_some();
            if target.is_none_or(|name| name.starts_with('-') || is_program(name)) {
                command_from(call, index + 1, used);
            }
        }
        "exec" | "x" | "dlx" | "create" | "init" if name.len() < 5 && name != "init" => {
            used.network.push(None);
            command_from(call, index + 1, used);
        }
        "install" | "i" | "ci" | "add" | "update" | "up" | "upgrade" | "publish" | "view" | "info"
        | "search" | "login" | "adduser" | "audit" | "outdated" | "create" | "init" | "import" | "dedupe"
        | "install-test" | "it" | "in" | "ping" | "whoami" | "dist-tag" | "owner" | "unpublish"
        | "deprecate" | "access" | "token" | "profile" | "org" | "team" | "star" | "show" => {
            used.network.push(None);
        }
        "edit" | "explore" | "docs" | "bugs" | "repo" | "node" if matches!(name, "explore" | "node") => {
            used.opaque.push("a program of a package");
        }
        _ => {}
    }
}

/// `cargo`: what it runs is its own; `--config` can name programs.
pub(in super::super) fn cargo(call: &Call<'_>, used: &mut ProgramUse) {
    if call.words.iter().any(|word| {
        word.prefix.starts_with("--config") || word.prefix == "-Z" || word.prefix.starts_with("-Zunstable")
    }) {
        used.opaque.push("an option that changes what runs");
    }
    if matches!(
        subcommand(call),
        Some((
            _,
            "install"
                | "publish"
                | "search"
                | "add"
                | "update"
                | "fetch"
                | "login"
                | "owner"
                | "yank"
                | "info"
        ))
    ) {
        used.network.push(None);
    }
}

/// `go`: `-exec`, `-toolexec`, `-vettool` name programs.
pub(in super::super) fn go(call: &Call<'_>, used: &mut ProgramUse) {
    for (index, word) in call.words.iter().enumerate().skip(1) {
        let name = word.prefix.trim_start_matches('-');
        let (option, glued) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
        let file = match glued {
            Some(value) => Some(Word::known(value, word.at)),
            None => call.words.get(index + 1).cloned(),
        };
        if let Some(file) = file.filter(|_| word.prefix.starts_with('-')) {
            match option {
                "o" | "coverprofile" | "cpuprofile" | "memprofile" | "blockprofile" | "mutexprofile"
                | "trace" | "outputdir" => used.touch(&file, FileAccess::Write, true),
                "C" => used.elsewhere(word.at),
                _ => {}
            }
        }
        let is_it = word.prefix.starts_with('-')
            && ["exec", "toolexec", "vettool", "overlay", "modfile"]
                .iter()
                .any(|bad| name == *bad || name.strip_prefix(bad).is_some_and(|rest| rest.starts_with('=')));
        if is_it {
            match name.split_once('=') {
                Some((_, program)) if word.value.is_some() => {
                    effects::program(&Word::known(program, word.at), used)
                }
                _ => {
                    if let Some(program) = call.words.get(index + 1) {
                        effects::program(program, used);
                    }
                }
            }
            used.opaque.push("an option that changes what runs");
        }
    }
    match subcommand(call) {
        Some((_, "get" | "install")) => used.network.push(None),
        Some((_, "generate")) => used.opaque.push("commands in source files"),
        _ => {}
    }
}

/// `cmake -E` runs commands, `-P` scripts.
pub(in super::super) fn cmake(call: &Call<'_>, used: &mut ProgramUse) {
    let at = |option: &str| call.words.iter().position(|word| word.value.as_deref() == Some(option));
    if at("-P").is_some() {
        used.opaque.push("a script in a file");
    }
    let Some(index) = at("-E") else { return };
    match call.words.get(index + 1).and_then(|word| word.value.as_deref()) {
        Some("env" | "time") => {
            let rest = call.words.get(index + 1..).unwrap_or_default();
            let mut words = rest.to_vec();
            if let Some(first) = words.first_mut()
                && first.value.as_deref() == Some("env")
            {
                words.retain(|word| {
                    word.value.as_deref().is_none_or(|text| !text.starts_with("--unset=") && text != "--")
                });
            }
            used.starts.push(super::super::Start::Words(words));
        }
        Some("chdir") => {
            used.opaque.push("a command that runs in other folders");
            used.elsewhere(call.at());
            effects::command(call, index + 3, used);
        }
        Some("cat") => {
            for word in call.words.iter().skip(index + 2) {
                used.touch(word, FileAccess::Read, false);
            }
        }
        Some("echo" | "capabilities" | "environment") => {}
        Some("rm" | "remove" | "remove_directory") => {
            for word in call.words.iter().skip(index + 2).filter(|word| !word.prefix.starts_with('-')) {
                used.touch(word, FileAccess::Remove, true);
            }
        }
        _ => {
            for word in call.words.iter().skip(index + 2).filter(|word| !word.prefix.starts_with('-')) {
                used.touch(word, FileAccess::Write, true);
            }
        }
    }
}

/// `make`: the makefile names what runs; these words change how.
pub(in super::super) fn make(call: &Call<'_>, used: &mut ProgramUse) {
    for (_, word) in &call.operands {
        let text = word.value.as_deref().unwrap_or(&word.prefix);
        let name = text.split('=').next().unwrap_or_default().trim_end_matches([':', '+', '?', '!']);
        if text.contains('=') && (assignments::is_risky(name) || name.starts_with('.'))
            || text.contains("$(shell")
        {
            used.opaque.push("a variable that changes what programs do");
        }
        // A variable may hold a command of a recipe.
        if word.value.is_none() && (word.is_many || word.prefix.is_empty()) {
            used.opaque.push("words of `make` that cannot be told");
        }
    }
    let from_input = call
        .option("-f")
        .and_then(|given| given.value.as_ref())
        .is_some_and(|value| matches!(value.value.as_deref(), Some("-" | "/dev/stdin") | None));
    if from_input {
        used.opaque.push("a makefile on the input");
    }
}

/// `pip`, `gem`, `composer`.
pub(in super::super) fn installer(call: &Call<'_>, used: &mut ProgramUse) {
    match subcommand(call) {
        Some((
            _,
            "list" | "show" | "freeze" | "check" | "config" | "cache" | "help" | "environment" | "env"
            | "uninstall" | "inspect" | "hash" | "which" | "contents",
        )) => {}
        Some((index, "run")) if call.row.name == "pipx" => behind_words(call, index + 1, used),
        Some(_) => used.network.push(None),
        None => {}
    }
    for (index, word) in call.words.iter().enumerate() {
        if matches!(word.value.as_deref(), Some("-r" | "--requirement" | "-c" | "--constraint"))
            && let Some(file) = call.words.get(index + 1)
        {
            used.touch(file, FileAccess::Read, false);
        }
    }
    written_folders(
        call,
        &[
            "-t",
            "--target",
            "--prefix",
            "--root",
            "-d",
            "--dest",
            "--src",
            "-w",
            "--wheel-dir",
            "-i",
            "--install-dir",
        ],
        used,
    );
}

/// Folders that are written with all below, named by one of these options.
fn written_folders(call: &Call<'_>, names: &[&str], used: &mut ProgramUse) {
    for (index, word) in call.words.iter().enumerate().skip(1) {
        let text = word.value.as_deref().unwrap_or(&word.prefix);
        if text.is_empty() {
            continue;
        }
        let glued = names.iter().find_map(|name| match name.starts_with("--") {
            true => text.strip_prefix(name)?.strip_prefix('='),
            false => text.strip_prefix(name).filter(|rest| !rest.is_empty()),
        });
        match (glued, word.value.is_some()) {
            (Some(path), true) => used.touch(&Word::known(path, word.at), FileAccess::Write, true),
            (Some(_), false) => used.unknown_file(FileAccess::Write, word.at),
            (None, _) if names.contains(&text) => {
                if let Some(folder) = call.words.get(index + 1) {
                    used.touch(folder, FileAccess::Write, true);
                }
            }
            _ => {}
        }
    }
}

/// `uv run`, `poetry run`.
pub(in super::super) fn runner(call: &Call<'_>, used: &mut ProgramUse) {
    match subcommand(call) {
        Some((index, "run" | "exec")) => command_from(call, index + 1, used),
        Some((index, "tool" | "x"))
            if call.words.get(index + 1).is_some_and(|word| word.value.as_deref() == Some("run")) =>
        {
            behind_words(call, index + 2, used)
        }
        Some((_, "shell")) => used.opaque.push("a shell on its input"),
        Some((
            _,
            "add" | "install" | "sync" | "lock" | "update" | "publish" | "pip" | "tool" | "python" | "build"
            | "self",
        )) => used.network.push(None),
        _ => {}
    }
}

/// `rustup run TOOLCHAIN COMMAND`.
pub(in super::super) fn rustup(call: &Call<'_>, used: &mut ProgramUse) {
    match subcommand(call) {
        Some((index, "run")) => {
            let skip = usize::from(
                call.words.get(index + 1).is_some_and(|word| word.value.as_deref() == Some("--install")),
            );
            effects::command(call, index + 2 + skip, used);
        }
        Some((_, "update" | "install" | "toolchain" | "component" | "target" | "self")) => {
            used.network.push(None)
        }
        _ => {}
    }
}

/// Package managers of the system.
pub(in super::super) fn system(call: &Call<'_>, used: &mut ProgramUse) {
    if call.words.iter().any(|word| {
        matches!(word.value.as_deref(), Some("-o" | "--option" | "-c" | "--config-file" | "--config"))
            || word.prefix.starts_with("-o") && word.prefix.contains("::")
    }) && call.row.name != "brew"
    {
        used.opaque.push("an option that changes what runs");
    }
    if !matches!(
        subcommand(call),
        Some((
            _,
            "list" | "show" | "info" | "policy" | "depends" | "rdepends" | "--version" | "leaves" | "deps"
        ))
    ) {
        used.network.push(None);
    }
}

fn behind_words(call: &Call<'_>, index: usize, used: &mut ProgramUse) {
    used.network.push(None);
    command_from(call, index, used);
}
