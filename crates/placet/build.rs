//! Makes the rules that come with Placet ready, so that the program need not read their files whenever it starts.

#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

use std::{env, error::Error, fs, path::Path};

use placet_core::rule;

fn main() -> Result<(), Box<dyn Error>> {
    const RULES: &str = "../../rules";
    println!("cargo::rerun-if-changed={RULES}");
    let out = env::var("OUT_DIR")?;
    for entry in fs::read_dir(RULES)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".yaml")) else {
            continue;
        };
        let ready = rule::make_ready(&fs::read_to_string(&path)?)
            .map_err(|error| format!("{}:{error}", path.display()))?;
        fs::write(Path::new(&out).join(format!("{name}.ready")), ready)?;
    }
    Ok(())
}
