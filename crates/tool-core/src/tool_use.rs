//! A call as received, before anything was checked. Next: [`crate::DynTool::prepare`].

use crate::ToolUseId;
use serde_json::{Map, Value};
use std::sync::Arc;

/// One `tool_use` request of a model, raw on purpose: an odd name, an odd id or an input that is no
/// object must be answered with a result, not refused by a parser.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolUse {
    /// Id that the result must carry, exactly as the API gave it.
    pub id: Arc<str>,
    /// Name that the model wrote.
    pub name: Arc<str>,
    /// Arguments that the model wrote.
    pub input: RawInput,
    /// Other fields of the block, kept and returned unchanged.
    pub extra: Map<String, Value>,
    /// Who asked.
    pub caller: Caller,
}

impl ToolUse {
    /// A call of the model.
    pub fn new(id: impl Into<Arc<str>>, name: impl Into<Arc<str>>, input: Value) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            input: RawInput::Json(Arc::new(input)),
            extra: Map::new(),
            caller: Caller::Model,
        }
    }

    /// A call whose arguments are no JSON; `text` is what the model wrote.
    pub fn unreadable(id: impl Into<Arc<str>>, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { input: RawInput::Unreadable(text.into()), ..Self::new(id, name, Value::Null) }
    }

    /// The same call from another caller.
    #[must_use]
    pub fn with_caller(self, caller: Caller) -> Self {
        Self { caller, ..self }
    }

    /// The same call with other extra fields.
    #[must_use]
    pub fn with_extra(self, extra: Map<String, Value>) -> Self {
        Self { extra, ..self }
    }
}

/// Arguments of a call.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "arguments either are JSON or are not")]
pub enum RawInput {
    /// A JSON value, maybe not an object.
    Json(Arc<Value>),
    /// Text that is no JSON; the call still gets its error result.
    Unreadable(Arc<str>),
}

/// Who asks for a call. All go through the same pipeline.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Caller {
    /// The language model of the conversation.
    Model,
    /// A running tool, such as a workflow or a skill.
    Tool(ToolUseId),
    /// A hook handler.
    Hook,
    /// A client of our server, by its name.
    Client(String),
}
