//! Checked names: what the model calls a tool by, and what the API calls a call by.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// Name the model calls a tool by, such as `Read`. Invariant: 1 to 128 bytes of `A-Z a-z 0-9 _ -`.
#[derive(Clone, Eq, Hash, Ord, PartialEq, PartialOrd, serde::Deserialize, serde::Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolName(Arc<str>);

/// A text is no tool name.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{given}` is not a tool name; use 1 to 128 characters of A-Z a-z 0-9 _ -")]
#[non_exhaustive]
pub struct ToolNameError {
    /// What was given, cut to 128 characters.
    pub given: String,
}

impl ToolName {
    /// Most bytes a name may have. (Single APIs accept fewer; the wire layer checks that.)
    pub const MAX_BYTES: usize = 128;

    /// Checks `name`.
    ///
    /// # Errors
    /// When the name is empty, longer than [`ToolName::MAX_BYTES`] or has another character.
    pub fn new(name: impl AsRef<str>) -> Result<Self, ToolNameError> {
        let name = name.as_ref();
        let fits = (1..=Self::MAX_BYTES).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        if fits {
            Ok(Self(name.into()))
        } else {
            Err(ToolNameError { given: name.chars().take(Self::MAX_BYTES).collect() })
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as a shared text.
    #[must_use]
    pub fn to_shared(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }
}

impl fmt::Debug for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for ToolName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ToolName {
    type Error = ToolNameError;

    fn try_from(name: String) -> Result<Self, ToolNameError> {
        Self::new(name)
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> Self {
        name.0.as_ref().to_owned()
    }
}

/// Id the API gave a call, opaque. Invariant: 1 to 256 bytes, no control characters.
#[derive(Clone, Eq, Hash, Ord, PartialEq, PartialOrd, serde::Deserialize, serde::Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolUseId(Arc<str>);

/// A text is no usable id of a call.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the id of a call must have 1 to 256 bytes and no control characters")]
#[non_exhaustive]
pub struct ToolUseIdError;

impl ToolUseId {
    /// Most bytes an id may have.
    pub const MAX_BYTES: usize = 256;

    /// Checks `id`.
    ///
    /// # Errors
    /// When the id is empty, longer than [`ToolUseId::MAX_BYTES`] or has a control character.
    pub fn new(id: impl Into<Arc<str>>) -> Result<Self, ToolUseIdError> {
        let id = id.into();
        let fits = (1..=Self::MAX_BYTES).contains(&id.len()) && !id.chars().any(char::is_control);
        if fits { Ok(Self(id)) } else { Err(ToolUseIdError) }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ToolUseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl fmt::Display for ToolUseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ToolUseId {
    type Error = ToolUseIdError;

    fn try_from(id: String) -> Result<Self, ToolUseIdError> {
        Self::new(id)
    }
}

impl From<ToolUseId> for String {
    fn from(id: ToolUseId) -> Self {
        id.0.as_ref().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_at_every_edge() {
        for good in ["Read", "mcp__srv__do-it", "a", &"x".repeat(128)] {
            assert_eq!(ToolName::new(good).unwrap().as_str(), good);
        }
        for bad in ["", "a b", "a.b", "Ä", "a\0", &"x".repeat(129)] {
            assert!(ToolName::new(bad).is_err(), "{bad:?}");
            assert!(serde_json::from_value::<ToolName>(bad.into()).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn ids_are_opaque_but_printable() {
        assert!(ToolUseId::new("toolu_01 ä").is_ok());
        for bad in ["", "a\nb", "a\0", &"x".repeat(257)] {
            assert!(ToolUseId::new(bad).is_err(), "{bad:?}");
        }
    }
}
