//! Read on images, notebooks and PDF documents (C-T-11).

mod images;
mod notebooks;
mod pdf;

pub(crate) use pdf::numbered_pages;
