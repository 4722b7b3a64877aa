//! [`Report`]: which layers are on.

use crate::config::HardeningLevel;

/// Which layers of hardening are on, in the order they were taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    layers: Vec<(String, String)>,
    missing: Vec<String>,
    /// Layers that the settings leave out.
    absent: Vec<String>,
}

impl Report {
    /// A report that leaves `absent` out of what is tried.
    pub(crate) fn without(absent: Vec<String>) -> Self {
        Self { absent, ..Self::default() }
    }

    /// A layer that is on.
    pub(crate) fn on(&mut self, layer: &str, detail: impl Into<String>) {
        self.layers.push((layer.to_owned(), detail.into()));
    }

    /// A layer that is off although it was wanted. It may have been reported as on before.
    pub(crate) fn missing(&mut self, layer: &str, why: impl std::fmt::Display) {
        self.missing.push(format!("{layer} ({why})"));
        let value = format!("off: {why}");
        match self.layers.iter_mut().find(|(name, _)| name == layer) {
            Some((_, said)) => *said = value,
            None => self.layers.push((layer.to_owned(), value)),
        }
    }

    /// Takes a layer, unless the settings leave it out. `take` answers a detail to tell, or why there is none.
    pub(crate) fn take<E: std::fmt::Display>(
        &mut self,
        layer: &str,
        take: impl FnOnce() -> Result<String, E>,
    ) {
        if self.leaves_out(layer) {
            return self.missing(layer, "the settings leave it out");
        }
        match take() {
            Ok(detail) if detail.is_empty() => self.on(layer, "on"),
            Ok(detail) => self.on(layer, format!("on: {detail}")),
            Err(error) => self.missing(layer, error),
        }
    }

    /// Whether the settings leave a layer out.
    pub(crate) fn leaves_out(&self, layer: &str) -> bool {
        self.absent.iter().any(|absent| absent == layer)
    }

    /// Whether that layer was taken.
    pub(crate) fn has(&self, layer: &str) -> bool {
        self.layers.iter().any(|(name, value)| name == layer && value.starts_with("on"))
    }

    /// A layer that was taken and does not show in what the kernel says is off after all.
    pub(crate) fn verify(&mut self, layer: &str, shows: bool) {
        if !shows && self.has(layer) {
            self.missing(layer, "it was taken and does not show");
        }
    }

    /// Something to tell that is no layer.
    pub(crate) fn note(&mut self, name: &str, value: impl Into<String>) {
        self.layers.push((name.to_owned(), value.into()));
    }

    /// Refuses a machine that lacks a layer where all are required.
    ///
    /// # Errors
    /// The layers that are missing, and why.
    pub(crate) fn demand(&self, level: HardeningLevel) -> Result<(), String> {
        if level != HardeningLevel::Required || self.missing.is_empty() {
            return Ok(());
        }
        let missing = self.missing.join(", ");
        Err(format!("hardening is required and this machine cannot give it all: {missing}"))
    }

    /// What is told of this process, the level of hardening first.
    pub(crate) fn into_capabilities(self, level: HardeningLevel) -> Vec<(String, String)> {
        let says = match level {
            HardeningLevel::Off => "off: a worker can do what its user can".to_owned(),
            _ if self.missing.is_empty() => "on: every layer".to_owned(),
            _ => format!("incomplete: without {}", self.missing.join(", ")),
        };
        let mut said = vec![(crate::config::HARDENING.to_owned(), says)];
        said.extend(self.layers);
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_required_level_refuses_and_names_what_is_missing() {
        let mut report = Report::without(vec!["landlock".into()]);
        report.take("namespaces", || Ok::<_, String>("all".into()));
        report.take("landlock", || -> Result<_, String> { unreachable!("left out") });
        report.take("not dumpable", || Err("no such call"));
        report.take("resource limits", || Ok::<_, String>(String::new()));
        report.verify("resource limits", false);
        report.verify("namespaces", true);
        let refused = report.demand(HardeningLevel::Required).unwrap_err();
        for named in
            ["landlock (the settings leave it out)", "not dumpable (no such call)", "resource limits ("]
        {
            assert!(refused.contains(named), "{refused}");
        }
        assert!(!refused.contains("namespaces"), "{refused}");
        assert_eq!(report.demand(HardeningLevel::BestEffort), Ok(()));
        let said = report.into_capabilities(HardeningLevel::BestEffort);
        assert!(said[0].1.starts_with("incomplete: without landlock ("), "{said:?}");
        assert_eq!(said[1], ("namespaces".to_owned(), "on: all".to_owned()));
        assert_eq!(said.iter().filter(|(name, _)| name == "resource limits").count(), 1);
    }
}
