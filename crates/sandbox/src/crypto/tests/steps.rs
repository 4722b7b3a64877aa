//! Which error a program reads, and what the bridge never lets out.

use super::{Bridge, hashed, names, plain, reference};
use crate::crypto::{Data, Name, Operation, Outcome, perform};

fn named(name: &str, members: &[(&str, Data)]) -> Data {
    let first = ("name".to_owned(), Data::from(name));
    Data::Record(
        std::iter::once(first)
            .chain(members.iter().map(|(key, value)| ((*key).to_owned(), value.clone())))
            .collect(),
    )
}

/// The parameters with which the algorithm generates keys.
fn generation(name: Name) -> Data {
    let text = name.text();
    match name {
        Name::AesCbc | Name::AesCtr | Name::AesGcm | Name::AesKw => {
            named(text, &[("length", 128_u32.into())])
        }
        Name::Hmac => hashed(text, "SHA-256"),
        Name::RsaOaep | Name::RsaPss | Name::RsaPkcs1 => named(
            text,
            &[
                ("hash", "SHA-256".into()),
                ("modulusLength", 1024_u32.into()),
                ("publicExponent", Data::Bytes(vec![1, 0, 1])),
            ],
        ),
        Name::Ecdsa | Name::Ecdh => named(text, &[("namedCurve", "P-521".into())]),
        _ => plain(text),
    }
}

/// The parameters with which the algorithm imports keys.
fn importing(name: Name) -> Data {
    match name {
        Name::RsaOaep | Name::RsaPss | Name::RsaPkcs1 => hashed(name.text(), "SHA-256"),
        Name::AesCbc | Name::AesCtr | Name::AesGcm | Name::AesKw => plain(name.text()),
        _ => generation(name),
    }
}

fn generated_names() -> impl Iterator<Item = Name> {
    Name::ALL.iter().copied().filter(|name| !matches!(name, Name::Hkdf | Name::Pbkdf2))
}

fn all_usages(name: Name) -> Vec<&'static str> {
    name.usages().and(name.private_usages()).names().collect()
}

fn failure<const N: usize>(bridge: &mut Bridge, name: &str, arguments: [Data; N]) -> &'static str {
    match bridge.call(name, arguments) {
        Ok(_) => "ok",
        Err(failure) => failure.name,
    }
}

/// The keys that `generateKey` gives, by the formats that each is exported in.
fn generate(bridge: &mut Bridge, name: Name, extractable: bool) -> Vec<(Data, &'static [&'static str])> {
    let usages = names(&all_usages(name));
    let answer = bridge.call("generateKey", [generation(name), Data::Bool(extractable), usages]).unwrap();
    match (answer.get("privateKey"), answer.get("publicKey")) {
        (Some(private), Some(public)) => {
            vec![(private.clone(), &["pkcs8", "jwk"]), (public.clone(), &["spki", "jwk"])]
        }
        _ => vec![(answer, &["raw", "raw-secret", "jwk"])],
    }
}

#[test]
fn every_key_survives_every_format() {
    for name in generated_names() {
        let mut bridge = Bridge::default();
        for (description, formats) in generate(&mut bridge, name, true) {
            for format in formats {
                let exported = bridge.call("exportKey", [(*format).into(), reference(&description)]).unwrap();
                let usages = description.get("usages").unwrap().clone();
                let arguments =
                    [(*format).into(), exported.clone(), importing(name), Data::Bool(true), usages];
                let imported = bridge.call("importKey", arguments).unwrap();
                for member in ["type", "extractable", "usages", "algorithm"] {
                    assert_eq!(imported.get(member), description.get(member), "{name:?} {format} {member}");
                }
                let again = bridge.call("exportKey", [(*format).into(), reference(&imported)]).unwrap();
                assert_eq!(again, exported, "{name:?} {format}");
            }
        }
    }
}

#[test]
fn every_key_survives_wrapping() {
    for name in generated_names() {
        let mut bridge = Bridge::default();
        let wrapping = bridge.raw(plain("AES-GCM"), &[7; 32], &["wrapKey", "unwrapKey"]).unwrap();
        let algorithm = named("AES-GCM", &[("iv", Data::Bytes(vec![9; 12]))]);
        for (description, formats) in generate(&mut bridge, name, true) {
            for format in formats {
                let key = reference(&description);
                let arguments = [(*format).into(), key.clone(), wrapping.clone(), algorithm.clone()];
                let wrapped = bridge.call("wrapKey", arguments).unwrap();
                let unwrapped = bridge.call(
                    "unwrapKey",
                    [
                        (*format).into(),
                        wrapped,
                        wrapping.clone(),
                        algorithm.clone(),
                        importing(name),
                        Data::Bool(true),
                        description.get("usages").unwrap().clone(),
                    ],
                );
                let again = bridge.call("exportKey", ["jwk".into(), reference(&unwrapped.unwrap())]).unwrap();
                assert_eq!(
                    again,
                    bridge.call("exportKey", ["jwk".into(), key]).unwrap(),
                    "{name:?} {format}"
                );
            }
        }
    }
}

#[test]
fn what_is_not_extractable_stays() {
    for name in generated_names() {
        let mut bridge = Bridge::default();
        let wrapping = bridge.raw(plain("AES-GCM"), &[7; 32], &["wrapKey"]).unwrap();
        let algorithm = named("AES-GCM", &[("iv", Data::Bytes(vec![9; 12]))]);
        let (description, formats) = generate(&mut bridge, name, false).swap_remove(0);
        assert_eq!(description.get("extractable"), Some(&Data::Bool(false)));
        for format in formats {
            let key = reference(&description);
            assert_eq!(
                failure(&mut bridge, "exportKey", [(*format).into(), key.clone()]),
                "InvalidAccessError"
            );
            let arguments = [(*format).into(), key, wrapping.clone(), algorithm.clone()];
            assert_eq!(failure(&mut bridge, "wrapKey", arguments), "InvalidAccessError");
        }
    }
}

#[test]
fn a_signature_holds_for_its_data_alone() {
    let signers = [
        (Name::Hmac, plain("HMAC")),
        (Name::RsaPkcs1, plain("RSASSA-PKCS1-v1_5")),
        (Name::RsaPss, named("RSA-PSS", &[("saltLength", 20_u32.into())])),
        (Name::Ecdsa, hashed("ECDSA", "SHA-1")),
        (Name::Ed25519, plain("Ed25519")),
    ];
    for (name, algorithm) in signers {
        let mut bridge = Bridge::default();
        let keys = generate(&mut bridge, name, false);
        let (private, public) = (reference(&keys[0].0), reference(&keys[keys.len() - 1].0));
        let signature =
            bridge.call("sign", [algorithm.clone(), private, Data::Bytes(vec![1, 2, 3])]).unwrap();
        for (data, verdict) in [(vec![1, 2, 3], true), (vec![1, 2, 4], false)] {
            let arguments = [algorithm.clone(), public.clone(), signature.clone(), Data::Bytes(data)];
            assert_eq!(bridge.call("verify", arguments), Ok(Data::Bool(verdict)), "{name:?}");
        }
        let arguments = [algorithm, public, Data::Bytes(vec![]), Data::Bytes(vec![1, 2, 3])];
        assert_eq!(bridge.call("verify", arguments), Ok(Data::Bool(false)), "{name:?} with no signature");
    }
}

#[test]
fn a_key_serves_its_algorithm_and_its_usages_alone() {
    let mut bridge = Bridge::default();
    let key = bridge.raw(plain("AES-CBC"), &[1; 16], &["encrypt"]).unwrap();
    let iv = ("iv", Data::Bytes(vec![0; 16]));
    let data = Data::Bytes(vec![0; 16]);
    let calls = [
        ("encrypt", named("AES-CBC", std::slice::from_ref(&iv)), "ok"),
        ("decrypt", named("AES-CBC", std::slice::from_ref(&iv)), "InvalidAccessError"),
        ("encrypt", named("AES-GCM", std::slice::from_ref(&iv)), "InvalidAccessError"),
        ("encrypt", named("AES-CBC", &[("iv", Data::Bytes(vec![0; 15]))]), "OperationError"),
        ("encrypt", plain("AES-CBC"), "TypeError"),
        ("encrypt", plain("HMAC"), "NotSupportedError"),
    ];
    for (operation, algorithm, expected) in calls {
        let answer = failure(&mut bridge, operation, [algorithm.clone(), key.clone(), data.clone()]);
        assert_eq!(answer, expected, "{operation} {algorithm:?}");
    }
}

#[test]
fn requests_for_keys_fail_by_their_first_fault() {
    let length = |bits: u32| named("AES-GCM", &[("length", bits.into())]);
    let rsa = |bits: u32, exponent: &[u8]| {
        let members = [
            ("hash", "SHA-1".into()),
            ("modulusLength", bits.into()),
            ("publicExponent", Data::Bytes(exponent.to_vec())),
        ];
        named("RSA-OAEP", &members)
    };
    let curve = |name: &str| named("ECDSA", &[("namedCurve", name.into())]);
    let cases = [
        (length(100), &["sign"][..], "SyntaxError"),
        (length(100), &["encrypt"], "OperationError"),
        (length(100), &[], "OperationError"),
        (length(128), &[], "SyntaxError"),
        (rsa(1024, &[1, 0, 1]), &["encrypt"], "SyntaxError"),
        (rsa(512, &[1, 0, 1]), &["decrypt"], "OperationError"),
        (rsa(1_000_000, &[1, 0, 1]), &["decrypt"], "OperationError"),
        (rsa(1024, &[]), &["decrypt"], "OperationError"),
        (rsa(1024, &[1]), &["decrypt"], "OperationError"),
        (rsa(1024, &[2]), &["decrypt"], "OperationError"),
        (rsa(1024, &[255; 9]), &["decrypt"], "OperationError"),
        (curve("P-255"), &["encrypt"], "SyntaxError"),
        (curve("P-255"), &["sign"], "NotSupportedError"),
        (curve("P-256"), &["verify"], "SyntaxError"),
        (plain("HKDF"), &["deriveBits"], "NotSupportedError"),
        (plain("X25519"), &["derivebits"], "TypeError"),
    ];
    for (algorithm, usages, expected) in cases {
        let arguments = [algorithm.clone(), Data::Bool(true), names(usages)];
        assert_eq!(
            failure(&mut Bridge::default(), "generateKey", arguments),
            expected,
            "{algorithm:?} {usages:?}"
        );
    }
}

#[test]
fn a_number_of_no_key_is_no_key() {
    let mut bridge = Bridge::default();
    bridge.raw(hashed("HMAC", "SHA-1"), &[1], &["sign"]).unwrap();
    for number in [0.0, 2.0, -1.0, 0.5, f64::NAN, f64::INFINITY, 4_294_967_297.0] {
        let key = Data::record([("cryptoKey", Data::Number(number))]);
        let failure = bridge.call("exportKey", ["raw".into(), key]).unwrap_err();
        assert_eq!(failure.name, "TypeError");
        assert_eq!(failure.message, "The provided value is not of type CryptoKey.");
    }
}

#[test]
fn only_the_methods_of_the_interface_are_operations() {
    for name in ["", "toString", "constructor", "supports", "getPublicKey", "Digest"] {
        let failure = Operation::read(name, vec![], &Bridge::default().keys).unwrap_err();
        assert_eq!(failure.name, "TypeError");
        assert_eq!(failure.message, format!("SubtleCrypto has no operation \"{name}\"."));
    }
}

#[test]
fn a_run_has_a_bound_on_its_keys() {
    let mut bridge = Bridge::default();
    let limit = codemode_protocol::defaults::CRYPTO_KEY_LIMIT;
    for _ in 0..limit - 1 {
        bridge.raw(hashed("HMAC", "SHA-1"), &[1], &["sign"]).unwrap();
    }
    let pair = [plain("Ed25519"), Data::Bool(true), names(&["sign"])];
    let failure = bridge.call("generateKey", pair).unwrap_err();
    assert_eq!(failure.name, "OperationError");
    assert!(failure.message.contains(&format!("bound of {limit} cryptographic keys")), "{}", failure.message);
    bridge.raw(hashed("HMAC", "SHA-1"), &[1], &["sign"]).unwrap();
    assert!(bridge.raw(hashed("HMAC", "SHA-1"), &[1], &["sign"]).is_err());
}

#[test]
fn a_counter_wraps_within_its_length() {
    let mut bridge = Bridge::default();
    let key = bridge.raw(plain("AES-CTR"), &[3; 16], &["encrypt"]).unwrap();
    let mut encrypt = |counter: [u8; 16], bits: u32, length: usize| {
        let members = [("counter", Data::Bytes(counter.to_vec())), ("length", bits.into())];
        bridge.bytes("encrypt", [named("AES-CTR", &members), key.clone(), Data::Bytes(vec![0; length])])
    };
    let mut second = [0xff; 16];
    second[15] = 0xf0;
    let blocks = encrypt([0xff; 16], 4, 32).unwrap();
    assert_eq!(blocks[..16], encrypt([0xff; 16], 128, 16).unwrap());
    assert_eq!(blocks[16..], encrypt(second, 128, 16).unwrap());
    assert!(encrypt([0; 16], 4, 16 * 16).is_ok());
    assert_eq!(encrypt([0; 16], 4, 16 * 16 + 1).unwrap_err().name, "OperationError");
    assert_eq!(encrypt([0; 16], 0, 1).unwrap_err().name, "OperationError");
    assert_eq!(encrypt([0; 16], 129, 1).unwrap_err().name, "OperationError");
}

#[test]
fn a_key_need_not_be_whole_bytes() {
    let mut bridge = Bridge::default();
    let algorithm = |bits: u32| named("HMAC", &[("hash", "SHA-1".into()), ("length", bits.into())]);
    let key = bridge.raw(algorithm(11), &[0xff, 0xff], &["sign"]).unwrap();
    assert_eq!(bridge.bytes("exportKey", ["raw".into(), key]).unwrap(), [0xff, 0xe0]);
    for bits in [0, 8, 17] {
        let failure = bridge.raw(algorithm(bits), &[0xff, 0xff], &["sign"]).unwrap_err();
        assert_eq!(failure.name, "DataError", "{bits}");
    }
}

#[test]
fn a_number_alone_cannot_ask_for_all_memory() {
    let mut bridge = Bridge::default();
    let longest = u32::MAX - 7;
    let members = [("hash", "SHA-1".into()), ("length", longest.into())];
    let arguments = [named("HMAC", &members), Data::Bool(true), names(&["sign"])];
    assert_eq!(failure(&mut bridge, "generateKey", arguments), "OperationError");
    let arguments =
        ["raw".into(), Data::Bytes(vec![1]), plain("PBKDF2"), Data::Bool(false), names(&["deriveBits"])];
    let key = reference(&bridge.call("importKey", arguments).unwrap());
    let members = [("hash", "SHA-1".into()), ("salt", Data::Bytes(vec![])), ("iterations", 1_u32.into())];
    let arguments = [named("PBKDF2", &members), key, longest.into()];
    assert_eq!(failure(&mut bridge, "deriveBits", arguments), "OperationError");
}

#[test]
fn an_operation_can_be_performed_on_another_thread() {
    let operation =
        Operation::read("digest", vec![plain("SHA-256"), Data::Bytes(vec![])], &Bridge::default().keys);
    let answer = std::thread::spawn(move || perform(operation.unwrap())).join().unwrap();
    assert!(matches!(answer, Ok(Outcome::Bytes(bytes)) if bytes.len() == 32));
}
