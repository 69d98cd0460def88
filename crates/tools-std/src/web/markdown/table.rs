//! Tables: cells are written on their own, and become a table or, where the table only arranges the page,
//! one block after another.

use super::output::{Gap, Output};

/// A table that is being read.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
    /// What was written before the table.
    around: Output,
    /// What stands in no cell: a caption.
    loose: Output,
    is_in_cell: bool,
    /// Whether it holds another table.
    is_layout: bool,
}

impl Table {
    /// A table after `around`, which becomes the place for what stands in no cell.
    pub(super) fn begin(around: &mut Output) -> Self {
        around.block(Gap::Blank);
        Self { around: std::mem::take(around), ..Self::default() }
    }

    /// It holds another table.
    pub(super) fn holds_table(&mut self) {
        self.is_layout = true;
    }

    /// A row begins.
    pub(super) fn row(&mut self) {
        self.rows.push(Vec::new());
    }

    /// A cell begins.
    pub(super) fn cell(&mut self, out: &mut Output) {
        self.loose = std::mem::take(out);
        self.is_in_cell = true;
    }

    /// A cell ends, if one was begun; gives how long it is.
    pub(super) fn end_cell(&mut self, out: &mut Output) -> usize {
        if !std::mem::take(&mut self.is_in_cell) {
            return 0;
        }
        let cell = std::mem::replace(out, std::mem::take(&mut self.loose)).finish();
        if self.rows.is_empty() {
            self.rows.push(Vec::new());
        }
        let bytes = cell.len();
        if let Some(row) = self.rows.last_mut() {
            row.push(cell);
        }
        bytes
    }

    /// The table ends: `out` is what was around it, with the table.
    pub(super) fn end(self, out: &mut Output) {
        let caption = std::mem::replace(out, self.around).finish();
        out.lines_of(&caption);
        let rows: Vec<Vec<String>> =
            self.rows.into_iter().filter(|row| row.iter().any(|cell| !cell.is_empty())).collect();
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let has_blocks = rows.iter().flatten().any(|cell| cell.contains("\n\n") || cell.contains("```"));
        if self.is_layout || columns < 2 || has_blocks {
            for cell in rows.iter().flatten() {
                out.lines_of(cell);
            }
            return;
        }
        let mut text = String::new();
        for (at, row) in rows.iter().enumerate() {
            text.push('|');
            for cell in row {
                text.push(' ');
                text.push_str(&cell.replace('|', "\\|").replace('\n', " "));
                text.push_str(" |");
            }
            text.push('\n');
            if at == 0 {
                text.push('|');
                text.push_str(&" --- |".repeat(row.len()));
                text.push('\n');
            }
        }
        out.lines_of(&text);
    }
}

impl Output {
    /// Lines as a block, unless there are none.
    fn lines_of(&mut self, text: &str) {
        if !text.is_empty() {
            self.lines(text);
        }
    }
}
