//! What factories get: services by type, injected by whoever wires the layers.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;

/// Services by their type, such as `Arc<dyn AccessPolicy>` or an HTTP client.
#[derive(Default)]
pub struct Services {
    by_type: HashMap<TypeId, Box<dyn Any + Send + Sync>>,
}

impl Services {
    /// No services.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same services and this one; the later of one type stands.
    #[must_use]
    pub fn with<T: Clone + Send + Sync + 'static>(mut self, service: T) -> Self {
        self.by_type.insert(TypeId::of::<T>(), Box::new(service));
        self
    }

    /// The service of this type, when it was injected. A factory that needs one that is missing answers
    /// [`Made::NotHere`](crate::Made::NotHere).
    #[must_use]
    pub fn find<T: Clone + Send + Sync + 'static>(&self) -> Option<T> {
        self.by_type.get(&TypeId::of::<T>())?.downcast_ref::<T>().cloned()
    }
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Services").field("count", &self.by_type.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn services_are_found_by_their_type() {
        let services = Services::new().with::<Arc<str>>("policy".into()).with(5_u8);
        assert_eq!(services.find::<Arc<str>>().as_deref(), Some("policy"));
        assert_eq!(services.find::<u8>(), Some(5));
        assert_eq!(services.find::<u16>(), None);
    }
}
