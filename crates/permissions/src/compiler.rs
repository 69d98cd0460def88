//! Single rules for hooks' `if`, skills and agents.

use crate::config::EngineConfig;
use crate::engine::Engine;
use crate::judge::judge;
use crate::problem::Outcome;
use crate::rule_set::RuleSet;
use arc_swap::ArcSwapOption;
use pegboard_tool_core::ports::{CompiledRule, GateCall, RuleCompiler, RuleError};
use pegboard_tool_core::{Origin, RuleEffect, RuleText, SettingSource};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug)]
struct OneRule {
    rule: Arc<str>,
    config: EngineConfig,
    /// Compiled for the project folder that was asked about last: `/` starts there.
    compiled: ArcSwapOption<(PathBuf, Option<RuleSet>)>,
}

impl RuleCompiler for Engine {
    fn compile(&self, rule: &str) -> Result<Arc<dyn CompiledRule>, RuleError> {
        let mut config = EngineConfig::clone(&self.config());
        config.rules = Vec::new();
        let one = OneRule { rule: rule.into(), config, compiled: ArcSwapOption::empty() };
        match one.rules(Path::new("/")) {
            Ok(_) => Ok(Arc::new(one)),
            Err(problem) => Err(RuleError::new(rule, problem)),
        }
    }
}

impl OneRule {
    /// An ask rule is what leans towards a match. `/` starts at the project's folder.
    fn rules(&self, anchor: &Path) -> Result<RuleSet, String> {
        let origin = Origin::of(SettingSource::Session);
        let text = RuleText::new(RuleEffect::Ask, Arc::clone(&self.rule), origin, anchor);
        let (rules, problems) = RuleSet::new(vec![text], &self.config);
        match problems.into_iter().find(|problem| problem.outcome == Outcome::Skipped) {
            Some(problem) => Err(problem.message),
            None => Ok(rules),
        }
    }

    fn compiled_for(&self, anchor: &Path) -> Arc<(PathBuf, Option<RuleSet>)> {
        if let Some(compiled) = self.compiled.load_full().filter(|compiled| compiled.0 == anchor) {
            return compiled;
        }
        let compiled = Arc::new((anchor.to_path_buf(), self.rules(anchor).ok()));
        self.compiled.store(Some(Arc::clone(&compiled)));
        compiled
    }
}

impl CompiledRule for OneRule {
    fn could_match(&self, call: &GateCall<'_>) -> bool {
        let compiled = self.compiled_for(&call.ctx.project_dir);
        // A rule that cannot be read could mean anything.
        compiled.1.as_ref().is_none_or(|rules| judge(call, rules, &self.config).ask.is_some())
    }
}
