//! Which operations are short.

use super::{Bridge, hashed, names, plain, reference};
use crate::crypto::{Data, Operation};

fn bytes(length: usize) -> Data {
    Data::Bytes(vec![0; length])
}

fn with(name: &str, members: &[(&str, Data)]) -> Data {
    let named = members.iter().map(|(member, value)| ((*member).to_owned(), value.clone()));
    Data::Record([("name".to_owned(), name.into())].into_iter().chain(named).collect())
}

fn curve(name: &str, curve: &str) -> Data {
    with(name, &[("namedCurve", curve.into())])
}

fn pbkdf2(iterations: u32, salt: usize) -> Data {
    with("PBKDF2", &[("hash", "SHA-256".into()), ("salt", bytes(salt)), ("iterations", iterations.into())])
}

/// Both halves of a new pair.
fn pair(bridge: &mut Bridge, algorithm: Data, usages: &[&str]) -> (Data, Data) {
    let made = bridge.call("generateKey", [algorithm, Data::Bool(true), names(usages)]).unwrap();
    let half = |member| reference(made.get(member).expect("a pair has two halves"));
    (half("publicKey"), half("privateKey"))
}

#[test]
fn what_takes_long_is_known_before() {
    let mut bridge = Bridge::default();
    let cipher = bridge.raw(plain("AES-CTR"), &[0; 16], &["encrypt"]).unwrap();
    let ctr = with("AES-CTR", &[("counter", bytes(16)), ("length", 64_u32.into())]);
    let short_hmac = bridge.raw(hashed("HMAC", "SHA-1"), &[0; 64], &["sign"]).unwrap();
    let long_hmac = bridge.raw(hashed("HMAC", "SHA-1"), &vec![0; 1 << 20], &["sign"]).unwrap();
    let secret = ["raw".into(), bytes(8), plain("PBKDF2"), Data::Bool(false), names(&["deriveBits"])];
    let secret = reference(&bridge.call("importKey", secret).unwrap());
    let (p256, p256_private) = pair(&mut bridge, curve("ECDSA", "P-256"), &["sign", "verify"]);
    let (_, p521_private) = pair(&mut bridge, curve("ECDSA", "P-521"), &["sign", "verify"]);
    let rsa = |bits: u32| {
        let exponent = ("publicExponent", Data::Bytes(vec![1, 0, 1]));
        with("RSA-PSS", &[("modulusLength", bits.into()), exponent, ("hash", "SHA-256".into())])
    };
    let (rsa_public, rsa_private) = pair(&mut bridge, rsa(1024), &["sign", "verify"]);
    let pss = with("RSA-PSS", &[("saltLength", 0_u32.into())]);
    let ecdsa = hashed("ECDSA", "SHA-256");
    let make = |algorithm| vec![algorithm, Data::Bool(true), names(&["sign"])];

    let rows: Vec<(&str, &str, Vec<Data>, bool)> = vec![
        ("a small hash", "digest", vec![plain("SHA-512"), bytes(131_072)], true),
        ("a large hash", "digest", vec![plain("SHA-512"), bytes(131_073)], false),
        ("a small text", "encrypt", vec![ctr.clone(), cipher.clone(), bytes(1)], true),
        ("a large text", "encrypt", vec![ctr, cipher, bytes(1 << 20)], false),
        ("a small key", "sign", vec![plain("HMAC"), short_hmac, bytes(1)], true),
        ("a large key", "sign", vec![plain("HMAC"), long_hmac, bytes(1)], false),
        ("500 rounds", "deriveBits", vec![pbkdf2(500, 8), secret.clone(), 256_u32.into()], true),
        ("501 rounds", "deriveBits", vec![pbkdf2(501, 8), secret.clone(), 256_u32.into()], false),
        ("500 rounds, twice", "deriveBits", vec![pbkdf2(500, 8), secret.clone(), 512_u32.into()], false),
        ("a salt for each block", "deriveBits", vec![pbkdf2(1, 70_000), secret, 512_u32.into()], false),
        ("P-256", "sign", vec![ecdsa.clone(), p256_private, bytes(1)], true),
        ("P-256, checked", "verify", vec![ecdsa.clone(), p256, bytes(64), bytes(1)], true),
        ("P-521", "sign", vec![ecdsa, p521_private, bytes(1)], false),
        ("RSA", "sign", vec![pss.clone(), rsa_private, bytes(1)], false),
        ("RSA, checked", "verify", vec![pss, rsa_public, bytes(128), bytes(1)], true),
        ("a key of RSA", "generateKey", make(rsa(1024)), false),
        ("a key of Ed25519", "generateKey", make(plain("Ed25519")), true),
        ("a key of P-384", "generateKey", make(curve("ECDSA", "P-384")), false),
    ];
    for (what, method, arguments, expected) in rows {
        let operation = Operation::read(method, arguments, &bridge.keys).unwrap();
        assert_eq!(operation.is_short(), expected, "{what}");
    }
}
