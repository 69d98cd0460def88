//! Commands that only look: they run without asking in every mode, unless a rule says otherwise. The
//! list of programs is closed: one that is not known here asks, and so do options that write, run or
//! reach out.

/// Whether the words (the program first, an unquoted glob as written) only look.
pub(crate) fn is_read_only(words: &[&str], has_glob: bool) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    match *program {
        "pwd" | "true" | "false" | "whoami" | "echo" => true,
        "ls" | "cat" | "head" | "tail" | "stat" | "which" => true,
        "wc" | "du" => !rest.iter().any(|word| is_long(word, "--files0-from", 3)),
        "diff" => !rest.iter().any(|word| is_long(word, "--from-file", 4) || is_long(word, "--to-file", 3)),
        "grep" => true,
        "cd" => rest.len() <= 1 && !has_glob && !rest.iter().any(|word| word.starts_with('-')),
        "rg" => rest.iter().all(|word| rg_word(word)),
        "find" => !has_glob && rest.iter().all(|word| find_word(word)),
        "sort" => !has_glob && sort_words(rest),
        "file" => rest.iter().all(|word| file_word(word)),
        "sed" => {
            !has_glob
                && matches!(rest, ["-n", script, files @ ..] if sed_prints(script) && files.iter().all(|file| !file.starts_with('-')))
        }
        "git" => !has_glob && git_words(rest),
        _ => false,
    }
}

/// Whether `word` is the long option `name` or an abbreviation of it of at least `least` characters.
fn is_long(word: &str, name: &str, least: usize) -> bool {
    let given = word.split('=').next().unwrap_or_default();
    given.len() >= least && (name.starts_with(given) || given.starts_with(name))
}

fn rg_word(word: &str) -> bool {
    let is_bad_long = ["--pre", "--hostname-bin", "--search-zip"].iter().any(|bad| word.starts_with(bad));
    let is_cluster = word.starts_with('-') && !word.starts_with("--");
    !(is_bad_long || is_cluster && word.contains('z'))
}

fn find_word(word: &str) -> bool {
    !(word.starts_with("-D")
        || matches!(word, "-exec" | "-execdir" | "-ok" | "-okdir" | "-delete" | "-fls" | "-files0-from")
        || word.starts_with("-fprint"))
}

fn sort_words(rest: &[&str]) -> bool {
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix('-') else { continue };
        let is_fine = match option {
            "" | "-" => true,
            "k" | "t" => words.next().is_some(),
            _ if option.starts_with('-') => matches!(
                option,
                "-reverse"
                    | "-unique"
                    | "-numeric-sort"
                    | "-ignore-case"
                    | "-human-numeric-sort"
                    | "-version-sort"
                    | "-check"
                    | "-stable"
            ),
            _ if option.starts_with('t') => option.chars().count() == 2,
            _ if option.starts_with('k') => {
                option.chars().skip(1).all(|c| c.is_ascii_digit() || ".,bdfgiMhnRrV".contains(c))
            }
            _ => option.chars().all(|c| "bdfgiMhnRrVuzcCms".contains(c)),
        };
        if !is_fine {
            return false;
        }
    }
    true
}

fn file_word(word: &str) -> bool {
    match word.strip_prefix('-') {
        None | Some("") => true,
        Some(option) if option.starts_with('-') => {
            matches!(option, "-" | "-brief" | "-mime" | "-mime-type" | "-mime-encoding")
        }
        Some(cluster) => cluster.chars().all(|c| "bikLhNr0I".contains(c)),
    }
}

/// `5p`, `$p`, `1,20p`.
fn sed_prints(script: &str) -> bool {
    let is_address =
        |text: &str| text == "$" || !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    script.strip_suffix('p').is_some_and(|range| match range.split_once(',') {
        Some((from, to)) => is_address(from) && is_address(to),
        None => is_address(range),
    })
}

fn git_words(rest: &[&str]) -> bool {
    let globals =
        rest.iter().take_while(|word| matches!(**word, "--no-pager" | "--no-optional-locks")).count();
    let Some((command, rest)) = rest.get(globals..).and_then(<[&str]>::split_first) else { return false };
    let is_bad = |word: &&&str| {
        let bad = [
            "--output",
            "--ext-diff",
            "--textconv",
            "--no-index",
            "--open-files-in-pager",
            "--exec",
            "--config",
            "--contents",
            "--ignore-revs-file",
            "--upload-pack",
            "--filters",
            "--paginate",
        ];
        word.starts_with("--") && word.len() > 2 && bad.iter().any(|bad| is_long(word, bad, 3))
            || word.starts_with("-O")
    };
    if rest.iter().find(is_bad).is_some() {
        return false;
    }
    match *command {
        "status" | "log" | "diff" | "show" | "rev-parse" | "ls-files" | "describe" => true,
        "branch" => rest.iter().all(|word| {
            matches!(
                *word,
                "-a" | "-r"
                    | "-v"
                    | "-vv"
                    | "--all"
                    | "--remotes"
                    | "--list"
                    | "--verbose"
                    | "--show-current"
            )
        }),
        "tag" => rest.iter().all(|word| matches!(*word, "-l" | "--list")),
        "remote" => matches!(rest, [] | ["-v" | "--verbose"]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_looking_commands_are_read_only() {
        for (line, expected) in [
            ("ls -la", true),
            ("git status", true),
            ("git --no-pager log -1", true),
            ("git log --oneline", true),
            ("git log --output=x", false),
            ("git log --outp x", false),
            ("git -p status", false),
            ("git -c a=b status", false),
            ("git -C x status", false),
            ("git branch -D x", false),
            ("git diff --no-index a b", false),
            ("git diff --ext-diff", false),
            ("find . -name x", true),
            ("find . -delete", false),
            ("sort -k 2,2n a", true),
            ("sort --o=x a", false),
            ("sort -o x a", false),
            ("sort -S 1k --compress-program=./p a", false),
            ("rg --pre x y", false),
            ("sed -n 1,5p a", true),
            ("sed s/x/y/ a", false),
            ("./sed -n 1p a", false),
            ("printenv", false),
            ("tee x", false),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(is_read_only(&words, false), expected, "{line}");
        }
        assert!(is_read_only(&["ls", "*.ts"], true));
        assert!(!is_read_only(&["sed", "-n", "1p", "*.txt"], true));
    }
}
