//! [`Name`]: the algorithms that have keys.

use crate::crypto::Failure;
use crate::crypto::usage::Usages;

macro_rules! algorithms {
    ($($variant:ident => $text:literal,)*) => {
        /// An algorithm that has keys.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Name { $($variant,)* }

        impl Name {
            /// Every algorithm.
            #[cfg(test)]
            pub(crate) const ALL: &'static [Name] = &[$(Name::$variant,)*];

            /// The algorithm of this name, spelled as the standard does.
            pub(crate) fn named(text: &str) -> Result<Name, Failure> {
                match text {
                    $($text => Ok(Name::$variant),)*
                    _ => Err(Failure::unsupported("The algorithm is not offered.")),
                }
            }

            /// The name.
            pub(crate) fn text(self) -> &'static str {
                match self { $(Name::$variant => $text,)* }
            }
        }
    };
}

algorithms! {
    AesCbc => "AES-CBC",
    AesCtr => "AES-CTR",
    AesGcm => "AES-GCM",
    AesKw => "AES-KW",
    Hmac => "HMAC",
    Hkdf => "HKDF",
    Pbkdf2 => "PBKDF2",
    RsaOaep => "RSA-OAEP",
    RsaPss => "RSA-PSS",
    RsaPkcs1 => "RSASSA-PKCS1-v1_5",
    Ecdsa => "ECDSA",
    Ecdh => "ECDH",
    Ed25519 => "Ed25519",
    X25519 => "X25519",
}

impl Name {
    /// What a key of a symmetric algorithm, or the public key of another, can be used for.
    pub(crate) fn usages(self) -> Usages {
        let wrapping = Usages::WRAP_KEY.and(Usages::UNWRAP_KEY);
        match self {
            Name::AesCbc | Name::AesCtr | Name::AesGcm => wrapping.and(Usages::ENCRYPT).and(Usages::DECRYPT),
            Name::AesKw => wrapping,
            Name::Hmac => Usages::SIGN.and(Usages::VERIFY),
            Name::Hkdf | Name::Pbkdf2 => Usages::DERIVE_KEY.and(Usages::DERIVE_BITS),
            Name::RsaOaep => Usages::ENCRYPT.and(Usages::WRAP_KEY),
            Name::RsaPss | Name::RsaPkcs1 | Name::Ecdsa | Name::Ed25519 => Usages::VERIFY,
            Name::Ecdh | Name::X25519 => Usages::NONE,
        }
    }

    /// What a private key of the algorithm can be used for.
    pub(crate) fn private_usages(self) -> Usages {
        match self {
            Name::RsaOaep => Usages::DECRYPT.and(Usages::UNWRAP_KEY),
            Name::RsaPss | Name::RsaPkcs1 | Name::Ecdsa | Name::Ed25519 => Usages::SIGN,
            Name::Ecdh | Name::X25519 => Usages::DERIVE_KEY.and(Usages::DERIVE_BITS),
            _ => Usages::NONE,
        }
    }

    /// The member `use` of a JSON Web Key for the algorithm.
    pub(crate) fn jwk_use(self) -> &'static str {
        match self {
            Name::Hmac | Name::RsaPss | Name::RsaPkcs1 | Name::Ecdsa | Name::Ed25519 => "sig",
            _ => "enc",
        }
    }
}
