//! Likeness: what a call must have in common with an approved one to be like it, beside its effects.
//!
//! An effect names what is touched, and not all that says where: a branch, a context, a profile, a directory. So everything a
//! call says counts, but for what is known to be of no matter to where something happens: text for people, and the page of a
//! site that is only read. Where an effect is irreversible, touches a secret or the system, or hands something over, text matters too.

mod command;

use crate::{
    Effect, Json, ToolCall,
    constraint::{Constraint, Exact},
    effect::{
        Extent, Manner, Role, Sensitivity, TargetKind, Undo, Verb,
        tool_table::{self, Interpreter, Servers},
    },
    json::{Object, excerpt},
};

/// The name under which the arguments stand that count.
pub(super) const ARGUMENTS: &str = "args";
/// The name under which it stands where the call is made.
pub(super) const PLACE: &str = "where";
/// The name of a value of which a part may be another; no value that counts as a whole stands under a name.
const LIKE: &str = "like";
/// What stands in the place of that part. It is no letter of what is kept beside it, but in quotes.
const ANYTHING: &str = "*";

/// Everything of `call`, which has these effects, that must be the same in a call like it: its arguments and where it is made.
pub(super) fn of(call: &ToolCall, effects: &[Effect]) -> Object {
    let tool = tool_table::find(call.tool().as_str(), &Servers::default()).map(|found| found.tool);
    let pinned = effects.iter().any(weighs);
    let only_reads = effects.iter().all(reads_an_address);
    let mut counted: Vec<(String, Json)> = Vec::new();
    for (name, value) in call.args_object().iter() {
        let role =
            tool.and_then(|tool| tool.roles.iter().find(|(known, _)| *known == name)).map(|(_, role)| *role);
        let was_read = || effects.iter().any(|effect| is_within(effect.because.pointer.as_str(), name));
        let counts = match (role, tool.map(|tool| tool.interpreter)) {
            (Some(Role::Ignored), _) => None,
            _ if pinned => Some(value.clone()),
            (Some(Role::Content), Some(Interpreter::Web)) if only_reads => None,
            (Some(Role::Content), Some(interpreter)) if takes_any_text(interpreter) && !was_read() => None,
            (Some(Role::Command), Some(Interpreter::Shell)) => Some(match value.as_str() {
                Some(text) => command::without_text(text, only_reads).map_or_else(|| value.clone(), like),
                None => value.clone(),
            }),
            (Some(Role::Url), Some(Interpreter::Web)) if only_reads => {
                Some(value.as_str().and_then(site).map_or_else(|| value.clone(), like))
            }
            (Some(_) | None, _) => Some(value.clone()),
        };
        counted.extend(counts.map(|value| (name.to_owned(), value)));
    }
    let starts_in =
        |tool: Option<&tool_table::Tool>| !tool.is_some_and(|tool| names_its_place(tool.interpreter));
    let place = [
        ("cwd", call.cwd().filter(|_| pinned || starts_in(tool))),
        ("host", Some(call.host()).filter(|host| !host.is_empty())),
        ("deployment", call.deployment()),
    ];
    let place = place.into_iter().filter_map(|(name, value)| Some((name, Json::from(value?))));
    let whole = [
        (ARGUMENTS, Json::Object(Object::from_pairs(counted).unwrap_or_default())),
        (PLACE, Json::Object(Object::from_pairs(place).unwrap_or_default())),
    ];
    // The names are those of an object, each there once.
    Object::from_pairs(whole).unwrap_or_default()
}

/// A value of which a part may be another.
fn like(text: String) -> Json {
    Object::from_pairs([(LIKE, Json::from(text.as_str()))]).map_or(Json::Null, Json::Object)
}

/// Whether what is done weighs so much that nothing of the call may be another.
fn weighs(effect: &Effect) -> bool {
    let hands_over = match effect.verb {
        Verb::Spend
        | Verb::Grant
        | Verb::Install
        | Verb::Schedule
        | Verb::Delegate
        | Verb::Configure
        | Verb::Opaque => true,
        Verb::Read | Verb::Write | Verb::Delete | Verb::Execute | Verb::Send => false,
    };
    let matters = match effect.target.sensitivity {
        Sensitivity::None | Sensitivity::Private => false,
        Sensitivity::Secret | Sensitivity::Credential | Sensitivity::System | Sensitivity::Guard => true,
    };
    hands_over
        || matters
        || effect.undo == Undo::Impossible
        || effect.extent == Extent::Unbounded
        || effect.manner != Manner::PLAIN
}

/// Whether an effect only looks at something on the web.
fn reads_an_address(effect: &Effect) -> bool {
    effect.verb == Verb::Read && matches!(effect.target.kind, TargetKind::Url | TargetKind::Host)
}

/// Whether tools that are read so carry text for people or into a file, and do the same whatever it says.
fn takes_any_text(interpreter: Interpreter) -> bool {
    matches!(
        interpreter,
        Interpreter::Write
            | Interpreter::Edit
            | Interpreter::Message
            | Interpreter::Memory
            | Interpreter::Look
    )
}

/// Whether the effects of tools that are read so say by themselves where they are, wherever the call is made.
fn names_its_place(interpreter: Interpreter) -> bool {
    matches!(interpreter, Interpreter::Message | Interpreter::Web)
}

/// What counts, in words: ``where `command` is `ls` ``.
pub(super) fn describe(counted: &Json) -> String {
    let exactly = |value: &Json| match Exact::new(value.clone()) {
        Ok(exact) => Constraint::Exact(exact).describe(),
        Err(_) => "something long".to_owned(),
    };
    let one = |(name, value): (&str, &Json)| match value.get(LIKE) {
        Some(like) => format!("`{}` is like {}", excerpt(name), exactly(like)),
        None => format!("`{}` is {}", excerpt(name), exactly(value)),
    };
    let all: Vec<String> = counted.as_object().into_iter().flat_map(Object::iter).map(one).collect();
    all.join(", ")
}

/// Whether `pointer` points into the argument `name`.
fn is_within(pointer: &str, name: &str) -> bool {
    let argument = crate::effect::Pointer::root().key(name);
    let rest = pointer.strip_prefix(argument.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The site of an address, where nothing but its path could be another: `https://example.com/…`.
fn site(address: &str) -> Option<String> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-._~/:%+=,".contains(letter);
    let (scheme, rest) = address.split_once("://")?;
    if !matches!(scheme, "http" | "https") || !rest.chars().all(plain) {
        return None;
    }
    let authority = &rest[..rest.find('/').unwrap_or(rest.len())];
    (!authority.is_empty() && !authority.contains(['%', '+', '=', ',', '~']))
        .then(|| format!("{scheme}://{authority}/{ANYTHING}"))
}
