//! The standard tools of pegboard: Read, Write, Edit, Glob, Grep, Bash.
