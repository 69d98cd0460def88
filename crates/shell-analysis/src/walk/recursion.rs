//! Functions that call themselves, directly or through others.

use std::collections::{BTreeMap, BTreeSet};

/// Which functions of a line call which.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The functions in whose bodies the walk is, the innermost last.
    within: Vec<String>,
    callees: BTreeMap<String, BTreeSet<String>>,
}

impl Calls {
    /// The walk enters the body of a function.
    pub(super) fn enter(&mut self, name: &str) {
        self.within.push(name.to_owned());
    }

    /// The walk leaves it.
    pub(super) fn leave(&mut self) {
        self.within.pop();
    }

    /// The function `name` is called here.
    pub(super) fn note(&mut self, name: &str) {
        if let Some(caller) = self.within.last() {
            self.callees.entry(caller.clone()).or_default().insert(name.to_owned());
        }
    }

    /// Whether a function can come to call itself.
    pub(super) fn has_circle(&self) -> bool {
        // Whoever calls only functions that come to an end comes to an end.
        let mut open: BTreeMap<&str, &BTreeSet<String>> =
            self.callees.iter().map(|(name, callees)| (name.as_str(), callees)).collect();
        loop {
            let ends: Vec<&str> = open
                .iter()
                .filter(|(_, callees)| !callees.iter().any(|callee| open.contains_key(callee.as_str())))
                .map(|(name, _)| *name)
                .collect();
            if ends.is_empty() {
                return !open.is_empty();
            }
            for name in ends {
                open.remove(name);
            }
        }
    }
}
