//! A second opinion: brush-parser reads the text too, and must find the same commands. Two readings that were
//! written apart rarely err alike; where they differ the text is opaque.
//!
//! Only its program grammar is asked: its word parser takes exponential time. That grammar takes time too where
//! brackets nest, so that it is asked about texts of little depth only.

use brush_parser::ast;

use crate::syntax::{
    Assign, AssignValue, Command, Fd, Kind, List, Part, Redirect, RedirectKind, Script, WordTree,
};

/// Deepest nesting of compound commands, and of any round brackets, of which it is asked: its time doubles with
/// each level.
const MAX_DEPTH: u32 = 10;

/// Why the second reading does not confirm `script`, the first reading of `src`.
pub(crate) fn doubt(src: &str, script: &Script<'_>) -> Option<&'static str> {
    if is_plain(src) {
        return None;
    }
    let mut first = First { tally: Tally::default(), is_known_to_differ: false, depth: 0 };
    for line in &script.lines {
        first.list(line);
    }
    if first.tally.max_depth > MAX_DEPTH || brackets(src) > MAX_DEPTH {
        return Some("nested too deeply");
    }
    if first.is_known_to_differ {
        return None;
    }
    let options = brush_parser::ParserOptions::default();
    let Ok(tokens) = brush_parser::uncached_tokenize_str(src, &options.tokenizer_options()) else {
        return Some("a text that is read in two ways");
    };
    let Ok(program) = brush_parser::parse_tokens(&tokens, &options) else {
        return Some("a text that is read in two ways");
    };
    let mut second = Second { tally: Tally::default() };
    for list in &program.complete_commands {
        second.list(list);
    }
    (first.tally.sum != second.tally.sum).then_some("a text that is read in two ways")
}

/// Whether the text holds nothing that nests, continues or hides: words, quotes and plain operators in one line have
/// one reading.
fn is_plain(src: &str) -> bool {
    let is_hard = |byte: u8| {
        matches!(byte, b'\\' | b'`' | b'(' | b')' | b'{' | b'}' | b'[' | b'#' | b'!' | b'\n' | b'\r')
    };
    !src.bytes().any(is_hard) && !src.contains("<<")
}

/// How deep round brackets nest, quoted ones too.
fn brackets(src: &str) -> u32 {
    let mut depth = 0_u32;
    let mut most = 0;
    for byte in src.bytes() {
        match byte {
            b'(' => {
                depth += 1;
                most = most.max(depth);
            }
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// What was found, in any order.
#[derive(Default)]
struct Tally {
    sum: u64,
    max_depth: u32,
}

impl Tally {
    /// Notes a command of a kind, with its first word and some counts.
    fn note(&mut self, kind: &str, name: &str, counts: [usize; 3]) {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        kind.bytes().for_each(&mut add);
        add(0);
        let mut rest = name.as_bytes();
        while let Some((byte, behind)) = rest.split_first() {
            match behind {
                [b'\n', tail @ ..] if *byte == b'\\' => rest = tail,
                _ => {
                    add(*byte);
                    rest = behind;
                }
            }
        }
        for count in counts {
            count.to_le_bytes().into_iter().for_each(&mut add);
        }
        self.sum = self.sum.wrapping_add(hash ^ (hash >> 29));
    }
}

/// The first reading.
struct First {
    tally: Tally,
    /// Whether it holds what the second is known not to read.
    is_known_to_differ: bool,
    depth: u32,
}

impl First {
    fn list(&mut self, list: &List<'_>) {
        for item in list {
            for pipeline in std::iter::once(&item.first).chain(&item.rest) {
                for command in &pipeline.commands {
                    self.command(command);
                }
            }
        }
    }

    fn command(&mut self, command: &Command<'_>) {
        self.depth += 1;
        self.tally.max_depth = self.tally.max_depth.max(self.depth);
        let kind = match &command.kind {
            Kind::Simple { assigns, words } => {
                self.simple(assigns, words, &command.redirects);
                self.depth -= 1;
                return;
            }
            Kind::Group(list) => {
                self.list(list);
                "{"
            }
            Kind::Subshell(list) => {
                // `( (a) )` is arithmetic to the second reading.
                self.is_known_to_differ |= matches!(
                    list.first().and_then(|item| item.first.commands.first()),
                    Some(Command { kind: Kind::Subshell(_), .. })
                );
                self.list(list);
                "("
            }
            Kind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.list(condition);
                    self.list(body);
                }
                if let Some(list) = otherwise {
                    self.list(list);
                }
                "if"
            }
            Kind::Loop { condition, body } => {
                self.list(condition);
                self.list(body);
                "while"
            }
            Kind::For { body, is_select, has_braces, .. } => {
                self.is_known_to_differ |= *is_select || *has_braces;
                self.list(body);
                "for"
            }
            Kind::ArithFor { body, .. } => {
                self.list(body);
                "for"
            }
            Kind::Case { arms, .. } => {
                for (patterns, list) in arms {
                    self.tally.note("arm", "", [patterns.len(), 0, 0]);
                    self.list(list);
                }
                "case"
            }
            Kind::Test(_) => "[[",
            Kind::Arith(_) => "((",
            Kind::Function { body, .. } => {
                self.command(body);
                "f"
            }
            Kind::Coproc { body, .. } => {
                self.command(body);
                "coproc"
            }
        };
        self.tally.note(
            kind,
            "",
            [0, 0, command.redirects.iter().filter(|redirect| opens(redirect)).count()],
        );
        for redirect in &command.redirects {
            self.redirect(redirect);
        }
        self.depth -= 1;
    }

    fn simple(&mut self, assigns: &[Assign<'_>], words: &[WordTree<'_>], redirects: &[Redirect<'_>]) {
        let name = words.first().map(|word| word.source).unwrap_or_default();
        let opened = redirects.iter().filter(|redirect| opens(redirect)).count();
        self.tally.note("simple", name, [assigns.len(), words.len(), opened]);
        for word in words {
            self.word(word);
        }
        for assign in assigns {
            match &assign.value {
                AssignValue::Scalar(word) => self.word(word),
                AssignValue::Array(elements) => elements.iter().for_each(|(_, word)| self.word(word)),
            }
        }
        for redirect in redirects {
            self.redirect(redirect);
        }
    }

    /// Notes what the second reading does not know within words: `case` in a substitution.
    fn word(&mut self, word: &WordTree<'_>) {
        match word.parts.as_slice() {
            [Part::Process(list)] => {
                self.depth += 1;
                self.list(list);
                self.depth -= 1;
            }
            parts => self.is_known_to_differ |= parts.iter().any(has_case),
        }
    }

    fn redirect(&mut self, redirect: &Redirect<'_>) {
        // The second reading takes `{name}` for a word.
        self.is_known_to_differ |= matches!(redirect.fd, Fd::Name(_));
        match &redirect.kind {
            RedirectKind::Read(word)
            | RedirectKind::Write(word)
            | RedirectKind::Append(word)
            | RedirectKind::ReadWrite(word)
            | RedirectKind::DupIn(word)
            | RedirectKind::DupOut(word)
            | RedirectKind::Both(word)
            | RedirectKind::HereString(word) => self.word(word),
            RedirectKind::Here(_) => {}
        }
    }
}

/// Whether a redirection is counted: `|&` counts as one of a descriptor for the second reading, so that these are
/// left out.
fn opens(redirect: &Redirect<'_>) -> bool {
    !matches!(redirect.kind, RedirectKind::DupIn(_) | RedirectKind::DupOut(_))
}

/// Whether a substitution holds a `case`, whose brackets the second reading takes for the end.
fn has_case(part: &Part<'_>) -> bool {
    match part {
        Part::Double(parts) => parts.iter().any(has_case),
        Part::Command(list) | Part::Process(list) => list.iter().any(|item| {
            std::iter::once(&item.first)
                .chain(&item.rest)
                .flat_map(|pipeline| &pipeline.commands)
                .any(|command| !matches!(&command.kind, Kind::Simple { words, .. } if !words.iter().any(|word| word.parts.iter().any(has_case))))
        }),
        _ => false,
    }
}

/// The second reading.
struct Second {
    tally: Tally,
}

impl Second {
    fn list(&mut self, list: &ast::CompoundList) {
        for ast::CompoundListItem(and_or, _) in &list.0 {
            self.pipeline(&and_or.first);
            for next in &and_or.additional {
                match next {
                    ast::AndOr::And(pipeline) | ast::AndOr::Or(pipeline) => self.pipeline(pipeline),
                }
            }
        }
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline) {
        for command in &pipeline.seq {
            self.command(command);
        }
    }

    fn command(&mut self, command: &ast::Command) {
        match command {
            ast::Command::Simple(simple) => self.simple(simple),
            ast::Command::Compound(compound, redirects) => self.compound(compound, redirects.as_ref()),
            ast::Command::Function(function) => {
                self.compound(&function.body.0, function.body.1.as_ref());
                self.tally.note("f", "", [0, 0, 0]);
            }
            ast::Command::ExtendedTest(_, redirects) => self.note("[[", redirects.as_ref()),
        }
    }

    fn note(&mut self, kind: &str, redirects: Option<&ast::RedirectList>) {
        let redirects = redirects.map(|list| list.0.as_slice()).unwrap_or_default();
        let mut opened = 0;
        for redirect in redirects {
            opened += usize::from(self.redirect(redirect));
        }
        self.tally.note(kind, "", [0, 0, opened]);
    }

    fn compound(&mut self, compound: &ast::CompoundCommand, redirects: Option<&ast::RedirectList>) {
        use ast::CompoundCommand as Compound;
        let kind = match compound {
            Compound::Arithmetic(_) => "((",
            Compound::ArithmeticForClause(clause) => {
                self.list(&clause.body.list);
                "for"
            }
            Compound::BraceGroup(group) => {
                self.list(&group.list);
                "{"
            }
            Compound::Subshell(subshell) => {
                self.list(&subshell.list);
                "("
            }
            Compound::ForClause(clause) => {
                self.list(&clause.body.list);
                "for"
            }
            Compound::CaseClause(clause) => {
                for case in &clause.cases {
                    self.tally.note("arm", "", [case.patterns.len(), 0, 0]);
                    if let Some(list) = &case.cmd {
                        self.list(list);
                    }
                }
                "case"
            }
            Compound::IfClause(clause) => {
                self.list(&clause.condition);
                self.list(&clause.then);
                for other in clause.elses.iter().flatten() {
                    if let Some(condition) = &other.condition {
                        self.list(condition);
                    }
                    self.list(&other.body);
                }
                "if"
            }
            Compound::WhileClause(clause) | Compound::UntilClause(clause) => {
                self.list(&clause.0);
                self.list(&clause.1.list);
                "while"
            }
            Compound::Coprocess(coprocess) => {
                self.command(&coprocess.body);
                "coproc"
            }
        };
        self.note(kind, redirects);
    }

    fn simple(&mut self, simple: &ast::SimpleCommand) {
        use ast::CommandPrefixOrSuffixItem as Part;
        let name = simple.word_or_name.as_ref().map(|word| word.value.as_str());
        let prefix = simple.prefix.as_ref().map(|prefix| prefix.0.as_slice()).unwrap_or_default();
        let suffix = simple.suffix.as_ref().map(|suffix| suffix.0.as_slice()).unwrap_or_default();
        let mut assigns = 0;
        let mut words = usize::from(name.is_some());
        let mut redirects = 0;
        for (part, is_prefix) in
            prefix.iter().map(|part| (part, true)).chain(suffix.iter().map(|part| (part, false)))
        {
            match part {
                Part::IoRedirect(redirect) => {
                    redirects += usize::from(self.redirect(redirect));
                }
                Part::AssignmentWord(..) if is_prefix => assigns += 1,
                Part::Word(_) | Part::AssignmentWord(..) => words += 1,
                Part::ProcessSubstitution(_, subshell) => {
                    words += 1;
                    self.list(&subshell.list);
                }
            }
        }
        self.tally.note("simple", name.unwrap_or_default(), [assigns, words, redirects]);
    }

    /// Looks into a redirection; gives whether it is counted.
    fn redirect(&mut self, redirect: &ast::IoRedirect) -> bool {
        let ast::IoRedirect::File(_, kind, target) = redirect else { return true };
        if let ast::IoFileRedirectTarget::ProcessSubstitution(_, subshell) = target {
            self.list(&subshell.list);
        }
        !matches!(kind, ast::IoFileRedirectKind::DuplicateInput | ast::IoFileRedirectKind::DuplicateOutput)
    }
}
