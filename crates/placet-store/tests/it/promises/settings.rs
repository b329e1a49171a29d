//! Settings and their version.

use crate::place::{Place, read, write};

pub fn a_setting_is_what_it_was_last_set_to(place: &dyn Place) {
    let store = place.open();
    assert_eq!(read(&*store, |ledger| ledger.settings()).get("mode"), None);
    // Work sees its own changes.
    let seen = write(&*store, |ledger| {
        ledger.setting_put("mode", "observe")?;
        ledger.setting_put("mode", "enforce")?;
        ledger.setting_put("stopped", "")?;
        ledger.settings()
    });
    assert_eq!(seen.get("mode"), Some("enforce"));
    assert_eq!(seen.values.len(), 2);
    assert_eq!(read(&*store, |ledger| ledger.settings()), seen);
}

pub fn each_change_makes_another_version(place: &dyn Place) {
    let store = place.open();
    let version = || read(&*store, |ledger| ledger.settings_version());
    let first = version();
    let (before, after) = write(&*store, |ledger| {
        let before = ledger.settings_version()?;
        ledger.setting_put("mode", "observe")?;
        Ok((before, ledger.settings_version()?))
    });
    assert_eq!(before, first);
    assert!(after > before);
    assert_eq!(version(), after);
    // The same value again is a change all the same: whoever set it wanted it to be known.
    write(&*store, |ledger| ledger.setting_put("mode", "observe"));
    assert!(version() > after);
    assert_eq!(read(&*store, |ledger| ledger.settings()).version, version());
}
