//! Events for the observer, so that phases say in one line what happened.

use crate::config::DispatchConfig;
use pegboard_tool_core::ports::{Event, Finished, HookEvent, HookReport, Phase};

impl DispatchConfig {
    pub(crate) fn emit(&self, event: &Event<'_>) {
        self.observer.event(event);
    }

    pub(crate) fn started(&self, id: &str, phase: Phase) {
        self.emit(&Event::PhaseStarted { id, phase });
    }

    pub(crate) fn ended(&self, id: &str, phase: Phase) {
        self.emit(&Event::PhaseEnded { id, phase });
    }

    pub(crate) fn notice(&self, id: &str, text: &str) {
        self.emit(&Event::Notice { id: Some(id), text });
    }

    pub(crate) fn hooks_ran(
        &self,
        id: &str,
        event: HookEvent,
        reports: &[HookReport],
        system_messages: &[String],
    ) {
        self.emit(&Event::HooksRan { id, event, reports, system_messages });
    }

    /// The last event of a call.
    pub(crate) fn finished(&self, finished: &Finished) {
        self.emit(&Event::Finished {
            id: &finished.result.tool_use_id,
            tool: &finished.tool,
            outcome: finished.outcome,
            is_error: finished.result.is_error,
            duration: finished.duration,
        });
    }
}
