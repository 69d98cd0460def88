//! Lines that stand for text which a model left out, such as `// ... rest of the code unchanged`. Written
//! into a file they would replace that text.

mod replacing;

/// Longer lines say something.
const LONGEST: usize = 100;

/// What begins a comment behind code.
const COMMENTS_BEHIND: &[&str] = &["//", "#", "--", "/*", "{/*", "<!--", ";", "%"];

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

/// The first line of `new` that stands for omitted text and is no line of the file `before`. `replaced` is the part of
/// the file that `new` replaces.
pub(crate) fn marker<'n>(new: &'n str, before: &str, replaced: &str) -> Option<&'n str> {
    let is_new = |line: &str| !before.lines().any(|known| known.trim() == line);
    let certain = new.lines().map(str::trim).find(|line| is_marker(line) && is_new(line));
    certain.or_else(|| replacing::marker(new, replaced, is_new))
}

/// Whether a trimmed line is nothing but an omission, or ends in one as a comment.
fn is_marker(line: &str) -> bool {
    is_whole_marker(line)
        || comment_behind(line).is_some_and(|(comment, inner)| {
            is_whole_marker(comment) && (inner.starts_with("...") || inner.starts_with('\u{2026}'))
        })
}

/// The comment behind the code of a line, and what is in it.
fn comment_behind(line: &str) -> Option<(&str, &str)> {
    if line.len() > LONGEST {
        return None;
    }
    COMMENTS_BEHIND.iter().find_map(|start| {
        let at = line.find(&format!(" {start} "))?;
        let (code, comment) = (line.get(..at)?, line.get(at + 1..)?);
        // Not within a text.
        let is_code = !code.trim().is_empty() && code.matches('"').count() % 2 == 0;
        is_code.then(|| (comment, comment.get(start.len()..).unwrap_or_default().trim()))
    })
}

/// Whether a trimmed line is a comment, or a text in brackets or after dots, of nothing but words of an omission.
fn is_whole_marker(line: &str) -> bool {
    if line.len() > LONGEST {
        return false;
    }
    let (comment, inner) = without_comment(line);
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
    let words = words_of(inner);
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

/// What the signs of a comment hold, and whether there are any.
fn without_comment(line: &str) -> (Option<&str>, &str) {
    let comment = COMMENTS.iter().find_map(|start| line.strip_prefix(start));
    let inner = comment.unwrap_or(line).trim();
    (comment, ENDS.iter().find_map(|end| inner.strip_suffix(end)).unwrap_or(inner).trim())
}

fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
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
            "fn a() {} // ... existing code ...",
            "def a(): pass  # ... rest of the function",
            "SELECT 1 -- ... rest of the query unchanged",
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
            "let mark = \"x // ... existing code ...\";",
            "run(); // ... and then the rest of it fails",
            "load(); // existing users keep their code",
            "call(...args) // ... more",
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
        let new = format!("a\n  {line}\n");
        assert_eq!(marker(&new, "a\n", "a\n"), Some(line));
        assert_eq!(marker(&new, &format!("{line}\n"), "a\n"), None);
    }
}
