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

fn encode_into<T: Message>(message: &T, buffer: Vec<u8>) -> Vec<u8> {
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
