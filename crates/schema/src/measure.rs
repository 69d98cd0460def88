//! How large and how deep an input is: bounds the work on hostile ones.

use serde_json::Value;

/// Most levels an input may have, the same as `serde_json` reads by default.
pub(crate) const MAX_DEPTH: usize = 128;

/// Inputs with more values than this get their first violation only.
const MANY_VALUES: usize = 20_000;

/// What was measured.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Measure {
    /// Small enough to list everything.
    Ordinary,
    /// Not too deep, but too many values to list all violations.
    Large,
    /// Deeper than [`MAX_DEPTH`].
    TooDeep,
}

/// Measures `input` without allocating; never recurses deeper than [`MAX_DEPTH`].
pub(crate) fn measure(input: &Value) -> Measure {
    let mut values = 0;
    if !walk(input, MAX_DEPTH, &mut values) {
        Measure::TooDeep
    } else if values > MANY_VALUES {
        Measure::Large
    } else {
        Measure::Ordinary
    }
}

fn walk(value: &Value, levels: usize, values: &mut usize) -> bool {
    *values += 1;
    match value {
        Value::Array(items) => levels > 0 && items.iter().all(|item| walk(item, levels - 1, values)),
        Value::Object(fields) => levels > 0 && fields.values().all(|field| walk(field, levels - 1, values)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn nested(levels: usize) -> Value {
        (0..levels).fold(json!(1), |inner, _| json!([inner]))
    }

    #[test]
    fn depth_and_size_are_bounded() {
        assert_eq!(measure(&nested(MAX_DEPTH)), Measure::Ordinary);
        assert_eq!(measure(&nested(MAX_DEPTH + 1)), Measure::TooDeep);
        assert_eq!(measure(&json!(vec![0; MANY_VALUES])), Measure::Large);
    }
}
