//! What pages are made of.

pub mod called;
pub mod hold;
pub mod icon;
pub mod json;
pub mod text;
pub mod told;
