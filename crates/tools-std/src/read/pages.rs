//! Which pages of a document are asked for: `3`, `1-5`, `7-`.

/// Pages that are shown at once.
pub(super) const MOST_AT_ONCE: u32 = 20;
/// Pages of a document that is shown whole without being asked for pages.
#[cfg(feature = "pdf")]
const MOST_WHOLE: u32 = 10;

/// Pages as they were asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Pages {
    /// From the first, counted from 1, to the last; without a last one up to the end.
    Range {
        /// The first one.
        first: u32,
        /// The last one.
        last: Option<u32>,
    },
    /// As many of the first ones as are shown without being named.
    #[cfg(all(feature = "pdf", feature = "web"))]
    Beginning,
}

/// Reads what is asked for.
///
/// # Errors
/// What is wrong with it.
pub(super) fn parse(text: &str) -> Result<Pages, String> {
    let wrong = |what: &str| {
        format!("`pages` is `{text:.40}`, {what}; write one page such as `3` or a range such as `1-5`")
    };
    let number = |part: &str| match part.trim() {
        part if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) => {
            Err(wrong("which is no range of pages"))
        }
        part => part.parse::<u32>().map_err(|_| wrong("which no document has")),
    };
    let (first, last) = match text.split_once('-') {
        None => {
            let page = number(text)?;
            (page, Some(page))
        }
        Some((first, last)) if last.trim().is_empty() => (number(first)?, None),
        Some((first, last)) => (number(first)?, Some(number(last)?)),
    };
    if first == 0 {
        return Err(wrong("but pages count from 1"));
    }
    if let Some(last) = last {
        if last < first {
            return Err(wrong("which is reversed: the first page comes first"));
        }
        if last - first >= MOST_AT_ONCE {
            let count = u64::from(last - first) + 1;
            return Err(too_many(first, count));
        }
    }
    Ok(Pages::Range { first, last })
}

fn too_many(first: u32, count: u64) -> String {
    let fits = first.saturating_add(MOST_AT_ONCE - 1);
    format!(
        "{count} pages are asked for, and at most {MOST_AT_ONCE} are read at once; begin with `{first}-{fits}`"
    )
}

/// The pages to read of a document of `total` pages.
///
/// # Errors
/// What must be asked for instead.
#[cfg(feature = "pdf")]
pub(super) fn of(wanted: Option<Pages>, total: u32) -> Result<std::ops::RangeInclusive<u32>, String> {
    let pages = if total == 1 { "page" } else { "pages" };
    let Some(wanted) = wanted else {
        return if total <= MOST_WHOLE {
            Ok(1..=total)
        } else {
            let fits = total.min(MOST_AT_ONCE);
            Err(format!(
                "has {total} pages, and at most {MOST_WHOLE} are read without being named; choose with `pages`, such \
                 as `1-{fits}`"
            ))
        };
    };
    let (first, last) = match wanted {
        Pages::Range { first, last } => (first, last.unwrap_or(total)),
        #[cfg(feature = "web")]
        Pages::Beginning => (1, total.min(MOST_WHOLE)),
    };
    if first > total || last > total {
        return Err(format!("has {total} {pages}, so there is no page {}", first.max(last)));
    }
    if last - first >= MOST_AT_ONCE {
        return Err(format!("has {total} pages: {}", too_many(first, u64::from(last - first) + 1)));
    }
    Ok(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_page_or_a_range() {
        for (text, first, last) in [
            ("3", 3, Some(3)),
            ("1-5", 1, Some(5)),
            (" 2 - 4 ", 2, Some(4)),
            ("7-", 7, None),
            ("1-20", 1, Some(20)),
        ] {
            assert_eq!(parse(text), Ok(Pages::Range { first, last }), "{text}");
        }
    }

    #[test]
    fn anything_else_is_an_error_that_says_why() {
        for (text, says) in [
            ("", "no range"),
            (",", "no range"),
            ("-", "no range"),
            ("-5", "no range"),
            ("a", "no range"),
            ("1,3", "no range"),
            ("1-2-3", "no range"),
            ("+1", "no range"),
            ("0", "count from 1"),
            ("0-3", "count from 1"),
            ("10-5", "reversed"),
            ("1-21", "at most 20"),
            ("1-4294967295", "4294967295 pages"),
            ("99999999999", "no document has"),
        ] {
            let problem = parse(text).unwrap_err();
            assert!(problem.contains(says), "{text}: {problem}");
        }
    }

    #[cfg(feature = "pdf")]
    #[test]
    fn the_document_has_the_last_word() {
        let of = |text: &str, total| of((!text.is_empty()).then(|| parse(text).unwrap()), total);
        assert_eq!(of("", 10), Ok(1..=10));
        assert_eq!(of("2-", 21), Ok(2..=21));
        #[cfg(feature = "web")]
        for (total, last) in [(1, 1), (10, 10), (11, 10), (4_000_000_000, 10)] {
            assert_eq!(super::of(Some(Pages::Beginning), total), Ok(1..=last));
        }
        for (text, total, says) in [
            ("", 11, "choose with `pages`, such as `1-11`"),
            ("2", 1, "has 1 page, so there is no page 2"),
            ("5-", 4, "has 4 pages, so there is no page 5"),
            ("5-9", 8, "has 8 pages, so there is no page 9"),
            ("3-", 30, "28 pages are asked for, and at most 20 are read at once; begin with `3-22`"),
        ] {
            let problem = of(text, total).unwrap_err();
            assert!(problem.contains(says), "{text}: {problem}");
        }
    }
}
