//! The decoders of the Encoding Standard.

use encoding_rs::{CoderResult, DecoderResult, Encoding};

/// The name of the encoding of a label, in lower case. The encoding `replacement` is one of them.
pub(crate) fn encoding_of_label(label: &str) -> Option<String> {
    Encoding::for_label(label.as_bytes()).map(|encoding| encoding.name().to_ascii_lowercase())
}

/// A decoder of one text, which keeps what a chunk left over for the next one.
pub(crate) struct Decoder {
    inner: encoding_rs::Decoder,
    fatal: bool,
}

impl Decoder {
    /// A decoder of the encoding of a label. A byte order mark is text to it. A `fatal` one refuses malformed input.
    pub(crate) fn new(label: &str, fatal: bool) -> Option<Self> {
        let encoding = Encoding::for_label(label.as_bytes())?;
        Some(Self { inner: encoding.new_decoder_without_bom_handling(), fatal })
    }

    /// The text of a chunk; `None` where the input is malformed and the decoder fatal, or where there is not enough
    /// memory. Nothing may follow the `last` chunk.
    pub(crate) fn decode(&mut self, mut chunk: &[u8], last: bool) -> Option<String> {
        let mut text = String::new();
        loop {
            let needed = if self.fatal {
                self.inner.max_utf8_buffer_length_without_replacement(chunk.len())
            } else {
                self.inner.max_utf8_buffer_length(chunk.len())
            };
            text.try_reserve(needed?).ok()?;
            let read = if self.fatal {
                let (result, read) = self.inner.decode_to_string_without_replacement(chunk, &mut text, last);
                match result {
                    DecoderResult::InputEmpty => return Some(text),
                    DecoderResult::OutputFull => read,
                    DecoderResult::Malformed(..) => return None,
                }
            } else {
                let (result, read, _) = self.inner.decode_to_string(chunk, &mut text, last);
                match result {
                    CoderResult::InputEmpty => return Some(text),
                    CoderResult::OutputFull => read,
                }
            };
            chunk = &chunk[read..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Decoder, encoding_of_label};

    #[test]
    fn labels_name_encodings() {
        assert_eq!(encoding_of_label("latin1").as_deref(), Some("windows-1252"));
        assert_eq!(encoding_of_label("x-sjis").as_deref(), Some("shift_jis"));
        assert_eq!(encoding_of_label("iso-2022-kr").as_deref(), Some("replacement"));
        assert_eq!(encoding_of_label("utf-7"), None);
    }

    #[test]
    fn a_character_may_be_split_between_chunks() {
        let mut decoder = Decoder::new("shift_jis", false).unwrap();
        assert_eq!(decoder.decode(&[0x41, 0x82], false).as_deref(), Some("A"));
        assert_eq!(decoder.decode(&[0xa0], true).as_deref(), Some("あ"));
    }

    #[test]
    fn malformed_input_is_replaced_or_refused() {
        assert_eq!(
            Decoder::new("euc-kr", false).unwrap().decode(&[0xff, 0x41], true).as_deref(),
            Some("\u{fffd}A")
        );
        assert_eq!(Decoder::new("euc-kr", true).unwrap().decode(&[0xff, 0x41], true), None);
        assert_eq!(Decoder::new("gbk", true).unwrap().decode(&[0x81], true), None);
    }
}
