//! TerminalCapture: the screen of a terminal that Tungsten opened, as text or as a PNG picture.
//!
//! It only looks, so it runs beside other calls. The picture has colours, bold, italic, underlined and inverse
//! letters, frames and the cursor; letters that the font lacks are boxes with their number. Limits: 1000 lines
//! above the screen as text, 100 rows of them in a picture.

use crate::blocking::blocking;
use crate::input as inputs;
use crate::terminal::owner::{Owner, check_name};
use crate::terminal::picture::Rows;
use crate::terminal::sessions::Terminals;
use crate::tungsten::ScreenView;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pegboard_tool_core::{
    Access, Accesses, Availability, Concurrency, Effects, ErrorKind, InvalidInput, Progress, Resource,
    ResultContent, Tool, ToolContext, ToolDefinition, ToolEnv, ToolError, ToolOutput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Most lines above the screen in a text.
const MOST_LINES: u32 = 1000;
/// Most lines above the screen in a picture.
const MOST_PICTURED: u32 = 100;
/// Most letters that are named as missing.
const MOST_MISSING: usize = 20;

/// Looks at terminals.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TerminalCapture {}

impl TerminalCapture {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// How a screen is captured.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[non_exhaustive]
pub enum CaptureFormat {
    /// Its letters.
    #[default]
    Text,
    /// A picture.
    Png,
}

/// Input of [`TerminalCapture`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TerminalCaptureInput {
    /// Name of the terminal. May be left out when only one is open.
    #[serde(default)]
    pub session: Option<String>,
    /// `text` for its letters, `png` for a picture with colours. Default `text`.
    #[serde(default)]
    pub format: CaptureFormat,
    /// Lines above the screen to show too: at most 1000 as text, 100 in a picture. Default 0.
    #[serde(default)]
    #[schemars(range(max = 1000))]
    pub scrollback: Option<u32>,
}

/// Output of [`TerminalCapture`].
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TerminalCaptureOutput {
    /// Name of the terminal.
    pub session: String,
    /// Its screen.
    pub view: ScreenView,
    /// The picture, when one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<CapturedPicture>,
}

/// A PNG picture.
#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[schemars(inline)]
#[non_exhaustive]
pub struct CapturedPicture {
    /// The bytes in base64.
    pub data: Arc<str>,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Letters that the font lacks, shown as boxes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub missing: String,
}

impl Tool for TerminalCapture {
    type Input = TerminalCaptureInput;
    type Output = TerminalCaptureOutput;
    type Progress = ();

    fn name(&self) -> &'static str {
        "TerminalCapture"
    }

    fn description(&self) -> String {
        "Captures the screen of a terminal that Tungsten opened: its text, or with `format: \"png\"` a picture with \
         colours, frames and the cursor, for what text cannot show. It only looks."
            .to_owned()
    }

    fn define(&self, mut definition: ToolDefinition) -> ToolDefinition {
        definition.examples = vec![serde_json::json!({"session": "main", "format": "png"})];
        definition.search_hint = Some("terminal screenshot screen picture".to_owned());
        definition.concurrency = Concurrency::Shared;
        definition.effects = Effects::ReadOnly;
        inputs::with_alias(definition, "terminal_capture")
    }

    fn availability(&self, env: &ToolEnv) -> Availability {
        if env.flags.contains("terminal_capture") {
            Availability::Here
        } else {
            Availability::Absent("the flag `terminal_capture` is off".to_owned())
        }
    }

    fn concurrency(&self, _input: &TerminalCaptureInput, _ctx: &ToolContext) -> Concurrency {
        Concurrency::Shared
    }

    fn effects(&self, _input: &TerminalCaptureInput, _ctx: &ToolContext) -> Effects {
        Effects::ReadOnly
    }

    fn accesses(&self, _input: &TerminalCaptureInput, _ctx: &ToolContext) -> Accesses {
        Accesses::Only(Arc::from([Access::read(Resource::State(Arc::from("terminals")))]))
    }

    async fn validate(&self, input: &TerminalCaptureInput, _ctx: &ToolContext) -> Result<(), InvalidInput> {
        if let Some(name) = &input.session {
            check_name(name).map_err(InvalidInput::new)?;
        }
        let most = match input.format {
            CaptureFormat::Text => MOST_LINES,
            CaptureFormat::Png => MOST_PICTURED,
        };
        if input.scrollback.is_some_and(|lines| lines > most) {
            return Err(InvalidInput::new(format!("`scrollback` must be at most {most} for this format")));
        }
        Ok(())
    }

    async fn call(
        &self,
        input: TerminalCaptureInput,
        ctx: ToolContext,
        _progress: Progress<()>,
    ) -> Result<ToolOutput<TerminalCaptureOutput>, ToolError> {
        if ctx.cancel.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let terminal = ctx.session.of::<Terminals>().find(&Owner::of(&ctx), input.session.as_deref())?;
        let lines = usize::try_from(input.scrollback.unwrap_or(0)).unwrap_or(0);
        let session = terminal.name.clone();
        let look = blocking(move || {
            let view = ScreenView::of(&terminal, lines);
            let rows = match input.format {
                CaptureFormat::Text => None,
                CaptureFormat::Png => {
                    let mut emulator = terminal.pty.shared.emulator();
                    let mut rows = Rows::default();
                    emulator.look_back(lines, |screen, new| rows.add(screen, new));
                    rows.add(emulator.screen(), emulator.size().rows);
                    rows.add_cursor(emulator.screen());
                    Some(rows)
                }
            };
            // The lock is free again before anything is drawn.
            let picture = rows.map(|rows| rows.draw()).transpose().map_err(|error| {
                let text = "the picture could not be made; capture the text instead";
                ToolError::new(ErrorKind::Bug, text).with_operator_text(format!("no picture: {error}"))
            })?;
            let picture = picture.map(|picture| CapturedPicture {
                data: STANDARD.encode(&picture.png).into(),
                width: picture.width,
                height: picture.height,
                missing: picture.missing.iter().take(MOST_MISSING).collect(),
            });
            Ok(TerminalCaptureOutput { session, view, picture })
        });
        tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => Err(ToolError::cancelled()),
            output = look => output.map(ToolOutput::new),
        }
    }

    fn to_result(&self, output: &TerminalCaptureOutput) -> Vec<ResultContent> {
        let Some(picture) = &output.picture else {
            return vec![ResultContent::Text(output.view.text(&output.session))];
        };
        let mut text = output.view.heading(&output.session);
        if !picture.missing.is_empty() {
            let missing =
                format!("\n[letters that the font lacks are boxes with their number: {}]", picture.missing);
            text.push_str(&missing);
        }
        let image =
            ResultContent::Image { media_type: "image/png".to_owned(), data: Arc::clone(&picture.data) };
        vec![ResultContent::Text(text), image]
    }

    fn describe(&self, input: &TerminalCaptureInput) -> String {
        let what = match input.format {
            CaptureFormat::Text => "screen",
            CaptureFormat::Png => "picture",
        };
        match &input.session {
            Some(name) => format!("{what} of terminal {name}"),
            None => format!("{what} of the terminal"),
        }
    }

    fn render_result(&self, output: &TerminalCaptureOutput) -> Option<String> {
        let heading = output.view.heading(&output.session);
        Some(match &output.picture {
            Some(picture) => format!("{heading}\npicture of {} x {} pixels", picture.width, picture.height),
            None => format!("{heading}\n{}", output.view.screen),
        })
    }
}
