//! When a tool exists: an expression over values that the caller looked up.

use pegboard_tool_core::ToolEnv;
use std::path::Path;

/// Values of an environment variable that count as off.
const OFF: [&str; 5] = ["", "0", "false", "no", "off"];

/// When a tool exists. What is not said to be there is not there: a missing flag closes the gate.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Gate {
    /// Always.
    Always,
    /// When this flag is on.
    Flag(String),
    /// When this environment variable has this value, or without one any that is not empty, `0`, `false`,
    /// `no` or `off`.
    Env(String, Option<String>),
    /// On this operating system, as in [`std::env::consts::OS`].
    Platform(String),
    /// When this program is found in the folders of [`ToolEnv::path`].
    Installed(String),
    /// When this key is configured.
    Configured(String),
    /// When the pool without the tools behind such gates has more than this many tools.
    PoolLargerThan(usize),
    /// When all of these are open; open when there are none.
    All(Vec<Gate>),
    /// When one of these is open; closed when there are none.
    Any(Vec<Gate>),
    /// When this is closed.
    Not(Box<Gate>),
}

/// Whether a gate is open, and why.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct GateAnswer {
    /// Whether the tool may exist.
    pub open: bool,
    /// Why, in words for the operator. Never holds the value of a variable.
    pub why: String,
}

impl Gate {
    /// Evaluates the gate. `pool_size` counts the tools that [`Gate::PoolLargerThan`] compares with.
    #[must_use]
    pub fn check(&self, env: &ToolEnv, pool_size: usize) -> GateAnswer {
        let (open, why) = match self {
            Self::Always => (true, "always there".to_owned()),
            Self::Flag(flag) => {
                let on = env.flags.contains(flag);
                (on, format!("flag `{flag}` is {}", if on { "on" } else { "off" }))
            }
            Self::Env(name, wanted) => variable(env.vars.get(name), name, wanted.as_deref()),
            Self::Platform(os) => {
                let same = *os == env.os;
                (same, if same { format!("this is {os}") } else { format!("this is {}, not {os}", env.os) })
            }
            Self::Installed(program) => {
                let found = env.path.iter().any(|folder| is_program(folder, program));
                (found, format!("program `{program}` is {}", if found { "found" } else { "not found" }))
            }
            Self::Configured(key) => {
                let there = env.configured.contains(key);
                (there, format!("`{key}` is {}", if there { "configured" } else { "not configured" }))
            }
            Self::PoolLargerThan(size) => {
                let larger = pool_size > *size;
                let relation = if larger { "more than" } else { "not more than" };
                (larger, format!("there are {pool_size} tools, {relation} {size}"))
            }
            Self::All(gates) => return combined(gates, env, pool_size, true),
            Self::Any(gates) => return combined(gates, env, pool_size, false),
            Self::Not(gate) => {
                let answer = gate.check(env, pool_size);
                (!answer.open, format!("not wanted together: {}", answer.why))
            }
        };
        GateAnswer { open, why }
    }

    /// Whether the answer depends on the size of the pool.
    #[must_use]
    pub fn counts_tools(&self) -> bool {
        match self {
            Self::PoolLargerThan(_) => true,
            Self::All(gates) | Self::Any(gates) => gates.iter().any(Self::counts_tools),
            Self::Not(gate) => gate.counts_tools(),
            Self::Always
            | Self::Flag(_)
            | Self::Env(..)
            | Self::Platform(_)
            | Self::Installed(_)
            | Self::Configured(_) => false,
        }
    }
}

fn variable(value: Option<&String>, name: &str, wanted: Option<&str>) -> (bool, String) {
    match (value, wanted) {
        (None, _) => (false, format!("environment variable `{name}` is not set")),
        (Some(value), Some(wanted)) => {
            let same = value == wanted;
            (same, format!("environment variable `{name}` is {}`{wanted}`", if same { "" } else { "not " }))
        }
        (Some(value), None) => {
            let on = !OFF.contains(&value.to_ascii_lowercase().as_str());
            (on, format!("environment variable `{name}` is {}", if on { "set" } else { "off" }))
        }
    }
}

/// Says what decided: the gates that are closed for `All`, the first open one for `Any`.
fn combined(gates: &[Gate], env: &ToolEnv, pool_size: usize, all: bool) -> GateAnswer {
    let answers: Vec<_> = gates.iter().map(|gate| gate.check(env, pool_size)).collect();
    let open = if all { answers.iter().all(|one| one.open) } else { answers.iter().any(|one| one.open) };
    let deciding = answers.iter().filter(|one| one.open == open).map(|one| one.why.as_str());
    let why: Vec<_> = if open && !all { deciding.take(1).collect() } else { deciding.collect() };
    let why = match (why.is_empty(), all) {
        (false, _) => why.join(", "),
        (true, true) => "nothing is asked for".to_owned(),
        (true, false) => "no way to open it is given".to_owned(),
    };
    GateAnswer { open, why }
}

/// Whether `folder` has a file called `program` that may be run. A name with a separator is none.
fn is_program(folder: &Path, program: &str) -> bool {
    let plain =
        !program.is_empty() && !program.contains(['/', '\\', '\0']) && program != ".." && program != ".";
    if !plain || !folder.is_absolute() {
        return false;
    }
    let endings: &[&str] = if cfg!(windows) { &["", ".exe", ".cmd", ".bat", ".com"] } else { &[""] };
    endings.iter().any(|ending| is_executable(&folder.join(format!("{program}{ending}"))))
}

fn is_executable(file: &Path) -> bool {
    let Ok(metadata) = std::fs::metadata(file) else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    metadata.is_file() && may_run
}
