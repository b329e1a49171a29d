//! The engine at its boundary: calls in, answers out, over a real database in a temporary directory.

mod audit;
mod card;
mod columns;
mod crash;
mod crisis;
mod edits;
mod faults;
mod grants;
mod holds;
mod modes;
mod notices;
mod owned;
mod processes;
mod prove;
mod pulse;
mod reports;
mod reviews;
mod rig;
mod rules;
mod search;
mod simulation;
mod tampered;
mod tokens;
mod users;
mod votes;
mod warrants;

/// The memory of the program, so that what is simulated takes the time it takes there.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;
