//! Reads what a process left: exit code, standard output, standard error.

use crate::event::{Block, EventKind};
use crate::long_text::short;
use crate::{Answer, HandlerEnd, json_in_text, parse};
use pegboard_tool_core::ports::{HookDecision, HookReportOutcome, PermissionAnswer};
use serde_json::Value;

/// What a process left.
#[derive(Clone, Debug)]
pub(crate) struct ProcessOutput {
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    /// Whether standard output was too long to be kept as a whole.
    pub(crate) cut: bool,
    pub(crate) stderr: String,
}

/// What standard output turned out to be.
enum Said {
    Nothing,
    Text(String),
    Object(Box<Answer>),
    /// Not one well-formed answer; with whatever makes things stricter in it.
    Unclear(Box<Answer>, Fault),
}

/// What is wrong with an output.
enum Fault {
    /// It is no answer.
    Garbled(&'static str),
    /// It is an answer with faults.
    Schema(String),
}

impl Fault {
    fn outcome(&self) -> HookReportOutcome {
        match self {
            Self::Garbled(_) => HookReportOutcome::NotUnderstood,
            Self::Schema(_) => HookReportOutcome::WrongSchema,
        }
    }

    fn notice(&self) -> String {
        match self {
            Self::Garbled(why) => format!("wrote an answer that was not understood: {why}"),
            Self::Schema(faults) => format!("wrote an answer that was not understood: {faults}"),
        }
    }
}

/// Reads the text of an answer that came otherwise than from a process, as if one had written it and ended well.
pub(crate) fn read_text(text: String, event: EventKind) -> HandlerEnd {
    let output =
        ProcessOutput { code: Some(0), signal: None, stdout: text, cut: false, stderr: String::new() };
    read(&output, event)
}

/// The same of the beginning of a text that was too long.
#[cfg(feature = "http-hooks")]
pub(crate) fn read_cut(text: String, event: EventKind) -> HandlerEnd {
    let output =
        ProcessOutput { code: Some(0), signal: None, stdout: text, cut: true, stderr: String::new() };
    let end = read(&output, event);
    match end.outcome {
        // Plain text is for nobody here.
        HookReportOutcome::Answered => {
            HandlerEnd::failed(HookReportOutcome::Crashed, "failed: the answer is too long")
        }
        _ => end,
    }
}

/// Reads an output as the answer to `event`.
pub(crate) fn read(output: &ProcessOutput, event: EventKind) -> HandlerEnd {
    if event.name == "WorktreeCreate" {
        return read_worktree(output, event).counted();
    }
    let said = read_stdout(output, event);
    match output.code {
        Some(0) => read_success(said, event),
        Some(2) => read_block(said, output, event),
        code => read_other(said, output, code),
    }
    .counted()
}

/// A worktree is made by the hook: any code but 0 is a failure to make it, and the path is on the last line.
fn read_worktree(output: &ProcessOutput, event: EventKind) -> HandlerEnd {
    if output.code != Some(0) {
        let stderr = output.stderr.trim();
        let code = output.code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
        let reason =
            if stderr.is_empty() { format!("the hook ended with {code}") } else { stderr.to_owned() };
        return HandlerEnd::answered(Answer::decided(HookDecision::Deny, reason));
    }
    match read_stdout(output, event) {
        Said::Object(answer) => HandlerEnd::answered(*answer),
        Said::Unclear(answer, fault) => not_understood(*answer, &fault),
        Said::Nothing => HandlerEnd::answered(Answer::silent()),
        Said::Text(text) => {
            let path = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
            let mut answer = Answer::silent();
            answer.fields.worktree_path = path;
            HandlerEnd::answered(answer)
        }
    }
}

fn read_success(said: Said, event: EventKind) -> HandlerEnd {
    match said {
        Said::Object(answer) => HandlerEnd::answered(*answer),
        Said::Text(text) if event.takes_plain_text() => {
            HandlerEnd::answered(Answer { additional_context: Some(text), ..Answer::silent() })
        }
        Said::Nothing | Said::Text(_) => HandlerEnd::answered(Answer::silent()),
        Said::Unclear(answer, fault) => not_understood(*answer, &fault),
    }
}

fn not_understood(answer: Answer, fault: &Fault) -> HandlerEnd {
    HandlerEnd { answer, ..HandlerEnd::failed(fault.outcome(), fault.notice()) }
}

/// Exit code 2 blocks whatever else was said. The JSON may give the reason and stop the turn.
fn read_block(said: Said, output: &ProcessOutput, event: EventKind) -> HandlerEnd {
    let (said, fault) = match said {
        Said::Object(answer) => (*answer, None),
        Said::Unclear(answer, fault) => (answer.restricted(), Some(fault)),
        Said::Nothing | Said::Text(_) => (Answer::silent(), None),
    };
    let blocking_reason =
        said.reason.filter(|_| said.decision == Some(HookDecision::Deny) && fault.is_none());
    let stderr = output.stderr.trim();
    let reason = blocking_reason.filter(|reason| !reason.is_empty()).unwrap_or_else(|| match stderr {
        "" => "blocked by a hook, which gave no reason".to_owned(),
        text => text.to_owned(),
    });
    let decision = (event.block != Block::Ignored).then_some(HookDecision::Deny);
    let missing = missing_script(stderr).map(|line| format!("could not start: {}", short(line)));
    let end = HandlerEnd::answered(Answer {
        decision,
        reason: Some(reason),
        additional_context: said.additional_context,
        system_message: said.system_message,
        // The call ran already: what it put out may still be hidden.
        updated_output: said.updated_output,
        stop: said.stop,
        permission: said.permission.filter(|answer| matches!(answer, PermissionAnswer::Deny { .. })),
        ..Answer::silent()
    });
    match missing {
        // It blocks all the same; the user has to know that nothing was looked at.
        Some(notice) => {
            HandlerEnd { answer: end.answer, ..HandlerEnd::failed(HookReportOutcome::CouldNotStart, notice) }
        }
        None => end.with_notice(fault.map(|fault| fault.notice())),
    }
}

/// The words of an interpreter that did not find its script. Some end with code 2 then, as if the script had said no.
fn missing_script(stderr: &str) -> Option<&str> {
    let line = stderr.lines().next()?;
    let words = line.to_lowercase();
    let missing =
        (words.contains("can't open") || words.contains("cannot open")) && words.contains("no such file");
    (missing && stderr.lines().count() == 1).then_some(line)
}

/// Any other code: a JSON answer counts as if the code were 0; without one the handler failed.
fn read_other(said: Said, output: &ProcessOutput, code: Option<i32>) -> HandlerEnd {
    let strict = match said {
        Said::Object(answer) => return HandlerEnd::answered(*answer),
        Said::Unclear(answer, _) => *answer,
        Said::Nothing | Said::Text(_) => Answer::silent(),
    };
    let first = output.stderr.lines().map(str::trim).find(|line| !line.is_empty());
    let words = first.map(|line| format!(": {}", short(line))).unwrap_or_default();
    let (outcome, what) = match code {
        Some(126 | 127) => (HookReportOutcome::CouldNotStart, "could not start".to_owned()),
        Some(code) => (HookReportOutcome::Crashed, format!("failed with exit code {code}")),
        None => (
            HookReportOutcome::Killed,
            match output.signal {
                Some(signal) => format!("was ended by signal {signal}"),
                None => "was ended by a signal".to_owned(),
            },
        ),
    };
    HandlerEnd { answer: strict, ..HandlerEnd::failed(outcome, format!("{what}{words}")) }
}

fn read_stdout(output: &ProcessOutput, event: EventKind) -> Said {
    let text = after_async_line(trimmed(&output.stdout));
    if text.is_empty() {
        return Said::Nothing;
    }
    if !output.cut
        && text.starts_with('{')
        && text.ends_with('}')
        && let Ok(Value::Object(object)) = serde_json::from_str(text)
    {
        let (answer, faults) = parse::read(&object, event);
        return if faults.is_empty() {
            Said::Object(Box::new(answer))
        } else {
            Said::Unclear(Box::new(answer), Fault::Schema(faults.join("; ")))
        };
    }
    let last_line = text.lines().rev().map(str::trim_start).find(|line| !line.trim().is_empty());
    let looks_like_json = text.starts_with('{') || last_line.is_some_and(|line| line.starts_with('{'));
    let mut strict = Answer::silent();
    let is_whole = json_in_text::each_object(text, |object| {
        strict = std::mem::take(&mut strict).stricter(parse::read(&object, event).0.restricted());
    });
    if text.starts_with('{') && (output.cut || !is_whole) {
        // What began as an answer could be a refusal: whoever can refuse by it did.
        strict = strict.stricter(parse::refusal(event, "its answer was too long to read"));
    }
    if looks_like_json && event.name == "UserPromptSubmit" && !strict.is_strict() && !output.cut {
        return Said::Text(text.to_owned());
    }
    if looks_like_json || strict.is_strict() {
        let why = if output.cut { "it is too long" } else { "it is not one JSON object" };
        return Said::Unclear(Box::new(strict), Fault::Garbled(why));
    }
    Said::Text(text.to_owned())
}

/// The text without what stands for nothing around it: white space and the mark of a byte order.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}')
}

/// Longest line by which a handler says that nobody need wait.
const MOST_ASYNC_LINE: usize = 1024;

/// The text without a first line by which a handler says that nobody need wait for it. pegboard waits.
fn after_async_line(text: &str) -> &str {
    let Some((first, rest)) = text.split_once('\n') else { return text };
    if first.len() > MOST_ASYNC_LINE {
        return text;
    }
    match serde_json::from_str::<Value>(first) {
        Ok(Value::Object(line)) if line.get("async") == Some(&Value::Bool(true)) && line.len() <= 2 => {
            trimmed(rest)
        }
        _ => text,
    }
}

impl HandlerEnd {
    fn with_notice(self, notice: Option<String>) -> Self {
        Self { notice, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"r"}}"#;
    const ALLOW: &str =
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;

    fn event(name: &str) -> EventKind {
        EventKind::of(name).unwrap()
    }

    fn run(event_name: &str, code: i32, stdout: &str, stderr: &str) -> HandlerEnd {
        let output = ProcessOutput {
            code: Some(code),
            signal: None,
            stdout: stdout.into(),
            cut: false,
            stderr: stderr.into(),
        };
        read(&output, event(event_name))
    }

    fn line(end: &HandlerEnd) -> String {
        let answer = &end.answer;
        let parts = [
            answer.decision.map(|decision| format!("{decision:?}")),
            answer.reason.clone(),
            answer.updated_input.as_ref().map(ToString::to_string),
            answer.stop.as_ref().map(|stop| format!("stop: {stop}")),
            end.notice.as_ref().map(|notice| format!("({notice})")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("{:?} {}", end.outcome, parts.join(" ")).trim_end().to_owned()
    }

    #[test]
    fn exit_codes_and_answers() {
        let missing_name = r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#;
        let cases = [
            (0, "", ""),
            (0, "hello", "log"),
            (0, ALLOW, ""),
            (0, DENY, ""),
            (2, "", "no"),
            (2, "", ""),
            (2, ALLOW, "x"),
            (2, DENY, "x"),
            (2, "", "python3: can't open file '/x/nope.py': [Errno 2] No such file or directory"),
            (1, "", "no\nmore"),
            (3, DENY, ""),
            (3, ALLOW, ""),
            (127, "", "sh: /nope.sh: not found"),
            (0, r#"{"continue":"no"}"#, ""),
            (2, r#"{"continue":"no"}"#, "e"),
            (0, missing_name, ""),
            (0, r#"{"decision":"block","reason":"r"}"#, ""),
            (0, r#"{"decision":"approve"}"#, ""),
            (0, r#"{"continue":false}"#, ""),
            (0, "{}", ""),
            (0, r#"{"verdict":"no"}"#, ""),
            (0, r#"["x"]"#, ""),
            (0, "{broken", ""),
        ];
        let lines: Vec<String> =
            cases.iter().map(|(c, out, err)| line(&run("PreToolUse", *c, out, err))).collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        Answered
        Answered
        Answered Allow
        Answered Deny r
        Answered Deny no
        Answered Deny blocked by a hook, which gave no reason
        Answered Deny x
        Answered Deny r
        CouldNotStart Deny python3: can't open file '/x/nope.py': [Errno 2] No such file or directory (could not start: python3: can't open file '/x/nope.py': [Errno 2] No such file or directory)
        Crashed (failed with exit code 1: no)
        Answered Deny r
        Answered Allow
        CouldNotStart (could not start: sh: /nope.sh: not found)
        WrongSchema (wrote an answer that was not understood: `continue` must be true or false)
        Answered Deny e (wrote an answer that was not understood: `continue` must be true or false)
        WrongSchema Deny (wrote an answer that was not understood: `hookEventName` is missing; it must be "PreToolUse")
        Answered Deny r
        Answered Allow
        Answered stop: a hook stopped the turn
        Answered
        WrongSchema (wrote an answer that was not understood: no field is known)
        Answered
        NotUnderstood (wrote an answer that was not understood: it is not one JSON object)
        "#);
    }

    #[test]
    fn log_lines_around_an_answer_keep_the_strict_part_and_lose_the_rest() {
        for noisy in [
            format!("log\n{DENY}"),
            format!("{DENY}\nlog"),
            format!("{ALLOW}\n{DENY}"),
            format!("{DENY}\n{ALLOW}"),
            format!("{DENY}\n{{\"level\":\"info\"}}"),
            format!("{DENY}\n{{\"continue\":true}}\n{{}}"),
            format!("a {DENY} b"),
        ] {
            let end = run("PreToolUse", 0, &noisy, "");
            assert_eq!(end.answer.decision, Some(HookDecision::Deny), "{noisy}");
            assert_eq!(end.outcome, HookReportOutcome::NotUnderstood, "{noisy}");
        }
        for noisy in [format!("log\n{ALLOW}"), format!("{ALLOW}\nlog"), format!("{ALLOW}\n{ALLOW}")] {
            let end = run("PreToolUse", 0, &noisy, "");
            assert_eq!(end.answer.decision, None, "{noisy}");
            assert_eq!(end.outcome, HookReportOutcome::NotUnderstood, "{noisy}");
        }
    }

    #[test]
    fn every_object_may_tighten_and_the_strictest_holds() {
        let ask = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"a"}}"#;
        let stop = r#"{"continue":false,"stopReason":"s"}"#;
        let end = run("PreToolUse", 0, &format!("{DENY}\n{ask}\n{stop}\nlog"), "");
        assert_eq!(
            line(&end),
            "NotUnderstood Deny r stop: s (wrote an answer that was not understood: it is not one JSON object)"
        );
        let end = run(
            "PermissionRequest",
            0,
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"m"}}} {"level":"info"}"#,
            "",
        );
        assert!(matches!(end.answer.permission, Some(PermissionAnswer::Deny { .. })));
    }

    #[test]
    fn an_answer_that_was_cut_refuses_where_it_can() {
        let cut = |name: &str, stdout: &str| {
            let output = ProcessOutput {
                code: Some(0),
                signal: None,
                stdout: stdout.into(),
                cut: true,
                stderr: String::new(),
            };
            read(&output, event(name))
        };
        for name in ["PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit"] {
            let end = cut(name, "\u{feff} {\"decision\":\"bl");
            assert_eq!(end.answer.decision, Some(HookDecision::Deny), "{name}");
            assert_eq!(end.answer.reason.as_deref(), Some("its answer was too long to read"));
            assert_eq!(end.outcome, HookReportOutcome::NotUnderstood);
            assert_eq!(cut(name, "log log").answer.decision, None, "{name}");
        }
        let end = cut("PermissionRequest", "{\"a");
        assert!(matches!(end.answer.permission, Some(PermissionAnswer::Deny { .. })));
        assert!(!cut("Notification", "{\"a").answer.is_strict());
    }

    #[test]
    fn a_long_answer_is_read_as_a_whole_and_a_byte_order_mark_is_white_space() {
        let long = "x".repeat(12 * 1024 * 1024);
        let deny = DENY.replace("\"r\"", &format!("\"{long}\""));
        let end = run("PreToolUse", 0, &format!("\u{feff}\n{deny}\n"), "");
        assert_eq!(
            (end.outcome, end.answer.decision),
            (HookReportOutcome::Answered, Some(HookDecision::Deny))
        );
        assert_eq!(end.answer.reason, Some(long));
    }

    #[test]
    fn refusals_in_other_words_and_places_refuse() {
        let refused = [
            r#"{"decision":"deny","reason":"r"}"#,
            r#"{"decision":"BLOCK","reason":"r"}"#,
            r#"{"decision":false,"reason":"r"}"#,
            r#"{"decision":{"behavior":"deny"},"reason":"r"}"#,
            r#"{"permissionDecision":"Deny","permissionDecisionReason":"r"}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"block","permissionDecisionReason":"r"}}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","decision":"block","reason":"r"}}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"forbid","permissionDecisionReason":"r"}}"#,
        ];
        for text in refused {
            let end = run("PreToolUse", 0, text, "");
            assert_eq!(end.answer.decision, Some(HookDecision::Deny), "{text}");
            assert_eq!(end.answer.reason.as_deref(), Some("r"), "{text}");
            assert!(end.outcome == HookReportOutcome::WrongSchema && end.notice.is_some(), "{text}");
        }
        for text in [
            r#"{"decision":"ask"}"#,
            r#"{"permissionDecision":"ask"}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ASK"}}"#,
        ] {
            assert_eq!(run("PreToolUse", 0, text, "").answer.decision, Some(HookDecision::Ask), "{text}");
        }
        for text in [
            r#"{"continue":"false"}"#,
            r#"{"continue":"False"}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","continue":false}}"#,
        ] {
            assert!(run("PreToolUse", 0, text, "").answer.stop.is_some(), "{text}");
        }
        for text in [
            r#"{"decision":"deny","reason":"r"}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","decision":"block","reason":"r"}}"#,
        ] {
            assert_eq!(run("PostToolUse", 0, text, "").answer.decision, Some(HookDecision::Deny), "{text}");
        }
        assert_eq!(run("PostToolUse", 0, r#"{"decision":"warn"}"#, "").answer.decision, None);
        for text in [
            r#"{"decision":"block","reason":"r"}"#,
            r#"{"decision":{"behavior":"deny","message":"r"}}"#,
            r#"{"permissionDecision":"deny"}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":"deny"}}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","permissionDecision":"deny"}}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"forbid"}}}"#,
        ] {
            let permission = run("PermissionRequest", 0, text, "").answer.permission;
            assert!(matches!(permission, Some(PermissionAnswer::Deny { .. })), "{text}");
        }
        let ask =
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"ask"}}}"#;
        let end = run("PermissionRequest", 0, ask, "");
        assert!(end.answer.permission.is_none() && end.answer.decision == Some(HookDecision::Ask));
        // Words of consent count only where they belong.
        for text in
            [r#"{"decision":"allow"}"#, r#"{"permissionDecision":"allow"}"#, r#"{"decision":"APPROVE"}"#]
        {
            assert_eq!(run("PreToolUse", 0, text, "").answer.decision, None, "{text}");
        }
    }

    #[test]
    fn what_a_tool_put_out_is_hidden_also_with_exit_code_two() {
        let text =
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"[x]"}}}"#;
        let end = run("PostToolUse", 2, text, "secret");
        assert_eq!(end.answer.updated_output.unwrap()["stdout"], "[x]");
        assert_eq!(end.answer.reason.as_deref(), Some("secret"));
    }

    #[test]
    fn plain_text_is_for_the_model_only_where_the_documents_say_so() {
        for (name, text, expected) in [
            ("UserPromptSubmit", "hello", Some("hello")),
            ("UserPromptSubmit", "[\"x\"]", Some("[\"x\"]")),
            ("UserPromptSubmit", "{broken", Some("{broken")),
            ("SessionStart", "hello", Some("hello")),
            ("PreToolUse", "hello", None),
            ("PostToolUse", "hello", None),
        ] {
            assert_eq!(
                run(name, 0, text, "").answer.additional_context.as_deref(),
                expected,
                "{name} {text}"
            );
        }
    }

    #[test]
    fn a_request_is_answered_by_json_only() {
        let allow =
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;
        assert!(matches!(
            run("PermissionRequest", 0, allow, "").answer.permission,
            Some(PermissionAnswer::Allow { .. })
        ));
        assert!(run("PermissionRequest", 2, allow, "no").answer.permission.is_none());
        let bare = run("PermissionRequest", 2, "", "no");
        assert!(bare.answer.permission.is_none() && bare.answer.decision.is_none());
        let nameless = r#"{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}"#;
        assert!(run("PermissionRequest", 0, nameless, "").answer.permission.is_none());
    }

    proptest! {
        #[test]
        fn what_was_not_understood_never_allows(code in 0..4, text in "[{}\\[\\]\":,a-z0-9 \n]{0,80}", at in 0..200_usize) {
            for noisy in [format!("{ALLOW}{text}"), format!("{text}{ALLOW}"), text.clone(), ALLOW.chars().take(at).collect()] {
                let whole = serde_json::from_str::<Value>(noisy.trim()).is_ok();
                let end = run("PreToolUse", code, &noisy, "");
                if !whole || code == 2 {
                    prop_assert_ne!(end.answer.decision, Some(HookDecision::Allow), "{}", noisy);
                    prop_assert!(end.answer.updated_input.is_none());
                }
            }
        }

        #[test]
        fn a_whole_deny_is_honoured_wherever_it_stands(before in "[a-z \n]{0,20}", after in "[a-z \n]{0,20}", code in 0..4) {
            let end = run("PreToolUse", code, &format!("{before}{DENY}{after}"), "");
            prop_assert_eq!(end.answer.decision, Some(HookDecision::Deny));
        }
    }
}
