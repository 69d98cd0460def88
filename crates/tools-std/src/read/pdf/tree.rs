//! The tree of pages. What is broken in it costs a part of the pages, and no loop in it is gone through twice.

use super::widths::deref;
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::HashSet;

/// Nodes above a page that are asked for what it inherits.
const MAX_ABOVE: usize = 64;

/// The pages of a document, in order. A node of the tree counts at its first place only.
pub(super) fn pages(document: &Document) -> Vec<ObjectId> {
    let root = document.catalog().and_then(|catalog| catalog.get(b"Pages")).and_then(Object::as_reference);
    let Ok(root) = root else { return Vec::new() };
    let (mut found, mut seen) = (Vec::new(), HashSet::from([root]));
    let mut levels = vec![kids(document, root).iter()];
    // The same page may stand at several places, but there are no more pages than objects in the whole file.
    let most = document.objects.len();
    while let Some(level) = levels.last_mut() {
        let Some(kid) = level.next() else {
            levels.pop();
            continue;
        };
        let Ok(id) = kid.as_reference() else { continue };
        match document.get_dictionary(id).and_then(Dictionary::get_type) {
            Ok(b"Pages") if seen.insert(id) => levels.push(kids(document, id).iter()),
            // One that cannot be read keeps its number: other readers show it empty.
            Ok(b"Page") | Err(_) if found.len() < most => found.push(id),
            Ok(_) | Err(_) => {}
        }
    }
    found
}

fn kids(document: &Document, node: ObjectId) -> &[Object] {
    let kids = document.get_dictionary(node).ok().and_then(|node| deref(document, node, b"Kids"));
    kids.and_then(|kids| kids.as_array().ok()).map_or(&[], Vec::as_slice)
}

/// The resources of a page: its own, then those of the nodes above it.
pub(super) fn resources(document: &Document, page: ObjectId) -> Vec<&Dictionary> {
    let (mut found, mut seen, mut next) = (Vec::new(), HashSet::new(), Some(page));
    while let Some(id) = next.filter(|id| seen.len() < MAX_ABOVE && seen.insert(*id)) {
        let Ok(node) = document.get_dictionary(id) else { break };
        found.extend(deref(document, node, b"Resources").and_then(|own| own.as_dict().ok()));
        next = node.get(b"Parent").and_then(Object::as_reference).ok();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use lopdf::dictionary;

    fn reference(number: u32) -> Object {
        Object::Reference((number, 0))
    }

    /// A document whose nodes have these kids; a node without kids is a page.
    fn tree(nodes: &[(u32, &[u32])]) -> Document {
        let mut document = Document::with_version("1.5");
        for (number, kids) in nodes {
            let node = match kids {
                [] => dictionary! { "Type" => "Page" },
                _ => {
                    let kids: Vec<Object> = kids.iter().map(|kid| reference(*kid)).collect();
                    dictionary! { "Type" => "Pages", "Kids" => kids, "Parent" => reference(*number) }
                }
            };
            document.objects.insert((*number, 0), Object::Dictionary(node));
        }
        let catalog = dictionary! { "Type" => "Catalog", "Pages" => reference(1) };
        document.objects.insert((100, 0), Object::Dictionary(catalog));
        document.trailer.set("Root", reference(100));
        document
    }

    type Nodes = &'static [(u32, &'static [u32])];

    #[test]
    fn pages_are_found_in_order_and_loops_end() {
        let cases: [(Nodes, &[u32]); 6] = [
            (&[(1, &[2, 3]), (2, &[4, 5]), (3, &[]), (4, &[]), (5, &[])], &[4, 5, 3]),
            (&[(1, &[1, 1])], &[]),
            (&[(1, &[2, 1, 3]), (2, &[]), (3, &[])], &[2, 3]),
            (&[(1, &[2]), (2, &[3, 4]), (3, &[]), (4, &[1, 2, 5]), (5, &[])], &[3, 5]),
            // A page that is not there.
            (&[(1, &[2, 9]), (2, &[])], &[2, 9]),
            // Two nodes that hold each other.
            (&[(1, &[2, 3]), (2, &[3, 4]), (3, &[2, 5]), (4, &[]), (5, &[])], &[5, 4]),
        ];
        for (nodes, expected) in cases {
            let found: Vec<u32> = pages(&tree(nodes)).iter().map(|id| id.0).collect();
            assert_eq!(found, expected, "{nodes:?}");
        }
        assert!(pages(&Document::new()).is_empty());
        // Deeper than any stack.
        let deep: Vec<(u32, Vec<u32>)> = (101..50_000).map(|node| (node, vec![node + 1])).collect();
        let mut nodes: Vec<(u32, &[u32])> =
            deep.iter().map(|(node, kids)| (*node, kids.as_slice())).collect();
        nodes.extend([(1, &[101][..]), (50_000, &[][..])]);
        assert_eq!(pages(&tree(&nodes)), [(50_000, 0)]);
    }

    #[test]
    fn resources_come_from_the_nearest_node_first_and_a_loop_of_parents_ends() {
        let mut document = tree(&[(1, &[2]), (2, &[])]);
        assert!(resources(&document, (2, 0)).is_empty());
        // The parent of 1 is 1.
        document.get_dictionary_mut((2, 0)).unwrap().set("Parent", reference(1));
        assert!(resources(&document, (2, 0)).is_empty());
        for (node, name) in [(1, "Upper"), (2, "Own")] {
            document.get_dictionary_mut((node, 0)).unwrap().set("Resources", dictionary! { name => true });
        }
        let found = resources(&document, (2, 0));
        assert!(found.len() == 2 && found[0].has(b"Own") && found[1].has(b"Upper"), "{found:?}");
    }
}
