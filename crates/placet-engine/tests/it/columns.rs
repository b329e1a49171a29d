//! Every column of every table, as the database itself lists them: what happens when a writer without the key changes it, or
//! takes a row away. A column that is new fails this test until the table here says what it is for.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{path::Path, sync::Arc, time::Duration};

use placet_core::{
    Timestamp, ToolCall,
    grant::Wider,
    hold::Ticket,
    record::compact,
    rule::{Match, Note, Noted, RulePolicy, Severity, Track},
};
use placet_engine::{Engine, HoldName, ManualClock, NewToken, Role, Ruling, Submission};
use placet_store::{
    CrisisMark, Escalation, HoldId, NewNotice, Sighting, StoredLogin, Vote,
    sqlite::{Options, SEALED, SqliteStore},
    transact,
};
use rusqlite::Connection;

use crate::rig::{Rig, call, configuration, harmless, keys, risky, short, ticket, verify_file};

/// What a change of a column, or of the rows of a table, comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// What rests on it does not run; `audit verify` names it.
    Refused(Probe),
    /// It lets no call run that would not run anyway, for the reason given; `audit verify` names it.
    Found(&'static str),
    /// It is shown to people and decides nothing.
    Display,
    /// The database refuses it.
    Impossible,
}
use Effect::{Display, Found, Impossible, Refused};

/// Something that must not run after the change, and runs without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Probe {
    /// A harmless call.
    Anything,
    /// A call with an approval that waits for it.
    Approved,
    /// A call that waits for an answer, once it is approved.
    Pending,
    /// A call like one that was approved for the session.
    Granted,
}
use Probe::{Anything, Approved, Granted, Pending};

const SEALED_RECORD: &str = "records are read with their seal where they count";
const MORE: &str = "it only asks, tells or waits more or less; an answer counts by its sealed record";
const COUNTED: &str = "what rules remember is not compared at each call";

/// Table, column, effect.
const COLUMNS: &[(&str, &str, Effect)] = &[
    ("setting", "key", Refused(Anything)),
    ("setting", "value", Refused(Anything)),
    ("head", "one", Impossible),
    ("head", "size", Refused(Anything)),
    ("head", "peaks", Refused(Anything)),
    ("head", "settings_version", Refused(Anything)),
    ("head", "seal", Refused(Anything)),
    ("seal", "part", Refused(Anything)),
    ("seal", "sum", Refused(Anything)),
    ("record", "idx", Found(SEALED_RECORD)),
    ("record", "kind", Found(SEALED_RECORD)),
    ("record", "at", Found(SEALED_RECORD)),
    ("record", "session", Found(SEALED_RECORD)),
    ("record", "call", Found(SEALED_RECORD)),
    ("record", "body", Refused(Pending)),
    ("record", "leaf", Found(SEALED_RECORD)),
    ("record", "seal", Refused(Pending)),
    ("subtree", "height", Found("a proof made of it is checked before it is given")),
    ("subtree", "number", Found("a proof made of it is checked before it is given")),
    ("subtree", "hash", Found("a proof made of it is checked before it is given")),
    ("checkpoint", "size", Found("it is signed")),
    ("checkpoint", "text", Found("it is signed")),
    ("hold", "id", Refused(Approved)),
    ("hold", "ticket", Refused(Approved)),
    ("hold", "digest", Refused(Pending)),
    ("hold", "agent", Refused(Pending)),
    ("hold", "session", Refused(Pending)),
    ("hold", "record", Refused(Pending)),
    ("hold", "opened", Refused(Pending)),
    ("hold", "deadline", Refused(Pending)),
    ("hold", "inline_only", Refused(Pending)),
    ("hold", "crisis", Refused(Pending)),
    ("hold", "card", Refused(Pending)),
    ("hold", "state", Refused(Pending)),
    ("hold", "since", Refused(Approved)),
    ("hold", "by", Refused(Approved)),
    ("hold", "reason", Refused(Approved)),
    ("hold", "redeem_until", Refused(Approved)),
    ("hold", "approval", Refused(Approved)),
    ("counter", "key", Refused(Granted)),
    ("counter", "value", Refused(Granted)),
    ("counter", "ends", Refused(Granted)),
    (
        "once",
        "key",
        Found("approvals are sealed by themselves; a call with a proof is refused, see `warrants`"),
    ),
    (
        "once",
        "at",
        Found("approvals are sealed by themselves; a call with a proof is refused, see `warrants`"),
    ),
    ("party", "no", Found(COUNTED)),
    ("party", "name", Found(COUNTED)),
    ("shelf", "party", Found(COUNTED)),
    ("shelf", "rule", Found(COUNTED)),
    ("shelf", "ends", Found(COUNTED)),
    ("shelf", "bytes", Found(COUNTED)),
    ("session", "no", Refused(Anything)),
    ("session", "id", Refused(Anything)),
    ("session", "agent", Refused(Anything)),
    ("session", "host", Refused(Anything)),
    ("session", "parent", Refused(Anything)),
    ("session", "user", Refused(Anything)),
    ("session", "deployment", Refused(Anything)),
    ("session", "first_seen", Refused(Anything)),
    ("session", "last_seen", Display),
    ("session", "minute", Display),
    ("session", "ended", Display),
    ("session", "allowed", Display),
    ("session", "held", Display),
    ("session", "blocked", Display),
    ("session", "warrant", Refused(Anything)),
    ("threat", "id", Refused(Anything)),
    ("threat", "rule", Refused(Anything)),
    ("threat", "session", Refused(Anything)),
    ("threat", "title", Refused(Anything)),
    ("threat", "severity", Refused(Anything)),
    ("threat", "policy", Refused(Anything)),
    ("threat", "state", Refused(Anything)),
    ("threat", "first", Refused(Anything)),
    ("threat", "last", Refused(Anything)),
    ("threat", "count", Refused(Anything)),
    ("threat", "record", Refused(Anything)),
    ("granted", "no", Refused(Granted)),
    ("granted", "id", Refused(Granted)),
    ("granted", "agent", Refused(Granted)),
    ("granted", "session", Refused(Granted)),
    ("granted", "ticket", Refused(Granted)),
    ("granted", "cites", Refused(Granted)),
    ("granted", "by", Refused(Granted)),
    ("granted", "given", Refused(Granted)),
    ("granted", "expires", Refused(Granted)),
    ("granted", "warrant", Refused(Granted)),
    ("granted", "revoked_by", Refused(Granted)),
    ("vote", "no", Found(MORE)),
    ("vote", "hold", Found(MORE)),
    ("vote", "voter", Found(MORE)),
    ("vote", "yes", Found(MORE)),
    ("vote", "wider", Found(MORE)),
    ("vote", "at", Found(MORE)),
    ("vote", "record", Found(MORE)),
    ("edited", "hold", Found("the approval is signed over the arguments that a person has written")),
    ("edited", "args", Found("the approval is signed over the arguments that a person has written")),
    ("escalation", "hold", Found(MORE)),
    ("escalation", "step", Found(MORE)),
    ("escalation", "due", Found(MORE)),
    ("review", "record", Found(MORE)),
    ("review", "session", Found(MORE)),
    ("review", "at", Found(MORE)),
    ("review", "outcome", Found(MORE)),
    ("review", "state", Found(MORE)),
    ("review", "by", Found(MORE)),
    ("review", "note", Found(MORE)),
    ("happening", "id", Display),
    ("happening", "at", Display),
    ("happening", "kind", Display),
    ("happening", "session", Display),
    ("happening", "body", Display),
    ("login", "name", Found("a row without its keyed stamp signs in no user, see `a_row_signs_in_no_user`")),
    ("login", "user", Found("a row without its keyed stamp signs in no user, see `a_row_signs_in_no_user`")),
    ("login", "stamp", Found("a row without its keyed stamp signs in no user, see `a_row_signs_in_no_user`")),
    (
        "login",
        "expires",
        Found("a row without its keyed stamp signs in no user, see `a_row_signs_in_no_user`"),
    ),
    ("tries", "key", Found("the waits between passwords are not; the password is")),
    ("tries", "count", Found("the waits between passwords are not; the password is")),
    ("tries", "last", Found("the waits between passwords are not; the password is")),
    ("notice", "id", Found(MORE)),
    ("notice", "channel", Found(MORE)),
    ("notice", "occasion", Found(MORE)),
    ("notice", "subject", Found(MORE)),
    ("notice", "body", Found(MORE)),
    ("notice", "made", Found(MORE)),
    ("notice", "state", Found(MORE)),
    ("notice", "attempts", Found(MORE)),
    ("notice", "due", Found(MORE)),
    ("notice", "problem", Found(MORE)),
    ("crisis", "scope", Found("a message to people is confirmed, as if it had been spoken of before")),
    ("crisis", "mark", Found("a message to people is confirmed, as if it had been spoken of before")),
    ("crisis", "language", Found("a message to people is confirmed, as if it had been spoken of before")),
    ("crisis", "at", Found("a message to people is confirmed, as if it had been spoken of before")),
];

fn approved() -> ToolCall {
    call("rm -rf /srv/other")
}

fn pending() -> ToolCall {
    call("rm -rf /srv/another")
}

/// Data with something in every table, closed.
async fn data() -> Rig {
    let rig = Rig::new();
    let person = rig.person().await;
    let clock = rig.clock.clone();
    let now = placet_engine::Clock::now(&*clock);
    for number in 0..256 {
        rig.ask(call(&format!("echo {number}"))).await;
    }
    let token = NewToken { name: "ci".to_owned(), role: Role::Agent, agent: Some("other".to_owned()) };
    rig.engine.token_create(token, &person).await.unwrap();
    let held = ticket(&rig.ask(risky()).await);
    rig.approve_for(&held, Wider::Times(9)).await.unwrap();
    assert_eq!(short(&rig.ask(risky()).await), "allow");
    assert_eq!(short(&rig.ask(risky()).await), "allow");
    let held = ticket(&rig.ask(approved()).await);
    rig.approve(&held).await;
    ticket(&rig.ask(pending()).await);
    let done = transact(&*rig.store, move |ledger| {
        let text = |text: &str| text.to_owned();
        let hold = ledger.holds_pending(1)?.remove(0).id;
        ledger.setting_put("bound", "yes")?;
        ledger.session_seen(&Sighting {
            session: "s8",
            agent: "other",
            host: "test",
            parent: Some("s7"),
            user: Some("bob"),
            deployment: Some("d"),
            at: now,
            verdict: None,
        })?;
        ledger.session_warrant_put("s8", Some(b"sealed"))?;
        ledger.vote_put(&Vote { hold, by: text("li"), yes: true, wider: None, at: now, record: 3 })?;
        ledger.hold_edit_put(HoldId(999), "{}")?;
        ledger.escalation_put(&Escalation { hold, step: 1, due: now.plus_ms(1_000_000_000) })?;
        ledger.review_put(3, "s1", now)?;
        ledger.once_use("nonce:1", now)?;
        ledger.crisis_mark("s9", &CrisisMark { mark: text("*"), language: None }, now)?;
        ledger.tries_put("bob", 1, now)?;
        let login =
            StoredLogin { name: [5; 32], user: text("ann"), stamp: text("x"), expires: now.plus_ms(1_000) };
        ledger.login_put(&login)?;
        let notice = NewNotice {
            channel: text("mail"),
            occasion: text("held"),
            subject: text("x"),
            body: text("x"),
            made: now,
        };
        ledger.notice_put(&notice)?;
        let seen = Match {
            rule: text("t.open"),
            title: text("Open"),
            severity: Severity::Low,
            policy: RulePolicy::LogOnly,
        };
        ledger.threat_raise(&seen, "s1", now, 3)?;
        ledger.happening_put(&placet_store::Happening {
            id: 0,
            at: now,
            kind: text("user_input"),
            session: text("s1"),
            body: compact("x"),
        })?;
        let track = Track { rule: text("t.five"), by: placet_core::rule::By::Session, key: text("s1") };
        ledger.note_put(&Note { track, at: now, keep_ms: 60_000, what: Noted::Attempt { keep: 3 } })
    });
    done.await.unwrap();
    rig.engine.checkpoint().await.unwrap();
    rig
}

/// A copy of the data in a place of its own, with a change made to it.
fn changed(data: &Path, sql: &str) -> Result<tempfile::TempDir, rusqlite::Error> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("placet.db");
    std::fs::copy(data, &file).unwrap();
    Connection::open(&file)?.execute_batch(sql)?;
    Ok(directory)
}

/// Whether something runs, by an engine that has just begun.
async fn runs(directory: tempfile::TempDir, now: Timestamp, probe: Probe) -> bool {
    let file = directory.path().join("placet.db");
    let clock = Arc::new(ManualClock::at(now));
    let Ok(store) = SqliteStore::open(&file, Options::default()) else { return false };
    let Ok(engine) = Engine::start(Arc::new(store), keys(), clock, configuration()) else { return false };
    let ask = async |call: ToolCall| engine.submit(Submission::new(call, Duration::ZERO)).await.is_allow();
    match probe {
        Anything => ask(harmless()).await,
        Approved => ask(approved()).await,
        Granted => ask(risky()).await,
        Pending => {
            let credential = placet_engine::Credential::new("ann", [9; 32]).unwrap();
            let Ok(person) = engine.authenticate(&credential) else { return false };
            let Ok(mut holds) = engine.pending(1) else { return false };
            let Some(hold) = holds.pop() else { return false };
            let name = HoldName::Ticket(Ticket::parse(hold.opened.ticket.as_str()).unwrap());
            engine.answer(name, Ruling::Approve, &person).await.is_ok() && ask(pending()).await
        }
    }
}

fn tables(database: &Connection) -> Vec<(String, Vec<String>)> {
    let names =
        "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name";
    let mut names = database.prepare(names).unwrap();
    let names = names.query_map([], |row| row.get::<_, String>(0)).unwrap();
    names
        .map(|name| {
            let name = name.unwrap();
            let mut columns =
                database.prepare(&format!("select name from pragma_table_info('{name}')")).unwrap();
            let columns = columns.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
            (name, columns)
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_column_of_every_table_is_accounted_for() {
    let rig = data().await;
    let (now, directory) = (rig.engine.now(), Arc::clone(&rig.directory));
    rig.verify().unwrap();
    let file = rig.file();
    drop(rig);
    let database = Connection::open(&file).unwrap();
    let tables = tables(&database);
    for probe in [Anything, Approved, Granted, Pending] {
        let untouched = changed(&file, "").unwrap();
        assert!(runs(untouched, now, probe).await, "{probe:?} runs where nothing was changed");
    }
    let mut wrong = Vec::new();
    let mut listed = COLUMNS.to_vec();
    for (table, columns) in &tables {
        let rows: i64 =
            database.query_row(&format!("select count(*) from {table}"), [], |row| row.get(0)).unwrap();
        assert!(rows > 0, "there is something in `{table}`");
        for column in columns {
            let known = listed.iter().position(|(of, name, _)| of == table && name == column);
            let Some((_, _, effect)) = known.map(|known| listed.remove(known)) else {
                wrong.push(format!("{table}.{column}: what happens when it is changed?"));
                continue;
            };
            let sealed = SEALED.iter().find(|sealed| sealed.name == table);
            if sealed.is_some_and(|sealed| sealed.columns.contains(&column.as_str()) == (effect == Display)) {
                wrong.push(format!("{table}.{column}: is it sealed, or is it not?"));
            }
            let sql = format!(
                "update {table} set {column} = case typeof({column}) when 'null' then 7 when 'text' then {column} || 'x' \
                 when 'blob' then zeroblob(length({column}) + 1) else {column} + 1000000 end"
            );
            wrong.extend(check(&file, now, &sql, effect).await);
        }
        let effect = match table.as_str() {
            "setting" | "head" | "seal" | "session" | "threat" => Refused(Anything),
            "hold" | "record" => Refused(Pending),
            "granted" | "counter" => Refused(Granted),
            "happening" => Display,
            _ => Found("its rows are sealed"),
        };
        wrong.extend(check(&file, now, &format!("delete from {table}"), effect).await);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(listed, [], "columns that are no longer there");
    drop(directory);
}

/// What is not as it should be, if something is.
async fn check(file: &Path, now: Timestamp, sql: &str, effect: Effect) -> Option<String> {
    let Ok(directory) = changed(file, sql) else {
        return (effect != Impossible).then(|| format!("{sql}: it cannot be done"));
    };
    let holds = verify_file(&directory.path().join("placet.db")).is_ok();
    match effect {
        Refused(probe) => {
            let runs = runs(directory, now, probe).await;
            (holds || runs).then(|| format!("{sql}: verified {holds}, {probe:?} runs {runs}"))
        }
        Found(_) => holds.then(|| format!("{sql}: not found")),
        Display => (!holds).then(|| format!("{sql}: found, though it decides nothing")),
        Impossible => Some(format!("{sql}: it can be done")),
    }
}
