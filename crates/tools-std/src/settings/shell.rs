//! Settings of command lines and background tasks.

use serde::{Deserialize, Deserializer};

/// Settings of command lines and background tasks.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default, rename_all = "camelCase")]
#[non_exhaustive]
pub struct ShellSettings {
    /// Whether the aliases, functions and options of the user's start-up files are captured and applied
    /// to each command. Off: no login shell is ever started.
    pub snapshot: bool,
    /// Memory of all commands of the session together, such as `4G` or bytes; `0` and `off`: no limit.
    /// `CLAUDE_CODE_TOOL_MEMORY_LIMIT` wins over it.
    #[serde(deserialize_with = "amount")]
    pub memory_limit: Option<String>,
    /// Processes and threads of all commands of the session together; 0: no limit.
    pub process_limit: Option<u64>,
    /// Bytes of output after which a command is killed, 5 GiB when absent or 0.
    pub max_output_bytes: Option<u64>,
}

#[cfg(unix)]
impl ShellSettings {
    /// Bytes of output after which a command is killed.
    pub(crate) fn most_output(&self) -> u64 {
        super::number::MAX_OUTPUT_BYTES.of(self.max_output_bytes)
    }
}

/// An amount of memory: a text, or a number of bytes.
fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected an amount such as \"4G\", or a number of bytes")]
    enum Amount {
        Text(String),
        Bytes(u64),
    }
    Ok(Option::<Amount>::deserialize(deserializer)?.map(|amount| match amount {
        Amount::Text(text) => text,
        Amount::Bytes(bytes) => bytes.to_string(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_a_text_or_a_number() {
        let read = |text: &str| serde_json::from_str::<ShellSettings>(text).map(|read| read.memory_limit);
        assert_eq!(read(r#"{"memoryLimit": "4G"}"#).unwrap().as_deref(), Some("4G"));
        assert_eq!(read(r#"{"memoryLimit": 64000000}"#).unwrap().as_deref(), Some("64000000"));
        assert_eq!(read(r#"{"memoryLimit": null}"#).unwrap(), None);
        assert_eq!(read("{}").unwrap(), None);
        assert!(read(r#"{"memoryLimit": true}"#).unwrap_err().to_string().contains("such as"));
    }
}
