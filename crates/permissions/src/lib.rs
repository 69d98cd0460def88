//! Decides whether a tool call may run, and says which rule decided.
