//! Where a command does its work: at the service that runs with the data, or on the data itself. Both are asked in the same
//! words and answer in the same, so no command knows which it is.

use std::{fmt, path::Path, time::Duration};

use anyhow::{Context as _, bail};
use placet_server::Inside;
use serde_json::Value;
use zeroize::Zeroizing;

use crate::{
    home::{self, Data, Home},
    keyring,
    socket::Socket,
};

/// The running service, or the data.
pub struct Ground {
    data: Data,
    place: Place,
}

enum Place {
    Service(Socket, Zeroizing<String>),
    Data(Inside),
}

/// What was asked for and is not done, in the words of whoever was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// A word for programs.
    pub code: String,
    /// What is wrong.
    pub message: String,
    remedy: String,
}

impl Refusal {
    /// Whether there is no such thing.
    pub fn is_of_nothing(&self) -> bool {
        self.code == "not_found"
    }

    /// As an error, in the command's own words where there is no such thing.
    pub fn or_nothing(self, words: impl FnOnce() -> String) -> anyhow::Error {
        if self.is_of_nothing() { anyhow::anyhow!(words()) } else { self.into() }
    }
}

impl Data {
    /// The service that runs with this data and knows whoever runs this command; else the data.
    pub fn ground(&self) -> anyhow::Result<Ground> {
        match self.service()? {
            Some(ground) => Ok(ground),
            None => self.ground_on(self.open()?),
        }
    }

    /// The same where the trusted keys matter: those of the service, or those in `file`.
    pub fn ground_configured(&self, file: Option<&Path>) -> anyhow::Result<Ground> {
        match self.service()? {
            Some(ground) => Ok(ground),
            None => self.ground_on(self.open_configured(file)?),
        }
    }

    fn service(&self) -> anyhow::Result<Option<Ground>> {
        let (Ok(secret), Some(service)) = (secret(), Socket::find(&self.directory()?)) else {
            return Ok(None);
        };
        let known = service.knows(&secret);
        Ok(known.then(|| Ground { data: self.clone(), place: Place::Service(service, secret) }))
    }

    fn ground_on(&self, home: Home) -> anyhow::Result<Ground> {
        let inside = Inside::over(home.engine).context("cannot work on the data")?;
        Ok(Ground { data: self.clone(), place: Place::Data(inside) })
    }
}

impl Ground {
    /// What is at `path`.
    pub fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.look(path)?.map_err(|refusal| self.failed(refusal))
    }

    /// The same where a no is an answer too.
    pub fn look(&self, path: &str) -> anyhow::Result<Result<Value, Refusal>> {
        self.ask("GET", path, None, None)
    }

    /// Asks for something that changes nothing, though it says what it is about.
    pub fn consult(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.ask("POST", path, None, Some(body))?.map_err(|refusal| self.failed(refusal))
    }

    /// Does something, in the name of whoever runs this command.
    pub fn act(&self, method: &str, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.try_to(method, path, body)?.map_err(|refusal| self.failed(refusal))
    }

    /// The same where a no is an answer too.
    pub fn try_to(&self, method: &str, path: &str, body: &Value) -> anyhow::Result<Result<Value, Refusal>> {
        let secret = self.credential()?;
        let refusal = match self.ask(method, path, Some(&secret), Some(body))? {
            Err(refusal) if matches!(refusal.code.as_str(), "forbidden" | "bad_token" | "store") => refusal,
            done => return Ok(done),
        };
        Err(self.failed(refusal))
    }

    /// The secret of whoever runs this command.
    pub fn credential(&self) -> anyhow::Result<Zeroizing<String>> {
        secret().context(
            "answering needs the credential of an approver; it is made on the first run, for whoever ran it",
        )
    }

    fn ask(
        &self,
        method: &str,
        path: &str,
        secret: Option<&str>,
        body: Option<&Value>,
    ) -> anyhow::Result<Result<Value, Refusal>> {
        let body = body.map(Value::to_string).unwrap_or_default();
        let (status, answer) = match &self.place {
            Place::Service(service, own) => {
                service.ask(method, path, Some(secret.unwrap_or(own)), &body, Duration::ZERO)?
            }
            Place::Data(inside) => {
                let (status, bytes) = inside.ask(method, path, secret, &body);
                (status, serde_json::from_slice(&bytes).context("the answer cannot be read")?)
            }
        };
        if status < 400 {
            return Ok(Ok(answer));
        }
        let text = |key: &str| answer["error"][key].as_str().unwrap_or("").to_owned();
        Ok(Err(Refusal { code: text("code"), message: text("message"), remedy: text("remedy") }))
    }

    /// What a no means to whoever runs this command.
    fn failed(&self, refusal: Refusal) -> anyhow::Error {
        let file = home::credential_file().map(|file| file.display().to_string()).unwrap_or_default();
        match refusal.code.as_str() {
            "forbidden" => {
                let me = self
                    .credential()
                    .ok()
                    .and_then(|secret| self.ask("GET", "/v1/me", Some(&secret), None).ok()?.ok());
                let role = me.as_ref().and_then(|me| me["role"].as_str()).unwrap_or("agent");
                anyhow::anyhow!("`{file}` is the token of an {role}, who may not do this")
            }
            "bad_token" => {
                let directory = self.data.directory().unwrap_or_default();
                anyhow::anyhow!("this credential is not known here, or was taken back")
                    .context(format!("`{file}` cannot be used with `{}`", directory.display()))
            }
            "store" => anyhow::anyhow!(
                "{refusal}\n  every call is blocked until this is mended\n  {}",
                refusal.remedy
            ),
            _ => refusal.into(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

fn secret() -> anyhow::Result<Zeroizing<String>> {
    let path = home::credential_file()?;
    let text = keyring::read_private(&path)?;
    let secret = text.trim();
    if secret.is_empty() || secret.contains(|letter: char| letter.is_control() || letter.is_whitespace()) {
        bail!("`{}` holds no credential", path.display());
    }
    Ok(Zeroizing::new(secret.to_owned()))
}

/// The elements of a list that was answered.
pub fn list<'v>(answer: &'v Value, key: &str) -> &'v [Value] {
    answer[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A text that was answered; empty if it is none.
pub fn text<'v>(answer: &'v Value, key: &str) -> &'v str {
    answer[key].as_str().unwrap_or("")
}

/// `text` as a part of a path, or a value of a query.
pub fn part(text: &str) -> String {
    let mut part = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => part.push(byte.into()),
            _ => part.push_str(&format!("%{byte:02X}")),
        }
    }
    part
}
