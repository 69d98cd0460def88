//! One spelling for texts that some file systems hold equal: letter case and Unicode form. Used by
//! whatever forbids; whatever allows compares exactly.

use unicode_normalization::UnicodeNormalization;

/// `text` without differences of case, of Unicode form and of characters that have no width.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let visible = text.nfkc().filter(|c| !has_no_width(*c));
    visible.flat_map(char::to_lowercase).nfkc().collect()
}

/// Whether nothing is seen of it.
pub(crate) fn has_no_width(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_fold_to_one_text() {
        assert_eq!(fold(".GIT"), ".git");
        assert_eq!(fold("se\u{301}cret"), fold("S\u{c9}CRET"));
        assert_eq!(fold(".g\u{200c}it"), ".git");
    }
}
