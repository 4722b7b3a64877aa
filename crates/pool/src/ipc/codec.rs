//! Archives to bytes and back, with the length in front that a stream needs.

use rkyv::api::high::{HighDeserializer, HighSerializer, HighValidator};
use rkyv::bytecheck::CheckBytes;
use rkyv::rancor::Error;
use rkyv::ser::allocator::ArenaHandle;
use rkyv::{Archive, Deserialize, Serialize};

/// Size of the length in front of a frame.
pub(crate) const PREFIX_BYTES: usize = 4;

/// What every message of this crate can do.
pub(crate) trait Message:
    Archive<
        Archived: for<'a> CheckBytes<HighValidator<'a, Error>> + Deserialize<Self, HighDeserializer<Error>>,
    > + for<'a> Serialize<HighSerializer<Vec<u8>, ArenaHandle<'a>, Error>>
    + Sized
{
}

impl<T> Message for T where
    T: Archive<
            Archived: for<'a> CheckBytes<HighValidator<'a, Error>> + Deserialize<T, HighDeserializer<Error>>,
        > + for<'a> Serialize<HighSerializer<Vec<u8>, ArenaHandle<'a>, Error>>
{
}

/// The archive of `message` alone.
pub(crate) fn encode<T: Message>(message: &T) -> Vec<u8> {
    encode_into(message, Vec::new())
}

/// The archive of `message` behind its length.
pub(crate) fn encode_frame<T: Message>(message: &T) -> Vec<u8> {
    let mut bytes = encode_into(message, vec![0; PREFIX_BYTES]);
    let length = u32::try_from(bytes.len() - PREFIX_BYTES).expect("a frame is bounded far below 4 GiB");
    bytes[..PREFIX_BYTES].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// The message in `bytes`.
///
/// # Errors
/// What the validation found.
pub(crate) fn decode<T: Message>(bytes: &[u8]) -> Result<T, String> {
    rkyv::from_bytes::<T, Error>(bytes).map_err(|error| error.to_string())
}

/// The archive of `message` behind what is in `buffer`.
pub(crate) fn encode_into<T: Message>(message: &T, buffer: Vec<u8>) -> Vec<u8> {
    rkyv::api::high::to_bytes_in::<_, Error>(message, buffer).expect("plain data serializes into memory")
}

/// Collects bytes of a stream and hands out whole frames.
///
/// The buffer grows as bytes arrive and never because of a length that a peer only claimed.
pub(crate) struct FrameBuffer {
    bytes: Vec<u8>,
    taken: usize,
    limit: usize,
}

impl FrameBuffer {
    /// A buffer that refuses frames longer than `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), taken: 0, limit }
    }

    /// Appends what arrived.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.taken > 0 && self.taken == self.bytes.len() {
            self.bytes.clear();
            self.taken = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame, when there is one.
    ///
    /// # Errors
    /// What is wrong with it: longer than the limit, or no valid archive.
    pub(crate) fn next<T: Message>(&mut self) -> Result<Option<T>, String> {
        let waiting = &self.bytes[self.taken..];
        let Some((prefix, rest)) = waiting.split_first_chunk::<PREFIX_BYTES>() else { return Ok(None) };
        let length = u32::from_le_bytes(*prefix) as usize;
        if length > self.limit {
            return Err(format!("a frame of {length} bytes past the bound of {}", self.limit));
        }
        let Some(body) = rest.get(..length) else {
            self.compact();
            return Ok(None);
        };
        let message = decode(body).map_err(|error| format!("an invalid frame: {error}"))?;
        self.taken += PREFIX_BYTES + length;
        Ok(Some(message))
    }

    /// Whether [`FrameBuffer::next`] has a frame, or something to say against one.
    pub(crate) fn has_frame(&self) -> bool {
        let waiting = &self.bytes[self.taken..];
        waiting.split_first_chunk::<PREFIX_BYTES>().is_some_and(|(prefix, rest)| {
            let length = u32::from_le_bytes(*prefix) as usize;
            length > self.limit || rest.len() >= length
        })
    }

    fn compact(&mut self) {
        if self.taken > 0 {
            self.bytes.drain(..self.taken);
            self.taken = 0;
        }
    }
}

/// Room for one read: small at first, since most frames are, and larger once a read fills it.
pub(crate) struct ReadChunk {
    bytes: Vec<u8>,
    next_size: usize,
}

impl ReadChunk {
    const FIRST_BYTES: usize = 4 * 1024;
    const MOST_BYTES: usize = 256 * 1024;

    /// Where the next read goes.
    pub(crate) fn space(&mut self) -> &mut [u8] {
        if self.bytes.len() < self.next_size {
            self.bytes.resize(self.next_size, 0);
        }
        &mut self.bytes
    }

    /// What the read put there.
    pub(crate) fn filled(&mut self, length: usize) -> &[u8] {
        if length == self.bytes.len() {
            self.next_size = (length * 4).min(Self::MOST_BYTES);
        }
        &self.bytes[..length]
    }
}

impl Default for ReadChunk {
    fn default() -> Self {
        Self { bytes: Vec::new(), next_size: Self::FIRST_BYTES }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ipc::frame::{ConsoleLevel, OutboundParts, Outcome, Redirect, Settlement, Spent, WorkerFrame};

    const LIMIT: usize = 10_000;

    fn frames() -> impl Strategy<Value = WorkerFrame> {
        let text = || ".{0,40}".prop_map(String::from);
        prop_oneof![
            text().prop_map(|text| WorkerFrame::Console { level: ConsoleLevel::Warn, text }),
            (any::<u32>(), text(), text(), text()).prop_map(|(id, provider, tool, args_json)| {
                WorkerFrame::ToolCall { id, provider, tool, args_json }
            }),
            (any::<u32>(), text(), proptest::option::of(any::<Vec<u8>>()), text()).prop_map(
                |(id, url, body, name)| {
                    let headers = vec![(name, url.clone())];
                    WorkerFrame::OutboundCall {
                        id,
                        request: OutboundParts {
                            url,
                            method: "PUT".into(),
                            headers,
                            body,
                            redirect: Redirect::Manual,
                        },
                    }
                }
            ),
            any::<u32>().prop_map(|id| WorkerFrame::OutboundCancel { id }),
            (text(), any::<u64>()).prop_map(|(text, peak_heap_bytes)| {
                let usage = Spent { peak_heap_bytes, counted_ms: 0.5, ..Spent::default() };
                WorkerFrame::Settled(Settlement { outcome: Outcome::Envelope(text), usage })
            }),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn frames_survive_any_cutting(frames in proptest::collection::vec(frames(), 1..8), cut in 1usize..60) {
            let stream: Vec<u8> = frames.iter().flat_map(encode_frame).collect();
            let (mut buffer, mut seen) = (FrameBuffer::new(LIMIT), Vec::new());
            for piece in stream.chunks(cut) {
                buffer.push(piece);
                loop {
                    let has_frame = buffer.has_frame();
                    let next = buffer.next::<WorkerFrame>().unwrap();
                    prop_assert_eq!(next.is_some(), has_frame);
                    match next {
                        Some(frame) => seen.push(frame),
                        None => break,
                    }
                }
            }
            prop_assert_eq!(seen, frames);
        }

        #[test]
        fn damaged_frames_never_panic(
            frame in frames(),
            flips in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
        ) {
            let mut bytes = encode_frame(&frame);
            for (at, with) in flips {
                let at = at.index(bytes.len());
                bytes[at] ^= with;
            }
            let mut buffer = FrameBuffer::new(LIMIT);
            buffer.push(&bytes);
            // Whatever it reads as is plain data of ours; that it comes back from reading is the promise.
            while let Ok(Some(frame)) = buffer.next::<WorkerFrame>() {
                prop_assert!(encode_frame(&frame).len() < 2 * LIMIT);
            }
        }

        #[test]
        fn noise_never_panics(bytes in any::<Vec<u8>>()) {
            if let Ok(frame) = decode::<WorkerFrame>(&bytes) {
                prop_assert!(decode::<WorkerFrame>(&encode(&frame)).is_ok());
            }
        }
    }

    #[test]
    fn a_claimed_length_past_the_bound_is_refused_and_costs_nothing() {
        let mut buffer = FrameBuffer::new(LIMIT);
        buffer.push(&u32::MAX.to_le_bytes());
        assert!(buffer.has_frame());
        assert!(buffer.next::<WorkerFrame>().unwrap_err().contains("past the bound"));
        let mut buffer = FrameBuffer::new(u32::MAX as usize);
        buffer.push(&u32::MAX.to_le_bytes());
        assert_eq!(buffer.next::<WorkerFrame>(), Ok(None));
        assert!(buffer.bytes.capacity() < 100);
    }

    #[test]
    fn reads_grow_only_when_they_are_filled() {
        let mut chunk = ReadChunk::default();
        assert_eq!(chunk.space().len(), ReadChunk::FIRST_BYTES);
        chunk.filled(10);
        assert_eq!(chunk.space().len(), ReadChunk::FIRST_BYTES);
        for _ in 0..10 {
            let whole = chunk.space().len();
            chunk.filled(whole);
        }
        assert_eq!(chunk.space().len(), ReadChunk::MOST_BYTES);
    }
}
