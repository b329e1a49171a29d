//! How a chain opens, and all the ways in which it does not.

use placet_core::{
    Timestamp,
    warrant::{
        CHAIN_BYTES_MAX, OpenWarrantError, PublicKey, RevocationError, RevocationList, Revocations,
        SealedRevocations, SealedWarrant, SigningKey, TrustedKeys, WarrantId,
    },
};

use super::{key, now, roots, scope, sealed, terms};

const SLIP: &str = "allow: ['read_file: path under /data', 'memory']\nlimits: {max_calls: 5}";

fn open(warrant: &SealedWarrant, at: Timestamp) -> Result<(), OpenWarrantError> {
    warrant.open(&roots(), &Revocations::none(), at).map(drop)
}

fn refusal(warrant: &SealedWarrant) -> String {
    open(warrant, now()).expect_err("it must not open").to_string()
}

#[test]
fn a_chain_opens_for_its_roots_and_while_it_lives() {
    let chain = sealed(&[SLIP, SLIP, SLIP]);
    assert_eq!(open(&chain, now()), Ok(()));
    assert_eq!(SealedWarrant::parse(&chain.to_text()), Ok(chain.clone()));
    let strangers = TrustedKeys::new([key(2).public(), key(9).public()]);
    let error = chain.open(&strangers, &Revocations::none(), now()).unwrap_err();
    assert!(error.to_string().contains("which is not a trusted root"), "{error}");
    assert!(chain.open(&TrustedKeys::default(), &Revocations::none(), now()).is_err());
    assert!(matches!(open(&chain, now().plus_ms(3_600_000)), Err(OpenWarrantError::Expired { link: 1, .. })));
    assert!(matches!(open(&chain, now().plus_ms(-1001)), Err(OpenWarrantError::NotYet { link: 1, .. })));
    assert_eq!(open(&chain, now().plus_ms(3_599_999)), Ok(()));
}

#[test]
fn a_parent_that_expired_takes_its_children_along() {
    let mut first = terms(2, scope(SLIP));
    first.expires = now().plus_ms(10_000);
    let parent = SealedWarrant::mint(first, &key(1)).unwrap();
    let mut second = terms(3, scope(SLIP));
    second.expires = now().plus_ms(10_000);
    let child = parent.peek().unwrap().grant(second, &key(2)).unwrap();
    assert!(matches!(open(&child, now().plus_ms(10_000)), Err(OpenWarrantError::Expired { link: 1, .. })));
    // A child that would live longer is not even issued.
    let error = parent.peek().unwrap().grant(terms(3, scope(SLIP)), &key(2)).unwrap_err();
    assert!(error.to_string().starts_with("it would outlive the warrant it comes from"), "{error}");
}

#[test]
fn only_the_holder_passes_on_and_only_as_far_as_allowed() {
    let parent = sealed(&[SLIP]);
    let error = parent.peek().unwrap().grant(terms(3, scope(SLIP)), &key(3)).unwrap_err();
    assert!(error.to_string().starts_with("this key does not hold the warrant"), "{error}");
    let mut last = terms(2, scope(SLIP));
    last.max_depth = Some(1);
    let once = SealedWarrant::mint(last, &key(1)).unwrap();
    let child = once.peek().unwrap().grant(terms(3, scope(SLIP)), &key(2)).unwrap();
    assert_eq!(open(&child, now()), Ok(()));
    assert!(child.peek().unwrap().grant(terms(4, scope(SLIP)), &key(3)).is_err());
    let slips = vec![SLIP; 16];
    assert_eq!(open(&sealed(&slips), now()), Ok(()));
    assert!(sealed(&slips).peek().unwrap().grant(terms(18, scope(SLIP)), &key(17)).is_err());
    let mut long = terms(2, scope(SLIP));
    long.expires = long.not_before.plus_ms(90 * 86_400_000 + 1);
    assert!(SealedWarrant::mint(long, &key(1)).is_err());
}

#[test]
fn links_of_other_chains_do_not_fit() {
    // The same links, but one of them from a twin of the chain: each signature holds, the chain does not.
    let twin = sealed(&[SLIP, "allow: ['memory']", SLIP]);
    let own = sealed(&[SLIP, SLIP, SLIP]);
    let (own, twin) = (split(&own), split(&twin));
    for (links, expected) in [
        (vec![&own[0], &twin[1], &own[2]], "link 3 does not belong where it stands"),
        (vec![&own[0], &own[2]], "link 2 is not issued by the holder of the link before it"),
        (vec![&own[1], &own[2]], "the warrant is issued by"),
        (vec![&own[1], &own[0]], "the warrant is issued by"),
        (vec![&own[0], &own[0]], "link 2 is not issued by the holder of the link before it"),
        (vec![&own[0], &own[2], &own[1]], "link 2 is not issued by the holder of the link before it"),
    ] {
        let refused = refusal(&join(&links));
        assert!(refused.starts_with(expected), "{refused}, not {expected}");
    }
}

#[test]
fn what_is_revoked_falls_with_all_that_follows() {
    let chain = sealed(&[SLIP, SLIP, SLIP]);
    let list = |number: u64, ids: &[u8], keys: &[u8]| {
        let list = RevocationList {
            issuer: key(1).public(),
            number,
            issued: now(),
            ids: ids.iter().map(|id| WarrantId::from_bytes([*id; 16])).collect(),
            keys: keys.iter().map(|number| key(*number).public()).collect(),
        };
        list.seal(&key(1))
    };
    let opens = |lists: &[SealedRevocations]| {
        let mut revoked = Revocations::none();
        for list in lists {
            revoked.add(list.open(&roots()).unwrap()).unwrap();
        }
        chain.open(&roots(), &revoked, now()).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(opens(&[list(1, &[9], &[9])]), Ok(()));
    for (id, link) in [(2, 1), (3, 2), (4, 3)] {
        let refused = opens(&[list(1, &[id, 9], &[])]).unwrap_err();
        assert!(refused.starts_with(&format!("link {link} (")), "{refused}");
    }
    assert!(opens(&[list(1, &[], &[3])]).unwrap_err().contains("has been revoked"));
    // A newer list replaces an older one, never the other way round.
    assert_eq!(opens(&[list(1, &[2], &[]), list(2, &[9], &[])]), Ok(()));
    let mut revoked = Revocations::none();
    revoked.add(list(2, &[2], &[]).open(&roots()).unwrap()).unwrap();
    let older = revoked.add(list(1, &[], &[9]).open(&roots()).unwrap());
    assert_eq!(older, Err(RevocationError::Older { number: 1, newest: 2 }));
    let other = revoked.add(list(2, &[], &[9]).open(&roots()).unwrap());
    assert_eq!(other, Err(RevocationError::Ambiguous { number: 2 }));
    // Only a root revokes.
    let stranger =
        RevocationList { issuer: key(2).public(), number: 9, issued: now(), ids: vec![], keys: vec![] };
    assert!(matches!(stranger.seal(&key(2)).open(&roots()), Err(RevocationError::UnknownKey { .. })));
    // An opened warrant is asked again before each use.
    let warrant = chain.open(&roots(), &Revocations::none(), now()).unwrap();
    assert!(warrant.recheck(&revoked, now()).is_err());
    assert!(warrant.recheck(&Revocations::none(), now().plus_ms(3_600_000)).is_err());
    assert!(warrant.recheck(&Revocations::none(), now()).is_ok());
}

#[test]
fn no_single_bit_of_a_chain_can_change() {
    let chain = sealed(&[SLIP, "gate: ['read_file: path under /data/x or glob /d*']\neffects: no delete"]);
    let bytes = chain.as_bytes();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.to_vec();
            changed[at] ^= 1 << bit;
            let changed = SealedWarrant::from_bytes(changed);
            assert!(open(&changed, now()).is_err(), "byte {at}, bit {bit}");
        }
    }
}

#[test]
fn no_part_of_a_chain_is_a_chain() {
    let chain = sealed(&[SLIP, SLIP]);
    let bytes = chain.as_bytes();
    for length in 0..bytes.len() {
        assert!(open(&SealedWarrant::from_bytes(&bytes[..length]), now()).is_err(), "{length} bytes");
    }
    let mut longer = bytes.to_vec();
    longer.push(0);
    assert!(open(&SealedWarrant::from_bytes(longer), now()).is_err());
}

#[test]
fn what_is_too_long_is_neither_written_nor_read() {
    // Some 300 bytes for each capability: more than 64 KiB together.
    let long: Vec<String> =
        (0..250).map(|n| format!("  - 'f{n}: path under /{}'\n", "x".repeat(280))).collect();
    let long = scope(&format!("allow:\n{}", long.concat()));
    let error = SealedWarrant::mint(terms(2, long), &key(1)).unwrap_err();
    assert!(std::error::Error::source(&error).unwrap().to_string().contains("longer than 64 KiB"), "{error}");
    // Links of some 50 KiB each: the fifth is too much for a chain.
    let large: Vec<String> =
        (0..180).map(|n| format!("  - 'f{n}: path under /{}'\n", "x".repeat(270))).collect();
    let large = scope(&format!("allow:\n{}", large.concat()));
    let mut warrant = SealedWarrant::mint(terms(2, large.clone()), &key(1)).unwrap();
    let mut links = 1;
    let error = loop {
        match warrant.peek().unwrap().grant(terms(links + 2, large.clone()), &key(links + 1)) {
            Ok(longer) => warrant = longer,
            Err(error) => break error,
        }
        links += 1;
    };
    assert_eq!((links, error.to_string().as_str()), (4, "the warrant would be longer than 256 KiB"));
    assert!(open(&warrant, now()).is_ok());
    // Bytes of that length are not even looked at.
    let too_long = SealedWarrant::from_bytes(vec![0x81; CHAIN_BYTES_MAX + 1]);
    assert_eq!(open(&too_long, now()), Err(OpenWarrantError::TooLong));
    assert_eq!(SealedWarrant::parse(&"A".repeat(CHAIN_BYTES_MAX * 2)), Err(OpenWarrantError::TooLong));
}

#[test]
fn keys_are_read_strictly_and_never_shown() {
    let key = key(7);
    let secret = key.to_secret_text();
    assert_eq!(SigningKey::parse(&secret).unwrap().public(), key.public());
    let public = key.public().to_string();
    assert_eq!(PublicKey::parse(&public), Ok(key.public()));
    let shown = format!("{key:?}");
    assert!(!shown.contains(&secret[12..20]), "{shown}");
    for (text, expected) in [
        (secret.as_str(), "this is a secret key; give the public one, which `placet key show NAME` prints"),
        (
            "ssh-ed25519 AAAA",
            "`ssh-ed25519 AAAA` is no public key; one begins with `placet_pk_1_`, and `placet key show NAME` prints it",
        ),
        (&public[..public.len() - 1], "the bytes are no Ed25519 key; was something cut off or mistyped?"),
        // The neutral point: every signature of zeros would be good for it.
        (
            "placet_pk_1_AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "the bytes are no Ed25519 key; was something cut off or mistyped?",
        ),
    ] {
        assert_eq!(PublicKey::parse(text).unwrap_err().to_string(), expected);
    }
    let error = SigningKey::parse("AKIAsecret").unwrap_err().to_string();
    assert!(!error.contains("AKIA"), "{error}");
}

/// The links of a chain, by the lengths that their headers tell.
pub fn split(chain: &SealedWarrant) -> Vec<Vec<u8>> {
    let bytes = chain.as_bytes();
    let mut links = Vec::new();
    let mut at = 1;
    while at < bytes.len() {
        let (length, header) = match bytes[at] {
            0x58 => (usize::from(bytes[at + 1]), 2),
            0x59 => (usize::from(bytes[at + 1]) << 8 | usize::from(bytes[at + 2]), 3),
            other => panic!("a link begins with {other:#x}"),
        };
        links.push(bytes[at + header..at + header + length].to_vec());
        at += header + length;
    }
    links
}

/// A chain of these links.
pub fn join(links: &[&Vec<u8>]) -> SealedWarrant {
    let mut bytes = vec![0x80 | u8::try_from(links.len()).unwrap()];
    for link in links {
        match link.len() {
            length @ 0..=255 => bytes.extend([0x58, u8::try_from(length).unwrap()]),
            length => {
                bytes.push(0x59);
                bytes.extend(u16::try_from(length).unwrap().to_be_bytes());
            }
        }
        bytes.extend_from_slice(link);
    }
    SealedWarrant::from_bytes(bytes)
}
