//! Tests that need what a machine may not have.

/// Says that a test is left out because `what` is missing here. `required` names what must not be missing, with
/// blanks between, such as `pdftoppm git`; `all` is everything.
///
/// # Panics
/// When `what` is required: a test must not pass by doing nothing where everything it needs was promised.
#[expect(clippy::print_stderr, reason = "a test that did not run says so")]
pub fn left_out(what: &str, required: &str) {
    let is_required = required.split_whitespace().any(|name| name == what || name == "all");
    assert!(!is_required, "{what} is required and missing");
    eprintln!("left out: {what} is missing");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_must_be_there() {
        left_out("node", "");
        left_out("node", "git nodejs");
        for required in ["node", "git node", "all"] {
            assert!(std::panic::catch_unwind(|| left_out("node", required)).is_err(), "{required}");
        }
    }
}
