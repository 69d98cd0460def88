//! The words of one call, told apart into options, operands and the command behind them by a row.

use crate::word::Word;

use super::row::{self, Known, Mark, Row, ValueKind};

/// The words of one call, told apart.
#[derive(Debug)]
pub(super) struct Call<'a> {
    /// What is known of the program.
    pub(super) row: &'static Row,
    /// All words, the program first.
    pub(super) words: &'a [Word],
    /// Options that are known.
    pub(super) options: Vec<Given>,
    /// Words that are no options and no values of one, with their index.
    pub(super) operands: Vec<(usize, &'a Word)>,
    /// The first word that looks like an option and is not known.
    pub(super) unknown: Option<usize>,
    /// The first word that could be an option, or any number of words.
    pub(super) doubtful: Option<usize>,
}

/// An option as given.
#[derive(Debug)]
pub(super) struct Given {
    /// What it is.
    pub(super) known: Known,
    /// Its value.
    pub(super) value: Option<Word>,
    /// Index of the first word behind it and its value.
    pub(super) end: usize,
    /// Byte offset.
    pub(super) at: usize,
}

impl<'a> Call<'a> {
    /// Tells the words apart.
    pub(super) fn read(row: &'static Row, words: &'a [Word]) -> Self {
        let mut call =
            Self { row, words, options: Vec::new(), operands: Vec::new(), unknown: None, doubtful: None };
        let mut only_operands = row.has_no_options();
        let mut index = 1;
        while let Some(word) = words.get(index) {
            let place = index;
            index += 1;
            if only_operands {
                call.operand(place, word);
                continue;
            }
            match look(word) {
                Shape::Operand => {
                    call.operand(place, word);
                    only_operands |= row.stops_at_operand();
                }
                Shape::Doubtful => {
                    call.doubtful.get_or_insert(place);
                    call.operand(place, word);
                    only_operands |= row.stops_at_operand();
                }
                Shape::End => only_operands = true,
                Shape::Long(text) => call.long(text, place, &mut index),
                Shape::Short(text) => call.short(text, place, &mut index),
            }
        }
        call
    }

    /// The option of this (first) name, the last one given.
    pub(super) fn option(&self, name: &str) -> Option<&Given> {
        self.options.iter().rev().find(|given| given.known.name == name)
    }

    /// Whether one of these options is given.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|given| names.contains(&given.known.name))
    }

    /// Whether each word that could be an option is one that is known.
    pub(super) fn is_certain(&self) -> bool {
        self.unknown.is_none() && self.doubtful.is_none()
    }

    /// Whether each option is known and not marked.
    pub(super) fn is_plain(&self) -> bool {
        self.unknown.is_none() && self.options.iter().all(|given| given.known.mark == Mark::Plain)
    }

    /// Byte offset of the program.
    pub(super) fn at(&self) -> usize {
        self.words.first().map_or(0, |word| word.at)
    }

    fn operand(&mut self, place: usize, word: &'a Word) {
        self.operands.push((place, word));
    }

    fn long(&mut self, text: &str, place: usize, next: &mut usize) {
        let word = &self.words[place];
        let (name, glued) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        if glued.is_none() && word.value.is_none() {
            // `--x$y`: neither its name nor whether the next word belongs to it can be told.
            self.unknown.get_or_insert(place);
            return;
        }
        let Some(known) = row::long(self.row.options, name) else {
            self.unknown.get_or_insert(place);
            return;
        };
        let value = match glued {
            Some(value) => Some(rest_of(word, value)),
            None => match known.value {
                ValueKind::Needed(_) => self.separate(place, next),
                ValueKind::No | ValueKind::Digits | ValueKind::Maybe(_) => None,
            },
        };
        self.options.push(Given { known, value, end: *next, at: word.at });
    }

    fn short(&mut self, text: &str, place: usize, next: &mut usize) {
        let word = &self.words[place];
        if word.value.is_some() {
            let name = text.split('=').next().unwrap_or_default();
            if name.len() > 2
                && let Some(known) = row::whole(self.row.options, name)
            {
                let glued = text.get(name.len() + 1..).map(|value| rest_of(word, value));
                let value = match (glued, known.value) {
                    (None, ValueKind::Needed(_)) => self.separate(place, next),
                    (glued, _) => glued,
                };
                self.options.push(Given { known, value, end: *next, at: word.at });
                return;
            }
        }
        let mut rest = text.get(1..).unwrap_or_default();
        if rest.is_empty() {
            self.unknown.get_or_insert(place);
            return;
        }
        while let Some(letter) = rest.chars().next() {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if digits > 0
                && let Some(known) = row::whole(self.row.options, "-#")
            {
                let value = Some(Word::known(rest.get(..digits).unwrap_or_default(), word.at));
                self.options.push(Given { known, value, end: *next, at: word.at });
                rest = rest.get(digits..).unwrap_or_default();
                continue;
            }
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            let Some(known) = row::short(self.row.options, letter) else {
                self.unknown.get_or_insert(place);
                return;
            };
            let is_last = rest.is_empty() && word.value.is_some();
            let value = match known.value {
                ValueKind::No => None,
                ValueKind::Digits => {
                    rest = rest.trim_start_matches(|digit: char| {
                        digit.is_ascii_hexdigit() && !digit.is_ascii_lowercase()
                    });
                    None
                }
                ValueKind::Maybe(_) if is_last => None,
                ValueKind::Needed(_) if is_last => self.separate(place, next),
                ValueKind::Maybe(_) | ValueKind::Needed(_) => Some(rest_of(word, rest)),
            };
            let ends = matches!(known.value, ValueKind::Maybe(_) | ValueKind::Needed(_));
            self.options.push(Given { known, value, end: *next, at: word.at });
            if ends {
                return;
            }
        }
        if word.value.is_none() {
            self.unknown.get_or_insert(place);
        }
    }

    /// Takes the next word as the value of the option before it.
    fn separate(&mut self, place: usize, next: &mut usize) -> Option<Word> {
        let Some(word) = self.words.get(*next) else {
            self.unknown.get_or_insert(place);
            return None;
        };
        *next += 1;
        if word.is_many {
            self.doubtful.get_or_insert(place);
        }
        Some(word.clone())
    }
}

enum Shape<'a> {
    Operand,
    /// May be an option or several words.
    Doubtful,
    End,
    Long(&'a str),
    Short(&'a str),
}

fn look(word: &Word) -> Shape<'_> {
    let text = word.value.as_deref().unwrap_or(&word.prefix);
    let is_known = word.value.is_some();
    if word.has_tilde {
        return if is_known { Shape::Operand } else { many(word) };
    }
    if is_known && word.has_glob {
        return match text.chars().next() {
            Some('-') if is_glued_glob(text) => Shape::Long(text),
            None | Some('-' | '*' | '?' | '[' | '@' | '+' | '!' | '{') => Shape::Doubtful,
            Some(_) => Shape::Operand,
        };
    }
    match text {
        "" if !is_known => Shape::Doubtful,
        "-" if !is_known => Shape::Short(text),
        "--" if !is_known => Shape::Long(text),
        "--" => Shape::End,
        "" | "-" => Shape::Operand,
        _ if text.starts_with("--") => Shape::Long(text),
        _ if text.starts_with('-') => Shape::Short(text),
        _ if is_known => Shape::Operand,
        _ => many(word),
    }
}

/// A word of unknown value that begins harmlessly: further words of it may be options.
fn many(word: &Word) -> Shape<'_> {
    if word.is_many { Shape::Doubtful } else { Shape::Operand }
}

/// `--name=*.c`: whatever it stands for is this option.
fn is_glued_glob(text: &str) -> bool {
    let glob = text.find(['*', '?', '[']).unwrap_or(text.len());
    text.starts_with("--") && text.find('=').is_some_and(|at| at < glob)
}

/// The word that is left of `word` when only `rest`, its end as far as it is known, counts.
fn rest_of(word: &Word, rest: &str) -> Word {
    Word {
        value: word.value.as_ref().map(|_| rest.to_owned()),
        prefix: rest.to_owned(),
        is_many: word.is_many,
        has_glob: word.has_glob,
        has_tilde: false,
        at: word.at,
    }
}
