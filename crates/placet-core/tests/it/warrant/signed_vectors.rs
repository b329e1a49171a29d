//! The vectors in `vectors/signed/`: proofs of possession, revocation lists, approvals and rates, good and bad.
//!
//! `UPDATE_VECTORS=1` writes them again; the files are what counts.

use std::{cell::RefCell, fs, path::PathBuf};

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use placet_core::{
    CallDigest, Policy, Timestamp, Verdict,
    decision::decide_under,
    warrant::{
        Approval, ApprovalScope, Authority, CountersInMemory, Held, Nonce, NonceWindow, Nonces, Posture,
        PublicKey, RevocationList, Revocations, SealedApproval, SealedProof, SealedRevocations,
        SealedWarrant, TrustedKeys, Warrant, WarrantId,
    },
};
use serde_json::{Value, json};

use super::{call, key, now, roots, scope, sealed, terms, vectors::signed_as};

const SLIP: &str = "allow: ['read_file: path under /data, ..']";
const PROOF: &[u8] = b"\xa2\x01\x27\x10\x6cplacet/proof";
const REVOCATIONS: &[u8] = b"\xa2\x01\x27\x10\x72placet/revocations";
const APPROVAL: &[u8] = b"\xa2\x01\x27\x10\x6fplacet/approval";

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../vectors/signed/{name}.json"))
}

fn stored(name: &str) -> Value {
    serde_json::from_slice(&fs::read(file(name)).expect("run with UPDATE_VECTORS=1")).unwrap()
}

/// The whole of a call, as proofs and approvals of these vectors name it.
fn digest(json: &str) -> CallDigest {
    CallDigest::of(&call(json), &[])
}

fn head() -> Value {
    json!({ "at": now().to_string(), "roots": [key(1).public().to_string()] })
}

fn with(mut value: Value, more: &Value) -> Value {
    for (name, part) in more.as_object().unwrap() {
        value[name] = part.clone();
    }
    value
}

/// `bytes` with `from`, which stands there once, replaced.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let found: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(from)).collect();
    assert_eq!(found.len(), 1, "{} is found {} times", HEXLOWER.encode(from), found.len());
    [&bytes[..found[0]], to, &bytes[found[0] + from.len()..]].concat()
}

fn text(bytes: &[u8]) -> String {
    BASE64URL_NOPAD.encode(bytes)
}

/// The payload of a proof.
fn said(link: [u8; 32], call: CallDigest, ms: i64, nonce: u8) -> Vec<u8> {
    let at = now().plus_ms(ms).as_ms().to_be_bytes();
    [
        &[0xa5, 0x01, 0x01, 0x02, 0x58, 0x20][..],
        &link,
        &[0x03, 0x58, 0x20],
        call.as_bytes(),
        &[0x04, 0x1b],
        &at,
        &[0x05, 0x50],
        &[nonce; 16],
    ]
    .concat()
}

const CALL: &str = r#"{"tool":"read_file","args":{"path":"/data/a"}}"#;

fn proofs() -> Value {
    let warrant = sealed(&[SLIP, SLIP]);
    let opened = warrant.open(&roots(), &Revocations::none(), now()).unwrap();
    let [first, last] = [&opened.links()[0], opened.last()].map(|link| *link.digest.as_bytes());
    let own = digest(CALL);
    let sign = |payload: &[u8]| signed_as(PROOF, payload, 3);
    let plain = sign(&said(last, own, 0, 5));
    let mut cases = Vec::new();
    let mut add = |about: &str, good: bool, call: &str, proof: String, used: &[u8]| {
        let used: Vec<String> = used.iter().map(|nonce| HEXLOWER.encode(&[*nonce; 16])).collect();
        cases.push(json!({
            "about": about, "good": good, "call": call, "proof": proof, "used": used,
            "digest": digest(call).to_string(),
        }));
    };
    add("by the holder, for this call, now", true, CALL, text(&plain), &[]);
    add("with blanks around it", true, CALL, format!(" {}\n", text(&plain)), &[]);
    add("other random bytes were used", true, CALL, text(&plain), &[4, 6]);
    for json in [
        r#"{"tool":"read_file","args":{"path":"/data/a","description":"a remark is an argument"}}"#,
        r#"{"tool":"Bash","args":{"command":"ls","description":"lists files"}}"#,
        r#"{"tool":"read_file"}"#,
        r#"{"tool":"read_file","args":{},"agent":"","host":"","session":""}"#,
        r#"{"tool":"read_file","args":{"path":"/data/a"},"agent":"scout","host":"hermes","session":"s1","cwd":"/srv"}"#,
        r#"{"tool":"read_file","args":{"n":[9007199254740993,18446744073709551615,-0.0,1.0,1e3,0.1,1e21,1.5e-7,-1.25]}}"#,
        r#"{"tool":"read_file","args":{"€":1,"😀":2,"ﬀ":3,"a":"\u0000\u001f\"\\/\u2028é","":null,"z":{"b":[],"a":{}}}}"#,
    ] {
        add("the digest of another call", true, json, text(&sign(&said(last, digest(json), 0, 5))), &[]);
    }
    for (ms, good) in [(60_000, true), (-60_000, true), (60_001, false), (-60_001, false)] {
        add("so far from now", good, CALL, text(&sign(&said(last, own, ms, 5))), &[]);
    }
    add("used before", false, CALL, text(&plain), &[5]);
    add("for another call", false, r#"{"tool":"read_file","args":{"path":"/data/b"}}"#, text(&plain), &[]);
    add(
        "over a call without its remark",
        false,
        r#"{"tool":"read_file","args":{"path":"/data/a","description":"x"}}"#,
        text(&plain),
        &[],
    );
    add(
        "for another working directory",
        false,
        r#"{"tool":"read_file","args":{"path":"/data/a"},"cwd":"/"}"#,
        text(&plain),
        &[],
    );
    add("for a link that is not the last", false, CALL, text(&sign(&said(first, own, 0, 5))), &[]);
    add(
        "by the holder of the first link",
        false,
        CALL,
        text(&signed_as(PROOF, &said(last, own, 0, 5), 2)),
        &[],
    );
    add("signed as an approval", false, CALL, text(&signed_as(APPROVAL, &said(last, own, 0, 5), 3)), &[]);
    let version = replaced(&said(last, own, 0, 5), &[0xa5, 0x01, 0x01], &[0xa5, 0x01, 0x02]);
    add("a version to come", false, CALL, text(&sign(&version)), &[]);
    let wide = replaced(&said(last, own, 0, 5), &[0xa5, 0x01, 0x01], &[0xa5, 0x01, 0x18, 0x01]);
    add("a number in more bytes than it needs", false, CALL, text(&sign(&wide)), &[]);
    let more = [&[0xa6][..], &said(last, own, 0, 5)[1..], &[0x06, 0x00]].concat();
    add("a field that is not known", false, CALL, text(&sign(&more)), &[]);
    let short = [&said(last, own, 0, 5)[..said(last, own, 0, 5).len() - 17], &[0x4f], &[5; 15]].concat();
    add("random bytes that are too few", false, CALL, text(&sign(&short)), &[]);
    let mut broken = plain.clone();
    *broken.last_mut().unwrap() ^= 1;
    add("a signature with one bit changed", false, CALL, text(&broken), &[]);
    add("in base64 with padding", false, CALL, format!("{}=", text(&plain)), &[]);
    with(head(), &json!({ "warrant": warrant.to_text(), "cases": cases }))
}

/// The payload of a list by root 1, or by `issuer`.
fn list(issuer: u8, number: u64, ids: &[u8], keys: &[PublicKey]) -> Vec<u8> {
    let mut payload = vec![0xa6, 0x01, 0x01, 0x02, 0x58, 0x20];
    payload.extend(key(issuer).public().as_bytes());
    payload.extend([0x03, u8::try_from(number).unwrap(), 0x04, 0x1b]);
    payload.extend(now().as_ms().to_be_bytes());
    payload.extend([0x05, 0x80 | u8::try_from(ids.len()).unwrap()]);
    for id in ids {
        payload.push(0x50);
        payload.extend([*id; 16]);
    }
    payload.extend([0x06, 0x80 | u8::try_from(keys.len()).unwrap()]);
    for key in keys {
        payload.extend([0x58, 0x20]);
        payload.extend(key.as_bytes());
    }
    payload
}

fn revocations() -> Value {
    // Links 2 and 3, of the holders 2 and 3.
    let warrant = sealed(&[SLIP, SLIP]);
    let sign = |payload: Vec<u8>, signer: u8| text(&signed_as(REVOCATIONS, &payload, signer));
    let mut keys = [key(8).public(), key(9).public()];
    keys.sort();
    let written = RevocationList {
        issuer: key(1).public(),
        number: 1,
        issued: now(),
        ids: vec![WarrantId::from_bytes([9; 16])],
        keys: keys.to_vec(),
    };
    assert_eq!(written.seal(&key(1)).to_text(), sign(list(1, 1, &[9], &keys), 1));
    let mut cases = Vec::new();
    let mut add = |about: &str, good: bool, lists: &[String]| {
        cases.push(json!({ "about": about, "good": good, "lists": lists }));
    };
    add("nothing is revoked", true, &[sign(list(1, 0, &[], &[]), 1)]);
    add("others are revoked", true, &[sign(list(1, 1, &[9], &keys), 1)]);
    add("the first link is revoked", false, &[sign(list(1, 1, &[2], &[]), 1)]);
    add("the last link is revoked", false, &[sign(list(1, 1, &[3, 9], &[]), 1)]);
    add("the issuer of a link is revoked", false, &[sign(list(1, 1, &[], &[key(2).public()]), 1)]);
    add("the root itself is revoked", false, &[sign(list(1, 1, &[], &[key(1).public()]), 1)]);
    add("the holder of the last link is revoked", false, &[sign(list(1, 1, &[], &[key(3).public()]), 1)]);
    add(
        "a newer list replaces the whole",
        true,
        &[sign(list(1, 1, &[2], &[]), 1), sign(list(1, 2, &[9], &[]), 1)],
    );
    add(
        "an older list after a newer one",
        false,
        &[sign(list(1, 2, &[9], &[]), 1), sign(list(1, 1, &[8], &[]), 1)],
    );
    add("the same list twice", true, &[sign(list(1, 1, &[9], &[]), 1), sign(list(1, 1, &[9], &[]), 1)]);
    add(
        "two lists with one number",
        false,
        &[sign(list(1, 1, &[8], &[]), 1), sign(list(1, 1, &[9], &[]), 1)],
    );
    add("by a key that is no root", false, &[sign(list(5, 1, &[9], &[]), 5)]);
    add("signed by another key than its issuer", false, &[sign(list(1, 1, &[9], &[]), 5)]);
    add("ids that are not sorted", false, &[sign(list(1, 1, &[9, 8], &[]), 1)]);
    add("an id twice", false, &[sign(list(1, 1, &[9, 9], &[]), 1)]);
    add("keys that are not sorted", false, &[sign(list(1, 1, &[], &[keys[1], keys[0]]), 1)]);
    add("signed as a proof", false, &[text(&signed_as(PROOF, &list(1, 1, &[9], &[]), 1))]);
    with(head(), &json!({ "warrant": warrant.to_text(), "cases": cases }))
}

fn approvals() -> Value {
    let approval = |approver: &str, scope: ApprovalScope| Approval {
        id: [3; 16],
        issuer: key(1).public(),
        call: digest(CALL),
        approver: approver.to_owned(),
        scope,
        issued: now(),
        expires: now().plus_ms(3_600_000),
    };
    let plain = approval("alice@example.com", ApprovalScope::ThisCall).seal(&key(1));
    let grant = approval("Ålice", ApprovalScope::WithGrant(WarrantId::from_bytes([7; 16]))).seal(&key(1));
    let foreign = approval("alice@example.com", ApprovalScope::ThisCall).seal(&key(5));
    let mut cases = Vec::new();
    let mut add = |about: &str, good: bool, ms: i64, call: &str, approval: String| {
        let at = now().plus_ms(ms).to_string();
        cases.push(json!({ "about": about, "good": good, "at": at, "call": call, "approval": approval }));
    };
    add("for this call", true, 0, CALL, plain.to_text());
    add("with a grant", true, 0, CALL, grant.to_text());
    add("in its last moment", true, 3_599_999, CALL, plain.to_text());
    add("when it has ended", false, 3_600_000, CALL, plain.to_text());
    add("before it was given", false, -1, CALL, plain.to_text());
    add("for another call", false, 0, r#"{"tool":"todo"}"#, plain.to_text());
    add("by a key that may not approve", false, 0, CALL, foreign.to_text());
    // Envelope, id, issuer and so on as above, with one thing changed and signed again.
    let payload = |bytes: &[u8]| bytes[26..bytes.len() - 66].to_vec();
    let body = payload(plain.as_bytes());
    let forged = |body: &[u8], header: &[u8], signer: u8| text(&signed_as(header, body, signer));
    assert_eq!(forged(&body, APPROVAL, 1), plain.to_text(), "taken apart and put together");
    add("signed by another key than its issuer", false, 0, CALL, forged(&body, APPROVAL, 5));
    add("signed as a proof", false, 0, CALL, forged(&body, PROOF, 1));
    let nobody = replaced(&body, b"\x71alice@example.com", b"\x60");
    add("by nobody", false, 0, CALL, forged(&nobody, APPROVAL, 1));
    let version = replaced(&body, &[0xa8, 0x01, 0x01], &[0xa8, 0x01, 0x02]);
    add("a version to come", false, 0, CALL, forged(&version, APPROVAL, 1));
    let id = replaced(&body, &[0x06, 0xf6], &[0x06, 0x41, 0x07]);
    add("with the id of a grant that is too short", false, 0, CALL, forged(&id, APPROVAL, 1));
    with(head(), &json!({ "cases": cases }))
}

/// Which of calls at some milliseconds are within a rate.
fn within(count: u64, per_ms: u64, instants: &[i64]) -> Vec<bool> {
    let mut terms = terms(2, scope(&format!("allow: ['todo']\nlimits: {{rate: '{count}/{per_ms}ms'}}")));
    terms.not_before = now();
    let warrant = SealedWarrant::mint(terms, &key(1)).unwrap();
    let warrant = warrant.open(&roots(), &Revocations::none(), now()).unwrap();
    let counters = RefCell::new(CountersInMemory::default());
    let ask = |at: &i64| {
        let authority = Authority {
            warrant: &warrant,
            held: Held::Taken,
            posture: Posture::OPEN,
            counters: &*counters.borrow(),
            now: now().plus_ms(*at),
        };
        decide_under(&call(r#"{"tool":"todo"}"#), &Policy::default(), Some(&authority))
    };
    instants
        .iter()
        .map(|at| {
            let decision = ask(at);
            let allowed = decision.verdict == Verdict::Allow;
            if allowed {
                counters.borrow_mut().settle(&decision.claims).unwrap();
            }
            allowed
        })
        .collect()
}

fn rates() -> Value {
    let every = |step: i64, count: i64| (0..count).map(|number| number * step).collect::<Vec<_>>();
    let cases: Vec<Value> = [
        (
            "bursts around the end of a stretch",
            3,
            1_000,
            vec![0, 1, 2, 3, 990, 999, 1_000, 1_050, 1_099, 1_100, 1_101, 1_102, 1_103, 2_200],
        ),
        ("one after the other", 2, 1_000, every(170, 24)),
        ("a stretch that ten does not divide", 2, 95, every(13, 30)),
        ("a stretch of eleven milliseconds", 2, 11, every(1, 40)),
        ("a stretch shorter than ten steps", 2, 7, every(1, 30)),
        ("a stretch of one millisecond", 1, 1, vec![0, 0, 1, 1, 2, 4]),
        ("no calls at all", 0, 1_000, vec![0, 5_000]),
        ("a minute", 10, 60_000, every(2_500, 60)),
    ]
    .into_iter()
    .map(|(about, count, per_ms, instants)| {
        let allowed = within(count, per_ms, &instants);
        let calls: Vec<Value> =
            instants.iter().zip(allowed).map(|(at, allowed)| json!([at, allowed])).collect();
        json!({ "about": about, "begins": 0, "rate": [count, per_ms], "calls": calls })
    })
    .collect();
    json!({ "cases": cases })
}

/// Those that were used, by their bytes.
struct Used(Vec<Nonce>);

impl Nonces for Used {
    fn has(&self, nonce: &Nonce) -> bool {
        self.0.contains(nonce)
    }
}

fn each(name: &str, counts: impl Fn(&Value) -> bool) {
    let stored = stored(name);
    for case in stored["cases"].as_array().unwrap() {
        assert_eq!(counts(case), case["good"].as_bool().unwrap(), "{name}: {}", case["about"]);
    }
}

fn opened_from(stored: &Value) -> Warrant {
    let warrant = SealedWarrant::parse(stored["warrant"].as_str().unwrap()).unwrap();
    warrant.open(&roots(), &Revocations::none(), now()).unwrap()
}

#[test]
fn signed_vectors_are_read_as_they_say() {
    let all = [
        ("proofs", proofs()),
        ("revocations", revocations()),
        ("approvals", approvals()),
        ("rates", rates()),
    ];
    for (name, made) in all {
        if std::env::var_os("UPDATE_VECTORS").is_some() {
            fs::create_dir_all(file(name).parent().unwrap()).unwrap();
            fs::write(file(name), format!("{made:#}\n")).unwrap();
        }
        assert_eq!(stored(name), made, "{name}");
    }
    let warrant = opened_from(&stored("proofs"));
    each("proofs", |case| {
        let used = case["used"].as_array().unwrap().iter().map(|nonce| {
            let bytes = HEXLOWER.decode(nonce.as_str().unwrap().as_bytes()).unwrap();
            Nonce::from_bytes(bytes.try_into().unwrap())
        });
        let call = digest(case["call"].as_str().unwrap());
        SealedProof::parse(case["proof"].as_str().unwrap())
            .is_ok_and(|proof| proof.check(&warrant, &call, now(), &Used(used.collect())).is_ok())
    });
    each("revocations", |case| {
        let mut revoked = Revocations::none();
        case["lists"].as_array().unwrap().iter().all(|list| {
            let list = SealedRevocations::parse(list.as_str().unwrap()).unwrap().open(&roots());
            list.and_then(|list| revoked.add(list)).is_ok()
        }) && warrant.recheck(&revoked, now()).is_ok()
    });
    each("approvals", |case| {
        let bytes = BASE64URL_NOPAD.decode(case["approval"].as_str().unwrap().as_bytes()).unwrap();
        let at = Timestamp::parse(case["at"].as_str().unwrap()).unwrap();
        let keys = TrustedKeys::new([key(1).public()]);
        SealedApproval::from_bytes(bytes).open(&keys, &digest(case["call"].as_str().unwrap()), at).is_ok()
    });
}

#[test]
fn a_proof_is_over_all_arguments() {
    // The table of tools calls `description` a remark; the digest of a decision leaves it out, that of a proof does not.
    let warrant = sealed(&["allow: ['Bash: command argv(ls), description?']"]);
    let warrant = warrant.open(&roots(), &Revocations::none(), now()).unwrap();
    let with_remark = call(r#"{"tool":"Bash","args":{"command":"ls","description":"lists files"}}"#);
    let decided = |proved: &placet_core::ToolCall| {
        let digest = CallDigest::of(proved, &[]);
        let proof =
            SealedProof::make(warrant.last().digest, digest, now(), Nonce::from_bytes([1; 16]), &key(2));
        let possession = proof.check(&warrant, &digest, now(), &NonceWindow::with_room(1)).unwrap();
        let authority = Authority {
            warrant: &warrant,
            held: Held::Proved(&possession),
            posture: Posture::OPEN,
            counters: &CountersInMemory::default(),
            now: now(),
        };
        decide_under(&with_remark, &Policy::default(), Some(&authority)).verdict
    };
    assert_eq!(decided(&with_remark), Verdict::Allow);
    assert_eq!(decided(&call(r#"{"tool":"Bash","args":{"command":"ls"}}"#)), Verdict::Block);
}
