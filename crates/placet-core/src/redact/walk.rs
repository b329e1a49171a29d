//! Masks in JSON, in calls and in decisions. The name of a member says what its value is.

use std::borrow::Cow;

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

/// Where in a value we are.
#[derive(Clone, Copy)]
struct At<'a> {
    pointer: &'a Pointer,
    /// The name that the value goes by.
    name: Option<&'a str>,
    /// All strings below are secret: the data of a Secret of Kubernetes.
    secret: bool,
}

impl Record<'_> {
    /// `json` with the secrets in all of its strings masked; `json` itself if there are none.
    pub fn json<'j>(&mut self, json: &'j Json) -> Cow<'j, Json> {
        self.json_moved(json).0
    }

    /// The same, with where things have moved to.
    pub fn json_moved<'j>(&mut self, json: &'j Json) -> (Cow<'j, Json>, Moves) {
        self.learn_json(json, None);
        let mut moves = Moves::default();
        let root = Pointer::root();
        let masked = self.walk(json, At { pointer: &root, name: None, secret: false }, &mut moves);
        (masked.map_or(Cow::Borrowed(json), Cow::Owned), moves)
    }

    /// `call` with the secrets in its arguments, its reason, its description and its directory masked.
    pub fn call<'c>(&mut self, call: &'c ToolCall) -> (Cow<'c, ToolCall>, Moves) {
        let (args, moves) = self.json_moved(call.args());
        let mut masked: Option<ToolCall> = match args {
            Cow::Owned(Json::Object(args)) => Some(call.clone().with_args(args)),
            Cow::Owned(_) | Cow::Borrowed(_) => None,
        };
        let texts: [(Option<&str>, fn(ToolCall, String) -> ToolCall); 3] = [
            (call.reason(), |call, text| call.with_reason(text)),
            (call.description(), |call, text| call.with_description(text)),
            (call.cwd(), |call, text| call.with_cwd(text)),
        ];
        for (text, with) in texts {
            if let Some(Cow::Owned(text)) = text.map(|text| self.text(text)) {
                masked = Some(with(masked.unwrap_or_else(|| call.clone()), text));
            }
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
        // What is in the program itself holds no secret.
        if let Cow::Owned(words) = text {
            self.own(words);
        }
    }

    /// Takes note of every secret first: the same one may stand bare before it stands beside its name.
    fn learn_json(&mut self, json: &Json, name: Option<&str>) {
        match json {
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
            Json::String(text) => {
                self.learn(text);
                for found in named(name, text) {
                    self.mask(&found.kind, text.get(found.range).unwrap_or(""));
                }
            }
            Json::Array(elements) => elements.iter().for_each(|element| self.learn_json(element, name)),
            Json::Object(object) => {
                for (key, value) in object.iter() {
                    self.learn_json(value, Some(name_of(object, key)));
                }
            }
        }
    }

    /// The masked value, or nothing if there is nothing to mask.
    fn walk(&mut self, json: &Json, at: At<'_>, moves: &mut Moves) -> Option<Json> {
        match json {
            Json::Null | Json::Bool(_) => None,
            Json::Number(_) => self.number(json, at, moves),
            Json::String(text) => {
                let mut found = named(at.name, text);
                if at.secret && text.len() >= 4 {
                    found.push(Found { kind: Cow::Borrowed("secret"), range: 0..text.len() });
                }
                self.string(text, found, at.pointer, moves)
            }
            Json::Array(elements) => self.array(elements, at, moves),
            Json::Object(object) => self.object(object, at, moves),
        }
    }

    fn string(
        &mut self,
        text: &str,
        found: Vec<Found>,
        pointer: &Pointer,
        moves: &mut Moves,
    ) -> Option<Json> {
        let masked = self.masked_with(text, found);
        let Cow::Owned(text) = masked.text else { return None };
        moves.0.push(Moved { pointer: pointer.clone(), remap: masked.remap, found: masked.found });
        Some(Json::String(text))
    }

    /// `{"password": 12345678}`: a number there is a password too.
    fn number(&mut self, json: &Json, at: At<'_>, moves: &mut Moves) -> Option<Json> {
        let digits = crate::canonical::to_string(json);
        let kind = Cow::Borrowed(scan::named(at.name?, &digits).filter(|kind| *kind == "password")?);
        let mask = self.mask(&kind, &digits);
        let found = vec![Found { kind, range: 0..digits.len() }];
        moves.0.push(Moved { pointer: at.pointer.clone(), remap: Remap::identity(), found });
        Some(Json::String(mask))
    }

    fn array(&mut self, elements: &[Json], at: At<'_>, moves: &mut Moves) -> Option<Json> {
        let words = argument_secrets(elements);
        let mut masked: Option<Vec<Json>> = None;
        for (index, element) in elements.iter().enumerate() {
            let pointer = at.pointer.index(index);
            let before = index.checked_sub(1).and_then(|index| elements[index].as_str());
            // `["--password", "…"]`, and a header as a pair.
            let option = before
                .filter(|name| name.starts_with('-') || elements.len() == 2)
                .map(|name| name.trim_start_matches('-'));
            let found: Vec<Found> =
                words.iter().filter(|(at, _)| *at == index).map(|(_, found)| found.clone()).collect();
            let new = match element {
                Json::String(text) if !found.is_empty() => self.string(text, found, &pointer, moves),
                _ => self.walk(
                    element,
                    At { pointer: &pointer, name: option.or(at.name), secret: at.secret },
                    moves,
                ),
            };
            if let Some(new) = new {
                masked.get_or_insert_with(|| elements.to_vec())[index] = new;
            }
        }
        masked.map(Json::Array)
    }

    fn object(&mut self, object: &Object, at: At<'_>, moves: &mut Moves) -> Option<Json> {
        let manifest = object.get("kind").and_then(Json::as_str) == Some("Secret");
        let mut pairs: Vec<(Cow<'_, str>, Cow<'_, Json>)> = Vec::with_capacity(object.len());
        let mut changed = false;
        for (key, value) in object.iter() {
            let pointer = at.pointer.key(key);
            let secret = at.secret || manifest && matches!(key, "data" | "stringData");
            let masked_value =
                self.walk(value, At { pointer: &pointer, name: Some(name_of(object, key)), secret }, moves);
            let masked_key = self.text(key);
            changed |= masked_value.is_some() || matches!(masked_key, Cow::Owned(_));
            pairs.push((masked_key, masked_value.map_or(Cow::Borrowed(value), Cow::Owned)));
        }
        if !changed {
            return None;
        }
        let mut seen: std::collections::HashSet<String> = std::collections::HashSet::new();
        let pairs: Vec<(String, Json)> = pairs
            .into_iter()
            .map(|(key, value)| {
                let mut key = key.into_owned();
                // Somebody may have called a member what the mask of another one is.
                while !seen.insert(key.clone()) {
                    key.push('\'');
                }
                (key, value.into_owned())
            })
            .collect();
        Some(Object::from_pairs(pairs).map_or(Json::Null, Json::Object))
    }
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
    let words: Option<Vec<&str>> = elements.iter().map(Json::as_str).collect();
    let Some(words) = words.filter(|words| (2..=WORDS_MAX).contains(&words.len())) else { return Vec::new() };
    if !words.iter().any(|word| word.starts_with(['-', '/'])) {
        return Vec::new();
    }
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
