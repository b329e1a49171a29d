//! The vectors in `vectors/`: warrants, good and bad, as any implementation must read them.
//!
//! `UPDATE_VECTORS=1 cargo test -p placet-core --test it vectors` writes them again; the files are what counts.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use placet_core::{
    Timestamp,
    warrant::{PublicKey, Revocations, SealedWarrant, TrustedKeys},
};
use serde_json::{Value, json};

use super::{
    chain::{join, split},
    key, now, scope, sealed, terms,
};

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors")
}

const HEX: data_encoding::Encoding = data_encoding::HEXLOWER;

/// What a reader of a vector must answer: nothing, or the beginning of why not.
struct Vector {
    name: String,
    about: &'static str,
    bytes: Vec<u8>,
    at: Timestamp,
    refused: Option<&'static str>,
}

const EVERYTHING: &str = "\
allow:
  - 'a: v any, w? is 5, x? is \"5\", y? in (1.5, null, true), z? not in (-1)'
  - 'b: g glob /x/*.txt, r regex \"[a-z]{1,3}\", n range -1.5..9007199254740993, p under /data'
  - 'c: u url https://*.example.com/**, s url_safe, i cidr 10.0.0.0/8, t contains x'
  - 'd: l subset (a, b), c argv(git log|status -n=* ..), k length 1..8, ..'
  - 'e: o (under /a or glob *b) and not is c'
  - memory
  - 'none:'
gate: ['terminal: command any']
allow_effects: ['read under /srv, /etc/hosts; send to *.example.com, 10.0.0.0/8; execute name in (git, make)']
effects: 'write under /srv; no delete'
limits: {max_calls: 500, rate: 10/1m, budget: {amount: 10.5}, hours: 'Mo-Fr 08:00-18:00, Sa 10:00-12:00 Europe/Berlin', max_risk: 0.6}
posture: {fs: guarded, net: closed}
";

const SMALL: &str = "allow: ['read_file: path under /data']";

fn vectors() -> Vec<Vector> {
    let mut all = Vec::new();
    let mut add =
        |name: &str, about: &'static str, warrant: &SealedWarrant, refused: Option<&'static str>| {
            all.push(Vector {
                name: name.to_owned(),
                about,
                bytes: warrant.as_bytes().to_vec(),
                at: now(),
                refused,
            });
        };
    let one = sealed(&[SMALL]);
    let three = sealed(&[EVERYTHING, SMALL, SMALL]);
    let links = split(&three);
    add("good-one-link", "the smallest warrant", &one, None);
    add("good-everything", "every field, every operator", &sealed(&[EVERYTHING]), None);
    add("good-three-links", "a chain", &three, None);

    let mut bound = terms(2, scope(SMALL));
    bound.subject =
        placet_core::warrant::Subject::Session { agent: "scout".to_owned(), session: "s1".to_owned() };
    add(
        "good-session",
        "bound to a session instead of a key",
        &SealedWarrant::mint(bound, &key(1)).unwrap(),
        None,
    );
    let mut issue = terms(2, scope(SMALL));
    issue.purpose = placet_core::warrant::Purpose::Issue;
    issue.max_depth = Some(1);
    add("good-issue-only", "to issue, not to act", &SealedWarrant::mint(issue, &key(1)).unwrap(), None);

    add(
        "bad-unknown-root",
        "the first issuer is not trusted",
        &SealedWarrant::mint(terms(2, scope(SMALL)), &key(3)).unwrap(),
        Some("the warrant is issued by"),
    );
    // Holder 2 passes it on to itself, so that links differ in their parents alone.
    let mut round = sealed(&[SMALL]);
    for number in 3..=16 {
        let id = placet_core::warrant::WarrantId::from_bytes([number; 16]);
        let again = placet_core::warrant::Terms { id, ..terms(2, scope(SMALL)) };
        round = round.peek().unwrap().grant(again, &key(2)).unwrap();
    }
    let around = split(&round);
    add(
        "bad-reordered",
        "links in another order",
        &join(&[&around[0], &around[2], &around[1]]),
        Some("link 2 does not belong"),
    );
    add("bad-left-out", "a link left out", &join(&[&around[0], &around[2]]), Some("link 2 does not belong"));
    let twin = split(&sealed(&[SMALL, SMALL, SMALL]));
    add(
        "bad-parent",
        "a link of a twin chain",
        &join(&[&links[0], &twin[1], &twin[2]]),
        Some("link 2 does not belong"),
    );
    let mut deep = terms(2, scope(SMALL));
    deep.max_depth = Some(0);
    let deep = split(&SealedWarrant::mint(deep, &key(1)).unwrap());
    let shallow = split(&sealed(&[SMALL, SMALL]));
    let below = forge(&shallow[1], &(digest(&shallow[0]), digest(&deep[0])), 2);
    add(
        "bad-too-deep",
        "a link after one that may not be passed on",
        &join(&[&deep[0], &below]),
        Some("1 links follow link 1"),
    );
    add(
        "bad-no-links",
        "an empty chain",
        &SealedWarrant::from_bytes([0x80]),
        Some("a warrant has 1 to 16 links"),
    );

    // Each of these is one link, changed in one place and signed again by the root: only its form is wrong.
    for (name, about, change, refused) in forgeries() {
        let link = split(&one).remove(0);
        let forged = forge(&link, &change, 1);
        add(name, about, &join(&[&forged]), Some(refused));
    }
    for (name, about, change) in forgeries_of_everything() {
        let link = split(&sealed(&[EVERYTHING])).remove(0);
        let forged = forge(&link, &change, 1);
        add(name, about, &join(&[&forged]), Some("the bytes of link 1"));
    }
    let mut many = around.clone();
    while many.len() < 17 {
        let last = &many[many.len() - 1];
        many.push(forge(last, &(digest(&many[many.len() - 2]), digest(last)), 2));
    }
    let many: Vec<&Vec<u8>> = many.iter().collect();
    add("bad-too-many-links", "seventeen links", &join(&many), Some("a warrant has 1 to 16 links"));
    let link = split(&one).remove(0);
    // The root is named and somebody else has signed.
    add(
        "bad-issuer",
        "another issuer than the signer",
        &join(&[&forge(&link, &(vec![0x09, 0x00], vec![0x09, 0x00]), 3)]),
        Some("the signature of link 1"),
    );
    let (_, payload) = payload_of(&link);
    add(
        "bad-header",
        "a link that is signed as a proof",
        &join(&[&signed_as(b"\xa2\x01\x27\x10\x6cplacet/proof", &payload, 1)]),
        Some("the bytes of link 1"),
    );
    // A child that lives a millisecond longer than its parent.
    let expiry = |ms: i64| [&[0x07, 0x1b][..], &now().plus_ms(ms).as_ms().to_be_bytes()].concat();
    let outliving = forge(&shallow[1], &(expiry(3_600_000), expiry(3_600_001)), 2);
    add(
        "bad-outlives-parent",
        "a link that expires after the one before",
        &join(&[&shallow[0], &outliving]),
        Some("link 2 expires after"),
    );
    // A child signed by somebody who does not hold the parent.
    let stranger = forge(&shallow[1], &(vec![0x09, 0x00], vec![0x09, 0x00]), 3);
    add(
        "bad-signer",
        "a link signed by another key than its issuer",
        &join(&[&shallow[0], &stranger]),
        Some("the signature of link 2"),
    );
    // These are changed without a new signature.
    let link = split(&one).remove(0);
    let mut signature = link.clone();
    *signature.last_mut().unwrap() ^= 1;
    add(
        "bad-signature",
        "a signature with one bit changed",
        &join(&[&signature]),
        Some("the signature of link 1"),
    );
    let mut untagged = link.clone();
    untagged.remove(0);
    add("bad-untagged", "a link without its tag", &join(&[&untagged]), Some("the bytes of link 1"));
    let mut long = one.as_bytes().to_vec();
    long.push(0xf6);
    add(
        "bad-trailing",
        "something after the end",
        &SealedWarrant::from_bytes(long),
        Some("the bytes of the warrant"),
    );
    // The length of the link in two bytes more than it needs.
    let mut wide = vec![0x81, 0x5a];
    wide.extend(u32::try_from(link.len()).unwrap().to_be_bytes());
    wide.extend(&link);
    add(
        "bad-wide-length",
        "a length that is longer than needed",
        &SealedWarrant::from_bytes(wide),
        Some("the bytes of the warrant"),
    );
    let mut endless = vec![0x9f, 0x58, u8::try_from(link.len()).unwrap()];
    endless.extend(&link);
    endless.push(0xff);
    add(
        "bad-indefinite",
        "a chain of indefinite length",
        &SealedWarrant::from_bytes(endless),
        Some("the bytes of the warrant"),
    );

    let whole = one.as_bytes().to_vec();
    all.push(Vector {
        name: "bad-expired".to_owned(),
        about: "after its time",
        bytes: whole.clone(),
        at: now().plus_ms(3_600_000),
        refused: Some("link 1 expired"),
    });
    let mut short = terms(2, scope(SMALL));
    short.expires = now().plus_ms(10_000);
    let mut child = terms(3, scope(SMALL));
    child.expires = now().plus_ms(10_000);
    let short = SealedWarrant::mint(short, &key(1)).unwrap().peek().unwrap().grant(child, &key(2)).unwrap();
    all.push(Vector {
        name: "bad-expired-parent".to_owned(),
        about: "a chain whose first link is over",
        bytes: short.as_bytes().to_vec(),
        at: now().plus_ms(10_000),
        refused: Some("link 1 expired"),
    });
    all.push(Vector {
        name: "bad-not-yet".to_owned(),
        about: "before its time",
        bytes: whole.clone(),
        at: now().plus_ms(-1001),
        refused: Some("link 1 is not valid before"),
    });
    all
}

/// A change of one payload: bytes that are found once, and what stands there instead.
type Change = (Vec<u8>, Vec<u8>);

fn forgeries() -> Vec<(&'static str, &'static str, Change, &'static str)> {
    let malformed = "the bytes of link 1";
    let change = |from: &[u8], to: &[u8]| (from.to_vec(), to.to_vec());
    let holder = key(2).public();
    let with = |lead: &[u8], rest: &[u8]| [lead, rest].concat();
    // About half of all numbers are on the curve.
    let number = |number: u8| with(&[number], &[0; 31]);
    let is_key = |bytes: &[u8]| PublicKey::from_bytes(&bytes.try_into().unwrap()).is_ok();
    let nowhere = (2..).map(number).find(|bytes| !is_key(bytes)).unwrap();
    let expires = now().plus_ms(3_600_000).as_ms().to_be_bytes();
    let begins = now().plus_ms(-1000).as_ms().to_be_bytes();
    let (_, payload) = payload_of(&split(&sealed(&[SMALL]))[0]);
    let instead = |payload: Vec<u8>, new: Vec<u8>| (payload, new);
    let id = with(&[0x02, 0x50], &[2; 16]);
    // Beyond the field lie the numbers below 19 once more; the second spelling of one that would do for a holder.
    let low = (2..19).map(number).find(|bytes| is_key(bytes)).unwrap()[0];
    let respelled = [&[0xed + low][..], &[0xff; 30], &[0x7f]].concat();
    vec![
        ("bad-version", "a version to come", change(&[0xa8, 0x01, 0x01], &[0xa8, 0x01, 0x02]), malformed),
        (
            "bad-unknown-key",
            "a field that is not known",
            instead(payload.clone(), [&[0xa9][..], &payload[1..], &[0x0f, 0x00]].concat()),
            malformed,
        ),
        (
            "bad-key-order",
            "fields out of order",
            change(&with(&[0xa8, 0x01, 0x01], &id), &[&[0xa8][..], &id, &[0x01, 0x01]].concat()),
            malformed,
        ),
        (
            "bad-duplicate-key",
            "a field twice",
            instead(payload.clone(), {
                let at = payload.windows(10).position(|part| part == with(&[0x06, 0x1b], &begins)).unwrap();
                [&[0xa9][..], &payload[1..at + 10], &payload[at..]].concat()
            }),
            malformed,
        ),
        (
            "bad-wide-integer",
            "a number in more bytes than it needs",
            change(&[0xa8, 0x01, 0x01], &[0xa8, 0x01, 0x18, 0x01]),
            malformed,
        ),
        (
            "bad-indefinite-map",
            "a map of indefinite length",
            instead(payload.clone(), [&[0xbf][..], &payload[1..], &[0xff]].concat()),
            malformed,
        ),
        (
            "bad-short-id",
            "an id that is too short",
            change(&with(&[0x02, 0x50], &[2; 16]), &with(&[0x02, 0x4f], &[2; 15])),
            malformed,
        ),
        (
            "bad-holder",
            "a holder that is no key",
            change(&with(&[0x04, 0x58, 0x20], holder.as_bytes()), &with(&[0x04, 0x58, 0x20], &nowhere)),
            malformed,
        ),
        (
            "bad-holder-spelling",
            "a holder in a spelling beyond the field",
            change(&with(&[0x04, 0x58, 0x20], holder.as_bytes()), &with(&[0x04, 0x58, 0x20], &respelled)),
            malformed,
        ),
        (
            "bad-weak-holder",
            "a holder that anybody can sign for",
            change(
                &with(&[0x04, 0x58, 0x20], holder.as_bytes()),
                &with(&[0x04, 0x58, 0x20], &with(&[1], &[0; 31])),
            ),
            malformed,
        ),
        (
            "bad-ends-before-it-begins",
            "no time to live",
            change(&with(&[0x07, 0x1b], &expires), &with(&[0x07, 0x1b], &begins)),
            malformed,
        ),
        (
            "bad-lives-too-long",
            "more than 90 days",
            change(
                &with(&[0x07, 0x1b], &expires),
                &with(&[0x07, 0x1b], &(now().as_ms() + 91 * 86_400_000).to_be_bytes()),
            ),
            malformed,
        ),
        (
            "bad-purpose",
            "a purpose that is not known",
            change(&[0x09, 0x00, 0x0b], &[0x09, 0x02, 0x0b]),
            malformed,
        ),
        (
            "bad-no-capabilities",
            "an empty list of capabilities",
            change(&capabilities(), &[0x0b, 0x80]),
            malformed,
        ),
        (
            "bad-too-many-capabilities",
            "257 capabilities",
            change(
                &capabilities(),
                &with(&[0x0b, 0x99, 0x01, 0x01], &b"\xa4\x01\x00\x02\x61\x61\x03\xa0\x04\xf5".repeat(257)),
            ),
            malformed,
        ),
        (
            "bad-nested-too-deep",
            "`not` within `not`, seventeen times",
            change(b"\x82\x07\x65/data", &with(&[0x82, 0x11].repeat(17), &[0x81, 0x00])),
            malformed,
        ),
        (
            "bad-nobody",
            "bound to a session, but to no agent",
            change(&with(&[0x04, 0x58, 0x20], holder.as_bytes()), &with(&[0x05, 0x82, 0x60, 0x62], b"s1")),
            malformed,
        ),
        (
            "bad-tier",
            "a tier that is not known",
            change(&[0x81, 0xa4, 0x01, 0x00], &[0x81, 0xa4, 0x01, 0x02]),
            malformed,
        ),
        ("bad-tool", "a tool with a blank in its name", change(b"read_file", b"read file"), malformed),
        (
            "bad-operator",
            "an operator that is not known",
            change(&[0xf4, 0x82, 0x07, 0x65], &[0xf4, 0x82, 0x18, 0x63, 0x65]),
            malformed,
        ),
        ("bad-operand", "a relative path for `under`", change(b"/data", b"xdata"), malformed),
        (
            "bad-unnormal-path",
            "a path that is not in its one spelling",
            change(b"/data", b"/dat/"),
            malformed,
        ),
    ]
}

/// The same for the link with every field.
fn forgeries_of_everything() -> Vec<(&'static str, &'static str, Change)> {
    let change = |from: &[u8], to: &[u8]| (from.to_vec(), to.to_vec());
    vec![
        (
            "bad-effects",
            "limits on effects with a verb that is not known",
            change(&[0x0c, 0x82, 0x82, 0x01], &[0x0c, 0x82, 0x82, 0x0b]),
        ),
        (
            "bad-max-calls",
            "a negative number of calls",
            change(&[0x0d, 0xa5, 0x01, 0x19, 0x01, 0xf4], &[0x0d, 0xa5, 0x01, 0x39, 0x01, 0xf3]),
        ),
        (
            "bad-rate",
            "a rate over no time",
            change(&[0x02, 0x82, 0x0a, 0x19, 0xea, 0x60], &[0x02, 0x82, 0x0a, 0x00]),
        ),
        (
            "bad-budget",
            "a budget that is no number",
            change(b"\x66amount\x1a\x00\xa0\x37\xa0", b"\x66amount\x65\x31\x30\x2e\x35\x30"),
        ),
        ("bad-hours", "hours in a zone that is not known", change(b"Europe/Berlin", b"Europe/Nirgen")),
        ("bad-limit", "a limit that is not known", change(&[0x05, 0x18, 0x3c], &[0x06, 0x18, 0x3c])),
        ("bad-max-risk", "a risk above 1", change(&[0x05, 0x18, 0x3c], &[0x05, 0x18, 0x65])),
        (
            "bad-posture",
            "a level of confinement that is not known",
            change(&[0x0e, 0xa2, 0x01, 0x01, 0x02, 0x02], &[0x0e, 0xa2, 0x01, 0x03, 0x02, 0x02]),
        ),
        (
            "bad-posture-said",
            "a level of confinement that goes without saying",
            change(&[0x0e, 0xa2, 0x01, 0x01, 0x02, 0x02], &[0x0e, 0xa2, 0x01, 0x00, 0x02, 0x02]),
        ),
        ("bad-pattern", "a pattern that cannot be read", change(b"[a-z]{1,3}", b"[a-z]{1,3(")),
    ]
}

/// The capabilities of `SMALL` as they stand in a payload, with their key.
fn capabilities() -> Vec<u8> {
    let mut bytes = vec![0x0b, 0x81, 0xa4, 0x01, 0x00, 0x02, 0x69];
    bytes.extend(b"read_file");
    bytes.extend([0x03, 0xa1, 0x64]);
    bytes.extend(b"path");
    bytes.extend([0x82, 0xf4, 0x82, 0x07, 0x65]);
    bytes.extend(b"/data");
    bytes.extend([0x04, 0xf4]);
    bytes
}

/// SHA-256 of a link.
fn digest(link: &[u8]) -> Vec<u8> {
    use sha2::Digest as _;
    sha2::Sha256::digest(link).to_vec()
}

/// The protected header and the payload of `link`.
fn payload_of(link: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let protected_start = 3;
    let protected_length = usize::from(link[2] & 0x1f);
    let protected = &link[protected_start..protected_start + protected_length];
    let payload_header = protected_start + protected_length + 1;
    let (start, length) = match link[payload_header] {
        0x58 => (payload_header + 2, usize::from(link[payload_header + 1])),
        0x59 => (
            payload_header + 3,
            usize::from(link[payload_header + 1]) << 8 | usize::from(link[payload_header + 2]),
        ),
        other => panic!("a payload begins with {other:#x}"),
    };
    (protected.to_vec(), link[start..start + length].to_vec())
}

/// `link` with its payload changed, signed by `key(signer)`.
fn forge(link: &[u8], (from, to): &Change, signer: u8) -> Vec<u8> {
    let (protected, payload) = payload_of(link);
    let found: Vec<usize> =
        (0..payload.len()).filter(|at| payload[*at..].starts_with(from.as_slice())).collect();
    assert_eq!(found.len(), 1, "{} is found {} times", HEX.encode(from), found.len());
    let payload = [&payload[..found[0]], to.as_slice(), &payload[found[0] + from.len()..]].concat();
    signed_as(&protected, &payload, signer)
}

/// An envelope of `payload` under the header `protected`, signed by `key(signer)`.
pub fn signed_as(protected: &[u8], payload: &[u8], signer: u8) -> Vec<u8> {
    use ed25519_dalek::Signer as _;
    let bytes = |bytes: &[u8]| match bytes.len() {
        length @ 0..=23 => with_header(vec![0x40 | u8::try_from(length).unwrap()], bytes),
        length @ 24..=255 => with_header(vec![0x58, u8::try_from(length).unwrap()], bytes),
        length => with_header([&[0x59][..], &u16::try_from(length).unwrap().to_be_bytes()].concat(), bytes),
    };
    let signed = [&[0x84, 0x6a][..], b"Signature1", &bytes(protected), &[0x40], &bytes(payload)].concat();
    let signature = ed25519_dalek::SigningKey::from_bytes(&[signer; 32]).sign(&signed).to_bytes();
    [&[0xd2, 0x84][..], &bytes(protected), &[0xa0], &bytes(payload), &bytes(&signature)].concat()
}

fn with_header(mut header: Vec<u8>, bytes: &[u8]) -> Vec<u8> {
    header.extend(bytes);
    header
}

#[test]
fn vectors_are_read_as_they_say() {
    if std::env::var_os("UPDATE_VECTORS").is_some() {
        write_vectors();
    }
    let mut count = 0;
    for entry in fs::read_dir(directory()).expect("the vectors are there") {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let vector: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let text = |key: &str| vector[key].as_str().unwrap_or_else(|| panic!("{}: {key}", path.display()));
        let roots = vector["roots"]
            .as_array()
            .unwrap()
            .iter()
            .map(|root| PublicKey::parse(root.as_str().unwrap()).unwrap());
        let roots = TrustedKeys::new(roots);
        let warrant = SealedWarrant::parse(text("warrant")).unwrap();
        let at = Timestamp::parse(text("at")).unwrap();
        let opened = warrant.open(&roots, &Revocations::none(), at);
        match (opened, vector["refused"].as_str()) {
            (Ok(opened), None) => {
                let links: Vec<Value> =
                    opened.links().iter().map(|link| serde_json::to_value(link.to_json()).unwrap()).collect();
                assert_eq!(Value::from(links), vector["links"], "{}", path.display());
                truncated_at_every_byte(&warrant, &roots, at);
            }
            (Err(error), Some(refused)) => {
                assert!(error.to_string().starts_with(refused), "{}: {error}", path.display());
            }
            (Ok(_), Some(_)) => panic!("{} opens", path.display()),
            (Err(error), None) => panic!("{} does not open: {error}", path.display()),
        }
        count += 1;
    }
    assert!(count >= vectors().len(), "only {count} vectors");
}

fn truncated_at_every_byte(warrant: &SealedWarrant, roots: &TrustedKeys, at: Timestamp) {
    let bytes = warrant.as_bytes();
    for length in 0..bytes.len() {
        let part = SealedWarrant::from_bytes(&bytes[..length]);
        assert!(part.open(roots, &Revocations::none(), at).is_err(), "{length} bytes");
    }
}

#[test]
fn vectors_are_what_this_program_writes() {
    for vector in vectors() {
        let file = directory().join(format!("{}.json", vector.name));
        let stored: Value =
            serde_json::from_slice(&fs::read(&file).expect("run with UPDATE_VECTORS=1")).unwrap();
        let text = SealedWarrant::from_bytes(vector.bytes).to_text();
        assert_eq!(stored["warrant"].as_str(), Some(text.as_str()), "{}", vector.name);
    }
}

fn write_vectors() {
    fs::create_dir_all(directory()).unwrap();
    let root = key(1).public().to_string();
    for vector in vectors() {
        let warrant = SealedWarrant::from_bytes(vector.bytes);
        let mut stored = json!({
            "about": vector.about,
            "roots": [root],
            "at": vector.at.to_string(),
            "warrant": warrant.to_text(),
        });
        match vector.refused {
            Some(refused) => stored["refused"] = json!(refused),
            None => {
                let links: Vec<Value> = warrant
                    .peek()
                    .unwrap()
                    .links()
                    .iter()
                    .map(|link| serde_json::to_value(link.to_json()).unwrap())
                    .collect();
                stored["links"] = json!(links);
            }
        }
        let file = directory().join(format!("{}.json", vector.name));
        fs::write(file, format!("{stored:#}\n")).unwrap();
    }
}

#[test]
fn other_peoples_code_reads_the_vectors() {
    let python = python_with_cbor2();
    let check = directory().join("check.py");
    let ran = Command::new(&python).arg(&check).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{said}");
    assert!(said.contains("good vectors hold"), "{said}");
    // A reader that was written from the document alone agrees about every vector, and finds one fault in each bad one.
    let ran = Command::new(&python).arg(directory().join("reader.py")).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{said}");
    assert!(said.contains("are read alike"), "{said}");
}

/// A Python that has the two packages: that of the machine, or one of our own, made once.
pub fn python_with_cbor2() -> PathBuf {
    let has = |python: &Path| {
        let ran = Command::new(python).args(["-c", "import cbor2, cryptography, tzdata"]).output();
        ran.is_ok_and(|ran| ran.status.success())
    };
    let system = PathBuf::from("python3");
    if has(&system) {
        return system;
    }
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("python");
    let own = home.join("bin/python3");
    if !has(&own) {
        let advice = "install Python 3 with venv, or `pip install cbor2 cryptography tzdata`; `.ci/run` does";
        let made = Command::new("python3").args(["-m", "venv"]).arg(&home).status().expect(advice);
        assert!(made.success(), "{advice}");
        let pip = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "cbor2",
            "cryptography",
            "tzdata",
        ];
        assert!(Command::new(&own).args(pip).status().unwrap().success(), "{advice}");
    }
    own
}
