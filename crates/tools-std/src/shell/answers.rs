//! Programs whose exit code 1 is an answer and no failure, whatever shell runs them.

/// What code 1 says of `program` (its base name) with the words `rest`; `None` where it is a failure.
pub(crate) fn of_one(program: &str, rest: &[String]) -> Option<&'static str> {
    match program {
        "grep" | "rg" | "egrep" | "fgrep" => Some("no matches"),
        "git" => match git_subcommand(rest)? {
            "diff" => Some("there are differences"),
            "grep" => Some("no matches"),
            _ => None,
        },
        _ => None,
    }
}

/// The subcommand of git, after its own options.
fn git_subcommand(words: &[String]) -> Option<&str> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => {
                words.next();
            }
            option if option.starts_with('-') => {}
            subcommand => return Some(subcommand),
        }
    }
    None
}
