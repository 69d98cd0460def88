//! The tables of programs, sorted by name. To add a program, add a line to the table it fits.

use super::row::{Kind, Row};

mod archives;
mod builtins;
mod copies;
mod git;
mod interpreters;
mod looks;
mod network;
mod packages;
mod readers;
mod runners;
mod system;
mod texts;
mod wrappers;
mod writers;

/// Every table.
const TABLES: [&[Row]; 13] = [
    looks::ROWS,
    texts::ROWS,
    builtins::ROWS,
    copies::ROWS,
    wrappers::ROWS,
    archives::ROWS,
    network::ROWS,
    interpreters::ROWS,
    packages::ROWS,
    system::ROWS,
    readers::ROWS,
    writers::ROWS,
    runners::ROWS,
];

/// The row of the program of this base name.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    if let Some(row) = exact(name) {
        return Some(row);
    }
    if name.starts_with("ld-") && name.contains(".so") || name.starts_with("ld.so") {
        return exact("ld-linux.so");
    }
    // `python3.11`, `lua5.4`, `clang-15`: what only looks is known by its full name.
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '-'));
    if stem.len() == name.len() {
        return None;
    }
    exact(stem).filter(|row| matches!(row.kind, Kind::Other | Kind::Wrap))
}

/// Names of all programs.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().flat_map(|table| table.iter()).map(|row| row.name)
}

/// The row of a subcommand of git.
pub(super) fn git_subcommand(name: &str) -> Option<&'static Row> {
    let at = git::SUBCOMMANDS.binary_search_by(|row| row.name.cmp(name)).ok()?;
    git::SUBCOMMANDS.get(at)
}

fn exact(name: &str) -> Option<&'static Row> {
    TABLES.iter().find_map(|table| {
        let at = table.binary_search_by(|row| row.name.cmp(name)).ok()?;
        table.get(at)
    })
}

#[cfg(test)]
mod tests {
    use super::{TABLES, find};

    #[test]
    fn tables_are_sorted_and_name_each_program_once() {
        let mut all = Vec::new();
        for table in TABLES {
            for pair in table.windows(2) {
                assert!(pair[0].name < pair[1].name, "{} before {}", pair[0].name, pair[1].name);
            }
            all.extend(table.iter().map(|row| row.name));
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        for pair in super::git::SUBCOMMANDS.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} before {}", pair[0].name, pair[1].name);
        }
        for row in TABLES.into_iter().flatten().chain(super::git::SUBCOMMANDS) {
            let mut letters: Vec<char> = Vec::new();
            for token in row.options.split_ascii_whitespace() {
                let token = token.trim_start_matches(['!', '^']);
                let names = token.split(['=', '?', '%']).next().unwrap_or_default();
                match token.strip_prefix(':') {
                    Some(flags) => letters.extend(flags.chars()),
                    None => letters.extend(
                        names
                            .split(',')
                            .filter(|name| name.len() == 2)
                            .filter_map(|name| name.chars().nth(1)),
                    ),
                }
            }
            let all = letters.len();
            letters.sort_unstable();
            letters.dedup();
            assert_eq!(letters.len(), all, "{}: a letter twice", row.name);
        }
        assert!(count > 300, "{count}");
    }

    #[test]
    fn versions_and_loaders_are_found() {
        assert_eq!(find("python3.11").map(|row| row.name), Some("python"));
        assert_eq!(find("ld-linux-x86-64.so.2").map(|row| row.name), Some("ld-linux.so"));
        assert!(find("ls2").is_none());
        assert!(find("cat.").is_none());
    }
}
