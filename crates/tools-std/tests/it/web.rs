//! WebFetch and WebSearch against servers of this machine.

mod fetching;
mod guarding;
mod searching;
mod server;
