//! Command patterns that mean something else than they look.

use crate::lint::{Draft, FindingKind, Subject};
use crate::lint_names::forbids;
use crate::lint_probe::field;

/// Programs that run whatever they are given. With a star behind them a rule allows everything.
const RUNS_ANYTHING: &[&str] = &[
    "awk",
    "bash",
    "bun",
    "bunx",
    "busybox",
    "command",
    "dash",
    "deno",
    "doas",
    "docker",
    "env",
    "eval",
    "exec",
    "fish",
    "gawk",
    "kubectl",
    "ksh",
    "lua",
    "node",
    "nohup",
    "npx",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pnpx",
    "podman",
    "powershell",
    "pwsh",
    "python",
    "python2",
    "python3",
    "ruby",
    "sh",
    "ssh",
    "su",
    "sudo",
    "tclsh",
    "time",
    "timeout",
    "tsx",
    "ts-node",
    "uvx",
    "xargs",
    "zsh",
];

/// Starts of patterns that run whatever follows. Scripts that a project names (`npm run`) are its own matter.
const RUNS_SCRIPTS: &[&str] = &[
    "npm exec",
    "npm x",
    "yarn exec",
    "yarn dlx",
    "pnpm exec",
    "pnpm dlx",
    "bun x",
    "pipx run",
    "docker run",
    "docker exec",
    "podman run",
    "podman exec",
    "kubectl exec",
    "nix run",
    "nix-shell",
];

/// Programs that do nothing without further words.
const NEEDS_WORDS: &[&str] = &[
    "aws",
    "az",
    "bun",
    "cargo",
    "cat",
    "chmod",
    "chown",
    "cp",
    "curl",
    "docker",
    "gcloud",
    "gh",
    "git",
    "go",
    "grep",
    "helm",
    "kubectl",
    "mkdir",
    "mv",
    "npm",
    "npx",
    "pip",
    "pip3",
    "pnpm",
    "podman",
    "rm",
    "rmdir",
    "sed",
    "ssh",
    "terraform",
    "touch",
    "uv",
    "wget",
    "yarn",
];

/// Subcommands that do nothing without a further word.
const NEEDS_SCRIPT: &[&str] = &["npm run", "pnpm run", "yarn run", "bun run", "uv run"];

/// Taken off in front of a command before rules are asked.
const TAKEN_OFF: &[&str] = &["timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin"];

/// Run other commands and are allowed by an exact rule only.
const EXACT_ONLY: &[&str] = &["watch", "setsid", "ionice", "flock"];

/// What is odd about a pattern of a shell tool.
pub(crate) fn check(subject: &Subject<'_>) -> Option<Draft> {
    let tool = &subject.parts.tool;
    if subject.parts.specifier.is_none() {
        return subject.is_allow().then(|| {
            let reason = "it lets every command run; allow the commands that are needed";
            Draft::new(FindingKind::TooBroad, reason)
        });
    }
    let rule = |text: &str| format!("{tool}({text})");
    if let Some(draft) = parameter(subject) {
        return Some(draft);
    }
    if field(subject.specifier()).is_some() {
        return None;
    }
    let pattern = Pattern::new(subject.specifier());
    operators(&pattern, &rule)
        .or_else(|| inner_colon(&pattern, &rule))
        .or_else(|| in_front(subject, &pattern, &rule))
        .or_else(|| too_broad(subject, &pattern))
        .or_else(|| without_boundary(&pattern, &rule))
        .or_else(|| exact(subject, &pattern, &rule))
        .or_else(|| one_spelling(subject, &pattern, &rule))
}

/// A pattern, as far as its text tells.
struct Pattern<'a> {
    text: &'a str,
    /// Without the star at the end and what belongs to it.
    head: &'a str,
    end: End,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum End {
    /// ` *` or `:*`.
    Boundary,
    /// A star right behind a letter.
    Star,
    /// No star at the end.
    Exact,
}

impl<'a> Pattern<'a> {
    fn new(text: &'a str) -> Self {
        if let Some(head) = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *")) {
            return Self { text, head: head.trim_end(), end: End::Boundary };
        }
        match text.strip_suffix('*') {
            Some(head) => Self { text, head, end: End::Star },
            None => Self { text, head: text, end: End::Exact },
        }
    }

    fn words(&self) -> Vec<&'a str> {
        self.head.split_whitespace().collect()
    }

    fn program(&self) -> &'a str {
        let word = self.head.split_whitespace().next().unwrap_or_default();
        word.rsplit('/').next().unwrap_or_default()
    }

    fn has_star(&self) -> bool {
        self.text.contains('*')
    }
}

fn parameter(subject: &Subject<'_>) -> Option<Draft> {
    let (field, value) = subject.specifier().split_once(':')?;
    (field.trim() == "command").then(|| {
        let reason =
            "`command` is what the pattern itself is about and cannot be named; this is not in force";
        Draft::new(FindingKind::NeverMatches, reason).fix(format!("{}({})", subject.parts.tool, value.trim()))
    })
}

/// Operators and redirections outside quotes.
fn operators(pattern: &Pattern<'_>, rule: &dyn Fn(&str) -> String) -> Option<Draft> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut redirects = false;
    let mut quote: Option<char> = None;
    let mut chars = pattern.text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None | Some('"'), '\\') => {
                part.push(c);
                part.extend(chars.next());
            }
            (Some(open), _) if open == c => {
                quote = None;
                part.push(c);
            }
            (None, '\'' | '"') => {
                quote = Some(c);
                part.push(c);
            }
            (None, '>' | '<') => {
                redirects = true;
                part.push(c);
            }
            (None, '&') if redirects || chars.peek() == Some(&'>') => part.push(c),
            (None, '&' | '|' | ';' | '\n') => {
                while chars.next_if(|next| matches!(next, '&' | '|' | ';' | '\n')).is_some() {}
                parts.push(std::mem::take(&mut part));
            }
            _ => part.push(c),
        }
    }
    parts.push(part);
    let parts: Vec<&str> = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
    if parts.len() > 1 || pattern.text.trim_end().ends_with(['&', ';', '|']) {
        let reason = "a pattern is compared with one simple command at a time, and none holds an operator; write a \
                      rule for each";
        let rules: Vec<String> = parts.iter().map(|part| rule(part)).collect();
        return Some(Draft::new(FindingKind::NeverMatches, reason).fix(rules.join(" and ")));
    }
    redirects.then(|| {
        let reason =
            "a pattern does not see redirections; the file they write is judged by `Edit(...)` rules";
        let command =
            pattern.text.split(['>', '<']).next().unwrap_or_default().trim_end_matches(['1', '2', '&']);
        Draft::new(FindingKind::NeverMatches, reason).fix(rule(command.trim_end()))
    })
}

fn inner_colon(pattern: &Pattern<'_>, rule: &dyn Fn(&str) -> String) -> Option<Draft> {
    pattern.head.contains(":*").then(|| {
        let reason = "`:*` means `with any arguments` only at the end; elsewhere the colon is a colon";
        Draft::new(FindingKind::Misleading, reason).fix(rule(&pattern.text.replacen(":*", " *", 1)))
    })
}

/// Assignments and wrappers in front of the command.
fn in_front(subject: &Subject<'_>, pattern: &Pattern<'_>, rule: &dyn Fn(&str) -> String) -> Option<Draft> {
    let words = pattern.words();
    let first = *words.first()?;
    let is_assignment = first.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    if is_assignment {
        let reason = "assignments in front of a command are taken off before rules are asked";
        let rest = pattern.text.split_once(char::is_whitespace).map(|(_, rest)| rest.trim_start());
        let draft = Draft::new(FindingKind::NeverMatches, reason);
        return Some(match rest {
            Some(rest) if !rest.is_empty() => draft.fix(rule(rest)),
            _ => draft,
        });
    }
    if subject.is_allow() && TAKEN_OFF.contains(&first) && pattern.has_star() {
        let reason = format!(
            "`{first}` in front of a command is taken off before patterns are asked; write the rule for the command alone"
        );
        return Some(Draft::new(FindingKind::NeverMatches, reason));
    }
    if subject.is_allow() && EXACT_ONLY.contains(&first) && pattern.has_star() {
        let reason = format!(
            "`{first}` runs other commands and is allowed only by a rule for the whole command, without a star"
        );
        return Some(Draft::new(FindingKind::NeverMatches, reason));
    }
    None
}

fn too_broad(subject: &Subject<'_>, pattern: &Pattern<'_>) -> Option<Draft> {
    if !subject.is_allow() || !pattern.has_star() {
        return None;
    }
    let words = pattern.words();
    let program = pattern.program().trim_end_matches('*');
    let broad = |what: String| Some(Draft::new(FindingKind::TooBroad, what));
    if pattern.text.starts_with('*') {
        return broad("it begins with a star, so any program fits; name the program".to_owned());
    }
    let starts = words.iter().take(2).map(|word| word.trim_end_matches('*')).collect::<Vec<_>>().join(" ");
    if words.len() <= 2 && RUNS_SCRIPTS.contains(&starts.trim_end()) {
        return broad(format!("`{starts}` runs anything; name what it may run"));
    }
    let is_code = words.len() == 1 || words.iter().skip(1).all(|word| word.starts_with('-'));
    (RUNS_ANYTHING.contains(&program) && is_code)
        .then(|| {
            broad(format!(
                "`{program}` runs whatever follows it, so this allows every command; name what it may run"
            ))
        })
        .flatten()
}

/// `Bash(ls*)`.
fn without_boundary(pattern: &Pattern<'_>, rule: &dyn Fn(&str) -> String) -> Option<Draft> {
    if pattern.end != End::Star {
        return None;
    }
    let word = pattern.head.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_plain = !word.is_empty()
        && !word.starts_with('-')
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        && word.bytes().last().is_some_and(|byte| byte.is_ascii_alphanumeric());
    is_plain.then(|| {
        let reason = format!("without a space before the star it also matches words that begin with `{word}`, such as `{word}x`");
        Draft::new(FindingKind::Misleading, reason).fix(rule(&format!("{} *", pattern.head)))
    })
}

/// `Bash(npm run)`, `deny Bash(git push)`.
fn exact(subject: &Subject<'_>, pattern: &Pattern<'_>, rule: &dyn Fn(&str) -> String) -> Option<Draft> {
    if pattern.has_star() {
        return None;
    }
    let words = pattern.words();
    let wider = rule(&format!("{} *", pattern.text));
    let is_useless = match words.as_slice() {
        [program] => NEEDS_WORDS.contains(program),
        [_, _] => NEEDS_SCRIPT.contains(&pattern.text),
        _ => false,
    };
    if is_useless {
        let reason = format!("it matches `{}` without any further word only", pattern.text);
        return Some(Draft::new(FindingKind::Misleading, reason).fix(wider));
    }
    (forbids(subject.rule.effect) && words.len() <= 2).then(|| {
        let reason =
            format!("it matches exactly `{}`; with a further word the command is not matched", pattern.text);
        Draft::new(FindingKind::OneSpelling, reason).fix(wider)
    })
}

/// `deny Bash(rm -rf *)`.
fn one_spelling(
    subject: &Subject<'_>,
    pattern: &Pattern<'_>,
    rule: &dyn Fn(&str) -> String,
) -> Option<Draft> {
    if !forbids(subject.rule.effect) {
        return None;
    }
    let words = pattern.words();
    let at = words.iter().position(|word| word.starts_with('-'))?;
    let before = words.get(..at)?;
    if before.is_empty() || before.iter().any(|word| word.contains('*')) {
        return None;
    }
    let option = words.get(at)?;
    let reason = format!(
        "it matches only where `{option}` is spelled so and stands right behind `{}`",
        before.join(" ")
    );
    Some(Draft::new(FindingKind::OneSpelling, reason).fix(rule(&format!("{} *", before.join(" ")))))
}
