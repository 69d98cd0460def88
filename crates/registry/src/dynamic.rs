//! Tools that are made on first use, such as one for each subagent that somebody defined.

use crate::{Made, form};
use pegboard_tool_core::ports::{FoundTool, InputValidator};
use pegboard_tool_core::{Availability, ToolEnv};
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

/// Makes tools for names that no pool has.
///
/// # Contract
/// - `version` is quick and does not block: it is asked at every call of such a name.
/// - `make` is called once for each version; it may be called by several threads at once.
pub trait DynamicProvider: Debug + Send + Sync {
    /// A number that changes with the definition behind `name`; `None` when there is none (any more): the
    /// tool is then dropped.
    fn version(&self, name: &str) -> Option<u64>;

    /// Makes the tool. It must have the name `name`.
    fn make(&self, name: &str) -> Made;

    /// Names that have a definition now.
    fn names(&self) -> Vec<String>;
}

const _: fn(&dyn DynamicProvider) = |_| ();

/// Dynamic tools with their cache, shared by the generations of a pool.
#[derive(Debug)]
pub struct DynamicTools {
    providers: Vec<Arc<dyn DynamicProvider>>,
    validator: Arc<dyn InputValidator>,
    env: ToolEnv,
    // INVARIANT: not held while a provider works.
    made: Mutex<HashMap<String, Cached>>,
}

#[derive(Debug)]
struct Cached {
    provider: usize,
    version: u64,
    found: FoundTool,
}

impl DynamicTools {
    /// Tools of these providers; the first that has a definition for a name makes it.
    #[must_use]
    pub fn new(
        providers: Vec<Arc<dyn DynamicProvider>>,
        validator: Arc<dyn InputValidator>,
        env: ToolEnv,
    ) -> Self {
        Self { providers, validator, env, made: Mutex::default() }
    }

    /// The tool under `name`, made when it is not there yet or its definition changed.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<FoundTool> {
        if name.len() > form::MAX_NAME {
            return None;
        }
        let current =
            self.providers.iter().enumerate().find_map(|(place, provider)| {
                provider.version(name).map(|version| (place, version, provider))
            });
        let Some((provider, version, maker)) = current else {
            self.lock().remove(name);
            return None;
        };
        if let Some(cached) = self.lock().get(name)
            && (cached.provider, cached.version) == (provider, version)
        {
            return Some(cached.found.clone());
        }
        let Some(found) = self.make(&**maker, name) else {
            self.lock().remove(name);
            return None;
        };
        let mut made = self.lock();
        // Somebody else may have made it meanwhile: there is one instance for each version.
        match made.get(name) {
            Some(cached) if (cached.provider, cached.version) == (provider, version) => {
                Some(cached.found.clone())
            }
            _ => {
                made.insert(name.to_owned(), Cached { provider, version, found: found.clone() });
                Some(found)
            }
        }
    }

    /// Names that have a definition now.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.providers.iter().flat_map(|provider| provider.names()).collect()
    }

    /// Drops tools whose definition is gone or changed, without waiting for a call of them.
    pub fn evict(&self) {
        let cached: Vec<_> = {
            let made = self.lock();
            made.iter().map(|(name, cached)| (name.clone(), cached.provider, cached.version)).collect()
        };
        for (name, provider, version) in cached {
            let now = self.providers.get(provider).and_then(|provider| provider.version(&name));
            if now != Some(version) {
                self.lock().remove(&name);
            }
        }
    }

    /// How many tools are made at the moment.
    #[must_use]
    pub fn cached(&self) -> usize {
        self.lock().len()
    }

    fn make(&self, provider: &dyn DynamicProvider, name: &str) -> Option<FoundTool> {
        let Made::Tool(tool) = provider.make(name) else { return None };
        let definition = tool.definition();
        if definition.name.as_str() != name || tool.availability(&self.env) != Availability::Here {
            return None;
        }
        let schema = self.validator.prepare(definition).ok()?;
        if form::problem(definition, &form::json(definition, &mut Vec::new()), &*schema).is_some() {
            return None;
        }
        Some(FoundTool::new(tool, schema))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Cached>> {
        // A panic while it was held cannot have left it half changed.
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
