//! The last command of a line's last pipeline: the one whose status bash reports, if it runs. Used to name an exit
//! code, never to decide whether something may run.

/// The last command of a line, and what stands before it.
#[derive(Debug)]
pub(super) struct Last {
    /// Its words, as far as they are plain, without assignments in front.
    pub(super) words: Vec<String>,
    /// Commands that had to succeed for it to run, each as its words.
    pub(super) needed: Vec<Vec<String>>,
    /// All commands before it.
    pub(super) before: Vec<Vec<String>>,
}

/// Reads a line; `None` where it is too involved to tell.
pub(super) fn read(line: &str) -> Option<Last> {
    let mut reader = Reader::default();
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('\n') => {}
                next => reader.add(next?),
            },
            '\'' => reader.quoted(&mut letters)?,
            '"' => reader.double_quoted(&mut letters)?,
            '#' if !reader.in_word => while letters.next_if(|next| *next != '\n').is_some() {},
            '$' if letters.peek() == Some(&'(') => {
                letters.next();
                skip_substitution(&mut letters)?;
                reader.add('$');
            }
            '<' if letters.peek() == Some(&'<') => return None,
            '(' | ')' | '`' => return None,
            ';' | '\n' | '|' => reader.next_command(letter),
            // `2>&1` and `&>file` are part of a command.
            '&' if reader.after_redirection || letters.peek() == Some(&'>') => reader.add('&'),
            '&' => reader.next_command('&'),
            ' ' | '\t' => reader.next_word(),
            letter => reader.add(letter),
        }
        reader.after_redirection = matches!(letter, '>' | '<');
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    words: Vec<String>,
    word: String,
    in_word: bool,
    after_redirection: bool,
    /// Commands with words, each with the separators behind it.
    commands: Vec<(Vec<String>, String)>,
    /// A compound command stands somewhere: its last word is no simple command.
    compound: bool,
}

impl Reader {
    fn add(&mut self, letter: char) {
        self.in_word = true;
        self.word.push(letter);
    }

    fn next_word(&mut self) {
        if self.in_word {
            self.in_word = false;
            self.words.push(std::mem::take(&mut self.word));
        }
    }

    fn next_command(&mut self, separator: char) {
        self.next_word();
        if !self.words.is_empty() {
            let words = std::mem::take(&mut self.words);
            self.compound |= is_keyword(&words);
            self.commands.push((words, separator.to_string()));
        } else if let Some((_, separators)) = self.commands.last_mut() {
            separators.push(separator);
        }
    }

    fn quoted(&mut self, letters: &mut impl Iterator<Item = char>) -> Option<()> {
        self.in_word = true;
        loop {
            match letters.next()? {
                '\'' => return Some(()),
                letter => self.word.push(letter),
            }
        }
    }

    fn double_quoted(&mut self, letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<()> {
        self.in_word = true;
        loop {
            match letters.next()? {
                '"' => return Some(()),
                '\\' => self.word.push(letters.next()?),
                '`' => return None,
                '$' if letters.peek() == Some(&'(') => {
                    letters.next();
                    skip_substitution(letters)?;
                }
                letter => self.word.push(letter),
            }
        }
    }

    fn finish(mut self) -> Option<Last> {
        self.next_command('\n');
        let plain = |words: Vec<String>| words.into_iter().skip_while(|word| is_assignment(word)).collect();
        let (last, _) = self.commands.pop()?;
        // Up the list of `&&`, through the pipelines in it. Behind `||` it runs whatever the others gave.
        let list =
            self.commands.iter().rev().take_while(|(_, separator)| matches!(separator.trim(), "&&" | "|"));
        let needed =
            list.filter(|(_, separator)| separator.trim() == "&&").map(|(words, _)| plain(words.clone()));
        let needed = needed.collect();
        let before = self.commands.into_iter().map(|(words, _)| plain(words)).collect();
        (!self.compound).then(|| Last { words: plain(last), needed, before })
    }
}

fn is_keyword(words: &[String]) -> bool {
    let keywords = [
        "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select",
        "{", "}", "[[", "function", "coproc", "!",
    ];
    words.first().is_some_and(|first| keywords.contains(&first.as_str()))
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Skips to the end of `$(`, as far as quotes and parentheses tell it.
fn skip_substitution(letters: &mut impl Iterator<Item = char>) -> Option<()> {
    let (mut depth, mut quote) = (1, None);
    loop {
        match (letters.next()?, quote) {
            (letter, Some(open)) if letter == open => quote = None,
            ('\\', None | Some('"')) => {
                letters.next()?;
            }
            (_, Some(_)) => {}
            (letter @ ('\'' | '"'), None) => quote = Some(letter),
            ('(', None) => depth += 1,
            (')', None) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(());
        }
    }
}
