//! [`Console`]: the lines of a run, as far as the host holds them.

use std::sync::Arc;

use codemode_protocol::{LogLevel, LogLine, LogSink};

/// Lines of one run.
pub(crate) struct Console {
    lines: Vec<LogLine>,
    sink: Option<Arc<dyn LogSink>>,
    left_bytes: u64,
}

impl Console {
    /// What a line costs besides its text. Less than the worker charges, so that an honest one never meets this.
    const LINE_BYTES: u64 = 16;
    /// The line that says that the rest is dropped, and rounding.
    const SLACK_BYTES: u64 = 4 * 1024;
    /// A unit of UTF-16, in which the bound is counted, is at most three bytes of UTF-8.
    const BYTES_PER_UNIT: u64 = 3;

    /// Room for a run that may write `limit_units`. The worker enforces that bound; this one only keeps a worker
    /// that no longer does from filling the host.
    pub(crate) fn new(limit_units: u64, sink: Option<Arc<dyn LogSink>>) -> Self {
        let left_bytes = limit_units.saturating_mul(Self::BYTES_PER_UNIT).saturating_add(Self::SLACK_BYTES);
        Self { lines: Vec::new(), sink, left_bytes }
    }

    /// Takes one line.
    ///
    /// # Errors
    /// What is wrong, when the worker writes past its bound.
    pub(crate) fn take(&mut self, level: LogLevel, text: String) -> Result<(), String> {
        let cost = text.len() as u64 + Self::LINE_BYTES;
        let Some(left) = self.left_bytes.checked_sub(cost) else {
            return Err("console output past its bound".to_owned());
        };
        self.left_bytes = left;
        let line = LogLine { level, text };
        if let Some(sink) = &self.sink {
            sink.line(&line);
        }
        self.lines.push(line);
        Ok(())
    }

    /// The lines, in order.
    pub(crate) fn take_lines(&mut self) -> Vec<LogLine> {
        std::mem::take(&mut self.lines)
    }
}
