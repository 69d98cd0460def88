//! The patch language of Codex: which files a patch adds, changes and takes away. Errs towards more files.

/// One file that a patch touches.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Touched {
    /// As named in the patch.
    pub(crate) path: String,
    pub(crate) how: How,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum How {
    /// Written as a whole: added, or the place that something moves to.
    Written,
    /// Changed, or taken away.
    Changed,
}

/// What is known of a patch.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Patch {
    pub(crate) files: Vec<Touched>,
    /// Why it cannot be told what else it touches.
    pub(crate) unclear: Option<&'static str>,
}

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// Where in a patch a line stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    Before,
    Between,
    Added,
    Updated,
    After,
}

/// Reads a patch.
pub(crate) fn parse(text: &str) -> Patch {
    let mut patch = Patch::default();
    let mut place = Place::Before;
    let mut end_word = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed == BEGIN && place == Place::Before {
            place = Place::Between;
            continue;
        }
        if place == Place::Before {
            // Some models wrap the patch into a here-document of its own.
            match trimmed.strip_prefix("<<") {
                Some(word) => end_word = Some(word.trim_matches(['-', '\'', '"', ' '])),
                None if trimmed.is_empty() => {}
                None => patch.unclear = Some("the patch cannot be read"),
            }
            continue;
        }
        if place == Place::After && (trimmed.is_empty() || Some(trimmed) == end_word) {
            continue;
        }
        if trimmed == END && !is_content(line, place) {
            place = Place::After;
            continue;
        }
        place = patch.take(line, place);
    }
    if place != Place::After || patch.files.is_empty() {
        patch.unclear = patch.unclear.or(Some("the patch cannot be read"));
    }
    patch
}

impl Patch {
    /// Takes a line between the first and the last; gives the place of the next one.
    fn take(&mut self, line: &str, place: Place) -> Place {
        let header = line.trim().strip_prefix("*** ").map(str::trim_start);
        let named = |word: &str| header.and_then(|header| header.strip_prefix(word));
        // A line of content that looks like a header counts as one too: a file more does no harm.
        if let Some(path) = named("Add File:") {
            self.touch(path, How::Written);
            return Place::Added;
        }
        if let Some(path) = named("Update File:") {
            self.touch(path, How::Changed);
            return Place::Updated;
        }
        if let Some(path) = named("Delete File:") {
            self.touch(path, How::Changed);
            return if is_content(line, place) { place } else { Place::Between };
        }
        if let Some(path) = named("Move to:") {
            self.touch(path, How::Written);
            if place != Place::Updated {
                self.unclear = Some("the patch cannot be read");
            }
            return place;
        }
        if named("Environment ID:").is_some() {
            self.unclear = Some("the patch is for another machine");
            return place;
        }
        if !(is_content(line, place) || line.trim().is_empty()) {
            self.unclear = self.unclear.or(Some("the patch cannot be read"));
        }
        place
    }

    fn touch(&mut self, path: &str, how: How) {
        let path = path.trim();
        if path.is_empty() {
            self.unclear = Some("the patch cannot be read");
        }
        self.files.push(Touched { path: path.to_owned(), how });
    }
}

/// Whether a line is text of a file.
fn is_content(line: &str, place: Place) -> bool {
    match place {
        Place::Added => line.starts_with('+'),
        Place::Updated => {
            line.starts_with(['+', '-', ' ', '@']) || line.is_empty() || line.trim() == "*** End of File"
        }
        Place::Before | Place::Between | Place::After => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (String, Option<&'static str>) {
        let patch = parse(text);
        let letter = |how| if how == How::Written { 'W' } else { 'C' };
        let files: Vec<String> =
            patch.files.iter().map(|file| format!("{}:{}", letter(file.how), file.path)).collect();
        (files.join(" "), patch.unclear)
    }

    #[test]
    fn a_patch_names_every_file_that_it_touches() {
        let text = "*** Begin Patch\n*** Add File: a b\n+x\n*** Update File: c\n*** Move to: d\n@@ fn\n ctx\n-x\n+y\n\
                    *** End of File\n*** Delete File: e\n*** End Patch\n";
        assert_eq!(of(text), ("W:a b C:c W:d C:e".to_owned(), None));
        let wrapped = "<<'EOF'\n  *** Begin Patch\n *** Add File: a\n+\n*** End Patch  \nEOF\n";
        assert_eq!(of(wrapped), ("W:a".to_owned(), None));
    }

    #[test]
    fn what_cannot_be_read_is_unclear_and_still_names_files() {
        for text in [
            "",
            "hello",
            "*** Begin Patch\n*** End Patch",
            "*** Begin Patch\n*** Add File: a\n+x\n",
            "*** Begin Patch\n*** Add File: \n+x\n*** End Patch",
            "*** Begin Patch\n*** Add File: a\nx\n*** End Patch",
            "*** Begin Patch\n*** Environment ID: x\n*** Add File: a\n+x\n*** End Patch",
            "*** Begin Patch\n*** Move to: a\n*** End Patch",
            "*** Begin Patch\n*** Copy File: a\n*** End Patch",
        ] {
            assert!(of(text).1.is_some(), "{text}");
        }
        let late = "*** Begin Patch\n*** Add File: a\n+\n*** End Patch\n*** Delete File: b\n";
        assert_eq!(of(late), ("W:a C:b".to_owned(), Some("the patch cannot be read")));
    }

    #[test]
    fn added_text_is_no_header() {
        let text = "*** Begin Patch\n*** Add File: a\n+*** Delete File: b\n+*** End Patch\n*** End Patch";
        assert_eq!(of(text), ("W:a".to_owned(), None));
    }
}
