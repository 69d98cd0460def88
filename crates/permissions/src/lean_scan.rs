//! What a line that nobody can tell could run: every stretch of words between marks of the shell. Only
//! used to hold back, never to allow: it finds too much rather than too little.

/// The words of every stretch that could be a command. Quotes are read both ways: as part of a word,
/// and as the border of a nested command.
pub(crate) fn possible_commands(line: &str) -> Vec<Vec<String>> {
    let joined = line.replace("\\\n", "");
    let mut found = Vec::new();
    for quotes_split in [false, true] {
        let mut words: Vec<String> = Vec::new();
        let mut word = String::new();
        let mut open_braces = 0_usize;
        let mut chars = joined.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' => match chars.peek() {
                    Some('"' | '\'') if quotes_split => {}
                    _ => word.extend(chars.next()),
                },
                '\'' | '"' if !quotes_split => {}
                '{' if word.ends_with('$') => {
                    open_braces += 1;
                    word.push(c);
                }
                '}' if open_braces > 0 => {
                    open_braces -= 1;
                    word.push(c);
                }
                ' ' | '\t' => end_word(&mut words, &mut word),
                ';' | '&' | '|' | '(' | ')' | '{' | '}' | '`' | '\n' | '<' | '>' | '\'' | '"' | '\0' => {
                    end_word(&mut words, &mut word);
                    end_command(&mut found, &mut words);
                }
                c => word.push(c),
            }
        }
        end_word(&mut words, &mut word);
        end_command(&mut found, &mut words);
    }
    found
}

/// Every word of `line` that could be a path.
pub(crate) fn possible_paths(line: &str) -> Vec<String> {
    let mut paths: Vec<String> = possible_commands(line).into_iter().flatten().collect();
    let parts: Vec<String> =
        paths.iter().flat_map(|word| word.split([',', '=', ':']).map(str::to_owned)).collect();
    paths.extend(parts);
    paths.retain(|path| !path.is_empty() && path.len() <= 4096 && !path.starts_with('-'));
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// The words as one line that a shell reads back as these words; `~` and globs keep their meaning.
pub(crate) fn spelled(words: &[String]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_./~=:@%+,-*?[]".contains(c);
    let quoted = words.iter().map(|word| {
        if word.chars().all(is_plain) { word.clone() } else { format!("'{}'", word.replace('\'', "'\\''")) }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

fn end_word(words: &mut Vec<String>, word: &mut String) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

fn end_command(found: &mut Vec<Vec<String>>, words: &mut Vec<String>) {
    let mut words = std::mem::take(words);
    let skipped = words.iter().take_while(|word| is_in_front(word)).count();
    words.drain(..skipped);
    if !words.is_empty() {
        found.push(words);
    }
}

fn is_in_front(word: &str) -> bool {
    let assigns = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'[' | b']'))
    });
    assigns
        || matches!(
            word,
            "!" | "if"
                | "then"
                | "else"
                | "elif"
                | "do"
                | "while"
                | "until"
                | "time"
                | "coproc"
                | "eval"
                | "exec"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_found_wherever_it_hides() {
        for line in [
            "(cd src; rm -rf x)",
            "if true; then rm -rf x; fi",
            "echo \"`rm -rf x`\"",
            "echo ${X:=$(rm -rf x)}",
            "trap 'rm -rf x' EXIT",
            "eval \"rm -rf x\"",
            "A=1 r\\m -rf x",
            "'rm' -rf x; $Y",
            "cat <<EOF\n$(rm -rf x)\nEOF",
        ] {
            assert!(possible_commands(line).contains(&vec!["rm".into(), "-rf".into(), "x".into()]), "{line}");
        }
    }
}
