//! Random agents, approvers, clocks, restarts and failures against the engine, with a plain model beside it that says
//! what ought to happen. A run is told by its seed.
//!
//! `PLACET_SIMULATE_SEED=7` repeats one run, `PLACET_SIMULATE_SECONDS=600` makes new ones for that long (`make soak`).

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

mod dice;
mod model;
mod world;

use std::{
    num::NonZero,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use world::World;

/// Steps of one run.
const STEPS: u64 = 1_500;

/// Runs that once found a mistake, and what it was.
const FOUND: &[(u64, &str)] = &[
    (2, "a grant that was looked at while the clock was set back a little did not count later either"),
    (1, "whoever waited while everything was stopped heard of it at the next chance wake-up, or never"),
];

/// Runs in `make test`, besides those that found something.
const RUNS: u64 = 3;

fn run(seed: u64) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let mut world = World::new(seed).await;
        for _ in 0..STEPS {
            world.step().await;
        }
        world.end().await
    })
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn the_engine_does_what_the_model_says() {
    if let Some(seed) = number("PLACET_SIMULATE_SEED") {
        run(seed);
        return;
    }
    for (seed, found) in FOUND {
        eprintln!("seed {seed}: {found}");
        run(*seed);
    }
    let Some(seconds) = number("PLACET_SIMULATE_SECONDS") else {
        for seed in 1_000..1_000 + RUNS {
            run(seed);
        }
        return;
    };
    let (start, steps) = (Instant::now(), AtomicU64::new(0));
    // Another place to begin each time.
    let first = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() << 20;
    let seeds = AtomicU64::new(first);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                while start.elapsed() < Duration::from_secs(seconds) {
                    steps.fetch_add(run(seeds.fetch_add(1, Ordering::Relaxed)), Ordering::Relaxed);
                }
            });
        }
    });
    let steps = steps.into_inner();
    eprintln!("{steps} steps, {:.0} a second", steps as f64 / start.elapsed().as_secs_f64());
}
