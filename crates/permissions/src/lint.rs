//! Finds rules that do not do what they look like: that never match, are shadowed, are for the wrong tool, or mean
//! something else. Single rules: `lint_shell.rs`, `lint_paths.rs`, `lint_names.rs`; rules against each other:
//! `lint_pairs.rs`; trying rules on the engine: `lint_probe.rs`.

use crate::lint_pairs::pairs;
use crate::lint_probe::Prober;
use crate::problem::Outcome;
use crate::rule::RuleParts;
use crate::{lint_names, lint_paths, lint_shell};
use pegboard_tool_core::ports::CommandAnalyzer;
use pegboard_tool_core::{RuleEffect, RuleText};
use std::path::PathBuf;
use std::sync::Arc;

/// What rules are looked at with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LintConfig {
    /// Tells what command lines would run.
    pub analyzer: Arc<dyn CommandAnalyzer>,
    /// Where the session would start: relative patterns start there. Absolute.
    pub cwd: PathBuf,
    /// What `~` means.
    pub home: Option<PathBuf>,
    /// Names of tools beside the documented ones.
    pub tools: Vec<String>,
}

impl LintConfig {
    /// Looks at rules for a session that starts in `cwd`.
    #[must_use]
    pub fn new(analyzer: Arc<dyn CommandAnalyzer>, cwd: impl Into<PathBuf>, home: Option<PathBuf>) -> Self {
        Self { analyzer, cwd: cwd.into(), home, tools: Vec::new() }
    }
}

/// Something odd about a rule.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule, with file and line.
    pub rule: RuleText,
    /// What kind of oddity.
    pub kind: FindingKind,
    /// Why, in words without a full stop.
    pub reason: String,
    /// What to write instead, where that can be told.
    pub fix: Option<String>,
    /// The rule that is in its way, for pairs.
    pub other: Option<RuleText>,
}

/// Kinds of findings.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[expect(clippy::exhaustive_enums, reason = "every report must name each kind")]
pub enum FindingKind {
    /// It is no rule, and not in force.
    Malformed,
    /// It has a pattern that is asked of another tool's rules.
    WrongTool,
    /// No tool has this name.
    UnknownTool,
    /// No call matches it, or matching changes nothing.
    NeverMatches,
    /// It means something else than it looks.
    Misleading,
    /// It lets (nearly) everything run.
    TooBroad,
    /// A stricter rule covers all of it.
    Shadowed,
    /// It stands there twice.
    Duplicate,
    /// A wider rule of the same list in the same file covers it. A note.
    Redundant,
    /// It matches only one spelling of what it looks to forbid. A note.
    OneSpelling,
}

impl FindingKind {
    /// The name that is printed, such as `never-matches`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::WrongTool => "wrong-tool",
            Self::UnknownTool => "unknown-tool",
            Self::NeverMatches => "never-matches",
            Self::Misleading => "misleading",
            Self::TooBroad => "too-broad",
            Self::Shadowed => "shadowed",
            Self::Duplicate => "duplicate",
            Self::Redundant => "redundant",
            Self::OneSpelling => "one-spelling",
        }
    }

    /// Whether it should be mended; the others are notes.
    #[must_use]
    pub fn is_problem(self) -> bool {
        !matches!(self, Self::Redundant | Self::OneSpelling)
    }
}

/// A rule that was taken apart.
pub(crate) struct Subject<'a> {
    pub(crate) rule: &'a RuleText,
    pub(crate) parts: RuleParts,
    pub(crate) config: &'a LintConfig,
}

impl Subject<'_> {
    /// The specifier, empty for the whole tool.
    pub(crate) fn specifier(&self) -> &str {
        self.parts.specifier.as_deref().unwrap_or_default()
    }

    pub(crate) fn is_allow(&self) -> bool {
        self.rule.effect == RuleEffect::Allow
    }
}

/// What a check found.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) kind: FindingKind,
    pub(crate) reason: String,
    pub(crate) fix: Option<String>,
    pub(crate) other: Option<RuleText>,
}

impl Draft {
    pub(crate) fn new(kind: FindingKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into(), fix: None, other: None }
    }

    pub(crate) fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..self }
    }

    fn about(self, rule: &RuleText) -> Finding {
        let Self { kind, reason, fix, other } = self;
        Finding { rule: rule.clone(), kind, reason, fix, other }
    }
}

/// Looks at `rules`, all of one session, and gives what is odd in the order of the rules.
#[must_use]
pub fn lint(rules: &[RuleText], config: &LintConfig) -> Vec<Finding> {
    let prober = Prober::new(rules, config);
    let mut odd = std::collections::HashSet::new();
    let mut findings: Vec<(usize, Finding)> = Vec::new();
    let mut sound = Vec::new();
    for (at, rule) in rules.iter().enumerate() {
        let parsed = RuleParts::parse(&rule.text);
        let draft = match &parsed {
            Ok(parts) => single(&Subject { rule, parts: parts.clone(), config }, &prober),
            Err(reason) => Some(lint_names::unreadable(rule, reason)),
        };
        let is_in_force = !draft.as_ref().is_some_and(|draft| is_dead(draft.kind));
        odd.extend(draft.as_ref().map(|_| at));
        findings.extend(draft.map(|draft| (at, draft.about(rule))));
        if let (Ok(parts), true) = (parsed, is_in_force) {
            sound.push((at, Subject { rule, parts, config }));
        }
    }
    let in_force: Vec<RuleText> = sound.iter().map(|(_, subject)| subject.rule.clone()).collect();
    for (at, draft) in pairs(&sound, &Prober::new(&in_force, config)) {
        // One note is enough for a rule of which more is said.
        if draft.kind.is_problem() || !odd.contains(&at) {
            findings.extend(rules.get(at).map(|rule| (at, draft.about(rule))));
        }
    }
    findings.sort_by_key(|(at, _)| *at);
    findings.into_iter().map(|(_, finding)| finding).collect()
}

/// Whether comparing such a rule with others says nothing.
fn is_dead(kind: FindingKind) -> bool {
    matches!(
        kind,
        FindingKind::Malformed
            | FindingKind::WrongTool
            | FindingKind::UnknownTool
            | FindingKind::NeverMatches
            | FindingKind::Duplicate
    )
}

/// The first thing that is odd about a single rule.
fn single(subject: &Subject<'_>, prober: &Prober<'_>) -> Option<Draft> {
    let by_text = || {
        lint_names::check(subject).or_else(|| match subject.parts.tool.as_str() {
            "Bash" | "Monitor" | "PowerShell" => lint_shell::check(subject),
            "Read" | "Edit" | "Write" | "NotebookEdit" | "MultiEdit" | "Glob" | "Grep" => {
                lint_paths::check(subject)
            }
            _ => None,
        })
    };
    let by_compiler = || {
        let problem = prober.problem(subject.rule)?;
        let kind = match problem.outcome {
            Outcome::Skipped => FindingKind::Malformed,
            Outcome::Kept => FindingKind::Misleading,
        };
        Some(Draft::new(kind, problem.message.clone()))
    };
    let draft = by_text().or_else(by_compiler);
    match draft {
        Some(draft) if draft.kind.is_problem() => Some(draft),
        // A rule that is dead is worse than one with a note.
        note => prober.never_matches(subject).or(note),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pegboard_tool_core::{Origin, SettingSource};
    use std::path::Path;

    fn rules(lines: &[&str]) -> Vec<RuleText> {
        let rule = |(at, line): (usize, &&str)| {
            let (effect, text) = line.split_once(' ').unwrap();
            let effect = match effect {
                "allow" => RuleEffect::Allow,
                "ask" => RuleEffect::Ask,
                _ => RuleEffect::Deny,
            };
            let line = u32::try_from(at + 1).ok();
            let origin = Origin::new(SettingSource::Project, Some(Arc::from(Path::new("s.json"))), line);
            RuleText::new(effect, text, origin, Path::new("/w"))
        };
        lines.iter().enumerate().map(rule).collect()
    }

    fn report(lines: &[&str]) -> String {
        let config = LintConfig::new(
            Arc::new(pegboard_shell_analysis::ShellAnalyzer::new()),
            "/w",
            Some("/home/u".into()),
        );
        let line = |finding: Finding| {
            let other = finding.other.map(|rule| format!(" [{rule}]")).unwrap_or_default();
            let fix = finding.fix.map(|fix| format!(" => {fix}")).unwrap_or_default();
            let RuleText { effect, text, .. } = finding.rule;
            format!("{effect} {text}: {}: {}{fix}{other}", finding.kind.as_str(), finding.reason)
        };
        lint(&rules(lines), &config).into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn rules_that_say_what_they_mean_are_left_alone() {
        let fine = [
            "allow Bash(npm run build)",
            "allow Bash(pnpm run *)",
            "allow Bash(npm run test *)",
            "allow Bash(npm run lint:*)",
            "allow Bash(git commit *)",
            "allow Bash(cargo test)",
            "allow Bash(ls *)",
            "allow Bash(timeout 30 cargo bench)",
            "allow Bash(watch ls)",
            "allow Bash(./scripts/*)",
            "allow Edit(./src/**)",
            "allow Read(~/.zshrc)",
            "allow Read(//usr/share/**)",
            "allow Edit(/docs/**)",
            "allow WebFetch(domain:example.com)",
            "allow WebFetch(domain:*.example.com)",
            "allow mcp__github",
            "allow mcp__github__get_*",
            "allow LSP",
            "allow Skill(review *)",
            "allow TaskStop",
            "ask Bash(git push *)",
            "ask WebSearch",
            "deny Bash(curl *)",
            "deny Bash(rm *)",
            "deny Read(./.env)",
            "deny Read(.env.*)",
            "deny Read(~/.ssh/**)",
            "deny Read(//etc/shadow)",
            "deny Edit(.github/**)",
            "deny Agent(Explore)",
            "deny Agent(model:opus)",
            "deny Bash(run_in_background:true)",
            "deny mcp__*__delete_*",
        ];
        assert_eq!(report(&fine), "");
    }

    #[test]
    fn a_long_list_is_looked_at_in_time() {
        let lines: Vec<String> = (0..400)
            .flat_map(|n| [format!("allow Bash(tool{n} go *)"), format!("deny Read(./secret{n}/**)")])
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(report(&lines), "");
    }

    #[test]
    fn shell_patterns_that_mean_something_else() {
        insta::assert_snapshot!(report(&[
            "allow Bash(git:* push)",
            "allow Bash(npm run)",
            "allow Bash(git)",
            "allow Bash(lsx*)",
            "allow Bash(git push*)",
            "allow Bash(python *)",
            "allow Bash(python3:*)",
            "allow Bash(npx *)",
            "allow Bash(sudo *)",
            "allow Bash(bash -c *)",
            "allow Bash(docker run *)",
            "allow Bash(npx cowsay)",
            "allow Bash(* --version)",
            "allow Bash",
            "allow Bash(*)",
            "allow Bash(a && b *)",
            "deny Bash(ls | rm *)",
            "allow Bash(npm test > out.txt)",
            "allow Bash(timeout 30 npm *)",
            "allow Bash(watch *)",
            "allow Bash(FOO=1 npm test)",
            "allow Bash(rm -rf /)",
            "deny Bash(command:rm *)",
            "deny Bash(git push)",
            "deny Bash(rm -rf *)",
            "deny Bash(shutdownx*)",
        ]), @r"
        allow Bash(git:* push): misleading: `:*` means `with any arguments` only at the end; elsewhere the colon is a colon => Bash(git * push)
        allow Bash(npm run): misleading: it matches `npm run` without any further word only => Bash(npm run *)
        allow Bash(git): misleading: it matches `git` without any further word only => Bash(git *)
        allow Bash(lsx*): misleading: without a space before the star it also matches words that begin with `lsx`, such as `lsxx` => Bash(lsx *)
        allow Bash(git push*): misleading: without a space before the star it also matches words that begin with `push`, such as `pushx` => Bash(git push *)
        allow Bash(python *): too-broad: `python` runs whatever follows it, so this allows every command; name what it may run
        allow Bash(python3:*): too-broad: `python3` runs whatever follows it, so this allows every command; name what it may run
        allow Bash(npx *): too-broad: `npx` runs whatever follows it, so this allows every command; name what it may run
        allow Bash(sudo *): too-broad: `sudo` runs whatever follows it, so this allows every command; name what it may run
        allow Bash(bash -c *): too-broad: `bash` runs whatever follows it, so this allows every command; name what it may run
        allow Bash(docker run *): too-broad: `docker run` runs anything; name what it may run
        allow Bash(npx cowsay): redundant: the rule `Bash(npx *)` of the same list covers it [allow Bash(npx *) (project s.json:8)]
        allow Bash(* --version): too-broad: it begins with a star, so any program fits; name the program
        allow Bash: too-broad: it lets every command run; allow the commands that are needed
        allow Bash(*): too-broad: it lets every command run; allow the commands that are needed
        allow Bash(*): duplicate: it stands there already; remove one of the two [allow Bash (project s.json:14)]
        allow Bash(a && b *): never-matches: a pattern is compared with one simple command at a time, and none holds an operator; write a rule for each => Bash(a) and Bash(b *)
        deny Bash(ls | rm *): never-matches: a pattern is compared with one simple command at a time, and none holds an operator; write a rule for each => Bash(ls) and Bash(rm *)
        allow Bash(npm test > out.txt): never-matches: a pattern does not see redirections; the file they write is judged by `Edit(...)` rules => Bash(npm test)
        allow Bash(timeout 30 npm *): never-matches: `timeout` in front of a command is taken off before patterns are asked; write the rule for the command alone
        allow Bash(watch *): never-matches: `watch` runs other commands and is allowed only by a rule for the whole command, without a star
        allow Bash(FOO=1 npm test): never-matches: assignments in front of a command are taken off before rules are asked => Bash(npm test)
        allow Bash(rm -rf /): never-matches: what it names is asked about in every mode, whatever rules say (removing `/` would take away more than a build folder)
        deny Bash(command:rm *): never-matches: `command` is what the pattern itself is about and cannot be named; this is not in force => Bash(rm *)
        deny Bash(git push): one-spelling: it matches exactly `git push`; with a further word the command is not matched => Bash(git push *)
        deny Bash(rm -rf *): one-spelling: it matches only where `-rf` is spelled so and stands right behind `rm` => Bash(rm *)
        deny Bash(shutdownx*): misleading: without a space before the star it also matches words that begin with `shutdownx`, such as `shutdownxx` => Bash(shutdownx *)
        ");
    }

    #[test]
    fn path_rules_that_mean_something_else() {
        insta::assert_snapshot!(report(&[
            "deny Read(/etc/passwd)",
            "deny Read(/home/u/.ssh/**)",
            "allow Write(docs/**)",
            "deny Write(docs/**)",
            "deny Glob(secret/**)",
            "allow Edit(.git/**)",
            "allow Edit(~/.bashrc)",
            "deny Read(~root/x)",
            "deny Read($HOME/.ssh/**)",
            "deny Read(./{a,b}.txt)",
            "deny Read(\"./a b\")",
            "deny Read(C:\\secrets)",
            "allow Edit(//**)",
            "deny Read(!keep)",
        ]), @r#"
        deny Read(/etc/passwd): misleading: one slash starts at the folder of the settings, so this means `/w/etc/passwd`; two slashes are the root of the file system => Read(//etc/passwd)
        deny Read(/home/u/.ssh/**): misleading: one slash starts at the folder of the settings, so this means `/w/home/u/.ssh/**`; two slashes are the root of the file system => Read(//home/u/.ssh/**)
        allow Write(docs/**): wrong-tool: paths of Write are judged by `Edit(...)` rules => Edit(docs/**)
        deny Write(docs/**): wrong-tool: paths of Write are judged by `Edit(...)` rules => Edit(docs/**)
        deny Glob(secret/**): wrong-tool: paths of Glob are judged by `Read(...)` rules => Read(secret/**)
        allow Edit(.git/**): never-matches: what it names is asked about in every mode, whatever rules say (`.git` is protected: only a person may let it change)
        allow Edit(~/.bashrc): never-matches: what it names is asked about in every mode, whatever rules say (`.bashrc` is protected: only a person may let it change)
        deny Read(~root/x): misleading: `~name` is a file called so; only `~/` is the home directory
        deny Read($HOME/.ssh/**): misleading: variables are not replaced in patterns => Read(~/.ssh/**)
        deny Read(./{a,b}.txt): misleading: braces are not alternatives in patterns; write a rule for each => Read(./a.txt) and Read(./b.txt)
        deny Read("./a b"): misleading: the quotes belong to the path; a pattern is written without them => Read(./a b)
        deny Read(C:\secrets): misleading: a drive is written as the first folder => Read(//c/secrets)
        allow Edit(//**): too-broad: it lets every file of this machine be changed; name the folders
        "#);
    }

    #[test]
    fn names_hosts_and_servers_that_mean_something_else() {
        insta::assert_snapshot!(report(&[
            "allow WebFetch(https://example.com/docs)",
            "allow WebFetch(example.com)",
            "allow WebFetch(domain:https://example.com)",
            "allow WebFetch(domain:example.com/docs)",
            "allow WebFetch(domain:*example.com)",
            "allow WebFetch(domain:*.com)",
            "allow WebFetch(domain:*)",
            "allow WebSearch(rust)",
            "allow mcp__srv(*)",
            "allow mcp__srv__tool(x)",
            "allow mcp__*",
            "allow mcp_github",
            "allow *",
            "allow BASH(ls)",
            "deny Reed(./x)",
            "deny Stop Task",
            "allow Agent(model:opus)",
            "allow Bash(",
            "allow Bash()",
            "allow ",
        ]), @r"
        allow WebFetch(https://example.com/docs): malformed: WebFetch rules name hosts, written `domain:`; this is not in force => WebFetch(domain:example.com)
        allow WebFetch(example.com): malformed: WebFetch rules name hosts, written `domain:`; this is not in force => WebFetch(domain:example.com)
        allow WebFetch(domain:https://example.com): malformed: a host stands behind `domain:`, without scheme, port or path; this is not in force => WebFetch(domain:example.com)
        allow WebFetch(domain:example.com/docs): malformed: a host stands behind `domain:`, without scheme, port or path; this is not in force => WebFetch(domain:example.com)
        allow WebFetch(domain:*example.com): misleading: it also allows `evilexample.com`, a host of somebody else => WebFetch(domain:*.example.com)
        allow WebFetch(domain:*.com): too-broad: it allows every host of a whole domain; name the hosts
        allow WebFetch(domain:*): too-broad: it allows every host; name the hosts
        allow WebSearch(rust): malformed: searches cannot be told apart; write `WebSearch`
        allow mcp__srv(*): malformed: it is no rule and not in force: a rule for an MCP tool has no parentheses; write the bare name => mcp__srv
        allow mcp__srv__tool(x): malformed: it is no rule and not in force: a rule for an MCP tool has no parentheses; write `mcp__server` or `mcp__server__tool` => mcp__srv__tool
        allow mcp__*: never-matches: a pattern of names allows nothing; under allow a star stands only behind a server, as in `mcp__server__get_*`
        allow mcp_github: unknown-tool: no tool has this name; names of MCP tools begin with `mcp__`, two underscores => mcp__github
        allow *: never-matches: a pattern of names allows nothing; under allow a star stands only behind a server, as in `mcp__server__get_*`
        allow BASH(ls): unknown-tool: no tool has this name; names are compared exactly => Bash(ls)
        deny Reed(./x): unknown-tool: no tool has this name; names are compared exactly => Read(./x)
        deny Stop Task: malformed: it is no rule and not in force: it does not begin with the name of a tool
        allow Agent(model:opus): malformed: a rule on a field is understood under ask and deny only
        allow Bash(: malformed: it is no rule and not in force: it does not end with `)`; write `Tool` or `Tool(specifier)`
        allow Bash(): malformed: it is no rule and not in force: nothing stands between the parentheses; write the bare name for the whole tool
        allow : malformed: it is no rule and not in force: it does not begin with the name of a tool
        ");
    }

    #[test]
    fn rules_in_each_others_way() {
        insta::assert_snapshot!(report(&[
            "allow Bash(aws s3 ls)",
            "deny Bash(aws *)",
            "allow Bash(git commit *)",
            "ask Bash(git *)",
            "allow Edit(./src/gen/**)",
            "deny Edit(./src/**)",
            "allow Edit(./secret/a.txt)",
            "deny Read(./secret/**)",
            "allow WebFetch(domain:a.example.com)",
            "deny WebFetch(domain:*.example.com)",
            "allow mcp__git__log",
            "deny mcp__git",
            "ask WebSearch",
            "deny WebSearch",
            "allow Bash(cargo test *)",
            "allow Bash(cargo  test:*)",
            "allow Bash(cargo test --all)",
            "allow Bash(cargo *)",
        ]), @r"
        allow Bash(aws s3 ls): shadowed: the deny rule `Bash(aws *)` refuses all that it names, so it has no effect [deny Bash(aws *) (project s.json:2)]
        allow Bash(git commit *): shadowed: the ask rule `Bash(git *)` asks about all that it names, so it has no effect [ask Bash(git *) (project s.json:4)]
        allow Edit(./src/gen/**): shadowed: the deny rule `Edit(./src/**)` refuses all that it names, so it has no effect [deny Edit(./src/**) (project s.json:6)]
        allow Edit(./secret/a.txt): shadowed: the deny rule `Read(./secret/**)` refuses all that it names, so it has no effect [deny Read(./secret/**) (project s.json:8)]
        allow WebFetch(domain:a.example.com): shadowed: the deny rule `WebFetch(domain:*.example.com)` refuses all that it names, so it has no effect [deny WebFetch(domain:*.example.com) (project s.json:10)]
        allow mcp__git__log: shadowed: the deny rule `mcp__git` refuses all that it names, so it has no effect [deny mcp__git (project s.json:12)]
        ask WebSearch: shadowed: the deny rule `WebSearch` refuses all that it names, so it has no effect [deny WebSearch (project s.json:14)]
        allow Bash(cargo test *): redundant: the rule `Bash(cargo *)` of the same list covers it [allow Bash(cargo *) (project s.json:18)]
        allow Bash(cargo  test:*): duplicate: it stands there already; remove one of the two [allow Bash(cargo test *) (project s.json:15)]
        allow Bash(cargo test --all): redundant: the rule `Bash(cargo test *)` of the same list covers it [allow Bash(cargo test *) (project s.json:15)]
        ");
    }
}
