//! Lines that stand for text which a model left out, such as `// ... rest of the code unchanged`. Written
//! into a file they would replace that text.

/// What begins a comment, longest first.
const COMMENTS: &[&str] = &[
    "{/*", "<!--", "/**", "///", "//!", "/*", "//", "--", "##", "#", ";;", ";", "%", "*", "\"\"\"", "'''",
    "(*", "REM ", "rem ",
];
const ENDS: &[&str] = &["*/}", "-->", "*/", "\"\"\"", "'''", "*)"];

/// What was left out, in the words of models.
const THINGS: &[&str] = &[
    "code",
    "file",
    "function",
    "functions",
    "method",
    "methods",
    "class",
    "classes",
    "content",
    "contents",
    "implementation",
    "implementations",
    "import",
    "imports",
    "lines",
    "logic",
    "section",
    "sections",
    "test",
    "tests",
    "text",
    "document",
    "config",
    "configuration",
    "body",
    "fields",
    "properties",
    "styles",
    "component",
    "components",
    "module",
    "script",
    "definitions",
    "entries",
    "items",
    "cases",
    "routes",
    "rules",
    "parts",
];

/// What happened to it.
const LEFT: &[&str] =
    &["existing", "rest", "remaining", "previous", "unchanged", "other", "same", "omitted", "original"];

/// Words that may stand beside those.
const FILLERS: &[&str] = &[
    "the",
    "of",
    "your",
    "this",
    "all",
    "is",
    "are",
    "as",
    "before",
    "here",
    "goes",
    "remains",
    "remain",
    "stays",
    "stay",
    "keep",
    "kept",
    "above",
    "below",
    "for",
    "brevity",
    "in",
    "and",
    "with",
    "no",
    "changes",
    "unmodified",
    "to",
    "be",
    "continues",
    "until",
    "end",
    "stuff",
];

/// The first line of `new` that stands for omitted text and is no line of `before`.
pub(crate) fn marker<'n>(new: &'n str, before: &str) -> Option<&'n str> {
    new.lines()
        .map(str::trim)
        .find(|line| is_marker(line) && !before.lines().any(|known| known.trim() == *line))
}

/// Whether a trimmed line is a comment, or a text in brackets or after dots, of nothing but words of an omission.
fn is_marker(line: &str) -> bool {
    // Longer lines say something.
    if line.len() > 100 {
        return false;
    }
    let comment = COMMENTS.iter().find_map(|start| line.strip_prefix(start));
    let inner = comment.unwrap_or(line).trim();
    let inner = ENDS.iter().find_map(|end| inner.strip_suffix(end)).unwrap_or(inner).trim();
    let bracketed = [('[', ']'), ('(', ')'), ('<', '>'), ('{', '}')]
        .iter()
        .find_map(|(open, close)| inner.strip_prefix(*open)?.strip_suffix(*close));
    let inner = bracketed.unwrap_or(inner).trim();
    let has_dots = inner.contains("...") || inner.contains('\u{2026}');
    if comment.is_none()
        && bracketed.is_none()
        && !(inner.starts_with("...") || inner.starts_with('\u{2026}'))
    {
        return false;
    }
    let words: Vec<String> = inner
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let is = |set: &[&str], word: &String| set.contains(&word.as_str());
    let all_known = words.iter().all(|word| is(THINGS, word) || is(LEFT, word) || is(FILLERS, word));
    let left = words.iter().filter(|word| is(LEFT, word)).count();
    let things = words.iter().any(|word| is(THINGS, word));
    let says_kept = words.iter().any(|word| {
        matches!(
            word.as_str(),
            "unchanged"
                | "same"
                | "omitted"
                | "remains"
                | "remain"
                | "here"
                | "goes"
                | "stays"
                | "unmodified"
        )
    });
    all_known && left > 0 && (things && (has_dots || says_kept) || has_dots && left > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_known_and_comments_are_not() {
        for line in [
            "// ... rest of code unchanged",
            "// ... existing code ...",
            "# ... existing code ...",
            "# existing code here",
            "/* ... rest of the file remains the same ... */",
            "<!-- rest of the content unchanged -->",
            "{/* ... existing code ... */}",
            "-- ... remaining functions ...",
            "# ... (rest of the code remains the same)",
            "... rest of the file ...",
            "[rest of file unchanged]",
            "// Previous code remains unchanged",
            "// \u{2026} other methods \u{2026}",
            "// Rest of your existing code here",
            "... rest unchanged ...",
        ] {
            assert!(is_marker(line), "{line}");
        }
        for line in [
            "// ...",
            "...",
            "// the rest of the code handles errors",
            "# existing users keep their rights",
            "// TODO: test the remaining cases",
            "# other imports",
            "// same as before",
            "/// Returns the rest of the file.",
            "let rest = file.rest();",
            "rest of the code unchanged",
            "# Remaining lines are comments...",
            "# Other",
            "* text",
            "",
            "def f(*args, **kwargs): ...",
            "# The existing file is kept.",
            "- [existing code](docs/code.md)",
        ] {
            assert!(!is_marker(line), "{line}");
        }
    }

    #[test]
    fn what_the_file_has_already_is_no_marker() {
        let line = "// ... existing code ...";
        assert_eq!(marker(&format!("a\n  {line}\n"), "a\n"), Some(line));
        assert_eq!(marker(&format!("a\n  {line}\n"), &format!("{line}\n")), None);
    }
}
