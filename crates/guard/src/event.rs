//! One event, from bytes to calls.

use crate::fault::{Fault, FaultKind};
use crate::fields::Fields;
use crate::host::{Gate, Host, Sender, sender};
use crate::own_names::own_names;
use crate::reason::shortened;
use crate::request::{OwnCall, Request};
use crate::strict::{NotStrict, parse};
use crate::tools::{Mapped, checked_name};
use crate::{claude, codex, gemini};
use pegboard_tool_core::{PermissionMode, without_dots};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Most bytes of an event. A longer one cannot be judged.
pub const MAX_EVENT_BYTES: usize = 64 * 1024 * 1024;

/// What a host sent.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "either something is to be decided or nothing")]
pub enum Event {
    /// Something to decide.
    Gate(Box<Request>),
    /// An event at which nothing is decided. It is answered with nothing: a refusal there would hide results or loop.
    NoGate,
}

/// Reads an event. `agent` is the host that the hook was installed for.
///
/// # Errors
/// When the event is not understood, or is not one of `agent`. It must then be denied.
pub fn read(event: &[u8], agent: Option<Host>) -> Result<Event, Fault> {
    let known = agent.map(|host| (host, Gate::PreToolUse));
    let event = object(event).map_err(|kind| Fault { kind, asked: known })?;
    let (host, gate) = match sender(&event).map_err(|kind| Fault { kind, asked: known })? {
        Sender::NoGate => return Ok(Event::NoGate),
        Sender::Gate(host, gate) => (host, gate),
    };
    if let Some(named) = agent.filter(|named| *named != host) {
        return Err(Fault { kind: FaultKind::OtherHost { named, found: host }, asked: Some((named, gate)) });
    }
    let request = request(&event, host, gate).map_err(|kind| Fault { kind, asked: Some((host, gate)) })?;
    Ok(Event::Gate(Box::new(request)))
}

fn object(event: &[u8]) -> Result<Map<String, Value>, FaultKind> {
    if event.len() > MAX_EVENT_BYTES {
        return Err(FaultKind::TooLong { limit: MAX_EVENT_BYTES });
    }
    // Some shells put a mark before what they pass on.
    let event = event.strip_prefix(b"\xef\xbb\xbf").unwrap_or(event);
    match parse(event) {
        Ok(Value::Object(event)) => Ok(event),
        Ok(_) => Err(FaultKind::NotAnObject),
        Err(NotStrict::RepeatedKey(key)) => Err(FaultKind::RepeatedKey { key: shortened(&key, 64) }),
        Err(NotStrict::NotJson(error)) => Err(FaultKind::NotJson { problem: error.to_string() }),
    }
}

fn request(event: &Map<String, Value>, host: Host, gate: Gate) -> Result<Request, FaultKind> {
    let cwd = cwd(event)?;
    let (mode, is_known_mode) = mode(event)?;
    let Some(Value::String(tool)) = event.get("tool_name").filter(|name| **name != "") else {
        return Err(FaultKind::Field { field: "tool_name", wanted: "a text" });
    };
    let none = Map::new();
    let input = match event.get("tool_input") {
        Some(Value::Object(input)) => input,
        // Codex passes on what is no JSON as it is; a tool judged by its name alone has no fields to look at.
        Some(Value::String(_)) if host == Host::Codex && codex::is_by_name(tool) => &none,
        _ => return Err(FaultKind::Field { field: "tool_input", wanted: "an object" }),
    };
    let mapped = map(&Fields { tool, input }, event, (host, gate), &cwd)?;
    let names = own_names(tool, event.get("mcp_context").filter(|_| host == Host::Gemini), &mapped.calls);
    let own_input = if names.is_empty() { none.clone() } else { input.clone() };
    Ok(Request {
        host,
        gate,
        cwd,
        mode,
        may_allow: is_known_mode && !mapped.is_unsure && !mapped.calls.is_empty(),
        calls: mapped.calls,
        own: OwnCall { names, input: Value::Object(own_input) },
        doubts: mapped.doubts,
    })
}

fn map(
    fields: &Fields<'_>,
    event: &Map<String, Value>,
    (host, gate): (Host, Gate),
    cwd: &Path,
) -> Result<Mapped, FaultKind> {
    match host {
        Host::Gemini => gemini::map(fields, event.get("mcp_context"), cwd),
        Host::Codex => codex::map(fields, gate, cwd),
        // Agents that copy these events may have kept the tools of the agent that they grew from.
        Host::Claude if gemini::knows(fields.tool) => gemini::map(fields, None, cwd),
        Host::Claude if codex::knows(fields.tool) && fields.tool != "Bash" => codex::map(fields, gate, cwd),
        Host::Claude => {
            checked_name(fields.tool)?;
            claude::map(fields, cwd)
        }
    }
}

fn cwd(event: &Map<String, Value>) -> Result<PathBuf, FaultKind> {
    let cwd = event.get("cwd").and_then(Value::as_str).map(Path::new);
    let cwd = cwd.filter(|cwd| cwd.is_absolute() && !cwd.to_string_lossy().contains('\0'));
    cwd.map(without_dots).ok_or(FaultKind::Field { field: "cwd", wanted: "an absolute path" })
}

/// The mode, and whether it is one that is known: of another one nothing is allowed.
fn mode(event: &Map<String, Value>) -> Result<(PermissionMode, bool), FaultKind> {
    match event.get("permission_mode") {
        None | Some(Value::Null) => Ok((PermissionMode::Default, true)),
        Some(Value::String(mode)) => {
            Ok(mode.parse().map_or((PermissionMode::Default, false), |mode| (mode, true)))
        }
        Some(_) => Err(FaultKind::Field { field: "permission_mode", wanted: "a text" }),
    }
}
