//! What rules remember.

use placet_core::{
    Timestamp,
    rule::{Note, Shelf, Track},
};
use rusqlite::params;

use super::{Result, SqliteLedger};
use crate::{
    ShelfVerbs,
    sqlite::rows::{self, damaged},
};

/// A shelf is let go up to so much later than it could be.
const SHELF_STEP_MS: i64 = 60 * 60 * 1_000;

impl SqliteLedger<'_> {
    /// A shelf as it is now.
    pub(super) fn shelf(&mut self, track: &Track) -> Result<&mut Shelf> {
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
    pub(super) fn party_number(&mut self, track: &Track) -> Result<i64> {
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

    /// Writes what rules remember since.
    pub(super) fn flush_shelves(&mut self) -> Result<()> {
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
        Ok(())
    }
}

impl ShelfVerbs for SqliteLedger<'_> {
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
}
