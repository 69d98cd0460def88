//! Pages and searches of the web.

mod address;
mod address_guard;
mod allowed_host;

pub use address_guard::Resolve;

use crate::Services;
use crate::families::Made;
use crate::settings::WebSettings;
use allowed_host::AllowedHost;

/// The tools of this family.
pub(crate) fn tools(_services: &Services) -> Made {
    Ok(Vec::new())
}

/// The hosts that may be reached although they are not public. What is no host allows nothing.
pub(crate) fn allowed_hosts(settings: &WebSettings) -> Vec<AllowedHost> {
    settings.allow_private.iter().filter_map(|text| AllowedHost::parse(text).ok()).collect()
}

/// What in the settings is not understood.
pub(crate) fn problems(settings: &WebSettings) -> Vec<String> {
    settings.allow_private.iter().filter_map(|text| AllowedHost::parse(text).err()).collect()
}
