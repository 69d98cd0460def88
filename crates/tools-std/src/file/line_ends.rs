//! Line ends of a text that replaces another one: lines that stay keep theirs, new ones follow the line
//! before them.

use similar::{Algorithm, capture_diff_slices};

/// Lines on both sides that are compared one by one; beyond, lines follow the habit of the file.
const MAX_COMPARED: usize = 20_000;

/// Whether the lines of a text end in `\r` alone, as on old systems: it has no `\n` at all.
pub(crate) fn ends_in_cr(text: &str) -> bool {
    memchr::memchr(b'\n', text.as_bytes()).is_none() && memchr::memchr(b'\r', text.as_bytes()).is_some()
}

/// `new`, whose lines end in `\n`, with the line ends of `old`. A text that has `\r\n` itself, or one for a
/// file without any, stays as it is.
pub(crate) fn like(old: &str, new: &str) -> String {
    if ends_in_cr(old) && !new.contains('\r') {
        return new.replace('\n', "\r");
    }
    let crlf = old.matches("\r\n").count();
    if crlf == 0 || new.contains("\r\n") {
        return new.to_owned();
    }
    let ends = old.matches('\n').count();
    if crlf == ends {
        return new.replace('\n', "\r\n");
    }
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    if old_lines.len().max(new_lines.len()) > MAX_COMPARED {
        return if crlf * 2 > ends { new.replace('\n', "\r\n") } else { new.to_owned() };
    }
    // Which line of the old text each line of the new one is.
    let mut stays: Vec<Option<usize>> = vec![None; new_lines.len()];
    for op in capture_diff_slices(Algorithm::Myers, &old_lines, &new_lines) {
        if let similar::DiffOp::Equal { old_index, new_index, len } = op {
            stays
                .iter_mut()
                .skip(new_index)
                .take(len)
                .zip(old_index..)
                .for_each(|(line, old)| *line = Some(old));
        }
    }
    let mut old_ends: Vec<&str> = Vec::with_capacity(old_lines.len());
    for line in old.split_inclusive('\n') {
        let unended = old_ends.last().copied().unwrap_or("\n");
        old_ends.push(if line.ends_with("\r\n") {
            "\r\n"
        } else if line.ends_with('\n') {
            "\n"
        } else {
            unended
        });
    }
    let mut last = old_ends.first().copied().unwrap_or("\n");
    let mut out = String::with_capacity(new.len() + crlf);
    for (line, stays) in new.split_inclusive('\n').zip(stays) {
        if let Some(end) = stays.and_then(|index| old_ends.get(index)) {
            last = end;
        }
        match line.strip_suffix('\n') {
            Some(text) => {
                out.push_str(text);
                out.push_str(last);
            }
            None => out.push_str(line),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_that_stay_keep_their_ends() {
        for (old, new, expected) in [
            ("a\r\nb\r\n", "a\nx\nb\n", "a\r\nx\r\nb\r\n"),
            ("a\r\nb\nc\r\n", "a\nb\nc\n", "a\r\nb\nc\r\n"),
            ("a\r\nb\nc\r\n", "a\nx\nb\ny\nc", "a\r\nx\r\nb\ny\nc"),
            ("a\nb\n", "a\nc\n", "a\nc\n"),
            ("a\r\nb\n", "a\r\nb\r\n", "a\r\nb\r\n"),
            ("a\r\nb", "a\nb\n", "a\r\nb\r\n"),
            ("a\rb\r", "a\nx\nb\n", "a\rx\rb\r"),
            ("a\rb\r", "a\rx\n", "a\rx\n"),
        ] {
            assert_eq!(like(old, new), expected, "{old:?} {new:?}");
        }
    }

    proptest! {
        #[test]
        fn the_same_text_keeps_every_byte(text in "([ab]{0,2}(\r\n|\n)){0,8}[ab]?") {
            prop_assert_eq!(like(&text, &text.replace("\r\n", "\n")), text);
        }

        #[test]
        fn only_line_ends_differ(old in "([ab]{0,2}(\r\n|\n)){0,8}", new in "([ab]{0,2}\n){0,8}[ab]?") {
            prop_assert_eq!(like(&old, &new).replace("\r\n", "\n"), new);
        }
    }
}
