//! Where "always allow" is kept: the local settings file of the loaded project.

use arc_swap::ArcSwap;
use async_trait::async_trait;
use pegboard_permissions::RuleKeeper;
use pegboard_settings::Settings;
use pegboard_tool_core::ports::RememberError;
use pegboard_tool_core::{RuleEffect, SettingSource};
use std::error::Error;
use std::sync::Arc;

/// Appends rules to the local settings file. Which file that is, and whether it may be written, is a matter of the
/// settings as they are now.
#[derive(Debug)]
pub(crate) struct LocalFile {
    settings: ArcSwap<Settings>,
}

impl LocalFile {
    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        Self { settings: ArcSwap::new(settings) }
    }

    /// From now on these settings count.
    pub(crate) fn replace(&self, settings: Arc<Settings>) {
        self.settings.store(settings);
    }

    /// The settings as they are now.
    pub(crate) fn settings(&self) -> Arc<Settings> {
        self.settings.load_full()
    }
}

#[async_trait]
impl RuleKeeper for LocalFile {
    async fn keep(&self, rules: &[String]) -> Result<(), RememberError> {
        self.keep_as(RuleEffect::Allow, rules).await
    }

    async fn keep_as(&self, effect: RuleEffect, rules: &[String]) -> Result<(), RememberError> {
        let settings = self.settings();
        for rule in rules {
            settings.append_rule(SettingSource::Local, effect, rule).map_err(|error| {
                let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
                RememberError::new(format!("{error}{cause}"))
            })?;
        }
        Ok(())
    }
}
