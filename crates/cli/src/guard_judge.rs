//! Judges the calls of another agent by the rules that hold where it works. Nothing runs, nobody is asked, nothing is printed.

use crate::exit::{Fault, chain};
use crate::guard_bad_rules::{bad_rules, check_arguments};
use crate::guard_own_names::own_decisions;
use crate::{host, stack};
use pegboard::guard::{Call, Look, Request};
use pegboard::permissions::Engine;
use pegboard::ports::{Decision, DecisionStep, GateCall, PermissionGate, Verdict};
use pegboard::settings::{BrokenFiles, Compat, FlagSettings, LoadRequest, SettingSources, Settings, load};
use pegboard::{Accesses, ContextSnapshot, DynTool, Effects, RuleText, ToolContext, ToolDefinition};
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Folders whose settings are a project's.
const SETTINGS_FOLDERS: [&str; 2] = [".pegboard", ".claude"];
/// Most folders above the working directory that are looked at.
const MOST_FOLDERS: usize = 64;

/// What the arguments say about rules.
pub(crate) struct Rules<'a> {
    pub(crate) settings: &'a [OsString],
    pub(crate) setting_sources: Option<&'a str>,
    pub(crate) add_dir: &'a [PathBuf],
    pub(crate) allow: &'a [String],
    pub(crate) ask: Vec<String>,
    pub(crate) deny: &'a [String],
    pub(crate) reads_claude: bool,
    pub(crate) is_lenient: bool,
}

/// A decision for each call of the request under each set of rules that holds, and one for each doubt that matters.
pub(crate) fn judge(request: &Request, rules: &Rules<'_>) -> Result<Vec<Decision>, Fault> {
    check_arguments(rules)?;
    let cwd = canonical(&request.cwd);
    let mut decisions = Vec::new();
    for project in projects(&cwd, host::locations(&cwd).home.as_deref()) {
        let settings = load(&asked_for(rules, &project)?).map_err(|error| Fault::usage(chain(&error)))?;
        decisions.extend(Judge::new(settings, &project, request)?.decisions(request, &cwd)?);
    }
    Ok(decisions)
}

/// The folders whose settings hold in `cwd`: every one from it up to the root of its repository that has some. An agent
/// that went into a folder of the project does not leave the project's rules behind. Outside a repository the way ends
/// below the home directory. Without any it is `cwd` itself.
fn projects(cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let mut projects = Vec::new();
    for folder in cwd.ancestors().take(MOST_FOLDERS) {
        let is_above = folder != cwd && (Some(folder) == home || folder.parent().is_none());
        if is_above {
            break;
        }
        if SETTINGS_FOLDERS.iter().any(|name| folder.join(name).is_dir()) {
            projects.push(folder.to_path_buf());
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    if projects.is_empty() {
        projects.push(cwd.to_path_buf());
    }
    projects
}

/// Where `path` leads when it exists, else as it is.
fn canonical(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

fn asked_for(rules: &Rules<'_>, project: &Path) -> Result<LoadRequest, Fault> {
    let mut request = LoadRequest::new(host::locations(project));
    if let Some(list) = rules.setting_sources {
        request.sources = list.parse::<SettingSources>().map_err(|error| Fault::usage(chain(&error)))?;
    }
    request.flags = rules.settings.iter().map(|argument| FlagSettings::from_argument(argument)).collect();
    request.command_line.allow = rules.allow.to_vec();
    request.command_line.ask.clone_from(&rules.ask);
    request.command_line.deny = rules.deny.to_vec();
    request.command_line.directories = rules.add_dir.to_vec();
    if rules.reads_claude {
        request.compat = Compat::Claude;
    }
    if rules.is_lenient {
        request.broken_files = BrokenFiles::Skip;
    }
    Ok(request)
}

/// The rules of one project.
struct Judge {
    engine: Arc<Engine>,
    tools: Vec<Arc<dyn DynTool>>,
    context: ContextSnapshot,
    rules: Vec<RuleText>,
    /// An ask for what of the settings should hold calls back and cannot.
    bad_rules: Option<Decision>,
}

impl Judge {
    fn new(settings: Settings, project: &Path, request: &Request) -> Result<Self, Fault> {
        let mut context = (*host::context(&settings, project, "guard", None)).clone();
        context.mode = request.mode;
        let home = context.home.clone();
        let is_policy_only = settings.only_policy_rules.is_some();
        let in_force = |rule: &&RuleText| !is_policy_only || rule.stays_under_policy_only();
        let rules: Vec<RuleText> = settings.rules.iter().filter(in_force).cloned().collect();
        let bad_rules = bad_rules(&settings, &rules, home.as_deref());
        let loaded = stack::load(settings, project, home)?;
        let tools = stack::std_tools(&loaded, project)?;
        Ok(Self { engine: loaded.engine, tools, context, rules, bad_rules })
    }

    fn decisions(&self, request: &Request, cwd: &Path) -> Result<Vec<Decision>, Fault> {
        // Nothing in a decision waits for anything but files.
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime =
            runtime.map_err(|error| Fault::failed(format!("the runtime did not start: {error}")))?;
        let mut decisions = Vec::with_capacity(request.calls.len());
        for call in &request.calls {
            let decision = runtime.block_on(self.decide(call))?;
            // A tool that asks a person itself is not to be asked about.
            let asks_anyway = call.tool == "AskUserQuestion" && decision.rule.is_none();
            decisions.push(if asks_anyway { unruled() } else { decision });
        }
        decisions.extend(own_decisions(request, &self.rules, &self.context)?);
        decisions.extend(self.bad_rules.clone());
        let folders = [cwd, &self.context.project_dir];
        let is_missing = |path: &Path| path.symlink_metadata().is_err();
        let look = Look::new(&self.rules, &folders, self.context.home.as_deref(), is_missing);
        let doubts = request.doubts.iter().filter(|doubt| doubt.holds(&look));
        let ask = |reason: &str| Decision::new(Verdict::Ask, DecisionStep::Tool, reason.to_owned());
        decisions.extend(doubts.map(|doubt| ask(&doubt.reason)));
        Ok(decisions)
    }

    async fn decide(&self, call: &Call) -> Result<Decision, Fault> {
        let mut context = self.context.clone();
        context.cwd = canonical(&call.cwd);
        let ctx = ToolContext::new(Arc::new(context));
        let ours = self.tools.iter().find(|tool| tool.definition().name.as_str() == call.tool);
        let Some(tool) = ours else {
            let definition = definition(call)?;
            let gate_call =
                GateCall::new(&definition, &call.input, Effects::Destructive, &Accesses::Everything, &ctx);
            return Ok(self.engine.decide(&gate_call).await);
        };
        let definition = tool.definition();
        // The host's tool has fields that ours does not have; rules still see them.
        let Ok(invocation) = tool.prepare(Arc::new(known_fields(definition, &call.input)), &ctx) else {
            let gate_call =
                GateCall::new(definition, &call.input, Effects::Destructive, &Accesses::Everything, &ctx);
            return Ok(self.engine.decide(&gate_call).await);
        };
        let check = invocation.check_permissions().await;
        let input = with_other_fields(invocation.view(), &call.input);
        let gate_call = GateCall::new(definition, &input, invocation.effects(), invocation.accesses(), &ctx);
        Ok(self.engine.decide(&gate_call.with_check(&check)).await)
    }
}

/// What nothing speaks about.
fn unruled() -> Decision {
    Decision::new(Verdict::Ask, DecisionStep::Default, "no rule speaks about it")
}

/// What is known of a tool that is not ours.
fn definition(call: &Call) -> Result<ToolDefinition, Fault> {
    let definition = ToolDefinition::new(&call.tool, "", json!({"type": "object"}))
        .and_then(|definition| definition.with_aliases(call.aliases));
    let mut definition = definition.map_err(|error| Fault::usage(chain(&error)))?;
    definition.origin = call.origin.clone();
    Ok(definition)
}

fn known_fields(definition: &ToolDefinition, input: &Value) -> Value {
    let known = definition.input_schema.get("properties").and_then(Value::as_object);
    let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
    let fields = input.as_object().into_iter().flatten().filter(|(name, _)| is_known(name));
    Value::Object(fields.map(|(name, value)| (name.clone(), value.clone())).collect())
}

fn with_other_fields(view: &Value, input: &Value) -> Value {
    let mut fields: Map<String, Value> = view.as_object().cloned().unwrap_or_default();
    for (name, value) in input.as_object().into_iter().flatten() {
        if !fields.contains_key(name) {
            fields.insert(name.clone(), value.clone());
        }
    }
    Value::Object(fields)
}
