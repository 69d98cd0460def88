//! What well-known programs read, write and remove, told by their words.

/// Files that one command touches, as named on the line.
#[derive(Debug, Default)]
pub(crate) struct CommandFacts<'a> {
    /// Read, or looked through.
    pub(crate) reads: Vec<&'a str>,
    /// Whether folders among the reads are read with all that is below.
    pub(crate) is_deep: bool,
    /// Created, changed or removed.
    pub(crate) writes: Vec<String>,
    /// Targets of `rm` and `rmdir`.
    pub(crate) removes: Vec<&'a str>,
    /// Whether `acceptEdits` lets it run when every path is inside the working directories.
    pub(crate) is_edit: bool,
}

/// Looks at the words of one command, the program first.
pub(crate) fn facts<'a>(words: &[&'a str]) -> CommandFacts<'a> {
    let mut facts = CommandFacts::default();
    let Some((program, rest)) = words.split_first() else { return facts };
    let base = program.rsplit('/').next().unwrap_or_default();
    match base {
        "cat" | "head" | "tail" | "less" | "more" | "sort" | "uniq" | "wc" | "cut" | "diff" | "cmp"
        | "file" | "strings" | "xxd" | "od" | "hexdump" | "base64" | "base32" | "tac" | "nl" | "rev"
        | "paste" | "comm" | "join" | "column" | "fold" | "stat" | "ls" | "du" | "tee" | "md5sum"
        | "sha1sum" | "sha256sum" | "tar" | "zip" | "gzip" | "bat" | "vi" | "vim" | "nano" | "source"
        | "." | "split" | "shuf" | "iconv" | "expand" | "fmt" | "pr" | "zcat" => {
            facts.reads = paths(rest);
        }
        "find" => {
            let is_option = |word: &&&str| {
                matches!(**word, "-L" | "-H" | "-P") || word.starts_with("-O") || word.starts_with("-D")
            };
            let options = rest.iter().take_while(is_option).count();
            let starts = rest.iter().skip(options).take_while(|word| !word.starts_with(['-', '(', '!']));
            facts.reads = starts.copied().collect();
        }
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "awk" | "gawk" | "mawk" | "jq" | "yq" | "sed" => {
            facts.reads = after_script(rest);
            facts.is_deep = matches!(base, "rg" | "ag" | "ack")
                || base.ends_with("grep")
                    && has_flag(rest, &['r', 'R'], &["--recursive", "--dereference-recursive"]);
        }
        "cp" | "install" | "ln" | "rsync" | "scp" | "mv" => facts.reads = paths(rest),
        _ => {}
    }
    match base {
        "tee" | "touch" | "mkdir" | "truncate" | "shred" | "unlink" | "chmod" | "chown" | "chgrp" | "mv" => {
            facts.writes = paths(rest).into_iter().map(str::to_owned).collect();
        }
        "rm" | "rmdir" => {
            facts.removes = operands(rest);
            facts.writes = facts.removes.iter().map(|path| (*path).to_owned()).collect();
        }
        "cp" | "install" | "ln" | "rsync" | "scp" => {}
        "sed" if has_flag(rest, &['i'], &["--in-place"]) => {
            facts.writes = facts.reads.iter().map(|path| (*path).to_owned()).collect();
        }
        "dd" => {
            facts.writes =
                rest.iter().filter_map(|word| word.strip_prefix("of=")).map(str::to_owned).collect()
        }
        "sort" | "curl" | "wget" => {
            let outputs = rest.iter().zip(rest.iter().skip(1));
            facts.writes = outputs
                .filter(|(option, _)| matches!(**option, "-o" | "-O" | "--output"))
                .map(|(_, path)| (*path).to_owned())
                .collect();
        }
        _ => {}
    }
    if matches!(base, "cp" | "install" | "ln" | "rsync" | "scp" | "mv") {
        copy_targets(rest, &mut facts.writes);
    }
    facts.is_edit = match *program {
        "mkdir" | "touch" | "rm" | "rmdir" | "mv" | "cp" => true,
        "sed" => sed_is_plain(rest),
        _ => false,
    };
    facts
}

/// The target of a copy, and the names that the sources get in it when it is a folder.
fn copy_targets(rest: &[&str], writes: &mut Vec<String>) {
    let named = paths(rest);
    let Some((target, sources)) = named.split_last() else { return };
    writes.push((*target).to_owned());
    for source in sources {
        let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        writes.push(format!("{}/{name}", target.trim_end_matches('/')));
    }
    writes.extend(
        rest.iter()
            .filter(|word| word.starts_with('-'))
            .filter_map(|word| glued_path(word))
            .map(str::to_owned),
    );
}

/// Words that are no options.
fn operands<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    let mut only_operands = false;
    let mut found = Vec::new();
    for word in rest {
        if !only_operands && *word == "--" {
            only_operands = true;
        } else if only_operands || !word.starts_with('-') || *word == "-" {
            found.push(*word);
        }
    }
    found
}

/// Words that are or could be paths: operands, and values glued to an option.
fn paths<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    let mut found = operands(rest);
    found.extend(rest.iter().filter(|word| word.starts_with('-')).filter_map(|word| glued_path(word)));
    found.retain(|word| !word.is_empty() && *word != "-");
    found
}

/// `/x` of `--file=/x`, and of `-f/x` where it looks like a path.
pub(crate) fn glued_path(option: &str) -> Option<&str> {
    if let Some((_, value)) = option.split_once('=') {
        return Some(value);
    }
    let at = option.find(['/', '~', '.'])?;
    if option.starts_with("--") { None } else { option.get(at..) }
}

/// Operands of a program whose first operand is a pattern or script, unless an option gave it.
fn after_script<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    let all = paths(rest);
    let given = rest.iter().any(|word| {
        matches!(*word, "-e" | "-f" | "--regexp" | "--file" | "--expression" | "--from-file" | "--files")
            || ["--regexp=", "--file=", "--expression="].iter().any(|long| word.starts_with(long))
            || word.starts_with("-e")
            || word.starts_with("-f")
    });
    let first = operands(rest).first().copied();
    if given {
        all
    } else {
        all.into_iter()
            .filter({
                let mut skipped = false;
                move |word| {
                    let is_script = !skipped && first.is_some_and(|first| std::ptr::eq(first, *word));
                    skipped |= is_script;
                    !is_script
                }
            })
            .collect()
    }
}

/// Whether a short option of one of these letters, or one of these long ones, is given.
fn has_flag(rest: &[&str], letters: &[char], long: &[&str]) -> bool {
    rest.iter().any(|word| match word.strip_prefix("--") {
        Some(_) => long
            .iter()
            .any(|long| word.split('=').next().is_some_and(|name| name.len() > 3 && long.starts_with(name))),
        None => word.strip_prefix('-').is_some_and(|cluster| cluster.contains(letters)),
    })
}

/// Whether a `sed` call edits by plain substitutions only: nothing written elsewhere, nothing run.
fn sed_is_plain(rest: &[&str]) -> bool {
    let mut scripts = rest.iter().filter(|word| !word.starts_with('-'));
    let options_are_plain = rest
        .iter()
        .filter(|word| word.starts_with('-'))
        .all(|word| matches!(*word, "-i" | "-E" | "-r" | "-n" | "-u" | "-s"));
    options_are_plain && scripts.next().is_some_and(|script| is_substitution(script))
}

fn is_substitution(script: &str) -> bool {
    let mut chars = script.chars();
    let (Some('s'), Some(border)) = (chars.next(), chars.next()) else { return false };
    if !border.is_ascii_punctuation() || border == '\\' || script.contains(['\n', '\\', ';', '{', '}']) {
        return false;
    }
    let parts: Vec<&str> = chars.as_str().split(border).collect();
    matches!(parts.as_slice(), [_, _, flags] if flags.chars().all(|c| c.is_ascii_digit() || matches!(c, 'g' | 'i' | 'I' | 'p')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Vec<&str> {
        line.split(' ').collect()
    }

    #[test]
    fn what_is_read_and_written_is_told() {
        assert_eq!(facts(&split("grep KEY .env")).reads, [".env"]);
        assert_eq!(facts(&split("grep -e KEY .env")).reads, ["KEY", ".env"]);
        assert_eq!(facts(&split("cp a/b c")).writes, ["c", "c/b"]);
        assert_eq!(facts(&split("sed -i s/x/y/ f")).writes, ["f"]);
        assert_eq!(facts(&split("rm -rf -- -x /")).removes, ["-x", "/"]);
        assert!(facts(&split("sed -i s/x/y/ f")).is_edit);
        assert!(!facts(&split("sed -i s/x/y/e f")).is_edit);
        assert!(!facts(&split("sed -i s/x/y/w/z f")).is_edit);
        assert!(!facts(&split("/tmp/rm f")).is_edit);
    }
}
