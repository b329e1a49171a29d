//! Clients of databases: the query they carry is what counts.

use std::sync::LazyLock;

use super::{
    Call,
    options::{Options, Style},
};
use crate::effect::{
    Effect, Seen, Sensitivity, Target, TargetKind, Verb,
    lookup::Lookup,
    shell::{
        flow::{Arg, Flow, HOLE, Origin},
        walk::Walker,
    },
    sql,
};

/// A client: its names, flags with a value, the flags that carry a query, those that name a script.
struct Client {
    names: &'static [&'static str],
    takes: &'static [&'static str],
    query: &'static [&'static str],
    script: &'static [&'static str],
    language: sql::Language,
    /// The operand that carries a query, from zero; `usize::MAX` if none does.
    operand: usize,
}

const CLIENTS: &[Client] = &[
    Client {
        names: &["psql", "pgcli", "usql", "vsql", "edb-psql"],
        takes: &[
            "-c",
            "--command",
            "-f",
            "--file",
            "-d",
            "--dbname",
            "-h",
            "--host",
            "-p",
            "--port",
            "-U",
            "--username",
            "-v",
            "--set",
            "-o",
            "--output",
            "-L",
            "-F",
            "-R",
            "-P",
            "-T",
        ],
        query: &["-c", "--command"],
        script: &["-f", "--file"],
        language: sql::Language::Sql,
        operand: usize::MAX,
    },
    Client {
        names: &["mysql", "mariadb", "mycli", "mysqlsh", "tidb"],
        takes: &[
            "-e",
            "--execute",
            "-h",
            "--host",
            "-P",
            "--port",
            "-u",
            "--user",
            "-D",
            "--database",
            "--init-command",
            "--defaults-file",
            "-S",
            "--socket",
            "--ssl-ca",
        ],
        query: &["-e", "--execute", "--init-command"],
        script: &[],
        language: sql::Language::Sql,
        operand: usize::MAX,
    },
    Client {
        names: &["sqlite3", "sqlite", "duckdb", "litecli", "sqlcipher"],
        takes: &["-cmd", "-init", "-separator", "-newline", "-nullvalue", "-c", "-s"],
        query: &["-cmd", "-c", "-s"],
        script: &["-init"],
        language: sql::Language::Sql,
        operand: 1,
    },
    Client {
        names: &["sqlcmd", "isql", "osql", "bcp", "tsql"],
        takes: &["-Q", "-q", "-S", "-U", "-P", "-d", "-i", "-o"],
        query: &["-Q", "-q"],
        script: &["-i"],
        language: sql::Language::Sql,
        operand: usize::MAX,
    },
    Client {
        names: &["clickhouse-client", "clickhouse", "chdb", "clickhouse-local"],
        takes: &["-q", "--query", "-h", "--host", "--port", "-u", "--user", "--password", "-d", "--database"],
        query: &["-q", "--query"],
        script: &["--queries-file"],
        language: sql::Language::Sql,
        operand: usize::MAX,
    },
    Client {
        names: &[
            "cqlsh",
            "snowsql",
            "cockroach",
            "trino",
            "presto",
            "beeline",
            "hive",
            "impala-shell",
            "spark-sql",
            "sqlplus",
            "ksql",
            "dolt",
            "turso",
            "rqlite",
            "snow",
            "databricks",
            "athena",
        ],
        takes: &[
            "-e",
            "--execute",
            "-q",
            "--query",
            "-f",
            "--file",
            "-u",
            "-p",
            "-h",
            "--host",
            "--url",
            "-k",
            "-a",
            "-w",
            "--certs-dir",
            "--database",
            "-d",
        ],
        query: &["-e", "--execute", "-q", "--query"],
        script: &["-f", "--file"],
        language: sql::Language::Sql,
        operand: usize::MAX,
    },
    Client {
        names: &["mongo", "mongosh"],
        takes: &[
            "--eval",
            "--host",
            "--port",
            "-u",
            "--username",
            "-p",
            "--password",
            "--file",
            "-f",
            "--authenticationDatabase",
            "--db",
        ],
        query: &["--eval"],
        script: &["--file", "-f"],
        language: sql::Language::Mongo,
        operand: usize::MAX,
    },
    Client {
        names: &["redis-cli", "valkey-cli", "keydb-cli", "iredis"],
        takes: &[
            "-h",
            "-p",
            "-a",
            "-n",
            "-u",
            "--user",
            "--pass",
            "-s",
            "-i",
            "-r",
            "--pattern",
            "--eval",
            "-d",
        ],
        query: &[],
        script: &["--eval"],
        language: sql::Language::Redis,
        operand: 0,
    },
];

/// The clients by each of their names.
static BY_NAME: LazyLock<Lookup<&'static str, &'static Client>> = LazyLock::new(|| {
    CLIENTS.iter().flat_map(|client| client.names.iter().map(move |name| (*name, client))).collect()
});

/// The programs that [`run`] may know.
pub fn tabled() -> Vec<&'static str> {
    BY_NAME.keys().copied().collect()
}

pub fn run(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    let client = BY_NAME.get(call.name)?;
    // What such a program does besides asking a database is in the table.
    let manages = matches!(call.name, "turso" | "dolt" | "cockroach" | "databricks" | "snow")
        && !call.args.iter().any(|arg| client.query.contains(&arg.as_str()));
    if manages && let Some(output) = super::table::run(walker, call) {
        return Some(output);
    }
    let style = if matches!(call.name, "sqlite3" | "sqlite") { Style::Single } else { Style::Gnu };
    let options = Options::read(call.args, client.takes, style);
    let span = walker.span(call.range);
    let target = Target::new(TargetKind::Service, call.name.to_owned());
    walker.emit(Effect::new(Verb::Read, target, span));
    if options.has_exactly(&["--help", "--version", "-V"]) {
        return Some(Flow::unknown(Origin::PLAIN));
    }
    let mut queries: Vec<Arg<'_>> = options.values(client.query).cloned().collect();
    if client.language == sql::Language::Redis {
        if !options.operands.is_empty() {
            let text: Vec<&str> = options.operands.iter().map(|arg| arg.as_str()).collect();
            let known = options.operands.iter().all(|arg| arg.known);
            queries.push(Arg { known, ..Arg::literal(text.join(" "), call.range) });
        }
    } else {
        queries.extend(options.operands.iter().skip(client.operand).map(|arg| (*arg).clone()));
        if call.name == "mysql" && queries.len() == 1 {
            // Unquoted words after `-e` belong to it more often than not.
            let more: Vec<&str> = options.operands.iter().map(|arg| arg.as_str()).collect();
            if let Some(query) = queries.first_mut().filter(|query| !query.as_str().contains(' ')) {
                let text = format!("{} {}", query.as_str(), more.join(" "));
                *query = Arg::literal(text, query.range);
            }
        }
    }
    if style == Style::Single
        && let Some(file) = options.first().cloned()
        && walker.path_target(file.as_str()).1.sensitivity > Sensitivity::None
    {
        walker.read(&file);
    }
    for query in &queries {
        read_query(walker, client.language, query.as_str(), query.range);
    }
    for script in options.values(client.script).cloned().collect::<Vec<_>>() {
        if script.as_str() == "-" {
            continue;
        }
        let content = walker.content(script.as_str());
        match content.text {
            Some(text) => read_query(walker, client.language, &text, script.range),
            None => run_script(walker, &script),
        }
    }
    if queries.is_empty() {
        match &call.stdin {
            Some(Flow { text: Some(text), .. }) => {
                read_query(walker, client.language, &text.clone(), call.range)
            }
            Some(flow) if flow.origin.has(Origin::FETCHED) => {
                walker.opaque("statements from the network run in a database", call.range);
            }
            Some(flow) if flow.origin.has(Origin::LOCAL) => {
                run_script(walker, &Arg::literal("a script", call.range));
            }
            Some(_) | None => {}
        }
    }
    Some(Flow::unknown(call.input_origin()))
}

/// A file of statements nobody has read here.
fn run_script(walker: &mut Walker<'_>, script: &Arg<'_>) {
    let (target, _) = walker.path_target(script.as_str());
    let span = walker.span(script.range);
    walker.emit(
        Effect::new(Verb::Execute, target, span)
            .seen(Seen::Guessed)
            .words("runs statements from a file, unseen"),
    );
}

/// Reads SQL that stands in an argument.
pub fn run_sql(walker: &mut Walker<'_>, text: &str, _known: bool, range: (usize, usize)) {
    read_query(walker, sql::Language::Sql, text, range);
}

fn read_query(walker: &mut Walker<'_>, language: sql::Language, text: &str, range: (usize, usize)) {
    if text.trim_matches(HOLE).trim().is_empty() && !text.is_empty() {
        walker.opaque("the statement is only known when it runs", range);
        return;
    }
    let found = sql::read(language, text);
    for effect in found.effects {
        let span = walker.span(range);
        walker.emit(Effect { because: span, ..effect });
    }
    for command in found.shell {
        walker.nested(&command, range, None);
    }
    for (path, writes) in found.paths {
        let arg = Arg::literal(path, range);
        if writes {
            walker.write(&arg, Flow::unknown(Origin::PLAIN), false);
        } else {
            walker.read(&arg);
        }
    }
}

/// A statement typed where a program should be, as into a client that is already open.
pub fn interactive(walker: &mut Walker<'_>, call: &Call<'_>) {
    let words: Vec<&str> = call.args.iter().map(Arg::as_str).collect();
    let text = format!("{} {}", call.name, words.join(" "));
    if let Some(language) = sql::looks_like(&text) {
        read_query(walker, language, &text, call.range);
    }
}

/// A whole text that no shell could run, but a database could.
pub fn statement(walker: &mut Walker<'_>, text: &str) -> bool {
    let Some(language) = sql::looks_like(text) else { return false };
    read_query(walker, language, text, (0, text.len()));
    true
}
