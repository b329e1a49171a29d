//! What constraints say of values: rows of `value  answer` under each constraint, as it stands in YAML.

use placet_core::{
    Json,
    constraint::{Anchor, BEYOND_ASCII, Check, Constraint, Regex, parse},
    located::{Located, Mark},
    yaml,
};

fn constraint(source: &str) -> Constraint {
    read(source).unwrap_or_else(|error| panic!("{source}: {error}"))
}

fn read(source: &str) -> Result<Constraint, String> {
    let data = yaml::read(source).map_err(|error| error.to_string())?;
    parse(&data, Anchor::Whole).map_err(|error| error.to_string())
}

fn answer(check: Check) -> String {
    match check {
        Check::Yes => "yes".to_owned(),
        Check::No => "no".to_owned(),
        Check::Mismatch { expected, found } => format!("mismatch: {expected}, {found}"),
    }
}

/// Whether `text` has what `literal` requires.
fn occurs(literal: &str, text: &str) -> bool {
    text.to_ascii_lowercase().contains(&literal.to_ascii_lowercase())
        || (literal == BEYOND_ASCII && !text.is_ascii())
}

/// Each line is a JSON value, a bar, and the answer.
fn check(source: &str, rows: &str) {
    let own = constraint(source);
    for row in rows.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let (value, expected) = row.rsplit_once(" | ").expect("a row is `value | answer`");
        let value = Json::read(value.trim()).unwrap_or_else(|error| panic!("{row}: {error}"));
        let given = answer(own.check(&value));
        assert_eq!(given, expected.trim(), "{source}: {row}");
        if let Json::String(text) = &value {
            assert_eq!(answer(own.check_text(text)), given, "{source}: {row}, as text");
            if let (Check::Yes, Some(literals)) = (own.check(&value), own.required_literals()) {
                assert!(
                    literals.iter().any(|literal| occurs(literal, text)),
                    "{source}: none of {literals:?} in {text:?}"
                );
            }
        }
    }
    // What is written back is read as the same.
    let again = parse(&Located::from_json(&own.to_json(), Mark::START), Anchor::Whole);
    assert_eq!(again.as_ref(), Ok(&own), "{source}");
    assert!(!own.describe().is_empty());
}

#[test]
fn exact_is_typed() {
    check(
        "5",
        r#"
        5    | yes
        5.0  | yes
        6    | no
        "5"  | mismatch: a number, text
        null | mismatch: a number, null
        "#,
    );
    check("9007199254740993", "9007199254740993 | yes\n9007199254740992 | no");
    check("'5'", "\"5\" | yes\n5 | mismatch: text, a number");
    check("exact: null", "null | yes\nfalse | mismatch: null, true or false");
    check(
        "exact: {a: [1]}",
        r#"{"a":[1.0]} | yes
        {"a":[1],"b":2} | no"#,
    );
}

#[test]
fn lists_of_values_are_typed() {
    check(
        "[a, b, 7]",
        r#"
        "a"  | yes
        "c"  | no
        7    | yes
        8    | no
        true | mismatch: a value of the kinds listed, true or false
        "#,
    );
    check(
        "not_one_of: [rm, dd]",
        r#"
        "ls" | yes
        "rm" | no
        5    | mismatch: text, a number
        "#,
    );
    check(
        "subset: [a, b]",
        r#"
        []          | yes
        ["a"]       | yes
        ["b", "a"]  | yes
        ["a", "c"]  | no
        ["a", 1]    | mismatch: a list of the kinds listed, a list with other kinds in it
        "a"         | mismatch: a list, text
        "#,
    );
}

#[test]
fn globs_match_the_whole_text() {
    check(
        "glob: '/srv/*/log?.txt'",
        r#"
        "/srv/a/log1.txt"    | yes
        "/srv//log1.txt"     | mismatch: text that every program reads alike, text with a doubled slash
        "/srv/../log1.txt"   | mismatch: text that every program reads alike, text with `.` or `..` between slashes
        "/srv/a/b/log1.txt"  | no
        "/srv/a/log.txt"     | no
        "/srv/a/log/.txt"    | no
        "x/srv/a/log1.txt"   | no
        "/srv/a/log1.txt\n"  | no
        5                    | mismatch: text, a number
        "#,
    );
    check("glob: '**/b*'", "\"a/b\" | yes\n\"/b\" | yes\n\"b\" | no\n\"a/b/c\" | no\n\"x/y/bz\" | yes");
    check("glob: '*'", "\"\" | no\n\"a\" | yes\n\"a/b\" | no");
    check("glob: '**'", "\"\" | yes\n\"a/b\" | yes");
    check("glob: ''", "\"\" | yes\n\"a\" | no");
    check(r"glob: 'a\*?'", "\"a*b\" | yes\n\"axb\" | no");
    check("glob: 'é*ü'", "\"éü\" | yes\n\"é…ü\" | yes\n\"eü\" | no");
    let long = format!("glob: '{}*b'", "a".repeat(200));
    check(&long, &format!("\"{}xb\" | yes\n\"{}xb\" | no", "a".repeat(200), "a".repeat(199)));
}

#[test]
fn patterns_match_the_whole_text_where_they_grant() {
    check(
        "regex: 'a+|b'",
        r#"
        "aaa"  | yes
        "b"    | yes
        "ab"   | no
        "xa"   | no
        "a\n"  | no
        1      | mismatch: text, a number
        "#,
    );
    check("regex: '(?i)get|post'", "\"GET\" | yes\n\"PoSt\" | yes\n\"put\" | no");
    // What is put around a pattern would be in this comment, so that nothing matched and its opposite permitted everything.
    let commented = yaml::read("regex: '(?x)rm #.*'").unwrap();
    assert!(parse(&commented, Anchor::Whole).is_err());
    assert!(parse(&commented, Anchor::Part).is_ok());
    let part = parse(&yaml::read("regex: 'rm -rf'").unwrap(), Anchor::Part).unwrap();
    assert_eq!(part.check_text("sudo rm -rf /"), Check::Yes);
    assert_eq!(part.required_literals(), Some(vec!["rm -rf".to_owned()]));
    for (pattern, literals) in [
        ("curl.*(sh|bash)", Some(vec!["curl"])),
        ("(foo|bar)baz", Some(vec!["foobaz", "barbaz"])),
        ("a*", None),
        ("(?i)abc", Some(vec!["abc"])),
        ("(?i)paſk[0-9]end", Some(vec!["end"])),
        ("x|y*", None),
        ("(abc)+d?", Some(vec!["abc"])),
    ] {
        let regex = parse(&yaml::read(&format!("regex: '{pattern}'")).unwrap(), Anchor::Part).unwrap();
        let found = regex.required_literals();
        match (&found, &literals) {
            // How alternatives are factored is up to the library; that each match has one is what counts.
            (Some(found), Some(_)) => assert!(!found.is_empty(), "{pattern}"),
            (None, None) => {}
            _ => panic!("{pattern}: {found:?}, not {literals:?}"),
        }
    }
}

#[test]
fn what_a_pattern_cannot_match_without_is_known() {
    for (pattern, texts, required) in [
        ("gh[po]_[a-z]+", "ghp_x gho_y", Some(vec!["ghp_", "gho_"])),
        ("(?i)(gcap|pspy)x*", "pspy PSPY p\u{17f}py GCAPx", Some(vec!["gcap", "pspy", BEYOND_ASCII])),
        (
            "[\\x{200B}-\\x{200D}]{8,}",
            "\u{200b}\u{200b}\u{200c}\u{200d}\u{200b}\u{200b}\u{200b}\u{200b}",
            Some(vec![BEYOND_ASCII]),
        ),
        ("-perm\\s?[46]000", "-perm4000", Some(vec!["-perm"])),
        ("(?i)straße", "STRASSE straße STRAßE", Some(vec![BEYOND_ASCII])),
        ("a?b?", "ab", None),
        ("[a-z]{3}", "abc", None),
    ] {
        let regex = Regex::new(pattern, Anchor::Part).unwrap();
        let found = regex.required_literals();
        assert_eq!(found.is_some(), required.is_some(), "{pattern}: {found:?}");
        let (mut found, mut required) = (found.unwrap_or_default(), required.unwrap_or_default());
        found.sort();
        required.sort();
        assert_eq!(found, required, "{pattern}");
        for text in texts.split(' ').filter(|text| regex.matches(text)) {
            let known = found.is_empty() || found.iter().any(|literal| occurs(literal, text));
            assert!(known, "{pattern}: none of {found:?} in {text:?}");
        }
    }
}

#[test]
fn ranges_are_exact() {
    check(
        "range: {min: -1, max: 9007199254740992}",
        r#"
        -1                | yes
        -1.0000001        | no
        9007199254740992  | yes
        9007199254740993  | no
        0.5               | yes
        1e300             | no
        -1e300            | no
        "5"               | mismatch: a number, text
        "#,
    );
    check("range: {above: 0, below: 0.3}", "0 | no\n0.1 | yes\n0.3 | no\n0.29999999999999 | yes\n1 | no");
    check(
        "range: {min: 18446744073709551615}",
        "18446744073709551615 | yes\n18446744073709551614 | no\n1e20 | yes",
    );
    check("range: {max: 1e20}", "18446744073709551615 | yes\n1e20 | yes\n1.1e20 | no");
}

#[test]
fn lengths_count_characters_elements_and_members() {
    check(
        "length: {min: 1, max: 3}",
        r#"
        "äöü"       | yes
        "äöüx"      | no
        ""          | no
        [1,2,3]     | yes
        []          | no
        {"a":1}     | yes
        5           | mismatch: text, a list or an object, a number
        "#,
    );
    check("length: {max: 0}", "\"\" | yes\n[] | yes\n[1] | no");
}

#[test]
fn contains_looks_into_text_and_lists() {
    check(
        "contains: needle",
        r#"
        "hay needle hay"  | yes
        "hay"             | no
        ["needle"]        | yes
        ["a needle"]      | no
        {"needle": 1}     | mismatch: text or a list, an object
        "#,
    );
    check("contains: 5", "[5] | yes\n[\"5\"] | no\n\"5\" | mismatch: a list, text");
}

#[test]
fn under_is_worked_out_by_the_letters() {
    check(
        "under: /data/reports",
        r#"
        "/data/reports"                       | yes
        "/data/reports/"                      | yes
        "/data/reports/2026/q1.csv"           | yes
        "/data//reports/./a"                  | yes
        "/data/reports/x/../a"                | yes
        "/data/reports/../secrets"            | no
        "/data/reports/../../etc/passwd"      | no
        "/data/reports2/a"                    | no
        "/data/Reports/a"                     | no
        "/data"                               | no
        "/"                                   | no
        "/../data/reports/a"                  | yes
        "/data/reports/..%2f..%2fetc"         | mismatch: a path with one meaning, a path with `.` or `..` that not every program sees
        "/data\\reports/a"                   | mismatch: a path with one meaning, a path with backslashes or percent signs that may be read in two ways
        "data/reports/a"                      | mismatch: an absolute path, a relative path
        "~/data/reports"                      | mismatch: an absolute path, a relative path
        ""                                    | mismatch: an absolute path, a relative path
        "C:/data/reports"                     | mismatch: an absolute path, a relative path
        "file:///data/reports/a"              | mismatch: an absolute path, a relative path
        "/data/reports/a\u0000b"              | mismatch: an absolute path, a path with a control character
        "/proc/self/root/data/reports/a"      | mismatch: a path with one meaning, a path that goes through an alias
        ["/data/reports/a"]                   | mismatch: text, a list
        "#,
    );
    check("under: /", "\"/\" | yes\n\"/etc\" | yes\n\"etc\" | mismatch: an absolute path, a relative path");
    check("under: /srv/../data/", "\"/data/x\" | yes\n\"/srv/x\" | no");
    check(
        "not: {under: /etc}",
        r#"
        "/srv/a"                     | yes
        "/etc/passwd"                | no
        "/srv/../etc/passwd"         | no
        "/private/etc/passwd"        | mismatch: a path with one meaning, a path that goes through an alias
        "/proc/self/root/etc/shadow" | mismatch: a path with one meaning, a path that goes through an alias
        "etc/passwd"                 | mismatch: an absolute path, a relative path
        "#,
    );
}

#[test]
fn addresses_are_compared_part_by_part() {
    let odd = "mismatch: a plain web address";
    check(
        "url: 'https://*.example.com/v1/**'",
        &format!(
            r#"
        "https://api.example.com/v1/items"            | yes
        "HTTPS://API.Example.COM:443/v1/items?q=1#x"  | yes
        "https://api.example.com./v1/items"           | yes
        "https://a.b.example.com/v1/"                 | yes
        "https://example.com/v1/items"                | no
        "http://api.example.com/v1/items"             | no
        "https://api.example.com:8443/v1/items"       | no
        "https://api.example.com/v2/items"            | no
        "https://api.example.com.evil.test/v1/x"      | no
        "https://evilexample.com/v1/x"                | no
        "https://evil.test/?.example.com/v1/x"        | no
        "https://api.example.com@evil.test/v1/x"      | {odd}, an address with a user or a password in it
        "https://evil.test\\@api.example.com/v1/x"    | {odd}, an address with blanks, control characters or backslashes
        "https://api.example.com/v1/../admin"         | {odd}, an address whose path has `.`, `..` or hidden slashes in it
        "https://api.example.com/v1/%2e%2E/admin"     | {odd}, an address whose path has `.`, `..` or hidden slashes in it
        "https://api.example.com/v1/..%2fadmin"       | {odd}, an address whose path has `.`, `..` or hidden slashes in it
        "https://api.example.com/v1/..;/admin"        | {odd}, an address whose path has `.`, `..` or hidden slashes in it
        "https://api.example.com/v1/{{x}}"              | {odd}, an address whose path has characters that must be encoded
        " https://api.example.com/v1/x"               | {odd}, an address with blanks, control characters or backslashes
        "https://api.exämple.com/v1/x"                | {odd}, an address without a proper host
        "api.example.com/v1/x"                        | {odd}, no address with a scheme and `://`
        "https:///v1/x"                               | {odd}, an address without a proper host
        "https://api.example.com:/v1/x"               | {odd}, an address with a bad port
        5                                             | mismatch: text, a number
        "#
        ),
    );
    check(
        "url: 'http://127.0.0.1:8080'",
        &format!(
            r#"
        "http://127.0.0.1:8080/anything"  | yes
        "http://127.0.0.1/"               | no
        "http://127.1:8080/"              | {odd}, an address that is not what it looks like
        "http://0x7f000001:8080/"         | {odd}, an address that is not what it looks like
        "#
        ),
    );
    check(
        "url: 'https://*:*/'",
        "\"https://a.test:81/\" | yes\n\"https://a.test\" | yes\n\"https://a.test/x\" | no",
    );
    check("url: 'http://[::1]:*'", "\"http://[::1]:9/\" | yes\n\"http://[fd01::1]:9/\" | no");
}

#[test]
fn safe_addresses_are_public_in_every_spelling() {
    check(
        "url_safe: true",
        r#"
        "https://example.com/a?b=c"               | yes
        "http://93.184.216.34/"                   | yes
        "https://sub.example.co.uk:8443/x"        | yes
        "ws://example.com/"                       | yes
        "ftp://example.com/"                      | no
        "http://localhost/"                       | no
        "http://LOCALHOST:80/"                    | no
        "http://a.localhost/"                     | no
        "http://127.0.0.1/"                       | no
        "http://127.1/"                           | no
        "http://2130706433/"                      | no
        "http://0x7f.0.0.1/"                      | no
        "http://0177.0.0.1/"                      | no
        "http://0/"                               | no
        "http://[::1]/"                           | no
        "http://[::ffff:127.0.0.1]/"              | no
        "http://[::ffff:7f00:1]/"                 | no
        "http://[64:ff9b::a00:1]/"                | no
        "http://[2002:a00:1::]/"                  | no
        "http://10.0.0.8/"                        | no
        "http://172.31.255.255/"                  | no
        "http://192.168.1.1/"                     | no
        "http://100.64.0.1/"                      | no
        "http://169.254.169.254/latest/meta-data" | no
        "http://[fd00:ec2::254]/"                 | no
        "http://metadata.google.internal/"        | no
        "http://[fe80::1]/"                       | no
        "http://[fc00::1]/"                       | no
        "http://224.0.0.1/"                       | no
        "http://10.0.0.1.nip.io/"                 | no
        "http://intranet/"                        | no
        "http://db.internal/"                     | no
        "http://example.com@127.0.0.1/"           | mismatch: a plain web address, an address with a user or a password in it
        "http://127。0。0。1/"                     | mismatch: a plain web address, an address without a proper host
        "http:/\\127.0.0.1/"                      | mismatch: a plain web address, an address with blanks, control characters or backslashes
        "file:///etc/passwd"                      | mismatch: a plain web address, an address without a proper host
        "#,
    );
}

#[test]
fn network_addresses_lie_in_ranges() {
    check(
        "cidr: 10.0.0.0/8",
        r#"
        "10.1.2.3"           | yes
        "11.0.0.1"           | no
        "::ffff:10.0.0.1"    | yes
        "[::ffff:10.0.0.1]"  | yes
        "fd00::1"            | no
        "010.0.0.1"          | mismatch: a network address, other text
        "10.1"               | mismatch: a network address, other text
        "ten"                | mismatch: a network address, other text
        10                   | mismatch: text, a number
        "#,
    );
    check("cidr: 0.0.0.0/0", "\"8.8.8.8\" | yes\n\"::1\" | no");
    check("cidr: fd00::/8", "\"fd12::1\" | yes\n\"fe80::1\" | no\n\"10.0.0.1\" | no");
    check("cidr: 192.0.2.7", "\"192.0.2.7\" | yes\n\"192.0.2.8\" | no");
}

#[test]
fn argv_is_one_command() {
    let one = "mismatch: one plain command";
    check(
        "argv: git status|log|diff",
        &format!(
            r#"
        "git log"                         | yes
        "git  'status' "                  | yes
        "g\"it\" diff"                    | yes
        ["git", "log"]                    | yes
        ["bash", "-lc", "git log"]        | yes
        "git"                             | no
        "git push"                        | no
        "git log main"                    | no
        "git log --output=/etc/passwd"    | no
        "git -c core.pager=id log"        | no
        "git --exec-path=/x log"          | no
        "git log -- x"                    | no
        "/usr/bin/git log"                | no
        "rm -rf /"                        | no
        ["git", "log; rm -rf /"]          | no
        ["bash", "-c", "git log; id"]     | {one}, several commands
        ["bash", "-c", "git log", "x"]    | no
        "git log; rm -rf /"               | {one}, several commands
        "git log && rm -rf /"             | {one}, several commands or one in the background
        "git log\nrm -rf /"               | {one}, several commands
        "git log | sh"                    | {one}, a pipeline
        "git log # see"                   | {one}, a command with a comment
        "git log &"                       | {one}, several commands or one in the background
        "git log > /etc/passwd"           | {one}, a command with a redirection
        "git log <(id)"                   | {one}, a command with a redirection
        "git $(echo log)"                 | {one}, a command with an expansion
        "git `echo log`"                  | {one}, a command with an expansion
        "git $X"                          | {one}, a command with an expansion
        "git \"$X\""                      | {one}, a command with an expansion
        "GIT_PAGER=id git log"            | {one}, a command with an assignment
        "git lo*"                         | {one}, a command with a wildcard
        "git {{log,push}}"                | {one}, a command with an expansion
        "git ~"                           | {one}, a command with an expansion
        "! git log"                       | {one}, a command with an expansion
        "time git log"                    | {one}, a command with something before it
        "(git log)"                       | {one}, a compound command
        "git log '"                       | {one}, a command with an open quote
        ""                                | {one}, no command
        "git log\u001a"                   | {one}, a command with control characters
        5                                 | mismatch: a command, a number
        ["git", 5]                        | mismatch: a list of words, a list with other kinds in it
        "#
        ),
    );
    check(
        "argv: git -P log --oneline --format=* -n=* ..",
        r#"
        "git log"                        | yes
        "git -P log --oneline main"      | yes
        "git log --oneline --oneline"    | yes
        "git log --format=%H main..dev"  | yes
        "git log -n 5 -- README.md"      | yes
        "git log -- --output=x"          | no
        "git --oneline log"              | no
        "git log -P"                     | yes
        "git log --format %H"            | no
        "git log --form=%H"              | no
        "git log -n"                     | no
        "git log -n --output=x"          | no
        "git log -n5"                    | no
        "git log --output=x"             | no
        "#,
    );
    check("argv: ls -* *", "\"ls -la /srv\" | yes\n\"ls\" | no\n\"ls a b\" | no\n\"ls --color a\" | yes");
    check("argv: make build|test ..", "\"make test X=1\" | yes\n\"make test -f x\" | no\n\"make\" | no");
}

#[test]
fn what_watches_goes_by_the_letters() {
    // No answer would let a text pass a rule, so none is withheld there.
    let watches = |source: &str, text: &str| {
        parse(&yaml::read(source).unwrap(), Anchor::Part).unwrap().check_text(text)
    };
    for (source, text) in [
        ("glob: '/etc/**'", "/etc/../etc/passwd"),
        ("glob: '/etc/**'", "/etc//passwd"),
        ("glob: '/srv/*/x'", "/srv//x"),
        ("glob: 'a*'", r"a\b"),
        ("under: /etc", r"/etc/cron.d/..\..\x"),
        ("under: /etc", "//etc/passwd"),
        ("under: /proc", "/proc/self/fd/3"),
        ("url: 'https://*.example.com/v1/**'", "https://api.example.com/v1/%61"),
        ("url: 'https://*.example.com/v1/**'", "https://api.example.com/v1//x"),
    ] {
        assert_eq!(watches(source, text), Check::Yes, "{source}: {text}");
        let granted = parse(&yaml::read(source).unwrap(), Anchor::Whole).unwrap().check_text(text);
        assert!(!granted.is_yes(), "{source}: {text}");
    }
}

#[test]
fn a_mismatch_is_never_turned_into_a_yes() {
    let mismatch = "mismatch: a number, text";
    check("not: {range: {min: 5}}", &format!("4 | yes\n5 | no\n\"4\" | {mismatch}"));
    check("not: {not: {range: {min: 5}}}", &format!("5 | yes\n\"5\" | {mismatch}"));
    check("all: [{range: {min: 5}}, [6, 7]]", &format!("6 | yes\n5 | no\n\"6\" | {mismatch}"));
    check("not: {all: [{range: {min: 5}}, a]}", &format!("\"b\" | {mismatch}\n1 | mismatch: text, a number"));
    check("any: [{range: {min: 5}}, {glob: 'a*'}]", &format!("5 | yes\n\"ab\" | yes\n\"b\" | {mismatch}"));
    check("not: {any: [{range: {min: 5}}, {glob: 'a*'}]}", &format!("\"ab\" | no\n\"b\" | {mismatch}"));
    check("any: [a, b]", "\"a\" | yes\n\"c\" | no");
    check("any_value: true", "null | yes\n[] | yes\n\"\" | yes");
    check("{glob: 'a*', length: {max: 2}}", "\"ab\" | yes\n\"abc\" | no");
}

#[test]
fn errors_say_where_and_what_to_do() {
    for (source, expected) in [
        ("{}", "1:1: an empty map says nothing; write `any_value: true` for anything"),
        (
            "path:\n  undr: /srv",
            "1:1: unknown operator `path`; there are `all`, `any`, `any_value`, `argv`, `cidr`, `contains`, `exact`, `glob`, `length`, `not`, `not_one_of`, `one_of`, `range`, `regex`, `subset`, `under`, `url`, `url_safe`",
        ),
        ("undr: /srv", "1:1: unknown operator `undr`, did you mean `under`?"),
        ("under: srv", "1:8: `srv` is a relative path; write the whole path, such as `/srv/data`"),
        ("under: /private/etc", "1:8: `/private/etc` is another name for `/etc`; write that"),
        ("under: 5", "1:8: `under` must be text, not a number"),
        ("any_value: false", "1:12: `any_value` can only be true; use `not` for the opposite"),
        ("[]", "1:1: the list is empty; name at least one value"),
        ("range: {}", "1:8: a range needs a lower or an upper bound"),
        ("range: {min: 5, max: 4}", "1:8: no number is from `5` to `4`; swap the bounds"),
        ("range: {min: 5, above: 4}", "1:17: the same end twice; keep one of the two"),
        ("range: {mn: 5}", "1:9: unknown bound `mn`, did you mean `min`?"),
        ("range: {min: x}", "1:14: `min` must be a number, not text"),
        ("length: {min: 1.5}", "1:15: `min` must be a whole number, not a number"),
        (
            "glob: 'a[bc]'",
            "1:8: glob `a[bc]` has a `[`; list the choices with `any`, or write `\\[` for the letter",
        ),
        ("regex: 'a('", "1:9: pattern `a(` cannot be read: unclosed group"),
        ("regex: 'a)|(b'", "1:9: pattern `a)|(b` cannot be read: unopened group"),
        (
            "regex: '(a{1000}){1000}'",
            "1:9: pattern `(a{1000}){1000}` is too large; write smaller repetitions",
        ),
        (
            "regex: '(?=a)'",
            "1:9: pattern `(?=a)` cannot be read: look-around, including look-ahead and look-behind, is not supported",
        ),
        ("cidr: 10.0.0.1/8", "1:7: `10.0.0.1/8` does not begin at its network; write `10.0.0.0/8`"),
        (
            "cidr: 10.0.0.0/33",
            "1:7: `10.0.0.0/33` is no range of addresses; write it like `10.0.0.0/8` or `fd00::/8`",
        ),
        ("url: example.com", "1:6: `example.com` has no scheme; write it like `https://*.example.com/v1/**`"),
        (
            "url: 'https://a*.example.com'",
            "1:7: `https://a*.example.com` has no proper host; write it like `https://*.example.com/v1/**`",
        ),
        ("argv: ''", "1:8: `argv()` is empty; write it like `argv(git status|log)`"),
        ("argv: '-x git'", "1:8: `argv(-x git)` must begin with a program"),
        ("argv: 'git .. log'", "1:8: `argv(git .. log)` goes on after `..`; put `..` last"),
        (
            "argv: 'git l*'",
            "1:8: `argv(git l*)` has the word `l*`; words stand for themselves, and `*` alone for any",
        ),
        ("argv: 'git --x=1'", "1:8: `argv(git --x=1)` fixes the value of `--x`; write `--x=*` for any value"),
    ] {
        assert_eq!(read(source), Err(expected.to_owned()), "{source}");
    }
    let deep = format!("{}a{}", "{not: ".repeat(16), "}".repeat(16));
    assert_eq!(read(&deep).unwrap_err(), "1:97: constraints are nested deeper than 16");
    let many = format!("[{}]", vec!["a"; 1025].join(", "));
    assert_eq!(read(&many).unwrap_err(), "1:1: a list of 1025 values is longer than the 1024 allowed");
}
