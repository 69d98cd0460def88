//! `pegboard undo`: puts back the files that a turn changed.

use crate::args::Format;
use crate::exit::{Exit, Fault, chain, one_line};
use crate::host;
use crate::print::Printer;
use crate::signals::Signals;
use crate::turn_args::UndoArgs;
use pegboard::ports::{FileHistory, Restore, RestoreError};
use pegboard::session::{BackupLimits, FileBackups, TurnChanges, sessions_in};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Runs `pegboard undo`.
///
/// Signals are caught, so that none leaves half of it: it goes on to its end.
pub(crate) async fn undo(args: &UndoArgs, printer: &Printer) -> Result<Exit, Fault> {
    let _signals = Signals::install();
    let cwd = host::working_directory(args.cwd.as_deref())?;
    let sessions = host::locations(&cwd).state_directory.join("sessions");
    let candidates = match &args.session {
        Some(named) => vec![named_session(named, &sessions)?],
        None => sessions_in(&sessions, &cwd),
    };
    let mut candidates = candidates.into_iter().filter(|session| session.join("history").is_dir());
    if args.list {
        return list(candidates, args.format, printer);
    }
    let found = candidates.find_map(|session| {
        let history = match open(&session) {
            Ok(history) => history,
            Err(fault) => return Some(Err(fault)),
        };
        let turn = args.turn.or_else(|| history.last_turn());
        // A session that was named or whose turn was is not passed over.
        turn.map(|turn| Ok((history, turn)))
    });
    let Some(found) = found else {
        return Err(Fault::failed("no turn of this folder changed a file that is kept and not put back yet"));
    };
    let (history, turn) = found?;
    let restore = if args.force { Restore::Forced } else { Restore::IfUnchanged };
    match history.restore(turn, restore) {
        Ok(files) => {
            print_files(turn, &files, args.format, printer)?;
            Ok(Exit::Done)
        }
        Err(problems) => Err(refused(turn, &problems, args.format, printer)?),
    }
}

/// Says why a turn was not undone.
fn refused(turn: u64, problems: &[RestoreError], format: Format, printer: &Printer) -> Result<Fault, Fault> {
    let texts: Vec<String> = problems.iter().map(|problem| one_line(chain(problem))).collect();
    texts.iter().for_each(|text| printer.error(text));
    if format == Format::Json {
        printer.out(&format!("{}\n", json!({"turn": turn, "restored": [], "problems": texts})))?;
    }
    let changed = problems.iter().any(|problem| matches!(problem, RestoreError::ChangedSince { .. }));
    let only_lost = problems.iter().all(|problem| matches!(problem, RestoreError::NotKept { .. }));
    Ok(match problems {
        [RestoreError::NoSuchTurn { .. }] => Fault::usage("nothing was put back"),
        _ if changed => Fault::failed(format!(
            "nothing of turn {turn} was put back; `--force` overwrites what was changed since, and keeps it for another undo"
        )),
        _ if only_lost => {
            Fault::failed(format!("turn {turn} has files that were not kept; `--force` puts back the others"))
        }
        _ => Fault::failed(format!("turn {turn} was not undone; it can be tried again")),
    })
}

fn open(session: &Path) -> Result<FileBackups, Fault> {
    FileBackups::open(session, BackupLimits::default()).map_err(|error| Fault::usage(chain(&error)))
}

/// A session by its id or folder.
fn named_session(named: &Path, sessions: &Path) -> Result<PathBuf, Fault> {
    let by_id = sessions.join(named);
    let is_plain = named.components().count() == 1;
    match (is_plain && by_id.is_dir(), named.is_dir()) {
        (true, _) => Ok(by_id),
        (false, true) => Ok(named.to_path_buf()),
        (false, false) => Err(Fault::usage(format!(
            "there is no session `{}`; `undo --list` shows those of this folder",
            named.display()
        ))),
    }
}

fn print_files(turn: u64, files: &[PathBuf], format: Format, printer: &Printer) -> Result<(), Fault> {
    match format {
        Format::Json => {
            let files: Vec<String> = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
            printer.out(&format!("{}\n", json!({"turn": turn, "restored": files})))
        }
        Format::Text => {
            let mut text = String::new();
            for file in files {
                text.push_str(&format!("put back {}\n", one_line(file.display())));
            }
            printer.out(&text)
        }
    }
}

fn list(sessions: impl Iterator<Item = PathBuf>, format: Format, printer: &Printer) -> Result<Exit, Fault> {
    let mut rows = Vec::new();
    let mut exit = Exit::Done;
    for session in sessions {
        let name = session.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match open(&session) {
            Ok(history) => rows.extend(history.turns().into_iter().rev().map(|turn| (name.clone(), turn))),
            Err(fault) => {
                printer.error(&fault.text);
                exit = fault.exit;
            }
        }
    }
    match format {
        Format::Json => printer.out(&format!("{}\n", Value::Array(rows.iter().map(row).collect())))?,
        Format::Text if rows.is_empty() && exit != Exit::Done => {}
        Format::Text if rows.is_empty() => printer.out("no turn here changed a file that is kept\n")?,
        Format::Text => {
            let lines = rows.iter().map(|(session, turn)| line(session, turn));
            printer.out(&lines.collect::<String>())?;
        }
    }
    Ok(exit)
}

fn row((session, turn): &(String, TurnChanges)) -> Value {
    json!({
        "session": session,
        "turn": turn.turn,
        "ms": turn.ms,
        "files": turn.files.iter().map(|file| file.to_string_lossy().into_owned()).collect::<Vec<_>>(),
        "undoes": turn.undoes,
        "is_undone": turn.is_undone,
    })
}

fn line(session: &str, turn: &TurnChanges) -> String {
    let state = match (turn.undoes, turn.is_undone) {
        (Some(undone), _) => format!(" (undid turn {undone})"),
        (None, true) => " (undone)".to_owned(),
        (None, false) => String::new(),
    };
    let files: Vec<String> = turn.files.iter().map(|file| one_line(file.display())).collect();
    format!("{session} turn {}{state}: {}\n", turn.turn, files.join(", "))
}
