//! `pegboard permissions lint`: rules of this configuration that do not do what they look like.

use crate::args::Format;
use crate::exit::{Exit, Fault, one_line};
use crate::host;
use crate::judge::{Judge, place};
use crate::paint::Paint;
use crate::permissions_args::LintArgs;
use crate::print::Printer;
use crate::stack;
use pegboard::permissions::{Finding, LintConfig, lint};
use pegboard::{Origin, RuleText};
use serde_json::{Map, Value, json};

/// Runs `pegboard permissions lint`. The rules of a folder that nobody trusts are looked at too.
pub(crate) fn run(args: &LintArgs, printer: &Printer) -> Result<Exit, Fault> {
    let cwd = host::working_directory(args.common.cwd.as_deref())?;
    let settings = host::settings(&args.common, &cwd, printer)?;
    let rules: Vec<RuleText> = settings.layers.iter().flat_map(|layer| layer.written_rules()).collect();
    let home = host::locations(&cwd).home;
    let mut config = LintConfig::new(stack::analyzer(), &cwd, home.clone());
    // Only the names of its tools are wanted, and those do not depend on the rules.
    let nothing =
        pegboard::settings::inline(&[], &cwd, home.as_deref(), &pegboard::tool_core::SourceOrder::default());
    if let Ok(judge) = nothing.map_err(Fault::usage).and_then(|settings| Judge::new(settings, &cwd, home)) {
        config.tools = judge.tool_names();
    }
    let findings = lint(&rules, &config);
    let problems =
        findings.iter().filter(|finding| finding.kind.is_problem()).count() + settings.problems.len();
    match args.format {
        Format::Json => {
            let entries: Vec<Value> = settings
                .problems
                .iter()
                .map(|problem| entry(&problem.origin, &problem.text))
                .chain(findings.iter().map(as_json))
                .collect();
            let report = json!({"rules": rules.len(), "problems": problems, "findings": entries});
            printer.out(&format!("{report}\n"))?;
        }
        Format::Text => {
            let paint = Paint::for_stdout();
            // Problems of single entries stand on stderr already.
            let mut out: String = findings.iter().map(|finding| text(finding, paint)).collect();
            let notes = findings.len() + settings.problems.len() - problems;
            out.push_str(&format!("{}, {}", count(rules.len(), "rule"), count(problems, "problem")));
            if notes > 0 {
                out.push_str(&format!(", {}", count(notes, "note")));
            }
            out.push('\n');
            printer.out(&out)?;
        }
    }
    Ok(if problems > 0 { Exit::Problems } else { Exit::Done })
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn text(finding: &Finding, paint: Paint) -> String {
    let RuleText { effect, text, origin, .. } = &finding.rule;
    let kind = finding.kind.as_str();
    let kind = if finding.kind.is_problem() { paint.red(kind) } else { paint.yellow(kind) };
    let rule = paint.bold(&one_line(format!("{effect} {text}")));
    let mut out = format!("{}: {kind}: {rule}\n  {}\n", where_is(origin), one_line(&finding.reason));
    if let Some(other) = &finding.other {
        out.push_str(&format!(
            "  see: {} {} ({})\n",
            other.effect,
            one_line(&other.text),
            where_is(&other.origin)
        ));
    }
    if let Some(fix) = &finding.fix {
        out.push_str(&format!("  write: {}\n", paint.green(&one_line(fix))));
    }
    out
}

fn where_is(origin: &Origin) -> String {
    match (&origin.file, origin.line) {
        (Some(file), Some(line)) => one_line(format!("{}:{line}", file.display())),
        (Some(file), None) => one_line(file.display()),
        (None, _) => format!("({})", origin.source),
    }
}

fn as_json(finding: &Finding) -> Value {
    let mut fields = Map::new();
    fields.insert("kind".to_owned(), json!(finding.kind.as_str()));
    fields.insert("severity".to_owned(), json!(if finding.kind.is_problem() { "problem" } else { "note" }));
    fields.insert("effect".to_owned(), json!(finding.rule.effect));
    fields.extend(place(Some(&finding.rule)));
    fields.insert("reason".to_owned(), json!(finding.reason));
    fields.insert("fix".to_owned(), json!(finding.fix));
    let other = finding.other.as_ref().map(|other| {
        let mut fields = Map::from_iter([("effect".to_owned(), json!(other.effect))]);
        fields.extend(place(Some(other)));
        fields
    });
    fields.insert("other".to_owned(), json!(other));
    Value::Object(fields)
}

/// An entry of a settings file that is no rule at all.
fn entry(origin: &Origin, text: &str) -> Value {
    json!({
        "kind": "entry", "severity": "problem", "effect": null, "rule": null, "source": origin.source,
        "file": origin.file.as_deref().map(std::path::Path::to_string_lossy), "line": origin.line,
        "reason": text, "fix": null, "other": null,
    })
}
