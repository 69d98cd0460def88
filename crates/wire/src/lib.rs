//! Model API forms of tool calls, results and definitions.
