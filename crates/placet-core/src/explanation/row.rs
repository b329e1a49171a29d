//! The effects of a call as rows: numbered, with what is special about each.

use serde::Serialize;

use crate::{
    Assessment, Effect, Json,
    assess::{self, On},
    effect::{Extent, Manner, Place, TargetKind, Undo, Verb, readable},
};

/// An effect that people are told of.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Its number for people, from one.
    pub number: usize,
    /// Its place among the effects of the assessment, from zero.
    pub index: usize,
    /// The effect.
    pub effect: &'a Effect,
    /// Whether it is one to look at: it would not pass unseen if it were the only one.
    pub weighs: bool,
}

/// What is special about an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// Its target lies beyond this machine.
    Outside,
    /// With more authority than the agent's own.
    Elevated,
    /// On another machine or in a container.
    Elsewhere,
    /// A secret goes along.
    WithSecret,
    /// As much as there is.
    Everything,
    /// It cannot be undone.
    ForGood,
}

impl Fact {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Fact::Outside => "outside this machine",
            Fact::Elevated => "with more authority than its own",
            Fact::Elsewhere => "on another machine",
            Fact::WithSecret => "with a secret",
            Fact::Everything => "as much as there is",
            Fact::ForGood => "cannot be undone",
        }
    }

    /// Whether it should weigh with whoever answers.
    pub fn is_hard(self) -> bool {
        match self {
            Fact::Elevated | Fact::WithSecret | Fact::Everything | Fact::ForGood => true,
            Fact::Outside | Fact::Elsewhere => false,
        }
    }
}

impl Effect {
    /// What is special about it.
    pub fn facts(&self) -> Vec<Fact> {
        let changes = self.verb != Verb::Read;
        [
            (self.target.place == Place::Away, Fact::Outside),
            (self.manner.has(Manner::ELEVATED), Fact::Elevated),
            (self.manner.has(Manner::REMOTE), Fact::Elsewhere),
            (self.manner.has(Manner::CARRIES_SECRET), Fact::WithSecret),
            (self.extent == Extent::Unbounded && changes, Fact::Everything),
            (self.undo == Undo::Impossible, Fact::ForGood),
        ]
        .into_iter()
        .filter_map(|(is_so, fact)| is_so.then_some(fact))
        .collect()
    }

    /// The words of `args` that it was read from, as a person may see them.
    pub fn source_words(&self, args: &Json) -> String {
        let text = self.because.pointer.find(args).and_then(Json::as_str);
        text.map_or_else(String::new, |text| readable(self.because.of(text).trim()))
    }
}

impl Assessment {
    /// The effects that get a row, numbered. `cd`, `echo` and `test` only look at themselves: they have none beside others.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let worth =
            |effect: &Effect| !(effect.verb == Verb::Read && effect.target.kind == TargetKind::Command);
        let any = self.effects.iter().any(worth);
        let told = self.effects.iter().enumerate().filter(move |(_, effect)| !any || worth(effect));
        told.zip(1..).map(|((index, effect), number)| Row {
            number,
            index,
            effect,
            weighs: assess::weighs(effect),
        })
    }

    /// The number of the row that the effect at `index` has.
    pub fn row_number(&self, index: usize) -> Option<usize> {
        self.rows().find(|row| row.index == index).map(|row| row.number)
    }

    /// What would happen, by its riskiest effect: a sentence, to stand above everything else.
    pub fn happens(&self) -> String {
        let weighed = self.factors.iter().filter(|factor| factor.on == On::Risk);
        let riskiest = weighed.filter_map(|factor| factor.effect).next().unwrap_or(0);
        let Some(effect) = self.effects.get(riskiest) else { return "Nothing is known of it.".to_owned() };
        let mut sentence = match effect.verb {
            Verb::Opaque => format!("nobody can say before it runs: {}", effect.sentence()),
            _ => effect.sentence(),
        };
        if let Some(first) = sentence.get(..1) {
            let first = first.to_ascii_uppercase();
            sentence.replace_range(..1, &first);
        }
        sentence.push('.');
        sentence
    }
}
