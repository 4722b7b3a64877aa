//! [`Js`]: an expression of the language and what `JSON.stringify`, with bytes, makes of its value.

use std::fmt;

use codemode_protocol::Value;
use codemode_protocol::codec::BINARY_TAG;
use proptest::prelude::*;

/// Text as the language has it, halves of surrogate pairs included.
pub(crate) type Text = Vec<u16>;

/// An expression.
#[derive(Clone)]
pub(crate) enum Js {
    Null,
    Bool(bool),
    Number(f64),
    String(Text),
    /// `undefined`, a function, a symbol: absent from JSON.
    Absent(&'static str),
    /// `new Map(…)` and others whose state JSON does not see: `{}`.
    Opaque(&'static str),
    /// A date by its time value in milliseconds, `None` an invalid one.
    Date(Option<i64>),
    /// A wrapper object, which JSON unwraps.
    Boxed(Box<Js>),
    /// Bytes, with this constructor, from the second byte of a longer buffer where `offset`.
    Bytes {
        constructor: &'static str,
        bytes: Vec<u8>,
        offset: bool,
    },
    /// `None` is a hole.
    Array(Vec<Option<Js>>),
    /// Members as they are written, repeated keys included.
    Object {
        form: Form,
        members: Vec<(Text, Js)>,
    },
    /// An object whose `toJSON` returns this.
    ToJson(Box<Js>),
    /// An object whose `toJSON` returns the key that it is given.
    ToJsonKey,
    /// One value at two places.
    Twice(Box<Js>),
}

impl fmt::Debug for Js {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source())
    }
}

/// How an object is made.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Literal,
    NullPrototype,
    Getters,
    WithWhatJsonSkips,
    Proxy,
}

impl Js {
    /// The expression.
    pub(crate) fn source(&self) -> String {
        match self {
            Js::Null => "null".to_owned(),
            Js::Bool(value) => value.to_string(),
            Js::Number(number) => number_source(*number),
            Js::String(text) => quoted(text),
            Js::Absent(source) | Js::Opaque(source) => (*source).to_owned(),
            Js::Date(time) => {
                format!("new Date({})", time.map_or("NaN".to_owned(), |time| time.to_string()))
            }
            Js::Boxed(inner) => format!("Object({})", inner.source()),
            Js::Bytes { constructor, bytes, offset } => bytes_source(constructor, bytes, *offset),
            Js::Array(items) => {
                let items = items.iter().map(|item| item.as_ref().map_or(String::new(), Js::source) + ",");
                format!("[{}]", items.collect::<String>())
            }
            Js::Object { form, members } => object_source(*form, members),
            Js::ToJson(inner) => format!("{{ toJSON() {{ return {} }} }}", inner.source()),
            Js::ToJsonKey => "{ toJSON(key) { return key } }".to_owned(),
            Js::Twice(inner) => format!("((it) => [it, {{ it }}])({})", inner.source()),
        }
    }

    /// What JSON makes of the value at `key`; `None` where it is absent.
    pub(crate) fn model(&self, key: &str) -> Option<Value> {
        Some(match self {
            Js::Null => Value::Null,
            Js::Bool(value) => Value::Bool(*value),
            Js::Number(number) if !number.is_finite() => Value::Null,
            // JSON.stringify writes -0 as 0.
            Js::Number(number) => Value::Number(number + 0.0),
            // docs/deviations.md, Values: half a surrogate pair is U+FFFD.
            Js::String(text) => Value::String(String::from_utf16_lossy(text)),
            Js::Absent(_) => return None,
            Js::Opaque(_) => Value::Object(Vec::new()),
            Js::Date(time) => time.map_or(Value::Null, |time| Value::String(iso(time))),
            Js::Boxed(inner) => return inner.model(key),
            Js::Bytes { constructor, bytes, .. } => match *constructor {
                "ArrayBuffer" => Value::ArrayBuffer(bytes.clone()),
                _ => Value::Uint8Array(bytes.clone()),
            },
            Js::Array(items) => Value::Array(
                items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| {
                        let key = index.to_string();
                        item.as_ref().and_then(|item| item.model(&key)).unwrap_or(Value::Null)
                    })
                    .collect(),
            ),
            Js::Object { members, .. } => object_model(members),
            Js::ToJson(inner) => match **inner {
                // The answer of a `toJSON` is not asked again.
                Js::ToJson(_) | Js::ToJsonKey => Value::Object(Vec::new()),
                Js::Date(_) => Value::Object(Vec::new()),
                _ => return inner.model(key),
            },
            Js::ToJsonKey => Value::String(key.to_owned()),
            Js::Twice(inner) => Value::Array(vec![
                inner.model("0").unwrap_or(Value::Null),
                Value::Object(inner.model("it").map(|it| ("it".to_owned(), it)).into_iter().collect()),
            ]),
        })
    }
}

/// The members of a literal in the order in which the language has them.
fn object_model(members: &[(Text, Js)]) -> Value {
    let mut own: Vec<(&Text, &Js)> = Vec::new();
    for (key, value) in members {
        match own.iter_mut().find(|(known, _)| *known == key) {
            Some(known) => known.1 = value,
            None => own.push((key, value)),
        }
    }
    // A stable sort: indexes in their order, then the others as they came.
    own.sort_by_key(|(key, _)| array_index(key).map_or(u64::MAX, u64::from));
    let mut kept: Vec<(String, Value)> = Vec::new();
    for (key, value) in own {
        let key = String::from_utf16_lossy(key);
        let Some(value) = value.model(&key) else { continue };
        // Keys that differ in halves of surrogate pairs alone meet in a host whose text is UTF-8.
        match kept.iter_mut().find(|(known, _)| *known == key) {
            Some(known) => known.1 = value,
            None => kept.push((key, value)),
        }
    }
    Value::Object(kept)
}

/// The array index that a key is, 0 to 2^32 - 2 without leading zeros.
pub(crate) fn array_index(key: &[u16]) -> Option<u32> {
    let text = String::from_utf16(key).ok()?;
    let index: u32 = text.parse().ok()?;
    (index.to_string() == text && index != u32::MAX).then_some(index)
}

fn number_source(number: f64) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "1e999".to_owned() } else { "-Infinity".to_owned() }
    } else {
        format!("{number:e}")
    }
}

/// A string literal, in ASCII.
fn quoted(text: &[u16]) -> String {
    let unit = |unit: &u16| match char::from_u32(u32::from(*unit)) {
        Some(plain) if plain.is_ascii_alphanumeric() || "_~ ".contains(plain) => plain.to_string(),
        _ => format!("\\u{unit:04x}"),
    };
    format!("\"{}\"", text.iter().map(unit).collect::<String>())
}

fn bytes_source(constructor: &str, bytes: &[u8], offset: bool) -> String {
    let list = |bytes: &[u8]| bytes.iter().map(|byte| byte.to_string()).collect::<Vec<_>>().join(",");
    let size = match constructor {
        "Uint16Array" | "Int16Array" => 2,
        "Float32Array" | "Int32Array" => 4,
        "Float64Array" | "BigInt64Array" => 8,
        _ => 1,
    };
    let whole = format!("Uint8Array.of({}).buffer", list(bytes));
    match constructor {
        "ArrayBuffer" => whole,
        "resizable" => format!(
            "((b) => {{ const r = new ArrayBuffer(b.length, {{ maxByteLength: b.length + 8 }}); \
             const u = new Uint8Array(r); u.set(b); return u }})([{}])",
            list(bytes)
        ),
        _ if offset => {
            let mut padded = vec![0xaa; size];
            padded.extend_from_slice(bytes);
            padded.extend_from_slice(&[0xbb; 3]);
            format!(
                "new {constructor}(Uint8Array.of({}).buffer, {size}, {})",
                list(&padded),
                bytes.len() / size
            )
        }
        _ => format!("new {constructor}({whole})"),
    }
}

fn object_source(form: Form, members: &[(Text, Js)]) -> String {
    let plain = |(key, value): &(Text, Js)| format!("[{}]: {},", quoted(key), value.source());
    let getter =
        |(key, value): &(Text, Js)| format!("get [{}]() {{ return {} }},", quoted(key), value.source());
    let literal = format!("{{ {} }}", members.iter().map(plain).collect::<String>());
    match form {
        Form::Literal => literal,
        Form::NullPrototype => format!("{{ __proto__: null, {}", &literal[1..]),
        Form::Getters => format!("{{ {} }}", members.iter().map(getter).collect::<String>()),
        Form::WithWhatJsonSkips => format!(
            "Object.defineProperties(Object.create({{ inherited: 1 }}, {{ [Symbol()]: {{ value: 2, enumerable: true }}, \
             hidden: {{ value: 3 }} }}), Object.getOwnPropertyDescriptors({literal}))"
        ),
        Form::Proxy => format!("new Proxy({literal}, {{}})"),
    }
}

/// The text of `Date.prototype.toISOString`.
fn iso(time: i64) -> String {
    let (days, in_day) = (time.div_euclid(86_400_000), time.rem_euclid(86_400_000));
    let (year, month, day) = civil(days);
    let (hour, minute) = (in_day / 3_600_000, in_day / 60_000 % 60);
    let (second, milli) = (in_day / 1000 % 60, in_day % 1000);
    let year = match year {
        0..=9999 => format!("{year:04}"),
        _ => format!("{}{:06}", if year < 0 { '-' } else { '+' }, year.abs()),
    };
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// Year, month and day of a number of days since 1970, counted year by year within a cycle of 400 years.
fn civil(days: i64) -> (i64, i64, i64) {
    const CYCLE: i64 = 146_097;
    let leap = |year: i64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let mut year = 1970 + 400 * days.div_euclid(CYCLE);
    let mut left = days.rem_euclid(CYCLE);
    while left >= 365 + i64::from(leap(year)) {
        left -= 365 + i64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + i64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while left >= lengths[month] {
        left -= lengths[month];
        month += 1;
    }
    (year, month as i64 + 1, left + 1)
}

fn text() -> impl Strategy<Value = Text> {
    let special =
        prop::sample::select(vec!["Uint8Array", "ArrayBuffer", "AQID", "", "\u{2028}", "\0", "\u{1f600}"]);
    prop_oneof![
        3 => special.prop_map(|text| text.encode_utf16().collect()),
        4 => prop::collection::vec(unit(), 0..8),
        2 => any::<String>().prop_map(|text| text.encode_utf16().take(40).collect()),
    ]
}

/// A code unit, often one half of a surrogate pair.
fn unit() -> impl Strategy<Value = u16> {
    prop_oneof![Just(0xd83e), Just(0xdd80), 0xd800..0xe000u16, 0..0x80u16, any::<u16>()]
}

fn key() -> impl Strategy<Value = Text> {
    let special = prop::sample::select(vec![
        "__proto__",
        "constructor",
        "toString",
        "toJSON ",
        "data",
        "result",
        "error",
        "then",
        "length",
        "",
        "0",
        "1",
        "10",
        "01",
        "-1",
        "1.5",
        "4294967294",
        "4294967295",
        "9007199254740993",
        "v",
        " ",
    ]);
    let tag = (0..4usize, prop::sample::select(vec!["", "", "", "x", " "]))
        .prop_map(|(escapes, end)| format!("{BINARY_TAG}{}{end}", "~".repeat(escapes)));
    prop_oneof![
        4 => special.prop_map(str::to_owned).prop_map(|text| text.encode_utf16().collect()),
        3 => tag.prop_map(|text| text.encode_utf16().collect()),
        2 => text(),
    ]
}

fn number() -> impl Strategy<Value = f64> {
    let special = prop::sample::select(vec![
        0.0,
        -0.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        1e21,
        1e-7,
        123_456_789_012_345_680_000.0,
        9_007_199_254_740_993.0,
        0.1,
        1e-6,
        -1e21,
        4_294_967_296.5,
    ]);
    prop_oneof![special, any::<f64>(), any::<i32>().prop_map(f64::from), any::<i64>().prop_map(|n| n as f64)]
}

fn bytes() -> impl Strategy<Value = Js> {
    let constructors = vec![
        "Uint8Array",
        "ArrayBuffer",
        "Uint8Array",
        "ArrayBuffer",
        "DataView",
        "Int8Array",
        "Uint8ClampedArray",
        "Uint16Array",
        "Float32Array",
        "Float64Array",
        "BigInt64Array",
        "resizable",
    ];
    (prop::sample::select(constructors), prop::collection::vec(any::<u8>(), 0..5), any::<bool>())
        .prop_map(|(constructor, bytes, offset)| Js::Bytes { constructor, bytes: bytes.repeat(8), offset })
}

fn leaf() -> impl Strategy<Value = Js> {
    let absent = vec!["undefined", "() => 1", "Symbol('s')", "class {}"];
    let opaque = vec![
        "new Map([[1, 2]])",
        "new Set([1])",
        "new WeakMap()",
        "/x/g",
        "new Error('e')",
        "Promise.resolve(1)",
        "Math",
        "Object.create({ a: 1 })",
        "(function* () {})()",
        "new (class { #hidden = 1; get shown() { return 1 } })()",
    ];
    let date = prop_oneof![
        Just(None),
        (-8_640_000_000_000_000..=8_640_000_000_000_000i64).prop_map(Some),
        (0..2_000_000_000_000i64).prop_map(Some),
    ];
    let plain = prop_oneof![
        any::<bool>().prop_map(Js::Bool),
        number().prop_map(Js::Number),
        text().prop_map(Js::String),
    ];
    prop_oneof![
        1 => Just(Js::Null),
        6 => plain.clone(),
        2 => prop::sample::select(absent).prop_map(Js::Absent),
        1 => prop::sample::select(opaque).prop_map(Js::Opaque),
        1 => date.prop_map(Js::Date),
        1 => plain.prop_map(|inner| Js::Boxed(Box::new(inner))),
        4 => bytes(),
        1 => Just(Js::ToJsonKey),
    ]
}

/// Arbitrary expressions.
pub(crate) fn expression() -> impl Strategy<Value = Js> {
    let form = prop::sample::select(vec![
        Form::Literal,
        Form::Literal,
        Form::Literal,
        Form::NullPrototype,
        Form::Getters,
        Form::WithWhatJsonSkips,
        Form::Proxy,
    ]);
    leaf().prop_recursive(4, 24, 6, move |inner| {
        prop_oneof![
            3 => prop::collection::vec(prop::option::weighted(0.9, inner.clone()), 0..6).prop_map(Js::Array),
            6 => (form.clone(), prop::collection::vec((key(), inner.clone()), 0..6))
                .prop_map(|(form, members)| Js::Object { form, members }),
            1 => inner.clone().prop_map(|inner| Js::ToJson(Box::new(inner))),
            1 => inner.prop_map(|inner| Js::Twice(Box::new(inner))),
        ]
    })
}
