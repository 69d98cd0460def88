//! Fakes and conformance suites for the ports of pegboard.
