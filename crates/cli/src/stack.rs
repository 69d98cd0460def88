//! The layers of this configuration, wired.

use crate::args::CommonArgs;
use crate::exit::{Fault, chain};
use crate::host;
use crate::print::Printer;
use crate::prompt::Person;
#[cfg(unix)]
use crate::shell_startup::Startup;
use crate::tool_settings;
use crate::turn::approver;
use crate::turn_args::TurnArgs;
use pegboard::ports::{CommandAnalyzer, FileHistory, Journal, Observer, ResultStore};
use pegboard::registry::aliases::{CLINE, SNAKE_CASE, accept, offer};
use pegboard::registry::{Assembled, Catalog, Dropped, Entry, Services, ToolPool, assemble, available};
use pegboard::scheduler::{Siblings, Start};
use pegboard::schema::SchemaValidator;
use pegboard::session::{BackupLimits, Durability, FileBackups, FileJournal, SessionDir, session_id, sweep};
use pegboard::settings::{Settings, Watcher};
use pegboard::shell_analysis::ShellAnalyzer;
use pegboard::tool_core::ToolNameError;
use pegboard::{ContextSnapshot, DynTool, Loaded, Pegboard, ToolContext, ToolDefinition, tools_std};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Time limit of calls whose tool has none of its own.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// A runtime and the context of its first call.
pub(crate) struct Stack {
    pub(crate) pegboard: Pegboard,
    pub(crate) context: Arc<ContextSnapshot>,
    /// Puts changed settings in force as long as it is there.
    _watcher: Option<Watcher>,
}

/// Everything for `run` and `stream`; `timing` says when calls begin, and what a failed Bash call does to others.
pub(crate) fn build(
    args: &TurnArgs,
    cwd: &Path,
    printer: &Printer,
    person: Option<Arc<Person>>,
    observers: Vec<Arc<dyn Observer>>,
    timing: impl FnOnce(&Settings) -> (Start, Siblings),
) -> Result<Stack, Fault> {
    let common = &args.common;
    supervise();
    let settings = host::settings(common, cwd, printer)?;
    host::check_mode(&settings)?;
    let loaded = load(settings, cwd, host::locations(cwd).home)?;
    for problem in &loaded.problems {
        printer.error(problem);
    }
    for problem in tool_problems(&loaded, cwd)? {
        printer.error(&problem);
    }
    let id = session_id(SystemTime::now());
    let session = Session::open(args, cwd, &id, &loaded.settings)?;
    let context = host::context(&loaded.settings, cwd, &id, Some(&session.folder));
    let pool = assembled(common, &loaded, cwd, Some(session.history))?.pool;
    let (start, siblings) = timing(&loaded.settings);
    let watcher = watch(&loaded, common, cwd, *printer)?;
    let mut builder = Pegboard::builder()
        .gate(Arc::<pegboard::permissions::Engine>::clone(&loaded.engine))
        .pool(Arc::new(pool))
        .hooks(loaded.hooks)
        .approver(approver(person))
        .store(session.results)
        .journal(session.journal)
        .schedule(args.schedule.into())
        .start(start)
        .siblings(siblings)
        .time_limit(TIME_LIMIT);
    host::check_numbers(printer);
    if let Some(limit) = host::max_concurrency(printer) {
        builder = builder.max_concurrency(limit);
    }
    for observer in observers {
        builder = builder.observer(observer);
    }
    let pegboard = builder.build().map_err(|error| Fault::failed(chain(&error)))?;
    loaded.hook_caller.bind(pegboard.invoker());
    Ok(Stack { pegboard, context, _watcher: watcher })
}

impl Stack {
    /// The same in the work tree that an earlier run of the session entered and did not leave. Says so on stderr.
    pub(crate) async fn resumed(mut self, common: &CommonArgs, printer: &Printer) -> Self {
        let ctx = ToolContext::new(Arc::clone(&self.context));
        let Some(resumed) = tools_std::worktree::resume(&ctx).await else { return self };
        let Some(change) = resumed.change else {
            printer.note(&resumed.notice);
            return self;
        };
        let has_exit = common.flag.iter().any(|flag| flag == "worktree");
        let with = if has_exit { "" } else { ", which needs `--flag worktree`" };
        printer.note(&format!("{}; it is left with ExitWorktree{with}", resumed.notice));
        self.context = Arc::new(self.context.changed(&change));
        self
    }
}

/// What of the settings and variables about tools does not count, in words for the operator.
pub(crate) fn tool_problems(loaded: &Loaded, cwd: &Path) -> Result<Vec<String>, Fault> {
    let settings = &loaded.settings;
    let mut problems = tool_settings::of(settings)?.problems();
    #[cfg(unix)]
    problems.extend(Startup::of(settings, host::locations(cwd).home.as_deref()).problems);
    let rules: Arc<pegboard::permissions::Engine> = Arc::clone(&loaded.engine);
    let ctx = ToolContext::new(host::context(settings, cwd, "check", None));
    problems.extend(tools_std::IgnorePolicy::new(cwd, rules).problems(&ctx));
    Ok(problems)
}

/// Follows the settings files while calls run.
fn watch(
    loaded: &Loaded,
    common: &CommonArgs,
    cwd: &Path,
    printer: Printer,
) -> Result<Option<Watcher>, Fault> {
    let say = move |problems: &[String]| {
        for problem in problems {
            printer.error(problem);
        }
        printer.note("settings were loaded again");
    };
    Ok(match loaded.watch(host::request(common, cwd)?, say) {
        Ok(watcher) => Some(watcher),
        Err(error) => {
            printer.note(&chain(&error));
            None
        }
    })
}

/// Lets this program, started again, end what commands leave when this process is killed.
pub(crate) fn supervise() {
    if cfg!(target_os = "linux") {
        pegboard::process::supervisor::supervise_with("/proc/self/exe");
    }
}

/// What a session keeps.
struct Session {
    folder: PathBuf,
    results: Arc<dyn ResultStore>,
    journal: Arc<dyn Journal>,
    history: Arc<dyn FileHistory>,
}

impl Session {
    /// The session that was named, or a new one in the state folder.
    fn open(args: &TurnArgs, cwd: &Path, id: &str, settings: &Settings) -> Result<Self, Fault> {
        let fault = |error: &(dyn std::error::Error + 'static)| Fault::usage(chain(error));
        let durability = match settings.value("session.durability") {
            None => Durability::default(),
            Some(value) => value.as_str().and_then(Durability::named).ok_or_else(|| {
                Fault::usage(format!(
                    "`session.durability` is {value}; use \"process\", \"power\" or \"none\""
                ))
            })?,
        };
        let sessions = host::locations(cwd).state_directory.join("sessions");
        let folder = match &args.session_dir {
            Some(folder) => cwd.join(folder),
            None => {
                sweep(&sessions, BackupLimits::default().max_age, SystemTime::now());
                sessions.join(id)
            }
        };
        let session = SessionDir::create(&folder).map_err(|error| fault(&error))?;
        session.describe(cwd, SystemTime::now()).map_err(|error| {
            Fault::usage(format!(
                "the session folder `{}` cannot be written ({error}); free space or name another",
                folder.display()
            ))
        })?;
        if args.session_dir.is_some() {
            // So that `undo` finds it; where that cannot be written, it has to be named.
            let _ = SessionDir::create(sessions.join(id))
                .map(|place| place.point_to(session.path(), cwd, SystemTime::now()));
        }
        let journal = FileJournal::open(session.path(), durability).map_err(|error| fault(&error))?;
        let history =
            FileBackups::open(session.path(), BackupLimits::default()).map_err(|error| fault(&error))?;
        Ok(Self {
            folder: session.path().to_path_buf(),
            results: Arc::new(session.results()),
            journal: Arc::new(journal),
            history: Arc::new(history),
        })
    }
}

/// The layers that follow `settings`. Our own settings and state are protected paths.
pub(crate) fn load(settings: Settings, cwd: &Path, home: Option<PathBuf>) -> Result<Loaded, Fault> {
    let locations = host::locations(cwd);
    let mut protected = vec![locations.state_directory.clone()];
    protected.extend(locations.user_file.iter().filter_map(|file| file.parent()).map(Path::to_path_buf));
    protected.extend(locations.policy_file.parent().map(Path::to_path_buf));
    #[cfg(unix)]
    protected.extend(home.as_deref().map(crate::shell_startup::captures));
    #[cfg(unix)]
    let shell = Startup::of(&settings, home.as_deref()).facts();
    #[cfg(not(unix))]
    let shell = pegboard::ShellFacts::default();
    Loaded::for_shell(settings, analyzer(), home, protected, shell)
        .map_err(|error| Fault::usage(chain(&error)))
}

/// What tells command lines apart, for rules, tools and reports alike.
pub(crate) fn analyzer() -> Arc<dyn CommandAnalyzer> {
    Arc::new(ShellAnalyzer::new())
}

/// The standard tools, for whoever runs none of them.
pub(crate) fn std_tools(loaded: &Loaded, project: &Path) -> Result<Vec<Arc<dyn DynTool>>, Fault> {
    tools_with(loaded, project, None)
}

/// The standard tools, with the services that they need.
fn tools_with(
    loaded: &Loaded,
    project: &Path,
    history: Option<Arc<dyn FileHistory>>,
) -> Result<Vec<Arc<dyn DynTool>>, Fault> {
    let rules: Arc<pegboard::permissions::Engine> = Arc::clone(&loaded.engine);
    // What `.pegboardignore` and `.clineignore` name is closed, whatever the rules say.
    let policy = Arc::new(tools_std::IgnorePolicy::new(project, rules));
    let mut services = tools_std::Services::new()
        .with_access_policy(policy)
        .with_analyzer(analyzer())
        .with_settings(tool_settings::of(&loaded.settings)?);
    services.history = history;
    #[cfg(unix)]
    {
        let home = host::locations(project).home;
        services = services.with_shell(Startup::of(&loaded.settings, home.as_deref()).shell);
    }
    tools_std::all(&services).map_err(|error| Fault::failed(chain(&error)))
}

fn assembled(
    common: &CommonArgs,
    loaded: &Loaded,
    project: &Path,
    history: Option<Arc<dyn FileHistory>>,
) -> Result<Assembled, Fault> {
    let env = host::tool_env(common, &loaded.settings);
    let mut catalog = tools_with(loaded, project, history)?
        .into_iter()
        .fold(Catalog::new(), |catalog, tool| catalog.with(Entry::of(tool)));
    let not_a_name = |error: ToolNameError| Fault::failed(chain(&error));
    for set in tool_settings::offered_names(&loaded.settings)? {
        catalog = offer(catalog, set).map_err(not_a_name)?;
    }
    let base = catalog.base_tools(&env, &Services::new(), 0);
    let denied = |definition: &ToolDefinition| {
        loaded.engine.denied_tool(definition.name.as_str(), &definition.origin).map(|rule| rule.to_string())
    };
    // Whether they are offered or not, calls under other agents' names are understood.
    let tools = accept(base.tools, CLINE).and_then(|tools| accept(tools, SNAKE_CASE)).map_err(not_a_name)?;
    let builtin = available(tools, &env, &denied);
    let mcp = available(base.mcp, &env, &denied);
    let mut assembled = assemble(builtin.tools, mcp.tools, &SchemaValidator::new());
    let earlier = [base.dropped, builtin.dropped, mcp.dropped].into_iter().flatten();
    assembled.dropped.extend(earlier);
    Ok(assembled)
}

/// The pool of these settings.
pub(crate) fn pool(common: &CommonArgs, settings: Settings, cwd: &Path) -> Result<ToolPool, Fault> {
    let loaded = load(settings, cwd, host::locations(cwd).home)?;
    Ok(assembled(common, &loaded, cwd, None)?.pool)
}

/// A tool of the catalog: offered, or absent for a reason.
pub(crate) struct ToolEntry {
    pub(crate) definition: ToolDefinition,
    pub(crate) reason: Option<String>,
}

impl ToolEntry {
    /// Whether `name` is its name or an alias.
    pub(crate) fn answers_to(&self, name: &str) -> bool {
        self.definition.name.as_str() == name
            || self.definition.aliases.iter().any(|alias| alias.as_str() == name)
    }

    /// Name and state.
    pub(crate) fn brief(&self) -> Value {
        json!({
            "name": self.definition.name,
            "concurrency": self.definition.concurrency,
            "effects": self.definition.effects,
            "status": if self.reason.is_none() { "available" } else { "absent" },
            "reason": self.reason,
        })
    }

    /// Everything that is known of it.
    pub(crate) fn full(&self) -> Value {
        let mut entry = self.brief();
        entry["aliases"] = json!(self.definition.aliases);
        entry["description"] = json!(self.definition.description);
        entry["input_schema"] = (*self.definition.input_schema).clone();
        entry
    }
}

/// All tools of the catalog, sorted by name.
pub(crate) fn tools(common: &CommonArgs, settings: Settings, cwd: &Path) -> Result<Vec<ToolEntry>, Fault> {
    let loaded = load(settings, cwd, host::locations(cwd).home)?;
    let Assembled { pool, dropped, .. } = assembled(common, &loaded, cwd, None)?;
    let offered =
        pool.entries().map(|entry| ToolEntry { definition: entry.definition().clone(), reason: None });
    let mut entries: Vec<ToolEntry> = offered.collect();
    let made = std_tools(&loaded, cwd)?;
    for Dropped { name, reason, .. } in dropped {
        // An alias that leads elsewhere is no tool of its own.
        let Some(tool) = made.iter().find(|tool| tool.definition().name.as_str() == name) else { continue };
        entries.push(ToolEntry { definition: tool.definition().clone(), reason: Some(reason.to_string()) });
    }
    entries.sort_by(|a, b| a.definition.name.cmp(&b.definition.name));
    Ok(entries)
}
