//! A call, as it is named on the command line.

use anyhow::Context as _;
use clap::Args;
use placet_core::{Json, ToolCall, ToolName, effect::quote, json::Object};

/// A call: a shell command, or a tool with its arguments.
#[derive(Debug, Args)]
pub struct Called {
    /// A shell command: one word is read as the shell would, several as words already split.
    #[arg(value_name = "COMMAND", trailing_var_arg = true, required_unless_present = "tool", conflicts_with_all = ["tool", "args"])]
    pub command: Vec<String>,
    /// The tool that is called, instead of a shell command.
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// Its arguments, as a JSON object.
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub args: Option<String>,
    /// The working directory of the agent.
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<String>,
}

impl Called {
    /// The call.
    pub fn read(&self) -> anyhow::Result<ToolCall> {
        let call = match &self.tool {
            None => {
                // One word is the text of a command; several are words somebody's shell has split already.
                let command = match self.command.as_slice() {
                    [text] => text.clone(),
                    words => words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" "),
                };
                let command = Json::from(command);
                ToolCall::new(
                    ToolName::parse("terminal")?,
                    Object::from_pairs([("command".to_owned(), command)])?,
                )
            }
            Some(tool) => {
                let tool = ToolName::parse(tool).context("`--tool` is not the name of a tool")?;
                let args = match &self.args {
                    None => Object::default(),
                    Some(text) => arguments(text)?,
                };
                ToolCall::new(tool, args)
            }
        };
        Ok(match &self.cwd {
            Some(cwd) => call.with_cwd(cwd.as_str()),
            None => call,
        })
    }
}

/// The arguments that `--args` names.
pub fn arguments(text: &str) -> anyhow::Result<Object> {
    match Json::read(text).context("`--args` cannot be read")? {
        Json::Object(object) => Ok(object),
        other => anyhow::bail!(
            "`--args` must be an object such as `{{\"path\":\"notes.md\"}}`, not {}",
            other.kind()
        ),
    }
}
