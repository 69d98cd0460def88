//! Ignore files: what they close is closed to every tool.
