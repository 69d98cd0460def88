//! From a line to a start of PowerShell: by a script file, so that nothing needs to be quoted.

use crate::shell::engine::{Launch, Streams, unavailable};
use crate::shell::environment;
use crate::shell::side::Side;
use pegboard_process::Limits;
use pegboard_tool_core::{ErrorKind, ToolContext, ToolError};
use std::path::Path;

/// Names of the program, the best first.
pub(super) fn programs(is_windows: bool) -> &'static [&'static str] {
    if is_windows { &["pwsh.exe", "powershell.exe"] } else { &["pwsh"] }
}

/// The start of `line`.
pub(super) fn of(
    line: &str,
    limits: Limits,
    ctx: &ToolContext,
    most_output: u64,
) -> Result<Launch, ToolError> {
    let absent = || ToolError::new(ErrorKind::Unavailable, "PowerShell 7 (`pwsh`) is not on PATH");
    let mut names = programs(cfg!(windows)).iter();
    let program = names.find_map(|name| environment::program(name, ctx, &[])).ok_or_else(absent)?;
    let unusable = |error| unavailable("the temporary folder cannot be used", error);
    let side = Side::new(&environment::temporary(ctx)).map_err(unusable)?;
    let command = side.write("command.ps1", &with_mark(&command_script(line))).map_err(unusable)?;
    let start = start_script(&command, &side.cwd_file());
    let start = side.write("start.ps1", &with_mark(&start)).map_err(unusable)?;
    let mut args: Vec<_> = ["-NoLogo", "-NoProfile", "-NonInteractive"].map(Into::into).to_vec();
    if cfg!(windows) {
        // Our own two files are no scripts of the user's that a policy is about.
        args.extend(["-ExecutionPolicy", "Bypass"].map(Into::into));
    }
    args.extend(["-File".into(), start.into_os_string()]);
    let mut env: Vec<_> =
        environment::of(ctx).into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    // Neither news of the program itself nor colours in what it prints.
    let quiet = [("POWERSHELL_TELEMETRY_OPTOUT", "1"), ("POWERSHELL_UPDATECHECK", "Off"), ("NO_COLOR", "1")];
    env.extend(quiet.map(|(name, value)| (name.into(), value.into())));
    let cwd = ctx.cwd.clone();
    let streams = Streams::Merged;
    Ok(Launch { program, arg0: None, args, cwd, env, side, streams, most_output, limits })
}

/// UTF-8 with a mark, which every version reads as such.
fn with_mark(text: &str) -> Vec<u8> {
    [b"\xef\xbb\xbf", text.as_bytes()].concat()
}

/// The line, and after it whether it went well. Two line ends: a line may end in a continuation.
fn command_script(line: &str) -> String {
    format!("{line}\n\n$global:PegboardWentWell = $?\n")
}

/// What surrounds the line: UTF-8 on all streams, no colours, the location at the end also when the line
/// calls `exit` or throws, and the exit code of a native program where one decided. Nothing is caught, so
/// that an error ends as much of the line as it would without us; a line that cannot be read is no success.
fn start_script(command: &Path, cwd_file: &Path) -> String {
    let (command, cwd_file) = (quoted(command), quoted(cwd_file));
    format!(
        "$utf8 = [System.Text.UTF8Encoding]::new($false)\n\
         [Console]::OutputEncoding = $utf8\n\
         $global:OutputEncoding = $utf8\n\
         $global:ProgressPreference = 'SilentlyContinue'\n\
         if ($null -ne $PSStyle) {{ $PSStyle.OutputRendering = 'PlainText' }}\n\
         Remove-Variable utf8\n\
         $global:LASTEXITCODE = 0\n\
         $global:PegboardWentWell = $null\n\
         try {{\n    \
             . {command}\n    \
             $global:PegboardRead = $?\n\
         }} finally {{\n    \
             $location = (Get-Location -PSProvider FileSystem).ProviderPath\n    \
             [System.IO.File]::WriteAllText({cwd_file}, $location + \"`n\")\n\
         }}\n\
         if ($global:PegboardWentWell -eq $true) {{ exit 0 }}\n\
         if ($global:LASTEXITCODE -ne 0) {{ exit $global:LASTEXITCODE }}\n\
         if ($null -eq $global:PegboardWentWell -and $global:PegboardRead) {{ exit 0 }}\n\
         exit 1\n"
    )
}

/// A path as one word of PowerShell.
fn quoted(path: &Path) -> String {
    // Typographic quotes end such a word too.
    let text = path.to_string_lossy();
    let mut word = String::with_capacity(text.len() + 2);
    for letter in text.chars() {
        if matches!(letter, '\'' | '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}') {
            word.push(letter);
        }
        word.push(letter);
    }
    format!("'{word}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scripts() {
        assert_eq!(quoted(Path::new("/a b/it's \u{2019}")), "'/a b/it''s \u{2019}\u{2019}'");
        insta::assert_snapshot!(command_script("Get-Date"), @r"
        Get-Date

        $global:PegboardWentWell = $?
        ");
        insta::assert_snapshot!(start_script(Path::new("/t/command.ps1"), Path::new("/t/cwd")), @r#"
        $utf8 = [System.Text.UTF8Encoding]::new($false)
        [Console]::OutputEncoding = $utf8
        $global:OutputEncoding = $utf8
        $global:ProgressPreference = 'SilentlyContinue'
        if ($null -ne $PSStyle) { $PSStyle.OutputRendering = 'PlainText' }
        Remove-Variable utf8
        $global:LASTEXITCODE = 0
        $global:PegboardWentWell = $null
        try {
            . '/t/command.ps1'
            $global:PegboardRead = $?
        } finally {
            $location = (Get-Location -PSProvider FileSystem).ProviderPath
            [System.IO.File]::WriteAllText('/t/cwd', $location + "`n")
        }
        if ($global:PegboardWentWell -eq $true) { exit 0 }
        if ($global:LASTEXITCODE -ne 0) { exit $global:LASTEXITCODE }
        if ($null -eq $global:PegboardWentWell -and $global:PegboardRead) { exit 0 }
        exit 1
        "#);
    }
}
