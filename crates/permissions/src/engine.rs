//! The gate: rules behind a snapshot that readers never wait for.

use crate::config::{Bypass, EngineConfig, RuleScope, Switches};
use crate::decide::decide;
use crate::judge::judge;
use crate::offers;
use crate::problem::{Outcome, Problem};
use crate::refusals::Refusals;
use crate::rule_set::RuleSet;
use arc_swap::ArcSwap;
use async_trait::async_trait;
use pegboard_tool_core::ports::{Decision, GateCall, PermissionGate, RememberError, RuleOffer, Verdict};
use pegboard_tool_core::{
    AccessMode, ContextChange, ContextSnapshot, Origin, PermissionMode, RuleEffect, RuleText, SettingSource,
    ToolContext, ToolOrigin,
};
use std::sync::Arc;

/// Decides by rules, modes and safety checks. Cheap to share: hold it in an `Arc`.
#[derive(Debug)]
pub struct Engine {
    snapshot: ArcSwap<Snapshot>,
    refusals: Refusals,
}

/// The rules and switches of one moment.
#[derive(Debug)]
struct Snapshot {
    config: Arc<EngineConfig>,
    rules: Arc<RuleSet>,
    generation: u64,
}

impl Engine {
    /// Compiles the rules of `config`. A bad rule is a problem with its file and line; the rest holds.
    #[must_use]
    pub fn new(mut config: EngineConfig) -> (Self, Vec<Problem>) {
        let texts = in_scope(std::mem::take(&mut config.rules), config.scope);
        let (rules, problems) = RuleSet::new(texts, &config);
        let (config, rules) = (Arc::new(config), Arc::new(rules));
        let snapshot = ArcSwap::from_pointee(Snapshot { config, rules, generation: 0 });
        (Self { snapshot, refusals: Refusals::default() }, problems)
    }

    /// Puts other rules in force, as after an edit of a settings file. Gives what is wrong with them. What a person
    /// allowed for this session stands in no file and stays.
    pub fn replace_rules(&self, rules: Vec<RuleText>) -> Vec<Problem> {
        self.replace(rules, self.switches())
    }

    /// The same, and what settings switch on and off.
    pub fn replace(&self, rules: Vec<RuleText>, switches: Switches) -> Vec<Problem> {
        let texts = in_scope(rules, switches.scope);
        let mut problems = Vec::new();
        self.snapshot.rcu(|old| {
            let is_granted = |rule: &RuleText| rule.origin.source == SettingSource::Session;
            let granted =
                old.rules.texts().filter(|rule| is_granted(rule) && switches.scope == RuleScope::AllSources);
            let config = Arc::new(old.config.with_switches(switches));
            let (rules, found) = RuleSet::new(texts.iter().cloned().chain(granted).collect(), &config);
            problems = found;
            Snapshot { config, rules: Arc::new(rules), generation: old.generation + 1 }
        });
        problems
    }

    /// What is switched on and off now.
    #[must_use]
    pub fn switches(&self) -> Switches {
        self.snapshot.load().config.switches()
    }

    /// The deny rule that takes the whole tool away, for the pool: it is not offered to the model then.
    #[must_use]
    pub fn denied_tool(&self, name: &str, origin: &ToolOrigin) -> Option<Arc<RuleText>> {
        let rules = self.rules();
        rules.of(RuleEffect::Deny).whole_name(name, origin).and_then(|id| rules.rule(id).cloned())
    }

    /// Decides, without waiting: nothing in a decision waits but the file system.
    #[must_use]
    pub fn decide_now(&self, call: &GateCall<'_>) -> Decision {
        let now = self.snapshot.load();
        decide(call, judge(call, &now.rules, &now.config), now.config.bypass)
    }

    pub(crate) fn rules(&self) -> Arc<RuleSet> {
        Arc::clone(&self.snapshot.load().rules)
    }

    pub(crate) fn config(&self) -> Arc<EngineConfig> {
        Arc::clone(&self.snapshot.load().config)
    }

    /// Decides as if these allow rules were in force too.
    pub(crate) fn decide_with(&self, call: &GateCall<'_>, offered: &[String]) -> Option<Decision> {
        let now = self.snapshot.load();
        let rules = with_rules(&now, RuleEffect::Allow, offered, SettingSource::Session, call.ctx).ok()?;
        Some(decide(call, judge(call, &rules, &now.config), now.config.bypass))
    }
}

/// The rules of `old` with these allow rules in force too. Says what is wrong with one of them.
fn with_rules(
    old: &Snapshot,
    effect: RuleEffect,
    rules: &[String],
    source: SettingSource,
    ctx: &ContextSnapshot,
) -> Result<RuleSet, String> {
    let mut texts: Vec<RuleText> = old.rules.texts().collect();
    for rule in rules {
        let origin = Origin::of(source);
        let text = RuleText::new(effect, rule.as_str(), origin, ctx.project_dir.as_path());
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let (set, problems) = RuleSet::new(texts, &old.config);
    let is_new = |problem: &&Problem| {
        problem.outcome == Outcome::Skipped && rules.iter().any(|rule| **rule == *problem.rule.text)
    };
    problems.iter().find(is_new).map_or(Ok(set), |problem| Err(problem.message.clone()))
}

fn in_scope(mut rules: Vec<RuleText>, scope: RuleScope) -> Vec<RuleText> {
    if scope == RuleScope::PolicyOnly {
        rules.retain(RuleText::stays_under_policy_only);
    }
    rules
}

#[async_trait]
impl PermissionGate for Engine {
    async fn decide(&self, call: &GateCall<'_>) -> Decision {
        let decision = self.decide_now(call);
        if decision.verdict == Verdict::Allow {
            self.refusals.end_run();
        }
        decision
    }

    fn permits_change(&self, change: &ContextChange, ctx: &ToolContext) -> bool {
        match change {
            ContextChange::Mode(PermissionMode::BypassPermissions) => {
                self.config().bypass == Bypass::Available
            }
            ContextChange::Mode(PermissionMode::Auto) => !self.config().auto_is_off,
            ContextChange::Mode(_)
            | ContextChange::Cwd(_)
            | ContextChange::Env(_)
            | ContextChange::Extension { .. } => true,
            ContextChange::AddDirectory(path) => {
                self.file_access(path, AccessMode::Read, ctx) == Verdict::Allow
            }
            ContextChange::All(changes) => changes.iter().all(|change| self.permits_change(change, ctx)),
            _ => false,
        }
    }

    async fn offers(&self, call: &GateCall<'_>, decision: &Decision) -> Vec<RuleOffer> {
        if self.config().scope == RuleScope::PolicyOnly {
            return Vec::new();
        }
        offers::suggest(self, call, decision)
    }

    async fn remember(&self, offer: &RuleOffer, ctx: &ToolContext) -> Result<(), RememberError> {
        if self.config().scope == RuleScope::PolicyOnly {
            return Err(RememberError::new("the organisation's policy allows only its own rules"));
        }
        // What cannot be enforced is not kept either.
        let config = self.config();
        let (effect, session) = (offer.effect, SettingSource::Session);
        if let Err(problem) = with_rules(&self.snapshot.load(), effect, &offer.rules, session, ctx) {
            return Err(RememberError::new(problem));
        }
        // Kept first: what stands in a file ends when it is taken out of the file, the rest with the session.
        let (source, kept) = match (&config.keeper, offer.permanent) {
            (Some(keeper), true) => match keeper.keep_as(effect, &offer.rules).await {
                Ok(()) => (SettingSource::Local, Ok(())),
                Err(error) => (SettingSource::Session, Err(error)),
            },
            (None, true) => {
                let why = "it holds for this session; there is no settings file to keep it in";
                (SettingSource::Session, Err(RememberError::new(why)))
            }
            (_, false) => (SettingSource::Session, Ok(())),
        };
        let mut bad = None;
        self.snapshot.rcu(|old| match with_rules(old, effect, &offer.rules, source, ctx) {
            Ok(rules) => Arc::new(Snapshot {
                config: Arc::clone(&old.config),
                rules: Arc::new(rules),
                generation: old.generation + 1,
            }),
            Err(problem) => {
                bad = Some(problem);
                Arc::clone(old)
            }
        });
        match bad {
            Some(problem) => Err(RememberError::new(problem)),
            None => kept,
        }
    }

    async fn classify(&self, call: &GateCall<'_>) -> Option<bool> {
        let config = self.config();
        let classifier = config.classifier.as_ref()?;
        if self.refusals.is_exhausted() {
            return None;
        }
        let answer = classifier.classify(call).await;
        self.refusals.count(answer);
        answer
    }

    fn generation(&self) -> u64 {
        self.snapshot.load().generation
    }
}
