//! Hostile shapes at the largest size that is read: none takes longer than the goal.
//!
//! `cargo bench --bench hostile` prints the slowest; with an argument, those whose name holds it.

#[path = "../../crates/placet-core/tests/it/hostile/shapes.rs"]
mod shapes;

use std::time::{Duration, Instant};

/// As much JSON as a service reads at once, and so the largest text a call can bring.
const SIZE: usize = 8 << 20;
/// What each may take.
const GOAL: Duration = Duration::from_millis(250);
/// The best of so many counts: the machine does other things too.
const TRIES: usize = 3;
/// So many are printed when all are asked for.
const SLOWEST: usize = 20;

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let name = |shape: &shapes::Shape| format!("{:?}: {}", shape.reader, shape.name);
    let mut times: Vec<(Duration, String)> = shapes::SHAPES
        .iter()
        .map(|shape| (shape, name(shape)))
        .filter(|(_, name)| filter.as_ref().is_none_or(|filter| name.contains(filter.as_str())))
        .map(|(shape, name)| {
            let input = shape.input(SIZE);
            let time = || {
                let start = Instant::now();
                input.read();
                start.elapsed()
            };
            // One that keeps to the goal need not be tried again.
            let mut best = time();
            for _ in 1..TRIES {
                if best > GOAL {
                    best = best.min(time());
                }
            }
            (best, name)
        })
        .collect();
    times.sort_unstable_by(|one, other| other.cmp(one));
    let slow = times.iter().filter(|(time, _)| *time > GOAL).count();
    println!(
        "{} hostile shapes of {} MiB, {slow} of them above {} ms",
        times.len(),
        SIZE >> 20,
        GOAL.as_millis()
    );
    let shown = if filter.is_some() { times.len() } else { SLOWEST.max(slow) };
    for (time, name) in times.iter().take(shown) {
        println!("{:8.1} ms  {name}", time.as_secs_f64() * 1e3);
    }
    assert_eq!(slow, 0, "a hostile text takes too long");
}
