//! Tables: cells are written on their own, and become a table or, where the table only arranges the page,
//! one block after another. What spans several rows or columns stands in each of them.

use super::output::{Gap, MOST_BYTES, Output};

/// Most columns that a cell spans.
const MOST_COLUMNS: usize = 100;
/// Most rows that a cell spans.
const MOST_ROWS: usize = 2000;
/// Places of a table that spans may add to each cell, and to the table as a whole.
const MOST_ADDED: (usize, usize) = (4, 200);
/// Longest text that is repeated.
const LONGEST_REPEATED: usize = 200;

/// A table that is being read.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Row>,
    /// What was written before the table.
    around: Output,
    /// What stands in no cell: a caption.
    loose: Output,
    /// How far the cell that is being read spans.
    open: Option<Span>,
    /// Whether it holds another table.
    is_layout: bool,
    /// Whether the next row begins a group of rows, at which spans end.
    is_group_new: bool,
}

#[derive(Debug, Default)]
struct Row {
    begins_group: bool,
    cells: Vec<Cell>,
}

#[derive(Debug)]
struct Cell {
    text: String,
    span: Span,
}

/// How far a cell spans.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Span {
    columns: usize,
    rows: usize,
}

impl Span {
    /// By what its attributes say.
    pub(super) fn of(columns: Option<&str>, rows: Option<&str>) -> Self {
        let number = |text: Option<&str>| text.and_then(leading_number);
        // No rows are all rows of the group.
        let rows = number(rows).map_or(1, |rows| if rows == 0 { MOST_ROWS } else { rows });
        Self { columns: number(columns).unwrap_or(1).clamp(1, MOST_COLUMNS), rows: rows.min(MOST_ROWS) }
    }

    const ONE: Self = Self { columns: 1, rows: 1 };
}

/// The digits that a text begins with, as a number.
pub(super) fn leading_number(text: &str) -> Option<usize> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let digits = text.get(..end).filter(|digits| !digits.is_empty())?;
    Some(digits.parse().unwrap_or(usize::MAX))
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

    /// A group of rows begins.
    pub(super) fn group(&mut self) {
        self.is_group_new = true;
    }

    /// A row begins.
    pub(super) fn row(&mut self) {
        let begins_group = std::mem::take(&mut self.is_group_new);
        self.rows.push(Row { begins_group, cells: Vec::new() });
    }

    /// A cell begins.
    pub(super) fn cell(&mut self, span: Span, out: &mut Output) {
        self.loose = std::mem::take(out);
        self.open = Some(span);
    }

    /// A cell ends, if one was begun; gives how long it is.
    pub(super) fn end_cell(&mut self, out: &mut Output) -> usize {
        let Some(span) = self.open.take() else { return 0 };
        let text = std::mem::replace(out, std::mem::take(&mut self.loose)).finish();
        if self.rows.is_empty() {
            self.row();
        }
        let bytes = text.len();
        if let Some(row) = self.rows.last_mut() {
            row.cells.push(Cell { text, span });
        }
        bytes
    }

    /// The table ends: `out` is what was around it, with the table.
    pub(super) fn end(self, out: &mut Output) {
        let caption = std::mem::replace(out, self.around).finish();
        out.lines_of(&caption);
        let columns = self.rows.iter().map(|row| row.cells.len()).max().unwrap_or_default();
        let cells = || self.rows.iter().flat_map(|row| &row.cells);
        let has_blocks = cells().any(|cell| cell.text.contains("\n\n") || cell.text.contains("```"));
        if self.is_layout || columns < 2 || has_blocks {
            for cell in cells() {
                out.lines_of(&cell.text);
            }
            return;
        }
        let most = MOST_ADDED.0 * cells().count() + MOST_ADDED.1;
        let rows = laid_out(&self.rows, most).or_else(|| laid_out(&self.rows, usize::MAX));
        let mut text = String::new();
        for (at, row) in rows.unwrap_or_default().iter().enumerate() {
            if text.len() > MOST_BYTES {
                break;
            }
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

/// Rows of texts, column by column. `None` when spans make more than `most` places of the table; without a limit
/// spans are not followed.
fn laid_out(rows: &[Row], most: usize) -> Option<Vec<Vec<&str>>> {
    let follows = most != usize::MAX;
    let mut found = Vec::new();
    // What comes down from the rows above: how many rows it goes on, and its text.
    let mut from_above: Vec<(usize, &str)> = Vec::new();
    let mut places = 0;
    for row in rows {
        if row.begins_group {
            from_above.clear();
        }
        let mut line: Vec<&str> = Vec::new();
        let is_alone = row.cells.len() == 1 && from_above.iter().all(|(rows, _)| *rows == 0);
        let mut cells = row.cells.iter();
        let reach = from_above.len();
        loop {
            if let Some((rows, text)) = from_above.get_mut(line.len())
                && *rows > 0
            {
                *rows -= 1;
                line.push(text);
            } else if let Some(cell) = cells.next() {
                let span = if follows { cell.span } else { Span::ONE };
                let repeated = if cell.text.len() <= LONGEST_REPEATED { cell.text.as_str() } else { "" };
                // A row that is one cell is a heading of what follows; it is not repeated.
                let (columns, beside) = if is_alone { (1, "") } else { (span.columns, repeated) };
                for column in 0..columns {
                    if from_above.len() <= line.len() {
                        from_above.resize(line.len() + 1, (0, ""));
                    }
                    if let Some(above) = from_above.get_mut(line.len()) {
                        *above = (span.rows.saturating_sub(1), repeated);
                    }
                    line.push(if column == 0 { &cell.text } else { beside });
                }
            } else if line.len() < reach {
                line.push("");
            } else {
                break;
            }
            if places + line.len() > most {
                return None;
            }
        }
        places += line.len();
        let goes_on = from_above.iter().rposition(|(rows, _)| *rows > 0);
        from_above.truncate(goes_on.map_or(0, |at| at + 1));
        if row.cells.iter().any(|cell| !cell.text.is_empty()) {
            found.push(line);
        }
    }
    Some(found)
}

impl Output {
    /// Lines as a block, unless there are none.
    fn lines_of(&mut self, text: &str) {
        if !text.is_empty() {
            self.lines(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_numbers_within_reason() {
        for (columns, rows, expected) in [
            (None, None, (1, 1)),
            (Some("2"), Some(" 3x"), (2, 3)),
            (Some("0"), Some("0"), (1, MOST_ROWS)),
            (Some("-1"), Some("x"), (1, 1)),
            (Some("99999999999999999999"), Some("1000000"), (MOST_COLUMNS, MOST_ROWS)),
        ] {
            let span = Span::of(columns, rows);
            assert_eq!((span.columns, span.rows), expected, "{columns:?} {rows:?}");
        }
    }
}
