//! Single paths and hosts, for what a tool finds while it runs; nobody is asked here.

use crate::engine::Engine;
use crate::findings::Findings;
use crate::host_pattern::{normal_host, possible_host};
use crate::judge::{Ground, guard_path, hold_path, is_session_result, permits};
use crate::paths::JudgedPath;
use pegboard_tool_core::ports::{AccessPolicy, Verdict};
use pegboard_tool_core::{AccessMode, PermissionMode, RuleEffect, ToolContext};
use std::path::Path;

impl Engine {
    /// May this absolute path be touched? `Ask` means: not without a person.
    pub fn file_access(&self, path: &Path, mode: AccessMode, ctx: &ToolContext) -> Verdict {
        let (rules, config) = (self.rules(), self.config());
        let ground = Ground::new(ctx);
        let path = JudgedPath::new(ctx.absolute(path), mode, false, ctx);
        let mut findings = Findings::default();
        hold_path(&path, &rules, &ground, &mut findings);
        if mode == AccessMode::Write {
            guard_path(&path, ctx, &config, &ground, &mut findings);
        }
        let by_mode = match (ctx.mode, mode) {
            (PermissionMode::BypassPermissions, _) => true,
            (_, AccessMode::Read) => path.is_inside || is_session_result(&path, ctx),
            (PermissionMode::AcceptEdits | PermissionMode::Auto, AccessMode::Write) => path.is_inside,
            (PermissionMode::Default | PermissionMode::Plan | PermissionMode::DontAsk, AccessMode::Write) => {
                false
            }
        };
        let is_planned_write = ctx.mode == PermissionMode::Plan && mode == AccessMode::Write;
        let is_allowed = by_mode || !is_planned_write && permits(&path, &rules, &ground).is_some();
        let reads_outside = mode == AccessMode::Read && !path.is_inside && !is_session_result(&path, ctx);
        let is_blocked = config.asks_before_reads_outside && reads_outside;
        let is_held =
            is_blocked || findings.ask.is_some() || findings.safety.is_some() || path.canonical.is_none();
        settle(findings.deny.is_some(), is_held, is_allowed, ctx.mode)
    }
}

impl AccessPolicy for Engine {
    fn path(&self, path: &Path, mode: AccessMode, ctx: &ToolContext) -> Verdict {
        self.file_access(path, mode, ctx)
    }

    fn host(&self, host: &str, ctx: &ToolContext) -> Verdict {
        let rules = self.rules();
        let spellings = possible_host(host);
        let host = normal_host(host).filter(|host| !host.contains('*'));
        let named = |effect| match effect {
            RuleEffect::Allow => host.as_deref().is_some_and(|host| rules.of(effect).host(host).is_some()),
            RuleEffect::Ask | RuleEffect::Deny => {
                spellings.iter().any(|host| rules.of(effect).host(host).is_some())
            }
        };
        let whole = |effect| {
            rules.of(effect).whole_name("WebFetch", &pegboard_tool_core::ToolOrigin::BuiltIn).is_some()
        };
        let matches = |effect| named(effect) || whole(effect);
        let by_mode = ctx.mode == PermissionMode::BypassPermissions;
        let is_allowed = host.is_some() && (by_mode || matches(RuleEffect::Allow));
        settle(matches(RuleEffect::Deny), matches(RuleEffect::Ask), is_allowed, ctx.mode)
    }
}

fn settle(is_denied: bool, is_held: bool, is_allowed: bool, mode: PermissionMode) -> Verdict {
    if is_denied {
        Verdict::Deny
    } else if !is_held && is_allowed {
        Verdict::Allow
    } else if mode == PermissionMode::DontAsk {
        Verdict::Deny
    } else {
        Verdict::Ask
    }
}
