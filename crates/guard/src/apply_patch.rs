//! Patches inside command lines: Codex applies `apply_patch <<'EOF' ...` itself, also behind `cd d &&`, and the event only
//! says `Bash`.

use crate::doubt::When;
use crate::patch::{How, parse};
use crate::tools::{Mapped, call, joined, places};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// Programs that only look at a file of that name.
const LOOKERS: [&str; 14] = [
    "cat", "echo", "file", "git", "grep", "head", "less", "ls", "man", "printf", "rg", "tail", "type",
    "which",
];

/// The calls of a patch that is applied in `cwd`.
pub(crate) fn of_patch(text: &str, cwd: &Path) -> Mapped {
    let patch = parse(text);
    let mut mapped = Mapped::default();
    for file in &patch.files {
        for place in places(&file.path, cwd) {
            let mut input = Map::from_iter([("file_path".to_owned(), Value::String(place))]);
            let (tool, fields): (_, &[&str]) = match file.how {
                How::Written => ("Write", &["content"]),
                How::Changed => ("Edit", &["old_string", "new_string"]),
            };
            for field in fields {
                input.insert((*field).to_owned(), Value::String(String::new()));
            }
            mapped.calls.push(call(tool, input, cwd));
        }
    }
    if let Some(reason) = patch.unclear {
        mapped.doubt(When::Always, reason);
    }
    mapped
}

/// The calls of the patches in a command line that runs in `cwd`; none when it applies no patch.
pub(crate) fn of_line(line: &str, cwd: &Path) -> Mapped {
    let mut mapped = Mapped::default();
    if !(line.contains("apply_patch") || line.contains("applypatch")) {
        return mapped;
    }
    let (mut rest, mut shell) = (line, String::new());
    let mut found = 0_usize;
    while let Some((before, from)) = rest.find(BEGIN).and_then(|at| rest.split_at_checked(at)) {
        let end = from.find(END).map_or(from.len(), |end| end + END.len());
        let (text, after) = from.split_at_checked(end).unwrap_or((from, ""));
        shell.push_str(before);
        let folders = Folders::of(&shell, cwd);
        for folder in &folders.all {
            let of_this = of_patch(text, folder);
            let names_values = of_this.calls.iter().any(|call| call.input.to_string().contains(['$', '`']));
            mapped.calls.extend(of_this.calls);
            mapped.doubts.extend(of_this.doubts);
            if names_values {
                mapped.doubt(When::Always, "which file the patch changes cannot be told");
            }
        }
        if !folders.is_certain {
            mapped.doubt(When::Always, "in which folder the patch is applied cannot be told");
        }
        found += 1;
        shell.push('\n');
        rest = after;
    }
    shell.push_str(rest);
    let starts = segments(&shell).filter(|segment| runs_patch(segment)).count();
    if starts > found {
        mapped.doubt(When::Always, "which patch the command applies cannot be told");
    }
    mapped
}

/// Where a patch may be applied.
struct Folders {
    all: Vec<PathBuf>,
    is_certain: bool,
}

impl Folders {
    /// After the `cd`s of `shell`, which stands before the patch.
    fn of(shell: &str, cwd: &Path) -> Self {
        let mut folder = cwd.to_path_buf();
        let mut is_certain = true;
        for segment in segments(shell) {
            let (word, argument) = segment.split_once(char::is_whitespace).unwrap_or((segment, ""));
            match word {
                "cd" => match literal(argument.trim()) {
                    Some(argument) => folder = joined(&folder, argument),
                    None => is_certain = false,
                },
                "pushd" | "popd" => is_certain = false,
                _ => {}
            }
        }
        let mut all = vec![folder];
        // A `cd` that may not have happened, or not for the patch.
        let is_chain = !(shell.contains(';')
            || shell.contains('|')
            || shell.contains('(')
            || shell.trim().contains('\n'));
        if !is_chain && all.iter().all(|folder| folder != cwd) {
            all.push(cwd.to_path_buf());
        }
        Self { all, is_certain }
    }
}

/// The parts between the operators of a line; quotes are not looked at.
fn segments(shell: &str) -> impl Iterator<Item = &str> {
    shell
        .split(['\n', ';', '&', '|', '(', ')', '{', '}', '`'])
        .map(str::trim)
        .filter(|segment| !segment.is_empty())
}

/// The one word that `argument` is, without its quotes; `None` when the shell makes something of it.
fn literal(argument: &str) -> Option<&str> {
    let inner = ['\'', '"'].into_iter().find_map(|quote| argument.strip_prefix(quote)?.strip_suffix(quote));
    let is_quoted = inner.is_some();
    let word = inner.unwrap_or(argument);
    let odd = ['$', '`', '\\', '\'', '"', '<', '>', '\n', '\0'];
    let unquoted_odd = [' ', '\t', '*', '?', '[', '~'];
    let is_plain = !word.is_empty() && word != "-" && !word.starts_with('-') && !word.contains(odd);
    (is_plain && (is_quoted || !word.contains(unquoted_odd))).then_some(word)
}

/// Whether a part of a line may start the program.
fn runs_patch(segment: &str) -> bool {
    let mut words = segment
        .split(|c: char| c.is_whitespace() || c == '\'' || c == '"')
        .filter(|word| !word.is_empty())
        .skip_while(|word| word.contains('=') && !word.starts_with('='));
    let Some(first) = words.next() else { return false };
    let base = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let is_patch = |word: &str| matches!(base(word).as_str(), "apply_patch" | "applypatch");
    is_patch(first) || !LOOKERS.contains(&base(first).as_str()) && words.any(is_patch)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> (Vec<String>, usize) {
        let mapped = of_line(line, Path::new("/w"));
        let text = |call: &crate::Call| call.input["file_path"].as_str().unwrap().to_owned();
        (mapped.calls.iter().map(text).collect(), mapped.doubts.len())
    }

    fn patch(path: &str) -> String {
        format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch")
    }

    #[test]
    fn a_patch_of_a_here_document_is_read_in_its_folder() {
        for (before, file) in [
            ("apply_patch <<'EOF'\n", "/w/k"),
            ("cd secret && apply_patch <<'EOF'\n", "/w/secret/k"),
            ("cd 'a b' && cd \"c\" && applypatch <<EOF\n", "/w/a b/c/k"),
            ("cd /x && apply_patch '", "/x/k"),
        ] {
            let line = format!("{before}{}\nEOF", patch("k"));
            assert_eq!(of(&line), (vec![file.to_owned()], 0), "{line}");
        }
        let either = format!("cd d; apply_patch <<'EOF'\n{}\nEOF", patch("k"));
        assert_eq!(of(&either), (vec!["/w/d/k".to_owned(), "/w/k".to_owned()], 0));
        let two = format!("apply_patch <<'A'\n{}\nA\napply_patch <<'B'\n{}\nB", patch("x"), patch("y"));
        assert_eq!(of(&two), (vec!["/w/x".to_owned(), "/w/y".to_owned()], 0));
    }

    #[test]
    fn what_cannot_be_told_is_a_doubt() {
        for line in [
            "apply_patch < p".to_owned(),
            "cat p | apply_patch".to_owned(),
            "apply_patch \"$(cat p)\"".to_owned(),
            "env X=1 apply_patch p".to_owned(),
            "bash -c 'apply_patch p'".to_owned(),
            "apply_patch $'*** Begin Patch\\n*** Add File: a\\n*** End Patch'".to_owned(),
            format!("cd $d && apply_patch <<'EOF'\n{}\nEOF", patch("k")),
            format!("cd - && apply_patch <<'EOF'\n{}\nEOF", patch("k")),
            format!("apply_patch <<EOF\n{}\nEOF", patch("$x")),
            format!("apply_patch <<'A'\n{}\nA\napply_patch < p", patch("x")),
        ] {
            assert!(of(&line).1 > 0, "{line}");
        }
    }

    #[test]
    fn a_line_that_only_mentions_it_is_none() {
        for line in
            ["ls", "grep -rn apply_patch src", "which apply_patch", "cargo test apply_patch_works", "rm x"]
        {
            assert_eq!(of(line), (vec![], 0), "{line}");
        }
    }
}
