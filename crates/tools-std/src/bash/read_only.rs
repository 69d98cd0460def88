//! Whether a command line only reads, so that it may run beside other calls. It says nothing about
//! whether the line may run: that is the gate's.

use pegboard_tool_core::ToolContext;
use pegboard_tool_core::ports::{CommandAnalyzer, CommandUse, ShellStart};

/// Programs that neither write nor start anything, whatever their arguments.
const READERS: &[&str] = &[
    "[",
    "basename",
    "cat",
    "cmp",
    "comm",
    "cut",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "expr",
    "false",
    "fgrep",
    "grep",
    "head",
    "id",
    "ls",
    "md5sum",
    "nl",
    "od",
    "paste",
    "printf",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "seq",
    "sha256sum",
    "stat",
    "tac",
    "tail",
    "test",
    "tr",
    "true",
    "uname",
    "wc",
    "which",
    "whoami",
];

/// Whether every command that could run is a reader. `cd` is none, so such a line never moves the
/// working directory.
pub(super) fn is_read_only(analyzer: &dyn CommandAnalyzer, line: &str, ctx: &ToolContext) -> bool {
    let report = analyzer.analyze(line, &ShellStart::bash(&ctx.cwd, ctx.home.clone()));
    let quiet = report.opaque.is_empty()
        && report.writes.is_empty()
        && report.removes.is_empty()
        && report.network.is_empty();
    quiet && !report.commands.is_empty() && report.commands.iter().all(is_reader)
}

fn is_reader(command: &CommandUse) -> bool {
    let named = command.argv.first().and_then(Option::as_deref);
    // A name with a slash is whatever file stands there.
    let known = named.is_some_and(|name| READERS.contains(&name));
    known && command.exact && command.via.is_empty() && command.assigns.is_empty()
}
