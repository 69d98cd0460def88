//! Validates tool inputs against JSON Schema and says what is wrong in words made for a model.
//!
//! [`SchemaValidator`] is the standard [`InputValidator`](pegboard_tool_core::ports::InputValidator).
//! Preparing a schema is cheap; it is compiled once, at the first check. A valid input costs no text.
//!
//! Not in here: any network or file access (references are resolved within the schema only), and the
//! tools that the schemas belong to.
//!
//! ```
//! use pegboard_schema::SchemaValidator;
//! use pegboard_tool_core::{ToolDefinition, ports::InputValidator};
//! use serde_json::json;
//!
//! let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
//! let definition = ToolDefinition::new("Sleep", "Waits.", schema)?;
//! let schema = SchemaValidator::new().prepare(&definition)?;
//! assert!(schema.check(&json!({"n": 1})).is_ok());
//! assert_eq!(schema.check(&json!({"n": "1"})).unwrap_err().violations[0].path, "/n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod expected;
mod explain;
mod forms;
mod lenient;
mod measure;
mod near;
mod show;
mod structure;
mod text;
mod validator;

pub use validator::{InputSchema, SchemaValidator};
