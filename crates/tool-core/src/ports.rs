//! The traits at which two layers meet, with only the types that cross.
//!
//! Every port is object-safe, `Debug + Send + Sync`, small, and says on the trait when it is called
//! and what a failure means. Implement one to swap a layer; `pegboard-test-support` has conformance
//! suites for gate, hooks, approver, look-up, store and invoker.

mod analyzer;
mod approver;
mod ask;
mod decision;
mod executor;
mod gate;
mod hooks;
mod invoker;
mod lookup;
mod observer;
mod policy;
mod store;
mod system;

pub use analyzer::{
    CommandAnalyzer, CommandNature, CommandReport, CommandUse, FileAccess, FileUse, OpaquePart, ShellStart,
};
pub use approver::{Approval, ApprovalRequest, Approver};
pub use ask::{Ask, AskError};
pub use decision::{Decision, DecisionStep, RuleOffer, TrailEntry, Verdict};
pub use executor::{StopReason, TurnEnd, TurnEvent, TurnEvents, TurnExecutor, TurnOutcome};
pub use gate::{GateCall, HookAdvice, PermissionGate, RememberError};
pub use hooks::{
    BatchCall, HookCall, HookDecision, HookEvent, HookReport, HookReportOutcome, HookRunner,
    PermissionAnswer, PermissionOutcome, PostOutcome, PreOutcome,
};
pub use invoker::{Finished, Outcome, Prepared, Ready, Step, ToolInvoker};
pub use lookup::{FoundTool, InputValidator, SchemaError, ToolLookup, ToolSchema};
pub use observer::{Event, Observer, Observers, Phase};
pub use policy::{AccessPolicy, ClosedPaths, CompiledRule, RuleCompiler, RuleError};
pub use store::{
    FileHistory, Journal, JournalCall, JournalError, JournalRecord, Restore, RestoreError, ResultStore,
    StoreError, StoredText,
};
pub use system::{Clock, Sandbox, SandboxError};
