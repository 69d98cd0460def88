//! Other names for the tools: calls in their own form.
