//! Validates tool inputs against JSON Schema and says what is wrong in words made for a model.
