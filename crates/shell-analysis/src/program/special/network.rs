//! Programs that reach other machines.

use pegboard_tool_core::ports::FileAccess;

use crate::word::Word;

use super::super::call::Call;
use super::super::{ProgramUse, effects, hosts};

/// A host that cannot be told when none is named.
pub(in super::super) fn at_least_one(_: &Call<'_>, used: &mut ProgramUse) {
    if used.network.is_empty() {
        used.network.push(None);
    }
}

/// Always some host that cannot be told.
pub(in super::super) fn always(_: &Call<'_>, used: &mut ProgramUse) {
    used.network.push(None);
}

/// Saves under a name of the other side's choice in the working folder.
pub(in super::super) fn saves_here(call: &Call<'_>, used: &mut ProgramUse) {
    if !call.has(&["-d", "-o"]) {
        used.path(".", FileAccess::Write, false, call.at());
    }
    at_least_one(call, used);
}

/// `dig @SERVER NAME`: asking for a name tells it to a server.
pub(in super::super) fn resolver(call: &Call<'_>, used: &mut ProgramUse) {
    for (_, word) in &call.operands {
        if let Some(server) = word.value.as_deref().and_then(|text| text.strip_prefix('@')) {
            used.network.push(hosts::host(server));
        }
    }
    at_least_one(call, used);
}

/// `curl`.
pub(in super::super) fn curl(call: &Call<'_>, used: &mut ProgramUse) {
    let mut urls: Vec<Word> = call.operands.iter().map(|(_, word)| (*word).clone()).collect();
    let folder = call.option("--output-dir").map(|given| given.value.clone().unwrap_or_default());
    for given in &call.options {
        let Some(value) = &given.value else { continue };
        let text = value.value.as_deref();
        match given.known.name {
            "--url" => match text.and_then(|text| text.strip_prefix('@')) {
                Some(list) => {
                    used.touch(&Word::known(list, value.at), FileAccess::Read, false);
                    used.network.push(None);
                }
                None => urls.push(value.clone()),
            },
            "-K" => {
                used.opaque.push("settings of `curl`");
                used.network.push(None);
            }
            "--connect-to" | "--resolve" => used.network.push(None),
            "-d" | "--url-query" | "--variable" | "-H" | "--proxy-header" | "-w" | "--etag-compare" => {
                match text {
                    Some(text) => {
                        // `@FILE`, `name@FILE`: the file is sent.
                        if let Some((_, path)) = text.split_once('@')
                            && (text.starts_with('@')
                                || matches!(given.known.name, "-d" | "--url-query" | "--variable"))
                        {
                            used.touch(&Word::known(path, value.at), FileAccess::Read, false);
                        }
                        if given.known.name == "-w"
                            && let Some((_, output)) = text.split_once("%output{")
                        {
                            let path = output.trim_start_matches(">>").split('}').next().unwrap_or_default();
                            used.touch(&Word::known(path, value.at), FileAccess::Write, false);
                        }
                    }
                    None if value.prefix.is_empty() || value.prefix.starts_with('@') => {
                        used.unknown_file(FileAccess::Read, value.at);
                    }
                    None => {}
                }
            }
            "-F" => match text {
                Some(text) => {
                    if let Some((_, file)) = text.split_once("=@").or_else(|| text.split_once("=<")) {
                        for path in file.split(',') {
                            let path = path.split(';').next().unwrap_or_default();
                            used.touch(
                                &Word::known(path.trim_matches('"'), value.at),
                                FileAccess::Read,
                                false,
                            );
                        }
                    }
                }
                None => used.unknown_file(FileAccess::Read, value.at),
            },
            "-b" => match text {
                Some(text) if text.contains('=') => {}
                _ => used.touch(value, FileAccess::Read, false),
            },
            "-o" | "-D" => {
                if let (Some(folder), Some(path)) =
                    (folder.as_ref().and_then(|folder| folder.value.as_deref()), text)
                    && path != "-"
                {
                    used.path(format!("{folder}/{path}"), FileAccess::Write, false, value.at);
                }
            }
            _ => {}
        }
    }
    let saves = call.has(&["-O", "--remote-name-all"]);
    for url in &urls {
        let text = url.value.as_deref();
        let is_file =
            text.is_some_and(|text| text.get(..5).is_some_and(|begin| begin.eq_ignore_ascii_case("file:")));
        if is_file {
            let path = text.and_then(|text| text.get(7..)).unwrap_or_default();
            let path = path.strip_prefix("localhost").unwrap_or(path).to_owned();
            if path.starts_with('/') && !path.contains(['%', '{', '[', '\\', '?', '#']) {
                used.path(path, FileAccess::Read, false, url.at);
            } else {
                used.unknown_file(FileAccess::Read, url.at);
            }
        } else {
            used.network.push(text.and_then(hosts::host));
            if text.is_none() && url.prefix.len() < 7 {
                used.unknown_file(FileAccess::Read, url.at);
            }
        }
        if saves {
            saved(text, folder.as_ref(), call.has(&["J", "-J", "--remote-header-name"]), url.at, used);
        }
    }
    if urls.is_empty() && !call.has(&["--version", "--help", "-h", "V"]) {
        used.network.push(None);
    }
    if !call.is_certain() {
        used.unknown_file(FileAccess::Write, call.at());
        used.unknown_file(FileAccess::Read, call.at());
    }
}

/// A file is saved under the last part of its URL.
fn saved(url: Option<&str>, folder: Option<&Word>, by_header: bool, at: usize, used: &mut ProgramUse) {
    let name = url
        .and_then(|url| url.split(['?', '#']).next())
        .and_then(|url| url.split_once("://").map_or(Some(url), |(_, rest)| Some(rest)))
        .and_then(|rest| {
            rest.rsplit_once('/').map_or(Some("index.html"), |(_, name)| {
                Some(if name.is_empty() { "index.html" } else { name })
            })
        })
        .filter(|name| !name.is_empty() && !name.contains(['{', '[', '%', '\\']) && !by_header);
    let folder = match folder {
        None => Some("."),
        Some(folder) => folder.value.as_deref(),
    };
    match (folder, name) {
        (Some(folder), Some(name)) => used.path(format!("{folder}/{name}"), FileAccess::Write, false, at),
        _ => used.unknown_file(FileAccess::Write, at),
    }
}

/// `wget`.
pub(in super::super) fn wget(call: &Call<'_>, used: &mut ProgramUse) {
    for (_, word) in &call.operands {
        used.network.push(word.value.as_deref().and_then(hosts::host));
    }
    let goes_on =
        call.has(&["r", "m", "p", "H", "-r", "--mirror", "--page-requisites", "--span-hosts", "-i"]);
    if goes_on || call.operands.is_empty() || call.has(&["-e", "--config"]) {
        used.network.push(None);
    }
    if !call.has(&["-O", "--spider"]) {
        let folder = call.option("-P").map(|given| given.value.clone().unwrap_or_default());
        if goes_on || call.has(&["x", "--force-directories"]) {
            match &folder {
                Some(folder) => used.touch(folder, FileAccess::Write, true),
                None => used.path(".", FileAccess::Write, true, call.at()),
            }
        } else {
            for (_, word) in &call.operands {
                saved(
                    word.value.as_deref(),
                    folder.as_ref(),
                    call.has(&["--content-disposition"]),
                    word.at,
                    used,
                );
            }
        }
    }
    if !call.is_certain() {
        used.unknown_file(FileAccess::Write, call.at());
        used.opaque.push("an option of `wget` is not known");
    }
}

/// `ssh [OPTIONS] HOST [COMMAND]`.
pub(in super::super) fn ssh(call: &Call<'_>, used: &mut ProgramUse) {
    ssh_options(call, used);
    let Some((place, host)) = call.operands.first() else {
        if !call.has(&["V", "-Q"]) {
            used.network.push(None);
        }
        return;
    };
    used.network.push(host.value.as_deref().and_then(hosts::host));
    let rest = call.words.get(place + 1..).unwrap_or_default();
    if !rest.is_empty() || host.is_many {
        used.opaque.push("a command on another machine");
        // Options may also follow the host; what is told leans towards too many.
        if rest.first().is_some_and(|word| word.prefix.starts_with('-') || word.value.is_none()) {
            used.opaque.push("an option of `ssh` is not known");
        }
        effects::joined_line(rest, used);
    }
}

/// `-o NAME=VALUE` names programs and files.
pub(in super::super) fn ssh_options(call: &Call<'_>, used: &mut ProgramUse) {
    const PLAIN: &[&str] = &[
        "addressfamily",
        "batchmode",
        "ciphers",
        "compression",
        "connectionattempts",
        "connecttimeout",
        "forwardagent",
        "hostkeyalgorithms",
        "identitiesonly",
        "kexalgorithms",
        "loglevel",
        "macs",
        "passwordauthentication",
        "port",
        "preferredauthentications",
        "pubkeyauthentication",
        "requesttty",
        "serveralivecountmax",
        "serveraliveinterval",
        "stricthostkeychecking",
        "tcpkeepalive",
        "user",
    ];
    if !call.is_certain() && call.row.stops_at_operand() && call.unknown.is_some() {
        used.opaque.push("an option of `ssh` is not known");
    }
    for given in &call.options {
        let Some(value) = &given.value else { continue };
        let text = value.value.as_deref();
        match given.known.name {
            "-F" => used.opaque.push("a settings file of `ssh`"),
            "-I" | "-D" | "-S" | "-s" => {}
            "-o" if call.row.name != "sshfs" => {
                let Some(text) = text else {
                    used.opaque.push("a setting of `ssh` that cannot be told");
                    continue;
                };
                let (name, setting) = text.trim().split_once(['=', ' ', '\t']).unwrap_or((text, ""));
                let name = name.trim().to_ascii_lowercase();
                let setting = setting.trim().trim_start_matches('=').trim().trim_matches('"');
                match name.as_str() {
                    "proxycommand" | "localcommand" | "knownhostscommand" => {
                        if setting != "none" {
                            effects::line(&Word::known(setting, value.at), Vec::new(), used);
                        }
                    }
                    "proxyjump" if setting == "none" => {}
                    "hostname" | "proxyjump" => used.network.push(hosts::host(setting)),
                    "identityfile" | "userknownhostsfile" | "certificatefile" | "globalknownhostsfile" => {
                        used.touch(&Word::known(setting, value.at), FileAccess::Read, false);
                    }
                    _ if PLAIN.binary_search(&name.as_str()).is_ok() => {}
                    _ => used.opaque.push("a setting of `ssh` that may run a command"),
                }
            }
            _ => {}
        }
    }
}

/// `scp`: each operand is local or on another machine; the last is written.
pub(in super::super) fn scp(call: &Call<'_>, used: &mut ProgramUse) {
    ssh_options(call, used);
    if !call.is_certain() {
        used.opaque.push("an option of `scp` is not known");
    }
    copies(call, used, call.has(&["r"]));
    if call.has(&["r"]) {
        used.follows_links(call.at());
    }
}

/// `rsync`.
pub(in super::super) fn rsync(call: &Call<'_>, used: &mut ProgramUse) {
    if !call.is_certain() {
        used.opaque.push("an option of `rsync` is not known");
    }
    if call.has(&["--remove-source-files"]) {
        for (_, word) in call.operands.iter().rev().skip(1) {
            used.touch(word, FileAccess::Remove, true);
        }
    }
    if call.words.iter().any(|word| word.prefix.starts_with("--del"))
        && let Some((_, target)) = call.operands.last()
    {
        used.touch(target, FileAccess::Remove, true);
    }
    copies(call, used, true);
    if call.has(&["L", "k"]) {
        used.follows_links(call.at());
    }
}

fn copies(call: &Call<'_>, used: &mut ProgramUse, is_deep: bool) {
    let Some(((_, target), sources)) = call.operands.split_last() else { return };
    for (_, source) in sources {
        one_end(source, FileAccess::Read, is_deep, used);
    }
    let access = if sources.is_empty() { FileAccess::Read } else { FileAccess::Write };
    one_end(target, access, is_deep, used);
    let Some(folder) = target.value.as_deref().filter(|text| hosts::remote(text).is_none()) else { return };
    for (_, source) in sources {
        let name =
            source.value.as_deref().and_then(|path| path.trim_end_matches('/').rsplit(['/', ':']).next());
        match name {
            Some("" | "." | "..") => {}
            Some(name) => used.path(
                format!("{}/{name}", folder.trim_end_matches('/')),
                FileAccess::Write,
                is_deep,
                source.at,
            ),
            None => used.unknown_file(FileAccess::Write, source.at),
        }
    }
}

fn one_end(word: &Word, access: FileAccess, is_deep: bool, used: &mut ProgramUse) {
    match word.value.as_deref() {
        Some(text) => match hosts::remote(text) {
            Some(remote) => used.network.push(hosts::host(remote)),
            None => used.touch(word, access, is_deep),
        },
        None => {
            used.touch(word, access, is_deep);
            if !word.prefix.contains('/') {
                used.network.push(None);
            }
        }
    }
}

/// `nc`: listens or connects.
pub(in super::super) fn netcat(call: &Call<'_>, used: &mut ProgramUse) {
    if call.has(&["l", "--listen", "k"]) || used.network.is_empty() {
        used.network.push(None);
    }
    if !call.is_certain() {
        used.opaque.push("an option of `nc` is not known");
    }
}

/// `socat`: its addresses run programs, open files and reach hosts.
pub(in super::super) fn socat(call: &Call<'_>, used: &mut ProgramUse) {
    used.network.push(None);
    used.opaque.push("addresses of `socat`");
    for (_, word) in &call.operands {
        let Some((kind, rest)) = word.value.as_deref().and_then(|text| text.split_once(':')) else {
            continue;
        };
        if matches!(kind.to_ascii_lowercase().as_str(), "exec" | "system" | "shell") {
            let text = rest.split(',').next().unwrap_or_default();
            effects::line(&Word::known(text, word.at), Vec::new(), used);
        } else if matches!(kind.to_ascii_lowercase().as_str(), "open" | "file" | "gopen" | "create") {
            let path = rest.split([',', '!']).next().unwrap_or_default();
            used.touch(&Word::known(path, word.at), FileAccess::Read, false);
            used.touch(&Word::known(path, word.at), FileAccess::Write, false);
        } else {
            used.network.push(hosts::host(rest.split(',').next().unwrap_or_default()));
        }
    }
}

/// A client whose own commands, on its input, run programs and move files.
pub(in super::super) fn client(call: &Call<'_>, used: &mut ProgramUse) {
    if call.row.name == "sftp" {
        ssh_options(call, used);
    }
    at_least_one(call, used);
    used.opaque.push("commands on the input");
}

/// Operands may be addresses with a scheme: `psql postgres://h/d`.
pub(in super::super) fn addresses(call: &Call<'_>, used: &mut ProgramUse) {
    for (_, word) in &call.operands {
        match word.value.as_deref() {
            Some(text) if text.contains("://") => used.network.push(hosts::host(text)),
            Some(text) if text.contains('=') => used.network.push(None),
            Some(_) => {}
            None => used.network.push(None),
        }
    }
}

/// `getent hosts NAME` asks a server.
pub(in super::super) fn getent(call: &Call<'_>, used: &mut ProgramUse) {
    let database = call.operands.first().map(|(_, word)| word.value.as_deref());
    if database.is_some_and(|name| {
        name.is_none_or(|name| name.starts_with("ahosts") || name == "hosts" || name == "networks")
    }) {
        for (_, word) in call.operands.iter().skip(1) {
            used.network.push(word.value.as_deref().and_then(hosts::host));
        }
    }
}

/// `http [METHOD] URL [ITEM...]`.
pub(in super::super) fn httpie(call: &Call<'_>, used: &mut ProgramUse) {
    let mut found = false;
    for (_, word) in &call.operands {
        let Some(text) = word.value.as_deref() else {
            used.network.push(None);
            continue;
        };
        let is_method = text.bytes().all(|byte| byte.is_ascii_uppercase());
        if !found && !is_method {
            used.network.push(hosts::host(text));
            found = true;
        } else if let Some((_, path)) = text.split_once('@') {
            used.touch(&Word::known(path, word.at), FileAccess::Read, false);
        }
    }
    if !found {
        used.network.push(None);
    }
}
