//! What a database statement would do, read by its words.
//!
//! Strings and comments are set aside first, so that text that only mentions danger is not danger.

use super::{Effect, Extent, Pointer, Seen, Sensitivity, Span, Target, TargetKind, Undo, Verb};

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
        Language::Sql => statements(text, &mut reading),
        Language::Mongo => mongo(text, &mut reading),
        Language::Redis => {
            for line in text.lines() {
                redis(line, &mut reading);
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

// SQL.

/// A word of a statement, with how deep in brackets it stands.
struct Token<'a> {
    text: &'a str,
    upper: String,
    depth: u32,
    quoted: bool,
}

fn statements(text: &str, reading: &mut QueryReading) {
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with('\\') || line.starts_with('.') {
            client_command(line, reading);
        }
    }
    if text.contains("\\gexec") {
        reading.effects.push(
            effect(Verb::Execute, TargetKind::Table, "statements made by a query")
                .undo(Undo::Impossible)
                .seen(Seen::Likely)
                .words("runs every statement that a query makes up"),
        );
    }
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut depth = 0u32;
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut found = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'-' if bytes.get(at + 1) == Some(&b'-') => at = line_end(bytes, at),
            b'#' => at = line_end(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                // `/*! … */` is a comment to everybody but MySQL, which runs it.
                if bytes.get(at + 2) == Some(&b'!') {
                    at += 3;
                    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                        at += 1;
                    }
                } else {
                    at = find_from(bytes, at + 2, b"*/").map_or(bytes.len(), |end| end + 2);
                }
            }
            b'*' if bytes.get(at + 1) == Some(&b'/') => at += 2,
            quote @ (b'\'' | b'"' | b'`') => {
                let end = string_end(bytes, at, quote);
                let inside = text.get(at + 1..end.saturating_sub(1).max(at + 1)).unwrap_or("");
                tokens.push(Token { text: inside, upper: String::new(), depth, quoted: true });
                at = end;
            }
            b'$' if bytes.get(at + 1) == Some(&b'$') => {
                at = find_from(bytes, at + 2, b"$$").map_or(bytes.len(), |end| end + 2);
            }
            b'(' => {
                depth += 1;
                at += 1;
            }
            b')' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            b';' => {
                statement(&tokens, reading);
                found += 1;
                tokens.clear();
                depth = 0;
                at += 1;
            }
            b'\\' | b'.' if tokens.is_empty() => at = line_end(bytes, at),
            byte if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 => {
                let start = at;
                while bytes.get(at).is_some_and(|byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$') || *byte >= 0x80
                }) {
                    at += 1;
                }
                let word = &text[start..at];
                tokens.push(Token { text: word, upper: word.to_ascii_uppercase(), depth, quoted: false });
            }
            _ => at += 1,
        }
        if tokens.len() > 20_000 || found > 2_000 {
            reading
                .effects
                .push(Effect::opaque("more statements than can be read", Span::new(Pointer::root(), 0..0)));
            return;
        }
    }
    statement(&tokens, reading);
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length + 1)
}

fn find_from(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    bytes.get(from..)?.windows(what.len()).position(|window| window == what).map(|at| from + at)
}

/// One past the closing quote.
fn string_end(bytes: &[u8], at: usize, quote: u8) -> usize {
    let mut at = at + 1;
    while at < bytes.len() {
        if bytes[at] == b'\\' && quote == b'\'' {
            at += 2;
        } else if bytes[at] == quote {
            if bytes.get(at + 1) == Some(&quote) {
                at += 2;
            } else {
                return at + 1;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

fn statement(tokens: &[Token<'_>], reading: &mut QueryReading) {
    let Some(first) = tokens.iter().find(|token| !token.quoted) else { return };
    let has = |word: &str| tokens.iter().any(|token| token.upper == word);
    let after = |word: &str| {
        let at = tokens.iter().position(|token| token.upper == word)?;
        tokens.get(at + 1)
    };
    let named = |skip: &[&str]| {
        tokens
            .iter()
            .skip(1)
            .find(|token| token.quoted || !skip.contains(&token.upper.as_str()))
            .map_or("", |token| token.text)
    };
    let mut lead = first.upper.as_str();
    if lead == "EXPLAIN" || lead == "PREPARE" || lead == "WITH" || lead == "BEGIN" || lead == "DECLARE" {
        let runs =
            lead == "WITH" || has("ANALYZE") || lead == "BEGIN" || lead == "PREPARE" || lead == "DECLARE";
        lead = match ["DELETE", "UPDATE", "INSERT", "TRUNCATE", "DROP"]
            .into_iter()
            .find(|verb| runs && has(verb))
        {
            Some(verb) => verb,
            None => "SELECT",
        };
    }
    let unfiltered = !filters(tokens);
    let table = |verb: Verb, name: &str| effect(verb, TargetKind::Table, name);
    match lead {
        "SELECT" | "SHOW" | "DESCRIBE" | "DESC" | "VALUES" | "TABLE" | "PRAGMA" | "USE" | "HELP"
        | "STATUS" | "CHECK" | "ANALYZE" => {
            select(tokens, reading);
        }
        "MERGE" if has("DELETE") => reading.effects.push(
            table(Verb::Delete, named(&["INTO"]))
                .extent(Extent::Several)
                .undo(Undo::Impossible)
                .words("deletes whatever matches"),
        ),
        "INSERT" | "REPLACE" | "MERGE" | "UPSERT" | "IMPORT" | "LOAD" => {
            reading.effects.push(table(
                Verb::Write,
                named(&["INTO", "IGNORE", "OVERWRITE", "DATA", "INFILE", "LOW_PRIORITY"]),
            ));
        }
        "UPDATE" => {
            let name = named(&["LOW_PRIORITY", "IGNORE", "ONLY"]);
            let change = table(Verb::Write, name).extent(Extent::Several);
            reading.effects.push(if unfiltered {
                change.extent(Extent::Unbounded).undo(Undo::Impossible).words("changes every row")
            } else {
                change
            });
        }
        "DELETE" => {
            let name = named(&["FROM", "IGNORE", "LOW_PRIORITY", "QUICK", "ONLY", "TOP"]);
            let change = table(Verb::Delete, name).extent(Extent::Several);
            reading.effects.push(if unfiltered {
                change.extent(Extent::Unbounded).undo(Undo::Impossible).words("deletes every row")
            } else {
                change
            });
        }
        "TRUNCATE" => reading.effects.push(
            table(Verb::Delete, named(&["TABLE", "ONLY"]))
                .extent(Extent::Unbounded)
                .undo(Undo::Impossible)
                .words("deletes every row"),
        ),
        "DROP" | "UNDROP" => {
            let what = tokens.get(1).map_or("", |token| token.upper.as_str());
            let name = named(&[
                "TABLE",
                "DATABASE",
                "SCHEMA",
                "INDEX",
                "VIEW",
                "IF",
                "EXISTS",
                "USER",
                "ROLE",
                "KEYSPACE",
                "COLUMN",
                "FUNCTION",
                "TRIGGER",
                "MATERIALIZED",
                "SEQUENCE",
                "CONCURRENTLY",
            ]);
            reading.effects.push(
                table(Verb::Delete, name)
                    .extent(if matches!(what, "DATABASE" | "SCHEMA" | "KEYSPACE" | "OWNED") {
                        Extent::Unbounded
                    } else {
                        Extent::One
                    })
                    .undo(Undo::Impossible)
                    .words("drops it with everything in it"),
            );
        }
        "ALTER" => alter(tokens, reading),
        "GRANT" => reading.effects.push(effect(
            Verb::Grant,
            TargetKind::Account,
            after("TO").map_or("", |token| token.text),
        )),
        "REVOKE" if has("ALL") => reading.effects.push(
            effect(Verb::Grant, TargetKind::Account, after("FROM").map_or("", |token| token.text))
                .words("takes away every right"),
        ),
        "REVOKE" => reading.effects.push(effect(
            Verb::Configure,
            TargetKind::Account,
            after("FROM").map_or("", |token| token.text),
        )),
        "CREATE" => {
            let account =
                matches!(tokens.get(1).map(|token| token.upper.as_str()), Some("USER" | "ROLE" | "LOGIN"));
            reading.effects.push(if account {
                effect(Verb::Grant, TargetKind::Account, tokens.get(2).map_or("", |token| token.text))
            } else {
                table(
                    Verb::Write,
                    named(&[
                        "TABLE",
                        "INDEX",
                        "VIEW",
                        "OR",
                        "REPLACE",
                        "UNIQUE",
                        "TEMPORARY",
                        "TEMP",
                        "IF",
                        "NOT",
                        "EXISTS",
                        "DATABASE",
                        "SCHEMA",
                        "FUNCTION",
                    ]),
                )
            });
        }
        "COPY" | "UNLOAD" => copy(tokens, reading),
        "EXEC" | "EXECUTE" | "CALL" | "DO" => {
            if let Some(at) = tokens.iter().position(|token| token.upper.ends_with("XP_CMDSHELL")) {
                let command =
                    tokens[at + 1..].iter().find(|token| token.quoted).map_or("", |token| token.text);
                reading.shell.push(command.to_owned());
                reading.effects.push(
                    effect(Verb::Execute, TargetKind::Command, "xp_cmdshell")
                        .undo(Undo::Impossible)
                        .words("runs a command on the database server"),
                );
            } else {
                reading.effects.push(effect(Verb::Execute, TargetKind::Table, named(&[])).seen(Seen::Likely));
            }
        }
        "SET" => set(tokens, reading),
        "RESET" | "PURGE" | "SHUTDOWN" | "KILL" | "RESTORE" | "DETACH" | "FLASHBACK" => {
            let harmless = lead == "RESET" && has("QUERY");
            let target = Target::new(TargetKind::Service, "the database server").with(if harmless {
                Sensitivity::None
            } else {
                Sensitivity::System
            });
            let lost = effect(Verb::Configure, TargetKind::Service, "");
            reading.effects.push(Effect {
                target,
                ..lost.undo(if harmless { Undo::Possible } else { Undo::Impossible })
            });
        }
        _ => reading.effects.push(table(Verb::Write, named(&[])).seen(Seen::Likely)),
    }
}

/// Whether a condition narrows the statement. `WHERE 1=1` does not.
fn filters(tokens: &[Token<'_>]) -> bool {
    let Some(at) = tokens.iter().position(|token| token.upper == "WHERE" && token.depth == 0) else {
        return false;
    };
    let rest = &tokens[at + 1..];
    let always = match rest {
        [] => true,
        [only] => matches!(only.upper.as_str(), "1" | "TRUE"),
        [left, right] => left.quoted == right.quoted && left.text == right.text,
        _ => false,
    };
    !always
}

fn select(tokens: &[Token<'_>], reading: &mut QueryReading) {
    let mut read = effect(Verb::Read, TargetKind::Table, "");
    if let Some(at) = tokens.iter().position(|token| token.upper == "FROM") {
        read.target.name = tokens.get(at + 1).map_or("", |token| token.text).to_owned();
    }
    reading.effects.push(read);
    for (at, token) in tokens.iter().enumerate() {
        let literal = || {
            tokens[at + 1..]
                .iter()
                .find(|token| token.quoted)
                .map_or(String::new(), |token| token.text.to_owned())
        };
        match token.upper.as_str() {
            "OUTFILE" | "DUMPFILE" | "LO_EXPORT" | "PG_FILE_WRITE" => reading.paths.push((literal(), true)),
            "PG_READ_FILE" | "LOAD_FILE" | "PG_READ_BINARY_FILE" | "LO_IMPORT" => {
                reading.paths.push((literal(), false))
            }
            "PG_TERMINATE_BACKEND"
            | "PG_CANCEL_BACKEND"
            | "DBLINK_EXEC"
            | "PG_SWITCH_WAL"
            | "PG_DROP_REPLICATION_SLOT"
            | "LO_UNLINK"
            | "PG_PROMOTE"
            | "PG_RELOAD_CONF"
            | "SETVAL"
            | "PG_ROTATE_LOGFILE" => {
                let target = Target::new(TargetKind::Service, token.text).with(Sensitivity::System);
                let change = effect(Verb::Configure, TargetKind::Service, "");
                reading.effects.push(Effect { target, ..change });
            }
            "SYS_EXEC" | "SYS_EVAL" => reading.shell.push(literal()),
            "INTO" if token.depth == 0 => reading.effects.push(effect(
                Verb::Write,
                TargetKind::Table,
                tokens.get(at + 1).map_or("", |token| token.text),
            )),
            _ => {}
        }
    }
}

fn alter(tokens: &[Token<'_>], reading: &mut QueryReading) {
    let has = |word: &str| tokens.iter().any(|token| token.upper == word);
    let what = tokens.get(1).map_or("", |token| token.upper.as_str());
    let name = tokens.get(2).map_or("", |token| token.text);
    let change = effect(Verb::Configure, TargetKind::Table, name);
    reading.effects.push(match what {
        "SYSTEM" => Effect {
            target: Target::new(TargetKind::Service, "the database server").with(Sensitivity::System),
            ..change
        },
        "USER" | "ROLE" | "LOGIN" => effect(Verb::Grant, TargetKind::Account, name),
        _ if has("DISABLE") || (has("DROP") && has("CONSTRAINT")) => {
            Effect { target: change.target.clone().with(Sensitivity::System), ..change }
        }
        _ if has("DROP") => {
            effect(Verb::Delete, TargetKind::Table, name).undo(Undo::Impossible).words("drops part of it")
        }
        _ if has("DELETE") && !filters(tokens) => {
            effect(Verb::Delete, TargetKind::Table, name).extent(Extent::Unbounded).undo(Undo::Impossible)
        }
        _ if has("DELETE")
            && tokens.iter().rev().take(2).any(|token| token.upper == "1")
            && tokens.len() < 8 =>
        {
            effect(Verb::Delete, TargetKind::Table, name).extent(Extent::Unbounded).undo(Undo::Impossible)
        }
        _ => effect(Verb::Write, TargetKind::Table, name),
    });
}

fn copy(tokens: &[Token<'_>], reading: &mut QueryReading) {
    let name = tokens.get(1).map_or("", |token| token.text);
    let literal = tokens.iter().find(|token| token.quoted).map_or("", |token| token.text);
    let to = tokens.iter().any(|token| token.upper == "TO");
    if tokens.iter().any(|token| token.upper == "PROGRAM") {
        reading.shell.push(literal.to_owned());
        reading.effects.push(
            effect(Verb::Execute, TargetKind::Command, "COPY … PROGRAM")
                .undo(Undo::Impossible)
                .words("runs a command on the database server"),
        );
    } else if to {
        reading.effects.push(effect(Verb::Read, TargetKind::Table, name));
        if !literal.is_empty() {
            reading.paths.push((literal.to_owned(), true));
        }
    } else {
        reading.effects.push(effect(Verb::Write, TargetKind::Table, name));
    }
}

fn set(tokens: &[Token<'_>], reading: &mut QueryReading) {
    let global = tokens.iter().any(|token| matches!(token.upper.as_str(), "GLOBAL" | "PERSIST"));
    let off = tokens.last().is_some_and(|token| matches!(token.upper.as_str(), "0" | "OFF" | "FALSE"));
    let catch = tokens
        .iter()
        .any(|token| token.upper.contains("SAFE_UPDATES") || token.upper.contains("FOREIGN_KEY_CHECKS"));
    let target = Target::new(TargetKind::Service, "a setting of the database");
    let target = if global || (catch && off) { target.with(Sensitivity::System) } else { target };
    let change = effect(Verb::Configure, TargetKind::Service, "");
    reading.effects.push(Effect { target, ..change });
}

/// `\!`, `\copy`, `.shell` and what else the clients do themselves.
fn client_command(line: &str, reading: &mut QueryReading) {
    let (command, rest) = line.split_at(line.find(char::is_whitespace).unwrap_or(line.len()));
    let rest = rest.trim();
    let file = rest.trim_matches(['\'', '"', ';']);
    match command {
        "\\!" | ".shell" | ".system" => reading.shell.push(rest.to_owned()),
        "\\o" | "\\out" | "\\w" | ".output" | ".once" | ".save" | ".backup" => {
            if let Some(command) = file.strip_prefix('|') {
                reading.shell.push(command.to_owned());
            } else if !file.is_empty() && file != "stdout" {
                reading.paths.push((file.to_owned(), true));
            }
        }
        "\\i" | "\\ir" | "\\include" | ".read" => reading.effects.push(
            effect(Verb::Execute, TargetKind::Path, file)
                .seen(Seen::Likely)
                .words("runs statements from a file, unseen"),
        ),
        "\\copy" => {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let to = words.iter().position(|word| word.eq_ignore_ascii_case("to"));
            let from = words.iter().position(|word| word.eq_ignore_ascii_case("from"));
            let place = |at: usize| words.get(at + 1).map_or("", |word| word.trim_matches(['\'', '"', ';']));
            match (to, from) {
                (Some(at), _)
                    if !matches!(
                        place(at).to_ascii_lowercase().as_str(),
                        "stdout" | "pstdout" | "program"
                    ) =>
                {
                    reading.paths.push((place(at).to_owned(), true));
                }
                (_, Some(_)) => {
                    reading.effects.push(effect(Verb::Write, TargetKind::Table, words.first().unwrap_or(&"")))
                }
                _ => {}
            }
            if let Some(at) = words.iter().position(|word| word.eq_ignore_ascii_case("program")) {
                reading.shell.push(words[at + 1..].join(" ").trim_matches(['\'', '"', ';']).to_owned());
            }
        }
        _ => {}
    }
}

// MongoDB.

fn mongo(text: &str, reading: &mut QueryReading) {
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

// Redis.

fn redis(line: &str, reading: &mut QueryReading) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
