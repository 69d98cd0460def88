//! What a person should know while calls run: notices of the pipeline and of hooks, on stderr.

use crate::print::Printer;
use pegboard::ports::{Event, Observer};

/// Prints notices.
#[derive(Debug)]
pub(crate) struct Notices {
    printer: Printer,
}

impl Notices {
    pub(crate) fn new(printer: Printer) -> Self {
        Self { printer }
    }
}

impl Observer for Notices {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Notice { id: Some(id), text } => self.printer.note(&format!("{id}: {text}")),
            Event::Notice { id: None, text } => self.printer.note(text),
            Event::HooksRan { event, reports, system_messages, .. } => {
                for message in *system_messages {
                    self.printer.note(message);
                }
                for report in *reports {
                    if let Some(notice) = &report.notice {
                        self.printer.note(&format!("{} hook `{}`: {notice}", event.as_str(), report.handler));
                    }
                }
            }
            _ => {}
        }
    }
}
