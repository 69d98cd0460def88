//! What the letters of the tables cannot say, a file a family of programs.

pub(super) mod archives;
pub(super) mod awk;
pub(super) mod builtins;
pub(super) mod containers;
pub(super) mod copies;
pub(super) mod env;
pub(super) mod find;
pub(super) mod git;
pub(super) mod git_remote;
pub(super) mod git_starts;
pub(super) mod interpreters;
pub(super) mod lists;
pub(super) mod network;
pub(super) mod opaque;
pub(super) mod packages;
pub(super) mod plain_words;
pub(super) mod runners;
pub(super) mod sed;
pub(super) mod shells;
pub(super) mod wrappers;
pub(super) mod writers;
pub(super) mod xargs;
