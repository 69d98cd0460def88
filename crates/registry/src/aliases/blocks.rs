//! SEARCH/REPLACE blocks. What is not plainly a block is an error: an edit is never guessed.

use pegboard_tool_core::InvalidInput;

/// One block: whole lines, each with its end.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Block {
    pub old: String,
    pub new: String,
}

enum Mark {
    Search,
    Separator,
    Replace,
}

/// The blocks of a diff.
///
/// # Errors
/// When there is text outside of blocks, a block does not end, or where it is parted cannot be told.
pub(super) fn parse(diff: &str) -> Result<Vec<Block>, InvalidInput> {
    let mut found: Vec<Block> = Vec::new();
    let mut inside: Option<Vec<&str>> = None;
    // A text that ends with a line end has no line after it.
    for line in diff.strip_suffix('\n').unwrap_or(diff).split('\n') {
        let number = found.len() + 1;
        match (&mut inside, mark(line)) {
            (None, Some(Mark::Search)) => inside = Some(Vec::new()),
            (None, None) if line.trim().is_empty() => {}
            (None, _) => {
                let text = format!(
                    "`diff` has text outside of a SEARCH/REPLACE block, before block {number}: `{}`",
                    short(line)
                );
                return Err(InvalidInput::new(text));
            }
            (Some(_), Some(Mark::Search)) => return Err(unended(number)),
            (Some(lines), Some(Mark::Replace)) => {
                found.push(block(lines, number)?);
                inside = None;
            }
            (Some(lines), Some(Mark::Separator) | None) => lines.push(line),
        }
    }
    match inside {
        Some(_) => Err(unended(found.len() + 1)),
        None if found.is_empty() => Err(InvalidInput::new("`diff` has no SEARCH/REPLACE block")),
        None => Ok(found),
    }
}

/// A block from the lines between its marks.
fn block(lines: &[&str], number: usize) -> Result<Block, InvalidInput> {
    let separators = |length: Option<usize>| {
        let is = |line: &str| matches!(mark(line), Some(Mark::Separator));
        let fits = move |line: &str| is(line) && length.is_none_or(|length| line.trim_end().len() == length);
        lines
            .iter()
            .enumerate()
            .filter(move |(_, line)| fits(line))
            .map(|(index, _)| index)
            .collect::<Vec<_>>()
    };
    // A line of `=` may be text, as under a heading: then the one of the usual length parts the block.
    let all = separators(None);
    let usual = separators(Some(7));
    let at = match (all.as_slice(), usual.as_slice()) {
        ([only], _) | (_, [only]) => *only,
        ([], _) => {
            return Err(InvalidInput::new(format!("block {number} of `diff` has no line `=======`")));
        }
        _ => {
            let text = format!(
                "block {number} of `diff` has several lines of `=`, so where it is parted cannot be told; use Edit for it"
            );
            return Err(InvalidInput::new(text));
        }
    };
    let join = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let (old, new) = lines.split_at(at);
    Ok(Block { old: join(old), new: join(new.get(1..).unwrap_or_default()) })
}

/// The mark that a line is: three or more of its character, and its word. Both styles of it are known.
fn mark(line: &str) -> Option<Mark> {
    let line = line.trim_end();
    let first = line.chars().next()?;
    let rest = line.trim_start_matches(first);
    if line.len() - rest.len() < 3 {
        return None;
    }
    let word = rest.strip_suffix('>').unwrap_or(rest).trim();
    match (first, word) {
        ('-' | '<', "SEARCH") => Some(Mark::Search),
        ('=', "") if rest.is_empty() => Some(Mark::Separator),
        ('+' | '>', "REPLACE") => Some(Mark::Replace),
        _ => None,
    }
}

fn unended(number: usize) -> InvalidInput {
    InvalidInput::new(format!("block {number} of `diff` does not end with `+++++++ REPLACE`"))
}

fn short(line: &str) -> String {
    line.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_styles_of_marks_are_known() {
        let block = |old: &str, new: &str| Block { old: old.to_owned(), new: new.to_owned() };
        for (diff, expected) in [
            ("------- SEARCH\n  a\n\n=======\n  b\n+++++++ REPLACE\n", vec![block("  a\n\n", "  b\n")]),
            (
                "<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n\n------- SEARCH>\r\nb\r\n=======\r\nc\r\n+++++++ REPLACE>\r\n",
                vec![block("a\n", ""), block("b\r\n", "c\r\n")],
            ),
            ("--- SEARCH\n===\nnew\n+++ REPLACE", vec![block("", "new\n")]),
            (
                "------- SEARCH\nHead\n====\n=======\nHead 2\n======\n+++++++ REPLACE",
                vec![block("Head\n====\n", "Head 2\n======\n")],
            ),
        ] {
            assert_eq!(parse(diff).unwrap(), expected, "{diff}");
        }
    }

    #[test]
    fn an_edit_is_never_guessed() {
        for (diff, says) in [
            ("", "no SEARCH/REPLACE block"),
            ("hello", "outside of a SEARCH/REPLACE block"),
            ("=======\n", "outside of a SEARCH/REPLACE block"),
            ("------- SEARCH\na\n", "block 1 of `diff` does not end"),
            ("------- SEARCH\na\n=======\nb\n", "block 1 of `diff` does not end"),
            ("------- SEARCH\na\n=======\nb\n+++++++ REPLACE\nrest", "before block 2: `rest`"),
            ("------- SEARCH\na\n+++++++ REPLACE", "has no line `=======`"),
            ("------- SEARCH\na\n=======\nb\n------- SEARCH\nc\n=======\nd\n+++++++ REPLACE", "does not end"),
            ("------- SEARCH\na\n=======\nb\n=======\nc\n+++++++ REPLACE", "several lines of `=`"),
        ] {
            let error = parse(diff).unwrap_err();
            assert!(error.text.contains(says), "{diff:?}: {}", error.text);
        }
    }
}
