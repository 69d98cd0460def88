//! What stands under `tools` in the settings: values for the tools themselves, and other names for them.

use crate::exit::{Fault, one_line};
use pegboard::registry::aliases::{AliasSpec, CLINE, SNAKE_CASE};
use pegboard::settings::Settings;
use pegboard::tools_std::settings::ToolSettings;
use serde_json::Value;

/// The values for the tools.
pub(crate) fn of(settings: &Settings) -> Result<ToolSettings, Fault> {
    let Some(value) = settings.value("tools") else { return Ok(ToolSettings::default()) };
    serde_path_to_error::deserialize(value.clone()).map_err(|error| {
        let path = error.path().to_string();
        Fault::usage(format!("the setting `tools.{}` is wrong: {}", one_line(&path), one_line(error.inner())))
    })
}

/// The sets of names that the model is offered beside the tools' own: `tools.names`, a list of `cline` and
/// `snake_case`.
pub(crate) fn offered_names(settings: &Settings) -> Result<Vec<&'static [AliasSpec]>, Fault> {
    let wrong = |value: &Value| {
        Fault::usage(format!(
            "the setting `tools.names` has {}; it is a list of \"cline\" and \"snake_case\"",
            one_line(value)
        ))
    };
    match settings.value("tools.names") {
        None => Ok(Vec::new()),
        Some(Value::Array(names)) => names
            .iter()
            .map(|name| match name.as_str() {
                Some("cline") => Ok(CLINE),
                Some("snake_case") => Ok(SNAKE_CASE),
                _ => Err(wrong(name)),
            })
            .collect(),
        Some(value) => Err(wrong(value)),
    }
}
