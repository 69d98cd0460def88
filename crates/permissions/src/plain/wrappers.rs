//! Programs that run another program: which words of theirs are (or could be) a command.

/// How a wrapper is looked through.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    /// Options, then a command.
    Options,
    /// Options, one operand, then a command.
    Operand,
    /// A command behind one of these words.
    Behind(&'static [&'static str]),
}

fn kind(program: &str) -> Option<Kind> {
    Some(match program.rsplit('/').next().unwrap_or_default() {
        "time" | "nice" | "nohup" | "stdbuf" | "command" | "builtin" | "noglob" | "nocorrect" | "env"
        | "sudo" | "doas" | "watch" | "setsid" | "ionice" | "xargs" | "parallel" | "exec" | "eval"
        | "chronic" | "strace" | "ltrace" | "unshare" | "npx" | "busybox" | "entr" | "caffeinate"
        | "unbuffer" | "rlwrap" => Kind::Options,
        "timeout" | "flock" | "chroot" | "taskset" | "chrt" | "su" | "runuser" | "ssh" => Kind::Operand,
        "find" => Kind::Behind(&["-exec", "-execdir", "-ok", "-okdir"]),
        "fd" | "fdfind" => Kind::Behind(&["-x", "-X", "--exec", "--exec-batch"]),
        _ => return None,
    })
}

/// Every place in `words` where a command could begin that the first word runs, with the programs
/// through which it runs. Leans towards too many.
pub(crate) fn candidates(words: &[&str]) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    let mut open: Vec<(usize, Vec<String>)> = vec![(0, Vec::new())];
    while let Some((start, via)) = open.pop() {
        let Some((program, rest)) = words.get(start..).and_then(<[&str]>::split_first) else { continue };
        let Some(kind) = kind(program) else { continue };
        let mut via = via;
        via.push(program.rsplit('/').next().unwrap_or_default().to_owned());
        for at in starts(kind, rest) {
            let at = start + 1 + at;
            if words.len() > at && via.len() < 8 && !found.iter().any(|(known, _)| *known == at) {
                found.push((at, via.clone()));
                open.push((at, via.clone()));
            }
        }
    }
    found
}

fn starts(kind: Kind, rest: &[&str]) -> Vec<usize> {
    match kind {
        Kind::Behind(words) => {
            let behind = rest.iter().enumerate().filter(|(_, word)| words.contains(word));
            behind.map(|(at, _)| at + 1).collect()
        }
        Kind::Options | Kind::Operand => {
            let mut operands = usize::from(kind == Kind::Operand);
            let mut starts = Vec::new();
            let mut after_option = false;
            for (at, word) in rest.iter().enumerate() {
                let is_option = word.starts_with(['-', '+']) || word.contains('=');
                if !is_option {
                    starts.push(at);
                    if !after_option {
                        if operands == 0 {
                            break;
                        }
                        operands -= 1;
                    }
                }
                after_option = is_option && word.starts_with('-') && *word != "--";
            }
            starts
        }
    }
}

/// Why a wrapper may take a text apart into a command line of its own, so that its words are not known.
pub(crate) fn splits_text(program: &str, rest: &[&str]) -> Option<&'static str> {
    let has_text = || rest.iter().any(|word| word.contains([' ', '\t', '\n', ';', '|', '&', '$', '`']));
    let splits = match program.rsplit('/').next().unwrap_or_default() {
        "env" => rest
            .iter()
            .any(|word| word.starts_with("-S") || word.starts_with("--s") || word.starts_with("-vS")),
        "watch" | "su" | "runuser" | "parallel" | "flock" | "script" | "entr" | "ssh" | "busybox" => {
            has_text()
        }
        _ => false,
    };
    splits.then_some("a text that another program runs as a command line")
}

/// Where the command of a transparent wrapper begins, when that is certain: these are removed before
/// allow rules are matched.
pub(crate) fn transparent(words: &[&str]) -> Option<usize> {
    let rest = words.get(1..)?;
    let number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let at = match *words.first()? {
        "timeout" => {
            let duration = rest.first()?;
            let digits = duration.trim_end_matches(['s', 'm', 'h', 'd']);
            (!digits.is_empty()
                && duration.len() - digits.len() < 2
                && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
            .then_some(2)?
        }
        "nice" => match (*rest.first()?, rest.get(1)) {
            ("-n", Some(value)) if number(value.trim_start_matches('-')) => 3,
            (option, _) if option.strip_prefix('-').is_some_and(number) => 2,
            (option, _) if option.strip_prefix("--adjustment=").is_some_and(number) => 2,
            _ => 1,
        },
        "stdbuf" => {
            let is_buffer = |word: &&&str| {
                ["-o", "-e", "-i"]
                    .iter()
                    .any(|option| word.strip_prefix(option).is_some_and(|v| !v.is_empty()))
            };
            1 + rest.iter().take_while(is_buffer).count()
        }
        "time" if rest.first() == Some(&"-p") => 2,
        "nohup" | "time" | "command" | "builtin" | "noglob" | "xargs" => 1,
        _ => return None,
    };
    words.get(at).is_some_and(|word| !word.starts_with('-') && !word.is_empty()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inner(line: &str) -> Vec<String> {
        let words: Vec<&str> = line.split(' ').collect();
        candidates(&words).into_iter().map(|(at, _)| words[at..].join(" ")).collect()
    }

    #[test]
    fn commands_behind_wrappers_are_found() {
        for line in [
            "timeout -s KILL -k 5 30s rm x",
            "env -u HOME -i rm x",
            "sudo -u build rm x",
            "timeout 5 sudo nice rm x",
            "builtin command rm x",
            "xargs -0 -n 1 rm x",
            "find . -name y -exec rm x",
            "ionice -c 3 rm x",
        ] {
            assert!(inner(line).contains(&"rm x".to_owned()), "{line}: {:?}", inner(line));
        }
        assert_eq!(inner("sudo grep rm file"), ["grep rm file"]);
        assert!(inner("echo rm x").is_empty());
    }

    #[test]
    fn only_certain_wrappers_are_removed() {
        let start = |line: &str| transparent(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(start("timeout 30 npm test"), Some(2));
        assert_eq!(start("nice -n 5 npm test"), Some(3));
        assert_eq!(start("xargs grep x"), Some(1));
        assert_eq!(start("xargs -n1 grep x"), None);
        assert_eq!(start("command -v git"), None);
        assert_eq!(start("sudo npm test"), None);
    }
}
