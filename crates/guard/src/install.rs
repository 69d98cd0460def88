//! The settings text that makes a host ask us.

use crate::answer::Platform;
use crate::host::Host;
use serde_json::{Value, json};

/// Time that a host gives the hook, in seconds. An answer takes milliseconds; the command itself gives up, and refuses,
/// well before.
const SECONDS: u64 = 60;

/// The settings of `host` that run `program`, an absolute path, with `options` behind `guard --agent HOST`. JSON.
#[must_use]
pub fn snippet(host: Host, program: &str, options: &[&str], platform: Platform) -> String {
    let command = command(host, program, options, platform);
    let settings = match host {
        Host::Claude => {
            let group = json!([{"hooks": [{"type": "command", "command": command, "timeout": SECONDS}]}]);
            json!({"hooks": {"PreToolUse": group, "PermissionRequest": group}})
        }
        // Milliseconds there.
        Host::Gemini => json!({"hooks": {"BeforeTool": [{"hooks": [{
            "type": "command",
            "name": "pegboard",
            "command": command,
            "timeout": SECONDS * 1_000,
        }]}]}}),
        Host::Codex => {
            let group = json!([{"hooks": [{"type": "command", "command": command, "timeout": SECONDS}]}]);
            json!({"hooks": {"PreToolUse": group, "PermissionRequest": group}})
        }
    };
    pretty(&settings)
}

fn pretty(settings: &Value) -> String {
    format!("{settings:#}\n")
}

/// What a person has to do with the settings text, one line each.
#[must_use]
pub fn advice(host: Host) -> &'static [&'static str] {
    match host {
        Host::Claude => {
            &["put this into ~/.claude/settings.json, or into .claude/settings.json of a project"]
        }
        Host::Gemini => &[
            "put this into ~/.gemini/settings.json; Gemini CLI runs no hook of a settings file in an untrusted folder",
            "the timeout is in milliseconds there",
        ],
        Host::Codex => &[
            "put this into ~/.codex/hooks.json, or into .codex/hooks.json of a trusted project",
            "then trust both hooks in /hooks of Codex: until then, and after every change, it skips them",
        ],
    }
}

fn command(host: Host, program: &str, options: &[&str], platform: Platform) -> String {
    let mut command = match (host, platform) {
        (_, Platform::Unix) | (Host::Claude, Platform::Windows) => for_sh(program),
        // PowerShell.
        (Host::Gemini, Platform::Windows) => format!("& '{}'", program.replace('\'', "''")),
        // PowerShell or cmd; both take a bare path.
        (Host::Codex, Platform::Windows) if is_plain(program, "\\:") => program.to_owned(),
        (Host::Codex, Platform::Windows) => format!("\"{program}\""),
    };
    command.push_str(" guard --agent ");
    command.push_str(host.as_str());
    for option in options {
        command.push(' ');
        command.push_str(&for_sh(option));
    }
    command
}

/// `word` for a POSIX shell.
fn for_sh(word: &str) -> String {
    if is_plain(word, "") { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

fn is_plain(word: &str, more: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+,=@%".contains(c) || more.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_of_each_host() {
        insta::assert_snapshot!(snippet(Host::Claude, "/usr/bin/pegboard", &[], Platform::Unix), @r#"
        {
          "hooks": {
            "PreToolUse": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "/usr/bin/pegboard guard --agent claude",
                    "timeout": 60
                  }
                ]
              }
            ],
            "PermissionRequest": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "/usr/bin/pegboard guard --agent claude",
                    "timeout": 60
                  }
                ]
              }
            ]
          }
        }
        "#);
        insta::assert_snapshot!(snippet(Host::Gemini, "/opt/it's here/pegboard", &["--ask", "deny"], Platform::Unix), @r#"
        {
          "hooks": {
            "BeforeTool": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "name": "pegboard",
                    "command": "'/opt/it'\\''s here/pegboard' guard --agent gemini --ask deny",
                    "timeout": 60000
                  }
                ]
              }
            ]
          }
        }
        "#);
        insta::assert_snapshot!(snippet(Host::Codex, "/usr/bin/pegboard", &["--answer-allow"], Platform::Unix), @r#"
        {
          "hooks": {
            "PreToolUse": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "/usr/bin/pegboard guard --agent codex --answer-allow",
                    "timeout": 60
                  }
                ]
              }
            ],
            "PermissionRequest": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "/usr/bin/pegboard guard --agent codex --answer-allow",
                    "timeout": 60
                  }
                ]
              }
            ]
          }
        }
        "#);
    }

    #[test]
    fn the_command_is_quoted_for_the_shell_that_runs_it() {
        let of = |host, program| command(host, program, &[], Platform::Windows);
        assert_eq!(of(Host::Claude, r"C:\p q\pegboard.exe"), r"'C:\p q\pegboard.exe' guard --agent claude");
        assert_eq!(of(Host::Gemini, r"C:\p q\pegboard.exe"), r"& 'C:\p q\pegboard.exe' guard --agent gemini");
        assert_eq!(of(Host::Codex, r"C:\p\pegboard.exe"), r"C:\p\pegboard.exe guard --agent codex");
        assert_eq!(of(Host::Codex, r"C:\p q\pegboard.exe"), "\"C:\\p q\\pegboard.exe\" guard --agent codex");
    }
}
