//! Hears the warnings of this process.

use std::fmt::{Debug, Write as _};
use std::sync::Mutex;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

static HEARD: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Hears from here on, whatever the thread.
pub(crate) fn listen() {
    tracing::subscriber::set_global_default(Listener).unwrap();
}

/// Warnings so far that hold `text`.
pub(crate) fn count(text: &str) -> usize {
    HEARD.lock().unwrap().iter().filter(|line| line.contains(text)).count()
}

struct Listener;

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, _field: &Field, value: &dyn Debug) {
        write!(self.0, "{value:?}").unwrap();
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::WARN && metadata.is_event()
    }

    fn event(&self, event: &Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        HEARD.lock().unwrap().push(text.0);
    }

    fn new_span(&self, _span: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}
