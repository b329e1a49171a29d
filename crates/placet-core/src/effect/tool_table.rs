//! Which tools are read how: the tools of agent hosts and of well-known MCP servers, and the roles of their arguments.
//!
//! The `*.table` files beside this one are its text. A tool of a host is found by its exact name; a tool of a server under the name of that
//! server, however the host puts the two together. The configuration adds to it: see [`Policy`](crate::Policy).

use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{Role, act::Act, lookup::Lookup};
use crate::tool_call::{nearest, suggestion};

/// How the arguments of a tool are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interpreter {
    /// A command for a POSIX shell.
    Shell,
    /// A command for PowerShell or `cmd.exe`.
    WindowsShell,
    /// Reads files.
    Read,
    /// Lists or searches files.
    Search,
    /// Creates or replaces a file.
    Write,
    /// Changes a file in place.
    Edit,
    /// Applies a patch to several files.
    Patch,
    /// Deletes files.
    Delete,
    /// Moves or copies files.
    Move,
    /// Runs Python.
    Python,
    /// Runs JavaScript.
    Javascript,
    /// Asks a database.
    Sql,
    /// Asks a web server.
    Web,
    /// Sends messages to people.
    Message,
    /// Moves money.
    Money,
    /// Arranges for something to happen later.
    Schedule,
    /// Hands work to another agent.
    Delegation,
    /// Gives or takes authority.
    Grant,
    /// Switches things in a home.
    Device,
    /// Drives a browser or a desktop.
    Browser,
    /// Looks at, types into or ends a process.
    Process,
    /// Keeps notes of the agent to itself.
    Memory,
    /// Only looks.
    Look,
    /// Creates or changes something elsewhere.
    Change,
    /// Takes something away that can be put back.
    Remove,
    /// Destroys something.
    Destroy,
    /// Runs something elsewhere.
    Run,
    /// Changes how something behaves.
    Configure,
    /// Stops or resets what others may depend on.
    Disrupt,
    /// Adds software.
    Install,
}

impl Interpreter {
    /// Every interpreter with its word and what it says to a person.
    pub const NAMES: [(&'static str, Self, &'static str); 30] = [
        ("shell", Self::Shell, "a command for a POSIX shell"),
        ("windows_shell", Self::WindowsShell, "a command for PowerShell or cmd.exe"),
        ("file_read", Self::Read, "reads files"),
        ("file_search", Self::Search, "lists or searches files"),
        ("file_write", Self::Write, "creates or replaces a file"),
        ("file_edit", Self::Edit, "changes a file in place"),
        ("file_patch", Self::Patch, "applies a patch to files"),
        ("file_delete", Self::Delete, "deletes files"),
        ("file_move", Self::Move, "moves or copies files"),
        ("python", Self::Python, "runs Python"),
        ("javascript", Self::Javascript, "runs JavaScript"),
        ("sql", Self::Sql, "statements for a database"),
        ("web", Self::Web, "requests to the web"),
        ("message", Self::Message, "messages to people"),
        ("money", Self::Money, "payments, orders, refunds"),
        ("schedule", Self::Schedule, "jobs, calendars, reminders"),
        ("delegation", Self::Delegation, "work for other agents"),
        ("grant", Self::Grant, "authority for somebody"),
        ("device", Self::Device, "things in a home"),
        ("browser", Self::Browser, "a browser or a desktop"),
        ("process", Self::Process, "processes that already run"),
        ("memory", Self::Memory, "notes of the agent to itself"),
        ("look", Self::Look, "only looks"),
        ("change", Self::Change, "creates or changes something elsewhere"),
        ("remove", Self::Remove, "takes something away that can be put back"),
        ("destroy", Self::Destroy, "destroys something"),
        ("run", Self::Run, "runs something elsewhere"),
        ("configure", Self::Configure, "changes how something behaves"),
        ("disrupt", Self::Disrupt, "stops or resets what others may depend on"),
        ("install", Self::Install, "adds software"),
    ];

    /// The interpreter of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _, _)| *known == name).map(|(_, interpreter, _)| *interpreter)
    }

    /// Its word, in the tool table and in the configuration.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, interpreter, _)| *interpreter == self).map_or("", |(name, _, _)| name)
    }

    /// What it reads, in a few words.
    pub fn words(self) -> &'static str {
        Self::NAMES.iter().find(|(_, interpreter, _)| *interpreter == self).map_or("", |(_, _, words)| words)
    }

    /// What a tool read so does where its arguments say nothing else.
    pub fn act(self) -> Act {
        match self {
            Self::Read | Self::Search | Self::Look | Self::Web => Act::LOOK,
            Self::Write
            | Self::Edit
            | Self::Patch
            | Self::Move
            | Self::Change
            | Self::Browser
            | Self::Sql => Act::CHANGE,
            Self::Delete | Self::Remove => Act::REMOVE,
            Self::Destroy => Act::DESTROY,
            Self::Message => Act::MESSAGE,
            Self::Money => Act::MONEY,
            Self::Grant => Act::AUTHORITY,
            Self::Schedule => Act::SCHEDULE,
            Self::Delegation => Act::DELEGATE,
            Self::Shell
            | Self::WindowsShell
            | Self::Python
            | Self::Javascript
            | Self::Process
            | Self::Run => Act::RUN,
            Self::Device | Self::Configure => Act::CONFIGURE,
            Self::Disrupt => Act::DISRUPT,
            Self::Install => Act::INSTALL,
            Self::Memory => Act::NOTE,
        }
    }
}

impl Serialize for Interpreter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Interpreter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| {
            let names = Self::NAMES.map(|(name, _, _)| name);
            D::Error::custom(format!(
                "unknown way to read a tool `{}`{}; the ways are {}",
                crate::json::excerpt(&name),
                suggestion(nearest(&name, &names)),
                names.map(|name| format!("`{name}`")).join(", ")
            ))
        })
    }
}

/// Where tools come from: a host, or an MCP server.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// Whether it is a server, whose tools carry its name.
    pub is_server: bool,
    /// The names it goes by; the first is its own.
    pub names: Vec<&'static str>,
    /// What people call it.
    pub title: &'static str,
    /// Whether its tools are also found without its name.
    pub bare: bool,
}

/// A line of the table: tools that are read alike.
#[derive(Debug)]
pub struct Tool {
    /// Their names.
    pub names: Vec<&'static str>,
    /// Whose they are, as an index into [`sources`].
    pub source: usize,
    /// How they are read.
    pub interpreter: Interpreter,
    /// What their arguments are for.
    pub roles: Vec<(&'static str, Role)>,
}

impl Tool {
    /// The arguments that are a remark: outside the digest, and never read.
    pub fn without_effect(&self) -> impl Iterator<Item = &'static str> {
        self.roles.iter().filter(|(_, role)| *role == Role::Ignored).map(|(name, _)| *name)
    }
}

const TEXTS: &[(&str, &str)] = &[
    ("hosts.table", include_str!("tool_table/hosts.table")),
    ("servers.table", include_str!("tool_table/servers.table")),
];

#[derive(Default)]
struct Table {
    sources: Vec<Source>,
    tools: Vec<Tool>,
    /// Tools that are found by their name alone.
    bare: Lookup<&'static str, usize>,
    /// Servers by each of their names.
    servers: Lookup<&'static str, usize>,
    /// Tools of servers, by source and name.
    served: Lookup<(usize, &'static str), usize>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    for (_, text) in TEXTS {
        // Checked by a test: the text is part of the program.
        let _ = table.read(text);
    }
    table
});

impl Table {
    /// Adds what `text` says; the number of a wrong line and what is wrong with it.
    fn read(&mut self, text: &'static str) -> Result<(), (usize, String)> {
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("");
            let added = if line.trim().is_empty() {
                Ok(())
            } else if line.starts_with(' ') {
                self.tool(line)
            } else {
                self.source(line)
            };
            added.map_err(|what| (number + 1, what))?;
        }
        Ok(())
    }

    fn source(&mut self, line: &'static str) -> Result<(), String> {
        let (head, title) = line.split_once('"').ok_or("a title in quotes is missing")?;
        let mut words = head.split_whitespace();
        let is_server = match words.next() {
            Some("host") => false,
            Some("server") => true,
            _ => return Err("a source is a `host` or a `server`".to_owned()),
        };
        let (bare, names): (Vec<_>, Vec<_>) = words.partition(|word| *word == "bare");
        let source = self.sources.len();
        if is_server {
            for name in &names {
                if self.servers.insert(name, source).is_some() {
                    return Err(format!("there are two servers `{name}`"));
                }
            }
        }
        let bare = !is_server || !bare.is_empty();
        self.sources.push(Source { is_server, names, title: title.trim_end_matches('"'), bare });
        Ok(())
    }

    fn tool(&mut self, line: &'static str) -> Result<(), String> {
        let source = self.sources.len().checked_sub(1).ok_or("a tool before any source")?;
        let (names, reading) = line.split_once('=').ok_or("`=` is missing")?;
        let mut words = reading.split_whitespace();
        let interpreter = words.next().and_then(Interpreter::named).ok_or("no such interpreter")?;
        let role = |word: &'static str| {
            let (name, role) = word.split_once(':')?;
            Some((name, Role::named(role)?))
        };
        let roles: Option<Vec<_>> = words.map(role).collect();
        let roles = roles.ok_or("an argument without a role that is known")?;
        let names: Vec<&'static str> = names.split_whitespace().collect();
        let tool = self.tools.len();
        for name in &names {
            if self.sources[source].bare {
                // The first source that has a name has it alone.
                self.bare.entry(name).or_insert(tool);
            }
            if self.served.insert((source, name), tool).is_some() {
                return Err(format!("`{name}` is there twice"));
            }
        }
        self.tools.push(Tool { names, source, interpreter, roles });
        Ok(())
    }
}

/// The tool that somebody who wrote `name` probably meant.
pub fn nearest_name(name: &str) -> Option<&'static str> {
    let names: Vec<&'static str> = TABLE.bare.keys().copied().collect();
    nearest(name, &names).filter(|near| *near != name)
}

/// Every source, in the order of the table.
pub fn sources() -> &'static [Source] {
    &TABLE.sources
}

/// Every line of the table.
pub fn tools() -> &'static [Tool] {
    &TABLE.tools
}

/// A tool that was found, and its name without that of its server.
#[derive(Clone, Copy, Debug)]
pub struct Found<'n> {
    /// The tool.
    pub tool: &'static Tool,
    /// Its name.
    pub name: &'n str,
}

/// Namespaces that some hosts put before the names of their own tools.
const NAMESPACES: &[&str] = &["functions.", "default_api.", "default_api:", "tools."];

/// The tool of that name, also under a server that the table or `servers` knows.
pub fn find<'n>(name: &'n str, servers: &Servers) -> Option<Found<'n>> {
    let bare = |name: &'n str| {
        let tool = TABLE.tools.get(*TABLE.bare.get(name)?)?;
        Some(Found { tool, name })
    };
    bare(name)
        .or_else(|| NAMESPACES.iter().find_map(|namespace| bare(name.strip_prefix(namespace)?)))
        .or_else(|| splits(name).find_map(|(server, name)| of_server(server, name, servers)))
}

fn of_server<'n>(server: &str, name: &'n str, servers: &Servers) -> Option<Found<'n>> {
    let source = servers.source(server).or_else(|| source_of(server))?;
    let tool = TABLE.tools.get(*TABLE.served.get(&(source, name))?)?;
    Some(Found { tool, name })
}

/// The source of a server, by the name that an operator gave it.
fn source_of(server: &str) -> Option<usize> {
    let plain = server.to_ascii_lowercase().replace(['_', ' '], "-");
    let mut name = plain.as_str();
    for prefix in ["claude-ai-", "mcp-server-", "mcp-", "server-"] {
        name = name.strip_prefix(prefix).unwrap_or(name);
    }
    for suffix in ["-mcp-server", "-mcp", "-server"] {
        name = name.strip_suffix(suffix).unwrap_or(name);
    }
    // `plugin-NAME-SERVER`
    if let Some(rest) = name.strip_prefix("plugin-") {
        name = rest.split_once('-').map_or(rest, |(_, server)| server);
    }
    TABLE.servers.get(name).copied()
}

/// Every way to read `name` as a server and its tool.
fn splits(name: &str) -> impl Iterator<Item = (&str, &str)> {
    // Servers have shorter names.
    const SERVER_MAX: usize = 64;
    let (rest, marked) = match name.strip_prefix("mcp__") {
        Some(rest) => (rest, true),
        None => (
            ["mcp_", "mcp.", "mcp:", "MCP:", "mcp-"]
                .iter()
                .find_map(|mark| name.strip_prefix(mark))
                .unwrap_or(name),
            false,
        ),
    };
    let ends = rest
        .char_indices()
        .take(SERVER_MAX)
        .filter(|(_, letter)| matches!(letter, '_' | '-' | '.' | '/' | ':'));
    ends.filter_map(move |(at, _)| {
        let (server, after) = (&rest[..at], &rest[at..]);
        let tool = match after.strip_prefix("__") {
            Some(tool) => tool,
            None if marked => return None,
            None => &after[1..],
        };
        (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
    })
}

/// The name of a tool without that of the server before it: `mcp__crm__list_customers` is `list_customers`, whatever the server calls itself.
pub fn plain_name(tool: &str) -> &str {
    match tool.strip_prefix("mcp__") {
        Some(rest) => rest.split_once("__").map_or(rest, |(_, name)| name),
        None => tool.rsplit(['.', '/', ':']).next().filter(|name| !name.is_empty()).unwrap_or(tool),
    }
}

/// Servers of the operator that are, by another name, some of the table's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Servers(Vec<(String, usize)>);

impl Servers {
    fn source(&self, name: &str) -> Option<usize> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, source)| *source)
    }

    /// The names, with those of the table they stand for.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.0
            .iter()
            .filter_map(|(name, source)| Some((name.as_str(), *TABLE.sources.get(*source)?.names.first()?)))
    }
}

impl<'de> Deserialize<'de> for Servers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = std::collections::BTreeMap::<String, KnownServer>::deserialize(deserializer)?;
        Ok(Self(names.into_iter().map(|(name, KnownServer(source))| (name, source)).collect()))
    }
}

/// The name of a server in the table.
struct KnownServer(usize);

impl<'de> Deserialize<'de> for KnownServer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        TABLE.servers.get(name.as_str()).map(|source| Self(*source)).ok_or_else(|| {
            let names: Vec<&str> = TABLE.servers.keys().copied().collect();
            let near = suggestion(nearest(&name, &names));
            D::Error::custom(format!(
                "unknown server `{}`{near}; `placet tools list` has them all",
                crate::json::excerpt(&name)
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> Option<Interpreter> {
        find(name, &Servers::default()).map(|found| found.tool.interpreter)
    }

    #[test]
    fn the_table_can_be_read() {
        let mut table = Table::default();
        for (file, text) in TEXTS {
            table.read(text).unwrap_or_else(|(line, what)| panic!("{file}:{line}: {what}"));
        }
        let names: usize = table.tools.iter().map(|tool| tool.names.len()).sum();
        assert!(names > 500, "only {names} tools");
    }

    #[test]
    fn a_name_that_several_have_is_read_alike() {
        let of_a_host =
            |name: &str| TABLE.bare.get(name).is_some_and(|tool| !sources()[tools()[*tool].source].is_server);
        for tool in tools().iter().filter(|tool| sources()[tool.source].bare) {
            for name in &tool.names {
                // A host's own tool goes before that of a server which is not named.
                if sources()[tool.source].is_server && of_a_host(name) {
                    continue;
                }
                assert_eq!(found(name), Some(tool.interpreter), "{name} of {}", sources()[tool.source].title);
            }
        }
    }

    #[test]
    fn hosts_put_servers_and_tools_together_in_many_ways() {
        for name in [
            "mcp__postgres__query",
            "mcp_postgres_query",
            "postgres.query",
            "postgres/query",
            "postgres:query",
            "postgres__query",
            "postgres_query",
            "postgres-mcp-query",
            "mcp__mcp-server-postgres__query",
            "mcp__plugin_db_postgres__query",
        ] {
            assert_eq!(found(name), Some(Interpreter::Sql), "{name}");
        }
        assert_eq!(found("github-mcp-server-create_issue"), Some(Interpreter::Change));
        assert_eq!(found("functions.exec_command"), Some(Interpreter::Shell));
    }

    #[test]
    fn a_server_nobody_knows_does_not_borrow_a_name() {
        assert!(found("mcp__filesystem__read_file").is_some());
        for name in [
            "mcp__helper__read_file",
            "Read_File",
            "query",
            "mcp__slack__delete_file",
            "click",
            "mcp__postgres__",
        ] {
            assert!(found(name).is_none(), "{name}");
        }
    }
}
