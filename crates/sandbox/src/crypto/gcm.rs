//! AES-GCM with every length of nonce and tag that the standard admits, over the `ghash` and `ctr` crates.
//!
//! The `aes-gcm` crate fixes both lengths in its types, and the nonce of this interface has any length, so the
//! composition of SP 800-38D is here.

use ::aes::cipher::{BlockCipherEncrypt as _, InnerIvInit as _, KeyInit as _, StreamCipher as _};
use ghash::GHash;
use ghash::universal_hash::UniversalHash as _;
use subtle::ConstantTimeEq as _;

use crate::crypto::Failure;
use crate::crypto::aes::{BLOCK_BYTES, undecipherable, with_aes};
use crate::crypto::failure::zeroes;

/// Encrypts `data` and appends the tag.
pub(crate) fn encrypt(
    key: &[u8],
    iv: &[u8],
    additional: &[u8],
    tag_bits: u8,
    data: &[u8],
) -> Result<Vec<u8>, Failure> {
    let tag_bytes = tag_bytes(iv, tag_bits)?;
    let mut output = zeroes(data.len() + tag_bytes)?;
    let (ciphertext, tag) = output.split_at_mut(data.len());
    ciphertext.copy_from_slice(data);
    with_aes!(key, Aes => {
        let cipher = Aes::new_from_slice(key).map_err(|_| undecipherable())?;
        let hasher = hasher(&cipher);
        let (mut stream, mask) = key_stream(cipher, &hasher, iv)?;
        stream.try_apply_keystream(ciphertext).map_err(|_| too_long())?;
        tag.copy_from_slice(&tag_of(hasher, additional, ciphertext, mask)[..tag_bytes]);
    });
    Ok(output)
}

/// Checks the tag at the end of `data` and decrypts the rest.
pub(crate) fn decrypt(
    key: &[u8],
    iv: &[u8],
    additional: &[u8],
    tag_bits: u8,
    data: &[u8],
) -> Result<Vec<u8>, Failure> {
    let tag_bytes = tag_bytes(iv, tag_bits)?;
    let length = data.len().checked_sub(tag_bytes).ok_or_else(undecipherable)?;
    let (ciphertext, tag) = data.split_at(length);
    let mut output = zeroes(length)?;
    output.copy_from_slice(ciphertext);
    with_aes!(key, Aes => {
        let cipher = Aes::new_from_slice(key).map_err(|_| undecipherable())?;
        let hasher = hasher(&cipher);
        let (mut stream, mask) = key_stream(cipher, &hasher, iv)?;
        let expected = tag_of(hasher, additional, ciphertext, mask);
        if !bool::from(expected[..tag_bytes].ct_eq(tag)) {
            return Err(undecipherable());
        }
        stream.try_apply_keystream(&mut output).map_err(|_| too_long())?;
    });
    Ok(output)
}

type Block = [u8; BLOCK_BYTES];

/// The hash of this key, with nothing in it yet.
fn hasher(cipher: &impl BlockEncrypt) -> GHash {
    let subkey = cipher.encrypted([0; BLOCK_BYTES]);
    GHash::new(&subkey.into())
}

/// The key stream for data, and the block that masks the tag.
fn key_stream<C: BlockEncrypt>(cipher: C, hasher: &GHash, iv: &[u8]) -> Result<(C::Stream, Block), Failure> {
    let first = first_counter(hasher, iv);
    let mut stream = cipher.into_stream(first);
    let mut mask = [0; BLOCK_BYTES];
    stream.try_apply_keystream(&mut mask).map_err(|_| too_long())?;
    Ok((stream, mask))
}

/// The first counter block: a nonce of 96 bits as it is, any other by its hash.
fn first_counter(hasher: &GHash, iv: &[u8]) -> Block {
    let mut counter = [0; BLOCK_BYTES];
    if iv.len() == 12 {
        counter[..12].copy_from_slice(iv);
        counter[15] = 1;
        return counter;
    }
    let mut hasher = hasher.clone();
    hasher.update_padded(iv);
    hasher.update(&[lengths(0, iv.len()).into()]);
    hasher.finalize().into()
}

fn tag_of(mut hasher: GHash, additional: &[u8], ciphertext: &[u8], mask: Block) -> Block {
    hasher.update_padded(additional);
    hasher.update_padded(ciphertext);
    hasher.update(&[lengths(additional.len(), ciphertext.len()).into()]);
    let mut tag: Block = hasher.finalize().into();
    tag.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
    tag
}

/// Two lengths in bytes as one block of two lengths in bits.
fn lengths(first: usize, second: usize) -> Block {
    let mut block = [0; BLOCK_BYTES];
    block[..8].copy_from_slice(&(first as u64 * 8).to_be_bytes());
    block[8..].copy_from_slice(&(second as u64 * 8).to_be_bytes());
    block
}

fn tag_bytes(iv: &[u8], tag_bits: u8) -> Result<usize, Failure> {
    if iv.is_empty() {
        return Err(Failure::operation("The member 'iv' is empty."));
    }
    match tag_bits {
        32 | 64 | 96 | 104 | 112 | 120 | 128 => Ok(usize::from(tag_bits) / 8),
        _ => Err(Failure::operation("A tag has 32, 64, 96, 104, 112, 120 or 128 bits.")),
    }
}

fn too_long() -> Failure {
    Failure::operation("The data is longer than AES-GCM can encrypt.")
}

/// What the three key lengths of AES have in common.
trait BlockEncrypt: Sized {
    type Stream: ::aes::cipher::StreamCipher;
    fn encrypted(&self, block: Block) -> Block;
    fn into_stream(self, first: Block) -> Self::Stream;
}

macro_rules! block_encrypt {
    ($($cipher:ty),*) => {$(
        impl BlockEncrypt for $cipher {
            type Stream = ctr::Ctr32BE<$cipher>;
            fn encrypted(&self, block: Block) -> Block {
                let mut block = block.into();
                self.encrypt_block(&mut block);
                block.into()
            }
            fn into_stream(self, first: Block) -> Self::Stream {
                let core = ctr::CtrCore::inner_iv_init(self, &first.into());
                ::aes::cipher::StreamCipherCoreWrapper::from_core(core)
            }
        }
    )*};
}
block_encrypt!(::aes::Aes128, ::aes::Aes192, ::aes::Aes256);
