//! The tree of a page as html5ever makes it, to judge by what is left out. For tests only.

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{Attribute, ExpandedName, ParseOpts, QualName, parse_document};
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

/// The words of `html` that an attribute `hidden` hides.
pub(super) fn hidden_words(html: &str) -> Vec<String> {
    let document = parse_document(Tree::default(), ParseOpts::default()).one(html);
    let mut words = Vec::new();
    collect(&document, false, &mut words);
    words
}

fn collect(node: &Node, is_hidden: bool, words: &mut Vec<String>) {
    let is_hidden = is_hidden || *node.is_hidden.borrow();
    if is_hidden {
        words.extend(node.text.borrow().split_whitespace().map(str::to_owned));
    }
    for child in node.children.borrow().iter() {
        collect(child, is_hidden, words);
    }
}

#[derive(Default)]
struct Node {
    name: Option<QualName>,
    is_hidden: RefCell<bool>,
    text: RefCell<String>,
    parent: RefCell<Option<Rc<Node>>>,
    children: RefCell<Vec<Rc<Node>>>,
}

#[derive(Default)]
struct Tree(Rc<Node>);

fn of_text(text: &StrTendril) -> Rc<Node> {
    Rc::new(Node { text: RefCell::new(format!(" {text} ")), ..Node::default() })
}

fn node_of(child: NodeOrText<Rc<Node>>) -> Rc<Node> {
    match child {
        NodeOrText::AppendNode(node) => node,
        NodeOrText::AppendText(text) => of_text(&text),
    }
}

fn hides(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| &*attribute.name.local == "hidden")
}

impl TreeSink for Tree {
    type Handle = Rc<Node>;
    type Output = Rc<Node>;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Rc<Node> {
        self.0
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Rc<Node> {
        Rc::clone(&self.0)
    }

    fn elem_name<'a>(&'a self, node: &'a Rc<Node>) -> ExpandedName<'a> {
        node.name.as_ref().unwrap().expanded()
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> Rc<Node> {
        let is_hidden = RefCell::new(hides(&attributes));
        Rc::new(Node { name: Some(name), is_hidden, ..Node::default() })
    }

    fn create_comment(&self, _: StrTendril) -> Rc<Node> {
        Rc::default()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Rc<Node> {
        Rc::default()
    }

    fn append(&self, parent: &Rc<Node>, child: NodeOrText<Rc<Node>>) {
        let child = node_of(child);
        *child.parent.borrow_mut() = Some(Rc::clone(parent));
        parent.children.borrow_mut().push(child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Rc<Node>,
        previous: &Rc<Node>,
        child: NodeOrText<Rc<Node>>,
    ) {
        if element.parent.borrow().is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, node: &Rc<Node>) -> Rc<Node> {
        Rc::clone(node)
    }

    fn same_node(&self, one: &Rc<Node>, other: &Rc<Node>) -> bool {
        Rc::ptr_eq(one, other)
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Rc<Node>, child: NodeOrText<Rc<Node>>) {
        let child = node_of(child);
        self.remove_from_parent(&child);
        let parent = sibling.parent.borrow().clone().unwrap();
        let at = parent.children.borrow().iter().position(|other| Rc::ptr_eq(other, sibling)).unwrap();
        *child.parent.borrow_mut() = Some(Rc::clone(&parent));
        parent.children.borrow_mut().insert(at, child);
    }

    fn add_attrs_if_missing(&self, node: &Rc<Node>, attributes: Vec<Attribute>) {
        *node.is_hidden.borrow_mut() |= hides(&attributes);
    }

    fn remove_from_parent(&self, node: &Rc<Node>) {
        if let Some(parent) = node.parent.borrow_mut().take() {
            parent.children.borrow_mut().retain(|other| !Rc::ptr_eq(other, node));
        }
    }

    fn reparent_children(&self, node: &Rc<Node>, parent: &Rc<Node>) {
        for child in node.children.take() {
            *child.parent.borrow_mut() = Some(Rc::clone(parent));
            parent.children.borrow_mut().push(child);
        }
    }
}
