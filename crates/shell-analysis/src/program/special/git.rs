//! git: what its options and settings start, and what its subcommands touch.

use pegboard_tool_core::ports::{CommandNature, FileAccess};

use crate::word::Word;

use super::super::call::Call;
use super::super::row::Kind;
use super::super::{ProgramUse, Start, effects, rows};

const OTHER_REPOSITORY: &str = "a repository whose settings may name programs";
const SETTING: &str = "a setting of git that may name a program";

/// Settings that name no programs and no other files: sections, or whole names.
const PLAIN_SETTINGS: &[&str] = &[
    "advice.",
    "color.",
    "column.",
    "core.abbrev",
    "core.autocrlf",
    "core.bigfilethreshold",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.longpaths",
    "core.precomposeunicode",
    "core.quotepath",
    "core.safecrlf",
    "core.symlinks",
    "core.untrackedcache",
    "core.whitespace",
    "diff.algorithm",
    "diff.colormoved",
    "diff.context",
    "diff.mnemonicprefix",
    "diff.noprefix",
    "diff.renamelimit",
    "diff.renames",
    "diff.statgraphwidth",
    "fetch.prune",
    "format.pretty",
    "gc.auto",
    "grep.",
    "i18n.",
    "init.defaultbranch",
    "log.",
    "merge.conflictstyle",
    "merge.ff",
    "merge.renamelimit",
    "pull.ff",
    "pull.rebase",
    "push.default",
    "rebase.autosquash",
    "rebase.autostash",
    "rerere.",
    "status.",
    "user.email",
    "user.name",
];

/// `git [OPTIONS] SUBCOMMAND ...`.
pub(in super::super) fn hook(call: &Call<'_>, used: &mut ProgramUse) {
    used.nature = CommandNature::Other;
    let mut is_plain = effects::is_by_name_or_system(&call.words[0]);
    let mut is_elsewhere = false;
    let mut index = 1;
    let place = loop {
        let Some(word) = call.words.get(index) else { return };
        let Some(text) = word.value.as_deref().filter(|_| !word.is_many) else {
            let is_setting = word.prefix.starts_with("--git-dir=") || word.prefix.starts_with("--work-tree=");
            used.opaque.push(if is_setting { OTHER_REPOSITORY } else { "a subcommand that cannot be told" });
            if is_setting {
                index += 1;
                continue;
            }
            return;
        };
        let value = call.words.get(index + 1);
        match text {
            "--no-pager"
            | "-P"
            | "--no-optional-locks"
            | "--literal-pathspecs"
            | "--glob-pathspecs"
            | "--noglob-pathspecs"
            | "--icase-pathspecs"
            | "--no-replace-objects"
            | "--no-lazy-fetch"
            | "--no-advice" => index += 1,
            "--version" | "-v" | "--help" | "-h" | "--html-path" | "--man-path" | "--info-path"
            | "--exec-path" => {
                if is_plain
                    && matches!(text, "--version" | "-v" | "-h" | "--exec-path")
                    && call.words.len() == 2
                {
                    used.nature = CommandNature::ReadOnly;
                }
                return;
            }
            "-p" | "--paginate" | "--bare" => {
                is_plain = false;
                index += 1;
            }
            "-C" => {
                is_plain = false;
                is_elsewhere = true;
                if value.is_some_and(|value| value.is_many) {
                    used.opaque.push("a subcommand that cannot be told");
                }
                index += 2;
            }
            "-c" => {
                is_plain = false;
                setting(value, used);
                index += 2;
            }
            "--git-dir" | "--work-tree" | "--namespace" | "--super-prefix" | "--attr-source" => {
                is_plain = false;
                is_elsewhere = true;
                used.opaque.push(OTHER_REPOSITORY);
                index += 2;
            }
            "--config-env" => {
                used.opaque.push(SETTING);
                index += 2;
            }
            _ if text.starts_with("--git-dir=")
                || text.starts_with("--work-tree=")
                || text.starts_with("--namespace=") =>
            {
                is_plain = false;
                is_elsewhere = true;
                used.opaque.push(OTHER_REPOSITORY);
                index += 1;
            }
            _ if text.starts_with("--config-env=") => {
                used.opaque.push(SETTING);
                index += 1;
            }
            _ if text.starts_with('-') => {
                used.opaque.push("an option of git that may change what runs");
                index += 1;
            }
            _ => break index,
        }
    };
    let mut words = call.words.get(place..).unwrap_or_default();
    let name = words.first().and_then(|word| word.value.as_deref()).unwrap_or_default();
    // `stash list` is a row of its own.
    let verb =
        words.get(1).and_then(|word| word.value.as_deref()).filter(|_| matches!(name, "stash" | "worktree"));
    let by_verb = verb.and_then(|verb| rows::git_subcommand(&format!("{name} {verb}")));
    if by_verb.is_some() {
        words = words.get(1..).unwrap_or_default();
    }
    let Some(row) = by_verb.or_else(|| rows::git_subcommand(name)) else {
        used.opaque.push("a subcommand of git that may be an alias");
        return;
    };
    let inner = Call::read(row, words);
    let mut found = ProgramUse::default();
    effects::apply(&inner, &mut found);
    // Where programs are named, unquoted globs could be options as well.
    let has_glob = words.iter().any(|word| word.has_glob);
    let only_looks =
        row.kind == Kind::Look && inner.is_plain() && inner.is_certain() && !has_glob && is_plain;
    found.nature = if only_looks { CommandNature::ReadOnlyInTrusted } else { CommandNature::Other };
    if let Some(hook) = row.hook {
        hook(&inner, &mut found);
    }
    // `%G?` checks a signature by a program that the settings name.
    if words.iter().any(|word| word.prefix.contains("%G") || word.prefix.contains("signature")) {
        found.nature = CommandNature::Other;
    }
    if name == "version" && only_looks {
        found.nature = CommandNature::ReadOnly;
    }
    if is_elsewhere {
        for touch in &mut found.files {
            if touch.path.as_deref().is_none_or(|path| !path.starts_with(['/', '~'])) {
                touch.path = None;
                touch.has_glob = false;
            }
        }
    }
    used.nature = found.nature;
    used.starts.append(&mut found.starts);
    used.network.append(&mut found.network);
    used.opaque.append(&mut found.opaque);
    for touch in found.files {
        if !used.files.contains(&touch) {
            used.files.push(touch);
        }
    }
}

/// `-c NAME=VALUE`.
fn setting(word: Option<&Word>, used: &mut ProgramUse) {
    let Some(word) = word else { return };
    let Some(text) = word.value.as_deref().filter(|_| !word.is_many && !word.has_glob) else {
        used.opaque.push(SETTING);
        return;
    };
    let (name, value) = text.split_once('=').unwrap_or((text, "true"));
    let name = name.to_ascii_lowercase();
    let is_plain = PLAIN_SETTINGS.iter().any(|plain| match plain.strip_suffix('.') {
        Some(_) => name.starts_with(plain),
        None => name == *plain,
    });
    let is_off = matches!(value, "" | "false" | "cat" | "true");
    let is_switched = matches!(name.as_str(), "commit.gpgsign" | "tag.gpgsign" | "core.fsmonitor")
        && value == "false"
        || matches!(name.as_str(), "core.pager" | "pager.log" | "pager.diff" | "pager.show" | "pager.branch")
            && is_off
            && value != "true"
        || name == "core.editor" && value == "true"
        || name == "core.hookspath" && value == "/dev/null";
    if is_plain || is_switched {
        return;
    }
    used.opaque.push(SETTING);
    if name == "include.path" || name.starts_with("includeif.") || name.ends_with("file") {
        used.touch(&Word::known(value, word.at), FileAccess::Read, false);
    }
    if ["http", "https", "url.", "remote.", "core.gitproxy", "submodule."]
        .iter()
        .any(|begin| name.starts_with(begin))
    {
        used.network.push(None);
    }
    let is_command = name.starts_with("alias.") && value.starts_with('!')
        || matches!(
            name.as_str(),
            "core.pager"
                | "core.editor"
                | "core.sshcommand"
                | "core.fsmonitor"
                | "core.askpass"
                | "diff.external"
                | "sequence.editor"
                | "gpg.program"
        )
        || name.starts_with("credential.") && name.ends_with("helper") && value.starts_with('!')
        || name.starts_with("pager.")
        || name.ends_with(".textconv")
        || name.ends_with(".command")
        || name.ends_with(".cmd")
        || name.starts_with("filter.")
        || name.ends_with(".uploadpack")
        || name.ends_with(".receivepack");
    if is_command {
        used.starts.push(Start::Line {
            text: value.trim_start_matches('!').to_owned(),
            arguments: vec![Word::unknown(true, word.at)],
            at: word.at,
        });
    }
}

/// Words that are no options, behind the subcommand.
pub(super) fn operands<'a>(call: &'a Call<'_>) -> impl Iterator<Item = &'a Word> {
    let mut only_operands = false;
    call.words.iter().skip(1).filter(move |word| {
        if only_operands {
            return true;
        }
        if word.value.as_deref() == Some("--") {
            only_operands = true;
            return false;
        }
        !word.prefix.starts_with('-')
    })
}

/// The words behind `--`.
pub(super) fn behind_dashes<'a>(call: &'a Call<'_>) -> &'a [Word] {
    let place = call.words.iter().position(|word| word.value.as_deref() == Some("--"));
    place.and_then(|place| call.words.get(place + 1..)).unwrap_or_default()
}

/// `diff`, `log`, `show`: operands may be paths, and `REVISION:PATH` holds one.
pub(in super::super) fn paths(call: &Call<'_>, used: &mut ProgramUse) {
    for (_, word) in &call.operands {
        if let Some((_, path)) = word.value.as_deref().and_then(|text| text.split_once(':'))
            && !path.is_empty()
        {
            used.touch(&Word::known(path.trim_start_matches("./"), word.at), FileAccess::Read, true);
        }
        used.touch(word, FileAccess::Read, true);
    }
    if call.row.name == "diff" {
        // Two paths outside of a repository are compared as plain files.
        let outside = call.operands.iter().any(|(_, word)| {
            word.value.is_none() || word.prefix.starts_with(['/', '~']) || word.prefix.starts_with("..")
        });
        if outside {
            used.nature = CommandNature::Other;
        }
    }
}

/// `grep`: a pattern, then paths.
pub(in super::super) fn grep(call: &Call<'_>, used: &mut ProgramUse) {
    let is_scripted = call.has(&["-e", "-f"]);
    for (_, word) in call.operands.iter().skip(usize::from(!is_scripted)) {
        used.touch(word, FileAccess::Read, true);
    }
    for word in call.words.iter().skip(1) {
        let program = word.prefix.strip_prefix("-O").or_else(|| {
            let (name, value) = word.prefix.split_once('=').unwrap_or((&word.prefix, ""));
            (name.len() > 3 && "--open-files-in-pager".starts_with(name)).then_some(value)
        });
        if let Some(program) = program {
            match (program, word.value.is_some()) {
                (_, false) | ("", true) => used.opaque.push("the pager of git"),
                (program, true) => effects::program(&Word::known(program, word.at), used),
            }
        }
    }
    if call.operands.len() <= usize::from(!is_scripted) {
        used.path(".", FileAccess::Read, true, call.at());
    }
}

/// A list only, unless it is given names.
pub(in super::super) fn branch(call: &Call<'_>, used: &mut ProgramUse) {
    let lists = call.has(&["-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"]);
    if !call.operands.is_empty() && !lists {
        used.nature = CommandNature::Other;
    }
}

/// A list only, unless it is given names.
pub(in super::super) fn tag(call: &Call<'_>, used: &mut ProgramUse) {
    let lists =
        call.has(&["-l", "-n", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"]);
    if !call.operands.is_empty() && !lists {
        used.nature = CommandNature::Other;
    }
    commit(call, used);
}

/// `remote`, `remote -v`, `remote get-url NAME`.
pub(in super::super) fn remote(call: &Call<'_>, used: &mut ProgramUse) {
    match call.operands.first().and_then(|(_, word)| word.value.as_deref()) {
        None if call.operands.is_empty() => {}
        Some("get-url") => {}
        Some("show" | "update" | "prune") => {
            used.nature = CommandNature::Other;
            used.network.push(None);
        }
        _ => {
            used.nature = CommandNature::Other;
            used.path(".git/config", FileAccess::Write, false, call.at());
        }
    }
}

/// `reflog` without a verb that changes it.
pub(in super::super) fn reflog(call: &Call<'_>, used: &mut ProgramUse) {
    if matches!(
        call.operands.first().and_then(|(_, word)| word.value.as_deref()),
        Some("expire" | "delete" | "drop" | "write")
    ) {
        used.nature = CommandNature::Other;
    }
}

/// `stash list`, `stash show` look; all else changes the tree.
pub(in super::super) fn stash(call: &Call<'_>, used: &mut ProgramUse) {
    if !matches!(call.words.get(1).and_then(|word| word.value.as_deref()), Some("list" | "show")) {
        tree(call, used);
    }
}

/// Changes files of the working tree that it names or not.
pub(in super::super) fn tree(call: &Call<'_>, used: &mut ProgramUse) {
    if matches!(call.row.name, "apply" | "am") {
        for word in operands(call) {
            used.touch(word, FileAccess::Read, false);
        }
        // A patch names any file below, and `--directory` moves them.
        used.path(".", FileAccess::Write, true, call.at());
        return;
    }
    used.path(".", FileAccess::Write, false, call.at());
}

/// `checkout -- PATHS`, `restore PATHS`.
pub(in super::super) fn restores(call: &Call<'_>, used: &mut ProgramUse) {
    let named: Vec<&Word> = match call.row.name {
        "restore" => operands(call).collect(),
        _ => behind_dashes(call).iter().collect(),
    };
    for word in named {
        used.touch(word, FileAccess::Write, true);
    }
    used.path(".", FileAccess::Write, false, call.at());
}

/// `clean` removes what is not tracked.
pub(in super::super) fn clean(call: &Call<'_>, used: &mut ProgramUse) {
    let is_dry = call.words.iter().any(|word| matches!(word.value.as_deref(), Some("-n" | "--dry-run")));
    if is_dry {
        return;
    }
    let mut any = false;
    for word in operands(call) {
        used.touch(word, FileAccess::Remove, true);
        any = true;
    }
    if !any {
        used.path(".", FileAccess::Remove, true, call.at());
    }
}

/// `add PATHS` takes their content.
pub(in super::super) fn operands_read(call: &Call<'_>, used: &mut ProgramUse) {
    for word in operands(call) {
        used.touch(word, FileAccess::Read, true);
    }
    let takes_all = |word: &Word| {
        let text = word.value.as_deref().unwrap_or(&word.prefix);
        word.value.is_none() && text.is_empty()
            || !text.starts_with("--") && text.starts_with('-') && text.contains(['A', 'u', 'p', 'i', 'e'])
            || ["--a", "--no-ig", "--u", "--p", "--i", "--ed"].iter().any(|begin| text.starts_with(begin))
    };
    if call.row.name != "update-index" && call.words.iter().skip(1).any(takes_all) {
        used.path(".", FileAccess::Read, true, call.at());
    }
    if call.words.iter().any(|word| {
        ["--pathspec-from", "--stdin", "--index-info"].iter().any(|option| word.prefix.starts_with(option))
    }) {
        used.unknown_file(FileAccess::Read, call.at());
    }
}

/// `archive` packs what the repository holds.
pub(in super::super) fn archive(call: &Call<'_>, used: &mut ProgramUse) {
    used.path(".", FileAccess::Read, true, call.at());
}

/// `interpret-trailers FILE`, with `--in-place` written.
pub(in super::super) fn trailers(call: &Call<'_>, used: &mut ProgramUse) {
    let writes = call.words.iter().any(|word| word.value.is_none() || word.prefix.starts_with("--in"));
    for word in operands(call) {
        used.touch(word, FileAccess::Read, false);
        if writes {
            used.touch(word, FileAccess::Write, false);
        }
    }
    commit(call, used);
}

/// `mv`.
pub(in super::super) fn moves(call: &Call<'_>, used: &mut ProgramUse) {
    super::copies::mv(call, used);
}

/// `commit -F FILE`.
pub(in super::super) fn commit(call: &Call<'_>, used: &mut ProgramUse) {
    for (index, word) in call.words.iter().enumerate().skip(1) {
        match word.value.as_deref() {
            Some("-F" | "--file" | "-t" | "--template") => {
                if let Some(file) = call.words.get(index + 1) {
                    used.touch(file, FileAccess::Read, false);
                }
            }
            Some(text) => {
                if let Some(path) = text.strip_prefix("--file=").or_else(|| text.strip_prefix("--template="))
                {
                    used.touch(&Word::known(path, word.at), FileAccess::Read, false);
                } else if text.starts_with('-')
                    && !text.starts_with("--")
                    && let Some((_, path)) = text.split_once('F')
                {
                    match (path, call.words.get(index + 1)) {
                        ("", Some(file)) => used.touch(file, FileAccess::Read, false),
                        _ => used.touch(&Word::known(path, word.at), FileAccess::Read, false),
                    }
                } else if text.starts_with("--pathspec-from-file") {
                    used.unknown_file(FileAccess::Read, word.at);
                }
            }
            None if word.prefix.starts_with("-F") || word.prefix.starts_with("--file=") => {
                used.unknown_file(FileAccess::Read, word.at);
            }
            None => {}
        }
    }
}

/// `config`: reads, or writes a settings file that can name programs.
pub(in super::super) fn config(call: &Call<'_>, used: &mut ProgramUse) {
    let has = |names: &[&str]| {
        call.words.iter().skip(1).any(|word| word.value.as_deref().is_some_and(|text| names.contains(&text)))
    };
    let words: Vec<&Word> = operands(call).collect();
    let verb = words.first().and_then(|word| word.value.as_deref());
    let looks = has(&[
        "--get",
        "--get-all",
        "--get-regexp",
        "--get-urlmatch",
        "--list",
        "-l",
        "--get-color",
        "--get-colorbool",
    ]) || matches!(verb, Some("get" | "list"))
        || words.len() == 1 && !has(&["--unset", "--unset-all", "--remove-section", "-e", "--edit"]);
    if !looks {
        used.nature = CommandNature::Other;
    }
    let file = call.words.iter().enumerate().skip(1).find_map(|(index, word)| match word.value.as_deref() {
        Some("-f" | "--file") => call.words.get(index + 1).cloned(),
        Some(text) => text.strip_prefix("--file=").map(|path| Word::known(path, word.at)),
        None => None,
    });
    let access = if looks && words.iter().all(|word| word.value.is_some()) {
        FileAccess::Read
    } else {
        FileAccess::Write
    };
    match file {
        Some(file) => used.touch(&file, access, false),
        None if has(&["--global"]) => used.path("~/.gitconfig", access, false, call.at()),
        None if has(&["--system"]) => used.path("/etc/gitconfig", access, false, call.at()),
        None => used.path(".git/config", access, false, call.at()),
    }
    if has(&["-e", "--edit", "edit"]) {
        used.opaque.push("an editor");
    }
}

/// `bundle create FILE`.
pub(in super::super) fn bundle(call: &Call<'_>, used: &mut ProgramUse) {
    if let Some(file) = operands(call).nth(1) {
        used.touch(file, FileAccess::Write, false);
    }
}

/// `worktree add PATH`, `worktree remove PATH`.
pub(in super::super) fn worktree(call: &Call<'_>, used: &mut ProgramUse) {
    let access = match call.words.get(1).and_then(|word| word.value.as_deref()) {
        Some("list") => return,
        Some("remove") => FileAccess::Remove,
        _ => FileAccess::Write,
    };
    for word in operands(call).skip(1).take(2) {
        used.touch(word, access, true);
    }
}
