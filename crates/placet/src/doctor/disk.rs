//! How long the disk takes to keep something: every decision waits for that.

use std::{
    fs::OpenOptions,
    io::{Seek as _, Write as _},
    path::Path,
    time::{Duration, Instant},
};

use super::{About, Examined};

/// How often it is tried.
const ROUNDS: usize = 15;
/// Slower than this, and agents notice.
const SLOW: Duration = Duration::from_millis(20);

/// Writes a page and has it kept, some times, in the data directory.
pub fn look(directory: &Path, seen: &mut Examined) {
    if !directory.is_dir() {
        return;
    }
    match measure(directory) {
        Err(error) => seen.finding(
            About::Disk,
            format!("nothing can be written in `{}`: {error}", directory.display()),
            "every call is blocked until that works: make room, or mend its permissions",
        ),
        Ok(mut times) => {
            times.sort();
            let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
            let what =
                format!("a write is kept after {median:.1?} (median of {ROUNDS}; the slowest {worst:.1?})");
            match median > SLOW {
                false => seen.fact(About::Disk, what),
                true => seen.finding(
                    About::Disk,
                    what,
                    "every decision waits for that: move the data to a local disk with `--data` or `PLACET_DATA`",
                ),
            }
        }
    }
}

/// How long each round took. The file is gone afterwards.
fn measure(directory: &Path) -> std::io::Result<Vec<Duration>> {
    let path = directory.join(format!(".doctor-{}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
    let mut rounds = || -> std::io::Result<Vec<Duration>> {
        let page = [0x5a; 4096];
        (0..ROUNDS)
            .map(|_| {
                let started = Instant::now();
                file.rewind()?;
                file.write_all(&page)?;
                file.sync_data()?;
                Ok(started.elapsed())
            })
            .collect()
    };
    let times = rounds();
    std::fs::remove_file(&path)?;
    times
}
