//! Which files of a tree are searched, by name.

use super::input::GrepInput;
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::Types;
use pegboard_tool_core::InvalidInput;
use std::path::Path;

/// A filter by glob and type. Unlike ripgrep's it only takes files away: a glob brings no ignored
/// file back.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    glob: Override,
    types: Types,
    /// The filter in words; nothing when there is none.
    text: String,
}

impl Filter {
    /// The filter of `input`, its globs relative to `base`.
    ///
    /// # Errors
    /// When glob or type is none; the text is the engine's.
    pub(super) fn new(input: &GrepInput, base: &Path) -> Result<Self, InvalidInput> {
        let wrong = |error: ignore::Error| InvalidInput::new(error.to_string());
        let (mut text, mut glob, mut types) = (Vec::new(), Override::empty(), Types::empty());
        if let Some(pattern) = input.glob.as_deref().filter(|pattern| !pattern.is_empty()) {
            glob =
                OverrideBuilder::new(base).add(pattern).and_then(|builder| builder.build()).map_err(wrong)?;
            text.push(format!("glob `{pattern}`"));
        }
        if let Some(name) = input.file_type.as_deref().filter(|name| !name.is_empty()) {
            types = super::types::select(name)?;
            text.push(format!("type `{name}`"));
        }
        Ok(Self { glob, types, text: text.join(" and ") })
    }

    /// Whether a folder need not be entered.
    pub(super) fn leaves_out_folder(&self, path: &Path) -> bool {
        self.glob.matched(path, true).is_ignore()
    }

    /// Whether a file is not searched.
    pub(super) fn leaves_out_file(&self, path: &Path) -> bool {
        self.glob.matched(path, false).is_ignore() || self.types.matched(path, false).is_ignore()
    }

    /// The filter in words, when there is one.
    pub(super) fn text(&self) -> Option<&str> {
        Some(self.text.as_str()).filter(|text| !text.is_empty())
    }
}
