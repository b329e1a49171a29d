//! Seals over rows. Each part of the data has a sum: the keyed hashes of its rows, added up without carry. Triggers that only our
//! own writer has keep the sums while rows come, change and go, so no verb can forget it. The sums lie in the data, hidden, and
//! the seal of the head binds all of them to the log: rows of yesterday do not fit the head of today.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::{
    Connection,
    functions::{Context, FunctionFlags},
    types::ValueRef,
};
use subtle::ConstantTimeEq as _;

use super::rows::told;
use crate::{Part, SealPurpose, Sealer, StoreError};

/// How many parts there are.
const PARTS: usize = Part::ALL.len();

/// A table of which each row is sealed.
pub struct SealedTable {
    /// Its name.
    pub name: &'static str,
    /// The columns that are sealed; what the others are for says the test that lists all columns.
    pub columns: &'static [&'static str],
    /// All of its rows.
    pub whole: Part,
    /// Rows that are looked at by themselves, and which they are: `{}` stands for the row.
    pub some: &'static [(Part, &'static str)],
}

const fn table(name: &'static str, whole: Part, columns: &'static [&'static str]) -> SealedTable {
    SealedTable { name, columns, whole, some: &[] }
}

/// Every table of which rows are sealed one by one. Records have seals of their own.
pub static SEALED: &[SealedTable] = &[
    table("setting", Part::Settings, &["key", "value"]),
    SealedTable {
        some: &[(Part::PendingHolds, "{}state = 'pending'"), (Part::ApprovedHolds, "{}state = 'approved'")],
        ..table(
            "hold",
            Part::Holds,
            &[
                "id",
                "ticket",
                "digest",
                "agent",
                "session",
                "record",
                "opened",
                "deadline",
                "inline_only",
                "crisis",
                "card",
                "state",
                "since",
                "by",
                "reason",
                "redeem_until",
                "approval",
            ],
        )
    },
    SealedTable {
        some: &[(Part::GrantsInForce, "{}revoked_by is null")],
        ..table(
            "granted",
            Part::Grants,
            &[
                "no",
                "id",
                "agent",
                "session",
                "ticket",
                "cites",
                "by",
                "given",
                "expires",
                "warrant",
                "revoked_by",
            ],
        )
    },
    SealedTable {
        some: &[(Part::WarrantCounters, "{}key >= 'warrant:' and {}key < 'warrant;'")],
        ..table("counter", Part::Counters, &["key", "value", "ends"])
    },
    SealedTable {
        some: &[(Part::Proofs, "{}key >= 'nonce:' and {}key < 'nonce;'")],
        ..table("once", Part::Once, &["key", "at"])
    },
    SealedTable {
        some: &[
            (Part::BoundSessions, "{}warrant is not null"),
            (Part::ChildSessions, "{}parent is not null"),
        ],
        ..table(
            "session",
            Part::Sessions,
            &["no", "id", "agent", "host", "parent", "user", "deployment", "first_seen", "warrant"],
        )
    },
    SealedTable {
        some: &[(Part::OpenThreats, "{}state = 1")],
        ..table(
            "threat",
            Part::Threats,
            &[
                "id", "rule", "session", "title", "severity", "policy", "state", "first", "last", "count",
                "record",
            ],
        )
    },
    table("vote", Part::Votes, &["no", "hold", "voter", "yes", "wider", "at", "record"]),
    table("edited", Part::Edits, &["hold", "args"]),
    table("escalation", Part::Escalations, &["hold", "step", "due"]),
    table("review", Part::Reviews, &["record", "session", "at", "outcome", "state", "by", "note"]),
    table("crisis", Part::Crisis, &["scope", "mark", "language", "at"]),
    table("login", Part::Logins, &["name", "user", "stamp", "expires"]),
    table("tries", Part::Tries, &["key", "count", "last"]),
    table(
        "notice",
        Part::Notices,
        &["id", "channel", "occasion", "subject", "body", "made", "state", "attempts", "due", "problem"],
    ),
    table("party", Part::Parties, &["no", "name"]),
    table("shelf", Part::RuleState, &["party", "rule", "ends", "bytes"]),
    table("subtree", Part::Subtrees, &["height", "number", "hash"]),
    table("checkpoint", Part::Checkpoints, &["size", "text"]),
];

/// The sums of all parts, or what is to be added to them.
type Sums = [[u8; 16]; PARTS];

fn add(to: &mut [u8; 16], term: &[u8; 16]) {
    to.iter_mut().zip(term).for_each(|(to, term)| *to ^= term);
}

/// What a transaction changes of the sums.
#[derive(Default)]
pub struct Changes(Mutex<Changed>);

#[derive(Default)]
struct Changed {
    sums: Sums,
    /// Which of them, as bits.
    parts: u64,
    row: Vec<u8>,
}

impl Changes {
    fn lock(&self) -> MutexGuard<'_, Changed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets what a transaction has changed that came to nothing.
    pub fn forget(&self) {
        self.take();
    }

    fn take(&self) -> (Sums, u64) {
        let mut changed = self.lock();
        (std::mem::take(&mut changed.sums), std::mem::take(&mut changed.parts))
    }

    /// A row came, or went: what is added twice is gone. The arguments are the number of its table, its columns, and for each
    /// of the smaller parts whether it belongs there.
    fn toggle(&self, sealer: &dyn Sealer, arguments: &Context<'_>) -> rusqlite::Result<()> {
        let number: i64 = arguments.get(0)?;
        let table = usize::try_from(number).ok().and_then(|number| SEALED.get(number));
        let Some(table) = table else { return Err(rusqlite::Error::InvalidQuery) };
        let changed = &mut *self.lock();
        changed.row.clear();
        begin(&mut changed.row, table);
        for column in 1..=table.columns.len() {
            spell(&mut changed.row, arguments.get_raw(column));
        }
        let term = sealer.mac(SealPurpose::Row, &changed.row);
        let mut toggle = |part: Part| {
            add(&mut changed.sums[part as usize], &term);
            changed.parts |= 1 << part as usize;
        };
        toggle(table.whole);
        for (place, (part, _)) in table.some.iter().enumerate() {
            if arguments.get::<Option<bool>>(1 + table.columns.len() + place)? == Some(true) {
                toggle(*part);
            }
        }
        Ok(())
    }
}

fn begin(row: &mut Vec<u8>, table: &SealedTable) {
    row.extend_from_slice(table.name.as_bytes());
    row.push(0);
}

/// A value, spelled so that no two rows are spelled alike.
fn spell(row: &mut Vec<u8>, value: ValueRef<'_>) {
    let mut long = |kind: u8, bytes: &[u8]| {
        row.push(kind);
        row.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
        row.extend_from_slice(bytes);
    };
    match value {
        ValueRef::Null => row.push(0),
        ValueRef::Integer(number) => {
            row.push(1);
            row.extend_from_slice(&number.to_be_bytes());
        }
        ValueRef::Real(number) => {
            row.push(2);
            row.extend_from_slice(&number.to_bits().to_be_bytes());
        }
        ValueRef::Text(text) => long(3, text),
        ValueRef::Blob(bytes) => long(4, bytes),
    }
}

/// From now on, what `connection` writes changes the sums. The triggers are its own and stand nowhere in the data: another
/// writer changes rows, and no sum.
pub fn watch(
    connection: &Connection,
    sealer: Arc<dyn Sealer>,
    changes: Arc<Changes>,
) -> Result<(), StoreError> {
    let toggle = move |arguments: &Context<'_>| changes.toggle(&*sealer, arguments).map(|()| 0);
    connection
        .create_scalar_function("placet_sealed", -1, FunctionFlags::SQLITE_UTF8, toggle)
        .map_err(told)?;
    // A row that is replaced goes.
    let mut sql = "pragma recursive_triggers = on;\n".to_owned();
    for (number, table) in SEALED.iter().enumerate() {
        let toggle = |row: &str| {
            let columns = table.columns.iter().map(|column| format!("{row}{column}"));
            let some = table.some.iter().map(|(_, which)| which.replace("{}", row));
            let arguments: Vec<String> = columns.chain(some).collect();
            format!("select placet_sealed({number}, {});", arguments.join(", "))
        };
        let SealedTable { name, columns, .. } = table;
        for (event, body) in [
            ("insert".to_owned(), toggle("new.")),
            ("delete".to_owned(), toggle("old.")),
            (format!("update of {}", columns.join(", ")), toggle("old.") + &toggle("new.")),
        ] {
            let word = event.split(' ').next().unwrap_or_default();
            sql.push_str(&format!(
                "drop trigger if exists temp.sealed_{name}_{word};\n\
                 create temp trigger sealed_{name}_{word} after {event} on main.{name} begin {body} end;\n"
            ));
        }
    }
    connection.execute_batch(&sql).map_err(told)
}

/// The seals as they lie in the data.
pub struct Seals {
    /// Whether the head is the one that was sealed: if not, no sum counts.
    is_sealed: bool,
    /// The seals of parts, as they are kept, by name.
    kept: Vec<Option<[u8; 32]>>,
    /// The sums of those, once they were asked for.
    sums: [Option<[u8; 16]>; PARTS],
    /// All of them together.
    digest: [u8; 16],
    /// Parts whose rows were compared with their sums, and whether they fit.
    compared: [Option<bool>; PARTS],
}

/// What the seal of the head binds, beside the sums.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    pub size: u64,
    pub peaks: &'a [u8],
    pub settings_version: u64,
}

impl Seals {
    /// Reads the seals, before anything of the head is written.
    pub fn read(connection: &Connection, sealer: &dyn Sealer) -> Result<Self, StoreError> {
        let mut seals = Self {
            is_sealed: false,
            kept: vec![None; PARTS],
            sums: [None; PARTS],
            digest: [0; 16],
            compared: [None; PARTS],
        };
        let mut whole = true;
        let mut statement = connection.prepare_cached("select part, sum from seal").map_err(told)?;
        let mut rows = statement.query([]).map_err(told)?;
        while let Some(row) = rows.next().map_err(told)? {
            let name: String = row.get(0).map_err(told)?;
            let sum: Vec<u8> = row.get(1).map_err(told)?;
            let part = Part::ALL.into_iter().find(|part| part.as_str() == name);
            let (Some(part), Ok(kept)) = (part, <[u8; 32]>::try_from(sum)) else {
                whole = false;
                continue;
            };
            seals.kept[part as usize] = Some(kept);
        }
        seals.digest = seals.digest(sealer);
        let sql = "select size, peaks, settings_version, seal from head";
        let mut statement = connection.prepare_cached(sql).map_err(told)?;
        let read = |row: &rusqlite::Row<'_>| {
            let (peaks, seal): (Vec<u8>, Vec<u8>) = (row.get(1)?, row.get(3)?);
            Ok((row.get::<_, i64>(0)?, peaks, row.get::<_, i64>(2)?, seal))
        };
        let (size, peaks, version, seal) = statement.query_row([], read).map_err(told)?;
        let head =
            Head { size: size.unsigned_abs(), peaks: &peaks, settings_version: version.unsigned_abs() };
        seals.is_sealed = whole
            && match seal.is_empty() {
                // Nothing was written yet.
                true => (size, version) == (0, 0) && seals.kept.iter().all(Option::is_none),
                false => bool::from(seals.of_head(sealer, head).as_slice().ct_eq(&seal)),
            };
        Ok(seals)
    }

    /// Seals over all rows as they are.
    pub fn of_rows(connection: &Connection, sealer: &dyn Sealer) -> Result<Self, StoreError> {
        let mut seals = Self {
            is_sealed: true,
            kept: vec![None; PARTS],
            sums: [None; PARTS],
            digest: [0; 16],
            compared: [Some(true); PARTS],
        };
        for part in Part::ALL {
            let sum = sum(connection, sealer, part)?;
            seals.sums[part as usize] = Some(sum);
            seals.kept[part as usize] = Some(hidden(sealer, part, &sum));
        }
        seals.digest = seals.digest(sealer);
        Ok(seals)
    }

    /// The seals of parts as they are to be kept.
    pub fn kept(&self) -> impl Iterator<Item = (Part, [u8; 32])> {
        Part::ALL.into_iter().filter_map(|part| Some((part, self.kept[part as usize]?)))
    }

    fn digest(&self, sealer: &dyn Sealer) -> [u8; 16] {
        let mut text = Vec::with_capacity(64 * PARTS);
        for part in Part::ALL {
            if let Some(kept) = &self.kept[part as usize] {
                text.extend_from_slice(part.as_str().as_bytes());
                text.push(0);
                text.extend_from_slice(kept);
            }
        }
        sealer.mac(SealPurpose::Parts, &text)
    }

    fn of_head(&self, sealer: &dyn Sealer, head: Head<'_>) -> [u8; 16] {
        let mut text = [0; 64];
        text[..8].copy_from_slice(&head.size.to_be_bytes());
        text[8..16].copy_from_slice(&head.settings_version.to_be_bytes());
        // The last peak is made of the last record. That the others are theirs, the check of the log tells.
        let last = &head.peaks[head.peaks.len().saturating_sub(32)..];
        text[16..16 + last.len()].copy_from_slice(last);
        text[48..].copy_from_slice(&self.digest);
        sealer.mac(SealPurpose::Head, &text)
    }

    /// What the rows of `part` came to when they were sealed.
    fn sum_of(&mut self, sealer: &dyn Sealer, part: Part) -> &mut [u8; 16] {
        let kept = self.kept[part as usize];
        self.sums[part as usize]
            .get_or_insert_with(|| kept.map_or([0; 16], |kept| shown(sealer, part, &kept)))
    }

    /// Whether the rows of `part` are those that were sealed, with what this transaction has changed so far.
    pub fn holds(
        &mut self,
        connection: &Connection,
        sealer: &dyn Sealer,
        part: Part,
        changes: Option<&Changes>,
    ) -> Result<bool, StoreError> {
        if !self.is_sealed {
            return Ok(false);
        }
        if let Some(known) = self.compared[part as usize] {
            return Ok(known);
        }
        let mut expected = *self.sum_of(sealer, part);
        if let Some(changes) = changes {
            add(&mut expected, &changes.lock().sums[part as usize]);
        }
        let found = sum(connection, sealer, part)?;
        let holds = bool::from(found.ct_eq(&expected));
        self.compared[part as usize] = Some(holds);
        Ok(holds)
    }

    /// Takes in what a transaction has changed, and gives the parts whose seals are to be written.
    pub fn take(&mut self, sealer: &dyn Sealer, changes: &Changes) -> Vec<(Part, [u8; 32])> {
        let (sums, parts) = changes.take();
        let mut news = Vec::new();
        for part in Part::ALL.into_iter().filter(|part| parts & (1 << *part as usize) != 0) {
            let sum = self.sum_of(sealer, part);
            add(sum, &sums[part as usize]);
            let kept = hidden(sealer, part, sum);
            self.kept[part as usize] = Some(kept);
            news.push((part, kept));
        }
        if !news.is_empty() {
            self.digest = self.digest(sealer);
        }
        news
    }

    /// The seal of `head`. None over data that another writer has changed: what was broken stays so until an operator has looked.
    pub fn seal(&self, sealer: &dyn Sealer, head: Head<'_>) -> Option<[u8; 16]> {
        self.is_sealed.then(|| self.of_head(sealer, head))
    }
}

/// By which way the rows of `part` are found. An index is a second copy of what it lists, and a writer can change one without
/// the other: so rows are read from the table itself, and where that is too much, by the same index as the one that counts
/// ([`HoldVerbs::hold_is_listed`](crate::HoldVerbs::hold_is_listed)).
fn path(part: Part) -> &'static str {
    let indexed = [
        (Part::PendingHolds, "indexed by hold_pending"),
        (Part::ApprovedHolds, "indexed by hold_redeem"),
        (Part::OpenThreats, "indexed by threat_open"),
    ];
    indexed.into_iter().find(|(by_index, _)| *by_index == part).map_or("not indexed", |(_, path)| path)
}

/// The parts whose indexes list something else than their tables.
pub fn with_wrong_indexes(connection: &Connection) -> Result<Vec<Part>, StoreError> {
    let mut wrong = Vec::new();
    for SealedTable { name, whole, .. } in SEALED {
        let sql = format!("pragma integrity_check({name})");
        let said: String = connection.query_row(&sql, [], |row| row.get(0)).map_err(told)?;
        if said != "ok" {
            wrong.push(*whole);
        }
    }
    Ok(wrong)
}

/// What the rows of `part` come to as they are.
fn sum(connection: &Connection, sealer: &dyn Sealer, part: Part) -> Result<[u8; 16], StoreError> {
    let mut sum = [0; 16];
    for table in SEALED {
        let which = match table.some.iter().find(|(some, _)| *some == part) {
            Some((_, which)) => format!(" where {}", which.replace("{}", "")),
            None if table.whole == part => String::new(),
            None => continue,
        };
        let by = path(part);
        let sql = format!("select {} from {} {by}{which}", table.columns.join(", "), table.name);
        let mut statement = connection.prepare_cached(&sql).map_err(told)?;
        let mut rows = statement.query([]).map_err(told)?;
        let mut spelled = Vec::new();
        while let Some(row) = rows.next().map_err(told)? {
            spelled.clear();
            begin(&mut spelled, table);
            for column in 0..table.columns.len() {
                spell(&mut spelled, row.get_ref(column).map_err(told)?);
            }
            add(&mut sum, &sealer.mac(SealPurpose::Row, &spelled));
        }
    }
    Ok(sum)
}

fn named(part: Part, rest: &[u8; 16]) -> Vec<u8> {
    [part.as_str().as_bytes(), &[0], rest].concat()
}

/// A sum as it is kept: hidden under a name of its own, which follows from the sum.
fn hidden(sealer: &dyn Sealer, part: Part, sum: &[u8; 16]) -> [u8; 32] {
    let nonce = sealer.mac(SealPurpose::Nonce, &named(part, sum));
    let mut masked = sealer.mac(SealPurpose::Pad, &named(part, &nonce));
    add(&mut masked, sum);
    let mut kept = [0; 32];
    kept[..16].copy_from_slice(&nonce);
    kept[16..].copy_from_slice(&masked);
    kept
}

/// The sum that was kept so. Whether it is one of ours tells the seal of the head.
fn shown(sealer: &dyn Sealer, part: Part, kept: &[u8; 32]) -> [u8; 16] {
    let (mut nonce, mut sum) = ([0; 16], [0; 16]);
    nonce.copy_from_slice(&kept[..16]);
    sum.copy_from_slice(&kept[16..]);
    add(&mut sum, &sealer.mac(SealPurpose::Pad, &named(part, &nonce)));
    sum
}
