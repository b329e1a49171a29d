//! Seals over rows, and the head that binds them.

use std::sync::Arc;

use rusqlite::params;

use super::{Result, SqliteLedger};
use crate::{
    Fault, Part, SealVerbs, Sealer, SettingVerbs as _, StoreError,
    sqlite::{
        rows::damaged,
        seals::{self, Head, Seals},
    },
};

impl SqliteLedger<'_> {
    /// Whether rows are sealed here.
    pub(super) fn is_sealed(&self) -> bool {
        self.sealer.is_some()
    }

    /// Reads the seals, which is to be done before the head changes.
    pub(super) fn read_seals(&mut self) -> Result<()> {
        if let Some(sealer) = self.sealer
            && self.cache.seals.is_none()
        {
            self.cache.seals = Some(Seals::read(self.connection, &**sealer)?);
        }
        Ok(())
    }

    /// Writes how large the log has become, and seals what was changed.
    pub(super) fn flush_head(&mut self) -> Result<()> {
        self.read_seals()?;
        let mut news = Vec::new();
        if let (Some(sealer), Some(changes), Some(seals)) = (self.sealer, self.changes, &mut self.cache.seals)
        {
            news = seals.take(&**sealer, changes);
        }
        let grown = std::mem::take(&mut self.cache.grown);
        let unsealed = std::mem::take(&mut self.cache.unsealed);
        if !grown && !unsealed && news.is_empty() {
            return Ok(());
        }
        let settings_version = self.settings_version()?;
        let tree = self.tree()?;
        let (size, peaks) = (tree.size(), tree.peaks());
        let head = Head { size, peaks: &peaks, settings_version };
        let seal = match (self.sealer, &self.cache.seals) {
            (Some(sealer), Some(seals)) => seals.seal(&**sealer, head),
            (Some(_) | None, _) => None,
        };
        match seal {
            Some(seal) => {
                for (part, kept) in news {
                    let sql = "insert into seal values (?1, ?2) on conflict do update set sum = ?2";
                    self.run(sql, params![part.as_str(), kept])?;
                }
                let sql = "update head set size = ?, peaks = ?, seal = ?";
                self.run(sql, params![size as i64, peaks, seal])?;
            }
            None => {
                self.run("update head set size = ?, peaks = ?", params![size as i64, peaks])?;
            }
        }
        Ok(())
    }
}

impl SealVerbs for SqliteLedger<'_> {
    fn part_holds(&mut self, part: Part) -> Result<bool> {
        self.read_seals()?;
        match (self.sealer, &mut self.cache.seals) {
            (Some(sealer), Some(seals)) => seals.holds(self.connection, &**sealer, part, self.changes),
            (Some(_) | None, _) => {
                Err(StoreError::new(Fault::Refused, "rows are not sealed where there is no key"))
            }
        }
    }

    fn broken_parts(&mut self, sealer: &dyn Sealer) -> Result<Vec<Part>> {
        let mut seals = Seals::read(self.connection, sealer)?;
        let mut broken = seals::with_wrong_indexes(self.connection)?;
        for part in Part::ALL {
            if !broken.contains(&part) && !seals.holds(self.connection, sealer, part, None)? {
                broken.push(part);
            }
        }
        Ok(broken)
    }

    fn seal_anew(&mut self) -> Result<()> {
        let Some(sealer) = self.sealer.map(Arc::clone) else { return Err(damaged("a key")) };
        self.flush()?;
        let changes = self.changes.ok_or_else(|| damaged("a transaction that writes"))?;
        changes.forget();
        self.run("delete from seal", [])?;
        let seals = Seals::of_rows(self.connection, &*sealer)?;
        for (part, kept) in seals.kept() {
            self.run("insert into seal values (?1, ?2)", params![part.as_str(), kept])?;
        }
        self.cache.seals = Some(seals);
        self.cache.settings = None;
        self.cache.unsealed = true;
        Ok(())
    }
}
