//! Masks in JSON, in calls and in decisions. The name of a member says what its value is.

use std::{borrow::Cow, collections::HashSet};

use super::{Found, Record, Remap, header, scan};
use crate::{
    Assessment, Decision, Effect, Json, ToolCall,
    effect::{Pointer, Span},
    json::Object,
};

/// What has moved in the strings of a value, by their pointers, and what was found there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves(Vec<Moved>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Moved {
    pointer: Pointer,
    remap: Remap,
    found: Vec<Found>,
}

impl Moves {
    /// `span` in the masked value.
    pub fn span(&self, span: &Span) -> Span {
        match self.0.iter().find(|moved| moved.pointer == span.pointer) {
            Some(Moved { pointer, remap, .. }) => {
                Span::new(pointer.clone(), remap.range(span.start as usize..span.end as usize))
            }
            None => span.clone(),
        }
    }

    /// Everything that was found, by the bytes of the string before it was masked.
    pub fn found(&self) -> impl Iterator<Item = (&Pointer, &Found)> {
        self.0.iter().flat_map(|moved| moved.found.iter().map(|found| (&moved.pointer, found)))
    }

    /// Whether nothing has moved.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Where in a value we are. The pointer is only made where something is masked.
#[derive(Clone, Copy)]
struct At<'a> {
    parent: Option<&'a At<'a>>,
    step: Step<'a>,
    /// The name that the value goes by.
    name: Option<&'a str>,
    /// All strings below are secret: the data of a Secret of Kubernetes.
    secret: bool,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

impl At<'_> {
    fn pointer(&self) -> Pointer {
        let parent = || self.parent.map_or_else(Pointer::root, At::pointer);
        match self.step {
            Step::Root => Pointer::root(),
            Step::Key(key) => parent().key(key),
            Step::Index(index) => parent().index(index),
        }
    }
}

impl Record<'_> {
    /// `json` with the secrets in all of its strings masked; `json` itself if there are none.
    pub fn json<'j>(&mut self, json: &'j Json) -> Cow<'j, Json> {
        self.json_moved(json).0
    }

    /// The same, with where things have moved to.
    pub fn json_moved<'j>(&mut self, json: &'j Json) -> (Cow<'j, Json>, Moves) {
        let root = At { parent: None, step: Step::Root, name: None, secret: false };
        let mut moves = Moves::default();
        if self.walk(json, &root, &mut moves).is_none() {
            return (Cow::Borrowed(json), moves);
        }
        // Once more: now a secret is also known where it stood bare before it stood beside its name.
        let mut moves = Moves::default();
        let masked = self.walk(json, &root, &mut moves);
        (masked.map_or(Cow::Borrowed(json), Cow::Owned), moves)
    }

    /// `call` with the secrets in its arguments, its reason, its description and its directory masked.
    pub fn call<'c>(&mut self, call: &'c ToolCall) -> (Cow<'c, ToolCall>, Moves) {
        let (args, moves) = self.json_moved(call.args());
        let mut masked: Option<ToolCall> = match args {
            Cow::Owned(Json::Object(args)) => Some(call.clone().with_args(args)),
            Cow::Owned(_) | Cow::Borrowed(_) => None,
        };
        let shown = |masked: Option<ToolCall>| masked.unwrap_or_else(|| call.clone());
        if let Some(Cow::Owned(text)) = call.reason().map(|text| self.text(text)) {
            masked = Some(shown(masked).with_reason(text));
        }
        if let Some(Cow::Owned(text)) = call.description().map(|text| self.text(text)) {
            masked = Some(shown(masked).with_description(text));
        }
        if let Some(Cow::Owned(text)) = call.cwd().map(|text| self.text(text)) {
            masked = Some(shown(masked).with_cwd(text));
        }
        (masked.map_or(Cow::Borrowed(call), Cow::Owned), moves)
    }

    /// `decision` on `call` with secrets masked, its spans where the words are in the masked call.
    pub fn decision(&mut self, call: &ToolCall, decision: Decision) -> Decision {
        let (_, moves) = self.json_moved(call.args());
        self.decision_moved(&moves, decision)
    }

    /// The same for somebody who has masked the call already.
    pub fn decision_moved(&mut self, moves: &Moves, mut decision: Decision) -> Decision {
        for reason in &mut decision.reasons {
            self.own(reason);
        }
        for finding in &mut decision.findings {
            self.own(&mut finding.reason);
        }
        if let Some(assessment) = &mut decision.assessment {
            self.assessment(moves, assessment);
        }
        decision
    }

    /// The same, for somebody who still needs the original: nothing if it is the same already.
    pub fn decision_masked(&mut self, moves: &Moves, decision: &Decision) -> Option<Decision> {
        let same = moves.is_empty() && self.is_clean(decision);
        (!same).then(|| self.decision_moved(moves, decision.clone()))
    }

    /// Whether nothing that was made for this call holds a secret.
    fn is_clean(&mut self, decision: &Decision) -> bool {
        let mut clean = |text: &str| matches!(self.text(text), Cow::Borrowed(_));
        let said = decision.reasons.iter().chain(decision.findings.iter().map(|finding| &finding.reason));
        if !said.into_iter().all(|text| clean(text)) {
            return false;
        }
        let Some(assessment) = &decision.assessment else { return true };
        // What is in the program itself holds no secret.
        let mut own = |words: Option<&Cow<'static, str>>| match words {
            Some(Cow::Owned(words)) => clean(words),
            Some(Cow::Borrowed(_)) | None => true,
        };
        assessment.factors.iter().all(|factor| own(Some(&factor.words)))
            && assessment.effects.iter().all(|effect| own(effect.words.as_ref()))
            && assessment.effects.iter().all(|effect| clean(&effect.target.name))
            && assessment.reasons.iter().all(|text| clean(text))
    }

    fn assessment(&mut self, moves: &Moves, assessment: &mut Assessment) {
        for reason in &mut assessment.reasons {
            self.own(reason);
        }
        for factor in &mut assessment.factors {
            self.words(&mut factor.words);
        }
        for effect in &mut assessment.effects {
            self.effect(moves, effect);
        }
    }

    /// `effect` with the secrets in its words and its target masked.
    pub fn effect(&mut self, moves: &Moves, effect: &mut Effect) {
        self.own(&mut effect.target.name);
        if let Some(words) = &mut effect.words {
            self.words(words);
        }
        if !moves.is_empty() {
            effect.because = moves.span(&effect.because);
        }
    }

    fn own(&mut self, text: &mut String) {
        if let Cow::Owned(masked) = self.text(text) {
            *text = masked;
        }
    }

    fn words(&mut self, text: &mut Cow<'static, str>) {
        if let Cow::Owned(words) = text {
            self.own(words);
        }
    }

    /// The masked value, or nothing if there is nothing to mask.
    fn walk(&mut self, json: &Json, at: &At<'_>, moves: &mut Moves) -> Option<Json> {
        match json {
            Json::Null | Json::Bool(_) => None,
            Json::Number(_) => self.number(json, at, moves),
            Json::String(text) => {
                let mut found = named(at.name, text);
                if at.secret && text.len() >= 4 {
                    found.push(Found { kind: Cow::Borrowed("secret"), range: 0..text.len() });
                }
                self.string(text, found, at, moves)
            }
            Json::Array(elements) => self.array(elements, at, moves),
            Json::Object(object) => self.object(object, at, moves),
        }
    }

    fn string(&mut self, text: &str, found: Vec<Found>, at: &At<'_>, moves: &mut Moves) -> Option<Json> {
        let masked = self.masked_with(text, found);
        let Cow::Owned(text) = masked.text else { return None };
        moves.0.push(Moved { pointer: at.pointer(), remap: masked.remap, found: masked.found });
        Some(Json::String(text))
    }

    /// `{"password": 12345678}`: a number there is a password too.
    fn number(&mut self, json: &Json, at: &At<'_>, moves: &mut Moves) -> Option<Json> {
        let name = at.name?;
        super::name::noun(name).filter(|noun| *noun == super::name::Noun::Password)?;
        let digits = crate::canonical::to_string(json);
        let kind = Cow::Borrowed(scan::named(name, &digits)?);
        let mask = self.mask(&kind, &digits).to_owned();
        let found = vec![Found { kind, range: 0..digits.len() }];
        moves.0.push(Moved { pointer: at.pointer(), remap: Remap::identity(), found });
        Some(Json::String(mask))
    }

    fn array(&mut self, elements: &[Json], at: &At<'_>, moves: &mut Moves) -> Option<Json> {
        let words = argument_secrets(elements);
        let mut masked: Option<Vec<Json>> = None;
        for (index, element) in elements.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|index| elements[index].as_str());
            // `["--password", "…"]`, and a header as a pair.
            let option = before
                .filter(|name| name.starts_with('-') || elements.len() == 2 && is_header(name))
                .map(|name| name.trim_start_matches('-'));
            let below = At {
                parent: Some(at),
                step: Step::Index(index),
                name: option.or(at.name),
                secret: at.secret,
            };
            let found: Vec<Found> =
                words.iter().filter(|(word, _)| *word == index).map(|(_, found)| found.clone()).collect();
            let new = match element {
                Json::String(text) if !found.is_empty() => self.string(text, found, &below, moves),
                _ => self.walk(element, &below, moves),
            };
            if let Some(new) = new {
                masked.get_or_insert_with(|| elements.to_vec())[index] = new;
            }
        }
        masked.map(Json::Array)
    }

    fn object(&mut self, object: &Object, at: &At<'_>, moves: &mut Moves) -> Option<Json> {
        let manifest = object.get("kind").and_then(Json::as_str) == Some("Secret");
        let mut changed: Vec<(usize, Option<String>, Option<Json>)> = Vec::new();
        for (index, (key, value)) in object.iter().enumerate() {
            let secret = at.secret || manifest && matches!(key, "data" | "stringData");
            let name = Some(name_of(object, key));
            let below = At { parent: Some(at), step: Step::Key(key), name, secret };
            let new_value = self.walk(value, &below, moves);
            // A short key holds no token.
            let new_key = if key.len() < KEY_FROM { Cow::Borrowed(key) } else { self.text(key) };
            let new_key = if let Cow::Owned(key) = new_key { Some(key) } else { None };
            if new_key.is_some() || new_value.is_some() {
                changed.push((index, new_key, new_value));
            }
        }
        if changed.is_empty() {
            return None;
        }
        let mut pairs: Vec<(String, Json)> =
            object.iter().map(|(key, value)| (key.to_owned(), value.clone())).collect();
        let mut taken: HashSet<String> = pairs.iter().map(|(key, _)| key.clone()).collect();
        for (index, key, value) in changed {
            if let Some(value) = value {
                pairs[index].1 = value;
            }
            if let Some(mut key) = key {
                // Somebody may have called a member what the mask of another one is.
                while !taken.insert(key.clone()) {
                    key.push('\'');
                }
                pairs[index].0 = key;
            }
        }
        Some(Object::from_pairs(pairs).map_or(Json::Null, Json::Object))
    }
}

/// Keys from this length on are looked at: no format is shorter.
const KEY_FROM: usize = 12;

/// Whether `name` can only be that of a header; `["password", "email"]` are two words.
fn is_header(name: &str) -> bool {
    name.contains('-') || name.eq_ignore_ascii_case("authorization") || name.eq_ignore_ascii_case("cookie")
}

/// The name that says what the member `key` of `object` is: its own, or for a `value` the one beside it, as in
/// `{"name": "API_KEY", "value": "…"}`.
fn name_of<'o>(object: &'o Object, key: &'o str) -> &'o str {
    if !key.eq_ignore_ascii_case("value") {
        return key;
    }
    ["name", "key", "Name", "Key", "variable", "header"]
        .iter()
        .find_map(|name| object.get(name).and_then(Json::as_str))
        .unwrap_or(key)
}

/// The part of `text` that is secret because of its name.
fn named(name: Option<&str>, text: &str) -> Vec<Found> {
    let Some(name) = name.filter(|name| name.len() <= 256) else { return Vec::new() };
    if name.eq_ignore_ascii_case("cookie") || name.eq_ignore_ascii_case("set-cookie") {
        let most = if name.len() > 6 { 1 } else { 64 };
        return header::pairs(text.as_bytes(), 0, most)
            .0
            .into_iter()
            .map(|range| Found { kind: Cow::Borrowed("cookie"), range })
            .collect();
    }
    let Some(kind) = scan::named(name, text) else { return Vec::new() };
    // The name of the scheme stays: `Bearer «bearer-token»`.
    let start = match text.split_once(' ') {
        Some((scheme, _)) if kind == "authorization" => scheme.len() + 1,
        _ => 0,
    };
    vec![Found { kind: Cow::Borrowed(kind), range: start..text.len() }]
}

/// The secrets of a command that is given as its words, by the index of the word.
fn argument_secrets(elements: &[Json]) -> Vec<(usize, Found)> {
    const WORDS_MAX: usize = 256;
    if !elements.iter().any(|element| element.as_str().is_some_and(|word| word.starts_with(['-', '/']))) {
        return Vec::new();
    }
    let words: Option<Vec<&str>> = elements.iter().map(Json::as_str).collect();
    let Some(words) = words.filter(|words| (2..=WORDS_MAX).contains(&words.len())) else { return Vec::new() };
    let command = words.join(" ");
    let mut secrets = Vec::new();
    for found in scan::secrets(&command) {
        let mut start = 0;
        for (index, word) in words.iter().enumerate() {
            let end = start + word.len();
            if found.range.start >= start && found.range.end <= end {
                let range = found.range.start - start..found.range.end - start;
                secrets.push((index, Found { kind: found.kind.clone(), range }));
                break;
            }
            start = end + 1;
        }
    }
    secrets
}
