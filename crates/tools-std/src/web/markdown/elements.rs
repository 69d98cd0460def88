//! What each tag does to the text.

use super::output::{Container, Gap, Mark, Output};
use super::skip::{Leave, VOID};
use super::table::Table;
use html5ever::LocalName;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag, TagKind, TokenSinkResult};
use reqwest::Url;

/// Most tables in each other; deeper ones are plain text.
const MOST_TABLES: usize = 12;
/// Longest address of a link.
const LONGEST_LINK: usize = 2000;
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
    /// The element that is left out, and how many of its name are open.
    skipped: Option<(LocalName, usize)>,
    title: Option<String>,
    is_in_title: bool,
    /// Text between `pre` tags.
    pre: Option<Pre>,
    /// Text between `code` tags.
    code: Option<String>,
}

/// Text that keeps its blanks.
#[derive(Debug, Default)]
struct Pre {
    text: String,
    language: String,
}

impl Elements {
    pub(super) fn new(base: Option<Url>, leave: Leave) -> Self {
        Self {
            base,
            leave,
            out: Output::default(),
            tables: Vec::new(),
            written_around: 0,
            skipped: None,
            title: None,
            is_in_title: false,
            pre: None,
            code: None,
        }
    }

    /// How many bytes were written.
    pub(super) fn written(&self) -> usize {
        let pre = self.pre.as_ref().map_or(0, |pre| pre.text.len());
        self.written_around + self.out.len() + pre + self.code.as_ref().map_or(0, String::len)
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
        } else if self.skipped.is_some() {
        } else if let Some(pre) = &mut self.pre {
            pre.text.push_str(text);
        } else if let Some(code) = &mut self.code {
            code.push_str(text);
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
        match name {
            // A title within a drawing is none of the page.
            "title"
                if self.title.is_none()
                    && self.skipped.as_ref().is_none_or(|(name, _)| **name == *"head") =>
            {
                self.is_in_title = true;
                return;
            }
            "base"
                if self.skipped.is_none()
                    || self.skipped.as_ref().is_some_and(|(name, _)| **name == *"head") =>
            {
                if let Some(base) = attribute(tag, "href").and_then(|href| self.absolute(href.trim())) {
                    self.base = Some(base);
                }
                return;
            }
            // The end of the head, and of navigation, may be left out.
            "body" | "main" | "article" => {
                let is_over = |(name, _): &mut (LocalName, usize)| matches!(&**name, "head" | "nav");
                self.skipped.take_if(is_over);
            }
            _ => {}
        }
        if let Some((skipped, depth)) = &mut self.skipped {
            if *skipped == tag.name {
                *depth += 1;
            } else if **skipped == *"head" && is_of_body(name) {
                self.skipped = None;
            }
            if self.skipped.is_some() {
                return;
            }
        }
        if self.leave.leaves_out(tag) {
            // Only drawings may close themselves.
            if !(tag.self_closing && name == "svg") {
                self.skipped = Some((tag.name.clone(), 1));
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
                let start = attribute(tag, "start").and_then(|start| start.trim().parse().ok());
                self.out.open(Container::List {
                    next: (name == "ol").then(|| start.filter(|start| *start < 1_000_000).unwrap_or(1)),
                });
            }
            "li" => {
                self.out.block(Gap::Line);
                self.out.item();
            }
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
            "tr" => {
                self.end_cell();
                match self.tables.last_mut() {
                    Some((table, _)) => table.row(),
                    None => self.out.block(Gap::Line),
                }
            }
            "td" | "th" => {
                self.end_cell();
                match self.tables.last_mut() {
                    Some((table, _)) => table.cell(&mut self.out),
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
        if let Some((skipped, depth)) = &mut self.skipped {
            if *skipped == tag.name {
                *depth -= 1;
                if *depth == 0 {
                    self.skipped = None;
                }
            }
            return;
        }
        if let Some(pre) = &mut self.pre {
            match name {
                "pre" | "listing" | "xmp" => self.end_pre(),
                "div" | "p" | "tr" | "li" if !pre.text.is_empty() && !pre.text.ends_with('\n') => {
                    pre.text.push('\n');
                }
                _ => {}
            }
            return;
        }
        if VOID.contains(&name) && name != "br" {
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

    fn line_break(&mut self) {
        match &mut self.code {
            Some(code) => code.push(' '),
            None => self.out.line_break(),
        }
    }

    /// Ends a link, also in the midst of code: what follows is code still.
    fn end_link(&mut self) {
        let is_code = self.code.is_some();
        self.end_code();
        self.out.end(|mark| matches!(mark, Mark::Link(_)));
        if is_code {
            self.code = Some(String::new());
        }
    }

    fn end_cell(&mut self) {
        if let Some((table, written)) = self.tables.last_mut() {
            let cell = table.end_cell(&mut self.out);
            *written += cell;
            self.written_around += cell;
        }
    }

    fn end_table(&mut self) -> bool {
        self.end_cell();
        let Some((table, written)) = self.tables.pop() else { return false };
        self.written_around -= written;
        table.end(&mut self.out);
        true
    }

    fn end_pre(&mut self) {
        let Some(pre) = self.pre.take() else { return };
        let text = pre.text.trim_matches(['\n', '\r']).trim_end();
        if !text.is_empty() {
            let fence = "`".repeat(longest_run(text).max(2) + 1);
            self.out.lines(&format!("{fence}{}\n{text}\n{fence}", pre.language));
        }
    }

    fn end_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        let text = code.split_whitespace().collect::<Vec<_>>().join(" ");
        if code.starts_with(char::is_whitespace) {
            self.out.blank();
        }
        if !text.is_empty() {
            let ticks = "`".repeat(longest_run(&text) + 1);
            let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
            self.out.word(&format!("{ticks}{pad}{text}{pad}{ticks}"));
        }
        if code.ends_with(char::is_whitespace) {
            self.out.blank();
        }
    }

    fn image(&mut self, tag: &Tag) {
        let alt = attribute(tag, "alt").unwrap_or_default();
        let alt = alt.split_whitespace().collect::<Vec<_>>().join(" ");
        if alt.is_empty() || self.code.is_some() {
            return;
        }
        match attribute(tag, "src").and_then(|src| self.link(&src)) {
            Some(url) => self.out.word(&format!("![{alt}]({url})")),
            None => self.out.words(&alt),
        }
    }

    fn absolute(&self, href: &str) -> Option<Url> {
        match &self.base {
            Some(base) => base.join(href).ok(),
            None => Url::parse(href).ok(),
        }
    }

    /// The address that a link means, when it is worth to be shown.
    fn link(&self, href: &str) -> Option<String> {
        let href = href.trim();
        if href.is_empty() || href.starts_with('#') || href.len() > LONGEST_LINK {
            return None;
        }
        let url = self.absolute(href)?;
        let url = matches!(url.scheme(), "http" | "https" | "mailto" | "ftp").then(|| String::from(url))?;
        let url = url.replace('(', "%28").replace(')', "%29").replace(' ', "%20");
        (url.len() <= LONGEST_LINK).then_some(url)
    }
}

fn attribute(tag: &Tag, name: &str) -> Option<String> {
    let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == name)?;
    Some(found.value.to_string())
}

/// The language of a block of code, by its class.
fn language(tag: &Tag) -> String {
    let class = attribute(tag, "class").unwrap_or_default();
    let named = class.split_whitespace().find_map(|class| {
        ["language-", "lang-", "highlight-source-", "brush:"]
            .iter()
            .find_map(|prefix| class.strip_prefix(prefix))
    });
    let is_plain = |name: &&str| {
        name.len() <= 20 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-_#.".contains(&byte))
    };
    named.filter(is_plain).unwrap_or_default().to_owned()
}

fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Whether an element ends the head of a page that did not end it.
fn is_of_body(name: &str) -> bool {
    !matches!(
        name,
        "base" | "link" | "meta" | "noscript" | "script" | "style" | "template" | "title" | "head" | "html"
    )
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "listing"
            | "main"
            | "menu"
            | "ol"
            | "p"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
            | "xmp"
    )
}
