//! The system below: time, and confinement of child processes.

use std::fmt::Debug;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

/// Tells the time, so that tests can hold it.
pub trait Clock: Debug + Send + Sync {
    /// Time of day.
    fn now(&self) -> SystemTime;

    /// Time since some fixed moment; never goes back.
    fn monotonic(&self) -> Duration;
}

const _: fn(&dyn Clock) = |_| ();

/// A child cannot be confined.
#[derive(Debug, thiserror::Error)]
#[error("the command cannot be confined: {reason}")]
#[non_exhaustive]
pub struct SandboxError {
    /// Why, and what to do.
    pub reason: String,
}

impl SandboxError {
    /// Says why.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// Confines child processes by means of the operating system.
pub trait Sandbox: Debug + Send + Sync {
    /// Prepares `command` so that it may write below `writable` only.
    ///
    /// # Errors
    /// When that cannot be enforced; the command must then not be started.
    fn confine(&self, command: &mut Command, writable: &[PathBuf]) -> Result<(), SandboxError>;
}

const _: fn(&dyn Sandbox) = |_| ();
