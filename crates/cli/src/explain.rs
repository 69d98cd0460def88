//! `pegboard permissions explain`: one decision for people, step by step.

use crate::args::Format;
use crate::check::input_of;
use crate::exit::{Exit, Fault, one_line};
use crate::host;
use crate::judge::{Judge, Judged, Question, report};
use crate::paint::Paint;
use crate::permissions_args::ExplainArgs;
use crate::print::Printer;
use pegboard::permissions::{Explanation, NoSuggestion, RuleParts, Suggestion};
use pegboard::ports::Verdict;
use serde_json::{Map, Value, json};

/// Runs `pegboard permissions explain`.
pub(crate) async fn explain(args: &ExplainArgs, printer: &Printer) -> Result<Exit, Fault> {
    let question = question(args)?;
    let cwd = host::working_directory(args.common.cwd.as_deref())?;
    let judge = Judge::of_options(&args.common, &cwd, printer)?;
    let judge = if args.suggest { judge.with_suggestions() } else { judge };
    let judged = judge.examine(&question).await.map_err(Fault::usage)?;
    match args.format {
        Format::Json => {
            let mut answer = report(&judged.decision);
            answer.extend(judged.suggestion.as_ref().map(suggestion_fields).into_iter().flatten());
            printer.out(&format!("{}\n", Value::Object(answer)))?;
        }
        Format::Text => printer.out(&text(&judge, &question, &judged, Paint::for_stdout()))?,
    }
    Ok(Exit::Done)
}

fn question(args: &ExplainArgs) -> Result<Question, Fault> {
    match (&args.call, &args.tool, &args.input, &args.command) {
        (_, Some(tool), Some(input), _) => Ok(Question { tool: tool.clone(), input: input_of(input)? }),
        (_, _, _, Some(line)) => Ok(Question { tool: "Bash".to_owned(), input: json!({"command": line}) }),
        (Some(call), ..) => call_of(call),
        _ => Err(Fault::usage("name a call: `--tool T --input JSON`, `--command LINE`, or 'Bash(git push)'")),
    }
}

/// The call that is written like a rule.
fn call_of(text: &str) -> Result<Question, Fault> {
    let parts = RuleParts::parse(text).map_err(|why| {
        Fault::usage(format!(
            "`{text}` is no call ({why}); write 'Bash(git push)', or `--tool T --input JSON`"
        ))
    })?;
    let given = parts.specifier.as_deref();
    let input = match (parts.tool.as_str(), given) {
        ("Bash" | "PowerShell" | "Monitor", Some(line)) => json!({"command": line}),
        ("Read", Some(path)) => json!({"file_path": path}),
        ("Edit", Some(path)) => json!({"file_path": path, "old_string": "a", "new_string": "b"}),
        ("Write", Some(path)) => json!({"file_path": path, "content": ""}),
        ("NotebookEdit", Some(path)) => json!({"notebook_path": path, "new_source": ""}),
        ("Grep" | "Glob", Some(path)) => json!({"path": path, "pattern": "*"}),
        ("WebFetch", Some(url)) => {
            let host = url.strip_prefix("domain:").map(|host| format!("https://{host}/"));
            json!({"url": host.as_deref().unwrap_or(url), "prompt": ""})
        }
        ("WebSearch", Some(query)) => json!({"query": query}),
        ("Agent", Some(kind)) => json!({"subagent_type": kind, "prompt": "", "description": ""}),
        ("Skill", Some(skill)) => json!({"skill": skill}),
        (_, None) => json!({}),
        (tool, Some(_)) => {
            return Err(Fault::usage(format!(
                "what `{tool}` is given cannot be written so; use `--tool {tool} --input JSON`"
            )));
        }
    };
    Ok(Question { tool: parts.tool, input })
}

fn text(judge: &Judge, question: &Question, judged: &Judged, paint: Paint) -> String {
    let explanation = Explanation::new(&judged.decision);
    let what = match question.input.get("command").and_then(Value::as_str) {
        Some(line) => one_line(line),
        None => one_line(&question.input),
    };
    let context = judge.context();
    let trust = if context.trusted { "" } else { ", not trusted" };
    let mut out = format!("{}  {what}\n", paint.bold(&one_line(&question.tool)));
    out.push_str(&format!("in {}, mode {}{trust}\n\n", one_line(context.cwd.display()), context.mode));
    let verdict = colour(paint, explanation.verdict, word(explanation.verdict));
    out.push_str(&format!("{verdict}: {}\n\n", one_line(&explanation.reason)));
    for step in &explanation.steps {
        for (at, line) in step.to_string().lines().enumerate() {
            let line = one_line(line.trim_end());
            let is_bold = step.is_deciding && at == 0;
            out.push_str(&if is_bold { paint.bold(&line) } else { line });
            out.push('\n');
        }
    }
    match &judged.suggestion {
        None => {}
        Some(Ok(Suggestion { rules, .. })) => {
            out.push_str("\nit would run with ");
            out.push_str(if rules.len() == 1 {
                "this allow rule:\n"
            } else {
                "these allow rules together:\n"
            });
            for rule in rules {
                out.push_str(&format!("  {}\n", paint.green(&one_line(rule))));
            }
        }
        Some(Err(why)) => out.push_str(&format!("\nno rule to suggest; {}\n", one_line(why))),
    }
    out
}

/// The word for a verdict.
pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    }
}

/// `text` in the colour of the verdict.
pub(crate) fn colour(paint: Paint, verdict: Verdict, text: &str) -> String {
    match verdict {
        Verdict::Allow => paint.green(text),
        Verdict::Ask => paint.yellow(text),
        Verdict::Deny => paint.red(text),
    }
}

fn suggestion_fields(suggestion: &Result<Suggestion, NoSuggestion>) -> Map<String, Value> {
    let (rules, why) = match suggestion {
        Ok(suggestion) => (json!(suggestion.rules), Value::Null),
        Err(why) => (json!([]), json!(why.to_string())),
    };
    Map::from_iter([("suggest".to_owned(), rules), ("no_suggestion".to_owned(), why)])
}
