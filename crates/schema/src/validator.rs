//! The port's implementation: prepared cheaply, compiled once, quick for inputs that fit.

use crate::explain::Explainer;
use crate::measure::{Measure, measure};
use crate::{lenient, structure, text};
use jsonschema::{PatternOptions, Validator};
use pegboard_tool_core::ports::{InputValidator, SchemaError, ToolSchema};
use pegboard_tool_core::{InvalidInput, ToolDefinition};
use serde_json::Value;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// How often a pattern may backtrack before it counts as undecided, which is a violation.
const MAX_BACKTRACKS: usize = 100_000;

/// Largest compiled pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// Dialects that the engine knows; a schema that names another one is read as 2020-12.
const KNOWN_DIALECTS: [&str; 5] = [
    "json-schema.org/draft-04/",
    "json-schema.org/draft-06/",
    "json-schema.org/draft-07/",
    "json-schema.org/draft/2019-09/",
    "json-schema.org/draft/2020-12/",
];

/// Makes validators of tool inputs. Needs no network and no file.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SchemaValidator;

impl SchemaValidator {
    /// The standard validator.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl InputValidator for SchemaValidator {
    fn prepare(&self, definition: &ToolDefinition) -> Result<Arc<dyn ToolSchema>, SchemaError> {
        Ok(Arc::new(InputSchema::new(definition)?))
    }
}

/// The input schema of one tool. Cheap to make; compiled at the first check.
pub struct InputSchema {
    tool: Arc<str>,
    schema: Arc<Value>,
    example: Option<Value>,
    // INVARIANT: set at most once; a schema that does not compile refuses every input.
    compiled: OnceLock<Result<Validator, String>>,
}

impl fmt::Debug for InputSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InputSchema")
            .field("tool", &self.tool)
            .field("compiled", &self.compiled.get().map(Result::is_ok))
            .finish_non_exhaustive()
    }
}

impl InputSchema {
    /// Looks at the structure of the schema and keeps it.
    ///
    /// # Errors
    /// When it is visibly no schema, refers outside of itself, or is too large or too deep.
    pub fn new(definition: &ToolDefinition) -> Result<Self, SchemaError> {
        structure::check(&definition.input_schema)
            .map_err(|problem| SchemaError::new(definition.name.as_str(), problem))?;
        let example = definition.examples.first().cloned().or_else(|| {
            let examples = definition.input_schema.get("examples")?.as_array()?;
            examples.first().cloned()
        });
        Ok(Self {
            tool: definition.name.to_shared(),
            schema: Arc::clone(&definition.input_schema),
            example,
            compiled: OnceLock::new(),
        })
    }

    /// Compiles the schema now, for who wants to know before the first call.
    ///
    /// # Errors
    /// When it cannot be compiled, such as for a reference that leads nowhere.
    pub fn compile(&self) -> Result<(), SchemaError> {
        match self.compiled() {
            Ok(_) => Ok(()),
            Err(problem) => Err(SchemaError::new(&*self.tool, problem)),
        }
    }

    fn compiled(&self) -> Result<&Validator, &str> {
        self.compiled.get_or_init(|| compile(&self.schema)).as_ref().map_err(String::as_str)
    }
}

impl ToolSchema for InputSchema {
    fn reworded(&self, input: &Value) -> Option<Value> {
        // Bounded first, as for a check.
        if measure(input) == Measure::TooDeep {
            return None;
        }
        lenient::reworded(&self.schema, input)
    }

    fn check(&self, input: &Value) -> Result<(), InvalidInput> {
        let validator = match self.compiled() {
            Ok(validator) => validator,
            Err(problem) => return Err(text::unusable_schema(&self.tool, problem)),
        };
        // The engine recurses over the input where the schema does, so its depth is bounded first.
        let size = measure(input);
        if size == Measure::TooDeep {
            return Err(text::too_deep(&self.tool));
        }
        if validator.is_valid(input) {
            return Ok(());
        }
        // What the text promises to fit is tried first.
        let example = self.example.as_ref().filter(|example| validator.is_valid(example));
        let explainer = Explainer::new(&self.schema);
        if size == Measure::Large {
            // All errors of a huge input would take many times its memory.
            if let Err(error) = validator.validate(input) {
                explainer.add(&error);
            }
            return Err(text::invalid(&self.tool, explainer.finish(), text::Extent::First, example));
        }
        for error in validator.iter_errors(input) {
            explainer.add(&error);
        }
        Err(text::invalid(&self.tool, explainer.finish(), text::Extent::All, example))
    }
}

fn compile(schema: &Value) -> Result<Validator, String> {
    let foreign = schema
        .get("$schema")
        .and_then(Value::as_str)
        .is_some_and(|dialect| !KNOWN_DIALECTS.iter().any(|known| dialect.contains(known)));
    let own;
    let schema = if foreign {
        let mut copy = schema.clone();
        if let Value::Object(root) = &mut copy {
            root.shift_remove("$schema");
        }
        own = copy;
        &own
    } else {
        schema
    };
    let patterns =
        PatternOptions::fancy_regex().backtrack_limit(MAX_BACKTRACKS).size_limit(MAX_PATTERN_BYTES);
    jsonschema::options()
        .with_pattern_options(patterns)
        .offline()
        .build(schema)
        .map_err(|error| crate::show::cut(&error.to_string(), 300).into_owned())
}
