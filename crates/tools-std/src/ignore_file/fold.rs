//! One spelling for names that some file systems hold equal, as deny rules fold them: letter case, Unicode form, and
//! characters that have no width.

use unicode_normalization::UnicodeNormalization;

/// `text` in the spelling that all equal names share.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let visible = text.nfkc().filter(|c| !has_no_width(*c));
    visible.flat_map(char::to_lowercase).nfkc().collect()
}

fn has_no_width(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
