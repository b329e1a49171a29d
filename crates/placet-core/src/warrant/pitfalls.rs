//! Pitfalls: what a link permits by its letters and its author hardly meant. Hints for the author; nothing rests on them.

use super::scope::{Deed, Scope};
use crate::{constraint::Constraint, effect::Role, json::excerpt};

/// Where a link permits more than it seems to, each in a sentence.
pub fn pitfalls(scope: &Scope) -> Vec<String> {
    let mut found = Vec::new();
    for capability in &scope.capabilities {
        let Deed::Tool { tool, arguments, .. } = &capability.deed else { continue };
        for argument in arguments {
            let is_path = Role::of_key(&argument.name) == Some(Role::Path);
            if is_path && rests_on_a_pattern(&argument.constraint) {
                let name = excerpt(&argument.name);
                found.push(format!(
                    "`{name}` of {tool} is a path, and a pattern goes by its letters: what matches `/data/.*` may be `/data/../etc`; add `and under` with the directory"
                ));
            }
        }
    }
    found
}

/// Whether a value may pass because of a pattern, with nothing beside it that works out where a path leads.
fn rests_on_a_pattern(constraint: &Constraint) -> bool {
    match constraint {
        Constraint::Regex(_) => true,
        Constraint::All(all) => {
            let confined = all.members().iter().any(confines);
            !confined && all.members().iter().any(rests_on_a_pattern)
        }
        Constraint::Any(any) => any.members().iter().any(rests_on_a_pattern),
        Constraint::Not(not) => rests_on_a_pattern(not.inner()),
        Constraint::AnyValue
        | Constraint::Exact(_)
        | Constraint::OneOf(_)
        | Constraint::NotOneOf(_)
        | Constraint::Glob(_)
        | Constraint::Range(_)
        | Constraint::Under(_)
        | Constraint::Url(_)
        | Constraint::UrlSafe
        | Constraint::Cidr(_)
        | Constraint::Contains(_)
        | Constraint::Subset(_)
        | Constraint::Argv(_)
        | Constraint::Length(_) => false,
    }
}

/// Whether only values pass whose dot segments are worked out or refused.
fn confines(constraint: &Constraint) -> bool {
    matches!(
        constraint,
        Constraint::Under(_) | Constraint::Glob(_) | Constraint::Exact(_) | Constraint::OneOf(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warrant::Slip;

    #[test]
    fn a_pattern_on_a_path_is_noted() {
        let noted = |capability: &str| {
            let slip = format!("allow: ['read_file: {capability}']");
            !pitfalls(&Slip::read(&slip).unwrap().scope).is_empty()
        };
        for capability in [
            "path regex \"/data/.*\"",
            "path (glob a or regex \"/data/.*\")",
            "path regex \"/data/.*\" and length ..80",
            "path not regex \"/etc/.*\"",
            "target_file? regex \"x\"",
        ] {
            assert!(noted(capability), "{capability}");
        }
        for capability in [
            "path under /data",
            "path regex \"/data/.*\" and under /data",
            "path glob /data/** and regex \".*txt\"",
            "query regex \"a+\"",
        ] {
            assert!(!noted(capability), "{capability}");
        }
    }
}
