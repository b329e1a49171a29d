//! Requests to the web: which method, where to, and what goes along.

use super::{
    Effect, Manner, Role, Seen, Target, TargetKind, Verb,
    act::Act,
    asked::{Asked, Leaf},
    shape, url,
};
use crate::Json;

/// What a request would do.
pub fn read(asked: &Asked<'_>, _act: Act, seen: Seen) -> Vec<Effect> {
    let method = ["method", "http_method", "verb"].iter().find_map(|key| asked.arg(key)).unwrap_or("GET");
    let body = ["body", "data", "json", "payload", "form", "files"]
        .iter()
        .any(|key| asked.call.arg(key).is_some_and(|value| !value.is_null()));
    let looks = matches!(method.to_ascii_uppercase().as_str(), "GET" | "HEAD" | "OPTIONS") && !body;
    let deletes = method.eq_ignore_ascii_case("DELETE");
    let mut effects = Vec::new();
    for leaf in &asked.leaves {
        let Some(text) = leaf.text() else { continue };
        let told = leaf.told == Some(Role::Url);
        if told || leaf.usual == Some(Role::Url) || leaf.told.is_none() && shape::is_address(text) {
            request(asked, leaf, text, (looks, deletes), seen, &mut effects);
        }
        // A prompt may name pages as well.
        if leaf.told == Some(Role::Task) {
            for word in text.split_whitespace().take(2_000).filter(|word| word.contains("://")).take(20) {
                request(
                    asked,
                    leaf,
                    word.trim_matches(['(', ')', '<', '>', '"', '\'', ',', '.']),
                    (looks, deletes),
                    seen,
                    &mut effects,
                );
            }
        }
    }
    if effects.is_empty() {
        let target = Target::new(TargetKind::Url, "the web").at(Act::TRANSMIT.place);
        effects.push(
            Effect::new(if looks { Verb::Read } else { Verb::Send }, target, asked.nowhere()).seen(seen),
        );
    }
    // A token in the headers goes to whoever is asked.
    let headers = asked.call.arg("headers").and_then(Json::as_object);
    let with_token =
        headers.is_some_and(|headers| headers.iter().any(|(name, _)| is_credential_header(name)));
    if with_token && effects.iter().any(|effect| effect.target.external() && effect.verb != Verb::Read) {
        for effect in effects.iter_mut().filter(|effect| effect.words.is_none()) {
            effect.words = Some("with credentials in a header".into());
        }
    }
    let act = if looks { Act::LOOK } else { Act::TRANSMIT };
    let claimed = [Role::Url, Role::Task, Role::Content, Role::Plain, Role::Action];
    let mut rest = Vec::new();
    shape::read_rest(asked, act, seen, &claimed, &mut rest);
    let spans: Vec<_> = effects.iter().map(|effect| effect.because.clone()).collect();
    effects.extend(
        rest.into_iter().filter(|effect| effect.verb == Verb::Opaque || !spans.contains(&effect.because)),
    );
    if effects.iter().any(|effect| effect.manner.has(Manner::CARRIES_SECRET)) {
        for effect in effects.iter_mut().filter(|effect| effect.verb == Verb::Send) {
            effect.manner |= Manner::CARRIES_SECRET;
        }
    }
    effects
}

fn request(
    asked: &Asked<'_>,
    leaf: &Leaf<'_>,
    text: &str,
    (looks, deletes): (bool, bool),
    seen: Seen,
    effects: &mut Vec<Effect>,
) {
    // Tools that take an address often take a file as well.
    if ["/", "~/", "./", "../"].iter().any(|start| text.starts_with(start)) && !text.starts_with("//") {
        effects.push(shape::path_effect(asked, leaf, text, Act::LOOK, seen));
        return;
    }
    let address = url::read(text);
    if let Some(path) = &address.path {
        effects.push(shape::path_effect(asked, leaf, path, Act::LOOK, seen));
        return;
    }
    let verb = match (looks && !address.speaks(), deletes) {
        (true, _) => Verb::Read,
        (false, true) => Verb::Delete,
        (false, false) => Verb::Send,
    };
    effects.push(address.effect(verb, leaf.span()).seen(seen));
}

fn is_credential_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(name.as_str(), "authorization" | "cookie" | "proxy-authorization")
        || name.contains("token")
        || name.contains("api-key")
}
