//! A notebook as places in its text: its cells, how they are named, and what its format asks for.

use super::json::{self, Member};
use super::layout::Layout;
use crate::file::python_json;
use crate::safe_name::hex;
use std::collections::HashSet;
use std::ops::Range;

/// Most cells that a notebook may have.
const MAX_CELLS: usize = 100_000;
/// Cells that are named when one is not found.
const MAX_NAMED: usize = 30;

/// Why a notebook cannot be changed as asked. The texts follow its path.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(super) enum NotebookError {
    /// It is no JSON, or not what a notebook is.
    #[error("is broken, so it was not changed: {0}")]
    Broken(String),
    /// An older or newer format.
    #[error("has notebook format {0}; only format 4 can be edited by cells")]
    Format(String),
    /// No such cell.
    #[error("has no cell `{id}`; {known}")]
    NoCell {
        /// As asked.
        id: String,
        /// What there is instead.
        known: String,
    },
    /// Several cells have this id.
    #[error("has several cells with the id `{id}` ({}); name one of them by its place", .places.join(", "))]
    SameId {
        /// As asked.
        id: String,
        /// Names by place.
        places: Vec<String>,
    },
    /// The cell is like that already.
    #[error("has this source in cell `{0}` already: nothing would change")]
    NoChange(String),
}

/// A notebook.
#[derive(Debug)]
pub(super) struct Notebook<'t> {
    pub text: &'t str,
    /// The minor version of its format.
    pub minor: f64,
    /// The array of cells.
    pub array: Range<usize>,
    pub cells: Vec<Cell>,
    pub layout: Layout,
    /// Language of its code cells.
    pub language: String,
}

/// A cell.
#[derive(Debug)]
pub(super) struct Cell {
    pub place: Range<usize>,
    pub members: Vec<Member>,
    pub id: Option<String>,
    pub kind: String,
}

impl<'t> Notebook<'t> {
    /// Finds the parts of a notebook.
    ///
    /// # Errors
    /// When it is none.
    pub(super) fn read(text: &'t str) -> Result<Self, NotebookError> {
        let broken = |what: &str| NotebookError::Broken(what.to_owned());
        python_json::check(text).map_err(|error| NotebookError::Broken(format!("it is no JSON: {error}")))?;
        let root = json::root(text);
        let top = json::members(text, &root).ok_or_else(|| broken("it is no JSON object"))?;
        let number = |name: &str| {
            let value = json::named(&top, name)?.value.clone();
            text.get(value)?.parse::<f64>().ok()
        };
        match number("nbformat") {
            Some(4.0) => {}
            Some(other) => return Err(NotebookError::Format(other.to_string())),
            None => return Err(broken("it has no `nbformat` number")),
        }
        let array = json::named(&top, "cells").ok_or_else(|| broken("it has no `cells`"))?.value.clone();
        let places = json::items(text, &array).ok_or_else(|| broken("its `cells` are no list"))?;
        if places.len() > MAX_CELLS {
            return Err(broken("it has more than 100000 cells"));
        }
        let cells: Result<Vec<Cell>, NotebookError> =
            (0..).zip(places).map(|(index, place)| Cell::read(text, place, index)).collect();
        Ok(Self {
            text,
            minor: number("nbformat_minor").unwrap_or(0.0),
            array,
            cells: cells?,
            layout: Layout::of(text, &root, &top),
            language: language(text, &top).unwrap_or_else(|| "python".to_owned()),
        })
    }

    /// The place of the cell that `id` names: by its id, or else as `cell-N`, counted from 0.
    ///
    /// # Errors
    /// When there is none, or several have the id.
    pub(super) fn find(&self, id: &str) -> Result<usize, NotebookError> {
        let with_id = self.cells.iter().enumerate().filter(|(_, cell)| cell.id.as_deref() == Some(id));
        let found: Vec<usize> = with_id.map(|(index, _)| index).collect();
        if let [only] = *found {
            return Ok(only);
        }
        if !found.is_empty() {
            let places = found.iter().map(|index| format!("cell-{index}")).collect();
            return Err(NotebookError::SameId { id: id.to_owned(), places });
        }
        let index = id.strip_prefix("cell-").and_then(|number| number.parse::<usize>().ok());
        if let Some(index) = index.filter(|index| *index < self.cells.len()) {
            return Ok(index);
        }
        let names: Vec<String> = (0..self.cells.len().min(MAX_NAMED)).map(|index| self.name(index)).collect();
        let more = if self.cells.len() > names.len() { ", ..." } else { "" };
        let known = match self.cells.len() {
            0 => "it has no cells".to_owned(),
            count => format!("its {count} cells are {}{more}", names.join(", ")),
        };
        Err(NotebookError::NoCell { id: id.to_owned(), known })
    }

    /// How the cell is named: by its id, or its place when it has none.
    pub(super) fn name(&self, index: usize) -> String {
        let id = self.cells.get(index).and_then(|cell| cell.id.clone());
        id.unwrap_or_else(|| format!("cell-{index}"))
    }

    /// An id that no cell has; `None` where the format knows no ids.
    pub(super) fn new_id(&self, index: usize, source: &str) -> Option<String> {
        if self.minor < 5.0 {
            return None;
        }
        let taken: HashSet<&str> = self.cells.iter().filter_map(|cell| cell.id.as_deref()).collect();
        (0u64..).find_map(|round| {
            let seed = format!("{}-{index}-{round}-{source}", self.text.len());
            let hash = crate::file::ledger::hash(seed.as_bytes());
            let id = hex(hash.get(..4).unwrap_or_default());
            (!taken.contains(id.as_str())).then_some(id)
        })
    }
}

impl Cell {
    fn read(text: &str, place: Range<usize>, index: usize) -> Result<Self, NotebookError> {
        let broken = |what: &str| NotebookError::Broken(format!("cell {index} {what}"));
        let members = json::members(text, &place).ok_or_else(|| broken("is no JSON object"))?;
        let string =
            |name: &str| json::named(&members, name).and_then(|member| json::string(text, &member.value));
        let kind = string("cell_type").ok_or_else(|| broken("has no `cell_type`"))?;
        let id = string("id");
        Ok(Self { place, id, kind, members })
    }

    /// What it says: its source as one text; `None` when that is no text.
    pub(super) fn source(&self, text: &str) -> Option<String> {
        let value = &json::named(&self.members, "source")?.value;
        match json::items(text, value) {
            Some(lines) => lines.iter().map(|line| json::string(text, line)).collect(),
            None => json::string(text, value),
        }
    }
}

fn language(text: &str, top: &[Member]) -> Option<String> {
    let metadata = json::members(text, &json::named(top, "metadata")?.value)?;
    let inside = |object: &str, name: &str| {
        let members = json::members(text, &json::named(&metadata, object)?.value)?;
        json::string(text, &json::named(&members, name)?.value)
    };
    inside("language_info", "name").or_else(|| inside("kernelspec", "language"))
}
