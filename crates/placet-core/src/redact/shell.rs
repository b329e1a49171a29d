//! Passwords that programs take as words of their command line: `mysql -pSECRET`, `curl -u ann:SECRET`.
//!
//! Options whose name says what they hold (`--password`, `--api-key`) need no row here.

use std::ops::Range;

use super::{behind::is_quote, header, mask, value};

/// An option of a program that holds a secret.
struct Row {
    /// The beginning of the program's name.
    program: &'static str,
    option: &'static str,
    holds: Holds,
}

/// How an option holds a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// The next word, or the rest of this one.
    Password,
    /// The next word only.
    Next,
    /// The rest of this word only.
    Attached,
    /// A name, a sign and a password.
    Behind(u8),
    /// Cookies.
    Cookies,
    /// The last word of the command.
    Last,
    /// Behind a slash in a word such as `ann/password@host`.
    Slash,
    /// The next word that is no option, where the option holds something else: `/user:ann password`.
    After,
}

const fn row(program: &'static str, option: &'static str, holds: Holds) -> Row {
    Row { program, option, holds }
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("curl",       "-u",           Holds::Behind(b':')),
    row("curl",       "--user",       Holds::Behind(b':')),
    row("curl",       "-U",           Holds::Behind(b':')),
    row("curl",       "--proxy-user", Holds::Behind(b':')),
    row("curl",       "--oauth2-bearer", Holds::Password),
    row("curl",       "-b",           Holds::Cookies),
    row("curl",       "--cookie",     Holds::Cookies),
    row("mysql",      "-p",           Holds::Attached),
    row("mariadb",    "-p",           Holds::Attached),
    row("sshpass",    "-p",           Holds::Password),
    row("redis-cli",  "-a",           Holds::Password),
    row("docker",     "-p",           Holds::Password),
    row("podman",     "-p",           Holds::Password),
    row("mongo",      "-p",           Holds::Password),
    row("cqlsh",      "-p",           Holds::Password),
    row("sqlcmd",     "-P",           Holds::Password),
    row("unzip",      "-P",           Holds::Password),
    row("zip",        "-P",           Holds::Password),
    row("7z",         "-p",           Holds::Attached),
    row("ldap",       "-w",           Holds::Password),
    row("smbclient",  "-U",           Holds::Behind(b'%')),
    row("rpcclient",  "-U",           Holds::Behind(b'%')),
    row("mosquitto_", "-P",           Holds::Password),
    row("ipmitool",   "-P",           Holds::Password),
    row("snmp",       "-A",           Holds::Password),
    row("snmp",       "-X",           Holds::Password),
    row("lftp",       "-u",           Holds::Behind(b',')),
    row("xfreerdp",   "/p:",          Holds::Attached),
    row("rdesktop",   "-p",           Holds::Password),
    row("az login",   "-p",           Holds::Password),
    row("isql",       "-P",           Holds::Next),
    row("bcp",        "-P",           Holds::Next),
    row("beeline",    "-p",           Holds::Next),
    row("psexec",     "-p",           Holds::Next),
    row("twine",      "-p",           Holds::Next),
    row("evil-winrm", "-p",           Holds::Next),
    row("crackmapexec", "-p",         Holds::Next),
    row("netexec",    "-p",           Holds::Next),
    row("unrar",      "-p",           Holds::Attached),
    row("influx",     "-p",           Holds::Next),
    row("doctl",      "-t",           Holds::Next),
    row("openssl",    "-k",           Holds::Next),
    row("schtasks",   "/rp",          Holds::Next),
    row("reg add",    "/d",           Holds::Next),
    row("jenkins-cli","-auth",        Holds::Behind(b':')),
    row("http -a",    "",             Holds::Behind(b':')),
    row("sqlplus",    "",             Holds::Slash),
    row("impdp",      "",             Holds::Slash),
    row("expdp",      "",             Holds::Slash),
    row("sqlldr",     "",             Holds::Slash),
    row("net use",    "/user:",       Holds::After),
    row("ConvertTo-SecureString", "", Holds::Password),
    row("gh auth login", "<<<",       Holds::Next),
    row("vault login", "",            Holds::Password),
    row("chpasswd",   "<<<",          Holds::Behind(b':')),
    row("rclone obscure", "",         Holds::Password),
    row("quote PASS", "",             Holds::Password),
    row("wpa_passphrase", "",         Holds::Last),
    row("mc alias set", "",           Holds::Last),
    row("htpasswd",   "-b",           Holds::Last),
    row("htpasswd",   "-nb",          Holds::Last),
    row("htpasswd",   "-bn",          Holds::Last),
    row("htpasswd",   "-cb",          Holds::Last),
    row("htpasswd",   "-bc",          Holds::Last),
];

/// A command is read so far.
const COMMAND_MAX: usize = 4096;
/// `docker -p` is a port everywhere but here.
const LOGIN: &[&str] = &["docker", "podman"];

/// The beginnings of programs that have a row.
pub fn programs() -> Vec<&'static str> {
    let mut programs: Vec<&str> = ROWS.iter().map(|row| row.program).collect();
    programs.sort_unstable();
    programs.dedup();
    programs
}

/// The secrets among the words of the command whose program begins at `at`, and where the command ends.
pub fn secrets(text: &str, program: &str, at: usize) -> (Vec<(&'static str, Range<usize>)>, usize) {
    let bytes = text.as_bytes();
    let end = command_end(bytes, at);
    let words = words(bytes, at + program.len()..end);
    if LOGIN.contains(&program) && !words.iter().take(4).any(|word| &bytes[word.clone()] == b"login") {
        return (Vec::new(), end);
    }
    // Most of what is added to the registry is no password.
    let named = |word: &Range<usize>| {
        bytes[word.clone()].windows(8).any(|part| part.eq_ignore_ascii_case(b"password"))
    };
    if program == "reg add" && !words.iter().any(named) {
        return (Vec::new(), end);
    }
    let mut found = Vec::new();
    for row in ROWS.iter().filter(|row| row.program == program) {
        for (index, word) in words.iter().enumerate() {
            let Some(rest) = bytes[word.clone()].strip_prefix(row.option.as_bytes()) else { continue };
            let long = row.option.starts_with("--");
            // Without an option it is the first word that is none, of `sqlplus` each.
            let value = match (row.holds, rest) {
                (Holds::Last, _) if row.option.is_empty() => {
                    words.last().filter(|_| index == 0 && words.len() > 1).cloned()
                }
                (_, _) if row.option.is_empty() => {
                    let option = matches!(rest, [b'-' | b'/', ..]);
                    (!option && (index == 0 || row.holds == Holds::Slash)).then(|| word.clone())
                }
                (Holds::After, [_, ..]) => {
                    words.get(index + 1).filter(|next| !matches!(bytes[next.start], b'-' | b'/')).cloned()
                }
                (Holds::After, []) | (Holds::Next, [_, ..]) => None,
                (Holds::Slash, _) => None,
                (Holds::Last, []) => words.last().filter(|last| last.start > word.end + 1).cloned(),
                (Holds::Attached, []) | (Holds::Last, _) => None,
                (Holds::Attached, _) => Some(word.end - rest.len()..word.end),
                (_, []) => words.get(index + 1).cloned(),
                (_, [b'=', ..]) => Some(word.end - rest.len() + 1..word.end),
                // `--username` is not `--user`, and `-uann:x` is `-u ann:x`.
                (_, _) if long => None,
                (_, _) => Some(word.end - rest.len()..word.end),
            };
            let Some(value) = value.map(|value| unquoted(bytes, value)) else { continue };
            match row.holds {
                Holds::Cookies => found.extend(
                    header::pairs(bytes, value.start, 64).0.into_iter().map(|range| ("cookie", range)),
                ),
                Holds::Behind(sign) => {
                    found.extend(behind(text, value, sign).map(|range| ("password", range)))
                }
                Holds::Slash => found.extend(behind_slash(text, value).map(|range| ("password", range))),
                Holds::Password | Holds::Next | Holds::Attached | Holds::Last | Holds::After => {
                    found.extend(password(text, value).map(|range| ("password", range)))
                }
            }
        }
    }
    (found, end)
}

/// `name:password`, `:password`, and `key:`, which is a key in place of a name.
fn behind(text: &str, value: Range<usize>, sign: u8) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let colon = value.start + memchr::memchr(sign, bytes.get(value.clone())?)?;
    let name = text.get(value.start..colon)?;
    let secret = colon + 1..value.end;
    // A quote that was opened before the sign stays closed: without it the word would go on once the rest is masked.
    let outside = value.start.checked_sub(1).map(|at| bytes[at]).filter(|byte| is_quote(Some(byte)));
    let secret = match open_quote(outside, name) {
        Some(quote) => {
            let length = memchr::memchr(quote, &bytes[secret.clone()]).unwrap_or(secret.len());
            secret.start..secret.start + length
        }
        None => secret,
    };
    if secret.is_empty() && name.len() >= 8 && !value::stands_for_one(name) {
        return Some(value.start..colon);
    }
    // `neo4j:[PASSWORD]`, `"$USER:$PASSWORD"`, `"${user}":"${password}"`.
    let word = text.get(unquoted(bytes, secret.clone()))?.trim_matches(['"', '\'']);
    let told = word.starts_with('$')
        && word
            .bytes()
            .skip(1)
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'{' | b'}'));
    (!told).then(|| password(text, secret)).flatten()
}

/// The quote that is open at the end of `text`, where `outside` was open at its start.
fn open_quote(outside: Option<u8>, text: &str) -> Option<u8> {
    text.bytes().fold(outside, |open, byte| match open {
        Some(quote) if quote == byte => None,
        None if is_quote(Some(&byte)) => Some(byte),
        open => open,
    })
}

/// `ann/password`, `ann/password@host`, `ann/password@//host/x`.
fn behind_slash(text: &str, value: Range<usize>) -> Option<Range<usize>> {
    let word = text.get(value.clone())?;
    let slash = word.find('/').filter(|at| *at > 0)?;
    let name = &word[..slash];
    let end = word[slash..].rfind('@').map_or(word.len(), |at| slash + at);
    let end = word[slash..end].rfind("@//").map_or(end, |at| slash + at);
    let named = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#'));
    let path = end == word.len() && word.contains('.');
    (named && !path).then(|| password(text, value.start + slash + 1..value.start + end)).flatten()
}

fn password(text: &str, value: Range<usize>) -> Option<Range<usize>> {
    let secret = text.get(value.clone())?;
    (secret.len() >= 4
        && !value::stands_for_one(secret)
        && !mask::is_mask(secret)
        && !secret.starts_with('$'))
    .then_some(value)
}

/// Where the command ends: at a line end, a pipe, a semicolon; not within quotes.
fn command_end(bytes: &[u8], at: usize) -> usize {
    let mut quote = None;
    let mut index = at;
    let stop = bytes.len().min(at + COMMAND_MAX);
    while index < stop {
        let byte = bytes[index];
        match (quote, byte) {
            (_, b'\\') => index += 1,
            (Some(open), byte) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'\n' | b';' | b'|') => return index,
            (None, _) => {}
        }
        index += 1;
    }
    stop
}

/// The words of a command, with their quotes.
fn words(bytes: &[u8], command: Range<usize>) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut at = command.start;
    while at < command.end {
        while at < command.end
            && (bytes[at].is_ascii_whitespace()
                || bytes[at] == b'\\' && bytes.get(at + 1).is_some_and(u8::is_ascii_whitespace))
        {
            at += 1;
        }
        let start = at;
        let mut quote = None;
        while at < command.end {
            match (quote, bytes[at]) {
                (Some(open), byte) if open == byte => quote = None,
                (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
                (None, byte) if byte.is_ascii_whitespace() => break,
                _ => {}
            }
            at += 1;
        }
        if at > start {
            words.push(start..at);
        }
    }
    words
}

/// Without the quotes around it.
fn unquoted(bytes: &[u8], word: Range<usize>) -> Range<usize> {
    let inside = &bytes[word.clone()];
    match inside {
        [open, .., close] if open == close && is_quote(Some(open)) => word.start + 1..word.end - 1,
        _ => word,
    }
}
