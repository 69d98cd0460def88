//! Names of tools that rules may be about: documented ones, our own, and what older settings call them.

use std::collections::BTreeSet;

/// Tools of the public documentation and of this project, sorted.
const KNOWN: &[&str] = &[
    "Agent",
    "Artifact",
    "AskUserQuestion",
    "Bash",
    "Brief",
    "Cd",
    "Config",
    "CronCreate",
    "CronDelete",
    "CronList",
    "CtxInspect",
    "Edit",
    "EndConversation",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "LSP",
    "ListAgents",
    "ListMcpResourcesTool",
    "Monitor",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "OverflowTest",
    "PowerShell",
    "Projects",
    "PushNotification",
    "REPL",
    "Read",
    "ReadMcpResourceDirTool",
    "ReadMcpResourceTool",
    "RefreshMcpTools",
    "RemoteTrigger",
    "Repl",
    "ReportFindings",
    "ScheduleWakeup",
    "SendMessage",
    "SendUserFile",
    "ShareOnboardingGuide",
    "ShowOnboardingRolePicker",
    "Skill",
    "Sleep",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TerminalCapture",
    "TestingPermission",
    "TodoWrite",
    "ToolSearch",
    "Tungsten",
    "WaitForMcpServers",
    "WebBrowser",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "Write",
];

/// Names of older settings, and what the tool is called now.
const HISTORIC: &[(&str, &str)] = &[
    ("AgentOutputTool", "TaskOutput"),
    ("BashOutput", "TaskOutput"),
    ("KillShell", "TaskStop"),
    ("LS", "Read"),
    ("LSTool", "Read"),
    ("MCPSearch", "ToolSearch"),
    ("MultiEdit", "Edit"),
    ("View", "Read"),
];

/// The names of all of them.
pub(crate) fn names<'a>() -> impl Iterator<Item = &'a str> {
    KNOWN.iter().copied()
}

/// What a tool is called now that older settings call `name`.
pub(crate) fn present_name(name: &str) -> Option<&'static str> {
    HISTORIC.iter().find(|(old, _)| *old == name).map(|(_, new)| *new)
}

/// Why a rule on `name` is probably a slip of the pen. `more` are tools of this program beside the standard ones.
pub(crate) fn doubt(name: &str, more: &BTreeSet<String>) -> Option<String> {
    if name.contains(['_', '*']) || KNOWN.binary_search(&name).is_ok() || more.contains(name) {
        return None;
    }
    let is_near = |known: &&&str| {
        known.eq_ignore_ascii_case(name)
            || known.trim_end_matches("Tool").eq_ignore_ascii_case(name.trim_end_matches('s'))
            || is_one_letter_off(known, name)
    };
    Some(match KNOWN.iter().find(is_near) {
        Some(known) => format!("there is no tool `{name}`; perhaps `{known}` is meant"),
        None => format!("there is no tool `{name}`"),
    })
}

/// Whether two names differ by one letter more, less or other, or by two that changed places.
fn is_one_letter_off(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let start = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (one, other) = (one.get(start..).unwrap_or_default(), other.get(start..).unwrap_or_default());
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[..one.len() - end], &other[..other.len() - end]);
    match (one, other) {
        ([a, b], [c, d]) => a == d && b == c,
        _ => one.len() <= 1 && other.len() <= 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(KNOWN.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn a_slip_of_the_pen_is_seen() {
        let doubt = |name| doubt(name, &BTreeSet::from(["Deploy".to_owned()]));
        for name in ["Bash", "Deploy", "mcp__a", "my_tool", "*"] {
            assert_eq!(doubt(name), None, "{name}");
        }
        for (name, meant) in [("Bahs", "Bash"), ("Bsh", "Bash"), ("Reads", "Read"), ("WEBFETCH", "WebFetch")]
        {
            assert!(doubt(name).is_some_and(|text| text.contains(meant)), "{name}");
        }
        assert_eq!(doubt("Nonsense").as_deref(), Some("there is no tool `Nonsense`"));
    }
}
