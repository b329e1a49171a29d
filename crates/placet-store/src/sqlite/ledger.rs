//! The verbs, in SQL.

use placet_core::{
    CallDigest, Timestamp, Verdict,
    hold::{HoldState, Ticket},
    log::{Hash, Tree},
    rule::{Match, Note, Shelf, Track},
};
use rusqlite::{Connection, OptionalExtension as _, Params, Row, params};

use super::{
    cache::{Cache, Counted},
    rows::{self, count, damaged, told},
};
use crate::{
    AgedOut, Agent, CrisisMark, Deployed, Entry, Escalation, Happening, Hold, HoldChange, HoldId, HoldPlace,
    Ledger, NewHold, NewNotice, Notice, NoticeChange, Raised, Retention, Review, ReviewState, Session,
    SessionPlace, Setting, Settings, Sighting, StoreError, StoredGrant, StoredLogin, StoredRecord, Threat,
    ThreatState, Vote, Waiting,
};

type Result<T> = std::result::Result<T, StoreError>;

/// What was used once is remembered for so long: longer than any warrant, approval or proof is valid.
const ONCE_KEPT_MS: i64 = 2 * placet_core::warrant::LIFE_MS_MAX;

/// Of each kind of thing, so many age out at once: nobody waits long for their turn.
const AGED_AT_ONCE: i64 = 1_000;
/// Tries that failed are remembered for so long, and so many of them.
const TRIES_KEPT_MS: i64 = 24 * 60 * 60 * 1_000;
const TRIES_KEPT_MAX: i64 = 100_000;
/// A shelf is let go up to so much later than it could be.
const SHELF_STEP_MS: i64 = 60 * 60 * 1_000;
/// The index by when a session was last seen is as coarse as this.
const MINUTE_MS: i64 = 60 * 1_000;

/// A ledger over one connection, which is in a transaction.
pub struct SqliteLedger<'a> {
    connection: &'a Connection,
    cache: &'a mut Cache,
}

impl<'a> SqliteLedger<'a> {
    pub fn new(connection: &'a Connection, cache: &'a mut Cache) -> Self {
        Self { connection, cache }
    }

    fn run(&self, sql: &str, values: impl Params) -> Result<usize> {
        self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute(values)).map_err(told)
    }

    fn one<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.connection.prepare_cached(sql).map_err(told)?;
        statement.query_row(values, read).optional().map_err(told)
    }

    fn all<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.connection.prepare_cached(sql).map_err(told)?;
        let rows = statement.query_map(values, read).map_err(told)?;
        rows.collect::<rusqlite::Result<_>>().map_err(told)
    }

    fn one_hold(&self, rest: &str, values: impl Params) -> Result<Option<Hold>> {
        match self.one(&format!("select {} from hold {rest}", rows::HOLD), values, rows::hold)? {
            None => Ok(None),
            Some(Some(hold)) => Ok(Some(hold)),
            Some(None) => Err(damaged("a hold")),
        }
    }

    fn holds(&self, rest: &str, values: impl Params) -> Result<Vec<Hold>> {
        let read = self.all(&format!("select {} from hold {rest}", rows::HOLD), values, rows::hold)?;
        read.into_iter().map(|hold| hold.ok_or_else(|| damaged("a hold"))).collect()
    }

    fn grants_where(&self, rest: &str, values: impl Params) -> Result<Vec<StoredGrant>> {
        let sql = format!("select {} from granted {rest}", rows::GRANT);
        let grants = self.all(&sql, values, rows::grant)?.into_iter().collect::<Option<Vec<_>>>();
        grants.ok_or_else(|| damaged("a grant"))
    }

    fn threats_where(&self, rest: &str, values: impl Params) -> Result<Vec<Threat>> {
        let read = self.all(&format!("select {} from threat {rest}", rows::THREAT), values, rows::threat)?;
        read.into_iter().map(|threat| threat.ok_or_else(|| damaged("a threat"))).collect()
    }

    fn notices_where(&self, rest: &str, values: impl Params) -> Result<Vec<Notice>> {
        let sql = format!("select {} from notice {rest}", rows::NOTICE);
        let notices = self.all(&sql, values, rows::notice)?.into_iter().collect::<Option<Vec<_>>>();
        notices.ok_or_else(|| damaged("a notice"))
    }

    fn tree(&mut self) -> Result<&mut Tree> {
        if self.cache.tree.is_none() {
            let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?));
            let head = self.one("select size, peaks from head", [], read)?;
            let tree = head.and_then(|(size, peaks)| Tree::from_parts(count(size), &peaks));
            self.cache.tree = Some(tree.ok_or_else(|| damaged("the head of the log"))?);
        }
        self.cache.tree.as_mut().ok_or_else(|| damaged("the head of the log"))
    }

    /// The number of a session whose row is there.
    fn session_number(&mut self, id: &str) -> Result<Option<i64>> {
        if let Some(counted) = self.cache.sessions.get(id) {
            return Ok(Some(counted.number));
        }
        self.one("select no from session where id = ?", [id], |row| row.get(0))
    }

    /// A shelf as it is now.
    fn shelf(&mut self, track: &Track) -> Result<&mut Shelf> {
        if !self.cache.shelves.contains_key(track) {
            let shelf = rows::shelf(self.connection, track)?;
            if shelf.version() > 0 {
                self.cache.news_of_shelves.push(track.clone());
            }
            self.cache.shelves.insert(track.clone(), shelf);
        }
        self.cache.shelves.get_mut(track).ok_or_else(|| damaged("what a rule remembers"))
    }

    /// The number of a party; a new one if it has none.
    fn party_number(&mut self, track: &Track) -> Result<i64> {
        let name = track.party();
        if let Some(number) = self.cache.parties.get(&name) {
            return Ok(*number);
        }
        let known = self.one("select no from party where name = ?", [&name], |row| row.get(0))?;
        let number = match known {
            Some(number) => number,
            None => {
                self.run("insert into party (name) values (?)", [&name])?;
                self.connection.last_insert_rowid()
            }
        };
        self.cache.parties.insert(name, number);
        Ok(number)
    }

    /// Writes what was only kept in mind so far: once for many pieces of work.
    pub fn flush(&mut self) -> Result<()> {
        if std::mem::take(&mut self.cache.grown)
            && let Some(tree) = &self.cache.tree
        {
            self.run("update head set size = ?, peaks = ?", params![tree.size() as i64, tree.peaks()])?;
        }
        for track in std::mem::take(&mut self.cache.changed_shelves) {
            let party = self.party_number(&track)?;
            let Some(shelf) = self.cache.shelves.get(&track) else { continue };
            // Rounded up, so that the index by this column seldom changes.
            let ends =
                shelf.ends().map_or(0, Timestamp::as_ms) / SHELF_STEP_MS * SHELF_STEP_MS + SHELF_STEP_MS;
            let values = params![party, track.rule, ends, shelf.to_bytes()];
            let sql = "update shelf set bytes = ?4 where party = ?1 and rule = ?2 and ends = ?3";
            if self.run(sql, values)? == 0 {
                self.run(
                    "insert into shelf values (?1, ?2, ?3, ?4) on conflict do update set ends = ?3, bytes = ?4",
                    values,
                )?;
            }
            self.cache.news_of_shelves.push(track);
        }
        for id in std::mem::take(&mut self.cache.changed_sessions) {
            let Some(counted) = self.cache.sessions.get_mut(&id) else { continue };
            let news = counted.take_news();
            let minute = news.last_seen / MINUTE_MS;
            let values = params![news.number, news.last_seen, news.allowed, news.held, news.blocked, minute];
            let add = "update session set last_seen = max(last_seen, ?2), ended = null, allowed = allowed + ?3, \
                       held = held + ?4, blocked = blocked + ?5";
            if self.run(&format!("{add} where no = ?1 and minute >= ?6"), values)? == 0 {
                self.run(&format!("{add}, minute = ?6 where no = ?1"), values)?;
            }
        }
        Ok(())
    }
}

impl Ledger for SqliteLedger<'_> {
    fn settings(&mut self) -> Result<Settings> {
        if let Some(settings) = &self.cache.settings {
            return Ok(settings.clone());
        }
        let version = self.one("select settings_version from head", [], |row| row.get(0))?;
        let values = self.all("select key, value from setting", [], |row| {
            Ok((row.get(0)?, Setting { value: row.get(1)? }))
        })?;
        let version = count(version.ok_or_else(|| damaged("the version of the settings"))?);
        let settings = Settings { version, values: values.into_iter().collect() };
        self.cache.settings = Some(settings.clone());
        Ok(settings)
    }

    fn settings_version(&mut self) -> Result<u64> {
        match &self.cache.settings {
            Some(settings) => Ok(settings.version),
            None => self.settings().map(|settings| settings.version),
        }
    }

    fn setting_put(&mut self, key: &str, value: &str) -> Result<()> {
        self.run("insert into setting values (?1, ?2) on conflict do update set value = ?2", [key, value])?;
        self.run("update head set settings_version = settings_version + 1", [])?;
        self.cache.settings = None;
        Ok(())
    }

    fn log_tree(&mut self) -> Result<Tree> {
        self.tree().cloned()
    }

    fn log_size(&mut self) -> Result<u64> {
        self.tree().map(|tree| tree.size())
    }

    fn record_append(&mut self, entry: &Entry<'_>) -> Result<u64> {
        let session = match entry.session {
            "" => None,
            id => self.session_number(id)?,
        };
        let index = self.tree()?.size();
        self.run(
            "insert into record values (?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                index as i64,
                entry.kind as i64,
                entry.at.as_ms(),
                session,
                entry.call,
                entry.body,
                entry.leaf,
                entry.seal
            ],
        )?;
        self.cache.grown = true;
        let completed: Vec<_> = self.tree()?.push(entry.leaf).filter(|(height, _)| height % 8 == 0).collect();
        for (height, hash) in completed {
            let number = (index >> height) as i64;
            self.run("insert into subtree values (?, ?, ?)", params![height, number, hash])?;
        }
        Ok(index)
    }

    fn record_get(&mut self, index: u64) -> Result<Option<StoredRecord>> {
        self.one(&format!("select {} from record where idx = ?", rows::RECORD), [index as i64], rows::record)
    }

    fn hold_steps_from(&mut self, from: u64) -> Result<Vec<Vec<u8>>> {
        let sql = "select body from record where kind = 2 and idx >= ? order by idx";
        self.all(sql, [from as i64], |row| row.get(0))
    }

    fn records_from(&mut self, from: u64, limit: usize) -> Result<Vec<StoredRecord>> {
        let sql = format!("select {} from record where idx >= ? order by idx limit ?", rows::RECORD);
        self.all(&sql, [from as i64, limit as i64], rows::record)
    }

    fn record_since(&mut self, since: Timestamp) -> Result<Option<u64>> {
        // By place: clocks jump, and the log does not.
        let sql = "select idx from record where at >= ? order by idx limit 1";
        self.one(sql, [since.as_ms()], |row| row.get(0).map(count))
    }

    fn records_of_session(&mut self, session: &str, limit: usize) -> Result<Vec<StoredRecord>> {
        self.records_of_session_before(session, i64::MAX as u64, limit)
    }

    fn records_of_session_before(
        &mut self,
        session: &str,
        before: u64,
        limit: usize,
    ) -> Result<Vec<StoredRecord>> {
        // Which they are stands in the index; only those that are wanted are read.
        let sql = format!(
            "select {} from record where idx in (select idx from record where session = (select no from session \
             where id = ?) and idx < ? order by idx desc limit ?) order by idx",
            rows::RECORD
        );
        let before = i64::try_from(before).unwrap_or(i64::MAX);
        self.all(&sql, params![session, before, limit as i64], rows::record)
    }

    fn records_of_session_from(
        &mut self,
        session: &str,
        from: u64,
        limit: usize,
    ) -> Result<Vec<StoredRecord>> {
        let sql = format!(
            "select {} from record where idx in (select idx from record where session = (select no from session \
             where id = ?) and idx >= ? order by idx limit ?) order by idx",
            rows::RECORD
        );
        let from = i64::try_from(from).unwrap_or(i64::MAX);
        self.all(&sql, params![session, from, limit as i64], rows::record)
    }

    fn records_before(&mut self, before: u64, limit: usize) -> Result<Vec<StoredRecord>> {
        let sql = format!("select {} from record where idx < ? order by idx desc limit ?", rows::RECORD);
        self.all(&sql, [i64::try_from(before).unwrap_or(i64::MAX), limit as i64], rows::record)
    }

    fn subtrees_from(&mut self, height: u32, from: u64, limit: usize) -> Result<Vec<Hash>> {
        let (from, limit) = (from as i64, limit as i64);
        let read = |row: &Row<'_>| row.get::<_, Hash>(0);
        match height {
            0 => self.all("select leaf from record where idx >= ? order by idx limit ?", [from, limit], read),
            _ => self.all(
                "select hash from subtree where height = ? and number >= ? order by number limit ?",
                params![height, from, limit],
                read,
            ),
        }
    }

    fn decision_of(&mut self, session: &str, call: &str) -> Result<Option<u64>> {
        let number = match session {
            "" => None,
            id => match self.session_number(id)? {
                None => return Ok(None),
                number => number,
            },
        };
        let sql = "select max(idx) from record where session is ? and call = ? and kind = 1";
        let found = self.one(sql, params![number, call], |row| row.get::<_, Option<i64>>(0))?;
        Ok(found.flatten().map(count))
    }

    fn checkpoint_put(&mut self, size: u64, text: &str) -> Result<()> {
        self.run("insert or replace into checkpoint values (?, ?)", params![size as i64, text]).map(|_| ())
    }

    fn checkpoints(&mut self) -> Result<Vec<(u64, String)>> {
        let read = |row: &Row<'_>| Ok((count(row.get(0)?), row.get(1)?));
        self.all("select size, text from checkpoint order by size", [], read)
    }

    fn checkpoints_thin(&mut self) -> Result<u64> {
        let gone = self.run(
            "delete from checkpoint where size < (select size from checkpoint order by size desc limit 1 offset 99) \
             and size not in (select max(size) from checkpoint group by size / 1000)",
            [],
        )?;
        Ok(gone as u64)
    }

    fn checkpoint_last(&mut self) -> Result<Option<(u64, String)>> {
        let read = |row: &Row<'_>| Ok((count(row.get(0)?), row.get(1)?));
        self.one("select size, text from checkpoint order by size desc limit 1", [], read)
    }

    fn hold_open(&mut self, hold: &NewHold) -> Result<Option<HoldId>> {
        let opened = self.run(
            "insert into hold (ticket, digest, agent, session, record, opened, deadline, inline_only, crisis, card, \
             state, since, redeem_until) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?) \
             on conflict (ticket) do nothing",
            params![
                hold.ticket.as_str(),
                hold.digest.as_bytes(),
                hold.agent,
                hold.session,
                hold.record as i64,
                hold.opened.as_ms(),
                hold.deadline.as_ms(),
                hold.inline_only,
                hold.crisis,
                hold.card,
                hold.opened.as_ms(),
                hold.deadline.as_ms()
            ],
        )?;
        Ok((opened == 1).then(|| HoldId(self.connection.last_insert_rowid())))
    }

    fn hold_get(&mut self, id: HoldId) -> Result<Option<Hold>> {
        self.one_hold("where id = ?", [id.0])
    }

    fn hold_by_ticket(&mut self, ticket: &Ticket) -> Result<Option<Hold>> {
        self.one_hold("where ticket = ?", [ticket.as_str()])
    }

    fn hold_of_call(&mut self, digest: &CallDigest) -> Result<Option<Hold>> {
        self.one_hold("where digest = ? and inline_only = 0 order by id desc limit 1", [digest.as_bytes()])
    }

    fn hold_change(&mut self, id: HoldId, change: &HoldChange) -> Result<()> {
        let changed = self.run(
            "update hold set state = ?, since = ?, by = coalesce(?, by), reason = coalesce(?, reason), \
             redeem_until = ?, approval = coalesce(?, approval) where id = ?",
            params![
                change.state.as_str(),
                change.since.as_ms(),
                change.by,
                change.reason,
                change.redeem_until.as_ms(),
                change.approval,
                id.0
            ],
        )?;
        if change.state != HoldState::Pending {
            // Nobody else need be asked any more.
            self.run("delete from escalation where hold = ?", [id.0])?;
        }
        if changed == 1 { Ok(()) } else { Err(damaged("a hold that was there")) }
    }

    fn holds_pending(&mut self, limit: usize) -> Result<Vec<Hold>> {
        self.holds("where state = 'pending' order by crisis desc, deadline, id limit ?", [limit as i64])
    }

    fn hold_place(&mut self, id: HoldId) -> Result<Option<HoldPlace>> {
        // Nothing of the others is read but their names.
        let before = "other.state = 'pending' and (other.crisis > one.crisis or other.crisis = one.crisis \
                      and (other.deadline, other.id) < (one.deadline, one.id))";
        let after = "other.state = 'pending' and (other.crisis < one.crisis or other.crisis = one.crisis \
                     and (other.deadline, other.id) > (one.deadline, one.id))";
        let sql = format!(
            "select (select count(*) from hold other where {before}),
                    (select ticket from hold other where {before} order by crisis, deadline desc, id desc limit 1),
                    (select ticket from hold other where {after} order by crisis desc, deadline, id limit 1)
             from hold one where id = ? and state = 'pending'"
        );
        let ticket = |text: Option<String>| text.and_then(|text| Ticket::parse(&text).ok());
        self.one(&sql, [id.0], |row| {
            let number = row.get::<_, i64>(0)?.unsigned_abs() + 1;
            Ok(HoldPlace { number, before: ticket(row.get(1)?), after: ticket(row.get(2)?) })
        })
    }

    fn holds_pending_of(&mut self, session: &str) -> Result<Vec<Hold>> {
        self.holds("where state = 'pending' and session = ? order by id", [session])
    }

    fn holds_last(&mut self, limit: usize) -> Result<Vec<Hold>> {
        self.holds("order by id desc limit ?", [limit as i64])
    }

    fn holds_page(&mut self, pending: bool, skip: usize, limit: usize) -> Result<Vec<Hold>> {
        let rest = match pending {
            true => "where state = 'pending' order by crisis desc, deadline, id limit ? offset ?",
            false => "order by id desc limit ? offset ?",
        };
        self.holds(rest, [limit as i64, skip as i64])
    }

    fn holds_due(&mut self, now: Timestamp, limit: usize) -> Result<Vec<Hold>> {
        let (now, limit) = (now.as_ms(), limit as i64);
        let mut due =
            self.holds("where state = 'pending' and deadline <= ? order by deadline limit ?", [now, limit])?;
        let rest = limit - due.len() as i64;
        due.extend(self.holds(
            "where state = 'approved' and redeem_until <= ? order by redeem_until limit ?",
            [now, rest],
        )?);
        Ok(due)
    }

    fn hold_next_due(&mut self) -> Result<Option<Timestamp>> {
        let sql = "select min(due) from (select min(deadline) as due from hold where state = 'pending' \
                   union all select min(redeem_until) from hold where state = 'approved' \
                   union all select min(due) from escalation)";
        Ok(self.one(sql, [], |row| row.get::<_, Option<i64>>(0))?.flatten().map(rows::time))
    }

    fn waiting(&mut self) -> Result<Waiting> {
        let sql = "select (select count(*) from hold where state = 'pending'),
                          (select coalesce(max(id), 0) from hold),
                          (select count(*) from threat where state = 1),
                          (select count(*) from review where state < 3),
                          (select size from head)";
        let waiting = self.one(sql, [], |row| {
            let count = |at| row.get::<_, i64>(at).map(|count| count.unsigned_abs());
            Ok(Waiting {
                holds: count(0)?,
                last_hold: row.get(1)?,
                threats: count(2)?,
                reviews: count(3)?,
                records: count(4)?,
            })
        })?;
        Ok(waiting.unwrap_or_default())
    }

    fn hold_edit_put(&mut self, id: HoldId, args: &str) -> Result<()> {
        self.run("insert into edited values (?, ?)", params![id.0, args]).map(|_| ())
    }

    fn hold_edit_get(&mut self, id: HoldId) -> Result<Option<String>> {
        self.one("select args from edited where hold = ?", [id.0], |row| row.get(0))
    }

    fn vote_put(&mut self, vote: &Vote) -> Result<()> {
        self.run(
            "insert or replace into vote (hold, voter, yes, wider, at, record) values (?, ?, ?, ?, ?, ?)",
            params![vote.hold.0, vote.by, vote.yes, vote.wider, vote.at.as_ms(), vote.record as i64],
        )
        .map(|_| ())
    }

    fn votes_of(&mut self, hold: HoldId) -> Result<Vec<Vote>> {
        let sql = "select hold, voter, yes, wider, at, record from vote where hold = ? order by no";
        self.all(sql, [hold.0], rows::vote)
    }

    fn escalation_put(&mut self, escalation: &Escalation) -> Result<()> {
        let Escalation { hold, step, due } = escalation;
        self.run("insert into escalation values (?, ?, ?)", params![hold.0, step, due.as_ms()]).map(|_| ())
    }

    fn escalations_due(&mut self, now: Timestamp, limit: usize) -> Result<Vec<Escalation>> {
        let sql = "select hold, step, due from escalation where due <= ? order by due, hold, step limit ?";
        self.all(sql, [now.as_ms(), limit as i64], |row| {
            Ok(Escalation { hold: HoldId(row.get(0)?), step: row.get(1)?, due: rows::time(row.get(2)?) })
        })
    }

    fn escalation_done(&mut self, hold: HoldId, step: u32) -> Result<bool> {
        Ok(self.run("delete from escalation where hold = ? and step = ?", params![hold.0, step])? == 1)
    }

    fn review_put(&mut self, record: u64, session: &str, at: Timestamp) -> Result<()> {
        let sql = "insert into review (record, session, at, state) values (?, ?, ?, 1)";
        self.run(sql, params![record as i64, session, at.as_ms()]).map(|_| ())
    }

    fn review_outcome(&mut self, record: u64, outcome: u64) -> Result<()> {
        let sql = "update review set outcome = ?2 where record = ?1";
        self.run(sql, [record as i64, outcome as i64]).map(|_| ())
    }

    fn review_get(&mut self, record: u64) -> Result<Option<Review>> {
        let sql = format!("select {} from review where record = ?", rows::REVIEW);
        Ok(self.one(&sql, [record as i64], rows::review)?.flatten())
    }

    fn reviews(&mut self, session: Option<&str>, with_done: bool, limit: usize) -> Result<Vec<Review>> {
        let open = if with_done { "true" } else { "state < 3" };
        let reviews = match session {
            Some(session) => {
                let sql = format!(
                    "select {} from review where session = ? and {open} order by record limit ?",
                    rows::REVIEW
                );
                self.all(&sql, params![session, limit as i64], rows::review)?
            }
            None => {
                let sql = format!("select {} from review where {open} order by record limit ?", rows::REVIEW);
                self.all(&sql, [limit as i64], rows::review)?
            }
        };
        Ok(reviews.into_iter().flatten().collect())
    }

    fn reviews_done(&mut self, before: u64, limit: usize) -> Result<Vec<Review>> {
        let sql = format!(
            "select {} from review where record < ? and state = 3 order by record desc limit ?",
            rows::REVIEW
        );
        let before = i64::try_from(before).unwrap_or(i64::MAX);
        Ok(self.all(&sql, [before, limit as i64], rows::review)?.into_iter().flatten().collect())
    }

    fn reviews_overdue(&mut self, before: Timestamp, limit: usize) -> Result<Vec<Review>> {
        // The oldest come first by their records; whoever looks stops at the first that is young enough.
        let sql = format!(
            "select {} from (select * from review where state = 1 order by record limit ?2) where at < ?1",
            rows::REVIEW
        );
        let overdue = self.all(&sql, [before.as_ms(), limit as i64], rows::review)?;
        Ok(overdue.into_iter().flatten().collect())
    }

    fn review_change(
        &mut self,
        record: u64,
        state: ReviewState,
        by: Option<&str>,
        note: Option<&str>,
    ) -> Result<bool> {
        let sql = "update review set state = ?2, by = ?3, note = ?4 where record = ?1 and state < ?2";
        Ok(self.run(sql, params![record as i64, state as i64, by, note])? == 1)
    }

    fn counter_get(&mut self, key: &str) -> Result<u64> {
        Ok(self.one("select value from counter where key = ?", [key], |row| row.get(0))?.map_or(0, count))
    }

    fn counter_add(&mut self, key: &str, adds: u64) -> Result<()> {
        let adds = i64::try_from(adds).map_err(|_| damaged("what is to be counted"))?;
        let sql = "insert into counter values (?1, ?2) on conflict do update set value = value + ?2";
        self.run(sql, params![key, adds]).map(|_| ())
    }

    fn once_used(&mut self, key: &str) -> Result<bool> {
        Ok(self.one("select 1 from once where key = ?", [key], |_| Ok(()))?.is_some())
    }

    fn once_use(&mut self, key: &str, at: Timestamp) -> Result<bool> {
        let sql = "insert into once values (?, ?) on conflict do nothing";
        Ok(self.run(sql, params![key, at.as_ms()])? == 1)
    }

    fn shelf_get(&mut self, track: &Track) -> Result<Shelf> {
        self.shelf(track).cloned()
    }

    fn shelf_version(&mut self, track: &Track) -> Result<u64> {
        self.shelf(track).map(|shelf| shelf.version())
    }

    fn note_put(&mut self, note: &Note) -> Result<()> {
        self.shelf(&note.track)?.put(note.at, note.keep_ms, note.what.clone());
        if !self.cache.changed_shelves.contains(&note.track) {
            self.cache.changed_shelves.insert(note.track.clone());
        }
        Ok(())
    }

    fn session_seen(&mut self, sighting: &Sighting<'_>) -> Result<bool> {
        // An agent that names no session is remembered by a session without a name.
        let id = sighting.session;
        let mut parent_learned = false;
        let known = self.cache.sessions.get(id);
        if known.is_none_or(|known| known.lacks(sighting)) {
            let sql = "select no, agent, host, parent from session where id = ?";
            let before = self.one(sql, [id], |row| {
                Ok(Counted {
                    number: row.get(0)?,
                    has_agent: !row.get::<_, String>(1)?.is_empty(),
                    has_host: !row.get::<_, String>(2)?.is_empty(),
                    has_parent: row.get::<_, Option<String>>(3)?.is_some(),
                    ..Counted::default()
                })
            })?;
            parent_learned =
                sighting.parent.is_some() && before.as_ref().is_some_and(|before| !before.has_parent);
            let at = sighting.at.as_ms();
            self.run(
                "insert into session (id, agent, host, parent, user, deployment, first_seen, last_seen, minute, \
                 allowed, held, blocked) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, 0, 0, 0) on conflict (id) do update set \
                 agent = iif(agent = '', ?2, agent), host = iif(host = '', ?3, host), parent = coalesce(parent, ?4), \
                 user = coalesce(user, ?5), deployment = coalesce(deployment, ?6)",
                params![
                    id,
                    sighting.agent,
                    sighting.host,
                    sighting.parent,
                    sighting.user,
                    sighting.deployment,
                    at,
                    at / MINUTE_MS
                ],
            )?;
            let before = before.unwrap_or_default();
            let number = match before.number {
                0 => self.connection.last_insert_rowid(),
                number => number,
            };
            let counted = self.cache.sessions.entry(id.to_owned()).or_default();
            *counted = Counted {
                number,
                has_agent: before.has_agent || !sighting.agent.is_empty(),
                has_host: before.has_host || !sighting.host.is_empty(),
                has_parent: before.has_parent || sighting.parent.is_some(),
                ..counted.clone()
            };
        }
        if let Some(counted) = self.cache.sessions.get_mut(id) {
            counted.last_seen = counted.last_seen.max(sighting.at.as_ms());
            match sighting.verdict {
                Some(Verdict::Allow) => counted.allowed += 1,
                Some(Verdict::Hold) => counted.held += 1,
                Some(Verdict::Block) => counted.blocked += 1,
                None => {}
            }
        }
        if !self.cache.changed_sessions.contains(id) {
            self.cache.changed_sessions.insert(id.to_owned());
        }
        Ok(parent_learned)
    }

    fn session_get(&mut self, id: &str) -> Result<Option<Session>> {
        self.flush()?;
        self.one(&format!("select {} from session where id = ?", rows::SESSION), [id], rows::session)
    }

    fn sessions(&mut self, limit: usize) -> Result<Vec<Session>> {
        self.flush()?;
        let sql = format!(
            "select {} from session order by minute desc, last_seen desc, no desc limit ?",
            rows::SESSION
        );
        self.all(&sql, [limit as i64], rows::session)
    }

    fn sessions_after(
        &mut self,
        agent: Option<&str>,
        after: Option<SessionPlace>,
        limit: usize,
    ) -> Result<Vec<Session>> {
        self.flush()?;
        let (last_seen, number) =
            after.map_or((i64::MAX, i64::MAX), |place| (place.last_seen.as_ms(), place.number));
        let mine = agent.map_or("", |_| "agent = ?1 and ");
        let sql = format!(
            "select {} from session where {mine}minute <= ?2 and (last_seen, no) < (?3, ?4) \
             order by minute desc, last_seen desc, no desc limit ?5",
            rows::SESSION
        );
        let values = params![agent, last_seen.div_euclid(MINUTE_MS), last_seen, number, limit as i64];
        self.all(&sql, values, rows::session)
    }

    fn sessions_under(&mut self, parent: &str, limit: usize) -> Result<Vec<Session>> {
        self.flush()?;
        let sql = format!("select {} from session where parent = ? order by no limit ?", rows::SESSION);
        self.all(&sql, params![parent, limit as i64], rows::session)
    }

    fn sessions_bound(&mut self, limit: usize) -> Result<Vec<Session>> {
        self.flush()?;
        let sql = format!(
            "select {} from session where warrant is not null order by minute desc, last_seen desc, no desc limit ?",
            rows::SESSION
        );
        self.all(&sql, [limit as i64], rows::session)
    }

    fn session_end(&mut self, id: &str, at: Timestamp) -> Result<()> {
        self.flush()?;
        self.run("update session set ended = ? where id = ?", params![at.as_ms(), id]).map(|_| ())
    }

    fn session_warrant_put(&mut self, id: &str, warrant: Option<&[u8]>) -> Result<()> {
        match self.run("update session set warrant = ? where id = ?", params![warrant, id])? {
            1 => Ok(()),
            _ => Err(StoreError::new(crate::Fault::Refused, "there is no such session")),
        }
    }

    fn agents(&mut self) -> Result<Vec<Agent>> {
        self.flush()?;
        let sql = "select agent, count(*), min(first_seen), max(last_seen), sum(allowed), sum(held), sum(blocked) \
                   from session where agent <> '' group by agent order by max(last_seen) desc";
        self.all(sql, [], rows::agent)
    }

    fn fleet(&mut self, since: Timestamp, limit: usize) -> Result<Vec<Deployed>> {
        self.flush()?;
        let sql = "select agent, count(*), min(first_seen), max(last_seen), sum(allowed), sum(held), sum(blocked), \
                   deployment, max(host), sum(warrant is not null and ended is null) from session \
                   where minute >= ? group by deployment, agent order by max(last_seen) desc, agent limit ?";
        let since = since.as_ms().div_euclid(MINUTE_MS);
        self.all(sql, [since, limit as i64], |row| {
            let (deployment, host, bound) = (row.get(7)?, row.get(8)?, count(row.get(9)?));
            Ok(Deployed { agent: rows::agent(row)?, deployment, host, bound })
        })
    }

    fn threat_raise(&mut self, seen: &Match, session: &str, at: Timestamp, record: u64) -> Result<Raised> {
        self.cache.quiet_sessions.remove(session);
        let sql = "select id, state from threat where session = ? and rule = ?";
        let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        let Some((id, state)) = self.one(sql, [session, seen.rule.as_str()], read)? else {
            self.run(
                "insert into threat (rule, session, title, severity, policy, state, first, last, count, record) \
                 values (?, ?, ?, ?, ?, 1, ?, ?, 1, ?)",
                params![
                    seen.rule,
                    session,
                    seen.title,
                    seen.severity.as_str(),
                    seen.policy.as_str(),
                    at.as_ms(),
                    at.as_ms(),
                    record as i64
                ],
            )?;
            return Ok(Raised::New);
        };
        let looked_at = state != ThreatState::Open as i64;
        self.run(
            "update threat set state = ?, title = ?, severity = ?, policy = ?, last = max(last, ?), count = count + 1, \
             record = ? where id = ?",
            params![
                ThreatState::Open as i64,
                seen.title,
                seen.severity.as_str(),
                seen.policy.as_str(),
                at.as_ms(),
                record as i64,
                id
            ],
        )?;
        Ok(if looked_at { Raised::Reopened } else { Raised::Again })
    }

    fn threats_open_of(&mut self, session: &str) -> Result<Vec<Threat>> {
        // Every call asks, and few sessions have any.
        if self.cache.quiet_sessions.contains(session) {
            return Ok(Vec::new());
        }
        let threats = self.threats_where("where state = 1 and session = ? order by id", [session])?;
        if threats.is_empty() {
            self.cache.quiet_sessions.insert(session.to_owned());
        }
        Ok(threats)
    }

    fn threats(&mut self, with_cleared: bool, limit: usize) -> Result<Vec<Threat>> {
        let limit = limit as i64;
        match with_cleared {
            true => self.threats_where("order by last desc, id desc limit ?", [limit]),
            false => self.threats_where("where state <> 3 order by last desc, id desc limit ?", [limit]),
        }
    }

    fn threat_get(&mut self, id: i64) -> Result<Option<Threat>> {
        Ok(self.threats_where("where id = ?", [id])?.pop())
    }

    fn threat_change(&mut self, id: i64, state: ThreatState) -> Result<bool> {
        self.cache.quiet_sessions.clear();
        let sql = "update threat set state = ?1 where id = ?2 and state <> ?1";
        Ok(self.run(sql, params![state as i64, id])? == 1)
    }

    fn grant_put(&mut self, grant: &StoredGrant) -> Result<()> {
        self.run(
            "insert into granted (id, agent, session, ticket, cites, by, given, expires, warrant, revoked_by) \
             values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                grant.id,
                grant.agent,
                grant.session,
                grant.ticket.as_str(),
                grant.cites as i64,
                grant.by,
                grant.given.as_ms(),
                grant.expires.as_ms(),
                grant.warrant,
                grant.revoked_by
            ],
        )
        .map(|_| ())
    }

    fn grant_get(&mut self, id: &str) -> Result<Option<StoredGrant>> {
        Ok(self.grants_where("where id = ?", [id])?.pop())
    }

    fn grants_of(&mut self, agent: &str, session: &str) -> Result<Vec<StoredGrant>> {
        self.grants_where(
            "where session = ? and agent = ? and revoked_by is null order by no",
            [session, agent],
        )
    }

    fn grants_of_session(&mut self, session: &str) -> Result<Vec<StoredGrant>> {
        self.grants_where("where session = ? and revoked_by is null order by no", [session])
    }

    fn grants(&mut self, limit: usize) -> Result<Vec<StoredGrant>> {
        self.grants_where("order by no desc limit ?", [limit as i64])
    }

    fn grant_revoke(&mut self, id: &str, by: &str) -> Result<()> {
        match self.run("update granted set revoked_by = ?2 where id = ?1 and revoked_by is null", [id, by])? {
            1 => Ok(()),
            _ => Err(damaged("a grant that was there")),
        }
    }

    fn login_put(&mut self, login: &StoredLogin) -> Result<()> {
        let (name, expires) = (login.name.as_slice(), login.expires.as_ms());
        self.run(
            "insert into login (name, user, stamp, expires) values (?, ?, ?, ?)",
            params![name, login.user, login.stamp, expires],
        )
        .map(|_| ())
    }

    fn login_get(&mut self, name: &[u8; 32]) -> Result<Option<StoredLogin>> {
        let sql = "select user, stamp, expires from login where name = ?";
        self.one(sql, [name.as_slice()], |row| {
            let (user, stamp, expires) = (row.get(0)?, row.get(1)?, rows::time(row.get(2)?));
            Ok(StoredLogin { name: *name, user, stamp, expires })
        })
    }

    fn login_end(&mut self, name: &[u8; 32]) -> Result<bool> {
        Ok(self.run("delete from login where name = ?", [name.as_slice()])? > 0)
    }

    fn logins_end_of(&mut self, user: &str) -> Result<u64> {
        Ok(self.run("delete from login where user = ?", [user])? as u64)
    }

    fn tries_get(&mut self, key: &str) -> Result<Option<(u64, Timestamp)>> {
        let sql = "select count, last from tries where key = ?";
        self.one(sql, [key], |row| Ok((count(row.get(0)?), rows::time(row.get(1)?))))
    }

    fn tries_put(&mut self, key: &str, count: u64, last: Timestamp) -> Result<()> {
        let done = match count {
            0 => self.run("delete from tries where key = ?", [key]),
            _ => self.run(
                "insert or replace into tries (key, count, last) values (?, ?, ?)",
                params![key, count as i64, last.as_ms()],
            ),
        };
        done.map(|_| ())
    }

    fn happening_put(&mut self, happening: &Happening) -> Result<()> {
        self.run(
            "insert into happening (at, kind, session, body) values (?, ?, ?, ?)",
            params![happening.at.as_ms(), happening.kind, happening.session, happening.body],
        )
        .map(|_| ())
    }

    fn notice_put(&mut self, notice: &NewNotice) -> Result<()> {
        self.run(
            "insert into notice (channel, occasion, subject, body, made, state, attempts, due) \
             values (?, ?, ?, ?, ?5, 'waiting', 0, ?5)",
            params![notice.channel, notice.occasion, notice.subject, notice.body, notice.made.as_ms()],
        )
        .map(|_| ())
    }

    fn notice_get(&mut self, id: i64) -> Result<Option<Notice>> {
        Ok(self.notices_where("where id = ?", [id])?.pop())
    }

    fn notices_due(&mut self, channel: &str, now: Timestamp, limit: usize) -> Result<Vec<Notice>> {
        self.notices_where(
            "where state = 'waiting' and channel = ? and due <= ? order by due, id limit ?",
            params![channel, now.as_ms(), limit as i64],
        )
    }

    fn notices(&mut self, limit: usize) -> Result<Vec<Notice>> {
        self.notices_where("order by id desc limit ?", [limit as i64])
    }

    fn notice_change(&mut self, id: i64, change: &NoticeChange) -> Result<()> {
        let sql = "update notice set state = ?, attempts = ?, due = ?, problem = ? where id = ?";
        let (state, due) = (change.state.as_str(), change.due.as_ms());
        match self.run(sql, params![state, change.attempts as i64, due, change.problem, id])? {
            1 => Ok(()),
            _ => Err(damaged("a notice that was there")),
        }
    }

    fn notices_trim(&mut self, keep: usize) -> Result<()> {
        self.run(
            "delete from notice where state in ('delivered', 'moot') and id <= \
             (select id from notice where state in ('delivered', 'moot') order by id desc limit 1 offset ?)",
            [keep as i64],
        )
        .map(|_| ())
    }

    fn happenings_of(&mut self, session: &str, limit: usize) -> Result<Vec<Happening>> {
        let sql =
            "select id, at, kind, session, body from happening where session = ? order by id desc limit ?";
        let mut happenings = self.all(sql, params![session, limit as i64], rows::happening)?;
        happenings.reverse();
        Ok(happenings)
    }

    fn happenings_between(
        &mut self,
        session: &str,
        from: Timestamp,
        until: Timestamp,
        limit: usize,
    ) -> Result<Vec<Happening>> {
        let sql = "select id, at, kind, session, body from happening where session = ? and at >= ? and at < ? \
                   order by at, id limit ?";
        self.all(sql, params![session, from.as_ms(), until.as_ms(), limit as i64], rows::happening)
    }

    fn crisis_mark(&mut self, scope: &str, mark: &CrisisMark, at: Timestamp) -> Result<bool> {
        self.cache.crisis_is_marked = Some(true);
        let known = "update crisis set at = max(at, ?4), language = coalesce(?3, language) where scope = ?1 and mark = ?2";
        let row = params![scope, mark.mark, mark.language, at.as_ms()];
        if self.run(known, row)? > 0 {
            return Ok(false);
        }
        self.run("insert into crisis (scope, mark, language, at) values (?1, ?2, ?3, ?4)", row).map(|_| true)
    }

    fn crisis_marks(&mut self, scope: &str, since: Timestamp) -> Result<Vec<CrisisMark>> {
        let sql = "select mark, language from crisis where scope = ? and at >= ? order by mark";
        self.all(sql, params![scope, since.as_ms()], |row| {
            Ok(CrisisMark { mark: row.get(0)?, language: row.get(1)? })
        })
    }

    fn crisis_is_marked(&mut self) -> Result<bool> {
        if let Some(marked) = self.cache.crisis_is_marked {
            return Ok(marked);
        }
        let marked = self.one("select 1 from crisis limit 1", [], |_| Ok(()))?.is_some();
        self.cache.crisis_is_marked = Some(marked);
        Ok(marked)
    }

    fn age_out(&mut self, retention: &Retention, now: Timestamp) -> Result<AgedOut> {
        let holds_until = now.plus_ms(-retention.holds_ms.max(0));
        let events_until = now.plus_ms(-retention.events_ms.max(0));
        let ended = HoldState::ALL.into_iter().filter(|state| state.is_final());
        debug_assert_eq!(ended.count(), 5, "the index below names the states that are not final");
        // The row stays: an answer that comes again is still the same answer.
        let holds = self.run(
            "update hold set card = x'' where id in (select id from hold where state not in ('pending', 'approved') \
             and card <> x'' and since < ? limit ?)",
            [holds_until.as_ms(), AGED_AT_ONCE],
        )?;
        self.run(
            "delete from edited where hold in (select id from hold join edited on hold = id \
             where state not in ('pending', 'approved') and since < ? limit ?)",
            [holds_until.as_ms(), AGED_AT_ONCE],
        )?;
        let events = self.run(
            "delete from happening where id in (select id from happening where at < ? limit ?)",
            [events_until.as_ms(), AGED_AT_ONCE],
        )?;
        let granted = self.all(
            "delete from granted where no in (select no from granted where expires < ? order by no limit ?) \
             returning id",
            [holds_until.as_ms(), AGED_AT_ONCE],
            |row| row.get::<_, String>(0),
        )?;
        for id in &granted {
            self.run("delete from counter where key = ?", [format!("warrant:{id}:calls")])?;
        }
        let reviews = self.run(
            "delete from review where record in (select record from review where state = 3 and at < ? limit ?)",
            [events_until.as_ms(), AGED_AT_ONCE],
        )?;
        let shelves = self.all(
            "delete from shelf where (party, rule) in (select party, rule from shelf where ends < ? limit ?) \
             returning party",
            [now.as_ms(), AGED_AT_ONCE],
            |row| row.get::<_, i64>(0),
        )?;
        for party in shelves.iter().collect::<std::collections::BTreeSet<_>>() {
            let nothing_left = "not exists (select 1 from shelf where party = no)";
            self.run(&format!("delete from party where no = ? and {nothing_left}"), [party])?;
        }
        self.cache.parties.clear();
        self.cache.shelves.retain(|_, shelf| !shelf.is_over(now));
        self.run(
            "delete from crisis where (scope, mark) in (select scope, mark from crisis where at < ? limit ?)",
            [events_until.as_ms(), AGED_AT_ONCE],
        )?;
        // Nothing that could be used twice lives longer than a warrant.
        let once_until = now.plus_ms(-ONCE_KEPT_MS).as_ms();
        self.run(
            "delete from once where key in (select key from once where at < ? limit ?)",
            params![once_until, AGED_AT_ONCE],
        )?;
        self.run(
            "delete from login where name in (select name from login where expires < ? limit ?)",
            [now.as_ms(), AGED_AT_ONCE],
        )?;
        self.run(
            "delete from tries where key in (select key from tries where last < ? limit ?)",
            [now.plus_ms(-TRIES_KEPT_MS).as_ms(), AGED_AT_ONCE],
        )?;
        // Whoever makes up names to try does not fill the disk with them.
        self.run(
            "delete from tries where key in (select key from tries order by last desc limit -1 offset ?)",
            [TRIES_KEPT_MAX],
        )?;
        Ok(AgedOut {
            holds: holds as u64,
            events: events as u64,
            grants: granted.len() as u64,
            reviews: reviews as u64,
            remnants: shelves.len() as u64,
            holds_until,
            events_until,
        })
    }
}
