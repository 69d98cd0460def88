//! Limits of processes and memory, start-up snapshots.

mod snapshot;
