//! A change of a text as hunks of lines, for hooks, people and the model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

const CONTEXT: usize = 3;
/// Above this many changed lines on both sides the change is one hunk: finding the smallest one
/// takes time that grows with the square.
const MAX_COMPARED: usize = 2_000;

/// Lines that changed, with the lines around them.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Hunk {
    /// First line of the old text, from 1; 0 when there is none.
    pub old_start: usize,
    /// Lines of the old text.
    pub old_lines: usize,
    /// First line of the new text, from 1; 0 when there is none.
    pub new_start: usize,
    /// Lines of the new text.
    pub new_lines: usize,
    /// The lines, each after a blank, `-` or `+`.
    pub lines: Vec<String>,
}

/// The change from `old` to `new`.
pub(crate) fn structured_patch(old: &str, new: &str) -> Vec<Hunk> {
    let (old, new): (Vec<&str>, Vec<&str>) = (split(old), split(new));
    group_diff_ops(operations(&old, &new), CONTEXT).iter().map(|group| hunk(group, &old, &new)).collect()
}

/// Hunks as people read them.
pub(crate) fn unified(hunks: &[Hunk]) -> String {
    let mut out = String::new();
    for hunk in hunks {
        out.push_str(&format!(
            "@@ -{},{} +{},{} @@\n",
            hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines
        ));
        for line in &hunk.lines {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// Lines with their ends, so that a change of an end is a change.
fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let tail = tail.min(old.len() - head).min(new.len() - head);
    let (old_middle, new_middle) = (old.len() - head - tail, new.len() - head - tail);
    if old_middle <= MAX_COMPARED && new_middle <= MAX_COMPARED {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    vec![
        DiffOp::Equal { old_index: 0, new_index: 0, len: head },
        DiffOp::Replace { old_index: head, old_len: old_middle, new_index: head, new_len: new_middle },
        DiffOp::Equal { old_index: head + old_middle, new_index: head + new_middle, len: tail },
    ]
}

fn hunk(group: &[DiffOp], old: &[&str], new: &[&str]) -> Hunk {
    let mut lines = Vec::new();
    let mut put = |mark: char, line: Option<&&str>| {
        let line = line.copied().unwrap_or_default();
        let text = line.strip_suffix('\n').unwrap_or(line);
        lines.push(format!("{mark}{text}"));
        if !line.ends_with('\n') {
            lines.push("\\ No newline at end of file".to_owned());
        }
    };
    let whole = |range: fn(&DiffOp) -> std::ops::Range<usize>| match (group.first(), group.last()) {
        (Some(first), Some(last)) => range(first).start..range(last).end,
        _ => 0..0,
    };
    for op in group {
        if let DiffOp::Equal { .. } = op {
            op.old_range().for_each(|index| put(' ', old.get(index)));
        } else {
            op.old_range().for_each(|index| put('-', old.get(index)));
            op.new_range().for_each(|index| put('+', new.get(index)));
        }
    }
    let (old_range, new_range) = (whole(DiffOp::old_range), whole(DiffOp::new_range));
    let start = |range: &std::ops::Range<usize>| range.start + usize::from(!range.is_empty());
    Hunk {
        old_start: start(&old_range),
        old_lines: old_range.len(),
        new_start: start(&new_range),
        new_lines: new_range.len(),
        lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_a_hunk_with_three_lines_around() {
        let old: String = (1..=20).map(|n| format!("{n}\n")).collect();
        let new = old.replace("10\n", "ten\n").replace("20\n", "20");
        insta::assert_snapshot!(unified(&structured_patch(&old, &new)), @r"
        @@ -7,7 +7,7 @@
         7
         8
         9
        -10
        +ten
         11
         12
         13
        @@ -17,4 +17,4 @@
         17
         18
         19
        -20
        +20
        \ No newline at end of file
        ");
    }

    #[test]
    fn a_new_file_starts_at_line_zero_of_nothing() {
        let hunks = structured_patch("", "a\nb\n");
        assert_eq!(
            (hunks[0].old_start, hunks[0].old_lines, hunks[0].new_start, hunks[0].new_lines),
            (0, 0, 1, 2)
        );
        assert_eq!(structured_patch("a\n", "a\n"), []);
    }

    #[test]
    fn a_huge_rewrite_is_one_hunk() {
        let old: String = (0..9_000).map(|n| format!("old {n}\n")).collect();
        let new: String = (0..9_000).map(|n| format!("new {n}\n")).collect();
        let hunks = structured_patch(&old, &new);
        assert_eq!((hunks.len(), hunks[0].lines.len()), (1, 18_000));
    }
}
