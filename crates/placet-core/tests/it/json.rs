//! What the reader takes, and what it refuses and how it says so.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_core::{
    Json, canonical,
    json::{JsonError, Limits, Number, Object},
};
use proptest::prelude::*;

/// What reading `text` gives, in words: the canonical form, or the refusal.
fn read(text: impl AsRef<[u8]>) -> String {
    match Json::read(text) {
        Ok(value) => canonical::to_string(&value),
        Err(error) => error.to_string(),
    }
}

fn check(text: &str, expected: &str) {
    assert_eq!(read(text), expected, "{text}");
}

fn number(text: &str) -> Number {
    match Json::read(text).unwrap() {
        Json::Number(number) => number,
        other => panic!("{text} gave {other:?}"),
    }
}

#[test]
fn every_kind_of_value_is_read() {
    let value = Json::read(r#" {"s":"é","n":null,"t":true,"i":-7,"a":[1,"x"],"o":{}} "#).unwrap();
    assert_eq!(value.get("s").and_then(Json::as_str), Some("é"));
    assert!(value.get("n").unwrap().is_null());
    assert_eq!(value.get("t").and_then(Json::as_bool), Some(true));
    assert_eq!(value.get("i").and_then(Json::as_i64), Some(-7));
    assert_eq!(value.get("i").and_then(Json::as_u64), None);
    assert_eq!(value.get("a").and_then(Json::as_array), Some(&[Json::from(1), Json::from("x")][..]));
    assert!(value.get("o").and_then(Json::as_object).unwrap().is_empty());
    assert_eq!(value.get("absent"), None);
    let kinds: Vec<_> = value.as_object().unwrap().iter().map(|(key, value)| (key, value.kind())).collect();
    let expected =
        [("a", "array"), ("i", "number"), ("n", "null"), ("o", "object"), ("s", "string"), ("t", "boolean")];
    assert_eq!(kinds, expected);
}

#[test]
fn a_key_that_appears_twice_is_refused_by_name() {
    check(
        r#"{"a":1,"b":2,"a":1}"#,
        "key `a` appears twice in the object that ends at line 1 column 19 (byte 18)",
    );
    check(
        "[{\"x\":{\"k\":1,\n\"\\u006b\":2}}]",
        "key `k` appears twice in the object that ends at line 2 column 11 (byte 24)",
    );
    check(r#"{"a":1,"A":2}"#, r#"{"A":2,"a":1}"#);
    // A key that looks like a place must not be taken for one.
    let spoof = r#"{" at line 9 column 9":1," at line 9 column 9":2}"#;
    check(
        spoof,
        "key ` at line 9 column 9` appears twice in the object that ends at line 1 column 49 (byte 48)",
    );
    assert_eq!(
        Object::from_pairs([("b", Json::Null), ("a", Json::Null), ("b", Json::Null)])
            .unwrap_err()
            .to_string(),
        "key `b` appears twice"
    );
}

#[test]
fn what_is_not_json_is_refused_with_its_place() {
    check("", "text is not json: text ends while parsing a value at line 1 column 1 (byte 0)");
    check("[1.5.4]", "text is not json: `1.5.4` is not a number at line 1 column 4 (byte 3)");
    check("-0.0.", "text is not json: `-0.0.` is not a number at line 1 column 4 (byte 3)");
    check("NaN", "text is not json: `NaN` is not a number at line 1 column 1 (byte 0)");
    check("[1,\n Infinity]", "text is not json: `Infinity` is not a number at line 2 column 2 (byte 5)");
    check("-Infinity", "text is not json: `Infinity` is not a number at line 1 column 2 (byte 1)");
    check("{'a':1}", "text is not json: key must be a string at line 1 column 2 (byte 1)");
    check("[1,]", "text is not json: trailing comma at line 1 column 4 (byte 3)");
    check("01", "text is not json: invalid number at line 1 column 2 (byte 1)");
    check("{} {}", "text goes on after the value at line 1 column 4 (byte 3)");
    check("1 // one", "text goes on after the value at line 1 column 3 (byte 2)");
    check(
        "\"a\nb\"",
        "text is not json: control character (\\u0000-\\u001F) found while parsing a string at line 2 column 1 (byte 3)",
    );
    for lone in [r#""\ud800""#, r#""\udc00""#, r#""\ud800x""#, r#"{"\ud800":1}"#, r#""\ud800\ud800""#] {
        assert!(matches!(Json::read(lone), Err(JsonError::Syntax { .. })), "{lone} gave {}", read(lone));
    }
    check(r#""\ud83d\ude00""#, "\"😀\"");
    assert_eq!(read(b"[\n\"\xff\"]"), "text is not utf-8 at line 2 column 2 (byte 3)");
    assert_eq!(read(b"\"\xed\xa0\x80\""), "text is not utf-8 at line 1 column 2 (byte 1)");
    assert_eq!(read(b"\"\xc0\xaf\""), "text is not utf-8 at line 1 column 2 (byte 1)");
}

#[test]
fn limits_hold_at_their_edge() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let objects = |depth: usize| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    assert!(Json::read(nested(64)).is_ok());
    assert!(Json::read(objects(64)).is_ok());
    for deep in [nested(65), objects(65), nested(5000), objects(5000), "[".repeat(1 << 20)] {
        assert!(matches!(Json::read(&deep), Err(JsonError::TooDeep { depth_max: 64, .. })));
    }
    assert_eq!(
        read("[".repeat(66)),
        "value is nested deeper than the 64 levels allowed at line 1 column 65 (byte 64)"
    );

    let deepest = Limits { depth_max: usize::MAX, ..Limits::default() };
    assert!(Json::read_within(nested(Limits::DEPTH_CEILING), &deepest).is_ok());
    assert!(matches!(
        Json::read_within(nested(Limits::DEPTH_CEILING + 1), &deepest),
        Err(JsonError::TooDeep { depth_max: Limits::DEPTH_CEILING, .. })
    ));

    let short = Limits { bytes_max: 4, ..Limits::default() };
    assert!(Json::read_within("1234", &short).is_ok());
    assert_eq!(Json::read_within("12345", &short), Err(JsonError::TooLong { bytes: 5, bytes_max: 4 }));

    let few = Limits { values_max: 3, ..Limits::default() };
    assert!(Json::read_within(r#"{"a":[1]}"#, &few).is_ok());
    assert!(matches!(
        Json::read_within(r#"{"a":[1,2]}"#, &few),
        Err(JsonError::TooMany { values_max: 3, .. })
    ));
}

/// Each number as written, and as it comes out again.
const EXACT: &[(&str, &str)] = &[
    ("0", "0"),
    ("-0", "0"),
    ("-0.0", "0"),
    ("0e9999999999999999999999", "0"),
    ("1.0", "1"),
    ("1e2", "100"),
    ("1E+2", "100"),
    ("100e-2", "1"),
    ("12.50", "12.5"),
    ("-1.5e1", "-15"),
    ("9007199254740993", "9007199254740993"),
    ("9007199254740992.0", "9007199254740992"),
    ("9007199254740994.0", "9007199254740994"),
    ("-9.223372036854775808e18", "-9223372036854775808"),
    ("1234567890123456768.0", "1234567890123456768"),
    ("9223372036854775807", "9223372036854775807"),
    ("9223372036854775808", "9223372036854775808"),
    ("-9223372036854775808", "-9223372036854775808"),
    ("18446744073709551615", "18446744073709551615"),
    ("1e18", "1000000000000000000"),
    ("1e19", "10000000000000000000"),
    ("1e20", "100000000000000000000"),
    ("100000000000000000000", "100000000000000000000"),
    ("1e21", "1e+21"),
    ("0.1", "0.1"),
    ("0.10000000000000000000000000000000", "0.1"),
    ("0.30000000000000004", "0.30000000000000004"),
    ("1658206780088562.2", "1658206780088562.2"),
    ("1e23", "1e+23"),
    ("1e-7", "1e-7"),
    ("0.000001", "0.000001"),
    ("5e-324", "5e-324"),
    ("1.7976931348623157e308", "1.7976931348623157e+308"),
    ("-2.2250738585072014e-308", "-2.2250738585072014e-308"),
    // Floats that `serde_json` by itself gets wrong by one unit in the last place.
    ("1.0715660391465826e-75", "1.0715660391465826e-75"),
    ("-1.603964615428183e143", "-1.603964615428183e+143"),
];

/// Numbers that no 64-bit integer and no float says exactly.
const INEXACT: &[&str] = &[
    // Written like floats: other readers round them to an even neighbour, or further.
    "9007199254740993.0",
    "-9007199254740993.0",
    "9007199254740993e0",
    "9007199254740993000E-3",
    "900719925474099.3e1",
    "9223372036854775807.0",
    "1.8446744073709551615e19",
    "1234567890123456789.0",
    // The shortest decimal of the float 1234567890123456768.
    "1234567890123456800.0",
    "18446744073709551616",
    "-9223372036854775809",
    "123456789012345678901234567890",
    "0.1000000000000000055511151231257827",
    "0.10000000000000001",
    "333333333.33333329",
    // As near to the float as its shortest form, which ends in 2: of two equals the even one counts.
    "1658206780088562.3",
    "3.1234567890123457e150",
    "3.14159265358979323846",
    "9007199254740993.5",
    "1e400",
    "-1e400",
    "1e-400",
    "1e99999999999999999999999",
    "1e-99999999999999999999999",
    "2.4703282292062327e-324",
];

#[test]
fn exact_numbers_are_kept_and_others_refused() {
    for (text, expected) in EXACT {
        check(text, expected);
        // Wherever the number stands, and whatever numbers stand around it.
        check(
            &format!(r#"{{"z":[2.5,"-1e9\"7",7],"1.25":{text},"a":0.75}}"#),
            &format!(r#"{{"1.25":{expected},"a":0.75,"z":[2.5,"-1e9\"7",7]}}"#),
        );
    }
    for text in INEXACT {
        for wrapped in [text.to_string(), format!(r#"{{"z":[2.5,"-1e9\"7",7],"1.25":{text},"a":0.75}}"#)] {
            match Json::read(&wrapped) {
                Err(JsonError::Inexact { number, .. }) => assert_eq!(number, *text),
                other => panic!("{wrapped} gave {other:?}"),
            }
        }
    }
    check("[1, 1e-400]", "number `1e-400` cannot be represented exactly at line 1 column 10 (byte 9)");
    let long = format!("0.{}", "3".repeat(1 << 20));
    assert!(read(&long).starts_with("number `0.33333333333"), "{}", &read(&long)[..200]);
    assert!(read(&long).len() < 200);
}

#[test]
fn one_value_has_one_form() {
    assert_eq!(number("1.0"), Number::Int(1));
    assert_eq!(number("9223372036854775808"), Number::from(1_u64 << 63));
    assert_eq!(number("18446744073709551615").as_u64(), Some(u64::MAX));
    assert_eq!(number("18446744073709551615").as_i64(), None);
    assert_eq!(number("1.5").as_f64(), 1.5);
    assert_eq!(Number::from(7_u64), Number::Int(7));
    assert_eq!(Number::from_f64(-0.0), Some(Number::Int(0)));
    assert_eq!(Number::from_f64(-9_223_372_036_854_775_808.0), Some(Number::Int(i64::MIN)));
    assert_eq!(Number::from_f64(9_223_372_036_854_775_808.0), Some(Number::from(1_u64 << 63)));
    assert!(matches!(Number::from_f64(18_446_744_073_709_551_616.0), Some(Number::Float(_))));
    assert!(matches!(Number::from_f64(0.5), Some(Number::Float(half)) if half.get() == 0.5));
    assert_eq!(Number::from_f64(f64::NAN), None);
    assert_eq!(Number::from_f64(f64::NEG_INFINITY), None);
    assert_eq!(Json::read(r#"{"b":2.0,"a":1e0}"#), Json::read(r#"{"a":1,"b":2}"#));
}

/// Some crate in the build may switch on `arbitrary_precision`, which hands numbers over as
/// pretended objects, or `preserve_order`. Neither may change what we read.
#[test]
fn features_of_serde_json_change_nothing() {
    let token = "$serde_json::private::Number";
    let object = Json::read(format!(r#"{{"{token}":"1"}}"#)).unwrap();
    assert_eq!(object, Json::Object(Object::from_pairs([(token, Json::from("1"))]).unwrap()));
    check(&format!(r#"{{"b":1.5,"{token}":"x","a":2}}"#), &format!(r#"{{"{token}":"x","a":2,"b":1.5}}"#));
    assert_eq!(number("1.5").as_f64(), 1.5);
    assert_eq!(number("-0"), Number::Int(0));
    assert!(matches!(Json::read("1e400"), Err(JsonError::Inexact { .. })));
    // A number at the depth limit is no level of its own.
    let brackets = ("[".repeat(64), "]".repeat(64));
    assert!(Json::read(format!("{}1.5{}", brackets.0, brackets.1)).is_ok());
    // And through `Deserialize`.
    let value: Json = serde_json::from_str(r#"{"b":1.5,"a":[2.0,18446744073709551615,-3]}"#).unwrap();
    assert_eq!(canonical::to_string(&value), r#"{"a":[2,18446744073709551615,-3],"b":1.5}"#);
    let object: Json = serde_json::from_str(&format!(r#"{{"{token}":"1"}}"#)).unwrap();
    assert!(object.as_object().is_some());
}

#[test]
fn deserialize_is_strict_too() {
    let refused = |text: &str| serde_json::from_str::<Json>(text).unwrap_err().to_string();
    assert_eq!(refused(r#"{"a":1,"a":2}"#), "a key appears twice at line 1 column 13");
    assert_eq!(refused(&"[".repeat(65)), "value is nested too deep at line 1 column 65");
}

#[test]
fn serialize_keeps_the_value() {
    let text = r#"{"a":[null,true,-1,18446744073709551615,0.5,1e300],"b":"\u0001é"}"#;
    let value = Json::read(text).unwrap();
    assert_eq!(Json::read(serde_json::to_vec(&value).unwrap()), Ok(value));
}

#[test]
fn large_texts_take_time_in_proportion() {
    let started = std::time::Instant::now();
    let shuffled = |index: u64| index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let members: Vec<String> =
        (0..100_000).map(|index| format!(r#""k{:x}":{index}.5"#, shuffled(index))).collect();
    let object = Json::read(format!("{{{}}}", members.join(","))).unwrap();
    assert_eq!(object.as_object().unwrap().len(), 100_000);
    for index in 0..100_000 {
        let found = object.get(&format!("k{:x}", shuffled(index)));
        assert_eq!(found, Some(&Json::Number(Number::from_f64(index as f64 + 0.5).unwrap())));
    }
    let rows = format!("[{}1.5{}", "[".repeat(63), "]".repeat(63));
    let deep = format!("{rows}{}]", format!(",{}", &rows[1..]).repeat(10_000));
    assert_eq!(Json::read(deep).unwrap().as_array().unwrap().len(), 10_001);
    // Linear work takes well under a second even unoptimised; quadratic work takes minutes.
    assert!(started.elapsed().as_secs() < 30, "took {:?}", started.elapsed());
}

proptest! {
    /// Whatever the bytes, the reader answers, and takes only what `serde_json` takes.
    #[test]
    fn any_bytes_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        if Json::read(&bytes).is_ok() {
            prop_assert!(serde_json::from_slice::<serde_json::Value>(&bytes).is_ok());
        }
    }

    /// Text that is almost JSON reaches further into the reader.
    #[test]
    fn near_json_gets_an_answer(text in r#"([\[\]{},:"\\ \n]|[0-9]{1,3}|-|e|E|\.|true|null|"a"|\\u00e9|\\ud83d){0,24}"#) {
        if Json::read(&text).is_ok() {
            prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
        }
    }

    /// A float in its shortest form is read as itself.
    #[test]
    fn the_shortest_form_of_a_float_is_exact(float in prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL) {
        let read = number(ryu_js::Buffer::new().format_finite(float));
        prop_assert_eq!(read.as_f64().to_bits(), float.to_bits());
    }

    /// What is written with a dot or an exponent is the float that other readers take it for, or is refused.
    #[test]
    fn what_is_written_like_a_float_is_that_float(
        digits in "-?[1-9][0-9]{0,19}", fraction in r"(\.0{1,3})?", exponent in "([eE][+-]?[0-9]{1,2})?",
    ) {
        let text = format!("{digits}{fraction}{exponent}");
        if let Ok(Json::Number(read)) = Json::read(&text) && text.contains(['.', 'e', 'E']) {
            prop_assert_eq!(Some(read), text.parse().ok().and_then(Number::from_f64));
        }
    }

    /// One more digit than a float can hold is noticed, wherever it stands.
    #[test]
    fn a_digit_too_many_is_refused(whole in 1_u64..1000, digits in "[1-9]{20}") {
        let text = format!("{whole}.{digits}");
        prop_assert!(matches!(Json::read(&text), Err(JsonError::Inexact { .. })), "{}", text);
    }

    /// Every 64-bit integer is read as itself; with a dot or an exponent, if other readers get it too.
    #[test]
    fn integers_are_exact(integer in any::<i64>(), large in any::<u64>(), small in -(1_i64 << 53)..1 << 53) {
        prop_assert_eq!(Json::read(integer.to_string()).unwrap().as_i64(), Some(integer));
        prop_assert_eq!(Json::read(large.to_string()).unwrap().as_u64(), Some(large));
        prop_assert_eq!(Json::read(format!("{small}.00")).unwrap().as_i64(), Some(small));
        prop_assert_eq!(Json::read(format!("{small}e0")).unwrap().as_i64(), Some(small));
        let exact = integer as f64 as i128 == i128::from(integer);
        let read = Json::read(format!("{integer}.00")).ok().and_then(|read| read.as_i64());
        prop_assert_eq!(read, exact.then_some(integer));
    }
}
