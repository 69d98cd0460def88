//! WebFetch and WebSearch against local servers.
