//! What every subcommand starts from: the folder, the settings, the layers made of them.

use crate::args::{CommonArgs, CompatWith};
use crate::exit::{Fault, chain, one_line};
use crate::print::Printer;
use pegboard::settings::{
    BrokenFiles, Compat, FlagSettings, LoadRequest, Locations, SettingSources, Settings,
    repository_names_programs,
};
use pegboard::{ContextSnapshot, PermissionMode, ToolEnv, tools_std};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder that was named, or this one, absolute and without links.
pub(crate) fn working_directory(named: Option<&Path>) -> Result<PathBuf, Fault> {
    let path = match named {
        Some(path) => path.to_path_buf(),
        None => std::env::current_dir().map_err(|error| {
            Fault::usage(format!("the current folder is gone ({error}); give `--cwd DIR`"))
        })?,
    };
    let fault = |why: &dyn std::fmt::Display| {
        Fault::usage(format!(
            "the working directory `{}` cannot be used ({why}); name a folder that exists",
            path.display()
        ))
    };
    let absolute = std::fs::canonicalize(&path).map_err(|error| fault(&error))?;
    if absolute.is_dir() { Ok(absolute) } else { Err(fault(&"it is no folder")) }
}

/// Where settings are looked for.
pub(crate) fn locations(cwd: &Path) -> Locations {
    Locations::from_environment(cwd, |name| std::env::var_os(name))
}

/// The options, as a request to load settings.
pub(crate) fn request(common: &CommonArgs, cwd: &Path) -> Result<LoadRequest, Fault> {
    let mut request = LoadRequest::new(locations(cwd));
    if let Some(list) = &common.setting_sources {
        request.sources = list.parse::<SettingSources>().map_err(|error| Fault::usage(chain(&error)))?;
    }
    request.flags = common.settings.iter().map(|argument| FlagSettings::from_argument(argument)).collect();
    request.command_line.allow.clone_from(&common.allow);
    request.command_line.ask.clone_from(&common.ask);
    request.command_line.deny.clone_from(&common.deny);
    request.command_line.directories.clone_from(&common.add_dir);
    request.command_line.mode = common.mode;
    if common.compat == Some(CompatWith::Claude) {
        request.compat = Compat::Claude;
    }
    if common.lenient_settings {
        request.broken_files = BrokenFiles::Skip;
    }
    Ok(request)
}

/// Loads the settings that the options ask for, and says on stderr what a person should know.
pub(crate) fn settings(common: &CommonArgs, cwd: &Path, printer: &Printer) -> Result<Settings, Fault> {
    if let Some(missing) = common.add_dir.iter().find(|folder| !cwd.join(folder).is_dir()) {
        return Err(Fault::usage(format!(
            "`--add-dir {}` is no folder; name one that exists",
            missing.display()
        )));
    }
    let settings =
        pegboard::settings::load(&request(common, cwd)?).map_err(|error| Fault::usage(chain(&error)))?;
    for notice in &settings.notices {
        printer.note(&notice.to_string());
    }
    for problem in &settings.problems {
        printer.error(&problem.to_string());
    }
    Ok(settings)
}

/// Refuses a mode that was asked for and is switched off, and bypass as root without a sandbox.
pub(crate) fn check_mode(settings: &Settings) -> Result<(), Fault> {
    if let Some(refused) = &settings.refused_mode {
        return Err(Fault::usage(format!(
            "the mode `{}` is switched off by {}; choose another",
            refused.mode, refused.disabled_by
        )));
    }
    if settings.default_mode == PermissionMode::BypassPermissions
        && is_root()
        && std::env::var_os("IS_SANDBOX").is_none_or(|value| value != "1")
    {
        return Err(Fault::usage(
            "the mode `bypassPermissions` is refused as root; run as another user, or set IS_SANDBOX=1 inside a sandbox",
        ));
    }
    Ok(())
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root() || std::env::var_os("SUDO_UID").is_some()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

/// The context in which the first call runs.
pub(crate) fn context(
    settings: &Settings,
    cwd: &Path,
    session_id: &str,
    session_dir: Option<&Path>,
) -> Arc<ContextSnapshot> {
    let mut context = ContextSnapshot::new(cwd, session_id);
    context.home = locations(cwd).home;
    context.directories = settings.directory_paths();
    context.mode = settings.default_mode;
    context.session_dir = session_dir.map(Path::to_path_buf);
    // A folder whose git configuration names programs is not one in which looking is harmless.
    context.trusted = settings.trust.is_trusted() && !repository_names_programs(cwd);
    context.env = Arc::new(environment());
    Arc::new(context)
}

/// The environment as text; a variable that is no text is left out.
pub(crate) fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// What gates of tools may ask for.
pub(crate) fn tool_env(common: &CommonArgs, settings: &Settings) -> ToolEnv {
    let mut env = ToolEnv::new();
    env.flags = common.flag.iter().cloned().collect();
    env.vars = environment();
    env.path =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    if settings.value("tools.web.search.backend").is_some() {
        env.configured.insert("web_search.backend".to_owned());
    }
    env
}

/// Which of the tools' variables hold numbers that do not count as they stand. One that is no text is no number.
pub(crate) fn variable_problems() -> Vec<String> {
    tools_std::settings::variable_problems(|name| {
        std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
    })
}

/// Says which of the tools' variables hold numbers that do not count as they stand.
pub(crate) fn check_numbers(printer: &Printer) {
    for problem in variable_problems() {
        printer.note(&problem);
    }
}

/// How many shared calls run at once: `PEGBOARD_MAX_CONCURRENCY`, else `CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY`, else 10.
pub(crate) fn max_concurrency(printer: &Printer) -> Option<std::num::NonZeroUsize> {
    for name in ["PEGBOARD_MAX_CONCURRENCY", "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"] {
        let Some(value) = std::env::var_os(name) else { continue };
        match value.to_str().and_then(|text| text.trim().parse().ok()) {
            Some(limit) => return Some(limit),
            None => printer.note(&format!(
                "{name}=`{}` is no positive number and is ignored",
                one_line(value.to_string_lossy())
            )),
        }
    }
    None
}

/// Where a program is on PATH.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let file = if cfg!(windows) { format!("{name}.exe") } else { name.to_owned() };
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file())
}
