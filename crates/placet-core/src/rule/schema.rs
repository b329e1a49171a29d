//! The shape of a file of rules as a JSON schema, for editors.

use crate::{
    EventKind,
    assess::{HumanImpact, SideEffectClass},
    constraint::OPERATORS,
    effect::{Extent, Manner, Place, Seen, Sensitivity, TargetKind, Undo, Verb},
    json::{Json, Object},
    rule::{
        By, RulePolicy, Severity,
        condition::{ASSESSMENT_KEYS, Field},
        read::names,
    },
};

/// The schema (draft 2020-12) of a file of rules.
pub fn schema() -> Json {
    let rule = reference("rule");
    let pack = object([
        ("type", "object".into()),
        ("required", list(["rules"])),
        ("additionalProperties", false.into()),
        (
            "properties",
            object([
                ("pack", text("The name of the pack.")),
                ("about", text("What it is for.")),
                ("rules", array(rule.clone())),
            ]),
        ),
    ]);
    object([
        ("$schema", "https://json-schema.org/draft/2020-12/schema".into()),
        ("title", "Placet rules".into()),
        ("anyOf", Json::Array(vec![pack, array(rule.clone()), rule])),
        (
            "$defs",
            object([
                ("rule", rule_schema()),
                ("condition", condition()),
                ("step", step()),
                ("effect", effect()),
                ("constraint", constraint()),
                ("example", example()),
            ]),
        ),
    ])
}

fn rule_schema() -> Json {
    let events = EventKind::ALL.map(EventKind::as_str);
    closed(
        &["id", "title", "why", "severity", "policy", "examples"],
        [
            ("id", text("Small letters, digits and `-`, with `.` between parts.")),
            ("title", text("What was seen, in one line.")),
            ("why", text("Why it matters, in a sentence.")),
            ("severity", one_of(Severity::ALL.map(Severity::as_str))),
            ("policy", one_of(RulePolicy::ALL.map(RulePolicy::as_str))),
            ("on", one_or_more(&events)),
            ("when", reference("condition")),
            (
                "window",
                closed(
                    &["within"],
                    [
                        ("count", kind("integer")),
                        (
                            "distinct",
                            closed(&["of", "count"], [("of", kind("string")), ("count", kind("integer"))]),
                        ),
                        (
                            "sum",
                            closed(&["of", "least"], [("of", kind("string")), ("least", kind("number"))]),
                        ),
                        ("within", duration()),
                        ("by", one_of(names::<By>())),
                    ],
                ),
            ),
            (
                "sequence",
                closed(
                    &["within", "steps"],
                    [
                        ("within", duration()),
                        ("by", one_of(names::<By>())),
                        ("steps", array(reference("step"))),
                        ("without", reference("step")),
                    ],
                ),
            ),
            (
                "approval",
                closed(
                    &[],
                    [
                        ("approve", kind("integer")),
                        ("deny", kind("integer")),
                        ("who", text("A group of `[groups]` in the configuration.")),
                    ],
                ),
            ),
            ("references", array(kind("string"))),
            (
                "examples",
                closed(
                    &["match", "no_match"],
                    [("match", array(reference("example"))), ("no_match", array(reference("example")))],
                ),
            ),
        ],
    )
}

fn condition_properties() -> Vec<(&'static str, Json)> {
    let mut properties = vec![
        ("effect", reference("effect")),
        (
            "assessment",
            closed(
                &[],
                ASSESSMENT_KEYS.iter().map(|key| {
                    let shape = match *key {
                        "class" => one_or_more(&names::<SideEffectClass>()),
                        "human_impact" => one_or_more(&names::<HumanImpact>()),
                        "risk" | "confidence" => reference("constraint"),
                        _ => kind("boolean"),
                    };
                    (*key, shape)
                }),
            ),
        ),
        ("all", array(reference("condition"))),
        ("any", array(reference("condition"))),
        ("not", reference("condition")),
    ];
    properties.extend(Field::NAMED.iter().map(|(_, name)| (*name, reference("constraint"))));
    properties
}

fn condition() -> Json {
    with_arguments(condition_properties())
}

fn step() -> Json {
    let mut properties = condition_properties();
    properties.push(("on", one_or_more(&EventKind::ALL.map(EventKind::as_str))));
    with_arguments(properties)
}

fn with_arguments(properties: Vec<(&'static str, Json)>) -> Json {
    object([
        ("type", "object".into()),
        ("properties", object(properties)),
        ("patternProperties", object([(r"^arg\..+", reference("constraint"))])),
        ("additionalProperties", false.into()),
    ])
}

fn effect() -> Json {
    closed(
        &[],
        [
            ("verb", one_or_more(&names::<Verb>())),
            (
                "target",
                closed(
                    &[],
                    [
                        ("kind", one_or_more(&names::<TargetKind>())),
                        ("name", reference("constraint")),
                        ("place", one_or_more(&names::<Place>())),
                        ("external", kind("boolean")),
                        ("sensitivity", one_or_more(&names::<Sensitivity>())),
                    ],
                ),
            ),
            ("extent", one_or_more(&names::<Extent>())),
            ("undo", one_or_more(&names::<Undo>())),
            ("seen", one_or_more(&names::<Seen>())),
            ("manner", one_or_more(&Manner::all_names().collect::<Vec<_>>())),
        ],
    )
}

fn constraint() -> Json {
    let operators = object(OPERATORS.iter().map(|name| (*name, object::<&str>([]))));
    let operators = object([
        ("type", "object".into()),
        ("properties", operators),
        ("additionalProperties", false.into()),
        ("minProperties", 1.into()),
    ]);
    let plain = object([("type", list(["string", "number", "boolean", "null", "array"]))]);
    object([("anyOf", Json::Array(vec![plain, operators]))])
}

fn example() -> Json {
    let one = Json::Array(vec![kind("string"), kind("object")]);
    let one = object([("anyOf", one)]);
    object([("anyOf", Json::Array(vec![one.clone(), array(one)]))])
}

fn duration() -> Json {
    object([("type", "string".into()), ("pattern", r"^[0-9]+[smhd]$".into())])
}

fn closed<'k>(required: &[&str], properties: impl IntoIterator<Item = (&'k str, Json)>) -> Json {
    object([
        ("type", "object".into()),
        ("required", list(required.iter().copied())),
        ("properties", object(properties)),
        ("additionalProperties", false.into()),
    ])
}

fn object<K: Into<String>>(pairs: impl IntoIterator<Item = (K, Json)>) -> Json {
    Json::Object(Object::from_pairs(pairs).unwrap_or_default())
}

fn list<'w>(words: impl IntoIterator<Item = &'w str>) -> Json {
    Json::Array(words.into_iter().map(Json::from).collect())
}

fn one_of<'w>(words: impl IntoIterator<Item = &'w str>) -> Json {
    object([("enum", list(words))])
}

fn one_or_more(words: &[&str]) -> Json {
    let one = one_of(words.iter().copied());
    object([("anyOf", Json::Array(vec![one.clone(), array(one)]))])
}

fn array(items: Json) -> Json {
    object([("type", "array".into()), ("items", items)])
}

fn kind(name: &str) -> Json {
    object([("type", name.into())])
}

fn text(description: &str) -> Json {
    object([("type", "string".into()), ("description", description.into())])
}

fn reference(name: &str) -> Json {
    object([("$ref", format!("#/$defs/{name}").into())])
}
