//! What a database statement would do.
//!
//! A text is cut into statements, with strings and comments set aside, so that text that only mentions danger is
//! not danger. A plain query is settled by its words; anything else goes to a parser, dialect by dialect. What none
//! of them accepts is read by its words and counts as likely; what has no word that any database knows is opaque.

mod text;

mod known;

mod condition;

mod statement;

mod words;

mod client;

mod mongo;

mod redis;

use self::{
    text::{Piece, Quoting, Words},
    words::Known,
};
use super::{Effect, Manner, Pointer, Seen, Sensitivity, Span, Target, TargetKind, Verb};

/// The language a statement is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// SQL of any dialect, with the backslash and dot commands of its clients.
    Sql,
    /// The shell of MongoDB.
    Mongo,
    /// Commands of Redis.
    Redis,
}

/// What statements would do.
#[derive(Debug, Default)]
pub struct QueryReading {
    /// Their effects; the caller knows where they stood.
    pub effects: Vec<Effect>,
    /// Commands that the database or its client would run in a shell.
    pub shell: Vec<String>,
    /// Files that it would touch, and whether it writes them.
    pub paths: Vec<(String, bool)>,
}

/// Reads the statements in `text`.
pub fn read(language: Language, text: &str) -> QueryReading {
    let mut reading = QueryReading::default();
    match language {
        Language::Sql => return statements(text),
        Language::Mongo => mongo::read(text, &mut reading),
        Language::Redis => {
            for line in text.lines() {
                redis::read(line, &mut reading);
            }
        }
    }
    reading
}

/// The language of a text that is a statement rather than a command.
pub fn looks_like(text: &str) -> Option<Language> {
    let without_comments;
    let mut text = text.trim_start();
    if let Some(at) = text.find("/*").filter(|at| *at < 64) {
        let end = text[at..].find("*/").map_or(text.len(), |end| at + end + 2);
        without_comments = format!("{} {}", &text[..at], &text[end..]);
        text = without_comments.trim_start();
    }
    if text.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("db.")) {
        return Some(Language::Mongo);
    }
    let mut words = text
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty());
    let first = words.next()?.to_ascii_uppercase();
    let second = words.next().unwrap_or("").to_ascii_uppercase();
    let is_sql = match first.as_str() {
        "SELECT" => {
            text.to_ascii_uppercase().contains(" FROM ")
                || second.chars().all(|letter| letter.is_ascii_digit())
        }
        "INSERT" | "REPLACE" => second == "INTO",
        "DELETE" => second == "FROM",
        "UPDATE" => text.to_ascii_uppercase().contains(" SET "),
        "TRUNCATE" => second == "TABLE" || text.starts_with("TRUNCATE"),
        "DROP" | "ALTER" | "CREATE" => matches!(
            second.as_str(),
            "TABLE"
                | "DATABASE"
                | "SCHEMA"
                | "INDEX"
                | "VIEW"
                | "USER"
                | "ROLE"
                | "KEYSPACE"
                | "FUNCTION"
                | "TRIGGER"
                | "SEQUENCE"
                | "MATERIALIZED"
                | "TYPE"
                | "EXTENSION"
                | "TABLESPACE"
                | "SYSTEM"
                | "UNIQUE"
                | "OR"
                | "TEMPORARY"
                | "TEMP"
                | "POLICY"
                | "PROCEDURE"
                | "PUBLICATION"
                | "SUBSCRIPTION"
                | "OWNED"
                | "COLUMN"
                | "LOGIN"
                | "SERVER"
                | "EVENT"
                | "STREAM"
                | "DICTIONARY"
                | "PARTITION"
        ),
        "GRANT" | "REVOKE" => text.contains(" ON ") || text.contains(" TO ") || text.contains(" FROM "),
        "PURGE" => matches!(second.as_str(), "BINARY" | "MASTER"),
        "RESET" => matches!(second.as_str(), "MASTER" | "BINARY" | "SLAVE" | "REPLICA" | "QUERY"),
        "SET" => second == "GLOBAL" || second == "PERSIST",
        "COPY" => text.contains(" TO ") || text.contains(" FROM "),
        "EXPLAIN" | "PREPARE" | "MERGE" | "VACUUM" | "REINDEX" | "LOCK" => text.starts_with(&first),
        _ => false,
    };
    if is_sql {
        return Some(Language::Sql);
    }
    let is_redis = match first.as_str() {
        "FLUSHALL" | "FLUSHDB" | "SWAPDB" | "REPLICAOF" | "SLAVEOF" => true,
        "SHUTDOWN" | "DEBUG" | "CONFIG" | "ACL" | "SCRIPT" | "EVAL" | "CLUSTER" | "FUNCTION" => {
            text.starts_with(&first)
        }
        _ => false,
    };
    is_redis.then_some(Language::Redis)
}

fn effect(verb: Verb, kind: TargetKind, name: &str) -> Effect {
    Effect::new(
        verb,
        Target::new(kind, name.chars().take(120).collect::<String>()),
        Span::new(Pointer::root(), 0..0),
    )
}

/// Longer texts are read up to here, and then said to be longer.
const TEXT_MAX: usize = 256 * 1024;
/// How often a statement may run a text that runs a text.
const NESTED_MAX: usize = 3;
/// More texts that statements run are not followed.
const NESTED_TEXTS_MAX: usize = 32;

fn statements(text: &str) -> QueryReading {
    let end = text.floor_char_boundary(TEXT_MAX);
    let mut budget = statement::PARSED_MAX;
    let mut reading = read_both_ways(&text[..end], &mut budget, 0);
    if end < text.len() {
        reading.effects.push(cut("longer than can be read"));
    }
    reading
}

/// Reads `text` as it would be cut by most databases, and where others would cut it differently, by these too.
fn read_both_ways(text: &str, budget: &mut usize, depth: usize) -> QueryReading {
    let pieces = text::cut(text, Quoting::Standard);
    if !pieces.ambiguous {
        return read_pieces(&pieces, None, budget, depth).all();
    }
    let standard = read_pieces(&pieces, Some(Quoting::Standard), budget, depth);
    let escaped = text::cut(text, Quoting::Escaped);
    let escaped = read_pieces(&escaped, Some(Quoting::Escaped), budget, depth);
    let (first, second) =
        if escaped.unparsed < standard.unparsed { (escaped, standard) } else { (standard, escaped) };
    let mut reading = first.all();
    // Only what a parser accepted is believed of the other way, since half of a string parses as nothing.
    for found in second.sure.effects {
        let harmless = found.verb == Verb::Read && found.target.sensitivity == Sensitivity::None;
        if !harmless && !reading.effects.contains(&found) {
            reading.effects.push(found.seen(Seen::Likely));
        }
    }
    let shell = second.sure.shell.into_iter().filter(|command| !reading.shell.contains(command));
    let shell: Vec<String> = shell.collect();
    reading.shell.extend(shell);
    let paths = second.sure.paths.into_iter().filter(|path| !reading.paths.contains(path));
    let paths: Vec<(String, bool)> = paths.collect();
    reading.paths.extend(paths);
    reading
}

/// What was read of a text, by how it was read.
#[derive(Default)]
struct Outcome {
    /// From statements that a parser accepted or whose words settle them.
    sure: QueryReading,
    /// From the others.
    likely: QueryReading,
    /// How many others there were.
    unparsed: usize,
}

impl Outcome {
    fn all(self) -> QueryReading {
        let Self { sure: mut all, likely, unparsed: _ } = self;
        all.effects.extend(likely.effects.into_iter().map(|effect| effect.seen(Seen::Likely)));
        all.shell.extend(likely.shell);
        all.paths.extend(likely.paths);
        all
    }
}

fn read_pieces(
    pieces: &text::Pieces<'_>,
    quoting: Option<Quoting>,
    budget: &mut usize,
    depth: usize,
) -> Outcome {
    let mut outcome = Outcome::default();
    let mut nested = Vec::new();
    for piece in &pieces.pieces {
        match piece {
            Piece::Client(line) => client::read(line, &mut outcome.sure),
            Piece::Statement(words) => {
                read_statement(words, quoting, budget, depth, &mut outcome, &mut nested)
            }
        }
    }
    if pieces.too_many {
        outcome.sure.effects.push(cut("more statements than can be read"));
    }
    nested.truncate(NESTED_TEXTS_MAX);
    if depth < NESTED_MAX {
        for text in nested {
            let found = read_both_ways(&text, budget, depth + 1);
            outcome.likely.effects.extend(found.effects);
            outcome.likely.shell.extend(found.shell);
            outcome.likely.paths.extend(found.paths);
        }
    } else if !nested.is_empty() {
        outcome.sure.effects.push(cut("statements that run statements, too often to follow"));
    }
    outcome
}

fn read_statement(
    words: &Words<'_>,
    quoting: Option<Quoting>,
    budget: &mut usize,
    depth: usize,
    outcome: &mut Outcome,
    nested: &mut Vec<String>,
) {
    if !words.unclosed && words::is_plain_query(&words.tokens) {
        words::query(&words.tokens, &mut outcome.sure, nested);
    } else if words::is_settled(&words.tokens) {
        words::read_row(&words.tokens, &mut outcome.sure, nested);
    } else if !statement::read(words, quoting, budget, &mut outcome.sure, nested) {
        outcome.unparsed += 1;
        let known = words::read_row(&words.tokens, &mut outcome.likely, nested);
        // Inside a body of code stand many words that begin no statement; a single word is no statement at all.
        if known == Known::No && depth == 0 {
            outcome.likely.effects.push(if words.tokens.len() > 1 {
                opaque("a statement that no database is known to understand")
            } else {
                effect(Verb::Read, TargetKind::Table, "")
            });
        }
    }
}

fn opaque(why: &'static str) -> Effect {
    Effect::opaque(why, Span::new(Pointer::root(), 0..0))
}

fn cut(why: &'static str) -> Effect {
    opaque(why).manner(Manner::CUT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::{Extent, Undo};

    fn check(text: &str, verb: Verb, extent: Extent, undo: Undo) {
        let language = looks_like(text).unwrap_or(Language::Sql);
        let reading = read(language, text);
        assert!(
            reading
                .effects
                .iter()
                .any(|effect| (effect.verb, effect.extent, effect.undo) == (verb, extent, undo)),
            "{text}: {:?}",
            reading.effects
        );
    }

    #[test]
    fn a_condition_makes_the_difference() {
        check("DELETE FROM visits", Verb::Delete, Extent::Unbounded, Undo::Impossible);
        check("DELETE FROM visits WHERE day < '2020-01-01'", Verb::Delete, Extent::Several, Undo::Possible);
        check("DELETE FROM visits WHERE 1=1", Verb::Delete, Extent::Unbounded, Undo::Impossible);
        check("UPDATE visits SET seen = true", Verb::Write, Extent::Unbounded, Undo::Impossible);
        check("DELETE FROM a WHERE id IN (SELECT id FROM b)", Verb::Delete, Extent::Several, Undo::Possible);
        check("DELETE FROM a -- WHERE id = 1", Verb::Delete, Extent::Unbounded, Undo::Impossible);
    }

    #[test]
    fn words_inside_strings_are_only_words() {
        let reading = read(Language::Sql, "SELECT 'DROP TABLE visits; DELETE FROM x'");
        assert!(reading.effects.iter().all(|effect| effect.verb == Verb::Read), "{:?}", reading.effects);
        check("SELECT 1; DROP TABLE visits", Verb::Delete, Extent::One, Undo::Impossible);
        check("/*!50000 DROP TABLE visits */", Verb::Delete, Extent::One, Undo::Impossible);
    }

    #[test]
    fn commands_behind_a_query_are_found() {
        assert_eq!(read(Language::Sql, "COPY t TO PROGRAM 'tar c /'").shell, ["tar c /"]);
        assert_eq!(read(Language::Sql, "EXEC master..xp_cmdshell 'dir'").shell, ["dir"]);
        assert_eq!(read(Language::Sql, "\\! uptime").shell, ["uptime"]);
    }
}
