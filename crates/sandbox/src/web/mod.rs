//! What the library inside the isolate leaves to the host: the tables of encodings and domains, and compression.
//!
//! Nothing here knows the engine. Decoders and codecs keep state between two calls; the library names them by number,
//! and they leave with the isolate that opened them.

mod codec;
mod decoder;
mod domain;

pub(crate) use codec::{Codec, Format};
pub(crate) use decoder::{Decoder, encoding_of_label};
pub(crate) use domain::domain_to_ascii;

/// The open decoders and codecs of one isolate.
#[derive(Default)]
pub(crate) struct Open {
    pub(crate) decoders: Slots<Decoder>,
    pub(crate) codecs: Slots<Codec>,
}

/// Values by number, counted from 1. A number is used again once its value is gone.
pub(crate) struct Slots<T> {
    values: Vec<Option<T>>,
    free: Vec<usize>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { values: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slots<T> {
    /// Keeps a value and answers its number.
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        let index = self.free.pop().unwrap_or_else(|| {
            self.values.push(None);
            self.values.len() - 1
        });
        self.values[index] = Some(value);
        u32::try_from(index + 1).expect("memory ends before the numbers do")
    }

    /// The value of a number.
    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.values.get_mut(usize::try_from(number).ok()?.checked_sub(1)?)?.as_mut()
    }

    /// Lets go of the value of a number.
    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let value = self.values.get_mut(index)?.take()?;
        self.free.push(index);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::Slots;

    #[test]
    fn a_number_names_one_value_until_it_is_removed() {
        let mut slots = Slots::default();
        let (first, second) = (slots.insert('a'), slots.insert('b'));
        assert_eq!((slots.get_mut(first).copied(), slots.get_mut(second).copied()), (Some('a'), Some('b')));
        assert_eq!(slots.remove(first), Some('a'));
        assert_eq!(
            (slots.remove(first), slots.get_mut(first).copied(), slots.get_mut(0).copied()),
            (None, None, None)
        );
        assert_eq!(slots.insert('c'), first);
    }
}
