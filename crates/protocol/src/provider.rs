//! [`ProviderDescriptor`] and the rules for provider names.

/// One provider: a name that the program sees, and what its proxy is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderDescriptor {
    /// The name of the constant the program calls tools on. See [`validate_providers`] for the rules.
    pub name: String,
    /// The tools the model is told about. A declaration and not a boundary.
    pub tools: Vec<String>,
    /// `false` sends the first argument alone, as one object; otherwise all arguments cross as an array.
    pub positional_args: Option<bool>,
    /// Source that runs after every proxy is declared.
    pub prelude: Option<String>,
    /// Source that replaces the generated proxy, verbatim.
    pub proxy_source: Option<String>,
}

impl ProviderDescriptor {
    /// A provider with a generated proxy.
    pub fn new<T: Into<String>>(name: impl Into<String>, tools: impl IntoIterator<Item = T>) -> Self {
        Self { name: name.into(), tools: tools.into_iter().map(Into::into).collect(), ..Self::default() }
    }
}
