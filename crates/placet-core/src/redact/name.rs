//! What the name of a setting promises: `DB_PASSWORD` holds a password, `token_count` does not hold a token.

use std::sync::LazyLock;

use super::words::Words;

/// What a name says its value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noun {
    /// Chosen by people: short ones count, plain words count.
    Password,
    /// A client secret, a shared secret, credentials.
    Secret,
    /// A key that opens something.
    Key,
    /// A token that says who somebody is.
    Token,
    /// The `key` of something that is in no list: what looks random counts, and so do digits of base 16.
    Own,
    /// `key` or `auth` without a word that tells which: only a value that looks random counts.
    Vague,
}

impl Noun {
    /// What a value of it is called in a mask.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Secret => "secret",
            Self::Key => "api-key",
            Self::Token => "token",
            Self::Own | Self::Vague => "key",
        }
    }
}

/// The letters by which a name with a noun in it is found; each noun below holds one of them.
#[rustfmt::skip]
pub const STEMS: &[&str] = &[
    "passw", "passphrase", "passcode", "pass", "pwd", "pw", "psw", "secret", "credential", "creds", "token",
    "key", "auth=", "auth:", "auth\"", "auth'", "authtok", "jwt", "psk", "_pat", "kennwort", "contrase", "motdepasse", "mot de passe",
    "senha", "пароль", "密码", "密碼", "密钥", "口令", "パスワード", "비밀번호",
];

/// Whole words, and ends of words such as `mypassword`, that name a secret.
const ENDINGS: &[(&str, Noun)] = &[
    ("password", Noun::Password),
    ("passwd", Noun::Password),
    ("passphrase", Noun::Password),
    ("passwort", Noun::Password),
    ("kennwort", Noun::Password),
    ("contrasena", Noun::Password),
    ("contraseña", Noun::Password),
    ("motdepasse", Noun::Password),
    ("пароль", Noun::Password),
    ("密码", Noun::Password),
    ("密碼", Noun::Password),
    ("口令", Noun::Password),
    ("パスワード", Noun::Password),
    ("비밀번호", Noun::Password),
    ("密钥", Noun::Key),
    ("secret", Noun::Secret),
    ("secrete", Noun::Secret),
    ("credential", Noun::Secret),
    ("token", Noun::Token),
    ("apikey", Noun::Key),
    ("secretkey", Noun::Key),
    ("accesskey", Noun::Key),
    ("privatekey", Noun::Key),
    ("authkey", Noun::Key),
    ("masterkey", Noun::Key),
    ("signingkey", Noun::Key),
    ("encryptionkey", Noun::Key),
    ("accountkey", Noun::Key),
    ("sharedkey", Noun::Key),
];

/// Words that name a secret only where they stand alone.
const WORDS: &[(&str, Noun)] = &[
    ("pass", Noun::Password),
    ("passcode", Noun::Password),
    ("pwd", Noun::Password),
    ("passe", Noun::Password),
    ("adminpass", Noun::Password),
    ("dbpass", Noun::Password),
    ("ftppass", Noun::Password),
    ("keypass", Noun::Password),
    ("requirepass", Noun::Password),
    ("rootpass", Noun::Password),
    ("smtppass", Noun::Password),
    ("storepass", Noun::Password),
    ("userpass", Noun::Password),
    ("wifipass", Noun::Password),
    ("dbpwd", Noun::Password),
    ("userpwd", Noun::Password),
    ("adminpw", Noun::Password),
    ("bindpw", Noun::Password),
    ("dbpw", Noun::Password),
    ("rootpw", Noun::Password),
    ("userpw", Noun::Password),
    ("pat", Noun::Token),
    ("authtok", Noun::Password),
    ("psk", Noun::Password),
    ("pw", Noun::Password),
    ("psw", Noun::Password),
    ("pswd", Noun::Password),
    ("senha", Noun::Password),
    ("creds", Noun::Secret),
    ("cred", Noun::Secret),
    ("jwt", Noun::Token),
    ("bearer", Noun::Token),
    ("key", Noun::Vague),
    ("auth", Noun::Vague),
];

/// What stands before `key` where it opens something.
#[rustfmt::skip]
const OPENING: &[&str] = &[
    "access", "account", "admin", "api", "apim", "app", "application", "auth", "authentication", "client",
    "consumer", "crypt", "crypto", "decryption", "deploy", "deployment", "encrypt", "encryption", "hmac",
    "hook", "iam", "ingest", "ingestion", "integration", "jwt", "license", "licence", "management",
    "master", "merchant", "pre", "private", "psk", "recovery", "rest", "root", "secret", "secure",
    "security", "server", "service", "session", "shared", "sign", "signing", "ssh",
    "subscription", "symmetric", "webhook", "write", 
    // Services whose `…_KEY` is one.
    "adafruit", "ai", "airtable", "algolia", "anthropic", "asana", "atlassian", "aws", "azure", "bitbucket",
    "cloudant", "cloudflare", "cohere", "datadog", "db", "dd", "deepseek", "discord", "docker", "dropbox",
    "elastic", "elevenlabs", "facebook", "fastly", "firebase", "gcp", "gemini", "github", "gitlab",
    "google", "grafana", "groq", "heroku", "hf", "huggingface", "ibm", "jenkins", "jira", "linear",
    "mailchimp", "mailgun", "maps", "meraki", "mistral", "newrelic", "notion", "npm", "okta", "openai",
    "openrouter", "paypal", "perplexity", "pinecone", "pypi", "redis", "replicate", "s3", "segment",
    "sendgrid", "sentry", "shopify", "sl", "slack", "softlayer", "sonar", "square", "stripe", "supabase",
    "telegram", "together", "trello", "twilio", "twitter", "vault", "xai", "youtube", "zendesk",
];

/// What stands before `key` where it finds something: an entry, a row, a file.
#[rustfmt::skip]
const FINDING: &[&str] = &[
    "array", "asset", "blob", "bucket", "build", "cache", "cell", "checksum", "clustering", "column", "commit",
    "composite", "config", "content", "data", "dedup", "dedupe", "dict", "digest", "document", "entity", "entry",
    "etag", "event", "field", "file", "gpg", "group", "hash", "host", "i18n", "idempotency", "image", "index", "item",
    "job", "join", "kms", "layer", "list", "lock", "lookup", "map", "message", "metric", "node", "object", "param",
    "pgp", "query", "range", "record", "recv", "remote", "request", "resource", "restore", "route", "routing", "row", "run",
    "shard", "signature", "slot", "space", "state", "step", "storage", "tag", "task", "trace", "translation",
    "tree", "tuple", "unique", "user", "value",
];

/// What stands before a `key` that everybody may see.
const SHOWN: &[&str] =
    &["anon", "host", "publish", "recaptcha", "site", "subscribe", "verification", "verify", "verifying"];

/// Behind the noun, these say that the value is about a secret and is not one.
#[rustfmt::skip]
const ABOUT: &[&str] = &[
    "accessor", "address", "age", "alg", "algorithm", "alias", "alphabet", "arn", "at", "audience",
    "balance", "based", "bits", "bool", "box", "budget", "bytes", "cache", "callback", "case", "change",
    "changed", "chars", "check", "checksum", "class", "code", "column", "config", "configured", "container", "context",
    "contract", "cost", "count", "counter", "created", "date", "decimals", "description", "desc", "detail", "details", "digest",
    "dir", "directory", "disabled", "duration", "enabled", "encoding", "endpoint", "env", "equals", "error",
    "event", "exists", "expiration", "expired", "expires", "expiry", "factory", "field", "file", "filename",
    "fingerprint", "folder", "for", "format", "func", "function", "generator", "handler", "hasher", "header", "help",
    "helper", "hint", "holder", "host", "icon", "id", "identifier", "ids", "in", "index", "info", "input",
    "interval", "is", "issuer", "kind", "label", "len", "length", "level", "lifetime", "limit", "link",
    "list", "location", "manager", "map", "mapping", "max", "md5", "message", "method", "min", "mode", "model",
    "module", "msg", "name", "names", "needed", "number", "option", "options", "output", "owner", "page",
    "pair", "param", "parameter", "params", "parser", "path", "pattern", "per", "placeholder", "pol",
    "policies", "policy", "port", "position", "prefix", "price", "prompt", "properties", "property",
    "provider", "range", "rate", "reader", "ref", "reference", "refs", "regex", "region", "required", "reset",
    "role", "rotation", "rule", "rules", "salt", "schema", "scheme", "scope", "scopes", "selector",
    "separator", "service", "set", "setting", "settings", "sha", "sha1", "sha256", "sha512", "size", "source", "space", "spec", "stash",
    "state", "status", "store", "strategy", "stream", "strength", "style", "subject", "suffix", "supply",
    "symbol", "table", "tag", "template", "test", "text", "threshold", "time", "timeout", "timestamp",
    "title", "ttl", "type", "types", "updated", "uri", "url", "usage", "use", "used", "user", "username",
    "uuid", "valid", "validation", "validator", "validity", "var", "variable", "vault", "verified",
    "version", "view", "visible", "window", "writer",
];

/// Before the noun, these say that everybody may see it.
#[rustfmt::skip]
const PUBLIC: &[&str] = &[
    "bos", "cached", "cancel", "cancellation", "candidate", "cls", "completion", "continuation", "cursor", "design",
    "eos", "foreign", "has", "input", "is", "max", "min", "monkey", "needs", "next", "no", "num", "output",
    "pad", "page", "partition", "primary", "prompt", "pub", "public", "publishable", "require", "requires",
    "resume", "sep", "show", "sort", "special", "stop", "sync", "thinking", "total", "unk", "use", "with", "without",
];

/// At most so many words of a name are looked at, from the end.
const WORDS_MAX: usize = 12;

/// What the value of a setting called `name` is.
pub fn noun(name: &str) -> Option<Noun> {
    if !may_hold_noun(name.as_bytes()) {
        return None;
    }
    // `password.length` and `Token.Comment` are about something else; `spring.datasource.password` is a password.
    let name = name.rsplit('.').next().unwrap_or(name);
    let mut words = [""; WORDS_MAX];
    let count = split(name, &mut words);
    let words = &words[..count];
    let (at, noun) = words.iter().enumerate().rev().find_map(|(at, word)| {
        let noun = noun_of_word(word)?;
        Some((at, noun))
    })?;
    static SETS: LazyLock<[Words; 5]> =
        LazyLock::new(|| [ABOUT, PUBLIC, OPENING, FINDING, SHOWN].map(|words| Words::new(&[words])));
    let [about, public, opening, found, shown] = &*SETS;
    // `password_validators` are about passwords as one of them is.
    let tells =
        |word: &&str| about.has(word) || word.strip_suffix(['s', 'S']).is_some_and(|word| about.has(word));
    if words[at + 1..].iter().any(tells) {
        return None;
    }
    let before = at.checked_sub(1).map(|at| words[at]);
    if before.is_some_and(|word| public.has(word)) {
        return None;
    }
    // `has_secret`, `is_password_set` ask; `PublicToken` tells.
    if words.first().is_some_and(|word| is_in(word, &["is", "has", "no", "show", "public", "publishable"])) {
        return None;
    }
    // The hash of a token is none; that of a password is as good as the password to somebody with time.
    if noun != Noun::Password && words[at + 1..].iter().any(|word| is_in(word, &["hash", "hashes"])) {
        return None;
    }
    if noun != Noun::Vague {
        // `SECRET_KEY`, `token_secret`: the last noun counts, but a secret key is a key of the first rank.
        return Some(noun);
    }
    let opens = words[at].eq_ignore_ascii_case("key") || words[at].eq_ignore_ascii_case("keys");
    match before {
        Some(word) if opens && shown.has(word) => None,
        Some(word) if opens && (opening.has(word) || noun_of_word(word).is_some()) => Some(Noun::Key),
        // `ibm_cloud_iam-key`: a service further to the left.
        Some(_) if opens && words[..at].iter().any(|word| opening.has(word)) => Some(Noun::Key),
        Some(word) if opens && !found.has(word) => Some(Noun::Own),
        Some(_) | None => Some(Noun::Vague),
    }
}

/// Whether two letters stand together that every noun has one of; most names end here.
fn may_hold_noun(name: &[u8]) -> bool {
    name.windows(2).any(|pair| {
        matches!(
            [pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase()],
            [b'p', b'a' | b'w' | b's']
                | [b's', b'e']
                | [b'c', b'r']
                | [b't', b'o']
                | [b'k', b'e']
                | [b'a', b'u']
                | [b'j', b'w']
                | [b'b', b'e']
        )
            // Other letters than Latin ones.
            || pair[0] > 0xc3
    })
}

fn noun_of_word(word: &str) -> Option<Noun> {
    let singular = word.strip_suffix(['s', 'S']).unwrap_or(word);
    for word in [word, singular] {
        if let Some((_, noun)) = WORDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)) {
            return Some(*noun);
        }
        let last = |word: &str| word.as_bytes().last().map(u8::to_ascii_lowercase);
        let ends = |name: &str| {
            word.len() >= name.len()
                && last(word) == last(name)
                && word.is_char_boundary(word.len() - name.len())
                && word[word.len() - name.len()..].eq_ignore_ascii_case(name)
        };
        if let Some((_, noun)) = ENDINGS.iter().find(|(name, _)| ends(name)) {
            return Some(*noun);
        }
    }
    None
}

fn is_in(word: &str, words: &[&str]) -> bool {
    words.iter().any(|other| word.eq_ignore_ascii_case(other))
}

/// Splits `dbPassword2`, `DB_PASSWORD` and `db.password` into their words, without digits at their ends. Gives how many there are.
fn split<'a>(name: &'a str, words: &mut [&'a str; WORDS_MAX]) -> usize {
    let bytes = name.as_bytes();
    let mut end = bytes.len();
    let mut count = 0;
    // From the end, so that a long name loses its beginning.
    for at in (0..bytes.len()).rev() {
        let byte = bytes[at];
        let separator = !byte.is_ascii_alphanumeric() && byte < 0x80;
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let hump = byte.is_ascii_uppercase()
            && (before.is_some_and(|before| before.is_ascii_lowercase() || before.is_ascii_digit())
                || before.is_some_and(|before| before.is_ascii_uppercase())
                    && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)
                    // `APIs` is one word.
                    && !(bytes.get(at + 1) == Some(&b's') && at + 2 == end));
        if separator || hump || at == 0 {
            let start = if separator { at + 1 } else { at };
            let word =
                name.get(start..end).unwrap_or("").trim_end_matches(|letter: char| letter.is_ascii_digit());
            if !word.is_empty() {
                if count == WORDS_MAX {
                    break;
                }
                words[count] = word;
                count += 1;
            }
            end = at.max(usize::from(!separator) * at);
        }
    }
    words[..count].reverse();
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_promise_what_they_say() {
        for (name, expected) in [
            ("password", Some(Noun::Password)),
            ("DB_PASSWORD", Some(Noun::Password)),
            ("dbPassword2", Some(Noun::Password)),
            ("spring.datasource.password", Some(Noun::Password)),
            ("mypasswd", Some(Noun::Password)),
            ("MYSQL_PASS", Some(Noun::Password)),
            ("password_super_secure", Some(Noun::Password)),
            ("client-secret", Some(Noun::Secret)),
            ("SECRETS", Some(Noun::Secret)),
            ("APIToken", Some(Noun::Token)),
            ("authToken", Some(Noun::Token)),
            ("IBMCLOUDIAMAPIKEY", Some(Noun::Key)),
            ("x-api-key", Some(Noun::Key)),
            ("openai_key", Some(Noun::Key)),
            ("secretKey", Some(Noun::Key)),
            ("key", Some(Noun::Vague)),
            ("bucket_key", Some(Noun::Vague)),
            ("abstract_key", Some(Noun::Own)),
            ("token_count", None),
            ("max_tokens", None),
            ("public_key", None),
            ("publicToken", None),
            ("UserSecretsId", None),
            ("secret_length", None),
            ("passwordVariable", None),
            ("tokenizer", None),
            ("Token.Comment", None),
            ("PASSAGE", None),
            ("compass", None),
            ("monkeys-audio", None),
            ("password_validators", None),
            ("storage_key", Some(Noun::Vague)),
            ("GITHUB_PAT", Some(Noun::Token)),
            ("file_path", None),
            ("token_hash", None),
            ("token_sha256", None),
            ("password_hash", Some(Noun::Password)),
            ("site_key", None),
            ("syncToken", None),
            ("bindpw", Some(Noun::Password)),
            ("wifi-security.psk", Some(Noun::Password)),
            ("您的密码", Some(Noun::Password)),
            ("пароль", Some(Noun::Password)),
            ("key_vault_name", None),
            ("secretary", None),
            ("", None),
            ("___", None),
        ] {
            assert_eq!(noun(name), expected, "{name}");
        }
    }
}
