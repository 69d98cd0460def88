//! What becomes of a line that reaches its time limit, and how long it may live after that.

use crate::settings::number;
use crate::shell::foreground::AtLimit;
use pegboard_tool_core::ToolContext;
use pegboard_tool_core::ports::CommandReport;
use std::time::Duration;

/// A line that only waits, may hold a lock of git, or cannot be fully parsed is killed; any other goes on in the
/// background, also one that hands code to an interpreter.
pub(crate) fn of(line: &str, report: &CommandReport) -> AtLimit {
    let waits = report.commands.iter().any(|command| command.program.as_deref() == Some("sleep"));
    let mut words = line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    let is_unparsed = !report.opaque.is_empty() && report.commands.is_empty();
    let is_untold = is_unparsed || report.commands.iter().any(|command| command.program.is_none());
    if waits || starts_with_sleep(line) || words.any(|word| word == "git") || is_untold {
        AtLimit::Kill
    } else {
        AtLimit::Background
    }
}

fn starts_with_sleep(line: &str) -> bool {
    line.split_whitespace().next().is_some_and(|word| word.trim_end_matches(';') == "sleep")
}

/// How long a command may live in the background: of a subagent an hour or what the environment says, of
/// the main session as long as the session.
pub(crate) fn life(ctx: &ToolContext) -> Option<Duration> {
    ctx.agent_id.as_ref()?;
    Some(Duration::from_millis(number::AGENT_LIFE_MS.read(&ctx.env)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pegboard_tool_core::ports::CommandUse;

    #[test]
    fn waits_git_and_what_is_not_understood_are_killed() {
        for (line, programs, expected) in [
            ("npm run build", &["npm"][..], AtLimit::Background),
            ("python3 -c 'digits'", &["python3"], AtLimit::Background),
            ("sleep 5", &["sleep"], AtLimit::Kill),
            ("  sleep 5 && x", &["sleep", "x"], AtLimit::Kill),
            ("echo early; sleep 5", &["echo", "sleep"], AtLimit::Kill),
            ("bash -c 'sleep 5; :'", &["bash", "sleep"], AtLimit::Kill),
            ("make && git push", &["make", "git"], AtLimit::Kill),
            ("rm .git/index.lock", &["rm"], AtLimit::Kill),
            ("/usr/bin/git-lfs pull", &["git-lfs"], AtLimit::Kill),
        ] {
            let mut report = CommandReport::default();
            report.commands.extend(
                programs.iter().map(|program| CommandUse::new(vec![Some((*program).to_owned())], 0, "")),
            );
            assert_eq!(of(line, &report), expected, "{line}");
        }
        let mut python = CommandReport::opaque("code for an interpreter", 0);
        python.commands.push(CommandUse::new(vec![Some("python3".to_owned()), Some("-c".to_owned())], 0, ""));
        assert_eq!(of("python3 -c 'x'", &python), AtLimit::Background);
        assert_eq!(of("$x", &CommandReport::opaque("unknown", 0)), AtLimit::Kill);
    }
}
