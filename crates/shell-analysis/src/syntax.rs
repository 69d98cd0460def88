//! The syntax tree of a text of shell commands. It borrows from the text.

use std::borrow::Cow;

/// A whole text, line by line as bash takes it.
#[derive(Debug, Default)]
pub(crate) struct Script<'a> {
    /// One entry for each line that is read before anything of it runs.
    pub(crate) lines: Vec<List<'a>>,
    /// Bodies of the here-documents, in the order of their operators.
    pub(crate) heres: Vec<Here<'a>>,
    /// Names of the functions that are defined anywhere in it.
    pub(crate) functions: Vec<Cow<'a, str>>,
    /// Where reading ended before the end of the text.
    pub(crate) bad: Option<Bad>,
    /// A construct that a POSIX shell reads otherwise than bash does.
    pub(crate) bash_only: Option<usize>,
}

/// Something that is not understood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bad {
    pub(crate) reason: &'static str,
    pub(crate) at: usize,
}

/// Commands one after the other.
pub(crate) type List<'a> = Vec<Item<'a>>;

/// An and-or list and whether it runs in the background.
#[derive(Debug)]
pub(crate) struct Item<'a> {
    pub(crate) first: Pipeline<'a>,
    pub(crate) rest: Vec<Pipeline<'a>>,
    pub(crate) is_background: bool,
}

/// Commands joined by `|`.
#[derive(Debug, Default)]
pub(crate) struct Pipeline<'a> {
    pub(crate) commands: Vec<Command<'a>>,
}

/// A command with its redirections.
#[derive(Debug)]
pub(crate) struct Command<'a> {
    pub(crate) kind: Kind<'a>,
    pub(crate) redirects: Vec<Redirect<'a>>,
    pub(crate) start: usize,
}

#[derive(Debug)]
pub(crate) enum Kind<'a> {
    Simple {
        assigns: Vec<Assign<'a>>,
        words: Vec<WordTree<'a>>,
    },
    Group(List<'a>),
    Subshell(List<'a>),
    If {
        branches: Vec<(List<'a>, List<'a>)>,
        otherwise: Option<List<'a>>,
    },
    Loop {
        condition: List<'a>,
        body: List<'a>,
    },
    /// `for` and `select`.
    For {
        name: &'a str,
        words: Option<Vec<WordTree<'a>>>,
        body: List<'a>,
        is_select: bool,
        /// Whether braces stand around its body.
        has_braces: bool,
    },
    ArithFor {
        head: Vec<Part<'a>>,
        body: List<'a>,
    },
    Case {
        word: WordTree<'a>,
        arms: Vec<(Vec<WordTree<'a>>, List<'a>)>,
    },
    Test(Vec<TestItem<'a>>),
    Arith(Vec<Part<'a>>),
    Function {
        name: Cow<'a, str>,
        body: Box<Command<'a>>,
    },
    Coproc {
        name: Option<Cow<'a, str>>,
        body: Box<Command<'a>>,
    },
}

/// A piece of `[[ ]]`.
#[derive(Debug)]
pub(crate) enum TestItem<'a> {
    Word(WordTree<'a>),
    /// `&&`, `||`, `(`, `)`, `<`, `>`.
    Operator,
}

/// An assignment before a command or as an argument of `declare` and the like.
#[derive(Debug)]
pub(crate) struct Assign<'a> {
    pub(crate) name: &'a str,
    pub(crate) subscript: Option<Vec<Part<'a>>>,
    pub(crate) is_append: bool,
    pub(crate) value: AssignValue<'a>,
    pub(crate) at: usize,
}

#[derive(Debug)]
pub(crate) enum AssignValue<'a> {
    Scalar(WordTree<'a>),
    Array(Vec<Element<'a>>),
}

/// An element of an array with its subscript.
pub(crate) type Element<'a> = (Option<Vec<Part<'a>>>, WordTree<'a>);

/// A word as written.
#[derive(Debug, Default)]
pub(crate) struct WordTree<'a> {
    pub(crate) parts: Vec<Part<'a>>,
    /// As written.
    pub(crate) source: &'a str,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl<'a> WordTree<'a> {
    /// The text when it is nothing but literal characters without quotes.
    pub(crate) fn bare(&self) -> Option<Cow<'a, str>> {
        match self.parts.as_slice() {
            [Part::Lit(text)] => Some(Cow::Borrowed(text)),
            [] => None,
            parts => {
                let mut all = String::new();
                for part in parts {
                    let Part::Lit(text) = part else { return None };
                    all.push_str(text);
                }
                Some(Cow::Owned(all))
            }
        }
    }
}

#[derive(Debug)]
pub(crate) enum Part<'a> {
    /// Characters without quotes; globs, braces and a tilde in them are live.
    Lit(&'a str),
    /// Characters that quotes or a backslash protect.
    Quoted(Cow<'a, str>),
    /// Quoted characters that no text can hold, or that depend on the locale.
    Unclear,
    /// `"..."`.
    Double(Vec<Part<'a>>),
    Param(Box<Param<'a>>),
    /// `$(...)`.
    Command(Box<List<'a>>),
    /// The text of a command in backticks, unescaped, and where it stands.
    Backtick(Cow<'a, str>, usize),
    /// `$((...))`, `$[...]`.
    Arith(Vec<Part<'a>>),
    /// `<(...)`, `>(...)`.
    Process(Box<List<'a>>),
    /// What is assigned by `declare name=(...)`.
    Array(Vec<Element<'a>>),
}

/// A parameter expansion.
#[derive(Debug)]
pub(crate) struct Param<'a> {
    pub(crate) name: &'a str,
    pub(crate) subscript: Option<Vec<Part<'a>>>,
    pub(crate) is_indirect: bool,
    pub(crate) is_length: bool,
    pub(crate) op: Op<'a>,
    /// Whether it is written without braces: what stands behind may go on with its name.
    pub(crate) is_bare: bool,
    pub(crate) at: usize,
}

#[derive(Debug)]
pub(crate) enum Op<'a> {
    None,
    /// `-`, `=`, `?`, `+` with or without a colon.
    Default {
        kind: u8,
        has_colon: bool,
        word: Vec<Part<'a>>,
    },
    /// Patterns: `#`, `%`, `/`, `^`, `,`.
    Pattern(Vec<Part<'a>>),
    /// `:offset:length`.
    Slice(Vec<Part<'a>>),
    /// `@Q` and its like.
    Transform(u8),
    /// `${!name*}`, `${!name@}`.
    Names,
}

#[derive(Debug)]
pub(crate) struct Redirect<'a> {
    /// The descriptor on its left.
    pub(crate) fd: Fd<'a>,
    pub(crate) kind: RedirectKind<'a>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fd<'a> {
    Default,
    Number(u32),
    /// `{name}`.
    Name(&'a str),
}

#[derive(Debug)]
pub(crate) enum RedirectKind<'a> {
    Read(WordTree<'a>),
    Write(WordTree<'a>),
    Append(WordTree<'a>),
    ReadWrite(WordTree<'a>),
    /// `<&`.
    DupIn(WordTree<'a>),
    /// `>&`.
    DupOut(WordTree<'a>),
    /// `&>`, `&>>`.
    Both(WordTree<'a>),
    /// Index into [`Script::heres`].
    Here(usize),
    HereString(WordTree<'a>),
}

/// A here-document.
#[derive(Debug, Default)]
pub(crate) struct Here<'a> {
    pub(crate) delimiter: String,
    pub(crate) is_quoted: bool,
    pub(crate) strips_tabs: bool,
    /// The text as read, tabs stripped.
    pub(crate) body: Cow<'a, str>,
    /// What is expanded in it when the delimiter is not quoted.
    pub(crate) parts: Vec<Part<'a>>,
    pub(crate) at: usize,
}
