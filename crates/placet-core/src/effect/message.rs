//! Messages to people: mail, chat, texts, calls, posts, comments. Who gets them, how many, and whether they are ours.

use super::{
    Effect, Extent, Manner, Place, Role, Seen, Sensitivity, Target, TargetKind, Undo, Verb,
    act::Act,
    asked::{Asked, Leaf},
    attachment, shape,
    words::{self, beginning},
};
use crate::redact::Redactor;

/// More recipients than these are a mailing.
const RECIPIENTS_MAX: usize = 10;
/// Characters of a text that are looked at for mentions of everybody.
const CONTENT_MAX: usize = 16_384;

/// What a message or something done with messages would do.
pub fn read(asked: &Asked<'_>, act: Act, seen: Seen) -> Vec<Effect> {
    let act = asked_for(asked).unwrap_or(act);
    let mut effects = Vec::new();
    match act.verb {
        Verb::Send => send(asked, act, seen, &mut effects),
        _ => effects.push(on_channel(asked, act, seen)),
    }
    shape::read_rest(asked, act, seen, &[Role::Recipient, Role::Channel, Role::Content], &mut effects);
    let before = effects.len();
    if matches!(act.verb, Verb::Send | Verb::Write) {
        attachment::read(asked, seen, &mut effects);
    }
    // A message that is changed, and a picture that is put somewhere, are read by people too.
    if act.verb == Verb::Write && effects.len() > before {
        effects.push(on_channel(asked, Act::MESSAGE, seen));
    }
    let told = act.verb == Verb::Send && tells_a_secret(asked);
    carry(&mut effects, told);
    effects
}

/// What the call asks for, of a tool that does several things with messages.
fn asked_for(asked: &Asked<'_>) -> Option<Act> {
    let words = asked.action_words()?;
    match words.first()?.as_str() {
        // Here a poll is a question to people.
        "poll" if words.len() == 1 => Some(Act::MESSAGE),
        "sticker" | "broadcast" | "send" | "reply" | "thread" if words.last()? != "list" => {
            Some(Act::MESSAGE)
        }
        "react" | "reactions" | "unreact" | "pin" | "unpin" => Some(Act::CHANGE),
        "delete" | "unsend" => Some(Act::REMOVE),
        "kick" | "ban" | "timeout" | "role" => {
            Some(if words.last()? == "info" { Act::LOOK } else { Act::AUTHORITY })
        }
        _ => {
            super::act::of_name(&words).map(|act| if act.verb == Verb::Execute { Act::MESSAGE } else { act })
        }
    }
}

/// Something else than sending: looking, reacting, removing.
fn on_channel(asked: &Asked<'_>, act: Act, seen: Seen) -> Effect {
    let named = asked.text(Role::Channel).or_else(|| asked.text(Role::Recipient)).unwrap_or(asked.name);
    let target = Target::new(TargetKind::Channel, named).at(act.place).with(act.sensitivity);
    Effect::new(act.verb, target, asked.nowhere()).undo(act.undo).seen(seen)
}

fn send(asked: &Asked<'_>, act: Act, seen: Seen, effects: &mut Vec<Effect>) {
    let to: Vec<(&Leaf<'_>, &str)> = recipients(asked).collect();
    let everybody = mentions_everybody(asked) || to.iter().any(|(_, name)| is_list(name));
    let extent = match (everybody, to.len()) {
        (true, _) => Extent::Unbounded,
        (false, count) if count > RECIPIENTS_MAX => Extent::Unbounded,
        (false, 0 | 1) => Extent::One,
        (false, _) => Extent::Several,
    };
    let mut named = 0;
    for (leaf, name) in to.iter().take(RECIPIENTS_MAX + 1) {
        effects.push(to_one(asked, leaf, name, act, seen).extent(extent));
        named += 1;
    }
    if named == 0 {
        let public = is_public(asked);
        let name = if public { "the public" } else { asked.name };
        let kind = if public { TargetKind::Channel } else { act.kind };
        let effect = Effect::new(Verb::Send, Target::new(kind, name).at(Place::Away), asked.nowhere());
        effects.push(effect.extent(if public { Extent::Unbounded } else { extent }).seen(seen));
    }
    for effect in effects.iter_mut() {
        effect.words = match (&effect.words, effect.extent, effect.manner.has(Manner::OUTSIDE)) {
            (Some(words), _, _) => Some(words.clone()),
            (None, Extent::Unbounded, _) if is_public(asked) => Some("for everybody to read".into()),
            (None, Extent::Unbounded, _) => Some("a message to many at once".into()),
            (None, _, true) => Some("outside the organisation".into()),
            (None, _, false) => None,
        };
    }
}

/// Everybody the call names, one by one.
fn recipients<'a, 'c>(asked: &'a Asked<'c>) -> impl Iterator<Item = (&'a Leaf<'c>, &'c str)> {
    let addressed = |leaf: &&Leaf<'c>| {
        let person = matches!(leaf.role(), Some(Role::Recipient | Role::Channel | Role::Grantee));
        let inside =
            leaf.told == Some(Role::Content) || matches!(leaf.role(), Some(Role::Content | Role::Action));
        person
            || !inside && leaf.text().is_some_and(|text| text.split([',', ';']).all(shape::is_mail_address))
    };
    let one_by_one = |leaf: &'a Leaf<'c>| {
        let text = leaf.text().unwrap_or("");
        text.split([',', ';', '\n'])
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(move |name| (leaf, name))
    };
    // `chat_id` and its like name somebody too, where nothing else does.
    let by_number = |leaf: &&Leaf<'c>| {
        leaf.told.is_none()
            && matches!(
                leaf.key,
                "chat_id" | "channel_id" | "user_id" | "room_id" | "thread_id" | "conversation_id"
            )
    };
    let any = asked.leaves.iter().any(|leaf| addressed(&leaf));
    let chosen = asked.leaves.iter().filter(move |leaf| if any { addressed(leaf) } else { by_number(leaf) });
    chosen.flat_map(one_by_one)
}

fn to_one(asked: &Asked<'_>, leaf: &Leaf<'_>, name: &str, act: Act, seen: Seen) -> Effect {
    let handle = name.rsplit_once(':').map_or(name, |(_, handle)| handle);
    let channel = handle.starts_with('#') || leaf.role() == Some(Role::Channel) || leaf.key == "channel_id";
    let kind = if channel { TargetKind::Channel } else { TargetKind::Person };
    // `Ann <ann@example.org>`
    let mailbox = name.rsplit_once('<').map_or(name, |(_, mailbox)| mailbox.trim_end_matches('>'));
    if shape::is_address(name) {
        // Somebody will read it all the same.
        let effect = super::url::read(name).effect(Verb::Send, leaf.span()).seen(seen);
        return Effect { target: Target { kind, ..effect.target }, ..effect };
    }
    let (place, manner) = shape::whereabouts(asked, mailbox);
    let target = Target::new(kind, name).at(place);
    let effect = Effect::new(Verb::Send, target, leaf.span())
        .undo(act.undo.min(Undo::Possible))
        .seen(seen)
        .manner(manner);
    if is_emergency_number(name) {
        let target = Target { sensitivity: Sensitivity::System, ..effect.target.clone() };
        return Effect { target, ..effect }.words(EMERGENCY_NUMBER);
    }
    effect
}

/// What is said of a number that sends people out.
pub const EMERGENCY_NUMBER: &str = "an emergency number";

/// Numbers that send people out: nobody calls them for a test.
fn is_emergency_number(name: &str) -> bool {
    let mut letters = name.chars().filter(|letter| !matches!(letter, ' ' | '-' | '(' | ')' | '+'));
    let number = [letters.next(), letters.next(), letters.next()].map(|letter| letter.unwrap_or(' '));
    let known = ["911", "112", "999", "110", "119", "000", "111", "988", "118", "120"];
    letters.next().is_none() && known.iter().any(|known| known.chars().eq(number))
}

/// Addresses behind which many people are.
fn is_list(name: &str) -> bool {
    let name = name.trim_start_matches(['#', '@']);
    let (local, is_mail) = name.split_once('@').map_or((name, false), |(local, _)| (local, true));
    let words = words::split(local);
    let says = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    is_mail
        && says(&[
            "all",
            "everyone",
            "everybody",
            "staff",
            "company",
            "customers",
            "subscribers",
            "newsletter",
            "employees",
        ])
        || !is_mail && matches!(name, "everyone" | "here" | "channel" | "all" | "everybody")
}

/// Whether a text calls everybody in a channel.
fn mentions_everybody(asked: &Asked<'_>) -> bool {
    asked.leaves.iter().filter(|leaf| leaf.role() == Some(Role::Content)).filter_map(Leaf::text).any(|text| {
        let text = beginning(text, CONTENT_MAX);
        text.contains('@')
            && ["@everyone", "@channel", "@here", "@all"].iter().any(|mention| {
                text.match_indices(mention).any(|(at, _)| {
                    let before = text[..at].chars().next_back().unwrap_or(' ');
                    let after = text[at + mention.len()..].chars().next().unwrap_or(' ');
                    !before.is_alphanumeric() && !after.is_alphanumeric() && !matches!(after, '.' | '-' | '@')
                })
            })
            || text.contains('<')
                && ["<!channel>", "<!here>", "<!everyone>"].iter().any(|mention| text.contains(mention))
    })
}

/// Whether what the tool posts can be read by anybody.
fn is_public(asked: &Asked<'_>) -> bool {
    const PLACES: &[&str] = &[
        "tweet",
        "twitter",
        "retweet",
        "toot",
        "mastodon",
        "bluesky",
        "linkedin",
        "facebook",
        "instagram",
        "reddit",
        "tiktok",
        "youtube",
        "medium",
        "blog",
        "newsletter",
        "threads",
        "pinterest",
        "tumblr",
        "social",
    ];
    let private =
        asked.words.iter().any(|word| matches!(word.as_str(), "dm" | "direct" | "message" | "draft"));
    !private && asked.words.iter().any(|word| PLACES.contains(&word.as_str()))
}

/// Whether a secret stands in the text that is sent: a key by its letters, a password by what is said before it.
fn tells_a_secret(asked: &Asked<'_>) -> bool {
    asked.leaves.iter().filter_map(Leaf::text).any(|text| {
        // Random letters alone may be the name of anything.
        Redactor::builtin().find(text).iter().any(|found| found.kind != "random-string")
    })
}

/// A secret that is told or attached goes wherever the message goes.
fn carry(effects: &mut [Effect], told: bool) {
    if told || effects.iter().any(|effect| effect.manner.has(Manner::CARRIES_SECRET)) {
        for effect in effects.iter_mut().filter(|effect| effect.verb == Verb::Send) {
            effect.manner |= Manner::CARRIES_SECRET;
        }
    }
}
