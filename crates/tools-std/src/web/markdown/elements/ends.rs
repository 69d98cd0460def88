//! The ends of what was gathered: links, cells, tables and code.

use super::super::attributes::longest_run;
use super::super::output::Mark;
use super::Elements;

impl Elements {
    /// Ends a link, also in the midst of code: what follows is code still.
    pub(super) fn end_link(&mut self) {
        self.link_from = None;
        let is_code = self.code.is_some();
        self.end_code();
        self.out.end(|mark| matches!(mark, Mark::Link(_)));
        if is_code {
            self.code = Some(String::new());
        }
    }

    pub(super) fn end_cell(&mut self) {
        if let Some((table, written)) = self.tables.last_mut() {
            let cell = table.end_cell(&mut self.out);
            *written += cell;
            self.written_around += cell;
        }
    }

    pub(super) fn end_table(&mut self) -> bool {
        self.end_cell();
        let Some((table, written)) = self.tables.pop() else { return false };
        self.written_around -= written;
        table.end(&mut self.out);
        true
    }

    pub(super) fn end_pre(&mut self) {
        let Some(pre) = self.pre.take() else { return };
        self.pre_scripts.clear();
        let text = pre.text.trim_matches(['\n', '\r']).trim_end();
        if !text.is_empty() {
            let fence = "`".repeat(longest_run(text).max(2) + 1);
            self.out.lines(&format!("{fence}{}\n{text}\n{fence}", pre.language));
        }
    }

    pub(super) fn end_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        self.pre_scripts.clear();
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
}
