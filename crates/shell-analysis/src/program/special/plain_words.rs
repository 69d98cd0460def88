//! Programs whose plain words matter.

use pegboard_tool_core::ports::CommandNature;

use super::super::ProgramUse;
use super::super::call::Call;

/// `date` sets the clock when a word is no format.
pub(in super::super) fn date(call: &Call<'_>, used: &mut ProgramUse) {
    if call.operands.iter().any(|(_, word)| !word.prefix.starts_with('+')) {
        used.nature = CommandNature::Other;
    }
}

/// `ps e` shows the environment of programs.
pub(in super::super) fn ps(call: &Call<'_>, used: &mut ProgramUse) {
    let shows = call.words.iter().skip(1).any(|word| match word.value.as_deref() {
        None => true,
        Some(text) if text.starts_with('-') => text.contains("environ"),
        Some(text) => text.contains('e') || text.contains('E'),
    });
    if shows {
        used.nature = CommandNature::Other;
    }
}
