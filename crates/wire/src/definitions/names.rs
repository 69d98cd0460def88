//! Names that an API takes, and the way back from them.

use crate::WireForm;
use pegboard_tool_core::ToolName;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Hexadecimal digits that tell shortened names apart.
const DIGITS: usize = 8;

/// Names of tools as a form takes them. A name that it takes stays; another gets a short one that depends on
/// the name alone, unless that is taken. INVARIANT: no two tools have one name.
#[derive(Clone, Debug, Default)]
pub struct NameMap {
    sent: HashMap<ToolName, Arc<str>>,
    original: HashMap<Arc<str>, ToolName>,
}

impl NameMap {
    /// The map for `names` in `form`.
    pub fn new<'n>(form: WireForm, names: impl IntoIterator<Item = &'n ToolName>) -> Self {
        let names: Vec<&ToolName> = names.into_iter().collect();
        let mut taken: HashSet<Arc<str>> =
            names.iter().filter(|name| fits(form, name.as_str())).map(|name| name.to_shared()).collect();
        let mut map = Self::default();
        for name in names.into_iter().filter(|name| !fits(form, name.as_str())) {
            if map.sent.contains_key(name) {
                continue;
            }
            let candidates = (0_u32..).map(|attempt| shortened(form, name.as_str(), attempt));
            for short in candidates {
                let short: Arc<str> = short.into();
                if taken.insert(Arc::clone(&short)) {
                    map.original.insert(Arc::clone(&short), name.clone());
                    map.sent.insert(name.clone(), short);
                    break;
                }
            }
        }
        map
    }

    /// The name as it is sent.
    #[must_use]
    pub fn sent(&self, name: &ToolName) -> Arc<str> {
        self.sent.get(name).map_or_else(|| name.to_shared(), Arc::clone)
    }

    /// The tool's own name, where it was sent under another.
    #[must_use]
    pub fn original(&self, sent: &str) -> Option<&ToolName> {
        self.original.get(sent)
    }

    /// Whether every name is sent as it is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }
}

/// Most bytes of a name.
fn most(form: WireForm) -> usize {
    match form {
        WireForm::Anthropic | WireForm::OpenAiChat | WireForm::OpenAiResponses => 64,
        WireForm::Gemini => 63,
    }
}

fn begins_well(form: WireForm, name: &str) -> bool {
    form != WireForm::Gemini || name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

fn fits(form: WireForm, name: &str) -> bool {
    name.len() <= most(form) && begins_well(form, name)
}

fn shortened(form: WireForm, name: &str, attempt: u32) -> String {
    let mut hash = Sha256::new();
    hash.update(name.as_bytes());
    if attempt > 0 {
        hash.update(attempt.to_le_bytes());
    }
    let hex: String = hash.finalize().iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect();
    let prefix = if begins_well(form, name) { "" } else { "_" };
    let room = most(form) - DIGITS - 1 - prefix.len();
    // Names of tools are ASCII.
    let start: String = name.chars().take(room).collect();
    format!("{prefix}{start}_{hex}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> ToolName {
        ToolName::new(text).unwrap()
    }

    #[test]
    fn names_that_fit_stay_and_others_are_short_and_lead_back() {
        let long = name(&format!("mcp__server__{}", "x".repeat(100)));
        let twin = name(&format!("mcp__server__{}", "x".repeat(101)));
        let digit = name("1st");
        let plain = name("Read");
        for form in WireForm::ALL {
            let map = NameMap::new(form, [&long, &plain, &twin, &digit, &long]);
            let sent = map.sent(&long);
            assert!(sent.len() <= 64 && sent != map.sent(&twin), "{form}");
            assert_eq!(map.original(&sent), Some(&long));
            assert_eq!(map.original(&map.sent(&twin)), Some(&twin));
            assert_eq!(&*map.sent(&plain), "Read");
            assert_eq!(map.original("Read"), None);
            assert_eq!(map.sent(&digit).starts_with('_'), form == WireForm::Gemini);
            // What else there is changes nothing.
            assert_eq!(NameMap::new(form, [&long]).sent(&long), sent);
        }
    }

    #[test]
    fn a_tool_that_is_called_like_a_short_name_keeps_it() {
        let long = name(&"y".repeat(128));
        let stolen = name(&NameMap::new(WireForm::Anthropic, [&long]).sent(&long));
        let map = NameMap::new(WireForm::Anthropic, [&long, &stolen]);
        assert_eq!(map.original(stolen.as_str()), None);
        assert_ne!(&*map.sent(&long), stolen.as_str());
        assert_eq!(map.original(&map.sent(&long)), Some(&long));
    }
}
