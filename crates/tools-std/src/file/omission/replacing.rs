//! Lines that may stand for omitted text, such as `// ...` or `# the rest stays the same`, and may be what they say.
//! They count where they are put in the place of much more text.

use super::{FILLERS, KEPT, THINGS};
use super::{LEFT, LONGEST, comment_behind, is_whole_marker, without_comment, words_of};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Fewer lines than these, and nobody leaves them out.
const FEWEST_LOST: usize = 3;
/// Lines of both sides that are compared one by one; of more all that differ are one part.
const MAX_COMPARED: usize = 2_000;

/// The first line of `new` that may be an omission, `is_new`, and stands where `replaced` has at least twice as many
/// lines.
pub(super) fn marker<'n>(new: &'n str, replaced: &str, is_new: impl Fn(&str) -> bool) -> Option<&'n str> {
    let lines: Vec<&str> = new.lines().collect();
    let mut could_be = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let line = line.trim();
        if may_be_marker(line) && !is_body(&lines, index) && is_new(line) {
            could_be.push(line);
        }
    }
    if could_be.is_empty() {
        return None;
    }
    // Brackets and empty lines are alike everywhere.
    let counts = |line: &&str| line.chars().any(char::is_alphanumeric) || could_be.contains(line);
    let new: Vec<&str> = lines.iter().map(|line| line.trim()).filter(counts).collect();
    let old: Vec<&str> = replaced.lines().map(str::trim).filter(counts).collect();
    let parts = differing(&old, &new);
    parts.into_iter().find_map(|part| {
        let (lost, made) = (part.old_range().len(), part.new_range());
        let is_much = lost >= FEWEST_LOST && lost >= 2 * made.len();
        let made = new.get(made).unwrap_or_default();
        made.iter().find(|line| is_much && could_be.contains(line)).copied()
    })
}

/// The parts in which both differ.
fn differing(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let (old_len, new_len) = (old.len() - head - tail, new.len() - head - tail);
    if old_len.max(new_len) > MAX_COMPARED {
        return vec![DiffOp::Replace { old_index: head, old_len, new_index: head, new_len }];
    }
    capture_diff_slices(Algorithm::Myers, old, new)
}

/// Whether a trimmed line may be an omission: dots alone, or a comment that says that something stays.
fn may_be_marker(line: &str) -> bool {
    if line.is_empty() || line.len() > LONGEST {
        return false;
    }
    let (comment, inner) = without_comment(line);
    let is_dots = |text: &str| {
        let text = text.trim();
        let dots = text.chars().filter(|c| *c == '.').count();
        let is_all = text.chars().all(|c| matches!(c, '.' | '\u{2026}' | ' '));
        is_all && (dots == 3 || dots == 6 || dots == 0 && text.contains('\u{2026}'))
    };
    let bracketed = [('[', ']'), ('(', ')'), ('<', '>'), ('{', '}')]
        .iter()
        .find_map(|(open, close)| inner.strip_prefix(*open)?.strip_suffix(*close));
    if is_dots(bracketed.unwrap_or(inner)) {
        return true;
    }
    if let Some((behind, inner)) = comment_behind(line) {
        return is_dots(inner) || is_whole_marker(behind) || says_kept(inner);
    }
    comment.is_some() && says_kept(inner)
}

/// Whether words, none of which says anything else, say that something is as it was.
fn says_kept(text: &str) -> bool {
    let words = words_of(text);
    let is = |set: &[&str], word: &str| set.contains(&word);
    let has = |wanted: &[&str]| words.iter().any(|word| is(wanted, word));
    let is_all_known = words.iter().all(|word| is(THINGS, word) || is(LEFT, word) || is(FILLERS, word));
    let left = words.iter().filter(|word| is(LEFT, word)).count();
    is_all_known
        && left > 0
        && (has(KEPT) || has(&["keep", "kept"]))
        && (has(THINGS) || left > 1 || has(&["rest", "before", "above"]))
}

/// Whether dots are code: the body of what the line before begins, the end of a document, or the rest of an example.
fn is_body(lines: &[&str], index: usize) -> bool {
    let line = lines.get(index).copied().unwrap_or_default();
    if line.trim() != "..." {
        return false;
    }
    let before = lines.get(..index).unwrap_or_default().iter().rev().map(|line| line.trim());
    let before =
        before.into_iter().find(|line| !line.is_empty() && !line.starts_with(['#', '@'])).unwrap_or_default();
    let after = lines.get(index + 1..).unwrap_or_default().iter().find(|line| !line.trim().is_empty());
    let is_end_of_yaml = !line.starts_with([' ', '\t'])
        && after.is_none_or(|line| line.starts_with("---"))
        && lines.iter().any(|line| line.starts_with("---"));
    let is_after_doc = before.ends_with("\"\"\"") || before.ends_with("'''");
    let is_example = before.starts_with(">>>") || before.starts_with("... ");
    before.ends_with([':', '>']) || is_example || is_after_doc || is_end_of_yaml
}

#[cfg(test)]
mod tests {
    use super::super::marker;

    /// A file of this many lines, the last ones first.
    fn file(lines: usize) -> String {
        (0..lines).map(|line| format!("line {line}\n")).collect()
    }

    #[test]
    fn what_stands_in_the_place_of_much_more_text_is_an_omission() {
        for line in [
            "// ...",
            "...",
            "# ...",
            "\u{2026}",
            "/* ... */",
            "{/* ... */}",
            "<!-- ... -->",
            "[...]",
            "// rest stays the same",
            "# Keep the rest of the file as is",
            "-- previous code here --",
            "// Other fields remain unchanged",
            "// Previous code remains unchanged",
            "// same as before",
            "fn a() {} // ...",
            "fn a() {} // ... existing code ...",
            "x = 1  # rest unchanged",
        ] {
            for (new, old) in [
                (format!("line 0\n{line}\n"), file(500)),
                (format!("line 0\n    {line}\nline 9\n"), file(10)),
                (format!("line 0\nnew\n{line}\nline 9000\n"), file(9_001)),
                (
                    format!("fn a() {{\n\n    {line}\n}}\n"),
                    "fn a() {\n    b();\n\n    c();\n    d();\n}\n".to_owned(),
                ),
            ] {
                assert_eq!(marker(&new, &old, &old), Some(line), "{new}");
                // Text that was there, or that takes nothing away.
                assert_eq!(marker(&new, &format!("{old}{line}\n"), &old), None, "{new}");
            }
        }
        for line in ["// ...", "...", "# rest stays the same"] {
            for (new, old) in [
                (format!("line 0\n{line}\nline 1\n"), file(2)),
                (format!("line 0\n{line}\nline 2\n"), file(3)),
                (format!("{}{line}\n", file(500)), file(500)),
                (format!("{line}\n{}", file(300)), file(500)),
            ] {
                assert_eq!(marker(&new, &old, &old), None, "{line} in {} lines", new.lines().count());
            }
        }
    }

    #[test]
    fn ordinary_lines_are_none_however_short_the_new_text_is() {
        for new in [
            "def a(self) -> int:\n    ...\n",
            "class A(Protocol):\n    @overload\n    def a(self): ...\n",
            "def a(\n    b,\n):\n    \"\"\"Says.\"\"\"\n    ...\n",
            "---\nkey: 1\n...\n",
            ">>> for x in y:\n...     pass\n...\n",
            "call(...args);\n",
            "let [a, ...rest] = b;\n",
            "{...props}\n",
            "fn a(fmt: *const u8, ...);\n",
            "# The rest of the file is a table.\n",
            "# other imports\n",
            "Keep the rest of the file as is.\n",
            "// TODO: keep the existing tests\n",
            "// Loading...\n",
            "..\n",
            "....\n",
            "1...5\n",
            "for i in 0..10 {} // the rest is skipped\n",
            "print(\"# rest stays the same\")\n",
        ] {
            assert_eq!(marker(new, &file(500), &file(500)), None, "{new}");
        }
    }
}
