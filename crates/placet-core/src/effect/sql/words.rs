//! A statement read by its words alone: for plain queries, for what no parser knows, and for what is too long.

use super::{
    QueryReading, effect,
    known::{self, Deed},
    text::{Quote, Token},
};
use crate::effect::{Effect, Extent, Place, Seen, Sensitivity, Target, TargetKind, Undo, Verb};

/// Words that stand between a verb and the name of what it acts on.
const BEFORE_A_NAME: [&str; 62] = [
    "TABLE",
    "TABLES",
    "DATABASE",
    "SCHEMA",
    "INDEX",
    "VIEW",
    "IF",
    "NOT",
    "EXISTS",
    "USER",
    "ROLE",
    "LOGIN",
    "KEYSPACE",
    "COLUMN",
    "FUNCTION",
    "PROCEDURE",
    "TRIGGER",
    "MATERIALIZED",
    "SEQUENCE",
    "CONCURRENTLY",
    "INTO",
    "FROM",
    "IGNORE",
    "OVERWRITE",
    "LOW_PRIORITY",
    "HIGH_PRIORITY",
    "DELAYED",
    "QUICK",
    "ONLY",
    "OR",
    "REPLACE",
    "UNIQUE",
    "TEMPORARY",
    "TEMP",
    "GLOBAL",
    "LOCAL",
    "UNLOGGED",
    "EXTERNAL",
    "VIRTUAL",
    "TYPE",
    "DOMAIN",
    "EXTENSION",
    "TABLESPACE",
    "POLICY",
    "PUBLICATION",
    "SUBSCRIPTION",
    "EVENT",
    "SERVER",
    "OWNED",
    "BY",
    "AGGREGATE",
    "CAST",
    "RULE",
    "STREAM",
    "STAGE",
    "WAREHOUSE",
    "DICTIONARY",
    "TASK",
    "PIPE",
    "SYNONYM",
    "PACKAGE",
    "CONSTRAINT",
];

/// Whether the words alone settle the statement: a query that names nothing that changes, runs or reveals.
pub(super) fn is_plain_query(tokens: &[Token<'_>]) -> bool {
    let Some(first) = tokens.first() else { return true };
    first.is_any(&["SELECT", "SHOW", "DESCRIBE", "DESC", "VALUES", "USE", "TABLE", "HELP", "WITH"])
        && tokens[1..].iter().all(is_plain)
}

fn is_plain(token: &Token<'_>) -> bool {
    if token.quote == Quote::String {
        return true;
    }
    if token.called && known::function(token.text).is_some() || known::holds_credentials(token.text) {
        return false;
    }
    // Names in quotes are words to nobody, but any of these may be a function behind them.
    if token.quote == Quote::Name {
        return true;
    }
    match token.text.len() {
        4 => !token.is_any(&["INTO", "DROP", "CALL", "EXEC"]),
        5 => !token.is_any(&["MERGE", "GRANT", "ALTER"]),
        6 => !token.is_any(&["DELETE", "UPDATE", "INSERT", "REVOKE", "CREATE"]),
        7 => (token.called || !token.is("REPLACE")) && !token.is_any(&["OUTFILE", "EXECUTE", "ANALYZE"]),
        8 => !token.is_any(&["TRUNCATE", "DUMPFILE"]),
        _ => true,
    }
}

/// Whether the first word says all there is to say, so that parsing would only take time.
pub(super) fn is_settled(tokens: &[Token<'_>]) -> bool {
    tokens.first().is_some_and(|token| {
        token.is_any(&[
            "SHUTDOWN",
            "PURGE",
            "FLUSH",
            "RESET",
            "KILL",
            "BACKUP",
            "RESTORE",
            "DETACH",
            "ATTACH",
            "COMMIT",
            "ROLLBACK",
            "SAVEPOINT",
            "RELEASE",
            "START",
            "END",
            "ABORT",
            "DO",
            "EXEC",
            "EXECUTE",
            "CALL",
            "PRAGMA",
            "SET",
            "GO",
            "DELIMITER",
            "GRANT",
            "REVOKE",
        ]) || token.is("BEGIN") && tokens.len() == 1
            || token.is_any(&["CREATE", "ALTER"])
                && tokens.get(1).is_some_and(|what| what.is_any(&["USER", "ROLE", "LOGIN", "SYSTEM"]))
    })
}

/// Reads statements that stand in a row without `;`, as Transact-SQL allows, or a single one.
pub(super) fn read_row(tokens: &[Token<'_>], reading: &mut QueryReading, nested: &mut Vec<String>) -> Known {
    let Some(first) = tokens.first() else { return Known::No };
    let defines = first.is_any(&["CREATE", "WITH", "MERGE", "GRANT", "REVOKE", "ALTER", "EXPLAIN"]);
    // Before these, any verb begins another statement; elsewhere it must also begin a line.
    let short = first.is_any(&["SET", "USE", "PRINT"]);
    let mut start = 0;
    let mut known = Known::No;
    for at in 1..tokens.len() {
        if !defines
            && (short || tokens[at].starts_line)
            && tokens[at].depth == 0
            && begins_statement(tokens, at, true)
        {
            if read(&tokens[start..at], reading, nested) == Known::Yes {
                known = Known::Yes;
            }
            start = at;
        }
    }
    match read(&tokens[start..], reading, nested) {
        Known::Yes => Known::Yes,
        Known::No => known,
    }
}

/// Reads a statement. Texts that it would run as statements of their own go to `nested`.
pub(super) fn read(tokens: &[Token<'_>], reading: &mut QueryReading, nested: &mut Vec<String>) -> Known {
    let Some(first) = tokens.iter().find(|token| !token.quoted()) else { return Known::No };
    let has = |word: &str| tokens.iter().any(|token| token.is(word));
    let mut lead = first.text.to_ascii_uppercase();
    if lead == "EXPLAIN" && !has("ANALYZE") {
        lead = "SELECT".to_owned();
    } else if LEADS_TO_ANOTHER.contains(&lead.as_str()) {
        if let (true, Some(text)) = (lead == "PREPARE", literal(tokens)) {
            nested.push(text.to_owned());
        }
        match inner_verb(tokens) {
            Some(at) => return read(&tokens[at..], reading, nested),
            None if tokens.len() > 1 && lead != "WITH" && lead != "PREPARE" && lead != "EXPLAIN" => {
                calls(tokens, reading, nested);
                return Known::Yes;
            }
            None => lead = "SELECT".to_owned(),
        }
    }
    let name = name(tokens);
    let table = |verb: Verb, name: &str| effect(verb, TargetKind::Table, name);
    match lead.as_str() {
        "SELECT" | "SHOW" | "DESCRIBE" | "DESC" | "VALUES" | "TABLE" | "USE" | "HELP" | "STATUS"
        | "CHECK" | "ANALYZE" | "ANALYSE" | "FETCH" | "CLOSE" | "DISCARD" | "DEALLOCATE" | "LISTEN"
        | "UNLISTEN" | "COMMIT" | "ROLLBACK" | "SAVEPOINT" | "RELEASE" | "START" | "END" | "ABORT"
        | "CHECKPOINT" | "PRINT" | "WAITFOR" | "RETURN" | "GO" | "DELIMITER" | "LIST" | "PRAGMA" => {
            if lead == "PRAGMA" && tokens.len() > 2 {
                pragma(tokens, reading);
            }
            query(tokens, reading, nested);
        }
        "MERGE" if has("DELETE") => reading.effects.push(
            table(Verb::Delete, name)
                .extent(Extent::Several)
                .undo(Undo::Impossible)
                .words("deletes whatever matches"),
        ),
        "LOAD" | "IMPORT" | "BULK" => {
            let target =
                after(tokens, "TABLE").or_else(|| after(tokens, "INSERT")).map_or(name, |token| token.text);
            reading.effects.push(table(Verb::Write, target));
            if let Some(file) = literal(tokens) {
                reading.paths.push((file.to_owned(), false));
            }
        }
        "INSERT" | "REPLACE" | "MERGE" | "UPSERT" => {
            let lost = has("OVERWRITE");
            let change = table(Verb::Write, name);
            reading.effects.push(if lost {
                change.extent(Extent::Unbounded).undo(Undo::Impossible).words("replaces every row")
            } else {
                change
            });
            calls(tokens, reading, nested);
        }
        "UPDATE" => {
            let change = table(Verb::Write, name).extent(Extent::Several);
            reading.effects.push(if filters(tokens) {
                change
            } else {
                change.extent(Extent::Unbounded).undo(Undo::Impossible).words("changes every row")
            });
            calls(tokens, reading, nested);
        }
        "DELETE" => {
            let change = table(Verb::Delete, name).extent(Extent::Several);
            reading.effects.push(if filters(tokens) {
                change
            } else {
                change.extent(Extent::Unbounded).undo(Undo::Impossible).words("deletes every row")
            });
            calls(tokens, reading, nested);
        }
        "TRUNCATE" => reading.effects.push(
            table(Verb::Delete, name)
                .extent(Extent::Unbounded)
                .undo(Undo::Impossible)
                .words("deletes every row"),
        ),
        "DROP" => reading.effects.push(dropped(tokens, name)),
        "ALTER" => alter(tokens, reading),
        "RENAME" => reading.effects.push(table(Verb::Write, name)),
        "GRANT" => {
            let whom = after(tokens, "TO").map_or("", |token| token.text);
            reading.effects.push(effect(Verb::Grant, TargetKind::Account, whom));
        }
        "REVOKE" | "DENY" => {
            let whom = after(tokens, "FROM").map_or("", |token| token.text);
            reading.effects.push(if has("ALL") {
                effect(Verb::Grant, TargetKind::Account, whom).words("takes away every right")
            } else {
                effect(Verb::Configure, TargetKind::Account, whom)
            });
        }
        "CREATE" => create(tokens, name, reading),
        "COPY" | "UNLOAD" | "BACKUP" | "EXPORT" => copy(tokens, reading),
        "EXEC" | "EXECUTE" | "CALL" | "DO" => execute(tokens, reading, nested),
        "SET" => set(tokens, reading),
        "ATTACH" => {
            reading
                .effects
                .push(effect(Verb::Write, TargetKind::Table, name).words("opens another database"));
            if let Some(file) = literal(tokens).filter(|file| !file.is_empty() && *file != ":memory:") {
                reading.paths.push((file.to_owned(), true));
            }
        }
        "FLUSH" if !has("PRIVILEGES") => {
            reading.effects.push(effect(Verb::Configure, TargetKind::Service, "the database server"));
        }
        "RESET" | "PURGE" | "SHUTDOWN" | "KILL" | "RESTORE" | "DETACH" | "FLASHBACK" | "FLUSH" | "SYSTEM"
        | "STOP" | "CHANGE" | "RECONFIGURE" | "INSTALL" | "UNINSTALL" => {
            // In PostgreSQL, `RESET` alone gives a setting of the session its default back.
            let logs = ["MASTER", "BINARY", "SLAVE", "REPLICA", "PERSIST"];
            let harmless = lead == "RESET" && !logs.iter().any(|word| has(word));
            let target = Target::new(TargetKind::Service, "the database server").with(if harmless {
                Sensitivity::None
            } else {
                Sensitivity::System
            });
            let change = effect(Verb::Configure, TargetKind::Service, "");
            reading.effects.push(Effect {
                target,
                ..change.undo(if harmless { Undo::Possible } else { Undo::Impossible })
            });
        }
        "VACUUM" | "REINDEX" | "CLUSTER" | "OPTIMIZE" | "REPAIR" | "REFRESH" | "LOCK" | "UNLOCK"
        | "COMMENT" | "NOTIFY" | "UNDROP" | "MSCK" | "CACHE" | "UNCACHE" | "SECURITY" | "REASSIGN"
        | "PUT" | "GET" | "REMOVE" | "DBCC" | "HANDLER" | "OPEN" | "RAISE" | "RAISERROR" | "THROW"
        | "PERFORM" | "ASSERT" | "XA" => {
            reading.effects.push(table(Verb::Write, name).seen(Seen::Likely));
            calls(tokens, reading, nested);
        }
        _ => return Known::No,
    }
    Known::Yes
}

/// Words before the statement that is really run.
const LEADS_TO_ANOTHER: [&str; 17] = [
    "EXPLAIN",
    "PREPARE",
    "WITH",
    "BEGIN",
    "DECLARE",
    "IF",
    "WHILE",
    "LOOP",
    "ELSE",
    "ELSIF",
    "ELSEIF",
    "FOR",
    "FOREACH",
    "EXCEPTION",
    "WHEN",
    "CASE",
    "THEN",
];

/// Where another verb begins a statement inside this one.
fn inner_verb(tokens: &[Token<'_>]) -> Option<usize> {
    (1..tokens.len()).find(|at| begins_statement(tokens, *at, false))
}

fn begins_statement(tokens: &[Token<'_>], at: usize, apart: bool) -> bool {
    const VERBS: [&str; 14] = [
        "DELETE", "UPDATE", "INSERT", "MERGE", "TRUNCATE", "DROP", "EXEC", "EXECUTE", "ALTER", "GRANT",
        "CREATE", "CALL", "PERFORM", "COPY",
    ];
    // `FOR UPDATE` and `ON DELETE` begin nothing.
    tokens[at].is_any(&VERBS)
        && (apart && !tokens[at - 1].is("FOR")
            || !tokens[at - 1].is_any(&["FOR", "ON", "OF", "NO", "KEY", "DO", "BEFORE", "AFTER"]))
}

/// Whether a statement began with a word that some database knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// It did, and was read.
    Yes,
    /// It did not.
    No,
}

fn name<'a>(tokens: &[Token<'a>]) -> &'a str {
    let rest = tokens.get(1..).unwrap_or(&[]);
    let name = rest.iter().find(|token| {
        // `DELETE TOP (5) FROM t`
        let top = token.is("TOP") || token.text.starts_with(|letter: char| letter.is_ascii_digit());
        token.quoted() || !(top || token.is_any(&BEFORE_A_NAME))
    });
    name.map_or("", |token| token.text)
}

fn after<'t, 'a>(tokens: &'t [Token<'a>], word: &str) -> Option<&'t Token<'a>> {
    let at = tokens.iter().position(|token| token.is(word))?;
    tokens.get(at + 1)
}

fn literal<'a>(tokens: &[Token<'a>]) -> Option<&'a str> {
    tokens.iter().find(|token| token.quoted()).map(|token| token.text)
}

/// Whether a condition narrows the statement. `WHERE 1=1` does not.
fn filters(tokens: &[Token<'_>]) -> bool {
    let verb = tokens.iter().position(|token| token.is_any(&["DELETE", "UPDATE"])).unwrap_or(0);
    let depth = tokens.get(verb).map_or(0, |token| token.depth);
    let tokens = tokens.get(verb..).unwrap_or(&[]);
    let Some(at) = tokens.iter().position(|token| token.is("WHERE") && token.depth == depth) else {
        return false;
    };
    let same =
        |left: &Token<'_>, right: &Token<'_>| left.quoted() == right.quoted() && left.text == right.text;
    let rest = &tokens[at + 1..];
    let always = match rest {
        [] => true,
        [only] => only.is_any(&["1", "TRUE"]),
        [left, right] => same(left, right) || (left.is("NOT") && right.is_any(&["FALSE", "0"])),
        [.., or, only] if or.is("OR") => only.is_any(&["1", "TRUE"]),
        [.., or, left, right] if or.is("OR") => same(left, right),
        _ => false,
    };
    !always
}

/// Reads a query: what it reads, and what it does on the way.
pub(super) fn query(tokens: &[Token<'_>], reading: &mut QueryReading, nested: &mut Vec<String>) {
    let from = reading.effects.len();
    tables(tokens, reading);
    if tokens.first().is_some_and(|token| token.is("SHOW"))
        && tokens.get(2).is_some_and(|token| token.is("USER"))
    {
        // `SHOW CREATE USER` shows the hash of the password.
        reading.effects.push(secret(effect(Verb::Read, TargetKind::Table, "mysql.user")));
    }
    if reading.effects.len() == from {
        reading.effects.push(effect(Verb::Read, TargetKind::Table, ""));
    }
    calls(tokens, reading, nested);
    for (at, token) in tokens.iter().enumerate() {
        let literal = || literal(&tokens[at + 1..]).unwrap_or("").to_owned();
        let next = tokens.get(at + 1);
        if token.is("OUTFILE") || token.is("DUMPFILE") {
            reading.paths.push((literal(), true));
        } else if token.is("INTO")
            && token.depth == 0
            && !next.is_some_and(|next| next.is_any(&["OUTFILE", "DUMPFILE"]) || next.text.starts_with('@'))
        {
            let name = next.map_or("", |token| token.text);
            reading.effects.push(effect(Verb::Write, TargetKind::Table, name));
        }
    }
}

/// More tables than these are not named.
const TABLES_MAX: usize = 32;

fn tables(tokens: &[Token<'_>], reading: &mut QueryReading) {
    let start = reading.effects.len();
    for (at, token) in tokens.iter().enumerate() {
        if !token.is_any(&["FROM", "JOIN", "TABLE", "DESCRIBE", "DESC"]) {
            continue;
        }
        let Some(next) = tokens.get(at + 1) else { break };
        let known = next.called
            || next.quote == Quote::String
            || next.is_any(&["SELECT", "LATERAL", "ONLY", "VALUES", "UNNEST", "WITH"])
            || reading.effects[start..].iter().any(|effect| effect.target.name == next.text)
            || (token.is("DESC") && at > 0)
            || (next.depth > token.depth && token.is("TABLE"));
        if !known && reading.effects.len() - start < TABLES_MAX {
            reading.effects.push(read_of(next.text));
        }
    }
    for token in tokens {
        if known::holds_credentials(token.text)
            && !reading.effects[start..].iter().any(|effect| effect.target.name == token.text)
        {
            reading.effects.push(read_of(token.text));
        }
    }
}

/// A look at `table`.
pub(super) fn read_of(table: &str) -> Effect {
    let look = effect(Verb::Read, TargetKind::Table, table);
    if known::holds_credentials(table) { secret(look) } else { look }
}

fn secret(look: Effect) -> Effect {
    let target = look.target.clone().with(Sensitivity::Credential);
    Effect { target, ..look }.words("reads passwords of the database or their hashes")
}

/// Functions that do more than compute.
fn calls(tokens: &[Token<'_>], reading: &mut QueryReading, nested: &mut Vec<String>) {
    for (at, token) in tokens.iter().enumerate() {
        if token.called && !token.quoted() && known::function(token.text).is_some() {
            let inside = tokens[at + 1..].iter().take_while(|inner| inner.depth > token.depth);
            let literals: Vec<&str> =
                inside.filter(|inner| inner.quoted()).map(|inner| inner.text).take(8).collect();
            known::call(token.text, &literals, reading, nested);
        }
    }
}

/// What a `DROP` takes away.
fn dropped(tokens: &[Token<'_>], name: &str) -> Effect {
    let what = tokens.iter().skip_while(|token| !token.is("DROP")).nth(1);
    let is = |words: &[&str]| what.is_some_and(|what| what.is_any(words));
    if is(&["USER", "ROLE", "LOGIN"]) {
        return effect(Verb::Delete, TargetKind::Account, name).undo(Undo::Impossible);
    }
    let all = is(&["DATABASE", "SCHEMA", "KEYSPACE", "OWNED", "TABLESPACE"]);
    effect(Verb::Delete, TargetKind::Table, name)
        .extent(if all { Extent::Unbounded } else { Extent::One })
        .undo(Undo::Impossible)
        .words("drops it with everything in it")
}

fn alter(tokens: &[Token<'_>], reading: &mut QueryReading) {
    let has = |word: &str| tokens.iter().any(|token| token.is(word));
    let what = tokens.iter().skip_while(|token| !token.is("ALTER")).nth(1);
    let is = |words: &[&str]| what.is_some_and(|what| what.is_any(words));
    let name = name(tokens);
    let change = effect(Verb::Configure, TargetKind::Table, name);
    reading.effects.push(if is(&["SYSTEM"]) || (is(&["DATABASE", "SERVER"]) && has("SET")) {
        Effect {
            target: Target::new(TargetKind::Service, "the database server").with(Sensitivity::System),
            ..change
        }
    } else if is(&["USER", "ROLE", "LOGIN", "GROUP"]) {
        effect(Verb::Grant, TargetKind::Account, name)
    } else if has("DISABLE") || (has("DROP") && has("CONSTRAINT")) || (has("NO") && has("FORCE")) {
        Effect { target: change.target.clone().with(Sensitivity::System), ..change }
    } else if has("DROP") && !(has("DEFAULT") || has("NULL") && has("COLUMN")) {
        effect(Verb::Delete, TargetKind::Table, name).undo(Undo::Impossible).words("drops part of it")
    } else if has("DELETE") {
        let change = effect(Verb::Delete, TargetKind::Table, name);
        if filters(tokens) {
            change.extent(Extent::Several)
        } else {
            change.extent(Extent::Unbounded).undo(Undo::Impossible)
        }
    } else {
        effect(Verb::Write, TargetKind::Table, name)
    });
}

fn create(tokens: &[Token<'_>], name: &str, reading: &mut QueryReading) {
    let has = |word: &str| tokens.iter().any(|token| token.is(word));
    let at = |place: usize| tokens.get(place);
    let account = at(1).is_some_and(|token| token.is_any(&["USER", "ROLE", "LOGIN", "GROUP"]))
        && !at(2).is_some_and(|token| token.is("MAPPING"));
    let language = after(tokens, "LANGUAGE").map_or("", |token| token.text).to_ascii_lowercase();
    let unguarded = has("SONAME")
        || has("ASSEMBLY")
        || (has("FUNCTION") || has("PROCEDURE") || has("LANGUAGE"))
            && (language == "c" || (language.starts_with("pl") && language.ends_with('u')));
    reading.effects.push(if account {
        effect(Verb::Grant, TargetKind::Account, name)
    } else if unguarded {
        let target = Target::new(TargetKind::Service, name).with(Sensitivity::System);
        Effect { target, ..effect(Verb::Configure, TargetKind::Service, "") }
            .words("adds code that runs outside the rights of the database")
    } else {
        effect(Verb::Write, TargetKind::Table, name)
    });
}

fn copy(tokens: &[Token<'_>], reading: &mut QueryReading) {
    let has = |word: &str| tokens.iter().any(|token| token.is(word));
    let name = tokens.get(1).filter(|token| !token.is("SELECT")).map_or("", |token| token.text);
    // The file or program stands behind `TO` or `FROM`; a string before it belongs to the query.
    let word = if has("TO") { "TO" } else { "FROM" };
    let at = tokens.iter().position(|token| token.is(word) && token.depth == 0).unwrap_or(0);
    let literal = literal(tokens.get(at + 1..).unwrap_or(&[])).unwrap_or("");
    let remote = literal.contains("://");
    if tokens.get(at + 1).is_some_and(|token| token.is("PROGRAM")) {
        reading.shell.push(literal.to_owned());
        reading.effects.push(
            effect(Verb::Execute, TargetKind::Command, "COPY … PROGRAM")
                .undo(Undo::Impossible)
                .words("runs a command on the database server"),
        );
    } else if word == "TO" {
        reading.effects.push(effect(Verb::Read, TargetKind::Table, name));
        if remote {
            send(literal, true, reading);
        } else if !literal.is_empty() && !tokens.get(at + 1).is_some_and(|token| token.is("STDOUT")) {
            reading.paths.push((literal.to_owned(), true));
        }
    } else {
        reading.effects.push(effect(Verb::Write, TargetKind::Table, name));
        if !literal.is_empty() && !remote && !tokens.get(at + 1).is_some_and(|token| token.is("STDIN")) {
            reading.paths.push((literal.to_owned(), false));
        }
    }
}

/// Data that goes to an address, or comes from it.
pub(super) fn send(address: &str, to: bool, reading: &mut QueryReading) {
    let target = Target::new(TargetKind::Url, address).at(Place::Away);
    let verb = if to { Verb::Send } else { Verb::Read };
    reading.effects.push(Effect { target, ..effect(verb, TargetKind::Url, "") });
}

fn execute(tokens: &[Token<'_>], reading: &mut QueryReading, nested: &mut Vec<String>) {
    let literals = |from: usize| -> Vec<&str> {
        tokens[from..].iter().filter(|token| token.quoted()).map(|token| token.text).take(8).collect()
    };
    let deed = tokens.iter().enumerate().find_map(|(at, token)| {
        let deed = known::function(token.text).filter(|_| !token.quoted() || token.quote == Quote::Name)?;
        Some((at, token.text, deed))
    });
    match deed {
        Some((at, name, deed)) => {
            let shown = if deed == Deed::Runs { name.rsplit('.').next().unwrap_or(name) } else { name };
            known::call(shown, &literals(at + 1), reading, nested);
        }
        None => {
            let name = tokens.get(1).filter(|token| token.quote != Quote::String);
            let name = name.map_or("", |token| token.text);
            reading.effects.push(effect(Verb::Execute, TargetKind::Table, name).seen(Seen::Likely));
            // `DO $$ … $$`, `EXECUTE IMMEDIATE '…'` and `EXEC ('…')` run what stands in the string.
            let runs_text = tokens.first().is_some_and(|token| token.is("DO") || token.called)
                || tokens.get(1).is_some_and(|token| token.is("IMMEDIATE") || token.quote == Quote::String);
            if runs_text {
                nested.extend(literals(1).into_iter().map(str::to_owned));
            }
        }
    }
}

fn pragma(tokens: &[Token<'_>], reading: &mut QueryReading) {
    // `writable_schema` lets anybody damage the file; the others tune the connection.
    let name = tokens.get(1).map_or("", |token| token.text);
    if name.eq_ignore_ascii_case("writable_schema") {
        let target = Target::new(TargetKind::Service, name).with(Sensitivity::System);
        reading.effects.push(Effect { target, ..effect(Verb::Configure, TargetKind::Service, "") });
    }
}

fn set(tokens: &[Token<'_>], reading: &mut QueryReading) {
    let global = tokens.iter().any(|token| {
        let name = token.text.strip_prefix("@@").unwrap_or("").to_ascii_uppercase();
        token.is_any(&["GLOBAL", "PERSIST", "PERSIST_ONLY", "PASSWORD"])
            || name.starts_with("GLOBAL.")
            || name.starts_with("PERSIST")
    });
    let off = tokens.last().is_some_and(|token| token.is_any(&["0", "OFF", "FALSE"]));
    let authority = tokens.iter().any(|token| token.is_any(&["ROLE", "AUTHORIZATION"])) && tokens.len() < 6;
    let catch = tokens.iter().any(|token| {
        let upper = token.text.to_ascii_uppercase();
        upper.contains("SAFE_UPDATES") || upper.contains("FOREIGN_KEY_CHECKS") || upper == "ROW_SECURITY"
    });
    let target = Target::new(TargetKind::Service, "a setting of the database");
    let target = if global || (catch && off) { target.with(Sensitivity::System) } else { target };
    let change = effect(Verb::Configure, TargetKind::Service, "");
    reading.effects.push(if authority {
        effect(Verb::Configure, TargetKind::Account, tokens.last().map_or("", |token| token.text))
    } else {
        Effect { target, ..change }
    });
}
