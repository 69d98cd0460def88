//! News of background tasks in a size that may stand in a message.

/// Most characters of one text.
const MOST_CHARS: usize = 20_000;
/// Most texts.
const MOST_TEXTS: usize = 50;

/// The first texts, of each the first line and the newest ones, and how much was left out.
pub(super) fn bounded(mut texts: Vec<String>) -> Vec<String> {
    let more = texts.len().saturating_sub(MOST_TEXTS);
    texts.truncate(MOST_TEXTS);
    let mut texts: Vec<String> = texts.into_iter().map(shortened).collect();
    if more > 0 {
        texts
            .push(format!("{more} more news of background tasks were left out; TaskOutput shows each task."));
    }
    texts
}

fn shortened(text: String) -> String {
    let Some(surplus) = text.chars().count().checked_sub(MOST_CHARS + 1) else { return text };
    let (first, rest) = text.split_once('\n').unwrap_or((text.as_str(), ""));
    // The first line names the task and is short; one that is not is cut like the rest.
    let first: String = first.chars().take(MOST_CHARS / 10).collect();
    let skipped = surplus + 1 + first.chars().count();
    let newest: String = rest.chars().skip(skipped).collect();
    let newest = newest.split_once('\n').map_or(newest.as_str(), |(_, whole_lines)| whole_lines);
    format!("{first}\n... [left out here; the task's output file has everything] ...\n{newest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_are_bounded_and_say_so() {
        let short = vec!["a task ended".to_owned(), "x".repeat(MOST_CHARS)];
        assert_eq!(bounded(short.clone()), short);
        let lines: Vec<String> = (0..200).map(|n| format!("{n} {}", "y".repeat(995))).collect();
        let told = bounded(vec![format!("monitor_1 (a log):\n{}", lines.join("\n"))]);
        let [text] = &told[..] else { panic!("{told:?}") };
        assert!(text.chars().count() <= MOST_CHARS + 100, "{}", text.len());
        let mut shown = text.lines();
        assert_eq!(shown.next(), Some("monitor_1 (a log):"));
        assert!(shown.next().is_some_and(|line| line.contains("left out here")));
        let shown: Vec<&str> = shown.collect();
        assert_eq!(shown, &lines[200 - shown.len()..], "whole lines, the newest");
        assert!(shown.len() > 15);
        for odd in ["\n".repeat(3 * MOST_CHARS), "\u{e9}".repeat(3 * MOST_CHARS)] {
            assert!(bounded(vec![odd])[0].chars().count() <= MOST_CHARS + 100);
        }
        let many = bounded(vec!["ended".to_owned(); 1_000]);
        assert_eq!((many.len(), many[50].starts_with("950 more news")), (51, true));
    }
}
