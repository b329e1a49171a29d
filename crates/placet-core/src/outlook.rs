//! How the calls of a tool would be judged, before anybody makes one: which interpreter, which roles, and what happens by default.

use serde::Serialize;

use crate::{
    Json, Policy, ToolDefinition, Verdict,
    assess::{Score, SideEffectClass},
    decide,
    effect::{
        Role, schema_role,
        tool_table::{self, Interpreter},
    },
    json::Object,
};

/// How the calls of a tool would be judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outlook {
    /// The tool.
    pub tool: String,
    /// How it is read; absent if only its words tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads_as: Option<Interpreter>,
    /// Who says so.
    pub known_from: KnownFrom,
    /// The host or server it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'static str>,
    /// Its arguments, and what they are for.
    pub arguments: Vec<Argument>,
    /// Whether the answer depends on what is in the arguments, so that the rest is only an example.
    pub by_its_arguments: bool,
    /// What a plain call is.
    #[serde(flatten)]
    pub plain: Prospect,
    /// What it is for each action that the schema names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<ActionOutlook>,
}

/// What a call that asks for one action is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ActionOutlook {
    /// The action.
    pub action: String,
    /// What would be said of it.
    #[serde(flatten)]
    pub prospect: Prospect,
}

/// Who says how a tool is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KnownFrom {
    /// The operator's configuration.
    Configuration,
    /// The tool table.
    Table,
    /// The words of its name, and what it says of itself.
    Words,
}

/// An argument and what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// What it is for; absent if only its shape will tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Who says so.
    pub from: RoleFrom,
}

/// Who says what an argument is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RoleFrom {
    /// The operator's configuration.
    Configuration,
    /// The tool table.
    Table,
    /// What an argument of that name usually is.
    Name,
    /// The schema of the tool; untrusted.
    Schema,
    /// Nobody: its shape will tell.
    Shape,
}

/// What would be said of a call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prospect {
    /// What would happen.
    pub verdict: Verdict,
    /// The kind of its side effects.
    pub side_effect_class: SideEffectClass,
    /// How risky.
    pub risk_score: Score,
    /// How sure.
    pub confidence: Score,
    /// Why, in sentences.
    pub reasons: Vec<String>,
}

/// Actions that are looked at.
const ACTIONS_MAX: usize = 40;
/// Arguments that are looked at.
const ARGUMENTS_MAX: usize = 100;

impl Outlook {
    /// How calls of the tool so defined would be judged under `policy`.
    pub fn of(definition: &ToolDefinition, policy: &Policy) -> Self {
        let name = definition.name().as_str();
        let setting = policy.tool(name);
        let found = tool_table::find(name, &policy.servers);
        let set = setting.and_then(|setting| setting.reads_as);
        let reads_as = set.or_else(|| found.map(|found| found.tool.interpreter));
        let arguments = arguments(definition, policy);
        let sample = |action: Option<(&str, &str)>| {
            let decision = decide(&definition.call(sample(definition, &arguments, action)), policy);
            let assessment = decision.assessment.as_ref();
            Prospect {
                verdict: decision.verdict,
                side_effect_class: assessment
                    .map_or(SideEffectClass::Critical, |assessment| assessment.side_effect_class),
                risk_score: assessment.map_or(Score::ONE, |assessment| assessment.risk_score),
                confidence: assessment.map_or(Score::ZERO, |assessment| assessment.confidence),
                reasons: decision.reasons,
            }
        };
        let actions = actions(definition, &arguments);
        Self {
            tool: name.to_owned(),
            reads_as,
            known_from: match (set, found) {
                (Some(_), _) => KnownFrom::Configuration,
                (None, Some(_)) => KnownFrom::Table,
                (None, None) => KnownFrom::Words,
            },
            source: found.map(|found| tool_table::sources()[found.tool.source].title),
            by_its_arguments: reads_as.is_some_and(by_its_arguments),
            plain: sample(None),
            actions: actions
                .iter()
                .map(|(key, action)| ActionOutlook {
                    action: (*action).to_owned(),
                    prospect: sample(Some((key, action))),
                })
                .collect(),
            arguments,
        }
    }
}

/// Whether what such a tool does is what its arguments say.
fn by_its_arguments(interpreter: Interpreter) -> bool {
    match interpreter {
        Interpreter::Shell
        | Interpreter::WindowsShell
        | Interpreter::Read
        | Interpreter::Search
        | Interpreter::Write
        | Interpreter::Edit
        | Interpreter::Patch
        | Interpreter::Delete
        | Interpreter::Move
        | Interpreter::Python
        | Interpreter::Javascript
        | Interpreter::Sql
        | Interpreter::Web
        | Interpreter::Device
        | Interpreter::Browser
        | Interpreter::Process => true,
        Interpreter::Message
        | Interpreter::Money
        | Interpreter::Schedule
        | Interpreter::Delegation
        | Interpreter::Grant
        | Interpreter::Memory
        | Interpreter::Look
        | Interpreter::Change
        | Interpreter::Remove
        | Interpreter::Destroy
        | Interpreter::Run
        | Interpreter::Configure
        | Interpreter::Disrupt
        | Interpreter::Install => false,
    }
}

/// The properties of a definition's schema.
fn properties(definition: &ToolDefinition) -> Option<&Object> {
    definition.schema()?.get("properties")?.as_object()
}

/// Every argument anybody knows of, and what it is for.
fn arguments(definition: &ToolDefinition, policy: &Policy) -> Vec<Argument> {
    let name = definition.name().as_str();
    let set = policy.tool(name).map(|setting| &setting.roles);
    let table = tool_table::find(name, &policy.servers).map_or(&[][..], |found| &found.tool.roles);
    let declared: Vec<&str> = properties(definition)
        .into_iter()
        .flat_map(Object::iter)
        .map(|(name, _)| name)
        .take(ARGUMENTS_MAX)
        .collect();
    let schema = definition.schema().cloned().map(Json::Object);
    let of = |name: &str| {
        let (role, from) = if let Some(role) = set.and_then(|set| set.get(name)) {
            (Some(*role), RoleFrom::Configuration)
        } else if let Some((_, role)) = table.iter().find(|(known, _)| *known == name) {
            (Some(*role), RoleFrom::Table)
        } else if let Some(role) = Role::of_key(name) {
            (Some(role), RoleFrom::Name)
        } else if let Some(role) = schema.as_ref().and_then(|schema| schema_role(schema, name)) {
            (Some(role), RoleFrom::Schema)
        } else {
            (None, RoleFrom::Shape)
        };
        Argument { name: name.to_owned(), role, from }
    };
    if !declared.is_empty() {
        return declared.into_iter().map(of).collect();
    }
    let mut names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
    names.extend(set.into_iter().flatten().map(|(name, _)| name.as_str()));
    names.dedup();
    names.into_iter().map(of).collect()
}

/// The actions that the schema names for an argument that says what is done.
fn actions<'d>(definition: &'d ToolDefinition, arguments: &'d [Argument]) -> Vec<(&'d str, &'d str)> {
    let Some(argument) = arguments.iter().find(|argument| argument.role == Some(Role::Action)) else {
        return Vec::new();
    };
    let property = properties(definition).and_then(|properties| properties.get(&argument.name));
    let words =
        property.and_then(|property| property.get("enum")).and_then(Json::as_array).unwrap_or_default();
    words
        .iter()
        .filter_map(Json::as_str)
        .take(ACTIONS_MAX)
        .map(|word| (argument.name.as_str(), word))
        .collect()
}

/// Plain arguments, as an example: those that are required, or all if none is.
fn sample(definition: &ToolDefinition, arguments: &[Argument], action: Option<(&str, &str)>) -> Object {
    let required = definition.schema().and_then(|schema| schema.get("required")).and_then(Json::as_array);
    let is_required =
        |name: &str| required.is_none_or(|names| names.iter().any(|known| known.as_str() == Some(name)));
    let mut pairs: Vec<(String, Json)> = Vec::new();
    for argument in arguments.iter().filter(|argument| is_required(&argument.name)) {
        let property = properties(definition).and_then(|properties| properties.get(&argument.name));
        let kind = property.and_then(|property| property.get("type")).and_then(Json::as_str);
        let first = property
            .and_then(|property| property.get("enum"))
            .and_then(Json::as_array)
            .and_then(<[Json]>::first);
        let value = match (kind, argument.role) {
            (Some("boolean"), _) => continue,
            (Some("integer" | "number"), _) => Json::from(1),
            (_, Some(Role::Action)) if action.is_some() => continue,
            _ if first.is_some() => first.cloned().unwrap_or(Json::Null),
            (kind, role) => {
                let text = Json::from(example(role));
                if kind == Some("array") { Json::from(vec![text]) } else { text }
            }
        };
        pairs.push((argument.name.clone(), value));
    }
    pairs.extend(action.map(|(key, action)| (key.to_owned(), Json::from(action))));
    Object::from_pairs(pairs).unwrap_or_default()
}

/// Something harmless for an argument to be.
fn example(role: Option<Role>) -> &'static str {
    match role {
        Some(Role::Path) => "notes.md",
        Some(Role::Url) => "https://example.org/",
        Some(Role::Command) => "true",
        Some(Role::Code) => "1",
        Some(Role::Sql) => "select 1",
        Some(Role::Recipient | Role::Grantee) => "ann@example.org",
        Some(Role::Channel) => "#general",
        Some(Role::Device) => "light.kitchen",
        Some(_) | None => "x",
    }
}
