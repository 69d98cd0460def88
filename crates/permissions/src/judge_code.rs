//! What holds back code for an interpreter and keys for a terminal. Nobody can tell what they run, so rules that name
//! commands or paths of Bash hold them as they hold a line that is opaque: whoever forbids `rm` must not find it run
//! by another tool.

use crate::config::EngineConfig;
use crate::findings::Findings;
use crate::judge::Ground;
use crate::judge_shell::{Reading, Shell};
use crate::rule_set::RuleSet;
use pegboard_tool_core::ToolOrigin;
use pegboard_tool_core::ports::{CommandReport, GateCall};
use serde_json::Value;

/// Tools whose inputs are code, and the fields that hold it.
const CODE: [(&str, &[&str]); 2] = [("Repl", &["code"]), ("Tungsten", &["command", "text", "keys"])];

/// Finds out what holds back the code of `call`, if it has any.
pub(crate) fn hold_code(
    call: &GateCall<'_>,
    rules: &RuleSet,
    config: &EngineConfig,
    findings: &mut Findings,
) {
    if call.tool.origin != ToolOrigin::BuiltIn {
        return;
    }
    let Some((_, fields)) = CODE.iter().find(|(tool, _)| *tool == call.tool.name.as_str()) else { return };
    let shell = Shell { call, name: "Bash", rules, config, ground: Ground::new(call.ctx) };
    for text in fields.iter().filter_map(|field| call.input.get(*field).and_then(Value::as_str)) {
        let nothing_told = CommandReport::default();
        shell.hold_code(&Reading::new(text, &nothing_told, &shell), findings);
    }
}
