//! Warrants that are kept once they were opened.

use std::sync::Arc;

use placet_core::warrant::{
    OpenWarrantError, OpenWarrants, RevocationList, Revocations, SealedWarrant, TrustedKeys, WarrantId,
};

use super::{key, now, roots, scope, sealed, terms};

const ONE: &str = "allow: ['todo']";

fn revoking(number: u64, ids: Vec<WarrantId>) -> Revocations {
    let list = RevocationList { issuer: key(1).public(), number, issued: now(), ids, keys: Vec::new() };
    let mut revoked = Revocations::none();
    revoked.add(list.seal(&key(1)).open(&roots()).unwrap()).unwrap();
    revoked
}

#[test]
fn a_warrant_is_opened_once_and_given_out_while_it_holds() {
    let chain = sealed(&[ONE, ONE]);
    let mut kept = OpenWarrants::new(roots(), 8);
    let none = Revocations::none();
    let first = kept.open(&chain, &none, now()).unwrap();
    let again = kept.open(&chain, &none, now().plus_ms(1)).unwrap();
    assert!(Arc::ptr_eq(&first, &again), "it was opened twice");

    // The answer is always that of opening it anew: with time, with lists, and back.
    let id = first.links()[0].head.id;
    let lists =
        [none, revoking(1, vec![WarrantId::from_bytes([9; 16])]), revoking(2, vec![id]), revoking(3, vec![])];
    for ms in [-2000, 0, 3_599_999, 3_600_000, 5] {
        for revoked in &lists {
            let (at, sealed) = (now().plus_ms(ms), &chain);
            let anew = sealed.open(&roots(), revoked, at).map(|warrant| warrant.digest());
            assert_eq!(kept.open(sealed, revoked, at).map(|warrant| warrant.digest()), anew, "{ms}");
        }
    }
}

#[test]
fn only_what_opens_is_kept_and_never_more_than_there_is_room_for() {
    let none = Revocations::none();
    let mut kept = OpenWarrants::new(roots(), 3);
    let forged = SealedWarrant::mint(terms(2, scope(ONE)), &key(7)).unwrap();
    assert!(matches!(kept.open(&forged, &none, now()), Err(OpenWarrantError::UnknownKey { .. })));
    assert!(kept.is_empty());
    let warrants: Vec<SealedWarrant> =
        (2..8).map(|holder| SealedWarrant::mint(terms(holder, scope(ONE)), &key(1)).unwrap()).collect();
    let first = kept.open(&warrants[0], &none, now()).unwrap();
    for warrant in &warrants {
        kept.open(warrant, &none, now()).unwrap();
        // Whatever is used stays.
        assert!(Arc::ptr_eq(&first, &kept.open(&warrants[0], &none, now()).unwrap()));
        assert!(kept.len() <= 3);
    }
    assert_eq!(kept.len(), 3);
    // Other roots are another cache.
    let mut other = OpenWarrants::new(TrustedKeys::new([key(7).public()]), 3);
    assert!(other.open(&warrants[0], &none, now()).is_err());
}
