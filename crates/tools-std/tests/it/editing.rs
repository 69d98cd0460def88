//! Edit, Write and NotebookEdit: properties.
