//! Takes one tool call through seven phases and answers it with exactly one result.
