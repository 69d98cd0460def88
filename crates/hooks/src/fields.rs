//! What only some events take as an answer, typed, and how several answers merge.

use crate::events::ElicitationAction;
use serde::Serialize;
use serde_json::{Map, Value};

/// Most characters of `classifierContext`, over all handlers of a call.
const MOST_CLASSIFIER_CHARS: usize = 2_000;

/// Answers that belong to single events, with the names of the public documents.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EventFields {
    /// The first message of a headless session (`SessionStart`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_user_message: Option<String>,
    /// A title for the session (`SessionStart`, `UserPromptSubmit`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_title: Option<String>,
    /// Files to watch, in place of those named before (`SessionStart`, `CwdChanged`, `FileChanged`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watch_paths: Option<Vec<String>>,
    /// Skills are to be read anew (`SessionStart`).
    #[serde(skip_serializing_if = "is_false")]
    pub reload_skills: bool,
    /// The prompt itself is not kept (`UserPromptSubmit`).
    #[serde(skip_serializing_if = "is_false")]
    pub suppress_original_prompt: bool,
    /// Shown in place of the text, on the screen only (`MessageDisplay`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_content: Option<String>,
    /// The model may try again (`PermissionDenied`).
    #[serde(skip_serializing_if = "is_false")]
    pub retry: bool,
    /// For the classifier, at most 2,000 characters (`PostToolUse`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classifier_context: Option<String>,
    /// Where the worktree is (`WorktreeCreate`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree_path: Option<String>,
    /// The answer to a server (`Elicitation`, `ElicitationResult`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<ElicitationAction>,
    /// What is in that answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
    /// Sequences for the terminal of an interactive session; of harmless kinds only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_sequence: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl EventFields {
    /// As JSON, without what nobody said.
    #[must_use]
    pub fn to_map(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => map,
            // A struct of plain values.
            _ => Map::new(),
        }
    }

    /// Only what makes things stricter.
    pub(crate) fn restricted(self) -> Self {
        let action = self.action.filter(|action| *action != ElicitationAction::Accept);
        Self { action, ..Self::default() }
    }

    /// Whether anything makes things stricter.
    pub(crate) fn is_strict(&self) -> bool {
        self.action.is_some_and(|action| action != ElicitationAction::Accept)
    }

    /// Takes in what the next handler in configuration order says: the later value counts, lists join, of
    /// answers to a server the strictest holds.
    pub(crate) fn take_in(&mut self, next: &Self) {
        let text = |own: &mut Option<String>, next: &Option<String>| {
            if next.is_some() {
                own.clone_from(next);
            }
        };
        text(&mut self.initial_user_message, &next.initial_user_message);
        text(&mut self.session_title, &next.session_title);
        text(&mut self.display_content, &next.display_content);
        text(&mut self.worktree_path, &next.worktree_path);
        if let Some(paths) = &next.watch_paths {
            let own = self.watch_paths.get_or_insert_default();
            own.extend(paths.iter().cloned());
            own.sort();
            own.dedup();
        }
        self.reload_skills |= next.reload_skills;
        self.suppress_original_prompt |= next.suppress_original_prompt;
        self.retry |= next.retry;
        if let Some(more) = &next.classifier_context {
            let own = self.classifier_context.get_or_insert_default();
            let joint = if own.is_empty() { "" } else { "\n" };
            *own = format!("{own}{joint}{more}").chars().take(MOST_CLASSIFIER_CHARS).collect();
        }
        if let Some(action) = next.action
            && self.action.is_none_or(|own| action >= own)
        {
            self.action = Some(action);
            self.content.clone_from(&next.content);
        }
        if let Some(more) = &next.terminal_sequence {
            self.terminal_sequence.get_or_insert_default().push_str(more);
        }
    }
}

/// Whether a text is only of sequences that cannot harm: OSC 0, 1, 2, 9, 99 and 777, and BEL.
pub(crate) fn is_harmless_sequence(text: &str) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('\u{7}') {
            rest = after;
            continue;
        }
        let Some(body) = rest.strip_prefix("\u{1b}]") else { return false };
        let Some(end) = body.find(['\u{7}', '\u{1b}']) else { return false };
        let (content, closing) = body.split_at(end);
        let Some(after) = closing.strip_prefix('\u{7}').or_else(|| closing.strip_prefix("\u{1b}\\")) else {
            return false;
        };
        let number = content.split(';').next().unwrap_or_default();
        let known = matches!(number, "0" | "1" | "2" | "9" | "99" | "777");
        if !known || content.chars().any(char::is_control) {
            return false;
        }
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_harmless_sequences_pass() {
        for (text, harmless) in [
            ("", true),
            ("\u{7}", true),
            ("\u{1b}]0;title\u{7}", true),
            ("\u{1b}]777;notify;a;b\u{1b}\\\u{7}", true),
            ("\u{1b}]52;c;aGk=\u{7}", false),
            ("\u{1b}]8;;http://x\u{7}", false),
            ("\u{1b}[2J", false),
            ("text", false),
            ("\u{1b}]0;never ends", false),
            ("\u{1b}]0;a\u{1b}[2J\u{7}", false),
            ("\u{1b}]0;a\nb\u{7}", false),
        ] {
            assert_eq!(is_harmless_sequence(text), harmless, "{text:?}");
        }
    }

    #[test]
    fn of_answers_to_a_server_the_strictest_holds() {
        let said = |action, content: Option<Value>| EventFields {
            action: Some(action),
            content,
            ..Default::default()
        };
        let yes = said(ElicitationAction::Accept, Some(json!({"a": 1})));
        let no = said(ElicitationAction::Decline, None);
        for order in [[&yes, &no], [&no, &yes]] {
            let mut merged = EventFields::default();
            order.into_iter().for_each(|next| merged.take_in(next));
            assert_eq!(merged.to_map(), *json!({"action": "decline"}).as_object().unwrap());
        }
    }
}
