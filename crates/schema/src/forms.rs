//! Values that may have several forms (`anyOf`, `oneOf`): which form was probably meant, and what is
//! wrong with it. An explanation of all forms at once helps nobody.

use crate::expected;
use crate::explain::Explainer;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

/// How many forms within forms are looked into.
pub(crate) const MAX_NESTING: usize = 8;

type Forms = [Vec<ValidationError<'static>>];

/// Explains a value that fits none of `forms`. `false` when there is nothing better to say than that.
pub(crate) fn explain(
    explainer: &Explainer<'_>,
    error: &ValidationError<'_>,
    forms: &Forms,
    levels: usize,
) -> bool {
    let path = error.instance_path().as_str();
    let near: Vec<_> = forms.iter().filter(|form| !is_of_other_type(form, path)).collect();
    if near.is_empty() {
        let wanted =
            explainer.parent_schema(error).and_then(|schema| expected::expected(explainer.schema(), schema));
        let Some(wanted) = wanted else { return false };
        let given: &Value = error.instance();
        explainer.push_with(|| {
            let words =
                format!("is {} ({}); expected {wanted}", crate::show::value(given), expected::type_of(given));
            (path.to_owned(), words)
        });
        return true;
    }
    if let Some((at, choices)) = common_tag(&near) {
        explainer.push_with(|| {
            let given = error.instance().pointer(at.strip_prefix(path).unwrap_or_default());
            let given = given.map(crate::show::value).unwrap_or_default();
            (at.to_owned(), format!("is {given}; expected {}", expected::one_of(&choices)))
        });
        return true;
    }
    // A form whose tag fits is meant; else the one with the fewest errors, the first of equals.
    let Some(best) = near.into_iter().min_by_key(|form| (form.iter().any(is_tag), form.len())) else {
        return false;
    };
    for error in best {
        explainer.add_nested(error, levels);
    }
    !best.is_empty()
}

fn is_of_other_type(form: &[ValidationError<'static>], path: &str) -> bool {
    form.iter().any(|error| {
        let wrong_kind = matches!(error.kind(), Kind::Type { .. } | Kind::FalseSchema)
            || (is_tag(error) && error.instance().is_string());
        wrong_kind && error.instance_path().as_str() == path && !matches!(error.kind(), Kind::Enum { .. })
    })
}

fn is_tag(error: &ValidationError<'static>) -> bool {
    matches!(error.kind(), Kind::Constant { .. } | Kind::Enum { .. })
}

/// The field that tells the forms apart, when all of them are refused for it.
fn common_tag<'a>(forms: &[&'a Vec<ValidationError<'static>>]) -> Option<(&'a str, Vec<Value>)> {
    let mut at = None;
    let mut choices = Vec::new();
    for form in forms {
        let error = form.iter().find(|error| is_tag(error))?;
        let path = error.instance_path().as_str();
        if *at.get_or_insert(path) != path {
            return None;
        }
        match error.kind() {
            Kind::Constant { expected_value } => choices.push((**expected_value).clone()),
            Kind::Enum { options } => choices.extend(options.as_array()?.iter().cloned()),
            _ => return None,
        }
    }
    if forms.len() < 2 { None } else { at.map(|at| (at, choices)) }
}
