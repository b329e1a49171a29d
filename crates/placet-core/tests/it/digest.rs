//! What the digest covers and what it does not. The expected values come from Python: `hashlib`
//! over `b"placet call digest 1\0"` and `json.dumps(…, sort_keys=True, separators=(",", ":"))`.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_core::{CallDigest, Json, ToolCall};

fn digest(call: &str, without: &[&str]) -> CallDigest {
    CallDigest::of(&ToolCall::from_json(&Json::read(call).unwrap()).unwrap(), without)
}

fn check(call: &str, without: &[&str], expected: &str) {
    assert_eq!(digest(call, without).to_string(), expected, "{call}");
}

const CALL: &str = r#"{"tool":"bash","args":{"command":"rm -rf build","timeout":18446744073709551615,"description":"tidy"},
    "host":"hermes","agent":"coder","session":"s-1","cwd":"/srv/app"}"#;

#[test]
fn digests_are_those_of_an_independent_program() {
    check(r#"{"tool":"ls"}"#, &[], "3a8a676ffa6853c42d0d6154ff3dc50e15ef15364b944dc4fe689022be0cf18d");
    check(CALL, &[], "f3fd2dce659ac1d3b45c02592c47596e9912984f09662779fa53639ae7b1434f");
    check(CALL, &["description"], "078892073d829530f718cccf1f2684884a78df9d211e323c7b07d5e801d365a7");
    // Escapes, and a `description` further down, which stays in.
    check(
        r#"{"tool":"läsa","args":{"z":[1,{"description":"inner"}],"a":"\u20ac\ud83d\ude00\"\\\u0001","description":"x"},
            "host":"h","agent":"ä\n","session":"s","cwd":""}"#,
        &["description"],
        "fcde51f943e1aad0ec13673c438f7416898cf99eeb072f014835c9a82e577968",
    );
}

#[test]
fn what_the_call_would_do_and_where_is_covered() {
    let digests: Vec<CallDigest> = [
        ("", ""),
        (r#""bash""#, r#""sh""#),
        ("rm -rf build", "rm -rf bin"),
        ("18446744073709551615", "18446744073709551614"),
        ("tidy", "sweep"),
        ("hermes", "zeus"),
        ("coder", "writer"),
        ("s-1", "s-2"),
        ("/srv/app", "/srv"),
        (r#""/srv/app""#, "null"),
        (r#""/srv/app""#, r#""""#),
        (r#""/srv/app""#, r#""null""#),
    ]
    .into_iter()
    .map(|(from, to)| digest(&CALL.replacen(from, to, 1), &[]))
    .collect();
    for (index, digest) in digests.iter().enumerate() {
        assert!(!digests[..index].contains(digest), "change {index} does not show");
    }
}

#[test]
fn what_is_only_said_about_the_call_is_not() {
    let plain = digest(CALL, &[]);
    let talk = r#"{"id":"7","reason":"because","description":"d","schema":{},"at":0,"user":"u","deployment":"p","parent_session":"q","#;
    assert_eq!(digest(&CALL.replacen('{', talk, 1), &[]), plain);
    assert_eq!(digest(&CALL.replace("build", r"bu\u0069ld"), &[]), plain);
    let large = CALL.replace("18446744073709551615", "9223372036854775808");
    let spelled = large.replace("9223372036854775808", "9223372036854775808.0");
    assert_eq!(digest(&spelled, &[]), digest(&large, &[]));
    assert_eq!(digest(CALL, &["absent"]), plain);
}

#[test]
fn a_digest_reads_back_from_its_text() {
    let digest = digest(CALL, &[]);
    assert_eq!(CallDigest::parse(&digest.to_string()), Ok(digest));
    assert_eq!(CallDigest::from_bytes(*digest.as_bytes()), digest);
    assert_eq!(serde_json::to_string(&digest).unwrap(), format!("\"{digest}\""));
    let upper = digest.to_string().to_uppercase();
    for wrong in ["", "abc", &upper, &format!("{digest}0"), &"é".repeat(32)] {
        assert!(CallDigest::parse(wrong).is_err(), "{wrong}");
    }
}
