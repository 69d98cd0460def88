//! Repl, Tungsten, TerminalCapture.
