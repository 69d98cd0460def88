//! Walks through what a page draws, forms in it included, and puts its characters into the flow.

use super::flow::{Flow, Placed};
use super::font::Font;
use super::matrix::{Matrix, number};
use super::tree;
use super::widths::{deref, resolve};
use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Instant;

/// Bytes that a page and its forms may unpack to.
const MAX_CONTENT_BYTES: usize = 64 * 1024 * 1024;
/// Operations of a page.
const MAX_OPERATIONS: usize = 5_000_000;
/// Forms within forms.
const MAX_DEPTH: usize = 12;
/// Saved states.
const MAX_STATES: usize = 256;

/// Why a page was not read to its end.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Stop {
    /// There is no time left.
    Time,
    /// It is too much.
    Size,
}

/// Reads one page.
#[derive(Debug)]
pub(super) struct Walker<'a> {
    document: &'a Document,
    until: Instant,
    /// By the place of their dictionary, which stays where it is.
    fonts: HashMap<usize, Rc<Font>>,
    flow: Flow,
    operations: usize,
    bytes_left: usize,
    without_unicode: bool,
}

/// What the operators set.
#[derive(Clone, Debug)]
struct State {
    ctm: Matrix,
    font: Option<Rc<Font>>,
    size: f32,
    char_space: f32,
    word_space: f32,
    stretch: f32,
    leading: f32,
    rise: f32,
}

/// Where text is.
#[derive(Clone, Copy, Debug)]
struct TextPlace {
    matrix: Matrix,
    line: Matrix,
}

impl<'a> Walker<'a> {
    /// A reader of a page, that stops at `until`.
    pub(super) fn new(document: &'a Document, until: Instant) -> Self {
        Self {
            document,
            until,
            fonts: HashMap::new(),
            flow: Flow::default(),
            operations: 0,
            bytes_left: MAX_CONTENT_BYTES,
            without_unicode: false,
        }
    }

    /// Reads the page; says why when it stopped before its end.
    pub(super) fn page(&mut self, id: ObjectId) -> Option<Stop> {
        let Ok(content) = self.document.get_page_content_with_limit(id, self.bytes_left) else {
            return Some(Stop::Size);
        };
        self.bytes_left -= content.len().min(self.bytes_left);
        let resources = tree::resources(self.document, id);
        self.run(&content, &resources, Matrix::IDENTITY, 0).err()
    }

    /// The text, and whether some of it could not be told.
    pub(super) fn finish(self) -> (String, bool) {
        (self.flow.finish(), self.without_unicode)
    }

    fn run(
        &mut self,
        content: &[u8],
        resources: &[&'a Dictionary],
        ctm: Matrix,
        depth: usize,
    ) -> Result<(), Stop> {
        let mut state = State {
            ctm,
            font: None,
            size: 0.0,
            char_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        let mut saved: Vec<State> = Vec::new();
        let mut place = TextPlace { matrix: Matrix::IDENTITY, line: Matrix::IDENTITY };
        for operation in Content::decode_iter(content) {
            let Ok(operation) = operation else { return Ok(()) };
            self.operations += 1;
            if self.operations > MAX_OPERATIONS || self.flow.is_full() {
                return Err(Stop::Size);
            }
            if self.operations.is_multiple_of(256) && Instant::now() >= self.until {
                return Err(Stop::Time);
            }
            match operation.operator.as_str() {
                "q" if saved.len() < MAX_STATES => saved.push(state.clone()),
                "Q" => state = saved.pop().unwrap_or(state),
                "cm" => {
                    if let Some(matrix) = Matrix::of(&operation.operands) {
                        state.ctm = matrix.then(state.ctm);
                    }
                }
                "Do" => self.form(&operation, resources, state.ctm, depth)?,
                "Tf" => {
                    state.font = operation.operands.first().and_then(|name| self.font(name, resources));
                    state.size = operand(&operation, 1).unwrap_or(0.0);
                }
                _ => self.text(&operation, &mut state, &mut place),
            }
        }
        Ok(())
    }

    /// Operators of text.
    fn text(&mut self, operation: &Operation, state: &mut State, place: &mut TextPlace) {
        let first = operand(operation, 0);
        match operation.operator.as_str() {
            "BT" => *place = TextPlace { matrix: Matrix::IDENTITY, line: Matrix::IDENTITY },
            "Tc" => state.char_space = first.unwrap_or(0.0),
            "Tw" => state.word_space = first.unwrap_or(0.0),
            "Tz" => state.stretch = first.unwrap_or(100.0) / 100.0,
            "TL" => state.leading = first.unwrap_or(0.0),
            "Ts" => state.rise = first.unwrap_or(0.0),
            "Td" | "TD" => {
                let down = operand(operation, 1).unwrap_or(0.0);
                if operation.operator == "TD" {
                    state.leading = -down;
                }
                place.next_line(first.unwrap_or(0.0), down);
            }
            "Tm" => {
                if let Some(matrix) = Matrix::of(&operation.operands) {
                    *place = TextPlace { matrix, line: matrix };
                }
            }
            "T*" => place.next_line(0.0, -state.leading),
            "Tj" => self.show(operation.operands.first(), state, place),
            "'" => {
                place.next_line(0.0, -state.leading);
                self.show(operation.operands.first(), state, place);
            }
            "\"" => {
                state.word_space = first.unwrap_or(0.0);
                state.char_space = operand(operation, 1).unwrap_or(0.0);
                place.next_line(0.0, -state.leading);
                self.show(operation.operands.get(2), state, place);
            }
            "TJ" => {
                let parts = operation.operands.first().and_then(|list| list.as_array().ok());
                for part in parts.into_iter().flatten() {
                    match number(part) {
                        Some(back) => place.advance(-back / 1_000.0 * state.size * state.stretch),
                        None => self.show(Some(part), state, place),
                    }
                }
            }
            _ => {}
        }
    }

    fn show(&mut self, string: Option<&Object>, state: &State, place: &mut TextPlace) {
        let (Some(Object::String(bytes, _)), Some(font)) = (string, &state.font) else { return };
        for sign in font.signs(bytes) {
            let width = sign.width * state.size * state.stretch;
            let to_page = place.matrix.then(state.ctm);
            match &sign.text {
                Some(text) => {
                    let start = to_page.apply(0.0, state.rise);
                    let end = to_page.apply(width, state.rise);
                    let up = to_page.apply(0.0, state.rise + state.size);
                    let size = distance(start, up);
                    let ahead = to_page.apply(1.0, state.rise);
                    let length = distance(start, ahead).max(f32::MIN_POSITIVE);
                    let along = ((ahead.0 - start.0) / length, (ahead.1 - start.1) / length);
                    if !self.flow.is_full() && size.is_finite() {
                        self.flow.put(text, Placed { start, end, size, along });
                    }
                }
                None => self.without_unicode = true,
            }
            let word_space = if sign.blank { state.word_space } else { 0.0 };
            place.advance(width + (state.char_space + word_space) * state.stretch);
        }
    }

    /// Draws a form.
    fn form(
        &mut self,
        operation: &Operation,
        resources: &[&'a Dictionary],
        ctm: Matrix,
        depth: usize,
    ) -> Result<(), Stop> {
        let Some(Object::Name(name)) = operation.operands.first() else { return Ok(()) };
        let found = self.resource(resources, b"XObject", name);
        let Some(form) = found.and_then(|object| object.as_stream().ok()) else { return Ok(()) };
        let is_form = form.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Form");
        if !is_form || depth >= MAX_DEPTH {
            return Ok(());
        }
        let content = form.get_plain_content_with_limit(self.bytes_left).map_err(|_| Stop::Size)?;
        self.bytes_left -= content.len().min(self.bytes_left);
        let matrix = deref(self.document, &form.dict, b"Matrix").and_then(|found| found.as_array().ok());
        let matrix = matrix.and_then(|numbers| Matrix::of(numbers)).unwrap_or(Matrix::IDENTITY);
        let own = deref(self.document, &form.dict, b"Resources").and_then(|found| found.as_dict().ok());
        let inner: Vec<&Dictionary> =
            own.into_iter().chain(resources.iter().copied()).take(2 * MAX_DEPTH).collect();
        self.run(&content, &inner, matrix.then(ctm), depth + 1)
    }

    fn font(&mut self, name: &Object, resources: &[&'a Dictionary]) -> Option<Rc<Font>> {
        let dictionary = self.resource(resources, b"Font", name.as_name().ok()?)?.as_dict().ok()?;
        let address = std::ptr::from_ref(dictionary).addr();
        let document = self.document;
        let font = self.fonts.entry(address).or_insert_with(|| Rc::new(Font::read(document, dictionary)));
        Some(Rc::clone(font))
    }

    fn resource(&self, resources: &[&'a Dictionary], kind: &[u8], name: &[u8]) -> Option<&'a Object> {
        let document = self.document;
        resources.iter().find_map(|dictionary| {
            let all = deref(document, dictionary, kind)?.as_dict().ok()?;
            resolve(document, all.get(name).ok()?)
        })
    }
}

impl TextPlace {
    fn next_line(&mut self, x: f32, y: f32) {
        self.line = Matrix::shift(x, y).then(self.line);
        self.matrix = self.line;
    }

    fn advance(&mut self, x: f32) {
        self.matrix = Matrix::shift(x, 0.0).then(self.matrix);
    }
}

fn operand(operation: &Operation, index: usize) -> Option<f32> {
    operation.operands.get(index).and_then(number)
}

fn distance(from: (f32, f32), to: (f32, f32)) -> f32 {
    (to.0 - from.0).hypot(to.1 - from.1)
}
