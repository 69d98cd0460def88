//! Whether a command line only reads, so that it may run beside other calls. It says nothing about
//! whether the line may run: that is the gate's.

use pegboard_tool_core::ToolContext;
use pegboard_tool_core::ports::{CommandNature, CommandReport, CommandUse};

/// Whether every command that could run only looks, and none moves the working directory.
pub(super) fn is_read_only(report: &CommandReport, ctx: &ToolContext) -> bool {
    let quiet = report.opaque.is_empty()
        && report.removes.is_empty()
        && report.network.is_empty()
        && report.writes.iter().all(|path| path.as_deref() == Some("/dev/null"));
    quiet && !report.commands.is_empty() && report.commands.iter().all(|command| only_looks(command, ctx))
}

fn only_looks(command: &CommandUse, ctx: &ToolContext) -> bool {
    let looks = match command.nature {
        CommandNature::ReadOnly | CommandNature::Transparent => true,
        CommandNature::ReadOnlyInTrusted => ctx.trusted,
        CommandNature::FileEdit | CommandNature::Other => false,
    };
    let moves = matches!(command.program.as_deref(), None | Some("cd" | "pushd" | "popd"));
    looks && !moves && command.exact && command.assigns.is_empty()
}
