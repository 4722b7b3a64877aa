//! [`Usages`]: what a key may be used for.

use crate::crypto::{Data, Failure};

/// A set of usages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usages(u8);

/// The names of the usages, in the order in which a key lists them.
const NAMES: [&str; 8] =
    ["encrypt", "decrypt", "sign", "verify", "deriveKey", "deriveBits", "wrapKey", "unwrapKey"];

impl Usages {
    pub(crate) const NONE: Usages = Usages(0);
    pub(crate) const ENCRYPT: Usages = Usages(1);
    pub(crate) const DECRYPT: Usages = Usages(1 << 1);
    pub(crate) const SIGN: Usages = Usages(1 << 2);
    pub(crate) const VERIFY: Usages = Usages(1 << 3);
    pub(crate) const DERIVE_KEY: Usages = Usages(1 << 4);
    pub(crate) const DERIVE_BITS: Usages = Usages(1 << 5);
    pub(crate) const WRAP_KEY: Usages = Usages(1 << 6);
    pub(crate) const UNWRAP_KEY: Usages = Usages(1 << 7);

    /// Both sets together.
    pub(crate) const fn and(self, other: Usages) -> Usages {
        Usages(self.0 | other.0)
    }

    /// What both sets have.
    pub(crate) const fn within(self, other: Usages) -> Usages {
        Usages(self.0 & other.0)
    }

    pub(crate) const fn contains(self, other: Usages) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Reads a list of names.
    pub(crate) fn read(list: &Data) -> Result<Usages, Failure> {
        list.as_list()?.iter().try_fold(Usages::NONE, |usages, name| {
            let one = Usages::named(name.as_text()?)
                .ok_or_else(|| Failure::type_error("The value is not a key usage."))?;
            Ok(usages.and(one))
        })
    }

    /// The usage of this name.
    pub(crate) fn named(name: &str) -> Option<Usages> {
        NAMES.iter().position(|known| *known == name).map(|index| Usages(1 << index))
    }

    /// Fails unless every usage is one of `allowed`.
    pub(crate) fn only(self, allowed: Usages) -> Result<(), Failure> {
        if allowed.contains(self) {
            return Ok(());
        }
        Err(Failure::syntax("The key cannot be created with one of these usages."))
    }

    /// Fails where a key would have no usage at all.
    pub(crate) fn some(self) -> Result<(), Failure> {
        if self.is_empty() {
            return Err(Failure::syntax("A secret or private key needs at least one usage."));
        }
        Ok(())
    }

    /// The names.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        NAMES.iter().enumerate().filter(move |(index, _)| self.0 & (1 << index) != 0).map(|(_, name)| *name)
    }
}
