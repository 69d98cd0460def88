//! `pegboard permissions replay`: which calls of the past would be decided otherwise by these rules.

use crate::args::Format;
use crate::exit::{Exit, Fault, one_line};
use crate::explain::{colour, word};
use crate::host;
use crate::judge::{Judge, Question, report};
use crate::paint::Paint;
use crate::permissions_args::ReplayArgs;
use crate::print::Printer;
use crate::recorded::{self, Recorded, Was};
use pegboard::ports::{Decision, HookAdvice, Verdict};
use serde_json::{Map, Value, json};

/// Runs `pegboard permissions replay`. Nothing of the past runs again.
pub(crate) async fn replay(args: &ReplayArgs, printer: &Printer) -> Result<Exit, Fault> {
    let calls = recorded::read(&args.session)?;
    let cwd = host::working_directory(args.common.cwd.as_deref())?;
    let judge = Judge::of_options(&args.common, &cwd, printer)?;
    let mut again = Vec::new();
    let mut left_out = 0;
    for call in calls {
        let Some(was) = call.was.clone() else {
            left_out += 1;
            continue;
        };
        let question = Question { tool: call.tool.clone(), input: call.input.clone() };
        let judge = judge
            .clone()
            .adjusted(args.common.mode.or(call.mode), &call.directories)
            .moved(call.project_dir.clone(), call.cwd.clone())
            .with_hook(call.hook.unwrap_or(HookAdvice::None));
        match judge.examine(&question).await {
            Ok(judged) => again.push(Again { call, was, now: judged.decision }),
            Err(_) => left_out += 1,
        }
    }
    match args.format {
        Format::Json => printer.out(&format!("{}\n", as_json(&again, left_out)))?,
        Format::Text => printer.out(&text(&again, left_out, args.all, Paint::for_stdout()))?,
    }
    Ok(Exit::Done)
}

/// A call of the past, and what would be decided now.
struct Again {
    call: Recorded,
    was: Was,
    now: Decision,
}

impl Again {
    fn is_changed(&self) -> bool {
        match &self.was {
            Was::Decided { verdict, .. } => *verdict != self.now.verdict,
            Was::Ran => self.now.verdict != Verdict::Allow,
            // An ask that nobody answered was a refusal too.
            Was::Refused => self.now.verdict == Verdict::Allow,
        }
    }
}

fn was_text(was: &Was) -> String {
    match was {
        Was::Ran => "ran".to_owned(),
        Was::Refused => "refused".to_owned(),
        Was::Decided { verdict, answer, rule, reason } => {
            let answer = answer.as_ref().map(|(by, verdict)| {
                let did = if *verdict == Verdict::Allow { "allowed" } else { "refused" };
                format!(", {did} by {by}")
            });
            let by = rule.clone().unwrap_or_else(|| reason.clone());
            format!("{}{}: {by}", word(*verdict), answer.unwrap_or_default())
        }
    }
}

fn now_text(now: &Decision) -> String {
    let rule = now.rule.as_ref().map(|rule| format!("{} `{}` ({})", rule.effect, rule.text, rule.origin));
    rule.unwrap_or_else(|| now.reason.clone().into_owned())
}

fn text(again: &[Again], left_out: usize, all: bool, paint: Paint) -> String {
    let mut out = String::new();
    for one in again.iter().filter(|one| all || one.is_changed()) {
        let Again { call, was, now } = one;
        let mark = if one.is_changed() { paint.bold("changes") } else { "stays".to_owned() };
        out.push_str(&format!(
            "{mark} {}: {} {}\n",
            one_line(&call.id),
            one_line(&call.tool),
            one_line(&call.input)
        ));
        out.push_str(&format!("  was {}\n", one_line(was_text(was))));
        let verdict = colour(paint, now.verdict, word(now.verdict));
        out.push_str(&format!("  now {verdict}: {}\n", one_line(now_text(now))));
    }
    let changed: Vec<&Again> = again.iter().filter(|one| one.is_changed()).collect();
    out.push_str(&format!("{} calls, {} decided otherwise", again.len(), changed.len()));
    let counts = [(Verdict::Allow, "allowed"), (Verdict::Ask, "asked about"), (Verdict::Deny, "refused")];
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(verdict, what)| (changed.iter().filter(|one| one.now.verdict == verdict).count(), what))
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} now {what}"))
        .collect();
    if !counts.is_empty() {
        out.push_str(&format!(" ({})", counts.join(", ")));
    }
    if left_out > 0 {
        out.push_str(&format!("; {left_out} left out, they were never decided"));
    }
    out.push('\n');
    out
}

fn as_json(again: &[Again], left_out: usize) -> Value {
    let calls: Vec<Value> = again.iter().map(one_json).collect();
    let changed = again.iter().filter(|one| one.is_changed()).count();
    json!({"calls": calls, "changed": changed, "left_out": left_out})
}

fn one_json(one: &Again) -> Value {
    let was = match &one.was {
        Was::Ran => json!({"behavior": "ran"}),
        Was::Refused => json!({"behavior": "refused"}),
        Was::Decided { verdict, answer, rule, reason } => json!({
            "behavior": verdict, "approved_by": answer.as_ref().map(|(by, _)| by), "rule": rule, "reason": reason,
        }),
    };
    let mut fields = Map::new();
    fields.insert("id".to_owned(), json!(one.call.id));
    fields.insert("tool".to_owned(), json!(one.call.tool));
    fields.insert("input".to_owned(), one.call.input.clone());
    fields.insert("changed".to_owned(), json!(one.is_changed()));
    fields.insert("was".to_owned(), was);
    fields.insert("now".to_owned(), Value::Object(report(&one.now)));
    Value::Object(fields)
}
