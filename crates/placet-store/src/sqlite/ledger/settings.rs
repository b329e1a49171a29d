//! Settings.

use super::{Result, SqliteLedger};
use crate::{
    Part, SealVerbs as _, Setting, SettingVerbs, Settings,
    sqlite::rows::{count, damaged},
};

impl SettingVerbs for SqliteLedger<'_> {
    fn settings(&mut self) -> Result<Settings> {
        if let Some(settings) = &self.cache.settings {
            return Ok(settings.clone());
        }
        let version = self.settings_version()?;
        let values = self.all("select key, value from setting", [], |row| {
            Ok((row.get(0)?, Setting { value: row.get(1)? }))
        })?;
        let tampered = self.is_sealed() && !self.part_holds(Part::Settings)?;
        let settings = Settings { version, tampered, values: values.into_iter().collect() };
        self.cache.settings = Some(settings.clone());
        Ok(settings)
    }

    fn settings_version(&mut self) -> Result<u64> {
        if let Some(version) = self.cache.settings_version {
            return Ok(version);
        }
        let version = self.one("select settings_version from head", [], |row| row.get(0))?;
        let version = count(version.ok_or_else(|| damaged("the version of the settings"))?);
        self.cache.settings_version = Some(version);
        Ok(version)
    }

    fn setting_put(&mut self, key: &str, value: &str) -> Result<()> {
        self.read_seals()?;
        self.cache.unsealed = true;
        self.run("insert into setting values (?1, ?2) on conflict do update set value = ?2", [key, value])?;
        self.run("update head set settings_version = settings_version + 1", [])?;
        (self.cache.settings, self.cache.settings_version) = (None, None);
        Ok(())
    }
}
