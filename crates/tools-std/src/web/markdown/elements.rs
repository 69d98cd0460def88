//! What each tag does to the text.

mod addresses;
mod ends;

use super::attributes::{attribute, is_block, language, number};
use super::open::OpenElements;
use super::output::{Container, Gap, Mark, Output};
use super::script::{Scripts, Sign};
use super::skip::Leave;
use super::table::{Span, Table};
use html5ever::LocalName;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Doctype, Tag, TagKind, TokenSinkResult};
use reqwest::Url;
use std::collections::HashMap;

/// Most tables in each other; deeper ones are plain text.
const MOST_TABLES: usize = 12;
/// Most lists that count down.
const MOST_COUNTED: usize = 10_000;
/// Longest title.
const LONGEST_TITLE: usize = 300;

/// The state between two tags.
#[derive(Debug)]
pub(super) struct Elements {
    /// What links are relative to; without it they must be absolute.
    base: Option<Url>,
    leave: Leave,
    out: Output,
    /// Tables around the current place, and bytes that were written before the innermost.
    tables: Vec<(Table, usize)>,
    /// Bytes that are in the texts around the innermost table.
    written_around: usize,
    open: OpenElements,
    /// How many items each list counts that counts down, in their order, as an earlier reading found.
    counts: Vec<i32>,
    counted: Vec<i32>,
    /// Which of them stands at which place of the open elements.
    reversed: HashMap<usize, usize>,
    /// What leads elsewhere instead of a text.
    leads: Leads,
    /// Where the innermost link began, while it is open.
    link_from: Option<usize>,
    title: Option<String>,
    is_in_title: bool,
    /// Text between `pre` tags.
    pre: Option<Pre>,
    /// Text between `code` tags.
    code: Option<String>,
    /// What stands above or below the line in these.
    pre_scripts: Scripts,
}

/// Where a page leads that has no text of its own.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Leads {
    /// The address that it goes to by itself.
    pub(super) to: Option<String>,
    /// Whether it holds scripts.
    pub(super) has_scripts: bool,
}

/// Text that keeps its blanks.
#[derive(Debug, Default)]
struct Pre {
    text: String,
    language: String,
}

impl Elements {
    /// For a page at `base`. `counts` is what [`Self::counted`] was after an earlier reading.
    pub(super) fn new(base: Option<Url>, leave: Leave, counts: Vec<i32>) -> Self {
        Self {
            base,
            leave,
            out: Output::default(),
            tables: Vec::new(),
            written_around: 0,
            open: OpenElements::new(),
            counts,
            counted: Vec::new(),
            reversed: HashMap::new(),
            leads: Leads::default(),
            link_from: None,
            title: None,
            is_in_title: false,
            pre: None,
            code: None,
            pre_scripts: Scripts::default(),
        }
    }

    /// How many bytes were written.
    pub(super) fn written(&self) -> usize {
        let pre = self.pre.as_ref().map_or(0, |pre| pre.text.len());
        self.written_around + self.out.len() + pre + self.code.as_ref().map_or(0, String::len)
    }

    /// The page says of which kind it is.
    pub(super) fn doctype(&mut self, doctype: &Doctype) {
        let is_html = doctype.name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("html"));
        self.open.is_quirky &= !is_html || doctype.force_quirks;
    }

    /// Whether the place is within a drawing or formula.
    pub(super) fn is_foreign(&self) -> bool {
        self.open.is_foreign()
    }

    /// How many items the lists have that count down, to be known before they are read again.
    pub(super) fn take_counted(&mut self) -> Vec<i32> {
        std::mem::take(&mut self.counted)
    }

    /// Where the page leads instead of a text.
    pub(super) fn take_leads(&mut self) -> Leads {
        std::mem::take(&mut self.leads)
    }

    /// The title and the text, at the end of the page.
    pub(super) fn finish(mut self) -> (Option<String>, String) {
        self.end_code();
        self.end_pre();
        while self.end_table() {}
        let title = self.title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "));
        let title = title.map(|title| title.chars().take(LONGEST_TITLE).collect::<String>());
        (title.filter(|title| !title.is_empty()), self.out.finish())
    }

    /// Text between tags.
    pub(super) fn text(&mut self, text: &str) {
        if self.is_in_title {
            let title = self.title.get_or_insert_default();
            if title.len() < 4 * LONGEST_TITLE {
                title.push_str(text);
            }
            return;
        }
        if !text.trim_ascii().is_empty() {
            self.open.words();
        }
        if self.open.is_left_out() {
        } else if let Some(raw) = self.pre.as_mut().map(|pre| &mut pre.text).or(self.code.as_mut()) {
            self.pre_scripts.before_word(raw, text.chars().next());
            raw.push_str(text);
        } else {
            self.out.words(text);
        }
    }

    /// A tag; the answer is how what follows is to be read.
    pub(super) fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name = &*tag.name;
        if tag.kind == TagKind::EndTag {
            self.end_tag(tag);
            return TokenSinkResult::Continue;
        }
        let how = match name {
            // Drawings are read like any other.
            _ if self.open.is_foreign() => TokenSinkResult::Continue,
            "plaintext" => TokenSinkResult::Plaintext,
            "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
            "style" | "iframe" | "noembed" | "noframes" | "xmp" => TokenSinkResult::RawData(RawKind::Rawtext),
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            _ => TokenSinkResult::Continue,
        };
        self.start_tag(tag);
        how
    }

    fn start_tag(&mut self, tag: &Tag) {
        let name = &*tag.name;
        let is_in_head = self.open.root_left_out() == Some("head");
        let is_seen = !self.open.is_left_out() || is_in_head;
        match name {
            // A title within a drawing is none of the page.
            "title" if self.title.is_none() && is_seen && !self.open.is_foreign() => {
                self.is_in_title = true;
                return;
            }
            "base" if is_seen => {
                if let Some(base) = attribute(tag, "href").and_then(|href| self.absolute(href.trim())) {
                    self.base = Some(base);
                }
                return;
            }
            "meta" if is_seen => self.refresh(tag),
            "iframe" | "frame" if is_seen => self.frame(tag),
            "script" => self.leads.has_scripts = true,
            _ => {}
        }
        let is_left_out = self.leave.leaves_out(tag);
        let ended = self.open.start(&tag.name, tag.self_closing, is_left_out);
        if is_left_out || self.open.is_left_out() {
            // What stood before it ends all the same.
            if let Some(ended) = ended.filter(|_| self.pre.is_none()) {
                self.end(&ended);
            }
            return;
        }
        if self.pre.is_some() && self.tag_in_pre(tag) {
            return;
        }
        self.start(tag);
    }

    fn tag_in_pre(&mut self, tag: &Tag) -> bool {
        let Some(pre) = &mut self.pre else { return false };
        match &*tag.name {
            "code" if pre.language.is_empty() => pre.language = language(tag),
            "br" => pre.text.push('\n'),
            "sup" => self.pre_scripts.begin(Sign::Above, false),
            "sub" => self.pre_scripts.begin(Sign::Below, false),
            "a" => self.pre_scripts.holds_link(),
            "div" | "p" | "tr" | "li" if !pre.text.is_empty() && !pre.text.ends_with('\n') => {
                pre.text.push('\n')
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "table" | "section" | "article" | "main" => {
                // It was never closed.
                if matches!(&*tag.name, "table") {
                    return true;
                }
                self.end_pre();
                return false;
            }
            _ => {}
        }
        true
    }

    fn start(&mut self, tag: &Tag) {
        let name = &*tag.name;
        if is_block(name) {
            self.end_code();
        }
        match name {
            "p" | "figure" | "dl" | "form" | "fieldset" | "details" => self.out.block(Gap::Blank),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name.bytes().last().map_or(1, |digit| usize::from(digit - b'0'));
                self.out.heading(format!("{} ", "#".repeat(level)));
            }
            "br" => self.line_break(),
            "hr" => self.out.lines("---"),
            "blockquote" => {
                self.out.block(Gap::Blank);
                self.out.open(Container::Quote);
            }
            "ul" | "menu" | "dir" | "ol" => {
                self.out.block(if self.out.is_in_list() { Gap::Line } else { Gap::Blank });
                if let Some(place) = self.open.list() {
                    self.reversed.remove(&place);
                }
                let next = (name == "ol").then(|| self.numbers(tag));
                self.out.open(Container::List { next });
            }
            "li" => {
                if let Some(count) = self.list().and_then(|at| self.counted.get_mut(at)) {
                    *count = count.saturating_add(1);
                }
                self.out.block(Gap::Line);
                self.out.item(number(tag, "value"));
            }
            "sup" => self.begin_script(Sign::Above),
            "sub" => self.begin_script(Sign::Below),
            "dt" => self.out.block(Gap::Blank),
            "dd" => {
                self.out.block(Gap::Line);
                self.out.lead(": ");
            }
            "pre" | "listing" | "xmp" | "plaintext" => {
                self.end_pre();
                self.pre = Some(Pre { text: String::new(), language: language(tag) });
            }
            "code" | "kbd" | "samp" | "tt" => {
                self.code.get_or_insert_default();
            }
            "b" | "strong" => self.out.begin(Mark::Strong),
            "i" | "em" | "cite" | "dfn" => self.out.begin(Mark::Emphasis),
            "s" | "del" | "strike" => self.out.begin(Mark::Struck),
            "a" => {
                self.end_link();
                if attribute(tag, "href").is_some() {
                    self.out.script_holds_link();
                    self.link_from = Some(self.out.len());
                }
                if let Some(url) = attribute(tag, "href").and_then(|href| self.link(&href)) {
                    self.out.begin(Mark::Link(url));
                }
            }
            "img" => self.image(tag),
            "table" if self.tables.len() < MOST_TABLES => {
                let written = self.out.len();
                if let Some((outer, _)) = self.tables.last_mut() {
                    outer.holds_table();
                }
                self.tables.push((Table::begin(&mut self.out), written));
                self.written_around += written;
            }
            "thead" | "tbody" | "tfoot" => {
                self.end_cell();
                match self.tables.last_mut() {
                    Some((table, _)) => table.group(),
                    None => self.out.block(Gap::Line),
                }
            }
            "tr" => {
                self.end_cell();
                match self.tables.last_mut() {
                    Some((table, _)) => table.row(),
                    None => self.out.block(Gap::Line),
                }
            }
            "td" | "th" => {
                self.end_cell();
                let span =
                    Span::of(attribute(tag, "colspan").as_deref(), attribute(tag, "rowspan").as_deref());
                match self.tables.last_mut() {
                    Some((table, _)) => table.cell(span, &mut self.out),
                    None => self.out.blank(),
                }
            }
            _ if is_block(name) => self.out.block(Gap::Line),
            _ => {}
        }
    }

    fn end_tag(&mut self, tag: &Tag) {
        let name = &*tag.name;
        if name == "title" && std::mem::take(&mut self.is_in_title) {
            return;
        }
        if self.open.end(&tag.name) {
            self.end(&tag.name);
        }
    }

    /// What the end of an element does to the text.
    fn end(&mut self, name: &LocalName) {
        let name: &str = name;
        if let Some(pre) = &mut self.pre {
            match name {
                "pre" | "listing" | "xmp" => self.end_pre(),
                "div" | "p" | "tr" | "li" if !pre.text.is_empty() && !pre.text.ends_with('\n') => {
                    pre.text.push('\n');
                }
                "sup" => self.pre_scripts.end(Sign::Above, &mut pre.text),
                "sub" => self.pre_scripts.end(Sign::Below, &mut pre.text),
                _ => {}
            }
            return;
        }
        if is_block(name) {
            self.end_code();
        }
        match name {
            "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dl" | "figure" | "form" | "fieldset"
            | "details" => {
                self.out.block(Gap::Blank);
            }
            "br" => self.line_break(),
            "blockquote" => {
                self.out.block(Gap::Blank);
                self.out.close(|container| matches!(container, Container::Quote));
            }
            "sup" => self.end_script(Sign::Above),
            "sub" => self.end_script(Sign::Below),
            "ul" | "menu" | "dir" | "ol" => {
                self.out.block(Gap::Line);
                self.out.close(|container| matches!(container, Container::List { .. }));
                self.out.block(if self.out.is_in_list() { Gap::Line } else { Gap::Blank });
            }
            "li" => {
                self.out.block(Gap::Line);
                self.out.close(|container| matches!(container, Container::Item { .. }));
            }
            "code" | "kbd" | "samp" | "tt" => self.end_code(),
            "b" | "strong" => self.out.end(|mark| *mark == Mark::Strong),
            "i" | "em" | "cite" | "dfn" => self.out.end(|mark| *mark == Mark::Emphasis),
            "s" | "del" | "strike" => self.out.end(|mark| *mark == Mark::Struck),
            "a" => self.end_link(),
            "table" => {
                self.end_table();
            }
            "td" | "th" => self.end_cell(),
            _ if is_block(name) => self.out.block(Gap::Line),
            _ => {}
        }
    }

    /// The first number of a list, and how much the next differs.
    fn numbers(&mut self, tag: &Tag) -> (i32, i32) {
        let start = number(tag, "start");
        if attribute(tag, "reversed").is_none() {
            return (start.unwrap_or(1), 1);
        }
        let at = self.counted.len();
        if let Some(place) = self.open.list().filter(|_| at < MOST_COUNTED) {
            self.counted.push(0);
            self.reversed.insert(place, at);
        }
        (start.or_else(|| self.counts.get(at).copied()).unwrap_or(1), -1)
    }

    /// Which of the lists that count down the place is in, if it is directly in one.
    fn list(&self) -> Option<usize> {
        self.reversed.get(&self.open.list()?).copied()
    }

    fn begin_script(&mut self, sign: Sign) {
        if self.code.is_some() {
            self.pre_scripts.begin(sign, false);
        } else {
            // A link of which it is the whole text leads to a note.
            let is_note = self.link_from == Some(self.out.len());
            self.out.begin_script(sign, is_note);
        }
    }

    fn end_script(&mut self, sign: Sign) {
        match &mut self.code {
            Some(code) => self.pre_scripts.end(sign, code),
            None => self.out.end_script(sign),
        }
    }

    fn line_break(&mut self) {
        match &mut self.code {
            Some(code) => code.push(' '),
            None => self.out.line_break(),
        }
    }
}
