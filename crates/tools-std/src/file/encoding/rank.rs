//! Which legacy encoding a text is in: the one in which it is the least surprising.
//!
//! Each encoding is tried with the languages that are written in it. What a text costs is, in tenths of a bit, how
//! unlikely its letters and their neighbours are in that language, and how rare the encoding is. So a few
//! letters suffice where they say much, and one says nothing against Windows-1252.

mod alphabets;
mod common;
mod multi;
mod single;
#[cfg(test)]
mod tests;

use super::code_page;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, GB18030, GBK, KOI8_R, KOI8_U, WINDOWS_1252};

/// Bytes of lines that hold letters beyond ASCII that are looked at.
const TELLING_BYTES: usize = 16 * 1024;
/// ASCII around such letters that is looked at.
const AROUND: usize = 32;
/// What a character of ASCII costs.
const ASCII: u32 = 45;
/// What the detector of browsers says is worth this much at most.
const VOTE: u32 = 60;
/// Letters beyond ASCII that it takes to believe that a text is in an encoding that we have no language for.
const RARE_LETTERS: usize = 60;
/// And that much each of them must cost in the best of the others.
const RARE_COST: u32 = 90;

/// The encoding that `sample`, which is no UTF-8, is in; nothing for Windows-1252. `complete` says whether the
/// text ends with it.
pub(super) fn best(sample: &[u8], complete: bool) -> Option<&'static Encoding> {
    let telling = Telling::of(sample);
    let bytes = telling.bytes.as_slice();
    let letters = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let voted = vote(bytes);
    let worth = VOTE.min(u32::try_from(letters).unwrap_or(VOTE));
    let mut costs: Vec<(u32, &'static Encoding)> = single::costs(bytes).chain(multi::costs(bytes)).collect();
    for (cost, page) in &mut costs {
        if *page != voted {
            *cost += worth;
        }
    }
    // Equal ones stay in the order in which they are listed, and Windows-1252 is the first.
    costs.sort_by_key(|(cost, _)| *cost);
    let valid = |page| code_page::is_valid(page, sample, complete);
    let (cost, page) = costs.into_iter().find(|(_, page)| valid(page))?;
    let plain = telling.ascii().saturating_mul(ASCII);
    let each = cost.saturating_sub(plain) / u32::try_from(letters.max(1)).unwrap_or(u32::MAX);
    let rare = letters >= RARE_LETTERS && each > RARE_COST && !is_ranked(voted) && valid(voted);
    let page = if rare { voted } else { page };
    // Where the letters are the same in both, the one that most others are in.
    (page != WINDOWS_1252 && !reads_alike(page, WINDOWS_1252, bytes)).then_some(page)
}

/// Whether `bytes` are the same text in both encodings.
fn reads_alike(one: &'static Encoding, other: &'static Encoding, bytes: &[u8]) -> bool {
    one.is_single_byte()
        && one.decode_without_bom_handling(bytes).0 == other.decode_without_bom_handling(bytes).0
}

/// What the detector that browsers have says.
fn vote(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    match detector.guess(None, Utf8Detection::Deny) {
        // GB18030 holds all of GBK.
        page if page == GBK => GB18030,
        // The same letters but for Ukrainian.
        page if page == KOI8_U && !bytes.iter().any(|byte| single::is_ukrainian_in_koi8(*byte)) => KOI8_R,
        page => page,
    }
}

/// Whether a language is known for an encoding.
fn is_ranked(page: &'static Encoding) -> bool {
    multi::PAGES.iter().any(|(ranked, _)| *ranked == page)
        || alphabets::PAGES.iter().any(|(ranked, ..)| *ranked == page)
}

/// The parts of a text that say something: what is beyond ASCII and what stands around it.
#[derive(Debug)]
struct Telling {
    bytes: Vec<u8>,
}

impl Telling {
    fn of(sample: &[u8]) -> Self {
        let mut bytes = Vec::new();
        // No encoding has a newline within a character.
        for line in sample.split(|byte| *byte == b'\n') {
            let room = TELLING_BYTES.saturating_sub(bytes.len());
            if room == 0 {
                break;
            }
            let Some(first) = line.iter().position(|byte| !byte.is_ascii()) else { continue };
            let last = line.iter().rposition(|byte| !byte.is_ascii()).unwrap_or(first);
            let end = line.len().min(last + AROUND).min(first.saturating_add(room));
            // Between lines only: the last one may end within a character.
            if !bytes.is_empty() {
                bytes.push(b'\n');
            }
            bytes.extend_from_slice(line.get(first.saturating_sub(AROUND)..end).unwrap_or_default());
        }
        Self { bytes }
    }

    fn ascii(&self) -> u32 {
        u32::try_from(self.bytes.iter().filter(|byte| byte.is_ascii()).count()).unwrap_or(u32::MAX)
    }
}
