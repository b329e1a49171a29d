//! The engine at its boundary: calls in, answers out, over a real database in a temporary directory.

mod audit;
mod card;
mod crash;
mod crisis;
mod faults;
mod grants;
mod holds;
mod modes;
mod notices;
mod processes;
mod prove;
mod pulse;
mod reports;
mod reviews;
mod rig;
mod rules;
mod simulation;
mod tokens;
mod users;
mod votes;
mod warrants;
