//! A folder of its own for each test: home, state and project, and the command in it.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

pub(crate) struct World {
    root: TempDir,
}

/// What the command said.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl World {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("home")).unwrap();
        fs::create_dir_all(root.path().join("project")).unwrap();
        Self { root }
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.path().join("project").canonicalize().unwrap()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// Writes a file below the project.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.project().join(name)).unwrap()
    }

    /// Starts the command in the project with nothing of this machine's own settings.
    pub(crate) fn run(&self, args: &[&str], stdin: impl Into<Vec<u8>>) -> Said {
        let home = self.home();
        let output = Command::cargo_bin("pegboard")
            .unwrap()
            .args(args)
            .current_dir(self.project())
            .env_remove("PEGBOARD_MAX_CONCURRENCY")
            .env_remove("CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY")
            .env_remove("CLAUDE_CONFIG_DIR")
            .env("IS_SANDBOX", "1")
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_STATE_HOME", home.join(".local/state"))
            .write_stdin(stdin.into())
            .output()
            .unwrap();
        Said {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Starts the command with an empty stdin and does not wait for it.
    pub(crate) fn start(&self, args: &[&str]) -> std::process::Child {
        self.spawn(args, std::process::Stdio::null())
    }

    /// Starts the command with a pipe as stdin and does not wait for it.
    pub(crate) fn start_piped(&self, args: &[&str]) -> std::process::Child {
        self.spawn(args, std::process::Stdio::piped())
    }

    fn spawn(&self, args: &[&str], stdin: std::process::Stdio) -> std::process::Child {
        self.command(args).stdin(stdin).spawn().unwrap()
    }

    /// The command, not started; stdin is empty, stdout a pipe, stderr goes nowhere.
    pub(crate) fn command(&self, args: &[&str]) -> std::process::Command {
        let home = self.home();
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("pegboard"));
        command
            .args(args)
            .current_dir(self.project())
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_STATE_HOME", home.join(".local/state"))
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null());
        command
    }

    /// Waits until a file of the project has a whole line, and gives it.
    pub(crate) fn wait_for(&self, name: &str) -> String {
        let begun = std::time::Instant::now();
        loop {
            match fs::read_to_string(self.project().join(name)) {
                Ok(text) if text.ends_with('\n') => return text,
                _ => {
                    assert!(begun.elapsed() < std::time::Duration::from_secs(120), "{name} never got a line")
                }
            }
            std::thread::yield_now();
        }
    }

    /// Runs calls `(id, name, input)` with these options, and gives the blocks of the answer.
    pub(crate) fn turn(&self, options: &[&str], calls: &[(&str, &str, Value)]) -> (Said, Vec<Value>) {
        let blocks: Vec<Value> = calls
            .iter()
            .map(|(id, name, input)| serde_json::json!({"type": "tool_use", "id": id, "name": name, "input": input}))
            .collect();
        let message = serde_json::json!({"role": "assistant", "content": blocks});
        let args: Vec<&str> = ["run"].into_iter().chain(options.iter().copied()).collect();
        let said = self.run(&args, message.to_string());
        let answer: Value = serde_json::from_str(&said.out).unwrap_or_default();
        let blocks = answer["content"].as_array().cloned().unwrap_or_default();
        (said, blocks)
    }
}

/// The text of a result.
pub(crate) fn text(block: &Value) -> String {
    match &block["content"] {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
