//! HTML to Markdown: no panic on any page, and no more text than was allowed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pegboard_tools_std::web::html_to_markdown;

fuzz_target!(|html: &str| {
    let page = html_to_markdown(html, "https://a.test/b/c", 100_000, &|| false);
    assert!(page.text.len() <= 100_000);
});
