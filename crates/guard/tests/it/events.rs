//! What recorded events are read as.

use crate::data::rows;
use pegboard_guard::{Event, FaultKind, Gate, Host, MAX_EVENT_BYTES, read};
use pegboard_tool_core::PermissionMode;
use std::path::Path;

#[test]
fn recorded_events_are_the_calls_that_they_mean() {
    for row in rows() {
        let agent = row.args.iter().skip_while(|arg| *arg != "--agent").nth(1);
        let Ok(agent) = agent.map(|agent| agent.parse::<Host>()).transpose() else { continue };
        let event = read(row.event.as_bytes(), agent);
        match (row.calls, row.expect.as_str()) {
            (Some(calls), _) => {
                let Ok(Event::Gate(request)) = event else { panic!("{}: {event:?}", row.id) };
                let names: Vec<&str> = request.calls.iter().map(|call| call.tool.as_str()).collect();
                assert_eq!(names, calls, "{}", row.id);
                assert_eq!(request.cwd, Path::new("/w"));
            }
            (None, "nothing") => assert_eq!(event, Ok(Event::NoGate), "{}", row.id),
            // What is wrong there are the other arguments.
            (None, "fault") if row.args.iter().any(|arg| arg.starts_with("--") && arg != "--agent") => {}
            (None, "fault") => assert!(event.is_err(), "{}: {event:?}", row.id),
            (None, other) => panic!("{}: {other} without calls", row.id),
        }
    }
}

#[test]
fn a_fault_says_whose_event_it_was() {
    let fault = |event: &[u8], agent| read(event, agent).unwrap_err();
    assert_eq!(fault(b"x", None).asked, None);
    assert_eq!(fault(b"x", Some(Host::Codex)).asked, Some((Host::Codex, Gate::PreToolUse)));
    let request = br#"{"hook_event_name":"PermissionRequest","turn_id":"t","model":"m"}"#;
    assert_eq!(fault(request, None).asked, Some((Host::Codex, Gate::PermissionRequest)));
    let other = fault(request, Some(Host::Claude));
    assert_eq!(other.kind, FaultKind::OtherHost { named: Host::Claude, found: Host::Codex });
    assert_eq!(other.asked, Some((Host::Claude, Gate::PermissionRequest)));
}

#[test]
fn what_is_too_long_or_too_deep_is_refused() {
    let long = vec![b' '; MAX_EVENT_BYTES + 1];
    assert_eq!(read(&long, None).unwrap_err().kind, FaultKind::TooLong { limit: MAX_EVENT_BYTES });
    let start = r#"{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"X","tool_input":{"a":"#;
    for depth in [200, 1_000_000] {
        let deep = format!("{start}{}{}}}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(matches!(read(deep.as_bytes(), None).unwrap_err().kind, FaultKind::NotJson { .. }));
    }
    let not_utf8 = [start.as_bytes(), b"\"\xff\"}}"].concat();
    assert!(matches!(read(&not_utf8, None).unwrap_err().kind, FaultKind::NotJson { .. }));
    let marked = [b"\xef\xbb\xbf".as_slice(), start.as_bytes(), b"1}}"].concat();
    assert!(matches!(read(&marked, None), Ok(Event::Gate(_))));
}

#[test]
fn a_key_that_stands_twice_is_a_contradiction() {
    let event = |more: &str, input: &str| {
        let event = format!(
            r#"{{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Bash"{more},"tool_input":{input}}}"#
        );
        read(event.as_bytes(), None)
    };
    assert!(matches!(event("", r#"{"command":"ls"}"#), Ok(Event::Gate(_))));
    for (more, input, key) in [
        (r#","tool_name":"Read""#, r#"{"command":"ls"}"#, "tool_name"),
        (r#","tool_input":{"command":"rm x"}"#, r#"{"command":"ls"}"#, "tool_input"),
        ("", r#"{"command":"ls","command":"rm x"}"#, "command"),
        ("", r#"{"command":"ls","comm\u0061nd":"rm x"}"#, "command"),
        ("", r#"{"command":"ls","x":[{"a":1,"a":1}]}"#, "a"),
    ] {
        let kind = event(more, input).unwrap_err().kind;
        assert_eq!(kind, FaultKind::RepeatedKey { key: key.to_owned() }, "{more} {input}");
        assert!(kind.to_string().contains("contradicts itself"));
    }
}

#[test]
fn the_hosts_own_names_are_told() {
    let own = |event: &str| {
        let Ok(Event::Gate(request)) = read(event.as_bytes(), None) else { panic!("{event}") };
        request.own.names
    };
    let gemini = |tool: &str, more: &str, input: &str| {
        own(&format!(
            r#"{{"hook_event_name":"BeforeTool","cwd":"/w","tool_name":"{tool}"{more},"tool_input":{input}}}"#
        ))
    };
    assert_eq!(gemini("run_shell_command", "", r#"{"command":"ls"}"#), ["run_shell_command"]);
    assert_eq!(gemini("write_todos", "", "{}"), [""; 0]);
    let context = r#","mcp_context":{"server_name":"my fs","tool_name":"delete"}"#;
    assert_eq!(gemini("mcp_my_fs_delete", context, "{}"), ["mcp_my_fs_delete"]);
    assert_eq!(gemini("mcp_my.fs_delete", context, "{}"), ["mcp_my_fs_delete"]);
    assert_eq!(gemini("mcp_other", context, "{}"), ["mcp_other", "mcp_my_fs_delete"]);
    let claude = |tool: &str, input: &str| {
        own(&format!(
            r#"{{"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"{tool}","tool_input":{input}}}"#
        ))
    };
    assert_eq!(claude("Bash", r#"{"command":"ls"}"#), [""; 0]);
    assert_eq!(claude("Task", "{}"), [""; 0]);
    assert_eq!(claude("apply_patch", r#"{"command":"x"}"#), ["apply_patch"]);
}

#[test]
fn the_mode_is_the_events() {
    let of = |mode: &str| {
        let event = format!(
            r#"{{"hook_event_name":"PreToolUse","cwd":"/w/a/..","permission_mode":{mode},"tool_name":"X","tool_input":{{}}}}"#
        );
        let Ok(Event::Gate(request)) = read(event.as_bytes(), None) else { panic!("{mode}") };
        assert_eq!(request.cwd, Path::new("/w"));
        (request.mode, request.may_allow)
    };
    assert_eq!(of("\"plan\""), (PermissionMode::Plan, true));
    assert_eq!(of("\"later\""), (PermissionMode::Default, false));
    assert_eq!(of("null"), (PermissionMode::Default, true));
}
