//! Asks the person at the terminal, one question at a time.

use crate::paint::Paint;
use crate::terminal::{Terminal, visible};
use async_trait::async_trait;
use pegboard::CancellationToken;
use pegboard::ports::{Approval, ApprovalRequest, Approver};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{Mutex, oneshot};

/// The person at the terminal.
#[derive(Debug)]
pub(crate) struct Person {
    terminal: Arc<Terminal>,
    /// Held while a question is open.
    turn: Mutex<()>,
    stopped: AtomicBool,
    suspend: fn(&mut dyn FnMut()),
    paint: Paint,
}

impl Person {
    /// `suspend` runs a closure with the progress display out of the way.
    pub(crate) fn new(terminal: Terminal, suspend: fn(&mut dyn FnMut())) -> Self {
        let paint = Paint::for_terminal();
        Self {
            terminal: Arc::new(terminal),
            turn: Mutex::new(()),
            stopped: AtomicBool::new(false),
            suspend,
            paint,
        }
    }

    /// Whether the person stopped the turn.
    pub(crate) fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn put(&self, text: &str) -> bool {
        let mut written = false;
        (self.suspend)(&mut || written = self.terminal.write(text).is_ok());
        written
    }

    /// One line from the person; `None` when there is none or the question is withdrawn.
    async fn line(&self, cancel: &CancellationToken) -> Option<String> {
        let (answer, answered) = oneshot::channel();
        let terminal = Arc::clone(&self.terminal);
        // A thread of its own: reading cannot be interrupted, and the runtime must not wait for it.
        std::thread::spawn(move || {
            let line = terminal.read_line().ok().flatten();
            drop(answer.send(line));
        });
        tokio::select! {
            line = answered => line.ok().flatten(),
            () = cancel.cancelled() => None,
        }
    }
}

#[async_trait]
impl Approver for Person {
    async fn ask(&self, request: &ApprovalRequest, cancel: &CancellationToken) -> Approval {
        let _turn = tokio::select! {
            turn = self.turn.lock() => turn,
            () = cancel.cancelled() => return Approval::NoAnswer,
        };
        if !self.put(&question(request, self.paint)) {
            return Approval::NoAnswer;
        }
        loop {
            let Some(line) = self.line(cancel).await else { return Approval::NoAnswer };
            match understand(&line, request.offers.len()) {
                Some(Answer::Settled(approval)) => {
                    self.stopped.fetch_or(stops(&approval), Ordering::Relaxed);
                    return approval;
                }
                Some(Answer::AskWhy) => {
                    self.put("  Why not? The model reads it and goes on; empty stops the turn: ");
                    let Some(comment) = self.line(cancel).await else { return Approval::NoAnswer };
                    let comment = comment.trim();
                    let approval =
                        Approval::Deny { comment: (!comment.is_empty()).then(|| comment.to_owned()) };
                    self.stopped.fetch_or(stops(&approval), Ordering::Relaxed);
                    return approval;
                }
                None => {
                    self.put(&format!("  Please answer {}: ", choices(request.offers.len())));
                }
            }
        }
    }

    fn is_person(&self) -> bool {
        true
    }
}

enum Answer {
    Settled(Approval),
    AskWhy,
}

fn stops(approval: &Approval) -> bool {
    matches!(approval, Approval::Deny { comment: None } | Approval::Interrupt)
}

fn understand(line: &str, offers: usize) -> Option<Answer> {
    match line.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Some(Answer::Settled(Approval::Once)),
        "n" | "no" => Some(Answer::AskWhy),
        "a" | "always" if offers == 1 => Some(Answer::Settled(Approval::Always(0))),
        text => {
            let number: usize = text.strip_prefix('a')?.trim().parse().ok()?;
            (1..=offers).contains(&number).then(|| Answer::Settled(Approval::Always(number - 1)))
        }
    }
}

fn choices(offers: usize) -> String {
    match offers {
        0 => "y or n".to_owned(),
        1 => "y, a or n".to_owned(),
        many => format!("y, a1 to a{many}, or n"),
    }
}

/// Most characters of an input that are shown; the rest is counted.
const SHOWN_CHARS: usize = 20_000;

fn question(request: &ApprovalRequest, paint: Paint) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "\n? {}", visible(&heading(request)));
    match &request.detail {
        Some(detail) => push_indented(&mut text, detail, |line| paint.change(line)),
        None => {
            let input = serde_json::to_string_pretty(&*request.input).unwrap_or_default();
            push_indented(&mut text, &format!("{} {input}", request.tool), str::to_owned);
        }
    }
    let _ = writeln!(text, "  Why: {}", visible(&request.decision.reason));
    if let Some(rule) = &request.decision.rule {
        let _ = writeln!(text, "  Rule: {}", visible(&rule.to_string()));
    }
    let _ = writeln!(text, "  y  allow once");
    for (at, offer) in request.offers.iter().enumerate() {
        let key = if request.offers.len() == 1 { "a".to_owned() } else { format!("a{}", at + 1) };
        let kept = if offer.permanent { "saved" } else { "this session" };
        let _ = writeln!(text, "  {key}  always allow: {} ({kept})", visible(&offer.summary));
    }
    let _ = write!(text, "  n  deny\n  > ");
    text
}

/// The title, which the model may have a hand in, always with the tool's own name.
fn heading(request: &ApprovalRequest) -> String {
    let tool = request.tool.as_str();
    if request.title.starts_with(tool) { request.title.clone() } else { format!("{tool}: {}", request.title) }
}

fn push_indented(text: &mut String, block: &str, paint: impl Fn(&str) -> String) {
    let shown: String = block.chars().take(SHOWN_CHARS).collect();
    for line in visible(&shown).lines() {
        let _ = writeln!(text, "  | {}", paint(line));
    }
    let left_out = block.chars().count().saturating_sub(SHOWN_CHARS);
    if left_out > 0 {
        let _ = writeln!(text, "  | ... {left_out} more characters are not shown");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pegboard::ToolName;
    use pegboard::ports::{Decision, DecisionStep, RuleOffer, Verdict};

    fn request() -> ApprovalRequest {
        let decision = Decision::new(Verdict::Ask, DecisionStep::Default, "no rule allows it");
        let input = Arc::new(serde_json::json!({"command": "npm test\u{1b}[2K"}));
        let tool = ToolName::new("Bash").unwrap();
        let mut request = ApprovalRequest::new("t1".into(), tool, input, "run the tests".into(), decision);
        request.offers = vec![RuleOffer::new(vec!["Bash(npm test *)".into()], "Bash(npm test *)", true)];
        request
    }

    #[test]
    fn a_question_shows_everything_that_matters() {
        insta::assert_snapshot!(question(&request(), Paint::off()), @r#"

        ? Bash: run the tests
          | Bash {
          |   "command": "npm test\u001b[2K"
          | }
          Why: no rule allows it
          y  allow once
          a  always allow: Bash(npm test *) (saved)
          n  deny
          > 
        "#);
    }

    #[test]
    fn only_clear_answers_count() {
        assert!(matches!(understand(" Yes ", 0), Some(Answer::Settled(Approval::Once))));
        assert!(matches!(understand("a", 1), Some(Answer::Settled(Approval::Always(0)))));
        assert!(matches!(understand("a2", 2), Some(Answer::Settled(Approval::Always(1)))));
        assert!(matches!(understand("n", 0), Some(Answer::AskWhy)));
        for unclear in ["", "a", "a3", "maybe", "y!", "a0"] {
            let offers = if unclear == "a" { 2 } else { 1 };
            assert!(understand(unclear, offers).is_none(), "{unclear:?}");
        }
    }

    /// What was written to a terminal.
    #[derive(Clone, Debug, Default)]
    struct Screen(Arc<std::sync::Mutex<Vec<u8>>>);

    impl std::io::Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    async fn answered(typed: &'static str) -> (Approval, bool, String) {
        let screen = Screen::default();
        let terminal = Terminal::of(typed.as_bytes(), screen.clone());
        let person = Person::new(terminal, |action| action());
        let approval = person.ask(&request(), &CancellationToken::new()).await;
        let shown = String::from_utf8(screen.0.lock().unwrap().clone()).unwrap();
        (approval, person.stopped(), shown)
    }

    #[tokio::test]
    async fn a_person_answers_once_always_or_no() {
        assert_eq!(answered("y\n").await.0, Approval::Once);
        assert_eq!(answered("a\n").await.0, Approval::Always(0));
        let (approval, stopped, _) = answered("n\nuse make instead\n").await;
        assert_eq!((approval, stopped), (Approval::Deny { comment: Some("use make instead".into()) }, false));
        // A no without a word stops the turn.
        let (approval, stopped, _) = answered("n\n\n").await;
        assert_eq!((approval, stopped), (Approval::Deny { comment: None }, true));
    }

    #[tokio::test]
    async fn silence_and_nonsense_are_no_consent() {
        assert_eq!(answered("").await.0, Approval::NoAnswer);
        let (approval, _, shown) = answered("sure\nok\n").await;
        assert_eq!(approval, Approval::NoAnswer);
        assert_eq!(shown.matches("Please answer y, a or n").count(), 2, "{shown}");
        assert_eq!(answered("sure\ny\n").await.0, Approval::Once);
    }

    #[tokio::test]
    async fn a_question_that_is_withdrawn_is_no_consent() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let terminal = Terminal::of(std::io::BufReader::new(reader), Screen::default());
        let person = Person::new(terminal, |action| action());
        let cancel = CancellationToken::new();
        cancel.cancel();
        assert_eq!(person.ask(&request(), &cancel).await, Approval::NoAnswer);
    }

    #[test]
    fn the_detail_of_a_call_is_shown_first() {
        let mut request = request();
        request.detail = Some("@@ -1 +1 @@\n-a\n+b".into());
        let shown = question(&request, Paint::off());
        assert!(shown.find("  | +b").unwrap() < shown.find("Why:").unwrap(), "{shown}");
    }
}
