//! What `placet-core` promises, tested at its boundaries.

mod judge;

mod canonical;
//D mod differential;
mod digest;
mod hostile;
mod json;
mod patch;
mod path;
mod properties;
//S mod scenarios;
