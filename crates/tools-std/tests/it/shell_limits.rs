//! Limits of processes and memory, start-up snapshots.

#[cfg(target_os = "linux")]
mod commands;
mod snapshot;
