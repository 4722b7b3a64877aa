//! [`Report`]: which layers are on.

/// Which layers of hardening are on, in the order they were taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    layers: Vec<(String, String)>,
    missing: Vec<String>,
}

impl Report {
    /// A layer that is on.
    pub(crate) fn on(&mut self, layer: &str, detail: impl Into<String>) {
        self.layers.push((layer.to_owned(), detail.into()));
    }

    /// A layer that is off although it was wanted.
    pub(crate) fn missing(&mut self, layer: &str, why: impl std::fmt::Display) {
        self.missing.push(format!("{layer} ({why})"));
        self.layers.push((layer.to_owned(), format!("off: {why}")));
    }

    /// A layer that is on when `result` is `Ok`.
    pub(crate) fn record<T, E: std::fmt::Display>(&mut self, layer: &str, result: Result<T, E>) -> bool {
        match result {
            Ok(_) => self.on(layer, "on"),
            Err(ref error) => self.missing(layer, error),
        }
        result.is_ok()
    }

    /// Something to tell that is no layer.
    pub(crate) fn note(&mut self, name: &str, value: impl Into<String>) {
        self.layers.push((name.to_owned(), value.into()));
    }

    /// The layers that were wanted and are off, as one text.
    pub(crate) fn missing_text(&self) -> Option<String> {
        (!self.missing.is_empty()).then(|| self.missing.join(", "))
    }

    pub(crate) fn into_capabilities(self) -> Vec<(String, String)> {
        self.layers
    }
}
