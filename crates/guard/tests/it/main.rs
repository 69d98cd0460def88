//! Tests of the crate as a user of it sees it.
