//! Makes the tables of the phrases that the crisis gate seeks. To make them takes longer than all else that a process does
//! that decides on one call, so they are part of the program.

#![allow(dead_code, reason = "these modules are the program's, which also reads the tables")]

use std::{env, error::Error, fs, path::PathBuf};

#[path = "src/crisis"]
mod crisis {
    pub mod fold;
    pub mod lists;
    pub mod meaning;
    pub mod openings;
}

#[path = "src/effect"]
mod effect {
    pub mod percent;
    pub mod words;
}

#[path = "src/packed.rs"]
mod packed;

#[path = "src/sought.rs"]
mod sought;

fn main() -> Result<(), Box<dyn Error>> {
    // The lists are part of this script, so it is built anew if one changes.
    println!("cargo::rerun-if-changed=build.rs");
    let directory = PathBuf::from(env::var("OUT_DIR")?);
    for (name, lists) in [("latin.phrases", crisis::lists::LATIN), ("other.phrases", crisis::lists::OTHER)] {
        fs::write(directory.join(name), crisis::lists::table(lists)?)?;
    }
    Ok(())
}
