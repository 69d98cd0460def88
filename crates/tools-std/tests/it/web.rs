//! WebFetch and WebSearch against servers of this machine.

mod fetching;
#[cfg(all(feature = "images", feature = "pdf"))]
mod files;
mod guarding;
mod searching;
mod server;
