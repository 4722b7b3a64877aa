//! [`Name`]: the algorithms that have keys.

use crate::crypto::Failure;

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
