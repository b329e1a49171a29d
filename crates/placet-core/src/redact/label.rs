//! Names of sessions, agents, people and calls. They are text that a host chose, and may hold a secret; but random letters alone
//! are what most of them are made of.

use std::borrow::Cow;

use super::{Found, Redactor, mask};

/// Shorter names hold no secret that could be told from a name.
const SECRET_FROM: usize = 8;
/// A shorter word between a colon and an `@` is no password.
const PASSWORD_FROM: usize = 6;

impl Redactor {
    /// `name` with the secrets in it masked; `name` itself if there are none. Identifiers without a format of a vendor, such as UUIDs
    /// and hashes, stay.
    ///
    /// ```
    /// use placet_core::redact::Redactor;
    ///
    /// let name = "run postgres://ann:hunter2-and-more@db.example/shop";
    /// assert_eq!(Redactor::builtin().redact_name(name), "run postgres://ann:«password»@db.example/shop");
    /// assert_eq!(Redactor::builtin().redact_name("0198f3a2-77d6-7b21-9c4e-5f2b44380a16"), "0198f3a2-77d6-7b21-9c4e-5f2b44380a16");
    /// ```
    pub fn redact_name<'t>(&self, name: &'t str) -> Cow<'t, str> {
        let is_plain = |byte: u8| byte.is_ascii_hexdigit() || matches!(byte, b'-' | b'_');
        if name.len() < SECRET_FROM || name.bytes().all(is_plain) {
            return Cow::Borrowed(name);
        }
        let mut found = self.find(name);
        found.retain(|found| found.kind != "random-string");
        if found.is_empty() {
            found.extend(password(name));
        }
        if found.is_empty() {
            return Cow::Borrowed(name);
        }
        let mut masked = String::with_capacity(name.len());
        let mut at = 0;
        for Found { kind, range } in found {
            masked.push_str(&name[at..range.start]);
            masked.push_str(&mask::mask(&kind, &name[range.clone()]));
            at = range.end;
        }
        masked.push_str(&name[at..]);
        Cow::Owned(masked)
    }
}

/// The password in `user:password@`, without the scheme that would say what it is. Numbers there are those of accounts and
/// telephones: `whatsapp:15550100@s.whatsapp.net`.
fn password(name: &str) -> Option<Found> {
    let (user, rest) = name.split_once(':')?;
    let (password, host) = rest.split_once('@')?;
    let of_words = |text: &str| text.bytes().any(|byte| byte.is_ascii_alphabetic());
    let mixed = of_words(password) && password.bytes().any(|byte| !byte.is_ascii_alphabetic());
    let plain = |text: &str| !text.contains([':', '/', '@']) && !text.contains(char::is_whitespace);
    let is_one = !user.is_empty() && plain(user) && plain(password) && !host.contains('@');
    let start = user.len() + 1;
    let found = || Found { kind: "password".into(), range: start..start + password.len() };
    (is_one && mixed && password.len() >= PASSWORD_FROM && !password.contains('«')).then(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_stay_and_secrets_among_them_do_not() {
        let redactor = Redactor::builtin();
        let token = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
        let key = format!("sk-ant-api03-{}AA", "x7Qm2VbT9sLk4RfW8zNc1YpD6hJg3aE5uXoM".repeat(3));
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6ImFubiJ9.\
                   dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
        for (name, secret) in [
            (token.clone(), token.as_str()),
            (format!("session for {token}"), &token),
            (format!("cli:{token}:7"), &token),
            (key.clone(), &key),
            (jwt.to_owned(), jwt),
            ("https://ann:Tr0ub4dor-3@git.example/x".to_owned(), "Tr0ub4dor-3"),
            ("ann:Tr0ub4dor-3@".to_owned(), "Tr0ub4dor-3"),
            ("ann:Tr0ub4dor-3@db".to_owned(), "Tr0ub4dor-3"),
            ("password=Tr0ub4dor-3-and-more".to_owned(), "Tr0ub4dor-3-and-more"),
        ] {
            let masked = redactor.redact_name(&name);
            assert!(!masked.contains(secret) && masked.contains('«'), "{name}: {masked}");
            assert_eq!(redactor.redact_name(&masked), masked, "{name}");
        }
        for name in [
            "",
            "h1",
            "nightly",
            "0198f3a2-77d6-7b21-9c4e-5f2b44380a16",
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "20261119_233018_77d6f6",
            "call_44380a160a96413094c2",
            "toolu_01A09q90qw90lq917835lq9",
            "call_xY7Qm2VbT9sLk4RfW8zNc1Yp",
            "cron_7f3_20261119",
            "sa-0-1a2b3c4d",
            "agent:main:explicit:s1",
            "agent:main:whatsapp:dm:15550100@s.whatsapp.net",
            "whatsapp:15550100@s.whatsapp.net",
            "ann@example.org",
            "telegram:-1001234567890:17585",
            "slack:C024BE91L:1732058400.123456",
            "01JD8Q5Z3W4X6Y7ZABCDEFGHJK",
            "V1StGXR8_Z5jdHi6B-myT",
            "resp_0a1b2c3d4e5f60718293a4b5c6d7e8f9",
            "sk-learn-agent",
        ] {
            assert_eq!(redactor.redact_name(name), name);
        }
    }
}
