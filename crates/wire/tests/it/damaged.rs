//! Streams in random pieces, with random damage, and no streams at all.

use crate::recorded::{all, check_order, feed, shown};
use pegboard_wire::{StreamDecoder, WireForm};
use proptest::prelude::*;

proptest! {
    #[test]
    fn random_pieces_give_the_same_events(
        which in any::<prop::sample::Index>(),
        sizes in prop::collection::vec(0_usize..200, 1..40),
        empty in any::<bool>(),
    ) {
        let all = all();
        let recorded = &all[which.index(all.len())];
        let mut decoder = StreamDecoder::new(None);
        let whole = feed(&mut decoder, [&*recorded.bytes].into_iter());
        let whole = shown(&decoder, &whole);
        let mut rest = recorded.bytes.as_slice();
        let mut pieces = Vec::new();
        for size in sizes.into_iter().cycle().take(10_000) {
            if rest.is_empty() {
                break;
            }
            if empty {
                pieces.push(&rest[..0]);
            }
            let (piece, after) = rest.split_at((size + 1).min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        pieces.push(rest);
        let mut decoder = StreamDecoder::new(None);
        let events = feed(&mut decoder, pieces.into_iter());
        prop_assert_eq!(shown(&decoder, &events), whole);
    }

    #[test]
    fn a_damaged_stream_ends_once_and_starts_nothing_twice(
        which in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..3), 1..8),
        size in 1_usize..50,
    ) {
        let all = all();
        let recorded = &all[which.index(all.len())];
        let mut bytes = recorded.bytes.clone();
        for (at, byte, kind) in damage {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, byte),
            }
        }
        for form in [None, Some(recorded.form)] {
            let mut decoder = StreamDecoder::new(form);
            let events = feed(&mut decoder, bytes.chunks(size));
            check_order(&events, &recorded.name);
            if let Some(error) = decoder.error() {
                prop_assert!(!error.to_string().chars().any(char::is_control), "{}", error);
            }
            let mut again = StreamDecoder::new(form);
            let whole = feed(&mut again, [&*bytes].into_iter());
            prop_assert_eq!(shown(&decoder, &events), shown(&again, &whole));
        }
    }

    #[test]
    fn lines_repeated_and_left_out_start_nothing_twice(
        which in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..6),
    ) {
        let all = all();
        let recorded = &all[which.index(all.len())];
        let text = String::from_utf8(recorded.bytes.clone()).unwrap().replace("\r\n", "\n");
        let mut blocks: Vec<&str> = text.split("\n\n").collect();
        for (at, repeat) in edits {
            let at = at.index(blocks.len());
            if repeat || blocks.len() == 1 { blocks.insert(at, blocks[at]) } else { let _ = blocks.remove(at); }
        }
        let text = blocks.join("\n\n");
        let events = feed(&mut StreamDecoder::new(Some(recorded.form)), [text.as_bytes()].into_iter());
        check_order(&events, &recorded.name);
    }

    #[test]
    fn any_bytes_end_once(bytes in prop::collection::vec(any::<u8>(), 0..300), size in 1_usize..9) {
        for form in WireForm::ALL.map(Some).into_iter().chain([None]) {
            let events = feed(&mut StreamDecoder::new(form), bytes.chunks(size));
            check_order(&events, "noise");
        }
    }
}
