//! Each claim of SECURITY.md names the tests that show it. Here we check that those tests exist: a claim whose test was renamed or
//! removed is a claim that nothing shows.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use placet_server::endpoint::{self, As, Dialect};

/// The layer of a claim that only the operating system keeps has no test of ours.
const NO_TEST: &str = "–";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rows of the first table below a heading, without its head and its rule.
fn table<'a>(text: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let below = text.split_once(heading).unwrap_or_else(|| panic!("SECURITY.md has `{heading}`")).1;
    below
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect()
}

/// The file that a name such as `placet-core: warrant/chain::what_is_revoked` speaks of, and the function in it.
fn place_of(name: &str) -> Option<(PathBuf, &str)> {
    let (package, rest) = name.split_once(": ")?;
    let (file, function) = rest.split_once("::")?;
    let folder = if file.starts_with("browser/") { "tests" } else { "tests/it" };
    Some((root().join("crates").join(package).join(folder).join(format!("{file}.rs")), function))
}

/// Whether a file defines a test of this name: a function below `#[test]`, in `proptest!` or with an attribute of a runtime.
fn defines(file: &Path, function: &str) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.contains(&format!("fn {function}(")))
}

#[test]
fn every_claim_names_tests_that_exist() {
    let text = fs::read_to_string(root().join("SECURITY.md")).expect("SECURITY.md can be read");
    let rows = table(&text, "## Boundary and heuristic");
    assert!(rows.len() >= 20, "only {} claims were found", rows.len());
    let mut problems = Vec::new();
    for row in rows {
        let [claim, layer, tests] = row[..] else {
            problems.push(format!("not three cells: {row:?}"));
            continue;
        };
        if layer.is_empty() {
            problems.push(format!("`{claim}` names no layer"));
        }
        if tests == NO_TEST {
            continue;
        }
        let names: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        if names.is_empty() {
            problems.push(format!("`{claim}` names no test"));
        }
        for name in names {
            if !place_of(name).is_some_and(|(file, function)| defines(&file, function)) {
                problems.push(format!("`{claim}`: there is no test `{name}`"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_path_that_anyone_may_use_is_listed_as_a_surface() {
    let text = fs::read_to_string(root().join("SECURITY.md")).expect("SECURITY.md can be read");
    let surfaces: String = table(&text, "## Surfaces").concat().join(" ");
    let open: BTreeSet<&str> = endpoint::every()
        .filter(|endpoint| endpoint.dialect != Dialect::Page && endpoint.who.contains(&As::Anyone))
        .map(|endpoint| endpoint.path.split('{').next().unwrap_or_default().trim_end_matches('/'))
        .collect();
    assert!(!open.is_empty(), "the table of paths has some for everyone");
    for path in open {
        assert!(
            surfaces.contains(&format!("`{path}")),
            "SECURITY.md does not list `{path}` among its surfaces"
        );
    }
}
