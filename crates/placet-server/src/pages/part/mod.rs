//! What pages are made of.

pub mod called;
pub mod chart;
pub mod hold;
pub mod icon;
pub mod json;
pub mod text;
pub mod told;
