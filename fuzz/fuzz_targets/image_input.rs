//! Images: every input is a picture that models take, a text, or an error; bounded time and memory.
#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;

const STARTS: [&[u8]; 4] = [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFF"];

fuzz_target!(|bytes: &[u8]| {
    drop(reading::read("image", bytes));
    for start in STARTS {
        let rest = bytes.get(start.len()..).unwrap_or_default();
        drop(reading::read("image", &[start, rest].concat()));
    }
});
