//! Single rules for hooks' `if`, skills and agents.

use crate::config::EngineConfig;
use crate::engine::Engine;
use crate::judge::judge;
use crate::problem::Outcome;
use crate::rule_set::RuleSet;
use pegboard_tool_core::ports::{CompiledRule, GateCall, RuleCompiler, RuleError};
use pegboard_tool_core::{Origin, RuleEffect, RuleText, SettingSource};
use std::sync::Arc;

#[derive(Debug)]
struct OneRule {
    rule: Arc<str>,
    config: EngineConfig,
}

impl RuleCompiler for Engine {
    fn compile(&self, rule: &str) -> Result<Arc<dyn CompiledRule>, RuleError> {
        let compiled = OneRule { rule: rule.into(), config: self.config.clone() };
        let (_, problem) = compiled.rules(std::path::Path::new("/"));
        match problem {
            None => Ok(Arc::new(compiled)),
            Some(problem) => Err(RuleError::new(rule, problem)),
        }
    }
}

impl OneRule {
    /// An ask rule is what leans towards a match. `/` starts at the project's folder.
    fn rules(&self, anchor: &std::path::Path) -> (RuleSet, Option<String>) {
        let origin = Origin::of(SettingSource::Session);
        let text = RuleText::new(RuleEffect::Ask, Arc::clone(&self.rule), origin, anchor);
        let (rules, problems) = RuleSet::new(vec![text], &self.config.order, self.config.home.as_deref());
        let bad = problems.into_iter().find(|problem| problem.outcome == Outcome::Skipped);
        (rules, bad.map(|problem| problem.message))
    }
}

impl CompiledRule for OneRule {
    fn could_match(&self, call: &GateCall<'_>) -> bool {
        let (rules, problem) = self.rules(&call.ctx.project_dir);
        problem.is_some() || judge(call, &rules, &self.config).ask.is_some()
    }
}
