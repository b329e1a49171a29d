//! What fuzz targets share: a reader's time grows no faster than its text.

use std::time::{Duration, Instant};

/// The text is repeated up to this size, and to four times that.
const SIZE: usize = 16 << 10;
/// Four times the text may take as many times as long: linear work takes 4, quadratic work 16.
const RATIO_MAX: f64 = 10.0;
/// Shorter times are counted as this long, so that a page fault is no growth. With the sanitizer's checks everything is
/// some fifty times slower than in a release build.
const FLOOR: Duration = Duration::from_millis(30);
/// What a byte may take at most, however the time grows; the same checks included.
const BYTE_MAX: Duration = Duration::from_micros(100);
/// A slow answer is asked for again: the machine does other things too.
const TRIES: usize = 4;
/// One text in so many is timed. Which ones depends on the text alone, so that a finding can be run again.
const ONE_IN: u64 = 64;

/// Has `read` read `text` repeated to two sizes, for one text in some, and fails where the time grows faster than the
/// text, or where a byte takes too long.
pub fn takes_time_in_proportion(text: &str, read: impl Fn(&str)) {
    if text.is_empty() || !hash(text.as_bytes()).is_multiple_of(ONE_IN) {
        return;
    }
    let small = text.repeat(SIZE.div_ceil(text.len()));
    let large = small.repeat(4);
    let time = |text: &str| {
        let start = Instant::now();
        read(text);
        start.elapsed()
    };
    let (mut before, mut after) = (time(&small), time(&large));
    let fails = |before: Duration, after: Duration| {
        let ratio = after.as_secs_f64() / before.max(FLOOR).as_secs_f64();
        ratio >= RATIO_MAX || after > BYTE_MAX * u32::try_from(large.len()).unwrap_or(u32::MAX)
    };
    for _ in 1..TRIES {
        if !fails(before, after) {
            return;
        }
        before = before.min(time(&small));
        after = after.min(time(&large));
    }
    assert!(
        !fails(before, after),
        "{} bytes took {before:?}, {} bytes took {after:?}",
        small.len(),
        large.len()
    );
}

/// Has `read` read `text` repeated to a large size, for one text in some, and fails where a byte takes too long. For
/// readers that follow what a text says: one that multiplies takes more than its share of time, up to a budget.
pub fn takes_its_time_by_the_byte(text: &str, read: impl Fn(&str)) {
    /// Quadratic work takes longer than all these bytes may.
    const LARGE: usize = 192 << 10;
    const BYTE_MAX: Duration = Duration::from_micros(50);
    if text.is_empty() || !hash(text.as_bytes()).is_multiple_of(ONE_IN) {
        return;
    }
    let large = text.repeat(LARGE.div_ceil(text.len()));
    let start = Instant::now();
    read(&large);
    let time = start.elapsed();
    let limit = BYTE_MAX * u32::try_from(large.len()).unwrap_or(u32::MAX);
    assert!(time <= limit, "{} bytes took {time:?}", large.len());
}

/// [`takes_time_in_proportion`] for bytes that need not be text.
pub fn bytes_take_time_in_proportion(bytes: &[u8], read: impl Fn(&str)) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        takes_time_in_proportion(text, read);
    }
}

/// FNV-1a: the same on every run.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
