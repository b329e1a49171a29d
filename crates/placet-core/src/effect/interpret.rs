//! From a call to its effects: finds the interpreter and runs it.

use std::borrow::Cow;

use super::{
    Effect, Manner, Pointer, Role, Seen, Span, Target, TargetKind, Verb,
    asked::Asked,
    browser,
    code::Language,
    delegation, device, file, grant, memory, message, money, process, schedule, shape,
    shell::{
        self,
        dialect::{Dialect, Shell},
    },
    tool_table::{self, Found, Interpreter},
    unknown, web, windows,
};
use crate::{
    Json, Policy, ToolCall,
    crisis::{self, Crisis},
    policy::ToolPolicy,
};

/// What was read of a call.
#[derive(Debug)]
pub struct Reading {
    /// Everything it would do; never empty.
    pub effects: Vec<Effect>,
    /// Whether the tool itself is known.
    pub tool_known: bool,
    /// Why it is crisis-sensitive, if it is.
    pub crisis: Option<Crisis>,
}

/// Reads what `call` would do, with nothing known but the built-in table. Total: what cannot be read is an opaque effect.
pub fn interpret(call: &ToolCall) -> Reading {
    interpret_under(call, &Policy::default())
}

/// Reads what `call` would do, with what the operator says of tools, servers and the organisation.
pub fn interpret_under(call: &ToolCall, policy: &Policy) -> Reading {
    Known::of(call, policy).read()
}

/// What the table and the operator know of the tool of a call.
pub struct Known<'c> {
    call: &'c ToolCall,
    policy: &'c Policy,
    found: Option<Found<'c>>,
    setting: Option<&'c ToolPolicy>,
}

impl<'c> Known<'c> {
    /// Looks up the tool of `call`.
    pub fn of(call: &'c ToolCall, policy: &'c Policy) -> Self {
        let name = call.tool().as_str();
        let found = tool_table::find(name, &policy.servers);
        Self { call, policy, found, setting: policy.tool(name) }
    }

    /// What the call would do.
    pub fn read(&self) -> Reading {
        let set = self.setting.and_then(|setting| setting.reads_as);
        let interpreter = set.or_else(|| self.found.map(|found| found.tool.interpreter));
        let roles = self.found.map_or(&[][..], |found| &found.tool.roles);
        let name = self.call.tool().as_str();
        let plain = self.found.map_or_else(|| tool_table::plain_name(name), |found| found.name);
        let of_operator = self.setting.map(|setting| &setting.roles);
        let asked = || Asked::new(self.call, self.policy, plain, roles, of_operator);
        let mut effects = match interpreter {
            Some(interpreter) => by_interpreter(self.call, plain, interpreter, roles, self.setting, asked),
            None => unknown::interpret(&asked()),
        };
        if effects.is_empty() {
            effects.push(Effect::opaque("nothing could be read", nowhere()));
        }
        let crisis = crisis::of_call(self.call, plain, &effects, self.policy);
        Reading { effects, tool_known: interpreter.is_some(), crisis }
    }

    /// The arguments that are a remark: outside the digest, and never read.
    pub fn remarks(&self) -> Vec<&'c str> {
        let set = self.setting.map(|setting| &setting.roles);
        let told = self.found.into_iter().flat_map(|found| found.tool.without_effect());
        // What the operator says of an argument goes before what the table says.
        let mut remarks: Vec<&'c str> =
            told.filter(|name| set.is_none_or(|set| !set.contains_key(*name))).collect();
        let of_operator = set.into_iter().flatten().filter(|(_, role)| **role == Role::Ignored);
        remarks.extend(of_operator.map(|(name, _)| name.as_str()));
        remarks
    }
}

fn by_interpreter<'c>(
    call: &'c ToolCall,
    plain: &str,
    interpreter: Interpreter,
    roles: &[(&str, Role)],
    setting: Option<&ToolPolicy>,
    asked: impl Fn() -> Asked<'c>,
) -> Vec<Effect> {
    let act = interpreter.act();
    // The arguments that hold what this interpreter reads, besides those of the usual names.
    let with = |role: Role| -> Vec<&str> {
        let set = setting.map(|setting| &setting.roles);
        let told = roles.iter().filter(|(name, _)| set.is_none_or(|set| !set.contains_key(*name))).copied();
        let of_operator = set.into_iter().flatten().map(|(name, role)| (name.as_str(), *role));
        told.chain(of_operator).filter(|(_, told)| *told == role).map(|(name, _)| name).collect()
    };
    match interpreter {
        Interpreter::Shell => shell_call(call, For::Posix(shell_of(call, plain)), &with(Role::Command)),
        Interpreter::WindowsShell => shell_call(call, For::Windows, &with(Role::Command)),
        Interpreter::Python => code_call(call, "python", &with(Role::Code)),
        Interpreter::Javascript => code_call(call, "javascript", &with(Role::Code)),
        Interpreter::Read
        | Interpreter::Search
        | Interpreter::Write
        | Interpreter::Edit
        | Interpreter::Patch
        | Interpreter::Delete
        | Interpreter::Move => file::interpret(call, interpreter, &with(Role::Path)),
        Interpreter::Sql => sql_call(&asked()),
        Interpreter::Web => web::read(&asked(), act, Seen::Certain),
        Interpreter::Message => message::read(&asked(), act, Seen::Certain),
        Interpreter::Money => money::read(&asked(), act, Seen::Certain),
        Interpreter::Schedule => schedule::read(&asked(), act, Seen::Certain),
        Interpreter::Delegation => delegation::read(&asked(), act, Seen::Certain),
        Interpreter::Grant => grant::read(&asked(), act, Seen::Certain),
        Interpreter::Device => device::read(&asked(), act, Seen::Certain),
        Interpreter::Browser => browser::read(&asked(), act, Seen::Certain),
        Interpreter::Process => process::read(&asked(), act, Seen::Certain),
        Interpreter::Memory => memory::read(&asked(), act, Seen::Certain),
        Interpreter::Look
        | Interpreter::Change
        | Interpreter::Remove
        | Interpreter::Destroy
        | Interpreter::Run
        | Interpreter::Configure
        | Interpreter::Disrupt
        | Interpreter::Install => {
            let asked = asked();
            // A tool that does several things does what it is asked for; one that only looks is not asked for more.
            let said = asked.action().filter(|_| interpreter != Interpreter::Look);
            unknown::plain(&asked, said.unwrap_or(act), Seen::Certain)
        }
    }
}

fn nowhere() -> Span {
    Span::new(Pointer::root(), 0..0)
}

/// Statements in whichever argument holds them.
fn sql_call(asked: &Asked<'_>) -> Vec<Effect> {
    let mut effects = Vec::new();
    for leaf in &asked.leaves {
        let named = matches!(leaf.key, "sql" | "query" | "statement" | "queries" | "statements" | "q");
        if (leaf.told == Some(Role::Sql) || leaf.told.is_none() && named)
            && let Some(text) = leaf.text()
        {
            shape::statement(asked, leaf, text, &mut effects);
        }
    }
    if effects.is_empty() {
        effects.push(Effect::opaque("no argument holds a statement", nowhere()));
    }
    effects
}

/// The arguments that code may stand in.
const CODES: &[&str] = &["code", "script", "expression", "function", "source", "cell", "snippet", "program"];

/// Code in whichever argument holds it.
fn code_call(call: &ToolCall, language: &str, named_by: &[&str]) -> Vec<Effect> {
    let claimed = ["language", "lang", "kernel", "runtime"]
        .iter()
        .find_map(|key| call.arg(key).and_then(Json::as_str))
        .map(str::to_ascii_lowercase);
    let mut effects = Vec::new();
    let more = named_by.iter().copied().filter(|key| !CODES.contains(key));
    for key in CODES.iter().copied().chain(more) {
        let Some(text) = call.arg(key).and_then(Json::as_str) else { continue };
        let pointer = Pointer::root().key(key);
        let found = shell::interpret_code(language, text, pointer.clone(), call.cwd());
        match claimed.as_deref() {
            Some(claimed) if Language::named(claimed) != Language::named(language) => {
                // Whether the tool heeds what the call says of its language, nobody knows here: what either reading
                // finds counts, and only the other one may find the text unreadable.
                let acts = |effect: &Effect| !matches!(effect.verb, Verb::Opaque | Verb::Execute);
                effects.extend(found.into_iter().filter(acts));
                effects.extend(match claimed {
                    "bash" | "sh" | "shell" | "zsh" => shell::interpret(text, pointer, call.cwd(), None),
                    claimed => shell::interpret_code(claimed, text, pointer, call.cwd()),
                });
            }
            Some(_) | None if effects.is_empty() => effects = found,
            Some(_) | None => effects.extend(found),
        }
    }
    if effects.is_empty() {
        effects.push(Effect::opaque("no argument holds code", nowhere()));
    }
    effects
}

/// The arguments a command may stand in.
const COMMANDS: &[&str] = &["command", "cmd", "script", "commands", "code", "input"];

/// Tools whose hosts hand the command to bash, or to the zsh of the user. What is called `sh` or `exec` elsewhere may be any shell.
const OF_BASH: &[&str] = &[
    "terminal",
    "Bash",
    "Monitor",
    "bash",
    "run_bash",
    "execute_bash",
    "run_shell_command",
    "run_in_terminal",
];

/// The shell that a command is for.
#[derive(Clone, Copy)]
enum For {
    Posix(Shell),
    Windows,
}

/// What is known of the shell of a tool. A call may ask for another one, and some hosts listen.
fn shell_of(call: &ToolCall, plain: &str) -> Shell {
    match call.arg("shell") {
        None | Some(Json::Null) if OF_BASH.contains(&plain) => Shell::Known(Dialect::Bash),
        Some(Json::String(name)) if OF_BASH.contains(&plain) => {
            Shell::of_program(name.rsplit('/').next().unwrap_or(name))
        }
        _ => Shell::Unknown,
    }
}

fn shell_call(call: &ToolCall, reader: For, named_by: &[&str]) -> Vec<Effect> {
    // The agent may start a command elsewhere; that does not make elsewhere its tree.
    let asked = ["workdir", "cwd", "working_directory", "dir_path"]
        .iter()
        .find_map(|key| call.arg(key).and_then(Json::as_str));
    let (root, directory) = match (call.cwd(), asked) {
        (Some(cwd), asked) => (Some(cwd), asked),
        (None, asked) => (asked, None),
    };
    let mut effects = Vec::new();
    let more = named_by.iter().copied().filter(|key| !COMMANDS.contains(key));
    for key in COMMANDS.iter().copied().chain(more) {
        let value = match call.arg(key) {
            None | Some(Json::Null) => continue,
            Some(value) => value,
        };
        let pointer = Pointer::root().key(key);
        match value {
            Json::String(text) => {
                let more = more_words(call);
                let whole: Cow<'_, str> =
                    if more.is_empty() { text.into() } else { format!("{text} {more}").into() };
                let found = read_command(&whole, pointer, (root, directory), reader);
                // There is most often one command, and so one list.
                if effects.is_empty() { effects = found } else { effects.extend(found) }
            }
            Json::Array(words) => {
                let quoted: Option<Vec<String>> = words.iter().map(|word| word.as_str().map(quote)).collect();
                match quoted {
                    // The words are what the program gets, so quoting them gives back the command.
                    Some(quoted) => effects.extend(
                        read_command(&quoted.join(" "), pointer.clone(), (root, directory), reader)
                            .into_iter()
                            .map(|effect| Effect { because: Span::new(pointer.clone(), 0..0), ..effect }),
                    ),
                    None => {
                        effects.push(Effect::opaque("a command word is not text", Span::new(pointer, 0..0)))
                    }
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => {
                effects.push(Effect::opaque("the command is not text", Span::new(pointer, 0..0)));
            }
        }
    }
    beside_the_command(call, &mut effects);
    out_of_the_sandbox(call, &mut effects);
    if effects.is_empty() {
        let empty = COMMANDS
            .iter()
            .any(|key| call.arg(key).and_then(Json::as_str).is_some_and(|text| text.trim().is_empty()));
        effects.push(match empty {
            true => Effect::new(Verb::Read, Target::new(TargetKind::Command, ""), nowhere())
                .words("an empty command does nothing"),
            false => Effect::opaque("no argument holds a command", nowhere()),
        });
    }
    effects
}

/// Words that stand beside the command in an argument of their own.
fn more_words(call: &ToolCall) -> String {
    let lists = ["args", "arguments", "argv"].iter().filter_map(|key| call.arg(key).and_then(Json::as_array));
    let words: Vec<String> =
        lists.flatten().map(|word| word.as_str().map_or("\u{1a}".to_owned(), quote)).collect();
    words.join(" ")
}

/// What else is given to a shell: its input, and an environment that changes what runs.
fn beside_the_command(call: &ToolCall, effects: &mut Vec<Effect>) {
    if let Some(text) = call.arg("stdin").and_then(Json::as_str) {
        effects.extend(shell::interpret(text, Pointer::root().key("stdin"), call.cwd(), None));
    }
    for key in ["env", "environment"] {
        let Some(variables) = call.arg(key).and_then(Json::as_object) else { continue };
        for (name, value) in variables.iter() {
            let pointer = Pointer::root().key(key).key(name);
            let text = value.as_str().unwrap_or("\u{1a}");
            let assignment = format!("export {name}={}", quote(text));
            let found = shell::interpret(&assignment, pointer.clone(), call.cwd(), None);
            let span = Span::whole(pointer, text);
            let found = found.into_iter().filter(|effect| effect.verb != Verb::Read);
            effects.extend(found.map(|effect| Effect { because: span.clone(), ..effect }));
        }
    }
}

/// Some hosts confine commands unless the call asks them not to.
fn out_of_the_sandbox(call: &ToolCall, effects: &mut [Effect]) {
    let truth = |key: &str| call.arg(key).and_then(Json::as_bool) == Some(true);
    let word = |key: &str, value: &str| call.arg(key).and_then(Json::as_str) == Some(value);
    let asks = truth("dangerouslyDisableSandbox")
        || truth("with_escalated_permissions")
        || truth("elevated")
        || word("sandbox_permissions", "require_escalated")
        || word("security", "full");
    if asks {
        for effect in effects.iter_mut().filter(|effect| effect.verb != Verb::Read) {
            effect.manner |= Manner::ELEVATED;
        }
    }
}

fn read_command(
    text: &str,
    pointer: Pointer,
    (root, directory): (Option<&str>, Option<&str>),
    reader: For,
) -> Vec<Effect> {
    let posix = match reader {
        For::Posix(shell) => Some(shell),
        For::Windows => None,
    };
    if posix.is_some() && windows::looks_like(text) {
        // Whichever shell it is for, the other one may be there: what either would do counts.
        let span = Span::whole(pointer.clone(), text);
        let mut effects: Vec<Effect> = windows::script(text)
            .into_iter()
            .map(|effect| Effect { because: span.clone(), ..effect })
            .collect();
        effects.extend(shell::interpret_beside_windows(text, pointer, root, directory));
        return effects;
    }
    let Some(known) = posix else {
        let span = Span::whole(pointer, text);
        return windows::script(text)
            .into_iter()
            .map(|effect| Effect { because: span.clone(), ..effect })
            .collect();
    };
    shell::interpret_in(known, text, pointer, root, directory)
}

/// `word` so that a shell reads it back as it is.
pub fn quote(word: &str) -> String {
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'=' | b':' | b'@' | b'%' | b'+' | b',')
    };
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
