//! Rules from a file: everything that can be checked before a call comes is checked here, with its place.

use crate::{
    EventKind,
    json::excerpt,
    located::{Key, Located, LocatedError, Mark, Value, nearest},
    quorum::Threshold,
    rule::{
        Body, Condition, Example, Kinds, Rule, RulePolicy, Sequence, Severity, Window,
        effect_pattern::{Word, Words},
        sequence::usual_kinds,
    },
    yaml,
};

/// The rules of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Pack {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What it is for.
    pub about: Option<String>,
    /// Its rules.
    pub rules: Vec<Rule>,
}

const PACK_KEYS: &[&str] = &["pack", "about", "rules"];
/// The keys of a rule.
pub(super) const RULE_KEYS: &[&str] = &[
    "id",
    "title",
    "why",
    "severity",
    "policy",
    "on",
    "when",
    "window",
    "sequence",
    "approval",
    "references",
    "examples",
];

/// The most rules in a file.
const RULES_MAX: usize = 10_000;

/// Reads the rules in `text`: one rule, a list of rules, or a map with `pack`, `about` and `rules`.
pub fn read(text: &str) -> Result<Pack, LocatedError> {
    pack(&yaml::read(text)?, Examples::Needed)
}

/// Whether the examples of rules are read.
#[derive(Clone, Copy)]
pub(super) enum Examples {
    Needed,
    /// They have been run before, and are most of what stands in a file.
    LeftOut,
}

/// The pack that `data` says.
pub(super) fn pack(data: &Located, examples: Examples) -> Result<Pack, LocatedError> {
    let (name, about, rules) = match &data.value {
        Value::Map(members) if members.iter().any(|(key, _)| PACK_KEYS.contains(&key.name.as_str())) => {
            let (mut name, mut about, mut rules) = (None, None, None);
            for (key, value) in members {
                match key.name.as_str() {
                    "pack" => name = Some(value.text("pack")?.to_owned()),
                    "about" => about = Some(value.text("about")?.to_owned()),
                    "rules" => rules = Some(value.list("rules")?),
                    _ => return Err(unknown_key(key, PACK_KEYS, "a pack")),
                }
            }
            (name, about, rules.ok_or_else(|| data.mark.error("the pack has no `rules`"))?)
        }
        Value::Map(_) => (None, None, std::slice::from_ref(data)),
        Value::List(list) => (None, None, list.as_slice()),
        _ => return Err(data.mark.error(format!("a rule is a map with an `id`, not {}", data.kind()))),
    };
    if rules.len() > RULES_MAX {
        return Err(data.mark.error(format!("more than {RULES_MAX} rules in one file; split it")));
    }
    let rules = rules.iter().map(|data| rule(data, examples)).collect::<Result<Vec<_>, _>>()?;
    Ok(Pack { name, about, rules })
}

fn rule(data: &Located, examples: Examples) -> Result<Rule, LocatedError> {
    let members = data.map("a rule")?;
    if let Some((key, _)) = members.iter().find(|(key, _)| !RULE_KEYS.contains(&key.name.as_str())) {
        return Err(unknown_key(key, RULE_KEYS, "a rule"));
    }
    let member = |name: &str| members.iter().find(|(key, _)| key.name == name).map(|(_, value)| value);
    let needed = |name: &str, example: &str| {
        member(name).ok_or_else(|| data.mark.error(format!("the rule has no `{name}`; {example}")))
    };
    let id = identifier(needed("id", "give it a name such as `team.no-friday-deploys`")?)?;
    let title = line(needed("title", "say in one line what was seen")?, "title")?;
    let why = text(needed("why", "say in a sentence why it matters")?, "why")?;
    let on = member("on").map_or(Ok(usual_kinds()), kinds)?;
    let body = match (member("when"), member("window"), member("sequence")) {
        (Some(when), None, None) => Body::When(Condition::read(when, "when")?),
        (Some(when), Some(window), None) => {
            Body::Window(Condition::read(when, "when")?, Window::read(window)?)
        }
        (None, None, Some(sequence)) => Body::Sequence(Sequence::read(sequence, on)?),
        (_, Some(window), None) => {
            return Err(window.mark.error("a `window` needs a `when` that says what is counted"));
        }
        (_, _, Some(sequence)) => {
            return Err(sequence.mark.error("a `sequence` stands alone; its steps say what is looked for"));
        }
        (None, None, None) => {
            return Err(data.mark.error("the rule looks for nothing; write `when` or `sequence`"));
        }
    };
    let references = match member("references") {
        None => Vec::new(),
        Some(list) => {
            list.list("references")?.iter().map(|item| line(item, "references")).collect::<Result<_, _>>()?
        }
    };
    Ok(Rule {
        id,
        title,
        why,
        severity: severity(needed("severity", "write `low`, `medium`, `high` or `critical`")?)?,
        policy: policy(needed("policy", "write `log_only`, `hold` or `auto_block`")?)?,
        on,
        body,
        approval: member("approval").map(approval).transpose()?,
        references,
        examples: match examples {
            Examples::Needed => Example::read_all(needed("examples", EXAMPLES_MISSING)?)?,
            Examples::LeftOut => Vec::new(),
        },
        mark: data.mark,
    })
}

const EXAMPLES_MISSING: &str =
    "show what it must match and what it must not: `examples: {match: […], no_match: […]}`";

fn identifier(data: &Located) -> Result<String, LocatedError> {
    let id = data.text("id")?;
    let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let well_made = id.len() <= 100 && id.split('.').all(|part| !part.is_empty() && part.chars().all(plain));
    if well_made {
        return Ok(id.to_owned());
    }
    let message = format!(
        "`{}` is not an id; write small letters, digits and `-`, with `.` between parts, such as `team.no-friday-deploys`",
        excerpt(id)
    );
    Err(data.mark.error(message))
}

fn text(data: &Located, what: &str) -> Result<String, LocatedError> {
    let text = data.text(what)?.trim();
    if text.is_empty() {
        return Err(data.mark.error(format!("`{what}` is empty")));
    }
    Ok(text.to_owned())
}

fn line(data: &Located, what: &str) -> Result<String, LocatedError> {
    let text = text(data, what)?;
    match text.chars().find(|letter| letter.is_control()) {
        Some(_) => Err(data.mark.error(format!("`{what}` must be one line"))),
        None => Ok(text),
    }
}

fn severity(data: &Located) -> Result<Severity, LocatedError> {
    let word = data.text("severity")?;
    let names = Severity::ALL.map(Severity::as_str);
    Severity::ALL
        .into_iter()
        .find(|severity| severity.as_str() == word)
        .ok_or_else(|| unknown_word(data.mark, word, "severity", &names))
}

fn policy(data: &Located) -> Result<RulePolicy, LocatedError> {
    let word = data.text("policy")?;
    let names = RulePolicy::ALL.map(RulePolicy::as_str);
    RulePolicy::ALL
        .into_iter()
        .find(|policy| policy.as_str() == word)
        .ok_or_else(|| unknown_word(data.mark, word, "policy", &names))
}

/// How many people must agree.
fn approval(data: &Located) -> Result<Threshold, LocatedError> {
    const KEYS: &[&str] = &["approve", "deny", "who"];
    let mut threshold = Threshold { approve: 1, deny: 1, who: None };
    for (key, value) in data.map("approval")? {
        let count = |what| match value.count(what)? {
            count @ 1..=100 => Ok(count as u32),
            _ => Err(value.mark.error(format!("`{what}` must be from 1 to 100"))),
        };
        match key.name.as_str() {
            "approve" => threshold.approve = count("approve")?,
            "deny" => threshold.deny = count("deny")?,
            "who" => threshold.who = Some(line(value, "who")?),
            _ => return Err(unknown_key(key, KEYS, "`approval`")),
        }
    }
    Ok(threshold)
}

/// One kind of event, or a list of them.
pub(super) fn kinds(data: &Located) -> Result<Kinds, LocatedError> {
    let one = |data: &Located| -> Result<EventKind, LocatedError> {
        let word = data.text("on")?;
        EventKind::parse(word)
            .map_err(|_| unknown_word(data.mark, word, "event", &EventKind::ALL.map(EventKind::as_str)))
    };
    match &data.value {
        Value::List(list) if !list.is_empty() => {
            list.iter().try_fold(Kinds::default(), |kinds, word| Ok(kinds.with(one(word)?)))
        }
        Value::List(_) => Err(data.mark.error("`on` is empty; name at least one event")),
        _ => one(data).map(|kind| Kinds::default().with(kind)),
    }
}

/// One word of a kind.
pub(super) fn one_word<T: Word>(data: &Located, what: &str) -> Result<T, LocatedError> {
    let word = data.text(what)?;
    T::ALL
        .iter()
        .find(|(_, name)| *name == word)
        .map(|(known, _)| *known)
        .ok_or_else(|| unknown_word(data.mark, word, what, &names::<T>()))
}

/// One word of a kind, or a list of them.
pub(super) fn words<T: Word>(data: &Located, what: &str) -> Result<Words<T>, LocatedError> {
    match &data.value {
        Value::List(list) if !list.is_empty() => {
            list.iter().try_fold(Words::default(), |words, word| Ok(words.with(one_word(word, what)?)))
        }
        Value::List(_) => Err(data.mark.error(format!("`{what}` is an empty list; leave it out for any"))),
        _ => Ok(Words::default().with(one_word(data, what)?)),
    }
}

pub(super) fn names<T: Word>() -> Vec<&'static str> {
    T::ALL.iter().map(|(_, name)| *name).collect()
}

/// The longest time a rule looks back.
const DAYS_MAX: i64 = 30;

/// A time such as `90s`, `10m`, `24h` or `7d`, in milliseconds.
pub(super) fn duration(data: &Located, what: &str) -> Result<i64, LocatedError> {
    let message = || {
        data.mark
            .error(format!("`{what}` must be a time of 1s to {DAYS_MAX}d, such as `90s`, `10m` or `24h`"))
    };
    let text = match &data.value {
        Value::Text(text) => text.as_str(),
        _ => return Err(message()),
    };
    let unit_ms = match text.chars().last() {
        Some('s') => 1_000,
        Some('m') => 60_000,
        Some('h') => 3_600_000,
        Some('d') => 86_400_000,
        _ => return Err(message()),
    };
    let digits = &text[..text.len() - 1];
    if digits.is_empty() || digits.len() > 9 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(message());
    }
    let count: i64 = digits.parse().map_err(|_| message())?;
    let ms = count.saturating_mul(unit_ms);
    if (1_000..=DAYS_MAX * 86_400_000).contains(&ms) { Ok(ms) } else { Err(message()) }
}

pub(super) fn unknown_key(key: &Key, known: &[&str], what: &str) -> LocatedError {
    let shown = excerpt(&key.name);
    key.mark.error(match nearest(&key.name, known) {
        Some(near) => format!("unknown key `{shown}` in {what}, did you mean `{near}`?"),
        None => format!("unknown key `{shown}` in {what}; there are `{}`", known.join("`, `")),
    })
}

pub(super) fn unknown_word(mark: Mark, word: &str, what: &str, known: &[&str]) -> LocatedError {
    let shown = excerpt(word);
    mark.error(match nearest(word, known) {
        Some(near) => format!("unknown {what} `{shown}`, did you mean `{near}`?"),
        None => format!("unknown {what} `{shown}`; there are `{}`", known.join("`, `")),
    })
}
