//! LSP against real language servers.
