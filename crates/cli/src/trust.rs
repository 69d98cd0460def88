//! `pegboard trust`: accept what a folder's settings contribute, by content.

use crate::args::TrustArgs;
use crate::exit::{Exit, Fault, chain, one_line};
use crate::host;
use crate::print::Printer;
use crate::terminal::Terminal;
use pegboard::settings::{LoadRequest, Standing, TrustItem, TrustState, TrustStore, TrustedFile, load};
use std::path::Path;

/// Runs `pegboard trust`.
pub(crate) fn trust(args: &TrustArgs, printer: &Printer) -> Result<Exit, Fault> {
    let cwd = host::working_directory(args.dir.as_deref())?;
    let locations = host::locations(&cwd);
    let store = TrustStore::new(locations.trust_file());
    if args.list {
        return list(&store, printer);
    }
    if args.revoke {
        let revoked = store.revoke(&cwd).map_err(|error| Fault::failed(chain(&error)))?;
        printer.out(&format!("trust taken away for {} (records removed: {revoked})\n", cwd.display()))?;
        return Ok(Exit::Done);
    }
    let settings = load(&LoadRequest::new(locations)).map_err(|error| Fault::usage(chain(&error)))?;
    let state = &settings.trust;
    if state.is_trusted() {
        printer.out("nothing to accept: this folder is trusted as it is\n")?;
        return Ok(Exit::Done);
    }
    printer.out(&difference(state))?;
    if !args.yes && !confirmed(&state.folder)? {
        printer.out("not trusted\n")?;
        return Ok(Exit::Failed);
    }
    store.accept(state).map_err(|error| Fault::failed(chain(&error)))?;
    printer.out(&format!("trusted: {}\n", state.folder.display()))?;
    Ok(Exit::Done)
}

fn list(store: &TrustStore, printer: &Printer) -> Result<Exit, Fault> {
    let records = store.list().map_err(|error| Fault::failed(chain(&error)))?;
    for (file, record) in records {
        printer.out(&format!(
            "{} ({} entries, for {})\n",
            one_line(file),
            record.items().len(),
            one_line(record.folder())
        ))?;
    }
    Ok(Exit::Done)
}

fn confirmed(folder: &Path) -> Result<bool, Fault> {
    let Ok(terminal) = Terminal::open() else {
        return Err(Fault::usage("there is no terminal to ask on; look at the entries and give `--yes`"));
    };
    let io = |error: std::io::Error| Fault::failed(format!("the terminal failed: {error}"));
    terminal.write(&format!("Trust these entries of {}? [y/N] ", one_line(folder.display()))).map_err(io)?;
    let answer = terminal.read_line().map_err(io)?.unwrap_or_default();
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn difference(state: &TrustState) -> String {
    let changed = state.files.iter().filter(|file| file.standing != Standing::Accepted);
    changed.map(file_difference).collect()
}

fn file_difference(file: &TrustedFile) -> String {
    let mut text = format!("{}\n", one_line(file.file.display()));
    let mut push = |sign: char, items: &[TrustItem]| {
        for item in items {
            text.push_str(&format!("  {sign} {}\n", one_line(&item.text)));
        }
    };
    match &file.standing {
        Standing::Accepted => {}
        Standing::Never => push('+', &file.items),
        Standing::Changed { added, removed } => {
            push('+', added);
            push('-', removed);
        }
    }
    text
}
