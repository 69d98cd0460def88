//! PowerShell.
