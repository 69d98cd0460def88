//! Read: images, PDF documents, notebooks, encodings, huge files.
