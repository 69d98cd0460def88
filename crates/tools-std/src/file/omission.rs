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
const LEFT: &[&str] = &[
    "existing",
    "rest",
    "remaining",
    "previous",
    "unchanged",
    "other",
    "same",
    "omitted",
    "original",
    "truncated",
];

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

/// That it is there still.
const KEPT: &[&str] =
    &["unchanged", "same", "omitted", "remains", "remain", "here", "goes", "stays", "unmodified"];

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
    let dots = |rest: &str| rest.starts_with("...") || rest.starts_with('\u{2026}');
    let ends_in_dots = inner.ends_with("...") || inner.ends_with('\u{2026}');
    let has_dots = inner.contains("...") || inner.contains('\u{2026}');
    let after_dots = inner.trim_start_matches(['.', '\u{2026}']);
    if comment.is_none() {
        // `...rest` and `{...rest}` are code.
        let is_spread = dots(inner) && !ends_in_dots && !after_dots.starts_with([' ', '\t']);
        if is_spread || bracketed.is_none() && !dots(inner) {
            return false;
        }
    }
    let words: Vec<String> = inner
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let is = |set: &[&str], word: &String| set.contains(&word.as_str());
    let is_known = |word: &&String| is(THINGS, word) || is(LEFT, word) || is(FILLERS, word);
    let all_known = words.iter().all(|word| is_known(&word));
    let left = words.iter().filter(|word| is(LEFT, word)).count();
    let things = words.iter().any(|word| is(THINGS, word));
    // A continued line of an interpreter begins with dots, too.
    let is_plain = comment.is_none()
        && bracketed.is_none()
        && !ends_in_dots
        && !after_dots.trim_start().starts_with('(');
    if dots(inner) && !is_plain && counts_what_is_left(&words, left) {
        return words.iter().filter(|word| !is_number(word) && *word != "more" && !is_known(word)).count()
            < 2;
    }
    let says_left = bracketed.is_some() && things || is_classic(&words);
    let says_kept = says_left && words.iter().any(|word| is(KEPT, word));
    all_known && left > 0 && (things && has_dots || says_kept || has_dots && left > 1)
}

/// Whether words after dots tell of something left out: by a word for it, or as lines that are counted.
fn counts_what_is_left(words: &[String], left: usize) -> bool {
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let counted = words.iter().any(|word| is_number(word));
    left > 0 || counted && (has("more") || has("lines")) || has("more") && words.len() == 2 && !has("and")
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether words name what is left out so that they need no dots: `rest of the code`, `existing code here`.
fn is_classic(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words == ["existing", "code", "here"] {
        return true;
    }
    let told: Vec<&str> =
        words.into_iter().filter(|word| !matches!(*word, "the" | "your" | "this" | "existing")).collect();
    matches!(told.as_slice(), ["rest", "of", "code" | "file" | "function" | "content", ..])
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
            "// ... 50 more lines",
            "// ... (lines 10-50 unchanged)",
            "[... 200 lines omitted ...]",
            "<!-- ... rest of the page ... -->",
            "-- ... rest of the query ...",
            "{/* ... existing JSX ... */}",
            "# ... (same as above)",
            "... (truncated)",
            "// rest of code unchanged",
            "// \u{2026} other methods \u{2026}",
            "// Rest of your existing code here",
            "... rest unchanged ...",
        ] {
            assert!(is_marker(line), "{line}");
        }
        for line in [
            "// ...",
            "...",
            "// Other fields remain unchanged",
            "# existing configuration unchanged",
            "// Unchanged lines",
            "// previous code here",
            "// Previous code remains unchanged",
            "// other tests remain the same as before",
            "...rest,",
            "{...existing}",
            "...other.items,",
            "... rest = more(rest)",
            "... print(rest)",
            "# ... and more",
            "# Loading remaining items...",
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
