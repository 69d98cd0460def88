//! The fakes pass the suites of their ports, and the suites catch those that do not.

mod caught;
mod fakes;
