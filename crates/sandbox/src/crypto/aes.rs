//! AES: the modes CBC, CTR and KW, and who calls GCM.

use ::aes::cipher::block_padding::Pkcs7;
use ::aes::cipher::{
    BlockCipherEncrypt as _, BlockModeDecrypt as _, BlockModeEncrypt as _, KeyInit as _, KeyIvInit as _,
};

use crate::crypto::failure::zeroes;
use crate::crypto::key::{Key, Material};
use crate::crypto::parameters::Cipher;
use crate::crypto::{Failure, gcm};

/// The size of a block, in bytes.
pub(crate) const BLOCK_BYTES: usize = 16;

/// Blocks of key stream made at once.
const BATCH: usize = 64;

/// Evaluates an expression with a type name that stands for AES with a key of this length.
macro_rules! with_aes {
    ($key:expr, $cipher:ident => $body:expr) => {
        match $key.len() {
            16 => {
                type $cipher = ::aes::Aes128;
                $body
            }
            24 => {
                type $cipher = ::aes::Aes192;
                $body
            }
            _ => {
                type $cipher = ::aes::Aes256;
                $body
            }
        }
    };
}
pub(crate) use with_aes;

/// Encrypts with CBC, CTR or GCM.
pub(crate) fn encrypt(algorithm: &Cipher, key: &Key, data: &[u8]) -> Result<Vec<u8>, Failure> {
    let key = bytes_of(key)?;
    match algorithm {
        Cipher::Cbc { iv } => {
            check_block(iv, "iv")?;
            with_aes!(key, Aes => {
                let mode = cbc::Encryptor::<Aes>::new_from_slices(key, iv).map_err(|_| refused())?;
                Ok(mode.encrypt_padded_vec::<Pkcs7>(data))
            })
        }
        Cipher::Ctr { counter, length_bits } => counter_mode(key, counter, *length_bits, data),
        Cipher::Gcm { iv, additional_data, tag_bits } => {
            gcm::encrypt(key, iv, additional_data, *tag_bits, data)
        }
        Cipher::Oaep { .. } => Err(Failure::not_offered()),
    }
}

/// Decrypts with CBC, CTR or GCM.
pub(crate) fn decrypt(algorithm: &Cipher, key: &Key, data: &[u8]) -> Result<Vec<u8>, Failure> {
    let key = bytes_of(key)?;
    match algorithm {
        Cipher::Cbc { iv } => {
            check_block(iv, "iv")?;
            if data.is_empty() || !data.len().is_multiple_of(BLOCK_BYTES) {
                return Err(undecipherable());
            }
            with_aes!(key, Aes => {
                let mode = cbc::Decryptor::<Aes>::new_from_slices(key, iv).map_err(|_| refused())?;
                mode.decrypt_padded_vec::<Pkcs7>(data).map_err(|_| undecipherable())
            })
        }
        Cipher::Ctr { counter, length_bits } => counter_mode(key, counter, *length_bits, data),
        Cipher::Gcm { iv, additional_data, tag_bits } => {
            gcm::decrypt(key, iv, additional_data, *tag_bits, data)
        }
        Cipher::Oaep { .. } => Err(Failure::not_offered()),
    }
}

/// Wraps key data (RFC 3394).
pub(crate) fn wrap(key: &Key, data: &[u8]) -> Result<Vec<u8>, Failure> {
    let key = bytes_of(key)?;
    if data.len() < 2 * aes_kw::IV_LEN {
        return Err(Failure::operation("AES-KW wraps 16 bytes or more, in whole units of 8 bytes."));
    }
    let mut wrapped = zeroes(data.len() + aes_kw::IV_LEN)?;
    with_aes!(key, Aes => {
        let wrapper = aes_kw::AesKw::<Aes>::new_from_slice(key).map_err(|_| refused())?;
        let failed = |_| Failure::operation("AES-KW wraps 16 bytes or more, in whole units of 8 bytes.");
        wrapper.wrap_key(data, &mut wrapped).map_err(failed)?;
    });
    Ok(wrapped)
}

/// Unwraps key data (RFC 3394).
pub(crate) fn unwrap(key: &Key, data: &[u8]) -> Result<Vec<u8>, Failure> {
    let key = bytes_of(key)?;
    if data.len() < 3 * aes_kw::IV_LEN {
        return Err(undecipherable());
    }
    let mut unwrapped = zeroes(data.len() - aes_kw::IV_LEN)?;
    with_aes!(key, Aes => {
        let wrapper = aes_kw::AesKw::<Aes>::new_from_slice(key).map_err(|_| refused())?;
        wrapper.unwrap_key(data, &mut unwrapped).map_err(|_| undecipherable())?;
    });
    Ok(unwrapped)
}

/// CTR as SP 800-38A has it: the low `length_bits` of the block count, and the rest of it stays.
fn counter_mode(key: &[u8], counter: &[u8], length_bits: u8, data: &[u8]) -> Result<Vec<u8>, Failure> {
    check_block(counter, "counter")?;
    if length_bits == 0 || length_bits > 128 {
        return Err(Failure::operation("The length of the counter is 1 to 128 bits."));
    }
    let start = counter.iter().fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    let mask = u128::MAX >> (128 - u32::from(length_bits));
    // More blocks than the counter can tell apart would repeat the key stream.
    let blocks = data.len().div_ceil(BLOCK_BYTES) as u128;
    if blocks > 0 && blocks - 1 > mask {
        return Err(Failure::operation("The data is longer than the counter can count."));
    }
    let mut output = zeroes(data.len())?;
    output.copy_from_slice(data);
    with_aes!(key, Aes => {
        let cipher = Aes::new_from_slice(key).map_err(|_| refused())?;
        let mut count = start;
        let mut stream = [::aes::Block::default(); BATCH];
        for part in output.chunks_mut(BATCH * BLOCK_BYTES) {
            let used = part.len().div_ceil(BLOCK_BYTES);
            for block in &mut stream[..used] {
                *block = ::aes::Block::from(count.to_be_bytes());
                count = (count & !mask) | (count.wrapping_add(1) & mask);
            }
            cipher.encrypt_blocks(&mut stream[..used]);
            let key_stream = stream.iter().flatten();
            part.iter_mut().zip(key_stream).for_each(|(byte, key)| *byte ^= key);
        }
    });
    Ok(output)
}

fn bytes_of(key: &Key) -> Result<&[u8], Failure> {
    match &key.material {
        Material::Aes(bytes) => Ok(bytes),
        _ => Err(Failure::access("The key is not an AES key.")),
    }
}

fn check_block(bytes: &[u8], member: &str) -> Result<(), Failure> {
    if bytes.len() != BLOCK_BYTES {
        return Err(Failure::operation(format!("The member '{member}' is not 16 bytes long.")));
    }
    Ok(())
}

fn refused() -> Failure {
    Failure::operation("The cipher does not take this key.")
}

/// One failure for everything that can be wrong with a ciphertext, so that it tells nothing about the plaintext.
pub(crate) fn undecipherable() -> Failure {
    Failure::operation("The data cannot be decrypted with this key and these parameters.")
}
