//! What people are told of a decision: the same on a terminal, on a page and as data.

mod marked;

mod row;

pub use marked::{Marked, Piece, pieces};
pub use row::{Fact, Row};
