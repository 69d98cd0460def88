//! What the host has to find on stdout, on stderr and as the exit code.

use crate::fault::FaultKind;
use crate::host::{Gate, Host};
use crate::reason::line;
use crate::request::Request;
use crate::ruling::{Ruling, ruling};
use pegboard_tool_core::ports::{Decision, DecisionStep};
use pegboard_tool_core::{PermissionMode, RuleEffect};
use serde_json::{Value, json};

/// Most reasons in one answer.
const MOST_REASONS: usize = 3;

/// How the command ends. There is no third way: hosts take every other code for consent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "no other code may ever be added")]
pub enum Exit {
    /// 0: the host reads stdout, or goes on as it would without us.
    Answered,
    /// 2: refused.
    Refused,
}

impl Exit {
    /// The exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Answered => 0,
            Self::Refused => 2,
        }
    }
}

/// What is printed.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// For stdout, exactly.
    pub stdout: String,
    /// For stderr, one line without its end.
    pub stderr: String,
    /// How to end.
    pub exit: Exit,
}

impl Answer {
    /// Nothing: the host decides as it would without us.
    #[must_use]
    pub fn nothing() -> Self {
        Self { stdout: String::new(), stderr: String::new(), exit: Exit::Answered }
    }

    /// Whether there is nothing to say.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::nothing()
    }
}

/// What becomes of an ask.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a two-way choice")]
pub enum AnswerAsk {
    /// The host is told to ask; one that cannot be told so gets a deny.
    #[default]
    Ask,
    /// A deny, everywhere: where nobody would answer.
    Deny,
}

/// Whether an allow is answered.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a two-way choice")]
pub enum AnswerAllow {
    /// No: the host's own prompt stands.
    #[default]
    Never,
    /// Where the host takes it.
    Yes,
}

/// On which kind of system the host runs; there exit codes of hooks arrive or do not.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "two ways in which shells pass on exit codes")]
pub enum Platform {
    /// Shells pass on exit codes.
    Unix,
    /// PowerShell may turn an exit code into another one.
    Windows,
}

impl Platform {
    /// The one that this was built for.
    #[must_use]
    pub fn here() -> Self {
        if cfg!(windows) { Self::Windows } else { Self::Unix }
    }
}

/// How to answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// What becomes of an ask.
    pub ask: AnswerAsk,
    /// Whether an allow is answered.
    pub allow: AnswerAllow,
    /// On which kind of system.
    pub platform: Platform,
}

impl Default for Options {
    fn default() -> Self {
        Self { ask: AnswerAsk::default(), allow: AnswerAllow::default(), platform: Platform::here() }
    }
}

/// Answers a request: the strictest of the decisions counts. There must be one for each call, and may be more.
#[must_use]
pub fn answer(request: &Request, decisions: &[Decision], options: &Options) -> Answer {
    let asked = (request.host, request.gate);
    if decisions.is_empty() || decisions.len() < request.calls.len() {
        return fault_answer("not every call of the event was judged", Some(asked), options.platform);
    }
    let rulings = decisions.iter().map(|decision| as_seen(request, decision));
    let strictest = rulings.max().unwrap_or(Ruling::Deny);
    let reasons = || reasons(decisions, strictest);
    match strictest {
        Ruling::Deny => deny(asked, &line(&reasons()), options.platform),
        Ruling::Ask => ask(asked, &reasons(), options),
        Ruling::Silent => Answer::nothing(),
        Ruling::Allow if options.allow == AnswerAllow::Yes && request.may_allow => {
            allow(asked, &line(&reasons()))
        }
        Ruling::Allow => Answer::nothing(),
    }
}

/// Answers what could not be judged: refused, whoever asks. The host is known when the event or the options say so.
#[must_use]
pub fn fault_answer(words: &str, asked: Option<(Host, Gate)>, platform: Platform) -> Answer {
    let reason = line(words);
    match (asked, platform) {
        // There an exit code may not arrive, so the object has to.
        (Some(asked), Platform::Windows) => deny(asked, &reason, platform),
        (Some(_) | None, _) => Answer { stdout: String::new(), stderr: reason, exit: Exit::Refused },
    }
}

impl FaultKind {
    /// The answer to an event with this fault.
    #[must_use]
    pub fn answer(&self, asked: Option<(Host, Gate)>, platform: Platform) -> Answer {
        fault_answer(&self.to_string(), asked, platform)
    }
}

/// What a decision is to this host.
fn as_seen(request: &Request, decision: &Decision) -> Ruling {
    match ruling(decision) {
        // A mode of the host that lets everything run says nothing about this call, and where Codex runs a command is
        // not in the event, so that "inside the working directories" cannot be told. There a rule has to allow it.
        Ruling::Allow
            if decision.step == DecisionStep::Mode
                && (request.mode == PermissionMode::BypassPermissions || request.host == Host::Codex)
                && !decision.matched.iter().any(|rule| rule.effect == RuleEffect::Allow) =>
        {
            Ruling::Silent
        }
        ruling => ruling,
    }
}

/// The reasons of the decisions that count, each once.
fn reasons(decisions: &[Decision], strictest: Ruling) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    for decision in decisions.iter().filter(|decision| ruling(decision) == strictest) {
        let reason = decision.reason.trim();
        if !reason.is_empty() && !reasons.contains(&reason) && reasons.len() < MOST_REASONS {
            reasons.push(reason);
        }
    }
    reasons.join("; ")
}

fn deny((host, gate): (Host, Gate), reason: &str, platform: Platform) -> Answer {
    let stdout = match (host, gate) {
        (Host::Gemini, _) => json!({"decision": "deny", "reason": reason}),
        (Host::Claude | Host::Codex, Gate::PreToolUse) => pre_tool_use("deny", reason),
        (Host::Claude | Host::Codex, Gate::PermissionRequest) => {
            permission_request(&json!({"behavior": "deny", "message": reason}))
        }
    };
    // The object, the reason and the code: each alone is a deny, so that what a shell's start-up file prints between them
    // changes nothing. Not where PowerShell would turn 2 into 1.
    match (host, platform) {
        (Host::Gemini | Host::Codex, Platform::Windows) => {
            Answer { stdout: stdout.to_string(), stderr: String::new(), exit: Exit::Answered }
        }
        (Host::Claude, _) | (Host::Gemini | Host::Codex, Platform::Unix) => {
            Answer { stdout: stdout.to_string(), stderr: reason.to_owned(), exit: Exit::Refused }
        }
    }
}

fn ask((host, gate): (Host, Gate), reasons: &str, options: &Options) -> Answer {
    let cannot = match (options.ask, host, gate) {
        (AnswerAsk::Deny, ..) => Some("a person would have to be asked, and here nobody is"),
        (AnswerAsk::Ask, Host::Codex, Gate::PreToolUse) => {
            Some("a person would have to be asked, and this host cannot be made to ask")
        }
        (AnswerAsk::Ask, Host::Claude | Host::Gemini, Gate::PreToolUse)
        | (AnswerAsk::Ask, _, Gate::PermissionRequest) => None,
    };
    if let Some(why) = cannot {
        return deny((host, gate), &line(&format!("{reasons}; {why}")), options.platform);
    }
    let reason = line(reasons);
    let stdout = match (host, gate) {
        (Host::Gemini, _) => json!({"decision": "ask", "systemMessage": reason}),
        (Host::Claude | Host::Codex, Gate::PreToolUse) => pre_tool_use("ask", &reason),
        // The prompt is about to show.
        (Host::Claude | Host::Codex, Gate::PermissionRequest) => return Answer::nothing(),
    };
    Answer { stdout: stdout.to_string(), ..Answer::nothing() }
}

fn allow((host, gate): (Host, Gate), reason: &str) -> Answer {
    let stdout = match (host, gate) {
        (Host::Claude, Gate::PreToolUse) => pre_tool_use("allow", reason),
        (Host::Claude | Host::Codex, Gate::PermissionRequest) => {
            permission_request(&json!({"behavior": "allow"}))
        }
        // Has no effect there, or counts as a failed hook.
        (Host::Gemini, _) | (Host::Codex, Gate::PreToolUse) => return Answer::nothing(),
    };
    Answer { stdout: stdout.to_string(), ..Answer::nothing() }
}

fn pre_tool_use(decision: &str, reason: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    }})
}

fn permission_request(decision: &Value) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})
}
