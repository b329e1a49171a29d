//! Attacks by a writer who has the database and no key. None of them lets a call through that a person or an operator did
//! not let through.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_core::{Mode, ToolCall, grant::Wider};
use placet_engine::{HoldName, NewToken, Role, Ruling};
use rusqlite::Connection;

use crate::{
    rig::{Rig, call, harmless, risky, short, ticket},
    warrants::under,
};

/// What the attacker does.
fn attack(rig: &Rig, sql: &str) {
    Connection::open(rig.file()).unwrap().execute_batch(sql).unwrap();
}

/// The rows of one table, kept for later under another name.
fn keep(rig: &Rig, table: &str) {
    attack(rig, &format!("create table kept as select * from {table}"));
}

/// A call that is held, and is another one than [`risky`].
fn worse() -> ToolCall {
    call("rm -rf /srv/other")
}

#[tokio::test]
async fn a_person_approves_the_call_that_was_shown_and_no_other() {
    let rig = Rig::new();
    let shown = ticket(&rig.ask(risky()).await);
    let other = ticket(&rig.ask(worse()).await);
    let digest = format!("(select digest from kept where ticket = '{other}')");
    keep(&rig, "hold");
    attack(
        &rig,
        &format!(
            "delete from hold where ticket = '{other}'; update hold set digest = {digest} where ticket = '{shown}'"
        ),
    );
    let person = rig.person().await;
    let answered = rig.engine.answer(HoldName::parse(&shown).unwrap(), Ruling::Approve, &person).await;
    assert!(answered.is_err(), "{answered:?}");
    assert!(!rig.ask(worse()).await.is_allow());
}

#[tokio::test]
async fn a_person_sees_the_card_of_the_call_that_is_held() {
    let rig = Rig::new();
    let dangerous = ticket(&rig.ask(worse()).await);
    let other = ticket(&rig.ask(call("rm -rf /srv/shop/target/x; git push --force origin main")).await);
    attack(
        &rig,
        &format!(
            "update hold set card = (select card from hold where ticket = '{other}') where ticket = '{dangerous}'"
        ),
    );
    let person = rig.person().await;
    let answered = rig.engine.answer(HoldName::parse(&dangerous).unwrap(), Ruling::Approve, &person).await;
    assert!(answered.is_err(), "{answered:?}");
}

#[tokio::test]
async fn a_deadline_that_was_moved_is_no_deadline() {
    let rig = Rig::new();
    let held = ticket(&rig.ask(risky()).await);
    attack(&rig, "update hold set deadline = deadline + 360000000");
    rig.clock.advance(2 * 3_600_000);
    let person = rig.person().await;
    let answered = rig.engine.answer(HoldName::parse(&held).unwrap(), Ruling::Approve, &person).await;
    assert!(answered.is_err(), "{answered:?}");
}

#[tokio::test]
async fn an_agent_does_not_answer_under_another_name() {
    let rig = Rig::new();
    let person = rig.person().await;
    let held = ticket(&rig.ask(risky().with_agent("ann")).await);
    attack(&rig, "update hold set agent = 'bob'");
    let answered = rig.engine.answer(HoldName::parse(&held).unwrap(), Ruling::Approve, &person).await;
    assert!(answered.is_err(), "{answered:?}");
}

#[tokio::test]
async fn an_approval_that_was_used_is_not_put_back() {
    let rig = Rig::new();
    let held = ticket(&rig.ask(risky()).await);
    rig.approve(&held).await;
    keep(&rig, "hold");
    assert_eq!(short(&rig.ask(risky()).await), "allow");
    attack(&rig, "delete from once; delete from hold; insert into hold select * from kept");
    assert!(!rig.ask(risky()).await.is_allow());
}

#[tokio::test]
async fn nor_together_with_the_record_that_it_was_used() {
    let rig = Rig::new();
    let held = ticket(&rig.ask(risky()).await);
    rig.approve(&held).await;
    keep(&rig, "hold");
    assert_eq!(short(&rig.ask(risky()).await), "allow");
    attack(
        &rig,
        "delete from once; delete from hold; insert into hold select * from kept; \
         delete from record where idx = (select max(idx) from record where kind = 2)",
    );
    assert!(!rig.ask(risky()).await.is_allow());
}

#[tokio::test]
async fn a_row_makes_no_operator() {
    let elsewhere = Rig::new();
    let own = elsewhere.person().await;
    let token = NewToken { name: "eve".to_owned(), role: Role::Operator, agent: None };
    let (_, secret) = elsewhere.engine.token_create(token, &own).await.unwrap();
    let rig = Rig::new();
    rig.person().await;
    attack(
        &rig,
        &format!(
            "attach '{}' as elsewhere; insert into setting select * from elsewhere.setting where key like 'token:%'",
            elsewhere.file().display()
        ),
    );
    assert_eq!(rig.engine.caller(&secret).unwrap(), None);
    assert_eq!(rig.neighbour().engine.caller(&secret).unwrap(), None);
}

#[tokio::test]
async fn a_token_that_was_taken_back_is_not_put_back() {
    let rig = Rig::new();
    let person = rig.person().await;
    let token = NewToken { name: "ci".to_owned(), role: Role::Operator, agent: None };
    let (token, secret) = rig.engine.token_create(token, &person).await.unwrap();
    keep(&rig, "setting");
    assert!(rig.engine.token_revoke(&token.id, &person).await.unwrap());
    attack(&rig, "delete from setting; insert into setting select * from kept");
    assert_eq!(rig.engine.caller(&secret).unwrap(), None);
    assert_eq!(rig.neighbour().engine.caller(&secret).unwrap(), None);
}

#[tokio::test]
async fn a_row_lifts_no_mode() {
    for key in ["mode", "mode:nightly"] {
        let rig = Rig::new();
        rig.person().await;
        assert!(!rig.ask(risky()).await.is_allow());
        attack(&rig, &format!("insert into setting values ('{key}', 'observe')"));
        assert!(!rig.neighbour().ask(risky()).await.is_allow());
        rig.engine.standing().unwrap();
        assert!(!rig.ask(risky()).await.is_allow());
    }
}

#[tokio::test]
async fn a_mode_that_was_taken_back_is_not_put_back() {
    let rig = Rig::new();
    let person = rig.person().await;
    rig.engine.set_mode(None, Mode::Observe, &person).await.unwrap();
    assert_eq!(short(&rig.ask(risky()).await), "allow");
    keep(&rig, "setting");
    rig.engine.set_mode(None, Mode::Enforce, &person).await.unwrap();
    attack(&rig, "delete from setting; insert into setting select * from kept");
    assert!(!rig.ask(risky()).await.is_allow());
    assert!(!rig.neighbour().ask(risky()).await.is_allow());
}

#[tokio::test]
async fn what_is_stopped_stays_stopped() {
    for sql in [
        "delete from setting where key = 'stopped'",
        "update setting set value = '' where key = 'stopped'",
        "update setting set key = 'halted' where key = 'stopped'",
        // The record of it goes as well.
        "delete from setting where key = 'stopped'; delete from record where kind = 4 and idx > 0",
        // So does the seal.
        "delete from setting where key = 'stopped'; update head set size = 0, peaks = x''; delete from record",
    ] {
        let rig = Rig::new();
        let person = rig.person().await;
        rig.engine.stop_all(&person).await.unwrap();
        assert!(!rig.ask(harmless()).await.is_allow());
        attack(&rig, sql);
        assert!(!rig.ask(harmless()).await.is_allow(), "{sql}");
        assert!(!rig.neighbour().ask(harmless()).await.is_allow(), "{sql}");
    }
}

#[tokio::test]
async fn a_session_that_was_stopped_stays_stopped() {
    for sql in [
        "delete from setting where key like 'stopped:%'",
        "update setting set value = '' where key like 'stopped:%'",
    ] {
        let rig = Rig::new();
        let person = rig.person().await;
        rig.ask(harmless()).await;
        rig.engine.stop_session("s1", &person).await.unwrap();
        assert!(!rig.ask(harmless()).await.is_allow());
        attack(&rig, sql);
        assert!(!rig.ask(harmless()).await.is_allow(), "{sql}");
        assert!(!rig.neighbour().ask(harmless()).await.is_allow(), "{sql}");
    }
}

/// A grant of two calls for this session, of which the call itself has used none.
async fn granted(rig: &Rig, wider: Wider) -> String {
    let held = ticket(&rig.ask(risky()).await);
    rig.approve_for(&held, wider).await.unwrap();
    assert_eq!(short(&rig.ask(risky()).await), "allow");
    rig.engine.look(|ledger| ledger.grants(1)).unwrap().remove(0).id
}

#[tokio::test]
async fn a_grant_that_was_taken_back_stays_so() {
    for sql in [
        "update granted set revoked_by = null",
        "delete from granted; insert into granted select * from kept",
        "delete from granted; insert into granted select * from kept; delete from record where kind = 8 and idx > 4",
    ] {
        let rig = Rig::new();
        let person = rig.person().await;
        let id = granted(&rig, Wider::Session).await;
        assert_eq!(short(&rig.ask(risky()).await), "allow");
        keep(&rig, "granted");
        assert!(rig.engine.revoke_grant(&id, &person).await.unwrap());
        assert!(!rig.ask(risky()).await.is_allow());
        attack(&rig, sql);
        assert!(!rig.ask(risky()).await.is_allow(), "{sql}");
        assert!(!rig.neighbour().ask(risky()).await.is_allow(), "{sql}");
    }
}

#[tokio::test]
async fn what_was_used_up_stays_used_up() {
    for sql in ["update counter set value = 0", "delete from counter", "update counter set key = key || 'x'"]
    {
        let rig = Rig::new();
        granted(&rig, Wider::Times(2)).await;
        assert_eq!(short(&rig.ask(risky()).await), "allow");
        assert_eq!(short(&rig.ask(risky()).await), "allow");
        assert!(!rig.ask(risky()).await.is_allow());
        attack(&rig, sql);
        assert!(!rig.ask(risky()).await.is_allow(), "{sql}");
        assert!(!rig.neighbour().ask(risky()).await.is_allow(), "{sql}");
    }
}

#[tokio::test]
async fn a_bound_session_stays_bound() {
    for sql in [
        "update session set warrant = null",
        "delete from setting where key = 'bound'",
        "update session set id = 's9' where id = 's1'",
        "update setting set value = '' where key = 'bound'; delete from session where id = 's1'",
    ] {
        let (rig, _) = under("allow: ['read_file: path under /data']").await;
        assert!(!rig.ask(harmless()).await.is_allow());
        attack(&rig, sql);
        assert!(!rig.ask(harmless()).await.is_allow(), "{sql}");
        assert!(!rig.neighbour().ask(harmless()).await.is_allow(), "{sql}");
    }
}

#[tokio::test]
async fn a_record_stays_with_its_session() {
    let rig = Rig::new();
    rig.ask(harmless()).await;
    rig.ask(harmless().with_session("s2")).await;
    attack(&rig, "update record set session = (select no from session where id = 's2') where idx = 0");
    assert!(rig.verify().is_err());
}

/// The head says that settings were changed: then every process reads them again, and finds that the head is not sealed.
#[tokio::test]
async fn a_head_that_was_changed_counts_for_nothing() {
    let rig = Rig::new();
    rig.person().await;
    for sql in [
        "insert into setting values ('mode', 'observe'); update head set settings_version = settings_version + 1",
        "delete from seal",
        "update head set seal = x''",
    ] {
        attack(&rig, sql);
        assert!(!rig.ask(risky()).await.is_allow(), "{sql}");
        let other = rig.neighbour();
        let answer = short(&other.ask(harmless()).await);
        assert!(
            answer.starts_with("Blocked: another writer than Placet has changed the database"),
            "{answer}"
        );
    }
    assert!(rig.verify().is_err());
    let threats = rig.engine.look(|ledger| ledger.threats(true, 10)).unwrap();
    assert!(threats.iter().any(|threat| threat.rule == "placet.tampered"), "{threats:?}");
}

/// A person said no, or did not answer in time; the question does not come back as if neither had happened.
#[tokio::test]
async fn what_was_answered_does_not_wait_again() {
    let rig = Rig::new();
    let person = rig.person().await;
    let held = ticket(&rig.ask(risky()).await);
    rig.deny(&held, "no").await;
    attack(&rig, "update hold set state = 'pending'");
    let answered = rig.engine.answer(HoldName::parse(&held).unwrap(), Ruling::Approve, &person).await;
    assert!(answered.is_err(), "{answered:?}");
}

/// Who writes the database sees every stamp in it, and can make the name that a browser would show.
#[tokio::test]
async fn a_row_signs_in_no_user() {
    use sha2::Digest as _;
    let rig = Rig::new();
    let person = rig.person().await;
    let password = placet_engine::PasswordHash::of("correct horse battery").unwrap();
    rig.engine.user_add("bob", Role::Operator, password, &person).await.unwrap();
    let secret = [3; 32];
    let name: [u8; 32] =
        sha2::Sha256::new().chain_update("placet login 1").chain_update(secret).finalize().into();
    let hex = data_encoding::HEXLOWER.encode(&name);
    attack(
        &rig,
        &format!(
            "insert into login select x'{hex}', 'bob', json_extract(value, '$.stamp'), 99999999999999 \
             from setting where key = 'user:bob'"
        ),
    );
    let shown = data_encoding::BASE64URL_NOPAD.encode(&secret);
    assert_eq!(rig.engine.signed_in(&shown).unwrap(), None);
}

/// What is put into the data does nothing in our name, and shows no reader other rows.
#[tokio::test]
async fn a_trigger_in_the_data_does_nothing() {
    let rig = Rig::new();
    rig.person().await;
    attack(
        &rig,
        "create trigger evil after insert on record begin insert or replace into setting values ('mode', 'observe'); end",
    );
    for _ in 0..3 {
        assert!(!rig.ask(risky()).await.is_allow());
    }
    let other = rig.neighbour();
    assert!(!other.ask(risky()).await.is_allow());
    assert_eq!(other.engine.look(|ledger| ledger.settings()).unwrap().values.get("mode"), None);
    rig.verify().unwrap();
}

/// An index is a second copy: one that lists what the table does not have is found, and nothing is released by it.
#[tokio::test]
async fn an_index_that_does_not_fit_its_table_is_found() {
    let rig = Rig::new();
    let held = ticket(&rig.ask(risky()).await);
    rig.approve(&held).await;
    keep(&rig, "hold");
    assert_eq!(short(&rig.ask(risky()).await), "allow");
    // The index of what can be redeemed is taken out of the schema while the row is put back, and then put in again as it was.
    let file = rig.file();
    let database = Connection::open(&file).unwrap();
    let schema = "select rootpage, sql from sqlite_master where name = 'hold_redeem'";
    let (root, sql): (i64, String) =
        database.query_row(schema, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    database
        .execute_batch("pragma writable_schema = on; delete from sqlite_master where name = 'hold_redeem'; pragma schema_version = 1000")
        .unwrap();
    drop(database);
    attack(&rig, "delete from once; delete from hold; insert into hold select * from kept");
    let database = Connection::open(&file).unwrap();
    database.execute_batch("pragma writable_schema = on").unwrap();
    let put_back = "insert into sqlite_master values ('index', 'hold_redeem', 'hold', ?, ?)";
    database.execute(put_back, rusqlite::params![root, sql]).unwrap();
    database.execute_batch("pragma schema_version = 1001").unwrap();
    drop(database);
    assert!(!rig.ask(risky()).await.is_allow());
    assert!(!rig.neighbour().ask(risky()).await.is_allow());
    assert!(rig.verify().is_err());
}

/// Sealing the data anew brings nothing back: only the holder of the key and of a credential may do anything, and nothing
/// runs until they say so.
#[tokio::test]
async fn what_was_changed_is_taken_back_when_the_data_is_sealed_anew() {
    let rig = Rig::new();
    let person = rig.person().await;
    granted(&rig, Wider::Session).await;
    let token = NewToken { name: "ci".to_owned(), role: Role::Operator, agent: None };
    let (_, secret) = rig.engine.token_create(token, &person).await.unwrap();
    rig.engine.stop_session("s2", &person).await.unwrap();
    let held = ticket(&rig.ask(worse()).await);
    rig.approve(&held).await;
    let own = placet_engine::Credential::new("root", [4; 32]).unwrap();
    assert_eq!(rig.engine.reseal(&own).await, Ok(Vec::new()), "nothing to do");
    assert!(rig.engine.authenticate(&own).is_err());
    attack(
        &rig,
        "insert into setting values ('mode', 'observe'); delete from setting where key = 'stopped:s2'; \
         update granted set cites = cites; update granted set agent = 'other'; update hold set since = since + 1",
    );
    let rig = rig.restarted();
    assert!(!rig.ask(harmless()).await.is_allow());
    let parts = rig.engine.reseal(&own).await.unwrap();
    assert!(parts.contains(&placet_store::Part::Settings), "{parts:?}");
    rig.verify().unwrap();
    assert!(short(&rig.ask(harmless()).await).starts_with("Blocked: everything is stopped by audit reseal"));
    let root = rig.engine.authenticate(&own).unwrap();
    rig.engine.resume(&root).await.unwrap();
    assert_eq!(short(&rig.ask(harmless()).await), "allow");
    assert!(!rig.ask(risky()).await.is_allow(), "neither by the mode nor by the grant");
    assert!(!rig.ask(worse()).await.is_allow(), "the approval has lapsed");
    assert!(!rig.ask(harmless().with_session("s2")).await.is_allow(), "it was stopped");
    assert_eq!(rig.engine.caller(&secret).unwrap(), None);
    rig.verify().unwrap();
}
