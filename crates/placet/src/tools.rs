//! `placet tools`: which tools are known, and how a tool would be read.

use std::{
    fmt::Write as _,
    fs,
    io::{Read as _, Write as _},
    path::Path,
    process::ExitCode,
};

use anyhow::{Context, bail};
use placet_core::{
    Json, Outlook, ToolDefinition, ToolName,
    effect::{
        readable,
        tool_table::{self, Interpreter},
    },
    outlook::{KnownFrom, Prospect, RoleFrom},
};
use serde::Serialize;

use crate::{
    cli::{Tools, ToolsList, ToolsRead, ToolsShow},
    config, style,
};

/// Columns that a list of names is broken at.
const WIDTH: usize = 100;

/// Runs the command.
pub fn run(arguments: &Tools) -> anyhow::Result<ExitCode> {
    match arguments {
        Tools::List(arguments) => list(arguments)?,
        Tools::Show(arguments) => show(arguments)?,
        Tools::Read(arguments) => read(arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// One tool of the table, as data.
#[derive(Serialize)]
struct Listed<'t> {
    tool: &'t str,
    source: &'t str,
    reads_as: Interpreter,
    arguments: std::collections::BTreeMap<&'t str, &'static str>,
}

fn list(arguments: &ToolsList) -> anyhow::Result<()> {
    let sources = tool_table::sources();
    let wanted = arguments.source.as_deref();
    if let Some(wanted) = wanted
        && !sources.iter().any(|source| source.names.contains(&wanted))
    {
        let names: Vec<&str> = sources.iter().filter_map(|source| source.names.first().copied()).collect();
        bail!("no host or server is called `{}`; there are {}", readable(wanted), names.join(", "));
    }
    let is_wanted = |source: usize| wanted.is_none_or(|wanted| sources[source].names.contains(&wanted));
    let tools = || tool_table::tools().iter().filter(|tool| is_wanted(tool.source));
    if arguments.json {
        let listed = |tool: &'static tool_table::Tool| {
            tool.names.iter().map(|name| Listed {
                tool: name,
                source: sources[tool.source].names.first().copied().unwrap_or(""),
                reads_as: tool.interpreter,
                arguments: tool.roles.iter().map(|(name, role)| (*name, role.name())).collect(),
            })
        };
        return print_json(&tools().flat_map(listed).collect::<Vec<_>>());
    }
    let heading = style::HEADING;
    let mut page = String::new();
    for (index, source) in sources.iter().enumerate().filter(|(index, _)| is_wanted(*index)) {
        let kind = if source.is_server { "server" } else { "host" };
        let _ =
            writeln!(page, "\n  {heading}{}{heading:#}  {kind} {}", source.title, source.names.join(", "));
        for (name, interpreter, _) in Interpreter::NAMES {
            let of_kind = tools().filter(|tool| tool.source == index && tool.interpreter == interpreter);
            let names: Vec<&str> = of_kind.flat_map(|tool| tool.names.iter().copied()).collect();
            if !names.is_empty() {
                broken(&mut page, name, &names);
            }
        }
    }
    let count: usize = tools().map(|tool| tool.names.len()).sum();
    let _ = writeln!(page, "\n  {count} tools; `placet tools show NAME` says how one is read");
    print(&page)
}

/// A word and names after it, over as many lines as they need.
fn broken(page: &mut String, word: &str, names: &[&str]) {
    let dim = style::DIM;
    let mut line = String::new();
    let mut first = true;
    let mut finish = |line: &mut String| {
        let head = if std::mem::take(&mut first) { word } else { "" };
        let _ = writeln!(page, "    {dim}{head:<14}{dim:#}{}", line.trim_end());
        line.clear();
    };
    for name in names {
        if !line.is_empty() && 18 + line.len() + name.len() > WIDTH {
            finish(&mut line);
        }
        line.push_str(name);
        line.push(' ');
    }
    finish(&mut line);
}

fn show(arguments: &ToolsShow) -> anyhow::Result<()> {
    let policy = config::load(arguments.config.as_deref())?;
    let name = ToolName::parse(&arguments.name).context("that is not the name of a tool")?;
    let outlook = Outlook::of(&ToolDefinition::new(name), &policy);
    if arguments.json {
        return print_json(&outlook);
    }
    let mut page = String::new();
    one(&mut page, &outlook);
    if outlook.known_from == KnownFrom::Words
        && let Some(near) = tool_table::nearest_name(&arguments.name)
    {
        let _ = writeln!(page, "    {}", dimmed(&format!("did you mean `{near}`?")));
    }
    page.push('\n');
    print(&page)
}

fn read(arguments: &ToolsRead) -> anyhow::Result<()> {
    let policy = config::load(arguments.config.as_deref())?;
    let definitions = definitions(&arguments.file)?;
    let outlooks: Vec<Outlook> = definitions.iter().map(|one| Outlook::of(one, &policy)).collect();
    if arguments.json {
        return print_json(&outlooks);
    }
    let mut page = String::new();
    if outlooks.is_empty() {
        page.push_str("\n  no tools are defined there\n");
    }
    for outlook in &outlooks {
        one(&mut page, outlook);
    }
    if outlooks.len() > 1 {
        summary(&mut page, &outlooks);
    }
    page.push('\n');
    print(&page)
}

fn definitions(file: &Path) -> anyhow::Result<Vec<ToolDefinition>> {
    let shown = file.display();
    let bytes = if file == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("cannot read the tool definitions")?;
        bytes
    } else {
        fs::read(file).with_context(|| format!("cannot read the tool definitions `{shown}`"))?
    };
    let wire = Json::read(bytes.trim_ascii()).with_context(|| format!("{shown} is not JSON"))?;
    ToolDefinition::read_all(&wire)
        .with_context(|| format!("{shown} holds no tool definitions, such as the result of `tools/list`"))
}

/// How one tool would be read.
fn one(page: &mut String, outlook: &Outlook) {
    let (heading, dim) = (style::HEADING, style::DIM);
    let whose = match (outlook.known_from, outlook.source) {
        (KnownFrom::Configuration, _) => "as configured".to_owned(),
        (KnownFrom::Table, Some(source)) => format!("of {source}"),
        (KnownFrom::Table, None) => "in the table".to_owned(),
        (KnownFrom::Words, _) => "in no table".to_owned(),
    };
    let _ = writeln!(page, "\n  {heading}{}{heading:#}  {dim}{whose}{dim:#}", readable(&outlook.tool));
    let read_as = match outlook.reads_as {
        Some(interpreter) => format!("{}: {}", interpreter.name(), interpreter.words()),
        None => "by the words of its name, and what its arguments look like".to_owned(),
    };
    let _ = writeln!(page, "    read as    {read_as}");
    let width =
        outlook.arguments.iter().map(|argument| readable(&argument.name).chars().count()).max().unwrap_or(0);
    for (index, argument) in outlook.arguments.iter().enumerate() {
        let head = if index == 0 { "arguments" } else { "" };
        let role = argument.role.map_or("by its shape", placet_core::effect::Role::name);
        let from = match argument.from {
            RoleFrom::Configuration => dimmed("as configured"),
            RoleFrom::Name => dimmed("by its name"),
            RoleFrom::Schema => dimmed("by the schema"),
            RoleFrom::Table | RoleFrom::Shape => String::new(),
        };
        let line = format!("    {head:<11}{:<width$}  {role:<13}{from}", readable(&argument.name));
        let _ = writeln!(page, "{}", line.trim_end());
    }
    let plain = &outlook.plain;
    if outlook.by_its_arguments {
        let _ = writeln!(page, "    judged     call by call, by what its arguments say");
    } else {
        let _ = writeln!(page, "    a call     {}", prospect(plain));
        for reason in plain.reasons.iter().flat_map(|reason| reason.split("; ")) {
            let _ = writeln!(page, "               {dim}{}{dim:#}", readable(reason));
        }
    }
    for (index, action) in outlook.actions.iter().enumerate() {
        let head = if index == 0 { "actions" } else { "" };
        let _ =
            writeln!(page, "    {head:<11}{:<12} {}", readable(&action.action), prospect(&action.prospect));
    }
}

fn dimmed(text: &str) -> String {
    let dim = style::DIM;
    format!("{dim}{text}{dim:#}")
}

/// A verdict in a few words.
fn prospect(prospect: &Prospect) -> String {
    let (colour, dim) = (style::verdict(prospect.verdict), style::DIM);
    format!(
        "{colour}{:<5}{colour:#}  {} {dim}·{dim:#} risk {} {dim}·{dim:#} confidence {}",
        style::word(prospect.verdict),
        prospect.side_effect_class.words(),
        prospect.risk_score,
        prospect.confidence
    )
}

fn summary(page: &mut String, outlooks: &[Outlook]) {
    let unknown = outlooks.iter().filter(|outlook| outlook.known_from == KnownFrom::Words).count();
    let asks = outlooks
        .iter()
        .filter(|outlook| !outlook.by_its_arguments && outlook.plain.verdict > placet_core::Verdict::Allow)
        .count();
    let by_arguments = outlooks.iter().filter(|outlook| outlook.by_its_arguments).count();
    let _ = writeln!(
        page,
        "\n  {} tools: {unknown} in no table, {by_arguments} judged by their arguments, {asks} that a plain call asks about",
        outlooks.len()
    );
}

fn print(page: &str) -> anyhow::Result<()> {
    anstream::stdout().write_all(page.as_bytes())?;
    Ok(())
}

fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut output = anstream::stdout();
    serde_json::to_writer_pretty(&mut output, value).map_err(std::io::Error::from)?;
    writeln!(output)?;
    Ok(())
}
