//! All tools at once, by family.

use crate::Services;
use pegboard_tool_core::{DefinitionError, DynTool, dyn_tool};
use std::sync::Arc;

/// The tools of a family, or what is wrong with a definition.
pub(crate) type Made = Result<Vec<Arc<dyn DynTool>>, DefinitionError>;

/// All tools of this crate, in the order of their names. Whether one can work on this machine is for
/// its `availability` to say.
///
/// # Errors
/// Never, unless a definition in here is wrong.
pub fn all(services: &Services) -> Made {
    let families: &[fn(&Services) -> Made] = &[
        files,
        #[cfg(feature = "search")]
        searches,
        #[cfg(unix)]
        crate::shell::tools,
        crate::simple::tools,
        #[cfg(feature = "terminal")]
        crate::terminal::tools,
        #[cfg(feature = "web")]
        crate::web::tools,
        #[cfg(feature = "lsp")]
        crate::lsp::tools,
        crate::worktree::tools,
    ];
    let mut tools = Vec::new();
    for family in families {
        tools.extend(family(services)?.into_iter().map(|tool| crate::closed::guarded(tool, services)));
    }
    tools.sort_by(|a, b| a.definition().name.cmp(&b.definition().name));
    Ok(tools)
}

/// What reads and changes single files.
fn files(services: &Services) -> Made {
    Ok(vec![
        dyn_tool(crate::read::Read::new(services.clone()))?,
        dyn_tool(crate::write::Write::new(services.clone()))?,
        dyn_tool(crate::edit::Edit::new(services.clone()))?,
        dyn_tool(crate::notebook_edit::NotebookEdit::new(services.clone()))?,
    ])
}

/// What looks through folders.
#[cfg(feature = "search")]
fn searches(services: &Services) -> Made {
    Ok(vec![
        dyn_tool(crate::glob::Glob::new(services.clone()))?,
        dyn_tool(crate::grep::Grep::new(services.clone()))?,
    ])
}
