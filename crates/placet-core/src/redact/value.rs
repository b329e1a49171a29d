//! Whether a value under a name that promises a secret is one, or stands for one, names one or computes one.

use std::sync::LazyLock;

use super::{check, long, mask, name::Noun, search::Search, words::Words};

/// How a value was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// In quotes, as a string of JSON, or as a word of its own: all of it is the value.
    Whole,
    /// Without quotes, right behind the sign: `KEY=value`.
    Tight,
    /// Without quotes, with blanks around the sign: `key = value`, `key: value`. Prose and code look like that too.
    Loose,
}

/// The shortest secret there is: a password of four letters.
pub const LEAST: usize = 4;
/// Longer values are judged by their beginning.
const JUDGED_MAX: usize = 256;

/// Words that fill in for a value, whole.
#[rustfmt::skip]
const NOTHING: &[&str] = &[
    "", "any", "array", "blank", "bool", "boolean", "byte", "bytes", "char", "default", "disabled", "empty",
    "enabled", "env", "false", "float", "hidden", "include", "int", "integer", "invalid", "missing", "n/a", "nil",
    "no", "none", "not_set", "null", "number", "object", "off", "omit", "on", "optional", "plain", "prompt",
    "random", "required", "same-origin", "secure", "self", "str", "string", "text", "true", "undefined", "unknown",
    "unset", "valid", "value", "varchar", "yes", "password", "passwd", "pass", "pwd", "secret", "secrets",
    "token", "key", "apikey", "api_key", "api-key", "basic", "bearer", "oauth", "oauth2", "jwt", "username",
    "user", "…",
];

/// Words within a value that say somebody has yet to fill it in.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "changeme", "change_me", "change-me", "change_it", "changeit", "your_", "your-", "youra", "yourp",
    "yours", "yourt", "your ", "<your", "placeholder", "example", "redacted", "dummy", "fake", "insert_",
    "insert-", "replace_", "replace-", "replaceme", "todo", "fixme", "sample", "_here", "-here",
    "goes here", "goes_here", "enter_", "enter your", "please ", "not_a_real", "notreal", "not-real",
    "masked", "removed", "omitted", "mock", "密码", "пароль", "パスワード", "비밀번호",
];

/// Beginnings of values that say where the secret is kept.
#[rustfmt::skip]
const ELSEWHERE: &[&str] = &[
    "os.environ", "os.getenv", "getenv", "process.env", "env.", "env(", "env[", "ENV[", "System.getenv",
    "Deno.env", "import.meta", "secrets.", "vars.", "var.", "local.", "data.", "module.", "aws_", "google_",
    "azurerm_", "!Ref", "!Sub", "!GetAtt", "!secret", "!vault", "vault:", "vault(", "op://", "ssm:",
    "sm://", "arn:", "secret://", "keyring:", "file:", "env:", "ref+", "ENC[", "ENC(", "http://",
    "https://", "config.", "settings.", "self.", "this.", "args.", "options.", "opts.", "params.",
    "sha256:", "SHA256:", "sha256-", "sha384-", "sha512-", "sha512:", "MD5:", "request.", "req.", "ctx.", "cfg.", "conf.", "function", "lambda", "async ", "await ", "new ", "&", "*",
];

/// Beginnings of what everybody may see: the halves of keys that are published.
const PUBLISHED: &[&str] = &[
    "pk_live_",
    "pk_test_",
    "phc_",
    "pub-c-",
    "sub-c-",
    "AAAAC3NzaC1",
    "AAAAB3NzaC1",
    "AAAAE2VjZHNh",
    "ssh-",
];

/// Whether `value` under a name that promises `noun` is a secret.
pub fn is_secret(value: &str, noun: Noun, written: Written) -> bool {
    let value = judged(value);
    let seen = Seen::of(value.as_bytes());
    let length = if seen.any(Seen::HIGH) { value.chars().count() } else { value.len() };
    let least = match (noun, written) {
        (Noun::Password, Written::Whole | Written::Tight) => LEAST,
        (Noun::Password, Written::Loose) => 5,
        (Noun::Secret, _) => 6,
        (Noun::Key | Noun::Token, Written::Whole | Written::Tight) => 8,
        (Noun::Key | Noun::Token, Written::Loose) => 10,
        (Noun::Own | Noun::Vague, _) => 12,
    };
    if length < least || stands_for(value, seen) {
        return false;
    }
    let bytes = value.as_bytes();
    if !seen.any(Seen::ALPHA | Seen::DIGIT) && !value.chars().any(char::is_alphanumeric) {
        return false;
    }
    if matches!(noun, Noun::Key | Noun::Token | Noun::Own | Noun::Vague)
        && !seen.any(Seen::ALPHA)
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'_' | b'-' | b':' | b'+'))
    {
        return false;
    }
    if noun != Noun::Password && is_published(value) {
        return false;
    }
    // A sentence in a script without blanks.
    if seen.any(Seen::HIGH) && !seen.any(Seen::ALPHA | Seen::DIGIT) && written != Written::Whole {
        return false;
    }
    if seen.any(Seen::BLANK) {
        return !matches!(noun, Noun::Own | Noun::Vague) && is_phrase(value);
    }
    // Each has signs, or lacks some, without which there is nothing to look for.
    if !seen.any(!Seen::WORDS) && names_one(value, written)
        || seen.any(Seen::DOT | Seen::PATH) && is_path(value)
        || (written == Written::Loose || written == Written::Tight && seen.any(!Seen::NAME))
            && is_code(value, written)
    {
        return false;
    }
    match (noun, written) {
        (Noun::Own, _) if is_hex(bytes) => length >= 32 && varies(bytes),
        (Noun::Own, _) if is_drawn(bytes) => true,
        (Noun::Own | Noun::Vague, _) => {
            length >= 20 && looks_random(value) && !ends_in_hash(bytes) || hides_a_pair(bytes)
        }
        // Prose and types have a single plain word there.
        (_, Written::Loose) => !value.chars().all(char::is_alphabetic) && !is_plain_words(value),
        (Noun::Password, _) => true,
        (Noun::Secret | Noun::Key | Noun::Token, _) => {
            varies(bytes) && !(seen.any(Seen::DOT) && is_dotted_name(value))
        }
    }
}

/// Whether somebody is known by it: the half of a key, an address in a chain of blocks, the fingerprint of a key.
fn is_published(value: &str) -> bool {
    let bytes = value.as_bytes();
    let address = bytes.len() == 42 && value.starts_with("0x") && is_hex(&bytes[2..]);
    let fingerprint = bytes.len() == 40 && bytes.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'));
    address || fingerprint || PUBLISHED.iter().any(|start| value.starts_with(start))
}

/// The part of a value that is looked at.
fn judged(value: &str) -> &str {
    let end = (0..=JUDGED_MAX.min(value.len())).rev().find(|at| value.is_char_boundary(*at)).unwrap_or(0);
    &value[..end]
}

/// What the bytes of a value are, read once for all that is asked of them.
#[derive(Clone, Copy)]
struct Seen(u8);

impl Seen {
    const DIGIT: u8 = 1;
    const ALPHA: u8 = 1 << 1;
    /// `_` and `-`.
    const JOINT: u8 = 1 << 2;
    const DOT: u8 = 1 << 3;
    /// `/`, `:`, `~` and the slash of Windows.
    const PATH: u8 = 1 << 4;
    /// Beyond ASCII.
    const HIGH: u8 = 1 << 5;
    const BLANK: u8 = 1 << 6;
    const OTHER: u8 = 1 << 7;
    /// What a name of one word has.
    const NAME: u8 = Self::ALPHA | Self::DIGIT | Self::JOINT;
    /// What several words have that are joined by signs, or a path.
    const WORDS: u8 = Self::NAME | Self::DOT | Self::PATH;

    fn of(bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(0, |seen, byte| seen | SEEN[*byte as usize]))
    }

    /// Whether there is any of `kinds`.
    fn any(self, kinds: u8) -> bool {
        self.0 & kinds != 0
    }
}

static SEEN: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'0'..=b'9' => Seen::DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' => Seen::ALPHA,
            b'_' | b'-' => Seen::JOINT,
            b'.' => Seen::DOT,
            b'/' | b':' | b'\\' | b'~' => Seen::PATH,
            0x80.. => Seen::HIGH,
            this if this.is_ascii_whitespace() => Seen::BLANK,
            _ => Seen::OTHER,
        };
        byte += 1;
    }
    table
};

/// Whether `value` is a stand-in, a variable or a reference.
pub fn stands_for_one(value: &str) -> bool {
    stands_for(value, Seen::of(judged(value).as_bytes()))
}

fn stands_for(value: &str, seen: Seen) -> bool {
    static FILLING: LazyLock<Words> = LazyLock::new(|| Words::new(&[NOTHING]));
    let trimmed = trimmed(judged(value));
    if FILLING.has(trimmed) || mask::is_mask(self::trimmed(value)) {
        return true;
    }
    let bytes = trimmed.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return true };
    let around = |open: u8, close: u8| *first == open && *last == close;
    if around(b'<', b'>')
        || around(b'{', b'}')
        || around(b'[', b']')
        || around(b'%', b'%')
        || around(b'*', b'*')
    {
        return true;
    }
    if is_variable(trimmed)
        || bytes.starts_with(b"%(")
        || bytes.starts_with(b"%s")
        || bytes.starts_with(b"%d")
        || bytes.starts_with(b"#{")
    {
        return true;
    }
    if is_kept_elsewhere(trimmed) {
        return true;
    }
    // `...`, `****`, `xxxx`: one letter over and over, or letters that stand for others.
    if bytes.iter().all(|byte| byte == first) && bytes.len() > 2
        || check::is_stand_in(bytes)
        || seen.any(!Seen::NAME) && leaves_out(bytes)
    {
        return true;
    }
    has_filler(trimmed)
}

/// Without blanks around it, which most values do not have.
fn trimmed(value: &str) -> &str {
    let graphic = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    let bytes = value.as_bytes();
    if graphic(bytes.first()) && graphic(bytes.last()) { value } else { value.trim() }
}

/// Whether `value` says where the secret is kept.
fn is_kept_elsewhere(value: &str) -> bool {
    // The beginnings with each first letter.
    static STARTS: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
        let mut starts = vec![Vec::new(); 256];
        for start in ELSEWHERE {
            starts[start.as_bytes()[0] as usize].push(*start);
        }
        starts
    });
    let first = value.as_bytes().first();
    first.is_some_and(|first| STARTS[*first as usize].iter().any(|start| value.starts_with(start)))
}

/// Dots or asterisks in place of letters, or a pattern for secrets, such as this program has many of.
fn leaves_out(bytes: &[u8]) -> bool {
    bytes.iter().enumerate().any(|(at, byte)| {
        let rest = &bytes[at..];
        match byte {
            b'.' => rest.starts_with(b"..."),
            b'*' => rest.starts_with(b"***"),
            b'#' => rest.starts_with(b"####"),
            b'(' => rest.starts_with(b"(?"),
            b'\\' => matches!(rest.get(1), Some(b'w' | b'd' | b's' | b'S')),
            b'[' => {
                rest.starts_with(b"[^")
                    || [&b"[a-z"[..], b"[A-Z", b"[0-9"].iter().any(|class| rest.starts_with(class))
            }
            _ => false,
        }
    })
}

/// `$NAME`, `${NAME}`, `$(command)`, `$env:NAME`, `@NAME@`, and the like, whole.
fn is_variable(value: &str) -> bool {
    let bytes = value.as_bytes();
    let name = |text: &[u8]| {
        !text.is_empty()
            && text
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-'))
    };
    match bytes {
        [b'$', b'{', .., b'}'] | [b'$', b'(', .., b')'] | [b'$', b'(', ..] => true,
        // `${NAME:?must be set}`, of which only the first word is here.
        [b'$', b'{', rest @ ..] if !rest.contains(&b'}') => true,
        [b'$', rest @ ..] if is_member(rest) => true,
        [b'$', rest @ ..] => {
            name(rest)
                && rest.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
                && !rest.windows(2).any(|pair| pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic())
                || matches!(rest, [b'0'..=b'9' | b'@' | b'*' | b'#'])
        }
        [b'@', b'@', rest @ .., b'@', b'@']
        | [b'@', rest @ .., b'@']
        | [b'_', b'_', rest @ .., b'_', b'_'] => name(rest),
        [b'`', ..] => true,
        _ => false,
    }
}

/// `config->{password}`, `Config::Auth->token`, `_POST['password']`: a part of a variable, from behind its sign.
fn is_member(text: &[u8]) -> bool {
    let name = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let begins = text.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    let rest = &text[name..];
    begins && [&b"->"[..], b"::", b"['", b"[\"", b"{"].iter().any(|sign| rest.starts_with(sign))
}

/// Whether a word within `text` says that somebody has yet to fill it in.
fn has_filler(text: &str) -> bool {
    static SEARCH: LazyLock<Search<()>> =
        LazyLock::new(|| Search::new(FILLERS.iter().map(|word| (*word, ()))));
    let mut found = false;
    SEARCH.each(text.as_bytes(), |(), _| found = true);
    found
}

/// `real_key`, `my-app-secret`, `challengePassword`: words only, one of them a noun. That is what a secret is called, not what
/// it is.
fn names_one(value: &str, written: Written) -> bool {
    const NOUNS: [&str; 12] = [
        "password",
        "passwd",
        "secret",
        "secrets",
        "token",
        "tokens",
        "key",
        "keys",
        "apikey",
        "credentials",
        "creds",
        "pass",
    ];
    // Words only: a sign or, but for the number of a type, a digit among them makes it something else.
    let wordly = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b':');
    if !value.trim_end_matches(|letter: char| letter.is_ascii_digit()).bytes().all(wordly) {
        return false;
    }
    // In code the last of several has a number: `new_password1`.
    let numbered = value.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let value = match written {
        Written::Loose if value.len() - numbered.len() <= 2 => numbered,
        Written::Loose | Written::Whole | Written::Tight => value,
    };
    let is_noun = |word: &str| NOUNS.iter().any(|noun| word.eq_ignore_ascii_case(noun));
    let words = value.split(['_', '-', '.', '/', ':']).filter(|word| !word.is_empty());
    let plain = |word: &str| {
        word.bytes().all(|byte| byte.is_ascii_lowercase())
            || word.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    if words.clone().count() > 1 && words.clone().all(plain) && words.clone().any(is_noun) {
        return true;
    }
    // Types are numbered: `UserCredentials_0`.
    let value = match written {
        Written::Loose => value.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '_'),
        Written::Whole | Written::Tight => value,
    };
    // In the environment a value is no identifier.
    if written == Written::Tight || !value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_') {
        return false;
    }
    let hump = value.bytes().rposition(|byte| byte.is_ascii_uppercase()).filter(|at| *at > 0);
    hump.is_some_and(|at| is_noun(&value[at..]))
}

/// `/run/secrets/db`, `./key.pem`, `~/.netrc`, `C:\keys`.
fn is_path(value: &str) -> bool {
    let bytes = value.as_bytes();
    let rooted = matches!(bytes, [b'/', ..] | [b'.', b'/', ..] | [b'.', b'.', b'/', ..] | [b'~', b'/', ..])
        || matches!(bytes, [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    let file = value.rsplit_once('.').is_some_and(|(_, ending)| {
        matches!(
            ending,
            "pem"
                | "key"
                | "json"
                | "yaml"
                | "yml"
                | "toml"
                | "txt"
                | "crt"
                | "cer"
                | "p12"
                | "pfx"
                | "jks"
                | "env"
                | "py"
                | "js"
                | "ts"
                | "rs"
                | "go"
                | "keytab"
        )
    });
    // A path has short words between its slashes; base64 that begins with one has not.
    (rooted
        && value.split(['/', '\\']).all(|part| {
            part.len() <= 40
                && !(part.len() > 16
                    && check::is_mixed(part.as_bytes())
                    && check::entropy(part.as_bytes()) > 3.6)
        }))
        || (file && !bytes.contains(&b'@'))
        || is_file_below(value)
}

/// `builds/app-150723.war`: a slash, and at the end a dot and two to four small letters.
fn is_file_below(value: &str) -> bool {
    let name = value.rsplit_once('/').map_or("", |(_, name)| name);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    (2..=4).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_lowercase())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/'))
}

/// A call, an index, a member, a type: what an unquoted value is in code.
fn is_code(value: &str, written: Written) -> bool {
    let bytes = value.trim_start_matches(['!', '&', '*', '-']).as_bytes();
    if bytes.windows(2).any(|pair| pair == b"()") || matches!(bytes, [b'(' | b'[' | b'{', ..]) {
        return true;
    }
    let part = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b':' | b'?' | b'>' | b'-' | b'&')
    };
    let head = bytes.iter().take_while(|byte| part(byte)).count();
    let begins = bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$'));
    if !begins {
        return false;
    }
    // `params[`, `decode(key)`, `Option<`, `Token![`: a name of some length, then a bracket. A digit in the name of an
    // assignment without blanks makes it rather a password.
    let bracket = matches!(bytes.get(head), Some(b'(' | b'[' | b'<'))
        || bytes.get(head) == Some(&b'!') && matches!(bytes.get(head + 1), Some(b'[' | b'('));
    let digits = bytes[..head].iter().any(u8::is_ascii_digit);
    let path = bytes[..head].iter().any(|byte| matches!(byte, b'.' | b'_' | b':'));
    let ends = matches!(bytes.last(), Some(b')' | b']' | b'>' | b'(' | b'[' | b','));
    if bracket
        && head >= 2
        && (path || !digits || written == Written::Loose)
        && (ends || written == Written::Loose)
    {
        return true;
    }
    // `__u32`: such names belong to compilers and interpreters.
    if written == Written::Loose && bytes.starts_with(b"__") && head == bytes.len() {
        return true;
    }
    // `ConvertTo-SecureString`: a command of PowerShell.
    if written == Written::Loose && is_cmdlet(value) {
        return true;
    }
    // `AUTH_HEADER`: a constant.
    if written == Written::Loose && bytes.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_') {
        return true;
    }
    // `config.api_key`, `Foo::bar`, `self->token`: names joined by signs.
    let joined = bytes.contains(&b'.') || bytes.windows(2).any(|pair| pair == b"::" || pair == b"->");
    joined
        && head == bytes.len()
        && value.split(['.', ':', '>', '-']).all(|part| part.len() < 40 && !mixes(part.as_bytes()))
        && !is_numbered(bytes)
}

/// `river.copper44`: names in code end in one digit, or in the width of a type, and people number their passwords.
fn is_numbered(bytes: &[u8]) -> bool {
    let digits = bytes.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    digits >= 2
        && !bytes.contains(&b':')
        && !bytes.ends_with(b"00")
        && !matches!(
            &bytes[bytes.len() - digits..],
            b"16" | b"32" | b"64" | b"128" | b"256" | b"384" | b"512"
        )
}

/// A verb and a noun, each with a capital, joined by a dash.
fn is_cmdlet(value: &str) -> bool {
    let capital = |word: &str| {
        word.len() > 2
            && word.starts_with(|letter: char| letter.is_ascii_uppercase())
            && word.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    value.split_once('-').is_some_and(|(verb, noun)| capital(verb) && capital(noun))
}

/// Letters and digits that change places more than once: nobody calls a variable that.
fn mixes(bytes: &[u8]) -> bool {
    bytes.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count() > 2
}

/// Lower-case words joined by signs, such as `shorter-version`.
fn is_plain_words(value: &str) -> bool {
    value
        .split(['-', '_', '.', ',', ':', '/', '!', '?'])
        .all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()))
}

/// `keyword.control.rust`, `com.example.app`: what classes and scopes are called.
fn is_dotted_name(value: &str) -> bool {
    let word =
        |word: &str| (2..=16).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
    value.matches('.').count() >= 2 && value.split('.').all(word)
}

/// Several words that somebody could have chosen to say in secret, rather than a sentence about one.
fn is_phrase(value: &str) -> bool {
    let mut words = value.split_ascii_whitespace();
    let sentence = value.ends_with(['.', '?', '!', ':'])
        || value.contains(['<', '>', '(', ')', '=', ';']) && !value.contains(['{', '$']);
    let title = value.starts_with(char::is_uppercase)
        && words.clone().all(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let about = words.any(|word| {
        [
            "password",
            "passwords",
            "secret",
            "token",
            "key",
            "keys",
            "api",
            "your",
            "the",
            "a",
            "is",
            "for",
            "not",
            "to",
            "must",
            "of",
        ]
        .iter()
        .any(|noun| word.eq_ignore_ascii_case(noun))
    });
    !sentence && !title && !about && value.len() <= 128
}

/// Not a few letters over and over.
fn varies(bytes: &[u8]) -> bool {
    check::has_two_bits(bytes)
}

/// Letters and digits without a pattern, of the length of keys; not a hash, not words.
pub fn looks_random(value: &str) -> bool {
    let bytes = value.as_bytes();
    let token = bytes.iter().all(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.' | b'~')
    });
    let hex = bytes.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    let cases = bytes.iter().any(u8::is_ascii_uppercase) && bytes.iter().any(u8::is_ascii_lowercase);
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    token
        && !hex
        && digits >= 2
        && (cases || digits * 8 >= bytes.len())
        && check::entropy(bytes) >= 3.5
        && turns(bytes) * 4 >= bytes.len()
}

/// `deps-0f3a…`: a hash, perhaps with words before it, as caches call their entries.
fn ends_in_hash(bytes: &[u8]) -> bool {
    let digits = bytes.iter().rev().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
    matches!(digits, 32 | 40 | 64 | 128)
}

/// One run of letters and some digits, too long for a word.
fn is_drawn(bytes: &[u8]) -> bool {
    bytes.len() >= 20
        && bytes.iter().all(u8::is_ascii_alphanumeric)
        && bytes.iter().filter(|byte| byte.is_ascii_digit()).count() >= 2
        && check::is_mixed(bytes)
        && check::entropy(bytes) >= 3.3
}

fn is_hex(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_hexdigit)
}

/// `YW5uOnMzc2FtZQ==`: a name, a colon and a password in base64, as registries keep them.
fn hides_a_pair(bytes: &[u8]) -> bool {
    let Some(decoded) = long::decode_base64(bytes) else { return false };
    decoded.len() >= 6
        && decoded.iter().all(|byte| (0x20..0x7f).contains(byte))
        && memchr::memchr(b':', &decoded).is_some_and(|colon| colon > 0 && colon + 4 < decoded.len())
}

/// How often the family of letters changes: often in what is random, seldom in words.
fn turns(bytes: &[u8]) -> usize {
    let family = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    bytes.windows(2).filter(|pair| family(pair[0]) != family(pair[1])).count()
}

/// `8-4-4-4-12` digits of base 16.
pub fn is_uuid(bytes: &[u8]) -> bool {
    bytes.len() == 36
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
