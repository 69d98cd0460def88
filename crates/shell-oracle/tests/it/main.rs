//! The shell analysis against real bash.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod bash;
mod naive;
mod root;
