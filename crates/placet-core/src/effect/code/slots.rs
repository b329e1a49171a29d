//! Slots: which arguments of a call a row of the tables means.

use super::{
    arguments::Arguments,
    reader::Reader,
    table::{Slot, Word},
    value::{Text, Value},
};
use crate::effect::shell::Origin;

/// The arguments that a special call is about; `Nothing` where one is missing.
#[derive(Clone, Copy)]
pub(super) struct Slots<'r, 'a> {
    /// Which they are.
    pub template: &'static [Word],
    /// The object it is called on.
    pub receiver: Option<&'r Value<'a>>,
    /// All arguments.
    pub arguments: &'r Arguments<'a>,
}

impl<'r, 'a> Slots<'r, 'a> {
    /// All of them in order.
    pub fn iter(self) -> impl Iterator<Item = &'r Value<'a>> {
        self.parts().flat_map(|(one, rest)| one.into_iter().chain(rest))
    }

    /// The one at `index`.
    pub fn at(self, mut index: usize) -> &'r Value<'a> {
        for word in self.template {
            let Word::Argument(slot) = word else { continue };
            if !slot.rest && index > 0 {
                index -= 1;
                continue;
            }
            match slot_values(slot, self.receiver, self.arguments) {
                (one, _) if !slot.rest => return one.unwrap_or(&Value::Nothing),
                (_, rest) => match rest.get(index) {
                    Some(value) => return value,
                    None => index -= rest.len(),
                },
            }
        }
        &Value::Nothing
    }

    /// For each slot a value, or as many as there are.
    fn parts(self) -> impl Iterator<Item = (Option<&'r Value<'a>>, &'r [Value<'a>])> {
        self.template.iter().filter_map(move |word| match word {
            Word::Argument(slot) if slot.rest => Some(slot_values(slot, self.receiver, self.arguments)),
            Word::Argument(slot) => {
                let (one, rest) = slot_values(slot, self.receiver, self.arguments);
                Some((one.or(Some(&Value::Nothing)), rest))
            }
            Word::Literal(_) | Word::Group(_) => None,
        })
    }
}

/// The value that stands in a slot, or as many as there are.
fn slot_values<'r, 'a>(
    slot: &Slot,
    receiver: Option<&'r Value<'a>>,
    arguments: &'r Arguments<'a>,
) -> (Option<&'r Value<'a>>, &'r [Value<'a>]) {
    if slot.receiver {
        (receiver, &[])
    } else if slot.rest {
        (None, arguments.positional().get(slot.index.unwrap_or(0)..).unwrap_or_default())
    } else {
        let placed = slot.index.and_then(|index| arguments.at(index));
        (placed.or_else(|| slot.names.iter().find_map(|name| arguments.named(name))), &[])
    }
}

/// A value as one word, or a list as several.
fn spread<'a>(slot: &Slot, value: &Value<'a>, out: &mut Vec<Text<'a>>) {
    const WORDS_MAX: usize = 1_000;
    match value {
        Value::List(items) => {
            for item in items.items.iter().take(WORDS_MAX) {
                out.push(item.as_text());
            }
            if items.items.len() > WORDS_MAX {
                out.push(Text::hole(items.origin));
            }
        }
        value if slot.before.is_empty() => out.push(value.as_text()),
        value => out.push(Text::plain(slot.before).then(&value.as_text())),
    }
}

impl<'a> Reader<'a, '_> {
    /// The words of a command that a row makes of a call.
    pub(super) fn words(
        &self,
        template: &[Word],
        receiver: Option<&Value<'a>>,
        arguments: &Arguments<'a>,
        out: &mut Vec<Text<'a>>,
    ) {
        for word in template {
            match word {
                Word::Literal(text) => out.push(Text::plain(*text)),
                Word::Argument(slot) => {
                    let (one, rest) = slot_values(slot, receiver, arguments);
                    if one.is_none() && !slot.rest {
                        out.push(Text::hole(Origin::PLAIN));
                    }
                    for value in one.into_iter().chain(rest) {
                        spread(slot, value, out);
                    }
                }
                Word::Group(group) => {
                    let there = group.iter().any(|word| match word {
                        Word::Argument(slot) => {
                            let (one, rest) = slot_values(slot, receiver, arguments);
                            one.into_iter().chain(rest).any(|value| !matches!(value, Value::Nothing))
                        }
                        Word::Literal(_) | Word::Group(_) => false,
                    });
                    if there {
                        self.words(group, receiver, arguments, out);
                    }
                }
            }
        }
    }
}
