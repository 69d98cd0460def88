//! What each element is to the elements around it.

/// Where the innermost of some elements is: what end tags do not reach over, and what others belong to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Scope {
    /// Bounds the end tags of most blocks.
    Usual,
    /// Bounds those of paragraphs.
    Button,
    /// Bounds those of items of lists.
    List,
    /// Bounds those of the parts of tables.
    Table,
    /// Bounds those of all that is known of no kind.
    Special,
    /// What the search for the item before ends at: all of [`Scope::Special`] but what may stand in an item.
    Wall,
    /// Marks of words go on until the end of these.
    Marker,
    /// Drawings and formulas.
    Foreign,
    /// What holds usual elements within these, see [`Class::is_integration`].
    Integration,
    /// Templates.
    Template,
    /// Tables themselves.
    WholeTable,
    /// Groups of rows.
    Group,
    /// Rows.
    Row,
    /// Cells and captions.
    Cell,
    /// Lists.
    AnyList,
    /// Headings.
    Heading,
    /// The head of the page.
    Head,
}

impl Scope {
    pub(super) const ALL: [Self; 17] = [
        Self::Usual,
        Self::Button,
        Self::List,
        Self::Table,
        Self::Special,
        Self::Wall,
        Self::Marker,
        Self::Foreign,
        Self::Integration,
        Self::Template,
        Self::WholeTable,
        Self::Group,
        Self::Row,
        Self::Cell,
        Self::AnyList,
        Self::Heading,
        Self::Head,
    ];

    fn is_bound_by(self, name: &str) -> bool {
        match self {
            Self::Marker => {
                matches!(name, "applet" | "object" | "marquee" | "template" | "td" | "th" | "caption")
            }
            Self::Usual => Self::Marker.is_bound_by(name) || matches!(name, "table" | "select"),
            Self::Button => name == "button" || Self::Usual.is_bound_by(name),
            Self::List => matches!(name, "ol" | "ul") || Self::Usual.is_bound_by(name),
            Self::Table => matches!(name, "table" | "template"),
            Self::Special => is_special(name),
            Self::Wall => is_special(name) && !matches!(name, "address" | "div" | "p"),
            Self::Foreign => matches!(name, "svg" | "math"),
            Self::Integration => false,
            Self::Template => name == "template",
            Self::WholeTable => name == "table",
            Self::Group => matches!(name, "tbody" | "thead" | "tfoot"),
            Self::Row => name == "tr",
            Self::Cell => matches!(name, "td" | "th" | "caption"),
            Self::AnyList => matches!(name, "ol" | "ul" | "menu" | "dir"),
            Self::Heading => HEADINGS.contains(&name),
            Self::Head => name == "head",
        }
    }
}

/// What is bound by what holds usual elements within drawings and formulas.
const INTEGRATION: u32 = 1 << Scope::Usual as u32
    | 1 << Scope::Button as u32
    | 1 << Scope::List as u32
    | 1 << Scope::Special as u32
    | 1 << Scope::Wall as u32
    | 1 << Scope::Integration as u32;

/// All that is known of an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    scopes: u32,
    pub(super) is_void: bool,
    /// It only marks words: it goes on when a block in it is over.
    pub(super) is_formatting: bool,
    /// It ends the head of a page that did not end it.
    pub(super) is_of_body: bool,
    pub(super) is_part_of_table: bool,
    /// Its end tag ends all that was begun in it.
    pub(super) ends_in_scope: bool,
    /// Its start tag ends a paragraph.
    pub(super) ends_paragraph: bool,
    /// What marks words goes on in front of it.
    pub(super) is_among_words: bool,
    /// It ends the drawing or formula that it stands in.
    pub(super) breaks_out: bool,
    /// Within a drawing or formula, it holds usual elements.
    pub(super) is_integration: bool,
}

impl Class {
    pub(super) fn of(name: &str) -> Self {
        let scopes = Scope::ALL.iter().filter(|scope| scope.is_bound_by(name));
        Self {
            scopes: scopes.map(|scope| 1 << *scope as u32).sum(),
            is_void: is_void(name),
            is_formatting: is_formatting(name),
            is_of_body: is_of_body(name),
            is_part_of_table: is_part_of_table(name),
            ends_in_scope: ends_in_scope(name),
            ends_paragraph: ends_paragraph(name),
            is_among_words: stands_among_words(name),
            breaks_out: breaks_out(name),
            is_integration: matches!(
                name,
                "foreignobject" | "desc" | "title" | "annotation-xml" | "mi" | "mo" | "mn" | "ms" | "mtext"
            ),
        }
    }

    /// Whether the element bounds `scope`.
    pub(super) fn bounds(self, scope: Scope) -> bool {
        self.scopes & (1 << scope as u32) != 0
    }

    /// The scopes that it bounds, a bit for each.
    pub(super) fn scopes(self, is_foreign: bool) -> u32 {
        match is_foreign {
            false => self.scopes,
            true if self.is_integration => INTEGRATION,
            true => self.scopes & (1 << Scope::Foreign as u32),
        }
    }
}

/// Headings.
const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];

/// Elements without content.
pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "basefont"
            | "bgsound"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "image"
            | "img"
            | "input"
            | "keygen"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Elements that only mark words: they go on when a block in them is over.
fn is_formatting(name: &str) -> bool {
    matches!(
        name,
        "a" | "b"
            | "big"
            | "code"
            | "em"
            | "font"
            | "i"
            | "nobr"
            | "s"
            | "small"
            | "strike"
            | "strong"
            | "tt"
            | "u"
    )
}

/// Whether the element ends the head of a page that did not end it.
fn is_of_body(name: &str) -> bool {
    !matches!(
        name,
        "base"
            | "basefont"
            | "bgsound"
            | "link"
            | "meta"
            | "noframes"
            | "noscript"
            | "script"
            | "style"
            | "template"
            | "title"
            | "head"
            | "html"
    )
}

fn is_part_of_table(name: &str) -> bool {
    matches!(name, "caption" | "colgroup" | "col" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr")
}

/// Whether its end tag ends all that was begun in it.
fn ends_in_scope(name: &str) -> bool {
    matches!(name, "applet" | "marquee" | "object" | "button" | "dd" | "dt" | "listing" | "pre")
        || is_plain_block(name)
}

/// Whether its start tag ends a paragraph.
fn ends_paragraph(name: &str) -> bool {
    is_plain_block(name)
        || HEADINGS.contains(&name)
        || matches!(
            name,
            "p" | "pre" | "listing" | "form" | "li" | "dd" | "dt" | "plaintext" | "hr" | "xmp" | "table"
        )
}

fn is_plain_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "center"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "header"
            | "hgroup"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "search"
            | "section"
            | "summary"
            | "ul"
    )
}

/// Whether what marks words goes on in front of it.
fn stands_among_words(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "br"
            | "button"
            | "embed"
            | "image"
            | "img"
            | "input"
            | "keygen"
            | "object"
            | "select"
            | "svg"
    ) || matches!(name, "applet" | "marquee" | "math" | "wbr")
        || !is_special(name)
            && !matches!(name, "option" | "optgroup" | "rb" | "rp" | "rt" | "rtc" | "frame" | "dialog")
}

/// What the end tags of other elements do not reach over.
fn is_special(name: &str) -> bool {
    (is_plain_block(name) && name != "dialog")
        || HEADINGS.contains(&name)
        || is_part_of_table(name)
        || is_void(name)
        || matches!(
            name,
            "applet"
                | "body"
                | "button"
                | "dd"
                | "dt"
                | "form"
                | "frameset"
                | "head"
                | "html"
                | "iframe"
                | "li"
                | "listing"
                | "marquee"
                | "noembed"
                | "noframes"
                | "noscript"
                | "object"
                | "p"
                | "plaintext"
                | "pre"
                | "script"
                | "select"
                | "style"
                | "table"
                | "template"
                | "textarea"
                | "title"
                | "xmp"
        )
}

/// Whether it ends the drawing or formula that it stands in.
fn breaks_out(name: &str) -> bool {
    HEADINGS.contains(&name)
        || matches!(
            name,
            "b" | "big"
                | "blockquote"
                | "body"
                | "br"
                | "center"
                | "code"
                | "dd"
                | "div"
                | "dl"
                | "dt"
                | "em"
                | "embed"
                | "head"
                | "hr"
                | "i"
                | "img"
                | "li"
                | "listing"
                | "menu"
                | "meta"
                | "nobr"
                | "ol"
                | "p"
                | "pre"
                | "ruby"
                | "s"
                | "small"
                | "span"
                | "strong"
                | "strike"
                | "sub"
                | "sup"
                | "table"
                | "tt"
                | "u"
                | "ul"
                | "var"
        )
}
