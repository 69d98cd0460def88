//! Where "always allow" is kept: the local settings file of the loaded project.

use async_trait::async_trait;
use pegboard_permissions::RuleKeeper;
use pegboard_settings::Settings;
use pegboard_tool_core::ports::RememberError;
use pegboard_tool_core::{RuleEffect, SettingSource};
use std::error::Error;
use std::sync::Arc;

/// Appends rules to the local settings file.
#[derive(Clone, Debug)]
pub(crate) struct LocalFile {
    settings: Arc<Settings>,
}

impl LocalFile {
    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        Self { settings }
    }
}

#[async_trait]
impl RuleKeeper for LocalFile {
    async fn keep(&self, rules: &[String]) -> Result<(), RememberError> {
        self.keep_as(RuleEffect::Allow, rules).await
    }

    async fn keep_as(&self, effect: RuleEffect, rules: &[String]) -> Result<(), RememberError> {
        for rule in rules {
            self.settings.append_rule(SettingSource::Local, effect, rule).map_err(|error| {
                let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
                RememberError::new(format!("{error}{cause}"))
            })?;
        }
        Ok(())
    }
}
