//! Changes of single cells, made in the text of a notebook: everything outside of them stays byte for byte.

use super::json::{self, Member};
use super::layout::{self, quoted, source_like};
use super::notebook::{Cell, Notebook, NotebookError};
use super::{CellType, EditMode};
use std::ops::Range;

/// What to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'w> {
    pub mode: EditMode,
    pub cell: Option<&'w str>,
    pub kind: Option<CellType>,
    pub source: &'w str,
}

/// What came of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Changed {
    /// The notebook's text.
    pub text: String,
    /// The cell's name: its id, or its place.
    pub cell: String,
    /// Its type.
    pub kind: String,
    /// What it said before; empty for a new one.
    pub old_source: String,
    /// Whether outputs went.
    pub cleared: bool,
    /// Language of code cells.
    pub language: String,
}

/// Changes one cell.
///
/// # Errors
/// When the notebook is broken, has not the cell, or nothing would change.
pub(super) fn change(text: &str, wanted: &Wanted<'_>) -> Result<Changed, NotebookError> {
    let notebook = Notebook::read(text)?;
    match (wanted.mode, wanted.cell) {
        (EditMode::Insert, after) => {
            let at = after.map(|id| notebook.find(id)).transpose()?;
            Ok(insert(&notebook, at, wanted.kind.unwrap_or(CellType::Code), wanted.source))
        }
        (EditMode::Delete, Some(id)) => Ok(delete(&notebook, notebook.find(id)?)),
        (EditMode::Replace, Some(id)) => replace(&notebook, notebook.find(id)?, wanted),
        (EditMode::Replace | EditMode::Delete, None) => {
            let known = "`cell_id` says which cell is meant".to_owned();
            Err(NotebookError::NoCell { id: String::new(), known })
        }
    }
}

/// Parts of a text to be replaced.
#[derive(Default)]
struct Splices(Vec<(Range<usize>, String)>);

impl Splices {
    fn put(&mut self, at: Range<usize>, text: impl Into<String>) {
        self.0.push((at, text.into()));
    }

    fn apply(mut self, text: &str) -> String {
        // What is put at a place comes before what is removed there.
        self.0.sort_by_key(|(at, _)| (at.start, at.end));
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (at, new) in self.0 {
            out.push_str(text.get(done..at.start).unwrap_or_default());
            out.push_str(&new);
            done = at.end;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        out
    }
}

fn insert(notebook: &Notebook<'_>, after: Option<usize>, kind: CellType, source: &str) -> Changed {
    let Notebook { text, layout, cells, array, .. } = notebook;
    let index = after.map_or(0, |after| after + 1);
    let id = notebook.new_id(index, source);
    let cell = new_cell(notebook, id.as_deref(), kind, source);
    // What stands before a cell that has one before it.
    let gap = |index: usize| {
        let from = index.checked_sub(1).and_then(|before| cells.get(before)).map(|cell| cell.place.end);
        let to = cells.get(index).map(|cell| cell.place.start);
        let between = from.zip(to).and_then(|(from, to)| text.get(from..to));
        between.and_then(|between| between.trim_start().strip_prefix(',')).map(str::to_owned)
    };
    let lead = || cells.first().and_then(|cell| text.get(array.start + 1..cell.place.start));
    let gap =
        gap(index.max(1)).or_else(|| gap(cells.len().saturating_sub(1))).unwrap_or_else(|| match lead() {
            Some(lead) if lead.contains('\n') => lead.to_owned(),
            _ => layout.after_comma(2),
        });
    let mut splices = Splices::default();
    match (after.and_then(|after| cells.get(after)), cells.first()) {
        (Some(before), _) => splices.put(before.place.end..before.place.end, format!(",{gap}{cell}")),
        (None, Some(first)) => splices.put(first.place.start..first.place.start, format!("{cell},{gap}")),
        (None, None) => splices.put(array.clone(), layout.array(1, &[cell])),
    }
    Changed {
        text: splices.apply(text),
        cell: id.unwrap_or_else(|| format!("cell-{index}")),
        kind: kind.name().to_owned(),
        old_source: String::new(),
        cleared: false,
        language: notebook.language.clone(),
    }
}

/// A cell with the fields that its type has, in the order in which notebooks are written.
fn new_cell(notebook: &Notebook<'_>, id: Option<&str>, kind: CellType, source: &str) -> String {
    let layout = &notebook.layout;
    let is_text = |cell: &Cell| {
        let source = json::named(&cell.members, "source");
        source.is_some_and(|source| notebook.text.as_bytes().get(source.value.start) == Some(&b'"'))
    };
    let source = if notebook.cells.first().is_some_and(is_text) {
        quoted(source)
    } else {
        layout.array(3, &layout::lines(source))
    };
    let mut members = vec![("cell_type", quoted(kind.name()))];
    if kind == CellType::Code {
        members.push(("execution_count", "null".to_owned()));
    }
    if let Some(id) = id {
        members.push(("id", quoted(id)));
    }
    members.push(("metadata", "{}".to_owned()));
    if kind == CellType::Code {
        members.push(("outputs", "[]".to_owned()));
    }
    members.push(("source", source));
    layout.object(2, &members)
}

fn delete(notebook: &Notebook<'_>, index: usize) -> Changed {
    let place = |index: usize| notebook.cells.get(index).map(|cell| cell.place.clone());
    let before = index.checked_sub(1).and_then(place);
    let after = place(index + 1);
    let own = place(index).unwrap_or_default();
    let mut splices = Splices::default();
    match (before, after) {
        (_, Some(after)) => splices.put(own.start..after.start, ""),
        (Some(before), None) => splices.put(before.end..own.end, ""),
        (None, None) => splices.put(notebook.array.clone(), "[]"),
    }
    let cell = notebook.cells.get(index);
    Changed {
        text: splices.apply(notebook.text),
        cell: notebook.name(index),
        kind: cell.map(|cell| cell.kind.clone()).unwrap_or_default(),
        old_source: cell.and_then(|cell| cell.source(notebook.text)).unwrap_or_default(),
        cleared: false,
        language: notebook.language.clone(),
    }
}

fn replace(notebook: &Notebook<'_>, index: usize, wanted: &Wanted<'_>) -> Result<Changed, NotebookError> {
    let Some(cell) = notebook.cells.get(index) else {
        return Err(NotebookError::Broken("its cells changed".to_owned()));
    };
    let text = notebook.text;
    let old_source = cell.source(text);
    let new_kind = wanted.kind.map(CellType::name).filter(|kind| *kind != cell.kind);
    if new_kind.is_none() && old_source.as_deref() == Some(wanted.source) {
        return Err(NotebookError::NoChange(notebook.name(index)));
    }
    let kind = new_kind.unwrap_or(&cell.kind);
    let mut splices = Splices::default();
    let form = Form { text, cell, colon: colon(text, &cell.members) };
    match json::named(&cell.members, "source") {
        Some(source) => {
            let value = source_like(text, &source.value, &notebook.layout, wanted.source);
            splices.put(source.value.clone(), value);
        }
        None => form.add_after(&mut splices, cell.members.last(), "source", &quoted(wanted.source)),
    }
    let mut cleared = false;
    if kind == CellType::Code.name() {
        cleared = form.clear(&mut splices, "outputs", "[]");
        form.clear(&mut splices, "execution_count", "null");
    }
    if let Some(new_kind) = new_kind {
        if let Some(member) = json::named(&cell.members, "cell_type") {
            splices.put(member.value.clone(), quoted(new_kind));
        }
        let is_code = new_kind == CellType::Code.name();
        let unwanted: &[&str] = if is_code { &["attachments"] } else { &["outputs", "execution_count"] };
        cleared |= form.remove(&mut splices, unwanted);
        if is_code {
            let missing = |name: &str| json::named(&cell.members, name).is_none();
            if missing("execution_count") {
                let after = json::named(&cell.members, "cell_type");
                form.add_after(&mut splices, after, "execution_count", "null");
            }
            if missing("outputs") {
                let after = json::named(&cell.members, "metadata")
                    .or_else(|| json::named(&cell.members, "cell_type"));
                form.add_after(&mut splices, after, "outputs", "[]");
            }
        }
    }
    Ok(Changed {
        text: splices.apply(text),
        cell: notebook.name(index),
        kind: kind.to_owned(),
        old_source: old_source.unwrap_or_default(),
        cleared,
        language: notebook.language.clone(),
    })
}

fn colon<'t>(text: &'t str, members: &[Member]) -> &'t str {
    let first = members.first();
    first.and_then(|first| text.get(first.key.end..first.value.start)).unwrap_or(": ")
}

/// The members of one cell, as they are written.
struct Form<'c> {
    text: &'c str,
    cell: &'c Cell,
    colon: &'c str,
}

impl Form<'_> {
    /// Adds a member after another one, as far in as that one.
    fn add_after(&self, splices: &mut Splices, after: Option<&Member>, name: &str, value: &str) {
        let Some(after) = after else { return };
        let first = self.cell.members.first().map_or(after.key.start, |first| first.key.start);
        let lead = self.text.get(self.cell.place.start + 1..first).unwrap_or_default();
        let gap = if lead.contains('\n') { lead } else { " " };
        let at = after.value.end;
        splices.put(at..at, format!(",{gap}{}{}{value}", quoted(name), self.colon));
    }

    /// Gives a member its empty value; says whether it had another one.
    fn clear(&self, splices: &mut Splices, name: &str, empty: &str) -> bool {
        let Some(member) = json::named(&self.cell.members, name) else { return false };
        let now = self.text.get(member.value.clone()).unwrap_or_default();
        let is_empty = now.chars().filter(|c| !c.is_ascii_whitespace()).eq(empty.chars());
        if !is_empty {
            splices.put(member.value.clone(), empty);
        }
        !is_empty
    }

    /// Removes members with their commas; says whether there were any with something in them.
    fn remove(&self, splices: &mut Splices, names: &[&str]) -> bool {
        let members = &self.cell.members;
        let goes = |member: &Member| names.contains(&member.name.as_str());
        let stays = members.iter().position(|member| !goes(member)).unwrap_or(members.len());
        let mut removed = false;
        for (index, member) in members.iter().enumerate().filter(|(_, member)| goes(member)) {
            let next = members.get(index + 1).map_or(member.value.end, |next| next.key.start);
            let before = index.checked_sub(1).and_then(|before| members.get(before));
            // The first ones go with the comma after them, the others with the one before.
            match before.filter(|_| index > stays) {
                Some(before) => splices.put(before.value.end..member.value.end, ""),
                None => splices.put(member.key.start..next, ""),
            }
            let value = self.text.get(member.value.clone()).unwrap_or_default();
            removed |= !matches!(value, "[]" | "null" | "{}");
        }
        removed
    }
}

#[cfg(test)]
mod tests;
