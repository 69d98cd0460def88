//! The text that is being written: lines with the marks of what contains them, gaps between blocks, and
//! marks within a line.

use super::script::{Scripts, Sign};

/// Most containers around a line, and most marks around a word; what is deeper is not marked.
const MOST_CONTAINERS: usize = 24;
/// See [`MOST_CONTAINERS`].
const MOST_MARKS: usize = 12;
/// Longest text of lines that are copied: tables in each other could make more of it than a page holds.
pub(super) const MOST_BYTES: usize = 16_000_000;

/// What comes before the next word.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Gap {
    /// Nothing.
    #[default]
    None,
    /// A new line.
    Line,
    /// An empty line.
    Blank,
}

/// What contains lines.
#[derive(Clone, Debug)]
pub(super) enum Container {
    /// A quotation.
    Quote,
    /// A list; its items are marked, not the list.
    List {
        /// Number of the next item, and how much the one after differs, for a list with numbers.
        next: Option<(i32, i32)>,
    },
    /// An item of a list.
    Item {
        /// What stands before its first line.
        marker: String,
        /// Whether nothing was written in it yet.
        is_fresh: bool,
    },
}

/// What marks words within a line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Mark {
    /// `**`
    Strong,
    /// `*`
    Emphasis,
    /// `~~`
    Struck,
    /// A link to this address.
    Link(String),
}

/// How far a mark is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Written {
    /// Its begin comes before the next word.
    NotYet,
    /// Its begin stands there.
    Begun,
    /// Nothing is to be written any more.
    Done,
}

impl Mark {
    fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    fn begin(&self) -> &str {
        match self {
            Self::Strong => "**",
            Self::Emphasis => "*",
            Self::Struck => "~~",
            Self::Link(_) => "[",
        }
    }

    fn end(&self, out: &mut String) {
        match self {
            Self::Link(url) => {
                out.push_str("](");
                out.push_str(url);
                out.push(')');
            }
            _ => out.push_str(self.begin()),
        }
    }
}

/// The text and where it stands.
#[derive(Debug, Default)]
pub(super) struct Output {
    text: String,
    gap: Gap,
    /// Whether a blank is due before the next word.
    space: bool,
    /// What comes before the next word of this block, such as `## `.
    lead: String,
    /// Whether the block is a heading, which is one line.
    is_heading: bool,
    containers: Vec<Container>,
    /// How many containers the last line has in common with the next.
    shared: usize,
    marks: Vec<(Mark, Written)>,
    /// What stands above or below the line.
    scripts: Scripts,
}

impl Output {
    /// How long the text is, in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// The text at its end.
    pub(super) fn finish(mut self) -> String {
        self.block(Gap::Line);
        self.text
    }

    /// Ends the current block; `gap` comes before the next word.
    pub(super) fn block(&mut self, gap: Gap) {
        // A block within a heading that has no words yet is the heading.
        if !(self.is_heading && gap == Gap::Line && !self.lead.is_empty()) {
            self.lead.clear();
            self.is_heading = false;
        }
        self.line(gap);
    }

    /// Ends the line, not the block.
    pub(super) fn line_break(&mut self) {
        if self.is_heading {
            self.space = true;
        } else {
            self.line(Gap::Line);
        }
    }

    fn line(&mut self, gap: Gap) {
        self.scripts.clear();
        for (mark, written) in self.marks.iter_mut().rev() {
            if *written == Written::Begun {
                mark.end(&mut self.text);
                // What is emphasised goes on in the next block; a link leads there once.
                *written = if matches!(mark, Mark::Link(_)) { Written::Done } else { Written::NotYet };
            }
        }
        self.space = false;
        // The first block of an item stands right behind its marker.
        let is_fresh = matches!(self.containers.last(), Some(Container::Item { is_fresh: true, .. }));
        if !is_fresh || self.gap == Gap::None {
            self.gap = self.gap.max(if is_fresh { Gap::Line } else { gap });
        }
    }

    /// Begins a block with `lead` before its first word.
    pub(super) fn heading(&mut self, lead: String) {
        self.block(Gap::Blank);
        self.lead = lead;
        self.is_heading = true;
    }

    /// What comes before the next word of this block.
    pub(super) fn lead(&mut self, lead: &str) {
        lead.clone_into(&mut self.lead);
    }

    /// Text whose blanks and line ends mean no more than a blank.
    pub(super) fn words(&mut self, text: &str) {
        let is_blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}');
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(is_blank).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            if !word.is_empty() {
                self.before_word(word.chars().next());
                self.text.push_str(word);
            }
            rest = after.trim_start_matches(is_blank);
            self.space |= rest.len() < after.len();
        }
    }

    /// A word that is written as it is, such as code.
    pub(super) fn word(&mut self, word: &str) {
        self.before_word(None);
        self.text.push_str(word);
    }

    /// A blank before the next word.
    pub(super) fn blank(&mut self) {
        self.space = true;
    }

    /// Lines that are written as they are, as a block.
    pub(super) fn lines(&mut self, text: &str) {
        self.block(Gap::Blank);
        for (at, line) in text.lines().enumerate() {
            if self.text.len() > MOST_BYTES {
                break;
            }
            if at > 0 {
                self.gap = Gap::Line;
            }
            if line.is_empty() {
                self.before_line();
            } else {
                self.before_word(None);
            }
            self.text.push_str(line);
        }
        self.block(Gap::Blank);
    }

    fn before_word(&mut self, first: Option<char>) {
        let is_begin = self.before_line();
        if self.space && !is_begin {
            self.text.push(' ');
        }
        self.space = false;
        if !self.lead.is_empty() {
            self.text.push_str(&std::mem::take(&mut self.lead));
        }
        for (mark, written) in &mut self.marks {
            if *written == Written::NotYet {
                self.text.push_str(mark.begin());
                *written = Written::Begun;
            }
        }
        self.scripts.before_word(&mut self.text, first);
    }

    /// What follows stands above or below the line.
    pub(super) fn begin_script(&mut self, sign: Sign, is_note: bool) {
        self.scripts.begin(sign, is_note);
    }

    /// It does no longer.
    pub(super) fn end_script(&mut self, sign: Sign) {
        self.scripts.end(sign, &mut self.text);
    }

    /// A link stands in what stands above or below the line.
    pub(super) fn script_holds_link(&mut self) {
        self.scripts.holds_link();
    }

    /// Begins a line where one is due; says whether it did.
    fn before_line(&mut self) -> bool {
        let is_first = self.text.is_empty();
        let gap = std::mem::take(&mut self.gap);
        if gap == Gap::None && !is_first {
            return false;
        }
        if !is_first {
            self.text.push('\n');
            if gap == Gap::Blank {
                let shared = self.containers.get(..self.shared).unwrap_or_default();
                let quotes = shared.iter().filter(|container| matches!(container, Container::Quote)).count();
                self.text.push_str(&"> ".repeat(quotes));
                self.text.truncate(self.text.trim_end_matches(' ').len());
                self.text.push('\n');
            }
        }
        for container in &mut self.containers {
            match container {
                Container::Quote => self.text.push_str("> "),
                Container::List { .. } => {}
                Container::Item { marker, is_fresh: true } => {
                    self.text.push_str(marker);
                    *container = Container::Item { marker: " ".repeat(marker.len()), is_fresh: false };
                }
                Container::Item { marker, is_fresh: false } => self.text.push_str(marker),
            }
        }
        self.shared = self.containers.len();
        true
    }

    /// Opens a container.
    pub(super) fn open(&mut self, container: Container) {
        if self.containers.len() < MOST_CONTAINERS {
            self.containers.push(container);
        }
    }

    /// Closes the innermost container that `is_meant`, and all in it.
    pub(super) fn close(&mut self, is_meant: fn(&Container) -> bool) {
        if let Some(at) = self.containers.iter().rposition(is_meant) {
            self.truncate(at);
        }
    }

    fn truncate(&mut self, containers: usize) {
        self.containers.truncate(containers);
        self.shared = self.shared.min(containers);
    }

    /// Begins an item of the innermost list, with its own number where it has one.
    pub(super) fn item(&mut self, number: Option<i32>) {
        let is_list = |container: &Container| matches!(container, Container::List { .. });
        match self.containers.iter().rposition(is_list) {
            Some(at) => self.truncate(at + 1),
            None => self.open(Container::List { next: None }),
        }
        let marker = match self.containers.last_mut() {
            Some(Container::List { next: Some((next, step)) }) => {
                let number = number.unwrap_or(*next);
                *next = number.saturating_add(*step);
                format!("{number}. ")
            }
            _ => "- ".to_owned(),
        };
        self.open(Container::Item { marker, is_fresh: true });
    }

    /// Whether the next word is in a list.
    pub(super) fn is_in_list(&self) -> bool {
        self.containers.iter().any(|container| matches!(container, Container::List { .. }))
    }

    /// Begins a mark.
    pub(super) fn begin(&mut self, mark: Mark) {
        if self.marks.len() < MOST_MARKS {
            let is_inner = self.marks.iter().any(|(other, _)| other.is_like(&mark));
            self.marks.push((mark, if is_inner { Written::Done } else { Written::NotYet }));
        }
    }

    /// Ends the innermost mark that `is_meant`.
    pub(super) fn end(&mut self, is_meant: fn(&Mark) -> bool) {
        let Some(at) = self.marks.iter().rposition(|(mark, _)| is_meant(mark)) else { return };
        for (mark, written) in self.marks.iter_mut().skip(at).rev() {
            if *written == Written::Begun {
                mark.end(&mut self.text);
                *written = Written::NotYet;
            }
        }
        self.marks.remove(at);
    }
}
