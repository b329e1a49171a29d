//! Money: payments, transfers, orders, refunds, trades. How much, to whom.

use super::{
    Effect, Role, Seen, Target, TargetKind, Verb,
    act::Act,
    asked::{Asked, Leaf},
    shape,
};
use crate::{Json, canonical};

/// What a tool that moves money would do.
pub fn read(asked: &Asked<'_>, act: Act, seen: Seen) -> Vec<Effect> {
    let act = match asked.action() {
        Some(asked_for) if asked_for.looks() => asked_for,
        // Whatever else is done in a tool for money is done with money.
        Some(_) | None => act,
    };
    let mut effects = Vec::new();
    if act.looks() {
        let target = Target::new(TargetKind::Account, asked.name).with(act.sensitivity);
        effects.push(Effect::new(Verb::Read, target, asked.nowhere()).seen(seen));
    } else {
        let payee = payee(asked);
        let name = payee.map_or(asked.name, |(_, name)| name);
        let span = payee.map_or_else(|| asked.nowhere(), |(leaf, _)| leaf.span());
        let target = Target::new(TargetKind::Account, name).at(Act::MONEY.place);
        let effect = Effect::new(Verb::Spend, target, span).undo(Act::MONEY.undo).seen(seen);
        effects.push(match amount(asked) {
            Some(amount) => effect.words(amount),
            None => effect,
        });
    }
    shape::read_rest(
        asked,
        act,
        seen,
        &[Role::Amount, Role::Currency, Role::Payee, Role::Recipient, Role::Content],
        &mut effects,
    );
    // A payee who is also an address is not told twice.
    if effects.first().is_some_and(|first| first.verb == Verb::Spend) {
        let span = effects[0].because.clone();
        let mut first = true;
        effects.retain(|effect| {
            std::mem::take(&mut first) || effect.verb != Verb::Spend || effect.because != span
        });
    }
    effects
}

/// Who gets it.
fn payee<'a, 'c>(asked: &'a Asked<'c>) -> Option<(&'a Leaf<'c>, &'c str)> {
    asked
        .texts(Role::Payee)
        .next()
        .or_else(|| asked.texts(Role::Recipient).next())
        .or_else(|| asked.texts(Role::Grantee).next())
}

/// How much, in words: `4200 EUR`.
fn amount(asked: &Asked<'_>) -> Option<String> {
    let amounts = || {
        asked
            .leaves
            .iter()
            .filter(|leaf| leaf.role() == Some(Role::Amount) && !matches!(leaf.value, Json::Bool(_)))
    };
    let leaf = amounts()
        .find(|leaf| leaf.key.to_ascii_lowercase().contains("amount"))
        .or_else(|| amounts().next())?;
    let amount = match leaf.value {
        Json::String(text) => super::readable(text),
        other => canonical::to_string(other),
    };
    let amount: String = amount.chars().take(40).collect();
    match asked.text(Role::Currency) {
        Some(currency) => Some(format!(
            "{amount} {}",
            super::readable(currency).chars().take(12).collect::<String>().to_uppercase()
        )),
        None => Some(amount),
    }
}
