//! How a line is started: bash without start-up files, which says at its end where it is.

use crate::shell::engine::{Launch, Streams, unavailable};
use crate::shell::environment;
use crate::shell::side::Side;
use pegboard_tool_core::{ErrorKind, ToolContext, ToolError};
use std::ffi::OsString;

/// The line as something to start.
pub(super) fn of(line: &str, ctx: &ToolContext, most_output: u64) -> Result<Launch, ToolError> {
    let program = environment::shell(ctx)
        .ok_or_else(|| ToolError::new(ErrorKind::Unavailable, "bash is not installed"))?;
    let unusable = |error| unavailable("the temporary folder cannot be used", error);
    let side = Side::new(&environment::temporary(ctx)).map_err(unusable)?;
    let note = format!("builtin pwd -P >| {} 2>/dev/null", quoted(&side.cwd_file().to_string_lossy()));
    let start = format!("unset BASH_ENV\ntrap {} EXIT\n", quoted(&note));
    let start = side.write("start", start.as_bytes()).map_err(unusable)?;
    let mut env: Vec<(OsString, OsString)> =
        environment::of(ctx).into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    env.push(("BASH_ENV".into(), start.into_os_string()));
    Ok(Launch {
        program,
        arg0: Some("bash".into()),
        // The line stands alone, so what bash says about it has the right line numbers.
        args: ["--noprofile", "--norc", "-c", line].map(OsString::from).into(),
        cwd: ctx.cwd.clone(),
        env,
        side,
        streams: Streams::Merged,
        most_output,
    })
}

/// A text as one word of bash.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
