//! Secrets that only their place gives away: the third argument of a call, what stands before `@tcp(`, what is piped into
//! `sudo -S`.

use std::ops::Range;

use super::{behind::is_quote, check, class::Class, value};

/// How a secret is read whose literal was found at a place in a text.
pub type Reader = fn(&str, Range<usize>) -> Option<(&'static str, Range<usize>)>;

/// A call, a pipe, a number with its parts: further than this nothing is looked for.
const REACH: usize = 512;

/// What is searched for, and how it is read.
pub const READERS: &[(&str, Reader)] = &[
    // The name and the password of whoever connects, in this order.
    ("getConnection(", argument::<2>),
    ("mysqli_connect(", argument::<2>),
    ("mysql_connect(", argument::<2>),
    ("pymysql.connect(", argument::<2>),
    ("new PDO(", argument::<2>),
    ("new mysqli(", argument::<2>),
    ("WiFi.begin(", argument::<1>),
    ("BasicAuth(", argument::<1>),
    ("BasicAWSCredentials(", argument::<1>),
    ("NewStaticCredentials(", argument::<1>),
    ("NetworkCredential(", argument::<1>),
    ("PasswordCredentials(", argument::<1>),
    ("PlainCredentials(", argument::<1>),
    ("smtp.login(", argument::<1>),
    ("server.login(", argument::<1>),
    ("ftp.login(", argument::<1>),
    ("imap.login(", argument::<1>),
    // Keys that something is signed with.
    ("createHmac(", argument::<1>),
    ("jwt.sign(", argument::<1>),
    ("jwt.verify(", argument::<1>),
    ("jwt.encode(", argument::<1>),
    ("jwt.decode(", argument::<1>),
    ("hmac.new(", argument::<0>),
    ("HMAC256(", argument::<0>),
    ("ethers.Wallet(", argument::<0>),
    ("privateKeyToAccount(", argument::<0>),
    ("CURLOPT_USERPWD, ", pair),
    ("auth=(", argument::<1>),
    ("@tcp(", before_host),
    ("@unix(", before_host),
    ("@/", before_host),
    ("identified by ", identified),
    ("jdbc:oracle:", oracle),
    ("Unseal Key ", unseal),
    ("\"d\":", private_number),
    ("sudo -S", piped),
    ("chpasswd", piped),
    ("password-stdin", piped),
];

/// The argument of this number, from 0, of the call whose bracket ends `hit`, if it is a string.
fn argument<const NUMBER: usize>(text: &str, hit: Range<usize>) -> Option<(&'static str, Range<usize>)> {
    let bytes = text.as_bytes();
    let stop = bytes.len().min(hit.end + REACH);
    let mut at = hit.end;
    for number in 0..=NUMBER {
        at += bytes[at..stop].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        // `b"…"`, `[]byte("…")`.
        let wrapped = bytes[at..stop].starts_with(b"[]byte(");
        at += if wrapped { b"[]byte(".len() } else { 0 };
        at += usize::from(bytes.get(at) == Some(&b'b') && is_quote(bytes.get(at + 1)));
        let string = string_at(bytes, at, stop);
        if number == NUMBER {
            let range = string?;
            return counts(text, range).map(|range| ("password", range));
        }
        // Behind this argument: a comma that is in no brackets.
        at = string.map_or(at, |range| range.end + 1);
        let mut depth = 0usize;
        loop {
            match bytes[..stop].get(at)? {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
                b'"' | b'\'' | b'`' => at = string_at(bytes, at, stop)?.end,
                b',' if depth == 0 => break,
                b';' | b'\n' if depth == 0 && NUMBER == 0 => return None,
                _ => {}
            }
            at += 1;
        }
        at += 1;
    }
    None
}

/// The inside of the quotes that open at `at`.
fn string_at(bytes: &[u8], at: usize, stop: usize) -> Option<Range<usize>> {
    let quote = *bytes.get(at).filter(|byte| is_quote(Some(byte)))?;
    let room = bytes.get(at + 1..stop)?;
    let length = room.iter().position(|byte| *byte == quote || *byte == b'\n')?;
    (room[length] == quote).then_some(at + 1..at + 1 + length)
}

/// A string that is no stand-in, and not a word that says what it is for.
fn counts(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let secret = text.get(range.clone())?;
    let told = value::stands_for_one(secret) || secret.contains([' ', '$', '%', '{']);
    let plain =
        secret.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-' | b'.' | b'/'));
    (secret.len() >= value::LEAST && !told && !(plain && secret.contains(['_', '-', '.', '/'])))
        .then_some(range)
}

/// `"ann:password"`.
fn pair(text: &str, hit: Range<usize>) -> Option<(&'static str, Range<usize>)> {
    let string = string_at(text.as_bytes(), hit.end, text.len().min(hit.end + REACH))?;
    let colon = text.get(string.clone())?.find(':')?;
    counts(text, string.start + colon + 1..string.end).map(|range| ("password", range))
}

/// `ann:password@tcp(host:3306)/shop`, as Go writes it.
fn before_host(text: &str, hit: Range<usize>) -> Option<(&'static str, Range<usize>)> {
    let head = &text.as_bytes()[hit.start.saturating_sub(128)..hit.start];
    let ends =
        |byte: &u8| byte.is_ascii_whitespace() || is_quote(Some(byte)) || *byte == b'=' || *byte >= 0x80;
    let word = head.len() - head.iter().rposition(ends).map_or(0, |at| at + 1);
    let start = hit.start - word;
    let colon = start + memchr::memchr(b':', &text.as_bytes()[start..hit.start])?;
    let secret = text.get(colon + 1..hit.start)?;
    let told = secret.is_empty() || value::stands_for_one(secret) || secret.contains(['$', '%', '{']);
    // An address has its own reader.
    (!told && !secret.starts_with("//")).then_some(("password", colon + 1..hit.start))
}

/// `CREATE USER ann IDENTIFIED BY password`, without quotes.
fn identified(text: &str, hit: Range<usize>) -> Option<(&'static str, Range<usize>)> {
    let bytes = text.as_bytes();
    let length = Class::WORD.run(&bytes[hit.end..], 128);
    let secret = text.get(hit.end..hit.end + length)?;
    let counts = secret.len() >= 6 && check::is_mixed(secret.as_bytes()) && !value::stands_for_one(secret);
    counts.then_some(("password", hit.end..hit.end + length))
}

/// `jdbc:oracle:thin:ann/password@host`.
fn oracle(text: &str, hit: Range<usize>) -> Option<(&'static str, Range<usize>)> {
    let bytes = text.as_bytes();
    let room = &bytes[hit.end..bytes.len().min(hit.end + 128)];
    let driver = memchr::memchr(b':', room)? + 1;
    let at = driver + memchr::memchr(b'@', &room[driver..])?;
    let slash = driver + memchr::memchr(b'/', &room[driver..at])?;
    let range = hit.end + slash + 1..hit.end + at;
    let secret = text.get(range.clone())?;
    let told = secret.is_empty() || value::stands_for_one(secret) || secret.contains([' ', '"', '\'']);
    (!told).then_some(("password", range))
}

/// `Unseal Key 1: …`, as a store of secrets shows them once.
fn unseal(text: &str, hit: Range<usize>) -> Option<(&'static str, Range<usize>)> {
    let bytes = text.as_bytes();
    let digits = Class::DIGITS.run(&bytes[hit.end..], 3);
    let start = hit.end + digits + 2;
    let length = Class::ANY_BASE64.run(bytes.get(start..)?, 128);
    (bytes[hit.end + digits..].starts_with(b": ") && length >= 32).then_some(("key", start..start + length))
}

/// The private number of a key as JSON, `"d":"…"` beside `"kty"` or a public half.
fn private_number(text: &str, hit: Range<usize>) -> Option<(&'static str, Range<usize>)> {
    let bytes = text.as_bytes();
    let at = hit.end + usize::from(bytes.get(hit.end) == Some(&b' '));
    let start = at + 1;
    let length = Class::URL64.run(bytes.get(start..).filter(|_| bytes[at] == b'"')?, 2048);
    let near = &bytes[hit.start.saturating_sub(2048)..bytes.len().min(start + length + 2048)];
    let is_key = [&b"\"kty\""[..], b"\"crv\"", b"\"RSA\""]
        .iter()
        .any(|sign| memchr::memmem::find(near, sign).is_some());
    (length >= 40 && is_key).then_some(("private-key", start..start + length))
}

/// What `echo` or `printf` write into the program at `hit`, which reads a password: `echo '…' | sudo -S`.
fn piped(text: &str, hit: Range<usize>) -> Option<(&'static str, Range<usize>)> {
    let bytes = text.as_bytes();
    let from = (hit.start.saturating_sub(256)..hit.start).find(|at| text.is_char_boundary(*at))?;
    let line = &text[from..hit.start];
    let line = &line[line.rfind('\n').map_or(0, |at| at + 1)..];
    let (written, _) = line.rsplit_once('|')?;
    let echo =
        ["echo ", "printf "].iter().filter_map(|name| written.rfind(name).map(|at| at + name.len())).max()?;
    let words = written.get(echo..)?.trim_end();
    let end = hit.start - (line.len() - echo - words.len());
    let last = match words.as_bytes().last()? {
        quote if is_quote(Some(quote)) => {
            let inside = &words[..words.len() - 1];
            let open = inside.rfind(char::from(*quote))?;
            end - words.len() + open + 1..end - 1
        }
        _ => end - words.len() + words.rfind(' ').map_or(0, |at| at + 1)..end,
    };
    let secret = text.get(last.clone())?;
    // `name:password` for `chpasswd`.
    let colon =
        if bytes[hit.clone()].starts_with(b"ch") { secret.find(':').map_or(0, |at| at + 1) } else { 0 };
    let last = last.start + colon..last.end;
    let secret = secret.get(colon..)?.trim_end_matches("\\n");
    let told = secret.len() < value::LEAST || value::stands_for_one(secret) || secret.contains(['$', '`']);
    (!told && (check::is_mixed(secret.as_bytes()) || !secret.contains(' ')))
        .then_some(("password", last.start..last.start + secret.len()))
}
