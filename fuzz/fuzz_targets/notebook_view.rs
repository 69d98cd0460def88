//! Notebooks: every JSON is cells or an error that says how to read it as text.
#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(output) = reading::read("n.ipynb", bytes) {
        assert!(output.data["type"] == "notebook" || output.data["type"] == "text", "{}", output.data);
    }
});
