//! Whether the service runs, and by what it decides.

use std::{os::unix::net::UnixStream, path::Path};

use data_encoding::HEXLOWER;
use placet_engine::CONFIGURATION;
use placet_store::{Store as _, sqlite::SqliteStore};

use super::{About, Doctor, Examined};
use crate::{home, socket::Socket};

/// Asks it at its socket; whether it runs.
pub fn look(directory: &Path, seen: &mut Examined) -> bool {
    let socket = directory.join(crate::socket::NAME);
    let connected = UnixStream::connect(&socket);
    let runs = connected.is_ok();
    match connected {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => seen.fact(
            About::Service,
            format!("`{}` cannot be asked from here: it is another user's", socket.display()),
        ),
        Err(_) => seen.fact(About::Service, "does not run with this data; `placet serve` starts it"),
        Ok(_) => match Socket::at(&socket).is_ready() {
            Ok(true) => seen.fact(About::Service, format!("runs, and can decide: {}", socket.display())),
            Ok(false) => seen.finding(
                About::Service,
                "runs, and cannot decide: every call is blocked",
                "its log says why; often the disk is full",
            ),
            Err(error) => seen.finding(
                About::Service,
                format!("runs, and does not answer: {}", error.root_cause()),
                "look at its log; start it again if it hangs: holds survive that",
            ),
        },
    }
    runs
}

/// Says so if it decides by something else than what is looked at here: then all that is said of that is not about it.
pub fn compare(directory: &Path, looked_at: &Doctor, store: &SqliteStore, seen: &mut Examined) {
    let here = home::fingerprint_of(looked_at.config.as_deref(), &looked_at.rules, directory);
    let mut there = None;
    let _ = store.look(&mut |ledger| {
        there = ledger.settings()?.get(CONFIGURATION).map(str::to_owned);
        Ok(())
    });
    if let (Ok(here), Some(there)) = (here, there)
        && HEXLOWER.encode(&here) != there
    {
        seen.finding(
            About::Service,
            "it decides by another configuration than the one that is looked at here",
            "start `placet doctor` as it was started: with its `--config`, `--rules` and `--no-builtin-rules`, and the same variables; or it has not taken over what is written now, and its log says why",
        );
    }
}
