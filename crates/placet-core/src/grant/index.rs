//! Grants found by what a call touches, so that many cost about as much as one.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use super::Grant;
use crate::{
    Effect, Timestamp,
    constraint::Constraint,
    effect::{TargetKind, Verb},
    warrant::{About, host_of},
};

/// The grants of one agent in one session.
#[derive(Debug, Default)]
pub struct Grants {
    all: Vec<Grant>,
    /// Those that permit a verb on a name, by a hash over both. Whoever is found is asked all the same.
    by_target: HashMap<u64, Vec<u32>>,
    /// Those that permit more than names.
    others: Vec<u32>,
    /// When the last was given and when the first ends; nothing if there is none.
    times: Option<(Timestamp, Timestamp)>,
}

impl Grants {
    /// `all` of them, the first asked first.
    pub fn new(all: Vec<Grant>) -> Self {
        let (mut by_target, mut others): (HashMap<u64, Vec<u32>>, _) = (HashMap::new(), Vec::new());
        for (grant, number) in all.iter().zip(0..) {
            let reach = &grant.warrant.last().scope.effects;
            let targets =
                reach.iter().flat_map(|reach| reach.targets.iter().map(|target| (reach.verb, target)));
            let keys: Option<Vec<u64>> = targets
                .map(|(verb, target)| match (&target.constraint, target.about) {
                    (Constraint::Exact(exact), About::Path | About::Host | About::Name) => {
                        exact.value().as_str().map(|name| key(verb, name))
                    }
                    _ => None,
                })
                .collect();
            match keys {
                None => others.push(number),
                Some(keys) => {
                    for key in keys {
                        let found = by_target.entry(key).or_default();
                        if found.last() != Some(&number) {
                            found.push(number);
                        }
                    }
                }
            }
        }
        let heads = || all.iter().map(|grant| &grant.warrant.last().head);
        let given = heads().map(|head| head.not_before).max();
        let times = given.zip(heads().map(|head| head.expires).min());
        Self { all, by_target, others, times }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether one of them may have ended by `now`, or was given at a time that is still to come.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.times.is_some_and(|(given, ends)| now < given || now >= ends)
    }

    /// Those that could permit a call with these effects: each permits at least the effect that the fewest permit.
    pub(super) fn that_could(&self, effects: &[Effect]) -> impl Iterator<Item = &Grant> {
        let mut fewest: Option<&[u32]> = None;
        for effect in effects {
            let found = name(effect).and_then(|name| self.by_target.get(&key(effect.verb, &name)));
            let found = found.map(Vec::as_slice).unwrap_or_default();
            if fewest.is_none_or(|fewest| found.len() < fewest.len()) {
                fewest = Some(found);
            }
        }
        let numbers = fewest.unwrap_or_default().iter().chain(&self.others);
        numbers.filter_map(|number| self.all.get(*number as usize))
    }
}

fn key(verb: Verb, name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (verb as u8, name).hash(&mut hasher);
    hasher.finish()
}

/// What a grant knows the target of an effect by.
fn name(effect: &Effect) -> Option<std::borrow::Cow<'_, str>> {
    match effect.target.kind {
        TargetKind::Url | TargetKind::Host => host_of(&effect.target.name),
        _ => Some(effect.target.name.as_str().into()),
    }
}
