//! The canonical form, against vectors and against somebody else's writer.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_core::{
    Json, canonical,
    json::{Number, Object},
};
use proptest::prelude::*;

fn check(text: &str, expected: &str) {
    assert_eq!(canonical::to_string(&Json::read(text).unwrap()), expected, "{text}");
}

#[test]
fn strings_are_escaped_as_the_rfc_says() {
    check(r#""\b\t\n\f\r\"\\\/""#, r#""\b\t\n\f\r\"\\/""#);
    check(r#""\u0000\u000b\u001F\u007f""#, "\"\\u0000\\u000b\\u001f\u{7f}\"");
    check(r#""\u20ac\u2028é😀<>&""#, "\"€\u{2028}é😀<>&\"");
    check(r#"{"\u000a":""}"#, r#"{"\n":""}"#);
}

#[test]
fn keys_are_sorted_by_utf_16() {
    // The vector of RFC 8785, section 3.2.3.
    check(
        "{\"\\u20ac\":1,\"\\r\":2,\"\\ufb33\":3,\"1\":4,\"\\ud83d\\ude00\":5,\"\\u0080\":6,\"\\u00f6\":7}",
        "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}",
    );
    // Beyond the basic plane sorts below U+E000 and above U+D7FF, within a key as at its start.
    check(
        "{\"\u{FFFD}\":1,\"\u{10FFFF}\":2,\"\u{E000}\":3,\"\u{D7FF}\":4,\"\u{10000}\":5}",
        "{\"\u{D7FF}\":4,\"\u{10000}\":5,\"\u{10FFFF}\":2,\"\u{E000}\":3,\"\u{FFFD}\":1}",
    );
    check(
        "{\"a\u{FFFD}\":1,\"a\u{10000}\":2,\"a\":3,\"aa\":4,\"\":5}",
        "{\"\":5,\"a\":3,\"aa\":4,\"a\u{10000}\":2,\"a\u{FFFD}\":1}",
    );
}

#[test]
fn numbers_are_written_as_the_rfc_says_and_integers_in_full() {
    check(
        "[333333333.3333333, 1E30, 4.50, 2e-3, 0.000000000000000000000000001]",
        "[333333333.3333333,1e+30,4.5,0.002,1e-27]",
    );
    check("[-0, -0.0, 1.0, -1e0]", "[0,0,1,-1]");
    check(
        "[9007199254740993, -9223372036854775808, 18446744073709551615]",
        "[9007199254740993,-9223372036854775808,18446744073709551615]",
    );
}

#[test]
fn nothing_else_is_written() {
    check(
        " { \"b\" : [ ] , \"a\" : { } , \"c\" : [ null , true , false ] } ",
        r#"{"a":{},"b":[],"c":[null,true,false]}"#,
    );
}

/// Any string, with those characters often that escape or sort in special ways.
fn text() -> impl Strategy<Value = String> {
    let special = prop::sample::select(
        "\0\u{8}\t\n\u{b}\u{c}\r\u{1f} \"/\\a\u{7f}\u{80}é\u{2028}\u{D7FF}\u{E000}\u{FFFD}\u{10000}😀"
            .chars()
            .collect::<Vec<_>>(),
    );
    prop::collection::vec(prop_oneof![special, any::<char>()], 0..6)
        .prop_map(|chars| chars.into_iter().collect())
}

/// Any value with integers out of `integers` and floats out of `floats`.
fn value(
    integers: impl Strategy<Value = Number> + 'static,
    floats: impl Strategy<Value = f64> + 'static,
) -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        integers.prop_map(Json::Number),
        floats.prop_map(|float| Json::Number(Number::from_f64(float).unwrap())),
        text().prop_map(Json::from),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Json::from),
            prop::collection::hash_map(text(), inner, 0..8)
                .prop_map(|pairs| Json::Object(Object::from_pairs(pairs).unwrap())),
        ]
    })
}

const SAFE: i64 = 1 << 53;

/// A finite float whose integers, if it is one, a float can tell from their neighbours.
fn float_of_i_json() -> impl Strategy<Value = f64> {
    (prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO)
        .prop_filter("not between 2^53 and 2^64", |float| {
            !(2f64.powi(53)..2f64.powi(64)).contains(&float.abs())
        })
}

proptest! {
    /// On what RFC 8785 covers, we write what an independent writer writes.
    #[test]
    fn an_independent_writer_agrees(
        value in value((-SAFE..=SAFE).prop_map(Number::from), float_of_i_json())
    ) {
        prop_assert_eq!(canonical::to_string(&value), serde_json_canonicalizer::to_string(&value).unwrap());
    }

    /// What is written reads back as the same value, and is written the same way again.
    #[test]
    fn writing_and_reading_are_inverse(
        value in value(
            prop_oneof![any::<i64>().prop_map(Number::from), any::<u64>().prop_map(Number::from)],
            float_of_i_json(),
        )
    ) {
        let written = canonical::to_string(&value);
        let read = Json::read(&written).unwrap();
        prop_assert_eq!(canonical::to_string(&read), written);
        prop_assert_eq!(read, value);
    }

    /// The order in which members arrive does not show.
    #[test]
    fn order_does_not_matter(pairs in prop::collection::hash_map(text(), any::<bool>(), 0..8)) {
        let forward: Vec<_> = pairs.iter().map(|(key, value)| (key.clone(), Json::from(*value))).collect();
        let backward: Vec<_> = forward.iter().rev().cloned().collect();
        let (a, b) = (Object::from_pairs(forward).unwrap(), Object::from_pairs(backward).unwrap());
        prop_assert_eq!(canonical::to_string(&a.clone().into()), canonical::to_string(&b.into()));
        for (key, value) in &pairs {
            prop_assert_eq!(a.get(key), Some(&Json::from(*value)));
        }
        let by_utf_16 = |a: &&str, b: &&str| a.encode_utf16().lt(b.encode_utf16());
        prop_assert!(a.iter().map(|(key, _)| key).collect::<Vec<_>>().is_sorted_by(by_utf_16));
    }
}
