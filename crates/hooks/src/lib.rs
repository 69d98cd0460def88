//! Runs what users attached to tool events, and reads their answers without ever failing open.
