//! The elements that are open, as a browser keeps them: which end tags may be left out, which tags end what
//! others began, and what an end tag does not reach. Each tag costs the same however deep the page is. Where
//! the exact tree is not kept, an element that is left out lasts longer and never shorter.

use super::class::{Class, Scope};
use html5ever::{LocalName, local_name};
use std::collections::HashMap;

/// Most elements that are known at once.
const MOST_OPEN: usize = 20_000;
/// Most words' marks that go on after the block they were begun in.
const MOST_LINGERING: usize = 20;
/// Most names that are known without being open.
const MOST_NAMES: usize = 500;

/// The open elements.
#[derive(Debug, Default)]
pub(super) struct OpenElements {
    stack: Vec<Entry>,
    /// What is known of each name that was seen.
    names: HashMap<LocalName, Known>,
    /// Places of what bounds each scope.
    scopes: [Vec<usize>; Scope::ALL.len()],
    /// Places of what is left out.
    left_out: Vec<usize>,
    /// Marks of words that go on where the next words stand, the outermost first.
    lingering: Vec<Lingering>,
    /// Whether everything from here on is left out.
    is_lost: bool,
    /// Whether the page is read as those of long ago, in which a paragraph holds tables.
    pub(super) is_quirky: bool,
}

/// What is known of a name.
#[derive(Debug)]
struct Known {
    class: Class,
    /// Places of the elements of that name, the innermost last.
    places: Vec<usize>,
}

#[derive(Debug)]
struct Entry {
    name: LocalName,
    class: Class,
    /// The scopes that it bounds, a bit for each.
    scopes: u32,
    is_left_out: bool,
    /// Whether it was taken out of the midst of the others.
    is_gone: bool,
}

/// A mark of words that goes on although its block is over.
#[derive(Debug)]
struct Lingering {
    name: LocalName,
    is_left_out: bool,
    /// The cell, or the like, in which it was begun; it does not go on after that.
    within: Option<usize>,
}

impl OpenElements {
    /// At the begin of a page.
    pub(super) fn new() -> Self {
        Self { is_quirky: true, ..Self::default() }
    }

    /// Whether words that stand here are left out.
    pub(super) fn is_left_out(&self) -> bool {
        self.is_lost || !self.left_out.is_empty()
    }

    /// The name of the outermost element that is left out.
    pub(super) fn root_left_out(&self) -> Option<&str> {
        let place = self.left_out.first()?;
        self.stack.get(*place).map(|entry| &*entry.name)
    }

    /// Whether the place is within a drawing or formula, whose tags are read by other rules.
    pub(super) fn is_foreign(&self) -> bool {
        let root = self.bound(Scope::Foreign);
        root.is_some() && root > self.bound(Scope::Integration)
    }

    /// Words follow: what marks words goes on here.
    pub(super) fn words(&mut self) {
        if self.top().is_some_and(|entry| entry.class.bounds(Scope::Head)) {
            self.pop();
        }
        let within = self.bound(Scope::Marker);
        if self.lingering.is_empty() {
            return;
        }
        let (here, elsewhere) =
            std::mem::take(&mut self.lingering).into_iter().partition(|mark| mark.within == within);
        self.lingering = elsewhere;
        let here: Vec<Lingering> = here;
        for mark in here {
            let class = self.class(&mark.name);
            self.push(mark.name, class, mark.is_left_out);
        }
    }

    /// A start tag: ends what it ends by itself, then opens the element unless it has no content. Gives the names
    /// of what was ended, when it was not left out.
    pub(super) fn start(
        &mut self,
        name: &LocalName,
        is_self_closing: bool,
        is_left_out: bool,
    ) -> Option<LocalName> {
        let tag: &str = name;
        let class = self.class(name);
        if self.is_foreign() {
            if !class.breaks_out {
                if !is_self_closing {
                    self.push(name.clone(), class, is_left_out);
                }
                return None;
            }
            while self.is_foreign() {
                self.pop();
            }
        }
        if tag == "form" && self.is_directly_in_table() {
            // It holds nothing there.
            return None;
        }
        let visible = self.left_out.first().copied().unwrap_or(usize::MAX);
        let ended = self.make_room(name, class).filter(|(place, _)| *place < visible).map(|(_, name)| name);
        if class.is_void || is_self_closing && matches!(tag, "svg" | "math") {
            if class.is_among_words {
                self.words();
            }
            return ended;
        }
        match tag {
            "html" | "body" => {
                self.is_lost |= is_left_out;
                return ended;
            }
            "head" if !self.stack.is_empty() => return ended,
            "form" if self.last(name).is_some() => return ended,
            // Outside of tables their parts are nothing, but what is hidden stays hidden.
            _ if class.is_part_of_table && !self.is_in_table() && !is_left_out => return ended,
            _ if class.is_formatting || class.is_among_words => self.words(),
            _ => {}
        }
        if matches!(tag, "tr" | "td" | "th") && self.is_in_table() {
            self.open_rows(tag);
        }
        self.push(name.clone(), class, is_left_out);
        ended
    }

    /// Rows and groups of them are there also where their tags are left out.
    fn open_rows(&mut self, tag: &str) {
        if self.bound(Scope::Group) < self.bound(Scope::WholeTable) {
            self.push(local_name!("tbody"), self.class(&local_name!("tbody")), false);
        }
        if tag != "tr" && self.bound(Scope::Row) < self.bound(Scope::Group) {
            self.push(local_name!("tr"), self.class(&local_name!("tr")), false);
        }
    }

    /// Ends what a start tag ends; gives the outermost of it with its place.
    fn make_room(&mut self, name: &LocalName, class: Class) -> Option<(usize, LocalName)> {
        let tag: &str = name;
        if class.is_of_body
            && let Some(head) = self.bound(Scope::Head)
            && self.bound(Scope::Template) < Some(head)
        {
            self.pop_to(head);
        }
        if matches!(tag, "body" | "main" | "article")
            && self.root_left_out() == Some("nav")
            && let Some(&nav) = self.left_out.first()
        {
            // Its end is often forgotten.
            self.pop_to(nav);
        }
        let mut ended = None;
        if class.ends_paragraph
            && !(self.is_quirky && tag == "table")
            && let Some(place) = self.in_scope(&local_name!("p"), Scope::Button)
        {
            ended = self.pop_to(place);
        }
        let also = match tag {
            "li" => self.innermost_wall(&["li"]),
            "dd" | "dt" => self.innermost_wall(&["dd", "dt"]),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.bound(Scope::Heading).filter(|place| place + 1 == self.stack.len())
            }
            "option" => self.top_if(&["option"]),
            "optgroup" => {
                if let Some(option) = self.top_if(&["option"]) {
                    self.pop_to(option);
                }
                self.top_if(&["optgroup"]).filter(|_| self.last(&local_name!("select")).is_some())
            }
            "rb" | "rt" | "rp" | "rtc" if self.in_scope(&local_name!("ruby"), Scope::Usual).is_some() => {
                self.top_if(&["rb", "rt", "rp"])
            }
            "button" => self.in_scope(name, Scope::Usual),
            "select" | "input" | "textarea" | "keygen" => self.last(&local_name!("select")),
            "a" | "nobr" => {
                if self.last(name).is_some_and(|place| Some(place) > self.bound(Scope::Marker)) {
                    self.end_formatting(name);
                } else {
                    self.forget_lingering(name);
                }
                None
            }
            "table" if self.is_directly_in_table() => self.bound(Scope::WholeTable),
            _ if class.is_part_of_table && self.is_in_table() => self.rows_end(tag),
            _ if class.is_part_of_table => self.top_if(&[tag]),
            _ => None,
        };
        also.and_then(|place| self.pop_to(place)).or(ended)
    }

    /// Where a part of a table begins: what is to be ended before.
    fn rows_end(&self, tag: &str) -> Option<usize> {
        let table = self.bound(Scope::WholeTable);
        let body = self.bound(Scope::Group).max(table);
        let row = self.bound(Scope::Row).max(body);
        let stays = match tag {
            "td" | "th" => row,
            "tr" => body,
            _ => table,
        };
        stays.map(|place| place + 1).filter(|place| *place < self.stack.len())
    }

    /// An end tag. Gives whether it ends something that is shown, or nothing where all is shown.
    pub(super) fn end(&mut self, name: &LocalName) -> bool {
        let was = self.left_out.first().copied();
        let target = self.end_of(name);
        if self.is_lost {
            return false;
        }
        match (was, target) {
            (None, _) => true,
            (Some(root), Some(target)) => target < root,
            (Some(_), None) => false,
        }
    }

    fn end_of(&mut self, name: &LocalName) -> Option<usize> {
        let tag: &str = name;
        let class = self.class(name);
        let is_at_bound = self.bound(Scope::Integration).is_some_and(|place| place + 1 == self.stack.len());
        if matches!(tag, "p" | "br") {
            // They are none of drawings and formulas.
            while self.is_foreign() {
                self.pop();
            }
        } else if self.is_foreign() || is_at_bound {
            let root = self.bound(Scope::Foreign);
            let own = self.last(name).filter(|place| Some(*place) >= root);
            if let Some(place) = own {
                self.pop_to(place);
                return own;
            }
        }
        let place = match tag {
            "html" | "body" | "br" => None,
            "p" => self.in_scope(name, Scope::Button),
            "li" => self.in_scope(name, Scope::List),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.bound(Scope::Heading).filter(|place| Some(*place) > self.bound(Scope::Usual))
            }
            "form" => {
                let form = self.in_scope(name, Scope::Usual)?;
                self.take_out_or_pop(form);
                return Some(form);
            }
            "template" | "head" | "select" => self.last(name),
            _ if class.is_formatting => return self.end_formatting(name),
            _ if class.is_part_of_table && !self.is_in_table() => {
                // There is none of it in the tree, so what is in it stays.
                let place = self.in_scope(name, Scope::Special)?;
                self.take_out_or_pop(place);
                return Some(place);
            }
            _ if tag == "table" || class.is_part_of_table => self.in_scope(name, Scope::Table),
            _ if class.ends_in_scope => self.in_scope(name, Scope::Usual),
            _ => self.in_scope(name, Scope::Special),
        };
        place.inspect(|place| {
            self.pop_to(*place);
        })
    }

    /// The end of a mark of words, which may stand in the midst of blocks that were begun after it.
    fn end_formatting(&mut self, name: &LocalName) -> Option<usize> {
        if self.forget_lingering(name) {
            return None;
        }
        let place = self.last(name).filter(|place| Some(*place) >= self.bound(Scope::Marker))?;
        // Only the start of a link reaches over a table; what is in there stays where it is.
        self.in_scope(name, Scope::Usual)?;
        if self.bound(Scope::Special) > Some(place) {
            self.take_out(place, false);
        } else {
            self.pop_own(place);
        }
        Some(place)
    }

    fn forget_lingering(&mut self, name: &LocalName) -> bool {
        let within = self.bound(Scope::Marker);
        let own = self.lingering.iter().rposition(|mark| mark.name == *name && mark.within == within);
        own.inspect(|at| drop(self.lingering.remove(*at))).is_some()
    }

    fn take_out_or_pop(&mut self, place: usize) {
        if place + 1 == self.stack.len() {
            self.pop();
        } else {
            self.take_out(place, true);
        }
    }

    /// Takes an element out of the midst; what is in it stays open. With `keeps`, what is in it stays in it.
    fn take_out(&mut self, place: usize, keeps: bool) {
        let Some(entry) = self.stack.get_mut(place) else { return };
        entry.is_gone = true;
        let (name, was_left_out) = (entry.name.clone(), std::mem::take(&mut entry.is_left_out));
        self.forget(&name, place);
        if was_left_out {
            self.left_out.retain(|other| *other != place);
            let inner = place + 1;
            if keeps
                && let Some(next) = self.stack.get_mut(inner)
                && !std::mem::replace(&mut next.is_left_out, true)
            {
                let at = self.left_out.partition_point(|other| *other < inner);
                self.left_out.insert(at, inner);
            }
        }
    }

    fn class(&self, name: &LocalName) -> Class {
        self.names.get(name).map_or_else(|| Class::of(name), |known| known.class)
    }

    fn push(&mut self, name: LocalName, class: Class, is_left_out: bool) {
        if self.stack.len() >= MOST_OPEN {
            // What is not known can neither be ended nor hold what is left out.
            self.is_lost |= self.is_left_out() || self.lingering.iter().any(|mark| mark.is_left_out);
            *self = Self { is_lost: self.is_lost, is_quirky: self.is_quirky, ..Self::default() };
        }
        let place = self.stack.len();
        let is_loose = class.is_part_of_table && !self.is_in_table();
        let scopes = if is_loose { 0 } else { class.scopes(self.is_foreign()) };
        if scopes != 0 {
            for (at, places) in self.scopes.iter_mut().enumerate() {
                if scopes & (1 << at) != 0 {
                    places.push(place);
                }
            }
        }
        if is_left_out {
            self.left_out.push(place);
        }
        let new = || Known { class, places: Vec::new() };
        self.names.entry(name.clone()).or_insert_with(new).places.push(place);
        self.stack.push(Entry { name, class, scopes, is_left_out, is_gone: false });
    }

    /// Ends the element at `place` by its own end tag, and all in it.
    fn pop_own(&mut self, place: usize) {
        if place + 1 < self.stack.len() {
            self.pop_to(place + 1);
        }
        self.pop();
    }

    /// Ends the element at `place` and all in it. Marks of words that end so go on in what follows.
    fn pop_to(&mut self, place: usize) -> Option<(usize, LocalName)> {
        let mut marks: Vec<Lingering> = Vec::new();
        let mut outermost = None;
        while self.stack.len() > place {
            let Some(entry) = self.pop() else { break };
            let here = self.bound(Scope::Marker);
            if entry.class.is_formatting && !entry.is_gone {
                if marks.len() < MOST_LINGERING {
                    let Entry { name, is_left_out, .. } = &entry;
                    marks.push(Lingering { name: name.clone(), is_left_out: *is_left_out, within: here });
                } else if entry.is_left_out || self.is_left_out() {
                    self.is_lost = true;
                }
            } else if entry.class.bounds(Scope::Marker) {
                marks.retain(|mark| mark.within <= here);
            }
            outermost = Some((self.stack.len(), entry.name));
        }
        if !marks.is_empty() {
            marks.reverse();
            marks.append(&mut self.lingering);
            let excess = marks.len().saturating_sub(MOST_LINGERING);
            let is_hidden = marks.iter().any(|mark| mark.is_left_out) || self.is_left_out();
            self.is_lost |= excess > 0 && is_hidden;
            marks.drain(..excess);
            self.lingering = marks;
        }
        outermost
    }

    fn pop(&mut self) -> Option<Entry> {
        let entry = self.stack.pop()?;
        let place = self.stack.len();
        let was_marker = self.bound(Scope::Marker) == Some(place);
        if !entry.is_gone {
            self.forget(&entry.name, place);
        }
        if entry.scopes != 0 {
            for (at, places) in self.scopes.iter_mut().enumerate() {
                if entry.scopes & (1 << at) != 0 {
                    places.pop();
                }
            }
        }
        if self.left_out.last() == Some(&place) {
            self.left_out.pop();
        }
        if was_marker {
            self.lingering.retain(|mark| mark.within < Some(place));
        }
        Some(entry)
    }

    /// Takes a place from those of its name.
    fn forget(&mut self, name: &LocalName, place: usize) {
        let is_much = self.names.len() > MOST_NAMES;
        if let Some(Known { places, .. }) = self.names.get_mut(name) {
            if let Some(at) = places.iter().rposition(|other| *other == place) {
                places.remove(at);
            }
            if places.is_empty() && is_much {
                self.names.remove(name);
            }
        }
    }

    fn top(&self) -> Option<&Entry> {
        self.stack.last()
    }

    fn top_if(&self, names: &[&str]) -> Option<usize> {
        let top = self.top()?;
        names.contains(&&*top.name).then(|| self.stack.len() - 1)
    }

    /// The innermost element of the kind that lists end at, when it is one of these.
    fn innermost_wall(&self, names: &[&str]) -> Option<usize> {
        let place = self.bound(Scope::Wall)?;
        names.contains(&&*self.stack.get(place)?.name).then_some(place)
    }

    fn last(&self, name: &LocalName) -> Option<usize> {
        self.names.get(name)?.places.last().copied()
    }

    fn bound(&self, scope: Scope) -> Option<usize> {
        self.scopes.get(scope as usize)?.last().copied()
    }

    /// The innermost element of that name, unless something of the scope is between.
    fn in_scope(&self, name: &LocalName, scope: Scope) -> Option<usize> {
        self.last(name).filter(|place| Some(*place) >= self.bound(scope))
    }

    fn is_in_table(&self) -> bool {
        let table = self.bound(Scope::WholeTable);
        table.is_some() && table > self.bound(Scope::Template)
    }

    /// Whether the place is in a table, yet in no cell.
    fn is_directly_in_table(&self) -> bool {
        self.is_in_table() && self.bound(Scope::WholeTable) > self.bound(Scope::Cell)
    }

    /// The place of the innermost list, which its items belong to.
    pub(super) fn list(&self) -> Option<usize> {
        self.bound(Scope::AnyList)
    }
}
