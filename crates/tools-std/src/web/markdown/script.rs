//! Numbers and words that stand above or below the line: `10^6`, `x_1`, `note[1]`.

/// How many of them may stand in each other.
const MOST_SCRIPTS: usize = 4;
/// Longest text that is marked as one.
const LONGEST: usize = 200;

/// Where it stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Sign {
    /// `^`
    Above,
    /// `_`
    Below,
}

/// One that was begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Script {
    sign: Sign,
    /// Where its text begins; nothing while there is none.
    from: Option<usize>,
    /// Whether it leads to a note.
    is_note: bool,
}

/// Those that are open, and the one that ended last.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    open: Vec<Script>,
    /// Where its text stands, without its sign.
    last: Option<(usize, usize)>,
}

impl Scripts {
    /// One begins.
    pub(super) fn begin(&mut self, sign: Sign, is_note: bool) {
        if self.open.len() < MOST_SCRIPTS {
            self.open.push(Script { sign, from: None, is_note });
        }
    }

    /// The words up to here belong to none.
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.last = None;
    }

    /// A link stands in the innermost.
    pub(super) fn holds_link(&mut self) {
        if let Some(script) = self.open.last_mut() {
            script.is_note = true;
        }
    }

    /// A word that begins with `first` follows right at the end of `text`.
    pub(super) fn before_word(&mut self, text: &mut String, first: Option<char>) {
        if let Some((from, to)) = self.last.take()
            && to == text.len()
            && let (Some(before), Some(first)) = (text.chars().next_back(), first)
            && (before.is_numeric() && first.is_numeric() || before.is_alphabetic() && first.is_alphabetic())
        {
            text.insert(from, '(');
            text.push(')');
        }
        for script in &mut self.open {
            script.from.get_or_insert(text.len());
        }
    }

    /// The innermost ends at the end of `text`.
    pub(super) fn end(&mut self, sign: Sign, text: &mut String) {
        let Some(at) = self.open.iter().rposition(|script| script.sign == sign) else { return };
        let script = self.open.remove(at);
        self.open.truncate(at);
        let Some(from) = script.from else { return };
        let Some((before, inner)) = text.split_at_checked(from) else { return };
        if inner.is_empty() || inner.len() > LONGEST || inner.contains('\n') {
            return;
        }
        if script.is_note {
            let is_marked = inner.contains(['[', ']', '(']) || before.ends_with('[');
            if !is_marked {
                text.insert(from, '[');
                text.push(']');
            }
            return;
        }
        let is_ordinal = before.ends_with(|c: char| c.is_ascii_digit())
            && matches!(inner, "st" | "nd" | "rd" | "th" | "er" | "re" | "e");
        // Such as a trademark: no number, no word.
        let is_symbol = !inner.contains(|c: char| c.is_alphanumeric() || matches!(c, '+' | '-' | '\u{2212}'));
        if is_ordinal || is_symbol || inner.starts_with(['^', '_']) {
            return;
        }
        let is_one = {
            let digits = inner.trim_start_matches(['+', '-', '\u{2212}']);
            digits.chars().all(char::is_alphanumeric) || inner.chars().nth(1).is_none()
        };
        let sign = if sign == Sign::Above { '^' } else { '_' };
        if is_one {
            text.insert(from, sign);
            self.last = Some((from + 1, text.len()));
        } else {
            text.insert_str(from, &format!("{sign}("));
            text.push(')');
        }
    }
}
