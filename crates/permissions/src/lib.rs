//! Decides whether a tool call may run, and says which rule decided.
//!
//! [`Engine`] is the gate ([`PermissionGate`](pegboard_tool_core::ports::PermissionGate)), the policy for
//! single paths and hosts ([`AccessPolicy`](pegboard_tool_core::ports::AccessPolicy)) and the compiler of
//! single rules ([`RuleCompiler`](pegboard_tool_core::ports::RuleCompiler)). It is told everything by
//! [`EngineConfig`]. What a command line would run it asks the analyzer that it is given;
//! [`OpaqueAnalyzer`] is for those who have none.
//!
//! Not in here: settings files, people, hooks, and the reading of shell programs in full.
//!
//! ```
//! use pegboard_permissions::{Engine, EngineConfig, OpaqueAnalyzer};
//! use pegboard_tool_core::{Origin, RuleEffect, RuleText, SettingSource, ToolOrigin};
//! use std::{path::Path, sync::Arc};
//!
//! let mut config = EngineConfig::new(Arc::new(OpaqueAnalyzer::new()));
//! let origin = Origin::of(SettingSource::User);
//! config.rules.push(RuleText::new(RuleEffect::Deny, "WebSearch", origin, Path::new("/")));
//! let (engine, problems) = Engine::new(config);
//! assert!(problems.is_empty());
//! assert!(engine.denied_tool("WebSearch", &ToolOrigin::BuiltIn).is_some());
//! ```

mod arity;
mod below;
mod command_pattern;
mod command_text;
mod compiler;
mod config;
mod cover_files;
mod decide;
mod engine;
mod expand;
mod explain;
mod findings;
mod fold;
mod git_pointer;
mod host_pattern;
mod judge;
mod judge_code;
mod judge_hosts;
mod judge_opaque;
mod judge_shell;
mod known_tools;
mod lean_scan;
mod lint;
mod lint_names;
mod lint_pairs;
mod lint_paths;
mod lint_probe;
mod lint_shell;
mod moves;
mod offers;
mod opaque_analyzer;
mod path_index;
mod path_pattern;
mod paths;
mod policy;
mod problem;
mod proc_path;
mod protected_names;
mod refusals;
mod resolve;
mod rule;
mod rule_set;
mod safety;
mod shell_command;
mod shell_copies;
mod shell_cover;
mod shell_files;
mod shell_place;
mod specifier;
mod suggest;
mod text_glob;

pub use config::{Bypass, Classifier, EngineConfig, RuleKeeper, RuleScope, Switches};
pub use engine::Engine;
pub use explain::{ExplainedStep, Explanation};
pub use lint::{Finding, FindingKind, LintConfig, lint};
pub use opaque_analyzer::OpaqueAnalyzer;
pub use problem::{Outcome, Problem};
pub use rule::RuleParts;
pub use suggest::{NoSuggestion, Suggestion};
