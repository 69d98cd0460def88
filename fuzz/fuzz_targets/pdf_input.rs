//! PDF documents: every input is pages or an error, also where the library panics; bounded time and memory.
#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;
use std::sync::Once;

static QUIET: Once = Once::new();

fuzz_target!(|bytes: &[u8]| {
    // A panic of the library becomes an error; one of ours does not, and still ends the process.
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let mut document = b"%PDF-".to_vec();
    document.extend_from_slice(bytes.strip_prefix(b"%PDF-").unwrap_or(bytes));
    drop(reading::read("d.pdf", &document));
});
