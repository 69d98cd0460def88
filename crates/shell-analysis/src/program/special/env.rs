//! `env`: assignments, and `-S`, which splits a text into words.

use crate::word::Word;

use super::super::call::Call;
use super::super::{ProgramUse, Start, assignments};

/// How often `-S` may stand in the text of `-S`.
const MAX_SPLITS: usize = 8;

/// Where the command begins, and what is assigned before it.
pub(in super::super) fn hook(call: &Call<'_>, used: &mut ProgramUse) {
    run(call, used, 0);
}

fn run(call: &Call<'_>, used: &mut ProgramUse, depth: usize) {
    // What follows the first `-S` is looked at only after its text.
    if let Some(given) = call.options.iter().find(|given| given.known.name == "-S") {
        let value = given.value.as_ref().filter(|value| !value.has_glob && !value.is_many);
        let split = value.and_then(|value| value.value.as_deref()).and_then(|text| split(text, given.at));
        let (Some(split), true) = (split, depth < MAX_SPLITS) else {
            used.opaque.push("a text that `env -S` splits cannot be told");
            return;
        };
        let mut words = vec![Word::known("env", call.at())];
        words.extend(split);
        words.extend(call.words.get(given.end..).unwrap_or_default().iter().cloned());
        let inner = Call::read(call.row, &words);
        if !inner.is_certain() {
            used.opaque.push("an option of a program that starts others is not known");
        }
        if inner.has(&["-C"]) {
            used.opaque.push("an option that changes what runs");
            used.elsewhere(call.at());
        }
        run(&inner, used, depth + 1);
        return;
    }
    let mut rest = call.operands.iter();
    let mut next = rest.next();
    if next.is_some_and(|(_, word)| word.value.as_deref() == Some("-")) {
        next = rest.next();
    }
    while let Some((place, word)) = next {
        let text = word.value.as_deref().unwrap_or(&word.prefix);
        let Some((name, _)) = text.split_once('=') else {
            if let Some(words) = call.words.get(*place..) {
                used.starts.push(Start::Words(words.to_vec()));
            }
            if word.value.is_none() && !used.opaque.contains(&"where the command begins cannot be told") {
                used.opaque.push("where the command begins cannot be told");
            }
            return;
        };
        if assignments::is_risky(name) || word.is_many {
            used.opaque.push("a variable that changes what programs do");
        }
        next = rest.next();
    }
}

/// The words of a text as `env -S` splits it; `None` for what depends on variables or escapes.
fn split(text: &str, at: usize) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    let mut current: Option<String> = None;
    let mut quote = None;
    for letter in text.chars() {
        match (quote, letter) {
            (_, '\\' | '$') => return None,
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                current.get_or_insert_default();
            }
            (None, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r') => {
                words.extend(current.take().map(|word| Word::known(word, at)));
            }
            (None, '#') if current.is_none() => break,
            _ => current.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return None;
    }
    words.extend(current.map(|word| Word::known(word, at)));
    Some(words)
}
