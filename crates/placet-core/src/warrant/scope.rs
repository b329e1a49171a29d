//! Scope: what one link of a warrant permits.

use std::fmt;

use super::{
    cbor::{DecodeError, Keys, Reader, Writer, text_order},
    limits::Limits,
    posture::Posture,
    reach::Reach,
    wire::{self, Budget},
};
use crate::{
    Effect, ToolCall, ToolName,
    constraint::{Check, Constraint, shown},
    effect::Verb,
    json::excerpt,
};

/// The most capabilities in one link.
pub const CAPABILITIES_MAX: usize = 256;
/// The most arguments of one capability.
pub const ARGUMENTS_MAX: usize = 256;
/// The most patterns in one link.
const REGEXES_MAX: usize = 64;

/// What one link permits. All of it must permit a call; each link of a chain is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// What may be done; one of them must name the call.
    pub capabilities: Vec<Capability>,
    /// Limits on effects: a verb that is named only does what it is named with; others are free.
    pub effects: Vec<Reach>,
    /// How much and when.
    pub limits: Limits,
    /// How firmly the agent must be confined.
    pub posture: Posture,
}

/// Something that may be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// Whether a person approves each call.
    pub tier: Tier,
    /// What.
    pub deed: Deed,
}

/// How freely something may be done, mildest first. What is in no capability is outside: blocked, with no way to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Without asking.
    Always,
    /// Each call after a person approved it.
    Gated,
}

/// What a capability names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Calls of one tool.
    Tool {
        /// Its name.
        tool: ToolName,
        /// What is known of its arguments, in the order of their names on the wire.
        arguments: Vec<Argument>,
        /// Whether it may have other arguments too.
        open: bool,
    },
    /// Calls of any tool that have no other effects than these.
    Effects(Vec<Reach>),
}

/// What an argument may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Whether it may be missing.
    pub optional: bool,
    /// What it may be.
    pub constraint: Constraint,
}

/// A link's yes to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permit<'s> {
    /// Which capability named it.
    pub capability: &'s Capability,
    /// Its number, from zero.
    pub number: usize,
}

/// A link's no to a call. Why is worked out when somebody wants to read it.
#[derive(Clone, Copy, Debug)]
pub struct Outside<'s> {
    scope: &'s Scope,
    call: &'s ToolCall,
    effects: &'s [Effect],
}

impl Scope {
    /// Whether a call with these effects is within the capabilities and the limits on effects; if not, why.
    pub fn permit<'s>(
        &'s self,
        call: &'s ToolCall,
        effects: &'s [Effect],
    ) -> Result<Permit<'s>, Outside<'s>> {
        let outside = Outside { scope: self, call, effects };
        if self.effect_beyond(effects).is_some() {
            return Err(outside);
        }
        let (mut always, mut gated) = (None, None);
        for (number, capability) in self.capabilities.iter().enumerate() {
            if !capability.deed.names(call, effects) {
                continue;
            }
            let permit = Permit { capability, number };
            match capability.tier {
                // The most specific yes says the most, whatever stands before it.
                Tier::Always if capability.deed.constrains_an_argument() => return Ok(permit),
                Tier::Always => always = always.or(Some(permit)),
                Tier::Gated => gated = gated.or(Some(permit)),
            }
        }
        always.or(gated).ok_or(outside)
    }

    /// The first capability that lets calls run unasked and limits neither what they are made with nor what they touch.
    pub fn unlimited(&self) -> Option<&Capability> {
        let limits = |capability: &Capability| match &capability.deed {
            Deed::Tool { .. } => capability.deed.constrains_an_argument(),
            Deed::Effects(reach) => reach.iter().all(Reach::is_limited),
        };
        let mut unasked = self.capabilities.iter().filter(|capability| capability.tier == Tier::Always);
        unasked.find(|capability| !limits(capability))
    }

    /// The first of `effects` that the limits on effects do not let pass.
    fn effect_beyond<'e>(&self, effects: &'e [Effect]) -> Option<&'e Effect> {
        if self.effects.is_empty() {
            return None;
        }
        effects.iter().find(|effect| {
            let mut named = self.effects.iter().filter(|reach| reach.verb == effect.verb).peekable();
            effect.verb == Verb::Opaque || named.peek().is_some() && !named.any(|reach| reach.covers(effect))
        })
    }

    pub(super) fn write_capabilities(&self, to: &mut Writer) {
        to.array(self.capabilities.len());
        for capability in &self.capabilities {
            capability.write(to);
        }
    }

    /// Reads what follows the head of a link.
    pub(super) fn read(from: &mut Reader<'_>, keys: &mut Keys) -> Result<Self, DecodeError> {
        let mut scope = Self {
            capabilities: Vec::new(),
            effects: Vec::new(),
            limits: Limits::default(),
            posture: Posture::OPEN,
        };
        let mut budget = Budget { regexes: REGEXES_MAX };
        while let Some(key) = keys.next(from)? {
            match key {
                11 => {
                    let length = from.array()?;
                    if length == 0 || length > CAPABILITIES_MAX {
                        return from.refuse("there are no capabilities, or too many");
                    }
                    for _ in 0..length {
                        scope.capabilities.push(Capability::read(from, &mut budget)?);
                    }
                }
                12 => {
                    scope.effects = read_reach(from, &mut budget)?;
                }
                13 => scope.limits = Limits::read(from)?,
                14 => scope.posture = Posture::read(from)?,
                _ => return from.refuse("a field is not known"),
            }
        }
        if scope.capabilities.is_empty() {
            return from.refuse("there are no capabilities");
        }
        Ok(scope)
    }
}

impl fmt::Display for Outside<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.say(&mut text);
        f.write_str(&text)
    }
}

impl Outside<'_> {
    /// Puts the reason at the end of `text`.
    pub(super) fn say(&self, text: &mut String) {
        let Self { scope, call, effects } = *self;
        if let Some(effect) = scope.effect_beyond(effects) {
            if effect.verb == Verb::Opaque {
                text.push_str(&format!("an effect {}, and effects are limited", effect.sentence()));
                return;
            }
            let named = scope.effects.iter().filter(|reach| reach.verb == effect.verb);
            let limits: Vec<String> = named.map(Reach::describe_limit).collect();
            text.push_str(&format!("it {}, but: {}", effect.sentence(), limits.join("; ")));
            return;
        }
        // By the capability that comes nearest.
        let mut reasons = scope.capabilities.iter().filter_map(|capability| capability.deed.why_not(call));
        if let Some(reason) = reasons.next() {
            text.push_str(&reason);
            let others = reasons.count();
            if others > 0 {
                text.push_str(&format!(" (and {others} other capabilities refuse too)"));
            }
            return;
        }
        let by_effects = scope.capabilities.iter().find_map(|capability| match &capability.deed {
            Deed::Effects(reach) => effects.iter().find(|effect| !covered(reach, effect)),
            Deed::Tool { .. } => None,
        });
        match by_effects {
            Some(effect) => text.push_str(&format!("no capability covers that it {}", effect.sentence())),
            None => {
                // Most refusals are this one, so it is put together without a detour.
                text.push('`');
                text.push_str(call.tool().as_str());
                text.push_str("` is in none of its capabilities");
            }
        }
    }
}

fn covered(reach: &[Reach], effect: &Effect) -> bool {
    reach.iter().any(|reach| reach.covers(effect))
}

impl Deed {
    fn names(&self, call: &ToolCall, effects: &[Effect]) -> bool {
        match self {
            Self::Tool { tool, arguments, open } => {
                tool == call.tool() && {
                    let given = call.args_object();
                    let mut met = 0;
                    arguments.iter().all(|argument| match given.get(&argument.name) {
                        Some(value) => {
                            met += 1;
                            argument.constraint.check(value).is_yes()
                        }
                        None => argument.optional,
                    }) && (*open || met == given.len())
                }
            }
            // What nobody could read is never covered: no reach has that verb.
            Self::Effects(reach) => effects.iter().all(|effect| covered(reach, effect)),
        }
    }

    /// Why this does not name a call of its tool.
    fn why_not(&self, call: &ToolCall) -> Option<String> {
        let Self::Tool { tool, arguments, open } = self else { return None };
        if tool != call.tool() {
            return None;
        }
        let given = call.args_object();
        for argument in arguments {
            let name = excerpt(&argument.name);
            match given.get(&argument.name) {
                None if argument.optional => {}
                None => {
                    return Some(format!(
                        "`{name}` is missing, which must be {}",
                        argument.constraint.describe()
                    ));
                }
                Some(value) => match argument.constraint.check(value) {
                    Check::Yes => {}
                    Check::No => {
                        return Some(format!(
                            "`{name}` is {}, not {}",
                            shown(value),
                            argument.constraint.describe()
                        ));
                    }
                    Check::Mismatch { expected, found } => {
                        return Some(format!(
                            "`{name}` must be {}, for which {expected} is needed, and {} is {found}",
                            argument.constraint.describe(),
                            shown(value),
                        ));
                    }
                },
            }
        }
        let known = |name: &str| arguments.iter().any(|argument| argument.name == name);
        let unknown = given.iter().map(|(name, _)| name).find(|name| !*open && !known(name))?;
        Some(format!("`{}` is an argument it does not name", excerpt(unknown)))
    }

    /// Whether it says something of an argument: that it is not just any call of a tool.
    pub fn constrains_an_argument(&self) -> bool {
        match self {
            Self::Tool { arguments, .. } => arguments
                .iter()
                .any(|argument| !argument.optional && argument.constraint != Constraint::AnyValue),
            Self::Effects(_) => false,
        }
    }

    /// In words: ``read_file, where `path` is under `/srv` ``.
    pub fn describe(&self) -> String {
        match self {
            Self::Effects(reach) => {
                let reach: Vec<String> = reach.iter().map(Reach::describe).collect();
                format!("any tool that does nothing but {}", reach.join("; "))
            }
            Self::Tool { tool, arguments, open: true } if arguments.is_empty() => {
                format!("{tool}, with any arguments")
            }
            Self::Tool { tool, arguments, open: false } if arguments.is_empty() => {
                format!("{tool}, without arguments")
            }
            Self::Tool { tool, arguments, open } => {
                let mut parts: Vec<String> = arguments.iter().map(Argument::describe).collect();
                if *open {
                    parts.push("other arguments are free".to_owned());
                }
                format!("{tool}, where {}", parts.join(", "))
            }
        }
    }
}

impl Argument {
    fn describe(&self) -> String {
        let name = excerpt(&self.name);
        match (&self.constraint, self.optional) {
            (Constraint::AnyValue, false) => format!("`{name}` is anything"),
            (Constraint::AnyValue, true) => format!("`{name}` may be given"),
            (constraint, false) => format!("`{name}` is {}", constraint.describe()),
            (constraint, true) => format!("`{name}`, if given, is {}", constraint.describe()),
        }
    }
}

impl Capability {
    fn write(&self, to: &mut Writer) {
        let tier = match self.tier {
            Tier::Always => 0,
            Tier::Gated => 1,
        };
        match &self.deed {
            Deed::Tool { tool, arguments, open } => {
                to.map(4).uint(1).uint(tier).uint(2).text(tool.as_str()).uint(3).map(arguments.len());
                let mut arguments: Vec<&Argument> = arguments.iter().collect();
                arguments.sort_by(|a, b| text_order(&a.name, &b.name));
                for argument in arguments {
                    to.text(&argument.name).array(2).bool(argument.optional);
                    wire::write(&argument.constraint, to);
                }
                to.uint(4).bool(*open);
            }
            Deed::Effects(reach) => {
                to.map(2).uint(1).uint(tier).uint(5);
                write_reach(reach, to);
            }
        }
    }

    fn read(from: &mut Reader<'_>, budget: &mut Budget) -> Result<Self, DecodeError> {
        let mut keys = Keys::of(from)?;
        if keys.next(from)? != Some(1) {
            return from.refuse("a capability has no tier");
        }
        let tier = match from.uint()? {
            0 => Tier::Always,
            1 => Tier::Gated,
            _ => return from.refuse("a tier is not known"),
        };
        let deed = match keys.next(from)? {
            Some(2) => {
                let Ok(tool) = ToolName::parse(from.text()?) else {
                    return from.refuse("a tool has a name that tools do not have");
                };
                if keys.next(from)? != Some(3) {
                    return from.refuse("a capability says nothing of arguments");
                }
                let arguments = read_arguments(from, budget)?;
                if keys.next(from)? != Some(4) {
                    return from.refuse("a capability does not say whether other arguments may come");
                }
                Deed::Tool { tool, arguments, open: from.bool()? }
            }
            Some(5) => Deed::Effects(read_reach(from, budget)?),
            Some(_) | None => return from.refuse("a capability names neither a tool nor effects"),
        };
        if keys.next(from)?.is_some() {
            return from.refuse("a field is not known");
        }
        Ok(Self { tier, deed })
    }

    /// In words.
    pub fn describe(&self) -> String {
        match self.tier {
            Tier::Always => self.deed.describe(),
            Tier::Gated => format!("{}, after a person approved the call", self.deed.describe()),
        }
    }
}

fn read_arguments(from: &mut Reader<'_>, budget: &mut Budget) -> Result<Vec<Argument>, DecodeError> {
    let length = from.map()?;
    if length > ARGUMENTS_MAX {
        return from.refuse("a capability has too many arguments");
    }
    let mut arguments: Vec<Argument> = Vec::new();
    for _ in 0..length {
        let name = from.text()?;
        let after = |argument: &Argument| text_order(&argument.name, name) == std::cmp::Ordering::Less;
        if !arguments.last().is_none_or(after) {
            return from.refuse("keys are out of order, or one appears twice");
        }
        from.array_of(2)?;
        let optional = from.bool()?;
        let constraint = wire::read(from, budget, 0)?;
        arguments.push(Argument { name: name.to_owned(), optional, constraint });
    }
    Ok(arguments)
}

pub(super) fn write_reach(reach: &[Reach], to: &mut Writer) {
    to.array(reach.len());
    for reach in reach {
        reach.write(to);
    }
}

fn read_reach(from: &mut Reader<'_>, budget: &mut Budget) -> Result<Vec<Reach>, DecodeError> {
    let length = from.array()?;
    if length == 0 || length > CAPABILITIES_MAX {
        return from.refuse("there are no effects, or too many");
    }
    (0..length).map(|_| Reach::read(from, budget)).collect()
}
