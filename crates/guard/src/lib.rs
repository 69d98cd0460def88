//! pegboard as the permission hook of another agent: its event read as calls to judge, and the answer that it understands.
//!
//! [`read`] turns the event of Claude Code, Gemini CLI or Codex into a [`Request`]: the calls under the names that rules
//! use, and doubts about what the event withholds. The caller judges each call by a gate of its own; [`answer`] turns the
//! decisions into what the host has to find on stdout, stderr and as the exit code. [`snippet`] is the settings text that
//! installs it.
//!
//! What holds in every path: the exit code is 0 or 2, because hosts take every other one for consent; nothing is printed
//! that means allow unless it was asked for ([`Options::allow`]); a failure is a deny.
//!
//! Not in here: rules, settings, reading of streams, processes.
//!
//! ```
//! use pegboard_guard::{Answer, Event, Options, answer, read};
//! use pegboard_tool_core::ports::{Decision, DecisionStep, Verdict};
//!
//! let event = br#"{"session_id":"s","transcript_path":"/t","cwd":"/w","hook_event_name":"PreToolUse",
//!     "tool_name":"Bash","tool_input":{"command":"rm -r a"},"tool_use_id":"c1"}"#;
//! let Event::Gate(request) = read(event, None)? else { return Ok(()) };
//! assert_eq!(request.calls[0].tool, "Bash");
//! let denied = Decision::new(Verdict::Deny, DecisionStep::DenyRule, "the rule `Bash(rm *)` names this command");
//! let said: Answer = answer(&request, &[denied], &Options::default());
//! assert_eq!((said.exit.code(), said.stderr.as_str()), (2, "pegboard: the rule `Bash(rm *)` names this command"));
//! # Ok::<(), pegboard_guard::Fault>(())
//! ```

mod answer;
mod apply_patch;
mod claude;
mod codex;
mod doubt;
mod event;
mod fault;
mod fields;
mod gemini;
mod host;
mod install;
mod overlap;
mod own_names;
mod patch;
mod reason;
mod request;
mod ruling;
mod strict;
mod tools;

pub use answer::{Answer, AnswerAllow, AnswerAsk, Exit, Options, Platform, answer, fault_answer};
pub use doubt::{Doubt, Look, When};
pub use event::{Event, MAX_EVENT_BYTES, read};
pub use fault::{Fault, FaultKind};
pub use host::{Gate, Host, UnknownHost};
pub use install::{advice, snippet};
pub use request::{Call, OwnCall, Request};
pub use ruling::{Ruling, ruling};
