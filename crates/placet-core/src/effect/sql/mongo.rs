//! What a line for the shell of MongoDB would do.

use super::{QueryReading, effect};
use crate::effect::{Effect, Extent, Seen, TargetKind, Undo, Verb};

pub(super) fn read(text: &str, reading: &mut QueryReading) {
    let plain = without_strings(text);
    let compact: String = plain.chars().filter(|letter| !letter.is_whitespace()).collect();
    let lower = compact.to_ascii_lowercase();
    let mut push = |found: Effect| reading.effects.push(found);
    let lost = |words: &'static str| {
        effect(Verb::Delete, TargetKind::Table, "a collection")
            .undo(Undo::Impossible)
            .extent(Extent::Unbounded)
            .words(words)
    };
    const DROPS: [&str; 9] = [
        ".drop(",
        ".dropdatabase(",
        ".dropindexes(",
        ".dropindex(",
        ".dropuser(",
        ".dropallusers(",
        ".droprole(",
        ".dropallroles(",
        ".removeuser(",
    ];
    if DROPS.iter().any(|drop| lower.contains(drop)) {
        push(lost("drops it with everything in it"));
    }
    for verb in [".deletemany(", ".remove(", ".updatemany(", ".deleteone(", ".findanddelete("] {
        if let Some(at) = lower.find(verb) {
            let rest = &lower[at + verb.len()..];
            let all = rest.starts_with("{})") || rest.starts_with("{},") || rest.starts_with(')');
            push(match (all, verb) {
                (true, ".updatemany(") => effect(Verb::Write, TargetKind::Table, "a collection")
                    .extent(Extent::Unbounded)
                    .undo(Undo::Impossible),
                (true, ".deleteone(") => effect(Verb::Delete, TargetKind::Table, "a collection"),
                (true, _) => lost("deletes every document"),
                (false, _) => effect(Verb::Delete, TargetKind::Table, "a collection").extent(Extent::Several),
            });
        }
    }
    if let Some(at) = lower.find("runcommand({").or_else(|| lower.find("admincommand({")) {
        let command = lower[at..].split_once('{').map_or("", |(_, rest)| rest);
        let name: String = command.chars().take_while(|letter| letter.is_alphanumeric()).collect();
        if matches!(
            name.as_str(),
            "drop"
                | "dropdatabase"
                | "shutdown"
                | "dropuser"
                | "dropallusersfromdatabase"
                | "replsetstepdown"
                | "fsync"
        ) {
            push(lost("runs an administrative command that destroys or stops"));
        } else if matches!(name.as_str(), "createuser" | "grantrolestouser" | "updateuser") {
            push(effect(Verb::Grant, TargetKind::Account, "a database user"));
        }
    }
    if lower.contains(".renamecollection(") && lower.contains(",true)") {
        push(lost("replaces a collection by another"));
    }
    if lower.contains(".shutdownserver(")
        || lower.contains("rs.stepdown(")
        || lower.contains("rs.reconfig(")
        || lower.contains("sh.removeshard")
    {
        push(lost("stops or reshapes the database server"));
    }
    if lower.contains(".createuser(")
        || lower.contains(".grantroles")
        || lower.contains(".changeuserpassword(")
    {
        push(effect(Verb::Grant, TargetKind::Account, "a database user"));
    }
    if reading.effects.is_empty() {
        let writes = [".insert", ".update", ".replace", ".save(", ".create", ".bulkwrite"]
            .iter()
            .any(|verb| lower.contains(verb));
        let verb = if writes { Verb::Write } else { Verb::Read };
        reading.effects.push(effect(verb, TargetKind::Table, "a collection").seen(Seen::Likely));
    }
}

/// The text with the inside of its strings removed; keys of objects stay readable.
fn without_strings(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(letter);
        if matches!(letter, '"' | '\'' | '`') {
            while let Some(inside) = letters.next() {
                if inside == '\\' {
                    letters.next();
                } else if inside == letter {
                    plain.push(letter);
                    break;
                }
            }
        }
    }
    plain
}
