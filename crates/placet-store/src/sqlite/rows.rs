//! Rows and the values they are.

use placet_core::{
    CallDigest, Timestamp,
    hold::{HoldState, Ticket},
    rule::{RulePolicy, Severity, Shelf, Track},
};
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, Row};

use crate::{
    Agent, EntryKind, Fault, Happening, Hold, HoldId, NewHold, NewNotice, Notice, NoticeState, Review,
    ReviewState, Session, StoreError, StoredGrant, StoredRecord, Threat, ThreatState, Vote,
};

/// What SQLite says, in our words.
pub fn told(error: rusqlite::Error) -> StoreError {
    let fault = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Fault::Full,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Fault::Locked,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Fault::Corrupt,
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Fault::ReadOnly,
        Some(_) | None => Fault::Other,
    };
    StoreError::new(fault, error.to_string())
}

/// A value that cannot be what we wrote.
pub fn damaged(what: &str) -> StoreError {
    StoreError::new(Fault::Corrupt, format!("{what} is not what was written"))
}

/// The version of the data as this connection sees it; it changes when another connection has written.
pub fn data_version(connection: &Connection) -> Result<u64, StoreError> {
    let mut statement = connection.prepare_cached("pragma data_version").map_err(told)?;
    statement.query_row([], |row| row.get::<_, i64>(0)).map(|version| version as u64).map_err(told)
}

/// What a rule remembers of a party, or an empty shelf.
pub fn shelf(connection: &Connection, track: &Track) -> Result<Shelf, StoreError> {
    let sql = "select bytes from shelf where party = (select no from party where name = ?) and rule = ?";
    let mut statement = connection.prepare_cached(sql).map_err(told)?;
    let bytes = statement.query_row([&track.party(), &track.rule], |row| row.get::<_, Vec<u8>>(0));
    match bytes.optional().map_err(told)? {
        None => Ok(Shelf::default()),
        Some(bytes) => Shelf::from_bytes(&bytes).ok_or_else(|| damaged("what a rule remembers")),
    }
}

/// The columns of a hold, in the order in which [`hold`] reads them.
pub const HOLD: &str = "id, ticket, digest, agent, session, record, opened, deadline, inline_only, crisis, card, \
                        state, since, by, reason, redeem_until, approval";

/// Reads a hold.
pub fn hold(row: &Row<'_>) -> rusqlite::Result<Option<Hold>> {
    let digest: Vec<u8> = row.get(2)?;
    let (Ok(ticket), Ok(digest), Some(state)) = (
        Ticket::parse(&row.get::<_, String>(1)?),
        <[u8; 32]>::try_from(digest),
        HoldState::parse(&row.get::<_, String>(11)?),
    ) else {
        return Ok(None);
    };
    Ok(Some(Hold {
        id: HoldId(row.get(0)?),
        opened: NewHold {
            ticket,
            digest: CallDigest::from_bytes(digest),
            agent: row.get(3)?,
            session: row.get(4)?,
            record: row.get::<_, i64>(5)?.unsigned_abs(),
            opened: time(row.get(6)?),
            deadline: time(row.get(7)?),
            inline_only: row.get(8)?,
            crisis: row.get(9)?,
            card: row.get(10)?,
        },
        state,
        since: time(row.get(12)?),
        by: row.get(13)?,
        reason: row.get(14)?,
        redeem_until: time(row.get(15)?),
        approval: row.get(16)?,
    }))
}

/// The columns of a record, in the order in which [`record`] reads them.
pub const RECORD: &str = "idx, kind, at, body, leaf, seal, call, session";

/// Reads a record.
pub fn record(row: &Row<'_>) -> rusqlite::Result<StoredRecord> {
    Ok(StoredRecord {
        index: row.get::<_, i64>(0)?.unsigned_abs(),
        kind: EntryKind::from_number(row.get(1)?),
        at: time(row.get(2)?),
        body: row.get(3)?,
        leaf: row.get(4)?,
        seal: row.get(5)?,
        call: row.get(6)?,
        session: row.get(7)?,
    })
}

/// The columns of a session, in the order in which [`session`] reads them.
pub const SESSION: &str = "no, id, agent, host, parent, user, deployment, first_seen, last_seen, ended, allowed, held, \
                           blocked, warrant";

/// Reads a session.
pub fn session(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        number: row.get(0)?,
        id: row.get(1)?,
        agent: row.get(2)?,
        host: row.get(3)?,
        parent: row.get(4)?,
        user: row.get(5)?,
        deployment: row.get(6)?,
        first_seen: time(row.get(7)?),
        last_seen: time(row.get(8)?),
        ended: row.get::<_, Option<i64>>(9)?.map(time),
        allowed: count(row.get(10)?),
        held: count(row.get(11)?),
        blocked: count(row.get(12)?),
        warrant: row.get(13)?,
    })
}

/// Reads an agent: name, sessions, first and last seen, allowed, held, blocked.
pub fn agent(row: &Row<'_>) -> rusqlite::Result<Agent> {
    Ok(Agent {
        name: row.get(0)?,
        sessions: count(row.get(1)?),
        first_seen: time(row.get(2)?),
        last_seen: time(row.get(3)?),
        allowed: count(row.get(4)?),
        held: count(row.get(5)?),
        blocked: count(row.get(6)?),
    })
}

/// The columns of a threat, in the order in which [`threat`] reads them.
pub const THREAT: &str = "id, rule, session, title, severity, policy, state, first, last, count, record";

/// Reads a threat.
pub fn threat(row: &Row<'_>) -> rusqlite::Result<Option<Threat>> {
    let (Some(severity), Some(policy), Some(state)) = (
        Severity::parse(&row.get::<_, String>(4)?),
        RulePolicy::parse(&row.get::<_, String>(5)?),
        ThreatState::from_number(row.get(6)?),
    ) else {
        return Ok(None);
    };
    Ok(Some(Threat {
        id: row.get(0)?,
        rule: row.get(1)?,
        session: row.get(2)?,
        title: row.get(3)?,
        severity,
        policy,
        state,
        first: time(row.get(7)?),
        last: time(row.get(8)?),
        count: count(row.get(9)?),
        record: count(row.get(10)?),
    }))
}

/// The columns of a grant, in the order in which [`grant`] reads them.
pub const GRANT: &str = "id, agent, session, ticket, cites, by, given, expires, warrant, revoked_by";

/// Reads a grant.
pub fn grant(row: &Row<'_>) -> rusqlite::Result<Option<StoredGrant>> {
    let Ok(ticket) = Ticket::parse(&row.get::<_, String>(3)?) else { return Ok(None) };
    Ok(Some(StoredGrant {
        id: row.get(0)?,
        agent: row.get(1)?,
        session: row.get(2)?,
        ticket,
        cites: count(row.get(4)?),
        by: row.get(5)?,
        given: time(row.get(6)?),
        expires: time(row.get(7)?),
        warrant: row.get(8)?,
        revoked_by: row.get(9)?,
    }))
}

/// Reads a vote: hold, voter, yes, wider, at, record.
pub fn vote(row: &Row<'_>) -> rusqlite::Result<Vote> {
    Ok(Vote {
        hold: HoldId(row.get(0)?),
        by: row.get(1)?,
        yes: row.get(2)?,
        wider: row.get(3)?,
        at: time(row.get(4)?),
        record: count(row.get(5)?),
    })
}

/// The columns of a review, in the order in which [`review`] reads them.
pub const REVIEW: &str = "record, session, at, outcome, state, by, note";

/// Reads a review.
pub fn review(row: &Row<'_>) -> rusqlite::Result<Option<Review>> {
    let Some(state) = ReviewState::from_number(row.get(4)?) else { return Ok(None) };
    Ok(Some(Review {
        record: count(row.get(0)?),
        session: row.get(1)?,
        at: time(row.get(2)?),
        outcome: row.get::<_, Option<i64>>(3)?.map(count),
        state,
        by: row.get(5)?,
        note: row.get(6)?,
    }))
}

/// The columns of a notice, in the order in which [`notice`] reads them.
pub const NOTICE: &str = "id, channel, occasion, subject, body, made, state, attempts, due, problem";

/// Reads a notice.
pub fn notice(row: &Row<'_>) -> rusqlite::Result<Option<Notice>> {
    let Some(state) = NoticeState::parse(&row.get::<_, String>(6)?) else { return Ok(None) };
    let new = NewNotice {
        channel: row.get(1)?,
        occasion: row.get(2)?,
        subject: row.get(3)?,
        body: row.get(4)?,
        made: time(row.get(5)?),
    };
    let (attempts, due) = (count(row.get(7)?), time(row.get(8)?));
    Ok(Some(Notice { id: row.get(0)?, new, state, attempts, due, problem: row.get(9)? }))
}

/// Reads an event: id, at, kind, session, body.
pub fn happening(row: &Row<'_>) -> rusqlite::Result<Happening> {
    Ok(Happening {
        id: row.get(0)?,
        at: time(row.get(1)?),
        kind: row.get(2)?,
        session: row.get(3)?,
        body: row.get(4)?,
    })
}

/// An instant; one that is none becomes the first there is, which is over in every respect.
pub fn time(ms: i64) -> Timestamp {
    Timestamp::from_ms(ms).unwrap_or(Timestamp::MIN)
}

/// A count; SQLite's integers have a sign, ours have not.
pub fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
