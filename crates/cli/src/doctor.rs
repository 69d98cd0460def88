//! `pegboard doctor`: what this installation and this configuration are, and what is wrong with them.

use crate::args::{DoctorArgs, Format};
use crate::exit::{Exit, Fault, chain, one_line};
use crate::host;
use crate::print::Printer;
use crate::stack;
use pegboard::RuleEffect;
use pegboard::settings::{FileOutcome, Settings};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Runs `pegboard doctor`. Problems are listed, and the exit code is 4 when there are any.
pub(crate) fn doctor(args: &DoctorArgs, printer: &Printer) -> Result<Exit, Fault> {
    let cwd = host::working_directory(args.common.cwd.as_deref())?;
    let loaded = pegboard::settings::load(&host::request(&args.common, &cwd)?);
    let report = match &loaded {
        Ok(settings) => report(args, &cwd, settings),
        Err(error) => json!({
            "version": env!("CARGO_PKG_VERSION"),
            "system": std::env::consts::OS,
            "faults": [chain(error)],
        }),
    };
    let has = |key: &str| report[key].as_array().is_some_and(|lines| !lines.is_empty());
    let faulty = has("faults") || has("problems");
    match args.format {
        Format::Json => printer.out(&format!("{report}\n"))?,
        Format::Text => printer.out(&text(&report))?,
    }
    Ok(if faulty { Exit::Problems } else { Exit::Done })
}

fn report(args: &DoctorArgs, cwd: &Path, settings: &Settings) -> Value {
    let mut faults = Vec::new();
    if let Err(fault) = host::check_mode(settings) {
        faults.push(fault.text);
    }
    let tools = match stack::tools(&args.common, settings.clone(), cwd) {
        Ok(tools) => tools,
        Err(fault) => {
            faults.push(fault.text);
            Vec::new()
        }
    };
    let mut problems: Vec<String> = settings.problems.iter().map(ToString::to_string).collect();
    problems.extend(host::variable_problems());
    match stack::load(settings.clone(), cwd, host::locations(cwd).home) {
        Ok(loaded) => {
            match stack::tool_problems(&loaded, cwd) {
                Ok(more) => problems.extend(more),
                Err(fault) => faults.push(fault.text),
            }
            problems.extend(loaded.problems);
        }
        Err(fault) => faults.push(fault.text),
    }
    let files: Vec<Value> = settings
        .files
        .iter()
        .map(|file| json!({"source": file.source, "path": file.path.to_string_lossy(), "outcome": outcome(file.outcome)}))
        .collect();
    let count = |effect: RuleEffect| settings.rules.iter().filter(|rule| rule.effect == effect).count();
    let bash = host::program("bash");
    if bash.is_none() {
        faults.push("`bash` is not found on PATH; the tool Bash cannot work".to_owned());
    }
    let state = host::locations(cwd).state_directory;
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "system": std::env::consts::OS,
        "cwd": cwd.to_string_lossy(),
        "state": state.to_string_lossy(),
        "bash": bash.map(|path| path.to_string_lossy().into_owned()),
        "mode": {"mode": settings.default_mode, "by": settings.mode_origin.to_string()},
        "files": files,
        "trusted": settings.trust.is_trusted(),
        "rules": {"deny": count(RuleEffect::Deny), "ask": count(RuleEffect::Ask), "allow": count(RuleEffect::Allow)},
        "directories": settings.directory_paths(),
        "hook_layers": settings.hooks.iter().map(|layer| layer.origin.to_string()).collect::<Vec<_>>(),
        "sandbox": Value::Null,
        "limits": limits(settings, cwd),
        "tools": tools.iter().map(stack::ToolEntry::brief).collect::<Vec<_>>(),
        "unused": unused(settings),
        "problems": problems,
        "notices": settings.notices.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "faults": faults,
    })
}

/// By which means limits of commands hold.
#[cfg(unix)]
fn limits(settings: &Settings, cwd: &Path) -> Vec<String> {
    stack::supervise();
    let home = host::locations(cwd).home;
    crate::shell_startup::Startup::of(settings, home.as_deref()).report()
}

/// There are none on this system.
#[cfg(not(unix))]
fn limits(_settings: &Settings, _cwd: &Path) -> Vec<String> {
    Vec::new()
}

/// Keys that nothing reads: of another program, or misspelt.
fn unused(settings: &Settings) -> Vec<String> {
    let keys = settings.layers.iter().flat_map(|layer| layer.unused_keys());
    keys.map(|(key, origin)| format!("`{key}` ({origin})")).collect()
}

fn outcome(outcome: FileOutcome) -> &'static str {
    match outcome {
        FileOutcome::Read => "read",
        FileOutcome::Absent => "absent",
        FileOutcome::Broken => "broken",
        FileOutcome::Repeated => "repeated",
    }
}

fn text(report: &Value) -> String {
    let mut text = String::new();
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), one_line);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "pegboard {} on {}", word(&report["version"]), word(&report["system"]));
    if report.get("cwd").is_some() {
        let _ = writeln!(text, "working directory  {}", word(&report["cwd"]));
        let _ = writeln!(text, "state              {}", word(&report["state"]));
        let _ = writeln!(text, "bash               {}", word(&report["bash"]));
        let _ = writeln!(
            text,
            "mode               {} ({})",
            word(&report["mode"]["mode"]),
            word(&report["mode"]["by"])
        );
        let _ = writeln!(
            text,
            "folder trusted     {}",
            if report["trusted"] == json!(true) { "yes" } else { "no" }
        );
        let rules = &report["rules"];
        let _ = writeln!(
            text,
            "rules              {} deny, {} ask, {} allow",
            rules["deny"], rules["ask"], rules["allow"]
        );
        let _ = writeln!(text, "sandbox            none: commands run with your own rights");
    }
    for (title, key) in [("settings files", "files"), ("tools", "tools")] {
        let Some(entries) = report[key].as_array() else { continue };
        let _ = writeln!(text, "\n{title}");
        for entry in entries {
            let fields = entry.as_object().into_iter().flat_map(|fields| fields.values());
            let fields: Vec<String> = fields.filter(|value| !value.is_null()).map(&word).collect();
            let _ = writeln!(text, "  {}", fields.join("  "));
        }
    }
    for (title, key) in [
        ("limits of commands", "limits"),
        ("keys without effect", "unused"),
        ("notices", "notices"),
        ("problems", "problems"),
        ("faults", "faults"),
    ] {
        let Some(lines) = report[key].as_array().filter(|lines| !lines.is_empty()) else { continue };
        let _ = writeln!(text, "\n{title}");
        for line in lines {
            let _ = writeln!(text, "  {}", word(line));
        }
    }
    text
}
