//! Arguments that nobody expects: whatever arrives, the answer is an answer or a failure.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::{Bridge, hashed, names, plain, reference};
use crate::crypto::{Data, Name};

const OPERATIONS: [&str; 12] = [
    "digest",
    "encrypt",
    "decrypt",
    "sign",
    "verify",
    "generateKey",
    "importKey",
    "exportKey",
    "deriveBits",
    "deriveKey",
    "wrapKey",
    "unwrapKey",
];
const MEMBERS: [&str; 32] = [
    "name",
    "hash",
    "iv",
    "counter",
    "length",
    "additionalData",
    "tagLength",
    "label",
    "saltLength",
    "salt",
    "info",
    "iterations",
    "public",
    "namedCurve",
    "cryptoKey",
    "kty",
    "k",
    "use",
    "key_ops",
    "ext",
    "alg",
    "crv",
    "x",
    "y",
    "d",
    "n",
    "e",
    "p",
    "q",
    "dp",
    "dq",
    "qi",
];
const TEXTS: [&str; 24] = [
    "raw",
    "raw-public",
    "raw-secret",
    "spki",
    "pkcs8",
    "jwk",
    "SHA-1",
    "SHA-512",
    "P-256",
    "P-384",
    "P-521",
    "oct",
    "RSA",
    "EC",
    "OKP",
    "AQAB",
    "encrypt",
    "decrypt",
    "sign",
    "verify",
    "deriveKey",
    "deriveBits",
    "wrapKey",
    "unwrapKey",
];
const FORMATS: [&str; 4] = ["raw", "spki", "pkcs8", "jwk"];

fn text() -> impl Strategy<Value = String> {
    let name = select(Name::ALL.iter().map(|name| name.text()).collect::<Vec<_>>());
    prop_oneof![
        4 => name.prop_map(str::to_owned),
        4 => select(&TEXTS[..]).prop_map(str::to_owned),
        1 => "[A-Za-z0-9_=-]{0,40}",
    ]
}

/// A number that does not ask for hours of work.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(f64::NAN),
        Just(-1.0),
        Just(0.5),
        select(vec![0.0, 8.0, 12.0, 16.0, 96.0, 128.0, 256.0, 255.0, 521.0]),
        (0..400_u32).prop_map(f64::from),
    ]
}

fn leaf() -> impl Strategy<Value = Data> {
    prop_oneof![
        Just(Data::Absent),
        any::<bool>().prop_map(Data::Bool),
        number().prop_map(Data::Number),
        text().prop_map(Data::Text),
        vec(any::<u8>(), 0..80).prop_map(Data::Bytes),
    ]
}

fn member() -> impl Strategy<Value = String> {
    select(&MEMBERS[..]).prop_map(str::to_owned)
}

fn tree() -> impl Strategy<Value = Data> {
    leaf().prop_recursive(3, 24, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Data::List),
            vec((member(), inner), 0..6).prop_map(Data::Record),
        ]
    })
}

/// Something in the place of an algorithm: a name, and members of all algorithms with values that may or may not fit.
fn algorithm() -> impl Strategy<Value = Data> {
    let name = select(Name::ALL.iter().map(|name| name.text()).collect::<Vec<_>>());
    let key = (1..6_u32).prop_map(|number| Data::record([("cryptoKey", number.into())]));
    let members = (
        vec(any::<u8>(), 12..17).prop_map(Data::Bytes),
        select(vec!["SHA-1", "SHA-256", "SHA-384", "SHA-512"]).prop_map(Data::from),
        number().prop_map(Data::Number),
        key,
        select(vec!["P-256", "P-384", "P-521"]).prop_map(Data::from),
    );
    (name, members, any::<bool>()).prop_map(|(name, (bytes, hash, number, public, curve), fits)| {
        let bytes_members = ["iv", "counter", "salt", "info", "label", "additionalData"];
        let mut record = vec![("name".to_owned(), Data::from(name)), ("hash".to_owned(), hash)];
        record.extend(bytes_members.map(|member| (member.to_owned(), bytes.clone())));
        record
            .extend(["length", "saltLength", "iterations"].map(|member| (member.to_owned(), number.clone())));
        if fits {
            record.push(("tagLength".to_owned(), Data::Number(128.0)));
        } else {
            record.push(("tagLength".to_owned(), number));
        }
        record.extend([("public".to_owned(), public), ("namedCurve".to_owned(), curve)]);
        Data::Record(record)
    })
}

fn argument() -> impl Strategy<Value = Data> {
    let key = (1..6_u32).prop_map(|number| Data::record([("cryptoKey", number.into())]));
    let usages = vec(select(&TEXTS[16..]), 0..4).prop_map(|usages| names(&usages));
    prop_oneof![3 => algorithm(), 3 => key, 2 => usages, 3 => leaf(), 1 => tree()]
}

/// A bridge with some keys to name.
fn furnished() -> Bridge {
    let mut bridge = Bridge::default();
    let hmac = ["sign", "verify"];
    let wrap = ["wrapKey", "unwrapKey", "encrypt", "decrypt"];
    bridge.raw(plain("AES-GCM"), &[1; 16], &wrap).unwrap();
    bridge.raw(hashed("HMAC", "SHA-384"), &[1; 16], &hmac).unwrap();
    bridge.raw(plain("X25519"), &[9; 32], &[]).unwrap();
    bridge.raw(plain("Ed25519"), &[9; 32], &["verify"]).unwrap();
    bridge
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_arguments(name in select(&OPERATIONS[..]), arguments in vec(argument(), 0..8)) {
        let _ = furnished().call_with(name, arguments);
    }
}

/// Keys of every kind as their formats have them: format, data, algorithm and usages of an import that succeeds.
static EXPORTED: LazyLock<Vec<(&str, Data, Data, Data)>> = LazyLock::new(|| {
    let rsa = Data::record([
        ("name", "RSA-PSS".into()),
        ("hash", "SHA-256".into()),
        ("modulusLength", 1024_u32.into()),
        ("publicExponent", Data::Bytes(vec![1, 0, 1])),
    ]);
    let curve = |name: &str| Data::record([("name", "ECDSA".into()), ("namedCurve", name.into())]);
    let algorithms = [rsa, curve("P-256"), curve("P-384"), curve("P-521"), plain("Ed25519")];
    let mut exported = Vec::new();
    for algorithm in algorithms {
        let mut bridge = Bridge::default();
        let pair = [algorithm.clone(), Data::Bool(true), names(&["sign", "verify"])];
        let pair = bridge.call("generateKey", pair).unwrap();
        for half in ["privateKey", "publicKey"] {
            let key = pair.get(half).unwrap();
            for format in FORMATS {
                if let Ok(data) = bridge.call("exportKey", [format.into(), reference(key)]) {
                    exported.push((format, data, algorithm.clone(), key.get("usages").unwrap().clone()));
                }
            }
        }
    }
    exported
});

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_keys(
        pick in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
        flip in 1..=255_u8,
        cut in any::<bool>(),
    ) {
        let (format, data, algorithm, usages) = pick.get(&EXPORTED).clone();
        let data = match data {
            Data::Bytes(mut bytes) => {
                let at = place.index(bytes.len());
                if cut { bytes.truncate(at) } else { bytes[at] ^= flip }
                Data::Bytes(bytes)
            }
            Data::Record(mut members) => {
                let at = place.index(members.len());
                match (&mut members[at].1, cut) {
                    (Data::Text(text), false) => {
                        let at = place.index(text.len());
                        text.replace_range(at..=at, "A");
                    }
                    (value, _) => *value = Data::Absent,
                }
                Data::Record(members)
            }
            other => other,
        };
        let mut bridge = Bridge::default();
        let private = matches!(&usages, Data::List(items) if items.contains(&"sign".into()));
        let arguments = [format.into(), data, algorithm.clone(), Data::Bool(true), usages];
        if let Ok(key) = bridge.call("importKey", arguments) {
            let key = reference(&key);
            let parameters = match algorithm.need("name").unwrap().as_text().unwrap() {
                "RSA-PSS" => Data::record([("name", "RSA-PSS".into()), ("saltLength", 32_u32.into())]),
                "ECDSA" => hashed("ECDSA", "SHA-256"),
                other => plain(other),
            };
            let message = Data::Bytes(vec![1, 2, 3]);
            let _ = if private {
                bridge.call("sign", [parameters, key.clone(), message])
            } else {
                bridge.call("verify", [parameters, key.clone(), Data::Bytes(vec![1; 128]), message])
            };
            for format in FORMATS {
                let _ = bridge.call("exportKey", [format.into(), key.clone()]);
            }
        }
    }

    #[test]
    fn any_key_bytes(
        format in select(&FORMATS[..3]),
        bytes in vec(any::<u8>(), 0..200),
        algorithm in algorithm(),
    ) {
        let arguments = [format.into(), Data::Bytes(bytes), algorithm, Data::Bool(true), names(&[])];
        let _ = Bridge::default().call("importKey", arguments);
    }

    #[test]
    fn any_unwrapped_json(json in "\\{(\"[a-z_]{1,7}\":(\"[A-Za-z0-9_-]{0,12}\"|[0-9]{1,3}|true|\\[\"sign\"\\]|\\{\\}|null),?){0,6}\\}?") {
        let mut bridge = furnished();
        let key = Data::record([("cryptoKey", 1_u32.into())]);
        let gcm = Data::record([("name", "AES-GCM".into()), ("iv", Data::Bytes(vec![0; 12]))]);
        let sealed = bridge.call("encrypt", [gcm.clone(), key.clone(), Data::Bytes(json.into_bytes())]).unwrap();
        let arguments = ["jwk".into(), sealed, key, gcm, hashed("HMAC", "SHA-1"), Data::Bool(true), names(&["sign"])];
        let _ = bridge.call("unwrapKey", arguments);
    }
}
