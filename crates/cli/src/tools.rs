//! `pegboard tools`: the pool of this configuration.

use crate::args::{CommonArgs, Format, ToolsAction};
use crate::exit::{Exit, Fault, one_line};
use crate::host;
use crate::print::Printer;
use crate::stack::{self, ToolEntry};
use pegboard::wire::{DefinitionOptions, WireForm, definitions};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Runs `pegboard tools`.
pub(crate) fn tools(action: &ToolsAction, printer: &Printer) -> Result<Exit, Fault> {
    match action {
        ToolsAction::List { all, format, common } => {
            let entries = entries(common, printer)?;
            let shown: Vec<&ToolEntry> =
                entries.iter().filter(|entry| *all || entry.reason.is_none()).collect();
            let text = match format {
                Format::Json => {
                    format!("{}\n", Value::Array(shown.iter().map(|entry| entry.full()).collect()))
                }
                Format::Text => shown.iter().map(|entry| line(entry)).collect(),
            };
            printer.out(&text)?;
        }
        ToolsAction::Show { name, format, common } => {
            let entries = entries(common, printer)?;
            let Some(entry) = entries.iter().find(|entry| entry.answers_to(name)) else {
                let names: Vec<&str> = entries.iter().map(|entry| entry.definition.name.as_str()).collect();
                return Err(Fault::usage(format!(
                    "there is no tool `{name}`; there are {}",
                    names.join(", ")
                )));
            };
            printer.out(&match format {
                Format::Json => format!("{}\n", entry.full()),
                Format::Text => page(entry),
            })?;
        }
        ToolsAction::Schema { wire, common } => {
            let form: WireForm = wire.parse().map_err(Fault::usage)?;
            let (cwd, settings) = loaded(common, printer)?;
            let pool = stack::pool(common, settings, &cwd)?;
            if form == WireForm::Anthropic {
                printer.out(&format!("{}\n", pool.definitions_json()))?;
                return Ok(Exit::Done);
            }
            let tools: Vec<_> = pool.entries().map(|entry| entry.definition()).collect();
            let definitions = definitions(&tools, form, &DefinitionOptions::new());
            for note in &definitions.notes {
                printer.note(&note.to_string());
            }
            printer.out(&format!("{}\n", definitions.tools))?;
        }
    }
    Ok(Exit::Done)
}

fn loaded(
    common: &CommonArgs,
    printer: &Printer,
) -> Result<(std::path::PathBuf, pegboard::settings::Settings), Fault> {
    let cwd = host::working_directory(common.cwd.as_deref())?;
    let settings = host::settings(common, &cwd, printer)?;
    Ok((cwd, settings))
}

fn entries(common: &CommonArgs, printer: &Printer) -> Result<Vec<ToolEntry>, Fault> {
    let (cwd, settings) = loaded(common, printer)?;
    stack::tools(common, settings, &cwd)
}

fn line(entry: &ToolEntry) -> String {
    let text = entry.definition.description.lines().next().unwrap_or_default();
    match &entry.reason {
        None => format!("{:<12} {}\n", entry.definition.name, one_line(text)),
        Some(reason) => format!("{:<12} absent: {}\n", entry.definition.name, one_line(reason)),
    }
}

fn page(entry: &ToolEntry) -> String {
    let definition = &entry.definition;
    let mut text = format!("{}\n\n{}\n\n", definition.name, definition.description.trim_end());
    let aliases: Vec<&str> = definition.aliases.iter().map(|alias| alias.as_str()).collect();
    // Writing to a string cannot fail.
    if !aliases.is_empty() {
        let _ = writeln!(text, "also called: {}", aliases.join(", "));
    }
    let facts = entry.brief();
    let _ = writeln!(text, "concurrency: {}", facts["concurrency"].as_str().unwrap_or_default());
    let _ = writeln!(text, "effects:     {}", facts["effects"].as_str().unwrap_or_default());
    if let Some(reason) = &entry.reason {
        let _ = writeln!(text, "absent:      {}", one_line(reason));
    }
    let schema = serde_json::to_string_pretty(&*definition.input_schema).unwrap_or_default();
    let _ = writeln!(text, "\ninput schema:\n{schema}");
    for example in &definition.examples {
        let _ = writeln!(text, "\nexample:\n{}", json!(example));
    }
    text
}
