//! The rule parser: no panic on any text, and what it prints reads back as the same rule.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pegboard_permissions::RuleParts;

fuzz_target!(|text: &str| {
    if let Ok(rule) = RuleParts::parse(text) {
        let printed = rule.to_string();
        assert_eq!(RuleParts::parse(&printed).as_ref(), Ok(&rule), "{printed}");
    }
});
