//! What happens later: jobs, calendars, reminders, wake-ups. What they would run is read as if it ran now.

use super::{
    Effect, Extent, Manner, Role, Seen, Target, TargetKind, Undo, Verb,
    act::Act,
    asked::{Asked, Leaf},
    attachment, orders, shape,
};

/// What a scheduler or a calendar would do.
pub fn read(asked: &Asked<'_>, act: Act, seen: Seen) -> Vec<Effect> {
    let act = asked_for(asked).unwrap_or(act);
    let mut effects = vec![job(asked, act, seen)];
    if act.verb == Verb::Schedule {
        invited(asked, seen, &mut effects);
    }
    if !act.looks() {
        for leaf in &asked.leaves {
            run_later(asked, leaf, &mut effects);
        }
        answered(asked, seen, &mut effects);
    }
    let claimed = [Role::Command, Role::Task, Role::When, Role::Content, Role::Recipient, Role::Action];
    shape::read_rest(asked, act, seen, &claimed, &mut effects);
    effects
}

/// Creating and changing jobs is what schedulers are for; looking, deleting and running are something else.
fn asked_for(asked: &Asked<'_>) -> Option<Act> {
    let words = asked.action_words()?;
    match words.first()?.as_str() {
        "remove" | "delete" | "cancel" | "clear" => Some(Act::REMOVE),
        "pause" | "resume" | "disable" | "enable" => Some(Act::CONFIGURE),
        "runs" | "status" | "list" | "next" => Some(Act::LOOK),
        "wake" => Some(Act::SCHEDULE),
        _ => super::act::of_name(&words).filter(|asked_for| asked_for.verb != Verb::Write),
    }
}

fn job(asked: &Asked<'_>, act: Act, seen: Seen) -> Effect {
    let named =
        ["name", "title", "summary", "job_id", "jobId", "id", "label"].iter().find_map(|key| asked.arg(key));
    let target =
        Target::new(TargetKind::Service, named.unwrap_or(asked.name)).at(act.place).with(act.sensitivity);
    let effect = Effect::new(act.verb, target, asked.nowhere()).undo(act.undo.min(Undo::Possible)).seen(seen);
    match asked.text(Role::When).filter(|_| act.verb == Verb::Schedule) {
        Some(when) => effect.words(super::readable(when).chars().take(60).collect::<String>()),
        None => effect,
    }
}

/// Guests of an event get mail about it.
fn invited(asked: &Asked<'_>, seen: Seen, effects: &mut Vec<Effect>) {
    let guests: Vec<_> =
        asked.texts(Role::Recipient).filter(|(_, text)| shape::is_mail_address(text)).collect();
    let extent = match guests.len() {
        0 | 1 => Extent::One,
        2..=10 => Extent::Several,
        _ => Extent::Unbounded,
    };
    for (leaf, guest) in guests.into_iter().take(20) {
        let effect = shape::person(asked, leaf, guest, Act::MESSAGE, seen).extent(extent);
        let invited = Role::of_key(leaf.argument) == Some(Role::Recipient);
        effects.push(effect.words(if invited { "gets an invitation" } else { "gets what comes of it" }));
    }
}

/// What a job answers is delivered as a message, with the files that its task has the answer name.
fn answered(asked: &Asked<'_>, seen: Seen, effects: &mut Vec<Effect>) {
    let before = effects.len();
    for (leaf, text) in asked.texts(Role::Task) {
        attachment::in_text(asked, leaf, text, seen.max(Seen::Likely), effects);
    }
    if effects[before..].iter().any(|effect| effect.manner.has(Manner::CARRIES_SECRET)) {
        let to = asked.text(Role::Recipient).unwrap_or("who gets the answer of the job");
        let target = Target::new(TargetKind::Person, to).at(Act::MESSAGE.place);
        let sent = Effect::new(Verb::Send, target, asked.nowhere()).undo(Undo::Impossible).seen(seen);
        effects.push(sent.manner(Manner::CARRIES_SECRET | Manner::DETACHED));
    }
}

/// Commands and scripts of a job run when nobody looks; no host asks about them then.
fn run_later(asked: &Asked<'_>, leaf: &Leaf<'_>, effects: &mut Vec<Effect>) {
    let Some(text) = leaf.text() else { return };
    let before = effects.len();
    match leaf.role() {
        Some(Role::Command) => shape::command(asked, leaf, text, effects),
        Some(Role::Task | Role::Content) => {
            if shape::is_command(text) {
                shape::command(asked, leaf, text, effects);
            }
            for command in quoted(text) {
                let range = command.as_ptr() as usize - text.as_ptr() as usize;
                shape::command(asked, leaf, command, effects);
                let from = before.min(effects.len());
                for effect in &mut effects[from..] {
                    effect.because = super::Span::new(leaf.pointer(), range..range + command.len());
                }
            }
            if orders::gives_orders(text) {
                effects.push(orders::effect(leaf));
            }
        }
        _ => {}
    }
    for effect in &mut effects[before..] {
        effect.manner |= Manner::DETACHED;
    }
}

/// The commands that a text has between back-ticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    const QUOTES_MAX: usize = 16;
    text.split('`').skip(1).step_by(2).take(QUOTES_MAX).map(str::trim).filter(|part| shape::is_command(part))
}
