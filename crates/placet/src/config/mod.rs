//! The configuration: one TOML file, what the environment says over it, secrets apart. Every key is known, every error has
//! its place.

mod chat;

mod command;

mod credentials;

mod environment;

pub mod notifications;

pub mod schema;

pub mod server;

mod telemetry;

use std::{
    collections::BTreeMap,
    fmt,
    ops::Range,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use placet_core::{Policy, Redactor, nearest::nearest, printable};
use serde::{Deserialize, de::DeserializeOwned};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use chat::ChatSettings;
pub use command::{ConfigOf, run};
pub use credentials::Credentials;
use environment::Override;
use notifications::ChannelSettings;
use schema::Shape;
use server::ServerSettings;
use telemetry::TelemetrySettings;

use crate::{keyring, style};

/// The file's name where the user's configuration is.
const FILE: &str = "placet/placet.toml";

/// All that the operator has written down, but for rules.
#[derive(Debug)]
pub struct Config {
    /// What decisions are made by.
    pub policy: Policy,
    /// How `placet serve` behaves.
    pub server: ServerSettings,
    /// Who is told that a person is needed, by name.
    pub notifications: BTreeMap<String, ChannelSettings>,
    /// Who may answer from a chat.
    pub chat: ChatSettings,
    /// Where spans and metrics go.
    pub telemetry: TelemetrySettings,
    /// The secrets that go with them.
    pub credentials: Credentials,
    /// Which file it was read from.
    pub file: Option<PathBuf>,
    /// What stood in it.
    pub text: String,
    /// Every key that is set, with what it is set to and where.
    pub set: Vec<Set>,
}

/// A key that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// Its path.
    pub path: Vec<String>,
    /// What it is set to, as it is written; nothing for a secret.
    pub value: Option<String>,
    /// Where.
    pub from: From,
}

impl Set {
    /// The key as it is written, such as `thresholds.ask_above`.
    pub fn key(&self) -> String {
        let plain =
            |part: &str| part.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'));
        let part = |part: &String| if plain(part) { part.clone() } else { format!("{part:?}") };
        self.path.iter().map(part).collect::<Vec<_>>().join(".")
    }
}

/// Where a key is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum From {
    /// In the file, in this line.
    File(usize),
    /// In this variable of the environment.
    Environment(String),
    /// In the file of secrets.
    Credentials,
}

/// What stands beside the policy in the same file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Beside {
    server: ServerSettings,
    notifications: BTreeMap<String, ChannelSettings>,
    chat: ChatSettings,
    telemetry: TelemetrySettings,
}

/// Reads the policy from `file`, from where it is by default, or gives the defaults.
pub fn load(file: Option<&Path>) -> anyhow::Result<Policy> {
    Ok(read(file)?.policy)
}

/// Reads everything.
pub fn read(given: Option<&Path>) -> anyhow::Result<Config> {
    let file = find(given);
    let text = match &file {
        None => String::new(),
        Some(file) => std::fs::read_to_string(file)
            .with_context(|| format!("cannot read the configuration `{}`", file.display()))?,
    };
    compose(file, &text, &environment::ours())
}

/// Which file is meant: the one that is given, that of `PLACET_CONFIG`, or the one where it is by default, if it is there.
pub fn find(given: Option<&Path>) -> Option<PathBuf> {
    let named = || std::env::var_os("PLACET_CONFIG").filter(|value| !value.is_empty()).map(PathBuf::from);
    let usual = || usual_file().ok().filter(|file| file.exists());
    given.map(Path::to_owned).or_else(named).or_else(usual)
}

/// Where it is by default.
pub fn usual_file() -> anyhow::Result<PathBuf> {
    Ok(keyring::configuration()?.join(FILE))
}

/// Where the secrets are that go with it.
pub fn credentials_of(config: Option<&Config>) -> Option<PathBuf> {
    credentials::file(config.and_then(|config| config.file.as_deref()))
}

/// What can be written in the file.
pub fn shape() -> Shape {
    Shape::of::<Policy>().and(Shape::of::<Beside>())
}

/// What `text` and `variables` say together.
fn compose(
    file: Option<PathBuf>,
    text: &str,
    variables: &BTreeMap<String, String>,
) -> anyhow::Result<Config> {
    let place = Place { file: file.as_deref(), text, overrides: Vec::new() };
    let table = DeTable::parse(text).map_err(|error| place.refuse(error.span(), error.message()))?;
    let (span, mut table) = (table.span(), table.into_inner());
    let (shape, secret) = (shape(), credentials::shape());
    refuse_unknown(&table, &shape, &secret, &mut Vec::new())
        .and_then(|()| refuse_secrets(&table, &mut Vec::new()))
        .map_err(|Refused(span, message)| place.refuse(Some(span), &message))?;
    let names: Vec<String> = match table.get("notifications").map(Spanned::get_ref) {
        Some(DeValue::Table(named)) => named.keys().map(|name| name.get_ref().to_string()).collect(),
        Some(_) | None => Vec::new(),
    };
    let found = environment::overrides(variables, &table, &shape, &credentials::names_in(&names))?;
    let place = Place { overrides: found, ..place };
    for (number, found) in place.overrides.iter().enumerate() {
        let start = text.len() + 1 + number;
        found.put(&mut table, start..start + 1).map_err(|why| anyhow::anyhow!("{}: {why}", found.name))?;
    }
    let mut set = Vec::new();
    list(&table, &place, &mut Vec::new(), &mut set);

    let refuse = |error: toml::de::Error| place.refuse(error.span(), error.message());
    // A table may hold keys of both; each reads its own, and what neither knows was refused above.
    let own = |shape: &Shape| toml::Deserializer::from(Spanned::new(span.clone(), part(&table, shape)));
    let policy = Policy::deserialize(own(&Shape::of::<Policy>())).map_err(refuse)?;
    let beside = Beside::deserialize(own(&Shape::of::<Beside>()));
    let Beside { server, notifications, chat, telemetry } = beside.map_err(refuse)?;
    let credentials = Credentials::read(file.as_deref(), &names, variables)?;
    set.extend(credentials.list());
    let problem = policy.problem().or_else(|| server.problem()).or_else(|| {
        notifications.iter().find_map(|(name, channel)| channel.problem(name, credentials.of(name)))
    });
    let problem = problem.or_else(|| chat.problem(credentials.chat())).or_else(|| telemetry.problem());
    if let Some(problem) = problem {
        match &file {
            Some(file) => bail!("{}: {problem}", file.display()),
            None => bail!("{problem}"),
        }
    }
    Ok(Config {
        policy,
        server,
        notifications,
        chat,
        telemetry,
        credentials,
        file,
        text: text.to_owned(),
        set,
    })
}

/// What of `table` has a place in `shape`.
fn part<'i>(table: &DeTable<'i>, shape: &Shape) -> DeTable<'i> {
    let mut own = DeTable::new();
    for (key, value) in table {
        let kept = match (shape.below(key.get_ref()), value.get_ref()) {
            (None, _) => continue,
            (Some(inner @ Shape::Table(_)), DeValue::Table(below)) => {
                Spanned::new(value.span(), DeValue::Table(part(below, inner)))
            }
            (Some(_), _) => value.clone(),
        };
        own.insert(key.clone(), kept);
    }
    own
}

/// Where things stand, to say so when they are wrong.
struct Place<'a> {
    file: Option<&'a Path>,
    text: &'a str,
    overrides: Vec<Override>,
}

impl Place<'_> {
    fn line(&self, at: usize) -> usize {
        self.text.get(..at.min(self.text.len())).unwrap_or("").matches('\n').count() + 1
    }

    /// The variable that a place belongs to: those come after the text.
    fn variable(&self, at: usize) -> Option<&Override> {
        self.overrides.get(at.checked_sub(self.text.len() + 1)?)
    }

    fn refuse(&self, span: Option<Range<usize>>, message: &str) -> anyhow::Error {
        let (start, what) = (span.map_or(0, |span| span.start), plain_words(message));
        match (self.variable(start), self.file) {
            (Some(variable), _) => anyhow::anyhow!("`{}` in the environment: {what}", variable.name),
            (None, Some(file)) => {
                let file = file.display().to_string();
                anyhow::anyhow!("{}", style::at_place(&file, self.text, self.line(start), None, &what))
            }
            (None, None) => anyhow::anyhow!("{what}"),
        }
    }
}

/// Why something in the file is refused, and where it stands.
struct Refused(Range<usize>, String);

fn refuse_unknown(
    table: &DeTable<'_>,
    shape: &Shape,
    secret: &Shape,
    path: &mut Vec<String>,
) -> Result<(), Refused> {
    for (key, value) in table {
        path.push(key.get_ref().to_string());
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        match (shape.at(&names), value.get_ref()) {
            (None, _) => return Err(Refused(key.span(), unknown(&names, shape, secret))),
            (Some(Shape::Table(_) | Shape::Named(_)), DeValue::Table(inner)) => {
                refuse_unknown(inner, shape, secret, path)?;
            }
            (Some(_), _) => {}
        }
        path.pop();
    }
    Ok(())
}

/// What is said of a key that nobody knows.
fn unknown(path: &[&str], shape: &Shape, secret: &Shape) -> String {
    let (key, above) = path.split_last().map_or(("", path), |(key, above)| (*key, above));
    let shown = printable::shown(key, 64);
    if matches!(secret.at(path), Some(Shape::Text)) {
        return credentials::remedy(path);
    }
    let known = shape.at(above).map(Shape::keys).unwrap_or_default();
    if let Some(near) = nearest(key, &known) {
        return format!("unknown key `{shown}`, did you mean `{near}`?");
    }
    let elsewhere = shape.leaves().into_iter().find(|leaf| leaf.last() == Some(&key));
    match elsewhere {
        Some(leaf) => format!("unknown key `{shown}`, did you mean `{}`?", leaf.join(".")),
        None => format!("unknown key `{shown}`; the keys here are `{}`", known.join("`, `")),
    }
}

/// Refuses text that is a secret by the look of it: this file is shown, copied and committed.
fn refuse_secrets(table: &DeTable<'_>, path: &mut Vec<String>) -> Result<(), Refused> {
    for (key, value) in table {
        path.push(key.get_ref().to_string());
        let texts: Vec<&Spanned<DeValue<'_>>> = match value.get_ref() {
            DeValue::Table(inner) => {
                refuse_secrets(inner, path)?;
                Vec::new()
            }
            DeValue::Array(values) => values.iter().collect(),
            _ => vec![value],
        };
        for text in texts {
            let Some(found) = text.get_ref().as_str().and_then(|text| {
                Redactor::builtin().find(text).into_iter().find(|found| !found.range.is_empty())
            }) else {
                continue;
            };
            let names: Vec<&str> = path.iter().map(String::as_str).collect();
            let what = format!(
                "`{}` holds a secret ({}). {}",
                path.join("."),
                found.kind,
                credentials::remedy(&names)
            );
            return Err(Refused(text.span(), what));
        }
        path.pop();
    }
    Ok(())
}

/// Lists every key that holds a value.
fn list(table: &DeTable<'_>, place: &Place<'_>, path: &mut Vec<String>, set: &mut Vec<Set>) {
    for (key, value) in table {
        path.push(key.get_ref().to_string());
        if let DeValue::Table(inner) = value.get_ref() {
            list(inner, place, path, set);
        } else {
            let span = value.span();
            let (value, from) = match place.variable(span.start) {
                Some(found) => (found.value.as_str(), From::Environment(found.name.clone())),
                None => (place.text.get(span.clone()).unwrap_or(""), From::File(place.line(span.start))),
            };
            set.push(Set { path: path.clone(), value: Some(value.to_owned()), from });
        }
        path.pop();
    }
}

/// Reads the text of `file` as TOML. An error shows the line it is in.
pub fn read_toml<T: DeserializeOwned>(file: &Path, text: &str) -> anyhow::Result<T> {
    let place = Place { file: Some(file), text, overrides: Vec::new() };
    toml::from_str(text).map_err(|error: toml::de::Error| place.refuse(error.span(), error.message()))
}

/// The parser's message in the words of somebody who writes configuration.
fn plain_words(message: &str) -> String {
    message
        .replace("unknown field", "unknown key")
        .replace("missing field", "missing key")
        .replace("unknown variant", "unknown value")
        .replace("expected f64", "expected a number")
        .replace("floating point", "number")
}

impl fmt::Display for From {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            From::File(line) => write!(f, "line {line}"),
            From::Environment(name) => write!(f, "environment, {name}"),
            From::Credentials => write!(f, "credentials"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commented default with its settings in force: what begins with `#` and no space is one.
    fn uncommented() -> String {
        let line = |line: &'static str| match line.strip_prefix('#') {
            Some(setting) if !setting.is_empty() && !setting.starts_with(' ') => setting,
            Some(_) | None => line,
        };
        command::DEFAULT.lines().map(line).collect::<Vec<_>>().join("\n")
    }

    fn composed(text: &str) -> anyhow::Result<Config> {
        // What the examples need, and nobody may write down there.
        let secrets =
            ["PLACET_NOTIFICATIONS_OPS_SECRET", "PLACET_NOTIFICATIONS_MAIL_PASSWORD", "PLACET_CHAT_SECRET"];
        let secrets = secrets.map(|name| (name.to_owned(), "sesame".to_owned()));
        let named = text.lines().any(|line| line == "[notifications.ops]");
        let mut config =
            compose(Some("placet.toml".into()), text, &secrets.into_iter().filter(|_| named).collect())?;
        config.set.retain(|set| set.value.is_some());
        Ok(config)
    }

    #[test]
    fn the_default_file_sets_nothing() {
        assert_eq!(composed(command::DEFAULT).unwrap().set, []);
    }

    #[test]
    fn the_default_file_shows_every_key_there_is_and_no_other() {
        let config = composed(&uncommented()).unwrap();
        // The names of tools, rules, servers and channels are the operator's.
        let shape = shape();
        let named = |set: &Set| {
            let (mut names, mut at) = (Vec::new(), &shape);
            for key in &set.path {
                names.push(if matches!(at, Shape::Named(_)) { schema::NAME } else { key.as_str() });
                at = at.below(key).unwrap();
            }
            names.join(".")
        };
        let mut shown: Vec<String> = config.set.iter().map(named).collect();
        shown.sort();
        shown.dedup();
        let mut known: Vec<String> = shape.leaves().iter().map(|leaf| leaf.join(".")).collect();
        known.sort();
        assert_eq!(shown, known);
    }

    #[test]
    fn the_defaults_that_are_shown_are_those_that_hold() {
        let (shown, held) = (composed(&uncommented()).unwrap(), composed("").unwrap());
        crate::rulebook::load(&[], Vec::new(), true, &shown.policy).unwrap();
        assert_eq!(shown.policy.thresholds, held.policy.thresholds);
        assert_eq!(shown.policy.holds, held.policy.holds);
        assert_eq!(shown.policy.threats, held.policy.threats);
        assert_eq!(shown.policy.retention, held.policy.retention);
        assert_eq!(shown.server.log, held.server.log);
        assert_eq!(shown.server.listen.or(Some(server::LISTEN)), Some(server::LISTEN));
        assert_eq!(held.server.listen, None);
    }

    #[test]
    fn no_two_keys_have_the_same_variable() {
        let mut names: Vec<String> =
            shape().leaves().iter().map(|leaf| environment::variable(leaf)).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
        assert!(names.contains(&"PLACET_SERVER_LISTEN".to_owned()), "{names:?}");
    }
}
