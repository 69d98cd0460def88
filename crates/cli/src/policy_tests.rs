//! `pegboard permissions test`: calls with the verdict that they must get, for continuous integration.

use crate::args::Format;
use crate::call_line::{BadLine, CallLine, Judges};
use crate::exit::{Exit, Fault, one_line};
use crate::explain::{colour, word};
use crate::host;
use crate::judge::report;
use crate::lines::Lines;
use crate::paint::Paint;
use crate::permissions_args::TestArgs;
use crate::print::Printer;
use pegboard::ports::{Decision, Verdict};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs `pegboard permissions test`.
pub(crate) async fn test(args: &TestArgs, printer: &Printer) -> Result<Exit, Fault> {
    let cwd = host::working_directory(args.common.cwd.as_deref())?;
    let mut judges = Judges::new(&args.common, &cwd, printer);
    let mut lines = Lines::open(&args.file)?;
    let mut outcome = Outcome::default();
    let mut line = Vec::new();
    while let Some(number) = lines.next(&mut line)? {
        outcome.tests += 1;
        match judged(&line, number, &mut judges, args, printer).await {
            Ok(tested) if tested.is_right() => outcome.right += 1,
            Ok(tested) if tested.is_debatable && !args.strict => outcome.debatable.push(tested),
            Ok(tested) => outcome.wrong.push(tested),
            Err(BadLine { id, text }) => outcome.bad.push((number, id, text)),
        }
    }
    if outcome.tests == 0 {
        return Err(Fault::usage(format!("`{}` holds no test; write one a line", args.file.display())));
    }
    match args.format {
        Format::Json => printer.out(&format!("{}\n", outcome.json()))?,
        Format::Text => printer.out(&outcome.text(Paint::for_stdout()))?,
    }
    Ok(match (outcome.bad.is_empty(), outcome.wrong.is_empty()) {
        (false, _) => Exit::Usage,
        (true, false) => Exit::Problems,
        (true, true) => Exit::Done,
    })
}

/// What became of all lines.
#[derive(Default)]
struct Outcome {
    tests: usize,
    right: usize,
    wrong: Vec<Tested>,
    debatable: Vec<Tested>,
    bad: Vec<(usize, Value, String)>,
}

/// A test and the verdict that it got.
struct Tested {
    number: usize,
    id: Value,
    tool: String,
    input: Value,
    expect: Verdict,
    also: Vec<Verdict>,
    why: Option<String>,
    is_debatable: bool,
    decision: Decision,
}

impl Tested {
    fn is_right(&self) -> bool {
        self.decision.verdict == self.expect || self.also.contains(&self.decision.verdict)
    }
}

async fn judged(
    line: &[u8],
    number: usize,
    judges: &mut Judges<'_>,
    args: &TestArgs,
    printer: &Printer,
) -> Result<Tested, BadLine> {
    let (call, object) = CallLine::parse(line)?;
    let bad = |text: String| BadLine { id: call.id.clone(), text };
    let expect = object.get("expect").ok_or_else(|| bad("the test has no `expect`".to_owned()))?;
    let expect = verdict(expect).map_err(&bad)?;
    let also = match object.get("also") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(list)) => list.iter().map(verdict).collect::<Result<_, _>>().map_err(&bad)?,
        Some(one) => vec![verdict(one).map_err(&bad)?],
    };
    let setup = setup_lines(object.get("setup")).map_err(&bad)?;
    if !args.no_setup {
        set_up(&setup, number, &judges.cwd_of(&call), printer);
    }
    let judge = judges.of(&call, number).map_err(|fault| bad(fault.text))?;
    let decision = judge.examine(&call.question).await.map_err(&bad)?.decision;
    Ok(Tested {
        number,
        id: call.id,
        tool: call.question.tool,
        input: call.question.input,
        expect,
        also,
        why: object.get("why").and_then(Value::as_str).map(str::to_owned),
        is_debatable: object
            .get("debatable")
            .is_some_and(|mark| !matches!(mark, Value::Null | Value::Bool(false))),
        decision,
    })
}

fn verdict(value: &Value) -> Result<Verdict, String> {
    serde_json::from_value(value.clone())
        .map_err(|_| format!("{value} is no verdict; write \"allow\", \"ask\" or \"deny\""))
}

fn setup_lines(value: Option<&Value>) -> Result<Vec<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(line)) => Ok(vec![line.clone()]),
        Some(list) => {
            serde_json::from_value(list.clone()).map_err(|_| "`setup` is no list of lines".to_owned())
        }
    }
}

/// Runs the lines in the folder of the test. One that fails is said: the verdict shows whether it mattered.
fn set_up(lines: &[String], number: usize, cwd: &Path, printer: &Printer) {
    for line in lines {
        let status = Command::new("bash")
            .args(["--noprofile", "--norc", "-c", line])
            .current_dir(cwd)
            .env_remove("BASH_ENV")
            .env_remove("ENV")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => printer.note(&format!("line {number}: the setup `{line}` failed ({status})")),
            Err(error) => {
                printer.note(&format!(
                    "line {number}: the setup `{line}` did not run in {} ({error})",
                    cwd.display()
                ));
            }
        }
    }
}

impl Outcome {
    fn text(&self, paint: Paint) -> String {
        let mut out = String::new();
        for (number, id, text) in &self.bad {
            out.push_str(&format!("{} {}: {}\n", paint.red("bad"), name(*number, id), one_line(text)));
        }
        for (label, list) in [("differs", &self.wrong), ("debatable", &self.debatable)] {
            for tested in list {
                tested.print(label, paint, &mut out);
            }
        }
        let rest = [
            (self.wrong.len(), "differ"),
            (self.debatable.len(), "debatable"),
            (self.bad.len(), "bad lines"),
        ];
        out.push_str(&format!("{} tests, {} as expected", self.tests, self.right));
        for (count, what) in rest.iter().filter(|(count, _)| *count > 0) {
            out.push_str(&format!(", {count} {what}"));
        }
        out.push('\n');
        out
    }

    fn json(&self) -> Value {
        let list = |tests: &[Tested]| tests.iter().map(Tested::json).collect::<Vec<_>>();
        let bad = self.bad.iter().map(|(number, id, text)| json!({"at": number, "id": id, "error": text}));
        json!({
            "tests": self.tests, "right": self.right, "differ": list(&self.wrong),
            "debatable": list(&self.debatable), "bad": bad.collect::<Vec<_>>(),
        })
    }
}

impl Tested {
    fn print(&self, label: &str, paint: Paint, out: &mut String) {
        let Decision { verdict, reason, rule, .. } = &self.decision;
        let mut expected = vec![word(self.expect)];
        expected.extend(self.also.iter().map(|verdict| word(*verdict)));
        out.push_str(&format!(
            "{} {}: expected {}, got {}\n",
            if label == "differs" { paint.red(label) } else { paint.yellow(label) },
            name(self.number, &self.id),
            expected.join(" or "),
            colour(paint, *verdict, word(*verdict)),
        ));
        out.push_str(&format!("  call    {} {}\n", one_line(&self.tool), one_line(&self.input)));
        out.push_str(&format!("  because {}\n", one_line(reason)));
        if let Some(rule) = rule {
            out.push_str(&format!("  rule    {}\n", one_line(rule)));
        }
        if let Some(why) = &self.why {
            out.push_str(&format!("  test    {}\n", one_line(why)));
        }
    }

    fn json(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("id".to_owned(), self.id.clone());
        fields.insert("at".to_owned(), json!(self.number));
        fields.insert("tool".to_owned(), json!(self.tool));
        fields.insert("input".to_owned(), self.input.clone());
        fields.insert("expect".to_owned(), json!(self.expect));
        fields.insert("also".to_owned(), json!(self.also));
        fields.insert("why".to_owned(), json!(self.why));
        fields.extend(report(&self.decision));
        Value::Object(fields)
    }
}

fn name(number: usize, id: &Value) -> String {
    match id {
        Value::Null => format!("line {number}"),
        Value::String(id) => format!("{} (line {number})", one_line(id)),
        other => format!("{} (line {number})", one_line(other)),
    }
}
