//! OverflowTest: output of a requested size, for tests of what becomes of large results.
//!
//! The content is the same for the same size, and shows whether all of it arrived: numbered lines of 64 bytes,
//! and a last line that says how many bytes and lines there are.

use super::by_flag;
use pegboard_tool_core::{
    Accesses, Availability, Concurrency, Effects, InvalidInput, Progress, ResultContent, Tool, ToolContext,
    ToolDefinition, ToolEnv, ToolError, ToolOutput, Violation,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Bytes of a line, its newline among them.
const LINE_BYTES: usize = 64;
/// Bytes of the last line, which has no newline.
const LAST_BYTES: usize = 49;
/// Most bytes.
const MOST_BYTES: u64 = 100_000_000;
/// What follows the number of a line.
const FILLING: &str = "the quick brown fox jumps over the lazy dog 0123456789";

/// Gives as much output as is asked for.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct OverflowTest {}

/// Input of [`OverflowTest`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct OverflowTestInput {
    /// Bytes of output, 49 to 100000000. Default 100000. All of it is ASCII: bytes are characters.
    #[serde(default = "default_bytes")]
    pub bytes: u64,
    /// How the call ends. Default `result`.
    #[serde(default)]
    pub end: OverflowEnd,
}

/// How a call of [`OverflowTest`] ends.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[expect(clippy::exhaustive_enums, reason = "a two-way choice")]
pub enum OverflowEnd {
    /// With a result.
    #[default]
    Result,
    /// With an error of the same text.
    Error,
}

/// Output of [`OverflowTest`]; the text is made from it.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OverflowTestOutput {
    /// Bytes of the text.
    pub bytes: u64,
    /// Lines of the text.
    pub lines: u64,
}

fn default_bytes() -> u64 {
    100_000
}

impl OverflowTest {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The text of that many bytes. Sizes outside of 49 to 100,000,000 are moved to the nearest limit.
    #[must_use]
    pub fn text(bytes: u64) -> String {
        let bytes = bytes.clamp(LAST_BYTES as u64, MOST_BYTES);
        let whole = usize::try_from(bytes).unwrap_or(LAST_BYTES);
        let mut text = String::with_capacity(whole);
        let mut number: u64 = 0;
        while whole - text.len() >= LAST_BYTES + LINE_BYTES {
            number += 1;
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{number:08} {FILLING}");
        }
        let rest = whole - text.len() - LAST_BYTES;
        if let Some(dots) = rest.checked_sub(1) {
            number += 1;
            text.extend(std::iter::repeat_n('.', dots));
            text.push('\n');
        }
        let _ = write!(text, "[end: {bytes:010} bytes, {:08} lines, complete]", number + 1);
        text
    }

    fn lines(bytes: u64) -> u64 {
        let before = bytes.saturating_sub(LAST_BYTES as u64);
        before.div_ceil(LINE_BYTES as u64) + 1
    }
}

impl Tool for OverflowTest {
    type Input = OverflowTestInput;
    type Output = OverflowTestOutput;
    type Progress = ();

    fn name(&self) -> &str {
        "OverflowTest"
    }

    fn description(&self) -> String {
        "For tests: returns text of the requested size, numbered lines and a last line that says how much there is."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.concurrency = Concurrency::Shared;
        definition.effects = Effects::ReadOnly;
        definition.examples = vec![serde_json::json!({"bytes": 200_000})];
        definition
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        by_flag(env, &["overflow_test"])
    }

    fn concurrency(&self, _input: &OverflowTestInput, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Shared
    }

    fn effects(&self, _input: &OverflowTestInput, _ctx: &ToolContext) -> Effects {
        Effects::ReadOnly
    }

    fn accesses(&self, _input: &OverflowTestInput, _ctx: &ToolContext) -> Accesses {
        Accesses::nothing()
    }

    async fn validate(&self, input: &OverflowTestInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        if (LAST_BYTES as u64..=MOST_BYTES).contains(&input.bytes) {
            return Ok(());
        }
        let text = format!("`bytes` is {}; it must be {LAST_BYTES} to {MOST_BYTES}", input.bytes);
        Err(InvalidInput::with_violations(text.clone(), vec![Violation::new("/bytes", text)]))
    }

    fn describe(&self, input: &OverflowTestInput) -> String {
        format!("OverflowTest {} bytes", input.bytes)
    }

    async fn call(
        &self,
        input: OverflowTestInput,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<OverflowTestOutput>, ToolError> {
        if ctx.cancel.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        if input.end == OverflowEnd::Error {
            return Err(ToolError::failed(Self::text(input.bytes))
                .with_operator_text(format!("a failure of {} bytes, as asked", input.bytes)));
        }
        let output = OverflowTestOutput { bytes: input.bytes, lines: Self::lines(input.bytes) };
        Ok(ToolOutput::new(output))
    }

    fn to_result(&self, output: &OverflowTestOutput) -> Vec<ResultContent> {
        vec![ResultContent::Text(Self::text(output.bytes))]
    }

    fn render_result(&self, output: &OverflowTestOutput) -> Option<String> {
        Some(format!("{} bytes in {} lines", output.bytes, output.lines))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_the_size_and_its_lines_are_counted() {
        for bytes in (49..=400).chain([1_000, 65_536, 1_000_003, u64::MAX - 1]) {
            let text = OverflowTest::text(bytes);
            let real = bytes.min(MOST_BYTES);
            assert_eq!(text.len() as u64, real);
            let lines = OverflowTest::lines(real);
            assert_eq!(text.lines().count() as u64, lines, "{bytes}");
            assert!(
                text.ends_with(&format!("[end: {real:010} bytes, {lines:08} lines, complete]")),
                "{bytes}"
            );
        }
        assert_eq!(OverflowTest::text(0), OverflowTest::text(49));
    }
}
