//! `Cd(...)`: where a person may move a session to. No tool of a model is judged by it.

use crate::engine::Engine;
use crate::judge::Ground;
use crate::path_index::{Heres, each_base};
use crate::path_pattern::PathPattern;
use crate::paths::{JudgedPath, Names};
use pegboard_tool_core::ports::Verdict;
use pegboard_tool_core::{AccessMode, RuleEffect, ToolContext, ToolOrigin};
use std::path::Path;

impl Engine {
    /// May the session move to this folder, as a person asks for it? Any allow rule makes a list of what is allowed;
    /// patterns name whole paths. Without rules it may.
    #[must_use]
    pub fn folder_change(&self, folder: &Path, ctx: &ToolContext) -> Verdict {
        let rules = self.rules();
        let ground = Ground::new(ctx);
        let path = JudgedPath::new(ctx.absolute(folder), AccessMode::Read, true, ctx);
        let is_whole = |effect| rules.of(effect).whole_name("Cd", &ToolOrigin::BuiltIn).is_some();
        let forbids = |effect| {
            is_whole(effect)
                || rules.of(effect).moves.iter().any(|(_, pattern)| {
                    path.all_names().any(|names| fits_folded(pattern, &ground.forbidding(), names))
                })
        };
        if forbids(RuleEffect::Deny) {
            return Verdict::Deny;
        }
        if forbids(RuleEffect::Ask) || path.canonical.is_none() {
            return Verdict::Ask;
        }
        let allow = &rules.of(RuleEffect::Allow).moves;
        if allow.is_empty() || is_whole(RuleEffect::Allow) {
            return Verdict::Allow;
        }
        let heres = ground.permitting();
        let permits = |names: &Names| allow.iter().any(|(_, pattern)| fits(pattern, &heres, names));
        let leads_too = path.as_led.is_empty() || path.as_led.iter().any(&permits);
        if permits(&path.as_named) && leads_too { Verdict::Allow } else { Verdict::Deny }
    }
}

fn fits(pattern: &PathPattern, heres: &Heres<'_>, names: &Names) -> bool {
    each_base(pattern, heres, &names.exact, |here| &here.exact, |below| pattern.matches_whole(below))
}

fn fits_folded(pattern: &PathPattern, heres: &Heres<'_>, names: &Names) -> bool {
    each_base(pattern, heres, &names.folded, |here| &here.folded, |below| pattern.matches_whole(below))
}
