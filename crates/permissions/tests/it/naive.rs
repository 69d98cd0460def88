//! A second engine, written from the documents: every rule is tried on every call, one after the other, without any
//! index, on a small world. The real engine must agree with it.

use pegboard_tool_core::ports::Verdict;
use pegboard_tool_core::{PermissionMode, RuleEffect};
use serde_json::Value;

/// What a call of the small world does.
#[derive(Debug, Default)]
struct Deeds {
    /// Commands, their words joined by blanks.
    commands: Vec<String>,
    /// Paths that are read.
    reads: Vec<String>,
    /// Paths that are changed.
    writes: Vec<String>,
    /// The host that is reached.
    host: Option<String>,
}

/// The verdict about a call. The project is `/w`, the home directory `/home/u`.
pub(crate) fn verdict(
    rules: &[(RuleEffect, String)],
    mode: PermissionMode,
    tool: &str,
    input: &Value,
) -> Verdict {
    let deeds = deeds(tool, input);
    let of = |effect| rules.iter().filter(move |(other, _)| *other == effect).map(|(_, text)| text.as_str());
    if of(RuleEffect::Deny).any(|rule| holds(rule, RuleEffect::Deny, tool, input, &deeds)) {
        return Verdict::Deny;
    }
    let must_ask = of(RuleEffect::Ask).any(|rule| holds(rule, RuleEffect::Ask, tool, input, &deeds))
        || deeds.writes.iter().any(|path| path.split('/').any(|name| name.eq_ignore_ascii_case(".git")));
    let allow: Vec<&str> = of(RuleEffect::Allow).collect();
    let runs = !must_ask && runs(&allow, mode, tool, input, &deeds);
    match (runs, mode) {
        (true, _) => Verdict::Allow,
        (false, PermissionMode::DontAsk) => Verdict::Deny,
        (false, _) => Verdict::Ask,
    }
}

fn runs(allow: &[&str], mode: PermissionMode, tool: &str, input: &Value, deeds: &Deeds) -> bool {
    use PermissionMode::{AcceptEdits, Auto, BypassPermissions, Plan};
    let is_bash = tool == "Bash";
    let only_looks = !deeds.commands.is_empty() && deeds.commands.iter().all(|command| looks(command))
        || matches!(tool, "Read");
    if mode == BypassPermissions || only_looks && deeds.reads.iter().all(|path| is_inside(path)) {
        return true;
    }
    if mode == Plan && !deeds.writes.is_empty() {
        return false;
    }
    let edits_inside = deeds.writes.iter().chain(&deeds.reads).all(|path| is_inside(path));
    if tool == "Edit" && edits_inside && matches!(mode, AcceptEdits | Auto) {
        return true;
    }
    if is_bash {
        let whole = mode != Auto && allow.iter().any(|rule| names(rule, tool, RuleEffect::Allow));
        return whole
            || deeds.commands.iter().all(|command| {
                let is_fine =
                    |path: &String| is_inside(path) || allow.iter().any(|rule| permits(rule, path, "Read"));
                looks(command) && paths_of(command).iter().all(is_fine)
                    || mode == AcceptEdits
                        && is_edit(command)
                        && paths_of(command).iter().all(|path| is_inside(path))
                    || allow.iter().any(|rule| {
                        specifier(rule, "Bash").is_some_and(|pattern| {
                            !(mode == Auto && is_broad(pattern)) && command_fits(pattern, command, false)
                        })
                    })
            });
    }
    let is_suspended = mode == Auto && tool == "Agent";
    let by_name = !is_suspended && allow.iter().any(|rule| names(rule, tool, RuleEffect::Allow));
    let by_path = |path: &String, kind| allow.iter().any(|rule| permits(rule, path, kind));
    by_name
        || tool == "Read" && deeds.reads.iter().all(|path| by_path(path, "Read"))
        || tool == "Edit" && deeds.writes.iter().all(|path| by_path(path, "Edit"))
        || deeds.host.as_ref().is_some_and(|host| {
            allow.iter().any(|rule| specifier(rule, "WebFetch").is_some_and(|domain| host_fits(domain, host)))
        })
        || tool == "Agent" && {
            let kind = input.get("subagent_type").and_then(Value::as_str);
            mode != Auto && allow.iter().any(|rule| kind.is_some() && specifier(rule, "Agent") == kind)
        }
}

fn deeds(tool: &str, input: &Value) -> Deeds {
    let text = |field: &str| input.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut deeds = Deeds::default();
    match tool {
        "Bash" => {
            let line = text("command").replace("&&", ";").replace(['|', '\n'], ";");
            for command in line.split(';') {
                let command = command.split_whitespace().collect::<Vec<_>>().join(" ");
                let paths = paths_of(&command);
                if is_edit(&command) {
                    deeds.writes.extend(paths)
                } else {
                    deeds.reads.extend(paths)
                }
                deeds.commands.push(command);
            }
        }
        "Read" => deeds.reads.push(text("file_path")),
        "Edit" => deeds.writes.push(text("file_path")),
        "WebFetch" => {
            let url = text("url");
            deeds.host = url.strip_prefix("https://").map(|rest| rest.split('/').next().unwrap().to_owned());
        }
        _ => {}
    }
    deeds
}

fn looks(command: &str) -> bool {
    matches!(command.split(' ').next(), Some("ls" | "cat"))
}

fn is_edit(command: &str) -> bool {
    matches!(command.split(' ').next(), Some("rm" | "touch"))
}

/// Absolute paths that a command of the small world names.
fn paths_of(command: &str) -> Vec<String> {
    if !looks(command) && !is_edit(command) {
        return Vec::new();
    }
    let words = command.split(' ').skip(1).filter(|word| !word.starts_with('-'));
    words.map(|word| if word.starts_with('/') { word.to_owned() } else { format!("/w/{word}") }).collect()
}

fn is_inside(path: &str) -> bool {
    path == "/w" || path.starts_with("/w/")
}

/// The text between the parentheses of a rule on `tool`.
fn specifier<'r>(rule: &'r str, tool: &str) -> Option<&'r str> {
    let inner = rule.strip_prefix(tool)?.strip_prefix('(')?.strip_suffix(')')?;
    (inner != "*").then_some(inner)
}

/// Whether the rule names the whole tool.
fn names(rule: &str, tool: &str, effect: RuleEffect) -> bool {
    let rule = rule.strip_suffix("(*)").unwrap_or(rule);
    if rule.contains('(') {
        return false;
    }
    if rule.contains('*') {
        let after_server = rule.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
        let has_server = after_server.is_some_and(|(server, _)| !server.contains('*'));
        return (effect != RuleEffect::Allow || has_server) && stars(rule, tool);
    }
    let is_server = rule.starts_with("mcp__") && rule.matches("__").count() == 1;
    rule == tool || is_server && tool.starts_with(&format!("{rule}__"))
}

fn holds(rule: &str, effect: RuleEffect, tool: &str, input: &Value, deeds: &Deeds) -> bool {
    if names(rule, tool, effect) {
        return true;
    }
    if tool == "Bash"
        && let Some(pattern) = specifier(rule, "Bash")
        && deeds.commands.iter().any(|command| command_fits(pattern, command, true))
    {
        return true;
    }
    if let Some(pattern) = specifier(rule, "Read") {
        let reads = deeds.reads.iter().any(|path| forbids(pattern, path));
        let writes = effect == RuleEffect::Deny && deeds.writes.iter().any(|path| forbids(pattern, path));
        return reads || writes;
    }
    if let Some(pattern) = specifier(rule, "Edit") {
        return deeds.writes.iter().any(|path| forbids(pattern, path));
    }
    if let (Some(domain), Some(host)) = (specifier(rule, "WebFetch"), &deeds.host) {
        return host_fits(domain, host);
    }
    if tool == "Agent"
        && let Some(inner) = specifier(rule, "Agent")
    {
        return match inner.split_once(':') {
            Some((field, wanted)) => {
                input.get(field).and_then(Value::as_str).is_some_and(|value| stars(wanted, value))
            }
            None => input.get("subagent_type").and_then(Value::as_str) == Some(inner),
        };
    }
    false
}

fn command_fits(pattern: &str, command: &str, holds_back: bool) -> bool {
    let Some(head) = pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *")) else {
        return stars(pattern, command);
    };
    let bare_end = holds_back || !head.contains('*');
    bare_end && stars(head, command) || stars(&format!("{head} *"), command)
}

/// In the small world `npm` is the one program that runs anything.
fn is_broad(pattern: &str) -> bool {
    pattern.starts_with('*')
        || pattern.contains('*')
            && ["npm run", "npm *", "npm:*", "npm*"].iter().any(|start| pattern.starts_with(start))
}

fn host_fits(domain: &str, host: &str) -> bool {
    let domain = domain.strip_prefix("domain:").unwrap_or(domain);
    let (wanted, given): (Vec<&str>, Vec<&str>) = (domain.split('.').collect(), host.split('.').collect());
    let same = |wanted: &[&str], given: &[&str]| {
        wanted.len() == given.len() && wanted.iter().zip(given).all(|(wanted, label)| stars(wanted, label))
    };
    match wanted.split_first() {
        // A star in front means one label or more.
        Some((&"*", rest)) => (1..given.len()).any(|at| same(rest, &given[at..])),
        _ => same(&wanted, &given),
    }
}

fn permits(rule: &str, path: &str, kind: &str) -> bool {
    let edit = specifier(rule, "Edit");
    let read = if kind == "Read" { specifier(rule, "Read") } else { None };
    edit.or(read).is_some_and(|pattern| path_fits(pattern, path, false))
}

fn forbids(pattern: &str, path: &str) -> bool {
    path_fits(&pattern.to_lowercase(), &path.to_lowercase(), true)
}

/// The pattern as a list of segments from the root, then every start of the path is tried.
fn path_fits(pattern: &str, path: &str, holds_back: bool) -> bool {
    let (mut segments, body, is_explicit) = if let Some(rest) = pattern.strip_prefix("//") {
        (vec![], rest, true)
    } else if let Some(rest) = pattern.strip_prefix("~/") {
        (vec!["home", "u"], rest, true)
    } else if let Some(rest) = pattern.strip_prefix('/') {
        (vec!["w"], rest, true)
    } else if let Some(rest) = pattern.strip_prefix("./") {
        (vec!["w"], rest, true)
    } else {
        (vec!["w"], pattern, false)
    };
    let parts: Vec<&str> = body.split('/').collect();
    let is_folder_glob = parts.len() == 2 && parts[1] == "**";
    if !is_explicit && (parts.len() == 1 || is_folder_glob && holds_back) {
        segments.push("**");
    }
    segments.extend(&parts);
    let names: Vec<&str> = path.split('/').skip(1).collect();
    // What names a folder names all that is below it.
    (1..=names.len()).any(|end| names_fit(&segments, &names[..end]))
}

fn names_fit(segments: &[&str], names: &[&str]) -> bool {
    match (segments.split_first(), names.split_first()) {
        (None, None) => true,
        // At the end `**` needs something below; elsewhere it may be nothing.
        (Some((&"**", [])), _) => !names.is_empty(),
        (Some((&"**", rest)), _) => {
            names_fit(rest, names) || names.split_first().is_some_and(|(_, below)| names_fit(segments, below))
        }
        (Some((segment, rest)), Some((name, below))) => stars(segment, name) && names_fit(rest, below),
        _ => false,
    }
}

/// Whether `text` is `pattern`, where a star stands for any run of characters.
fn stars(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|tail| {
            (0..=tail.len()).filter(|at| tail.is_char_boundary(*at)).any(|at| stars(rest, &tail[at..]))
        }),
    }
}
