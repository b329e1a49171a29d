//! The digest is a function of meaning: order and spacing do not matter, every byte of a value does.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{CallDigest, Json, ToolCall, ToolName, canonical, json::Object};

fn call(args: Object, agent: &str) -> ToolCall {
    ToolCall::new(ToolName::parse("bash").expect("a plain name"), args).with_agent(agent)
}

fuzz_target!(|text: &str| {
    // A key, an agent and a value, a line each.
    let mut lines = text.splitn(3, '\n');
    let (key, agent, value) =
        (lines.next().unwrap_or(""), lines.next().unwrap_or(""), lines.next().unwrap_or(""));
    let value = Json::read(value).unwrap_or_else(|_| Json::from(value));
    let pairs = [(key.to_owned(), value), (format!("{key}2"), Json::from("x"))];
    let forth = Object::from_pairs(pairs.clone()).expect("two keys that differ");
    let back = Object::from_pairs(pairs.into_iter().rev()).expect("two keys that differ");

    let digest = CallDigest::of(&call(forth.clone(), agent), &[]);
    assert_eq!(digest, CallDigest::of(&call(back, agent), &[]), "the order of keys does not matter");
    assert_eq!(CallDigest::parse(&digest.to_string()), Ok(digest), "a digest reads back");

    let written = canonical::to_string(&Json::Object(forth.clone()));
    let Json::Object(again) = Json::read(&written).expect("the canonical form reads") else { unreachable!() };
    assert_eq!(digest, CallDigest::of(&call(again, agent), &[]), "spelling does not matter");

    let other = CallDigest::of(&call(forth.clone(), &format!("{agent}.")), &[]);
    assert_ne!(digest, other, "another agent is another call");
    let second = format!("{key}2");
    let without = CallDigest::of(&call(forth, agent), &[second.as_str()]);
    assert_ne!(digest, without, "an argument less is another call");
});
