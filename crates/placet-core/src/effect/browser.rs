//! A browser or a desktop that an agent drives: where it goes, what it presses, what it types, what it runs in a page.

use super::{
    Effect, Manner, Place, Role, Seen, Sensitivity, Target, TargetKind, Undo, Verb,
    act::{self, Act},
    asked::{Asked, Leaf},
    shape, shell, url, words,
};

/// What is done in a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Looks at the page, the console, the requests.
    Look,
    /// Goes to another page.
    Go,
    /// Presses, types, drags, answers.
    Press,
    /// Runs code in the page.
    Run,
    /// Gives the page a file.
    Upload,
    /// Reads cookies or what the page keeps.
    ReadSession,
    /// Changes cookies or what the page keeps.
    WriteSession,
    /// Opens, closes or shapes the browser itself.
    Window,
    /// Speaks to the browser below all of that.
    Protocol,
}

/// What a step in a browser would do.
pub fn read(asked: &Asked<'_>, _act: Act, seen: Seen) -> Vec<Effect> {
    let mut effects = Vec::new();
    let step = step(asked);
    let page = || Target::new(TargetKind::Service, "the open page").at(Place::Away);
    match step {
        Step::Look => effects.push(Effect::new(Verb::Read, page(), asked.nowhere()).seen(seen)),
        Step::Go => go(asked, seen, &mut effects),
        Step::Press => press(asked, seen, page(), &mut effects),
        Step::Run => {}
        Step::Upload => {
            for (leaf, text) in asked.texts(Role::Path) {
                let file = shape::path_effect(asked, leaf, text, Act::MESSAGE, seen);
                let secret = file.manner.has(Manner::CARRIES_SECRET);
                effects.push(file);
                let sent =
                    Effect::new(Verb::Send, page(), leaf.span()).seen(seen).words("a file for the open page");
                effects.push(if secret { sent.manner(Manner::CARRIES_SECRET) } else { sent });
            }
            if effects.is_empty() {
                effects.push(Effect::new(Verb::Send, page(), asked.nowhere()).seen(seen));
            }
        }
        Step::ReadSession => {
            let target = page().with(Sensitivity::Credential);
            effects.push(
                Effect::new(Verb::Read, target, asked.nowhere())
                    .seen(seen)
                    .words("cookies and tokens of the user"),
            );
        }
        Step::WriteSession => {
            let effect = Effect::new(Verb::Write, page(), asked.nowhere()).seen(seen);
            effects.push(effect.words("what the page keeps about the user"));
        }
        Step::Window => {
            let target = Target::new(TargetKind::Session, "the browser").at(Place::Scratch);
            effects
                .push(Effect::new(Verb::Configure, target, asked.nowhere()).undo(Undo::Trivial).seen(seen));
        }
        Step::Protocol => protocol(asked, seen, page(), &mut effects),
    }
    for (leaf, text) in asked.texts(Role::Code) {
        run(asked, leaf, text, seen, &mut effects);
    }
    if step == Step::Run && effects.is_empty() {
        effects.push(Effect::opaque("no argument holds the code to run", asked.nowhere()));
    }
    let claimed =
        [Role::Url, Role::Content, Role::Code, Role::Path, Role::Action, Role::Plain, Role::Session];
    shape::read_rest(asked, Act::CHANGE, seen, &claimed, &mut effects);
    effects
}

/// What the call asks for, or else what the name of the tool says.
fn step(asked: &Asked<'_>) -> Step {
    let action = asked.action_words().filter(|words| !matches!(words[0].as_str(), "act"));
    let words = action.or_else(|| asked.arg("kind").map(words::split));
    let words = words.as_ref().unwrap_or(&asked.words);
    let says = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let keeps = says(&["cookie", "cookies", "storage", "localstorage", "sessionstorage"]);
    if says(&["cdp", "devtools"]) {
        Step::Protocol
    } else if keeps && says(&["set", "clear", "delete"]) {
        Step::WriteSession
    } else if keeps {
        Step::ReadSession
    } else if says(&["evaluate", "eval", "script", "javascript", "code", "execute"]) {
        Step::Run
    } else if says(&["upload", "drop"]) {
        Step::Upload
    } else if says(&["navigate", "goto", "visit", "reload", "back", "forward", "open"])
        || says(&["new"]) && says(&["page", "tab"])
    {
        Step::Go
    } else if says(&["console", "messages", "requests", "request"]) {
        Step::Look
    } else if says(&[
        "click",
        "press",
        "type",
        "fill",
        "select",
        "drag",
        "check",
        "uncheck",
        "key",
        "keydown",
        "keyup",
        "tap",
        "dialog",
        "act",
        "submit",
        "double",
        "right",
        "middle",
        "mouse",
        "set",
        "sequentially",
    ]) {
        Step::Press
    } else if says(&[
        "close",
        "resize",
        "tabs",
        "focus",
        "hide",
        "show",
        "emulate",
        "start",
        "stop",
        "highlight",
        "annotate",
        "tracing",
        "video",
        "recording",
        "install",
    ]) {
        Step::Window
    } else if act::of_name(words).is_some_and(Act::looks)
        || says(&["snapshot", "screenshot", "images", "vision", "capture", "pdf", "wait"])
    {
        Step::Look
    } else {
        Step::Press
    }
}

fn go(asked: &Asked<'_>, seen: Seen, effects: &mut Vec<Effect>) {
    for (leaf, text) in asked.texts(Role::Url) {
        if let Some(script) = shape::strip_scheme(text, "javascript:") {
            run(asked, leaf, script, seen, effects);
            continue;
        }
        let address = url::read(text);
        match &address.path {
            Some(path) => effects.push(shape::path_effect(asked, leaf, path, Act::LOOK, seen)),
            // A page is asked for with the cookies of whoever is logged in.
            None => effects.push(address.effect(Verb::Send, leaf.span()).seen(seen)),
        }
    }
    if effects.is_empty() {
        let target = Target::new(TargetKind::Service, "the page before or after").at(Place::Away);
        effects.push(Effect::new(Verb::Read, target, asked.nowhere()).seen(seen));
    }
}

/// What pressing something means is written on it, as far as the agent says what it presses.
fn press(asked: &Asked<'_>, seen: Seen, page: Target, effects: &mut Vec<Effect>) {
    effects.push(Effect::new(Verb::Write, page.clone(), asked.nowhere()).seen(seen));
    for leaf in &asked.leaves {
        let Some(text) = leaf.text() else { continue };
        let label = matches!(
            leaf.key,
            "element" | "label" | "name" | "selector" | "button" | "description" | "target" | "accept"
        );
        if label && text.len() < 200 {
            let words = words::split(text);
            let secret = words.iter().any(|word| {
                matches!(word.as_str(), "password" | "passcode" | "pin" | "otp" | "cvv" | "cvc" | "iban")
            });
            let pays = words.iter().any(|word| {
                matches!(
                    word.as_str(),
                    "buy" | "pay" | "purchase" | "checkout" | "donate" | "subscribe" | "bid" | "cvv" | "cvc"
                )
            }) || words
                .windows(2)
                .any(|pair| pair == ["place", "order"] || pair == ["card", "number"]);
            let deletes = words.iter().any(|word| {
                matches!(word.as_str(), "delete" | "erase" | "wipe" | "deactivate" | "terminate")
            });
            let sends = words
                .iter()
                .any(|word| matches!(word.as_str(), "send" | "publish" | "post" | "tweet" | "reply"));
            let grants = words
                .iter()
                .any(|word| matches!(word.as_str(), "authorize" | "invite" | "grant" | "share" | "approve"));
            let said = [
                (pays, Act::MONEY),
                (deletes, Act::DESTROY),
                (grants, Act::AUTHORITY),
                (sends, Act::MESSAGE),
            ];
            for (_, act) in said.into_iter().filter(|(says, _)| *says) {
                let target = Target { kind: act.kind, ..page.clone() };
                let effect = Effect::new(act.verb, target, leaf.span()).undo(act.undo);
                effects.push(effect.seen(Seen::Likely).words("by what is written on it"));
            }
            if secret {
                effects[0].target = effects[0].target.clone().with(Sensitivity::Private);
            }
        }
    }
    if asked.flag("submit") {
        effects.push(Effect::new(Verb::Send, page, asked.nowhere()).seen(seen).words("submits a form"));
    }
}

/// What code in a page reads of the user.
const SESSION_WORDS: &[&str] = &[
    "document.cookie",
    "localStorage",
    "sessionStorage",
    "indexedDB",
    "cookieStore",
    "navigator.credentials",
];
/// How code in a page talks to others.
const SENDING_WORDS: &[&str] =
    &["fetch(", "XMLHttpRequest", "sendBeacon", "WebSocket", ".submit(", "new Image", ".src=", ".src ="];
/// How code in a page presses things.
const PRESSING_WORDS: &[&str] = &[".click(", "dispatchEvent", ".value=", ".value =", "innerHTML", ".remove("];
/// How code in a page goes elsewhere.
const GOING_WORDS: &[&str] =
    &["location=", "location =", "location.href", "window.open", "location.assign", "location.replace"];

/// Code in a page can do what the page can, with the user's own session.
fn run(asked: &Asked<'_>, leaf: &Leaf<'_>, code: &str, seen: Seen, effects: &mut Vec<Effect>) {
    let page = || Target::new(TargetKind::Service, "the open page").at(Place::Away);
    let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
    let (reads, sends) = (has(SESSION_WORDS), has(SENDING_WORDS));
    if reads {
        let target = page().with(Sensitivity::Credential);
        effects.push(
            Effect::new(Verb::Read, target, leaf.span()).seen(seen).words("cookies and tokens of the user"),
        );
    }
    if sends {
        let effect = Effect::new(Verb::Send, page(), leaf.span())
            .seen(seen)
            .words("code in a page talks to others as the user");
        effects.push(if reads { effect.manner(Manner::CARRIES_SECRET) } else { effect });
    }
    if has(PRESSING_WORDS) || has(GOING_WORDS) {
        effects.push(
            Effect::new(Verb::Write, page(), leaf.span())
                .seen(seen)
                .words("code in a page presses and changes things"),
        );
    }
    for hidden in ["eval(", "Function(", "atob("] {
        if code.contains(hidden) {
            let effect = Effect::opaque("code in a page that makes other code", leaf.span());
            effects.push(effect);
            break;
        }
    }
    // The same words may be for a program rather than a page: what that would do counts too.
    let program = shell::interpret_code("javascript", code, leaf.pointer(), asked.call.cwd());
    let computes = program.iter().all(|effect| effect.verb == Verb::Read);
    effects.extend(program.into_iter().filter(|effect| !matches!(effect.verb, Verb::Execute)));
    if !computes {
        let target = Target::new(TargetKind::Command, "code in the open page");
        effects.push(Effect::new(Verb::Execute, target, leaf.span()).seen(seen));
    }
}

/// A command of the DevTools protocol, such as `Network.getAllCookies`.
fn protocol(asked: &Asked<'_>, seen: Seen, page: Target, effects: &mut Vec<Effect>) {
    let method = asked.arg("method").unwrap_or("");
    let words = words::split(method);
    let says = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let span =
        asked.leaves.iter().find(|leaf| leaf.key == "method").map_or_else(|| asked.nowhere(), Leaf::span);
    let effect = if says(&["cookies", "cookie", "storage", "credential", "credentials"]) {
        let verb = if says(&["get"]) { Verb::Read } else { Verb::Write };
        Effect::new(verb, page.with(Sensitivity::Credential), span).words("cookies and tokens of the user")
    } else if method.is_empty() {
        Effect::opaque("no command for the browser", span)
    } else if says(&["get", "describe", "query", "capture", "snapshot", "enable", "version"]) {
        Effect::new(Verb::Read, page, span)
    } else {
        Effect::new(Verb::Write, page, span).words("a command below the page")
    };
    effects.push(effect.seen(seen));
    for leaf in &asked.leaves {
        let Some(text) = leaf.text() else { continue };
        match leaf.key {
            "expression" | "functionDeclaration" | "source" | "scriptSource" => {
                run(asked, leaf, text, seen, effects)
            }
            "url" => effects.push(url::read(text).effect(Verb::Send, leaf.span()).seen(seen)),
            "files" => effects.push(shape::path_effect(asked, leaf, text, Act::MESSAGE, seen)),
            _ => {}
        }
    }
}
