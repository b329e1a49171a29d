//! Narrowing, explained: where a link asks for more than the one before it gives.
//!
//! This is a hint for whoever writes a grant, and nothing rests on it: at call time every link is asked.

use super::{
    posture::Posture,
    reach::{About, Reach},
    scope::{Argument, Deed, Scope, Tier},
};
use crate::constraint::Constraint;

/// Whether all that one thing permits is permitted by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Within {
    /// Yes.
    Yes,
    /// It cannot be told from their shape.
    Unknown,
    /// No.
    No,
}

/// Where `child` asks for what `parent` does not give, each in a sentence. What cannot be told is left out.
pub fn widenings(child: &Scope, parent: &Scope) -> Vec<String> {
    let mut found = Vec::new();
    for capability in &child.capabilities {
        let answers: Vec<Within> = parent
            .capabilities
            .iter()
            .map(|other| match (capability.tier, other.tier) {
                (Tier::Always, Tier::Gated) => Within::No,
                _ => deed_within(&capability.deed, &other.deed),
            })
            .collect();
        if answers.iter().all(|answer| *answer == Within::No) {
            found.push(format!("{}: that is more than the warrant before gives", capability.describe()));
        }
    }
    let (own, other) = (&child.limits, &parent.limits);
    if own.max_calls.is_some_and(|own| other.max_calls.is_some_and(|other| own > other)) {
        found.push("`max_calls` is higher than that of the warrant before".to_owned());
    }
    // Calls for each millisecond, compared without a division.
    let faster = |own: super::limits::Rate, other: super::limits::Rate| {
        u128::from(own.count) * u128::from(other.per_ms) > u128::from(other.count) * u128::from(own.per_ms)
    };
    if own.rate.is_some_and(|own| other.rate.is_some_and(|other| faster(own, other))) {
        found.push("`rate` is higher than that of the warrant before".to_owned());
    }
    if child.posture != Posture::OPEN && !child.posture.meets(parent.posture) {
        found.push("`posture` asks for less confinement than the warrant before".to_owned());
    }
    if own.max_risk.is_some_and(|own| other.max_risk.is_some_and(|other| own > other)) {
        found.push("`max_risk` is higher than that of the warrant before".to_owned());
    }
    for budget in &own.budgets {
        let wider =
            |other: &&super::limits::Budget| other.argument == budget.argument && other.most < budget.most;
        if other.budgets.iter().any(|other| wider(&other)) {
            found.push(format!(
                "the budget of `{}` is higher than that of the warrant before",
                budget.argument
            ));
        }
    }
    found
}

fn deed_within(child: &Deed, parent: &Deed) -> Within {
    match (child, parent) {
        (
            Deed::Tool { tool, arguments, open },
            Deed::Tool { tool: other_tool, arguments: other_arguments, open: other_open },
        ) => {
            if tool != other_tool || *open && !other_open {
                return Within::No;
            }
            let mut answer = Within::Yes;
            for argument in arguments {
                answer = answer.max(match other_arguments.iter().find(|other| other.name == argument.name) {
                    Some(other) => argument_within(argument, other),
                    None if *other_open => Within::Yes,
                    None if argument.optional => Within::Unknown,
                    None => Within::No,
                });
            }
            for other in other_arguments.iter().filter(|other| !other.optional) {
                if !arguments.iter().any(|argument| argument.name == other.name) {
                    answer = answer.max(if *open { Within::Unknown } else { Within::No });
                }
            }
            answer
        }
        (Deed::Effects(child), Deed::Effects(parent)) => {
            child.iter().map(|reach| reach_within(reach, parent)).max().unwrap_or(Within::Yes)
        }
        (Deed::Tool { .. }, Deed::Effects(_)) | (Deed::Effects(_), Deed::Tool { .. }) => Within::Unknown,
    }
}

fn argument_within(child: &Argument, parent: &Argument) -> Within {
    let missing = if child.optional && !parent.optional { Within::No } else { Within::Yes };
    missing.max(within(&child.constraint, &parent.constraint))
}

fn reach_within(child: &Reach, parents: &[Reach]) -> Within {
    let same: Vec<&Reach> = parents.iter().filter(|parent| parent.verb == child.verb).collect();
    child
        .targets
        .iter()
        .map(|target| {
            same.iter()
                .flat_map(|parent| &parent.targets)
                .map(|other| match (target.about, other.about) {
                    (_, About::Anything) => Within::Yes,
                    (a, b) if a == b => within(&target.constraint, &other.constraint),
                    _ => Within::No,
                })
                .min()
                .unwrap_or(Within::No)
        })
        .max()
        .unwrap_or(Within::Yes)
}

/// Whether every value that `child` says yes to is one that `parent` says yes to.
pub fn within(child: &Constraint, parent: &Constraint) -> Within {
    if child == parent {
        return Within::Yes;
    }
    match (child, parent) {
        (_, Constraint::AnyValue) => Within::Yes,
        (Constraint::Exact(exact), parent) => yes_or_no(parent.check(exact.value()).is_yes()),
        (Constraint::OneOf(one_of), parent) => {
            yes_or_no(one_of.values().iter().all(|value| parent.check(value).is_yes()))
        }
        (Constraint::Any(any), parent) => {
            any.members().iter().map(|member| within(member, parent)).max().unwrap_or(Within::Yes)
        }
        (child, Constraint::All(all)) => {
            all.members().iter().map(|member| within(child, member)).max().unwrap_or(Within::Yes)
        }
        // One member that is within is enough; that none is says nothing of what they are together.
        (Constraint::All(all), parent) => {
            let best = all.members().iter().map(|member| within(member, parent)).min();
            best.filter(|best| *best == Within::Yes).unwrap_or(Within::Unknown)
        }
        (child, Constraint::Any(any)) => {
            let best = any.members().iter().map(|member| within(child, member)).min();
            best.filter(|best| *best == Within::Yes).unwrap_or(Within::Unknown)
        }
        (Constraint::AnyValue, _) => Within::No,
        (Constraint::Under(child), Constraint::Under(parent)) => yes_or_no(parent.holds(child.as_str())),
        (Constraint::Cidr(child), Constraint::Cidr(parent)) => yes_or_no(parent.covers(child)),
        (Constraint::Subset(child), Constraint::Subset(parent)) => {
            yes_or_no(child.values().iter().all(|value| parent.values().contains(value)))
        }
        (Constraint::NotOneOf(child), Constraint::NotOneOf(parent)) => {
            yes_or_no(parent.values().iter().all(|value| child.values().contains(value)))
        }
        (Constraint::Range(child), Constraint::Range(parent)) => {
            let low = parent
                .min()
                .is_none_or(|bound| child.min().is_some_and(|own| parent.holds(own.number) || own == bound));
            let high = parent
                .max()
                .is_none_or(|bound| child.max().is_some_and(|own| parent.holds(own.number) || own == bound));
            yes_or_no(low && high)
        }
        (Constraint::Length(child), Constraint::Length(parent)) => yes_or_no(
            child.min() >= parent.min()
                && parent.max().is_none_or(|most| child.max().is_some_and(|own| own <= most)),
        ),
        _ => match super::witness::witnesses(child).iter().any(|value| !parent.check(value).is_yes()) {
            true => Within::No,
            false => Within::Unknown,
        },
    }
}

fn yes_or_no(truth: bool) -> Within {
    if truth { Within::Yes } else { Within::No }
}
