//! Finds, layers, trusts and writes back pegboard settings files, every value with its source, file and line.
