//! What a command of Redis would do.

use super::{QueryReading, effect};
use crate::effect::{Effect, Extent, Pointer, Seen, Sensitivity, Span, Target, TargetKind, Undo, Verb};

pub(super) fn read(line: &str, reading: &mut QueryReading) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some(command) = words.first() else { return };
    let command = command.to_ascii_uppercase();
    let second = words.get(1).map_or(String::new(), |word| word.to_ascii_uppercase());
    let server = || Target::new(TargetKind::Service, "the Redis server").with(Sensitivity::System);
    let lost = |words: &'static str| {
        effect(Verb::Delete, TargetKind::Table, "keys")
            .extent(Extent::Unbounded)
            .undo(Undo::Impossible)
            .words(words)
    };
    let configure = || Effect { target: server(), ..effect(Verb::Configure, TargetKind::Service, "") };
    reading.effects.push(match (command.as_str(), second.as_str()) {
        ("FLUSHALL" | "FLUSHDB", _) => lost("deletes every key"),
        ("SCRIPT" | "FUNCTION", "FLUSH" | "KILL" | "DELETE") => lost("deletes every script"),
        ("SWAPDB", _) => lost("exchanges two databases"),
        ("SHUTDOWN", _)
        | ("DEBUG", _)
        | ("CLUSTER", "RESET" | "FAILOVER" | "FORGET")
        | ("CONFIG", "SET" | "RESETSTAT" | "REWRITE")
        | ("MODULE", "LOAD") => configure(),
        ("REPLICAOF" | "SLAVEOF", "NO") => Effect::new(
            Verb::Configure,
            Target::new(TargetKind::Service, "replication"),
            Span::new(Pointer::root(), 0..0),
        ),
        ("REPLICAOF" | "SLAVEOF" | "FAILOVER", _) => configure(),
        ("ACL", "SETUSER") => effect(Verb::Grant, TargetKind::Account, words.get(2).unwrap_or(&"")),
        ("ACL", "DELUSER") => {
            effect(Verb::Delete, TargetKind::Account, words.get(2).unwrap_or(&"")).undo(Undo::Impossible)
        }
        ("DEL" | "UNLINK", _) if line.contains('\u{1a}') => lost("deletes every key that was listed"),
        ("DEL" | "UNLINK", _) => effect(Verb::Delete, TargetKind::Table, words.get(1).unwrap_or(&"")),
        ("EVAL" | "EVALSHA" | "FCALL", _) => {
            let upper = line.to_ascii_uppercase();
            if upper.contains("FLUSHALL") || upper.contains("FLUSHDB") {
                lost("deletes every key")
            } else {
                effect(Verb::Execute, TargetKind::Table, "a script").seen(Seen::Likely)
            }
        }
        (
            "SET" | "HSET" | "LPUSH" | "RPUSH" | "SADD" | "ZADD" | "EXPIRE" | "INCR" | "DECR" | "RENAME"
            | "MSET" | "APPEND" | "PUBLISH" | "XADD" | "PERSIST" | "SETEX",
            _,
        ) => effect(Verb::Write, TargetKind::Table, words.get(1).unwrap_or(&"")),
        _ => effect(Verb::Read, TargetKind::Table, words.get(1).unwrap_or(&"")).seen(Seen::Likely),
    });
}
