//! `placet demo`: a small scripted agent that asks for three things, so that one can see what happens.

use std::{
    io::{BufRead as _, BufReader, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, ExitCode, Stdio},
    time::Duration,
};

use anyhow::{Context as _, bail};
use clap::Args;
use placet_core::printable;
use serde_json::{Value, json};

use crate::{
    home::{self, Data},
    keyring,
    socket::Socket,
    style,
};

#[derive(Debug, Args)]
#[command(after_help = "\
It uses the service that runs with the data directory; if none does, it starts one in a directory of its own, and leaves nothing behind. Nothing that the agent asks for is run.

Examples:
  placet demo
  placet demo --yes      # approves what is held by itself")]
pub struct Demo {
    /// Approve the held call with the credential of whoever runs this, instead of saying how.
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub data: Data,
}

/// How long somebody at a terminal has to try it.
const PATIENCE: Duration = Duration::from_secs(120);

/// A step: what the agent wants, and what to make of it.
struct Step {
    wants: &'static str,
    command: &'static str,
    lesson: &'static str,
}

const ALLOWED: Step = Step {
    wants: "The agent looks at the history of its repository.",
    command: "git log --oneline -5",
    lesson: "It only reads, in its own tree. Nobody is asked; the decision is in the log all the same.",
};
const HELD: Step = Step {
    wants: "Then it wants to replace what others have pushed.",
    command: "git push --force origin main",
    lesson: "That cannot be undone from here, so a person is asked. The agent is told to go on with other work meanwhile.",
};
const BLOCKED: Step = Step {
    wants: "At last it wants to delete everything.",
    command: "rm -rf --no-preserve-root /",
    lesson: "A rule answers that for everybody: no. No approval lifts it.",
};

/// Runs the command.
pub fn run(arguments: &Demo) -> anyhow::Result<ExitCode> {
    let directory = arguments.data.directory()?;
    let (socket, own) = match Socket::find(&directory) {
        Some(socket) => (socket, None),
        None => {
            let own = Own::start()?;
            (own.socket()?, Some(own))
        }
    };
    let (directory, approver) = match &own {
        Some(own) => (own.directory.join("data"), own.directory.join("approver")),
        None => (directory, home::credential_file()?),
    };
    let play = Play {
        socket,
        directory,
        approver,
        own: own.is_some(),
        yes: arguments.yes,
        json: arguments.data.json,
    };
    play.through()
}

/// A service of its own, gone when this is.
struct Own {
    directory: PathBuf,
    child: Child,
    /// What it says: kept, as it would end if nobody took it.
    _said: Option<BufReader<ChildStdout>>,
}

impl Own {
    fn start() -> anyhow::Result<Self> {
        let name = format!("placet-demo-{}", data_encoding::HEXLOWER.encode(&keyring::random::<8>()?));
        let directory = std::env::temp_dir().join(name);
        keyring::make_new_private_directory(&directory)
            .with_context(|| format!("cannot make `{}`", directory.display()))?;
        let program = std::env::current_exe().context("cannot find this program")?;
        let child = std::process::Command::new(program)
            .args(["serve", "--listen", "127.0.0.1:0", "--config", "/dev/null", "--data"])
            .arg(directory.join("data"))
            .env("PLACET_APPROVER", directory.join("approver"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start the service")?;
        let mut own = Self { directory, child, _said: None };
        let mut said = own.child.stdout.take().map(BufReader::new).context("the service says nothing")?;
        let mut line = String::new();
        // It says where it listens once it does.
        if said.read_line(&mut line)? == 0 {
            bail!("the service ended at once; `placet serve` says why");
        }
        own._said = Some(said);
        Ok(own)
    }

    fn socket(&self) -> anyhow::Result<Socket> {
        Socket::find(&self.directory.join("data")).context("the service cannot be reached at its socket")
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // Nothing is left to do about what cannot be ended or removed.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

struct Play {
    socket: Socket,
    directory: PathBuf,
    approver: PathBuf,
    own: bool,
    yes: bool,
    json: bool,
}

impl Play {
    fn through(&self) -> anyhow::Result<ExitCode> {
        // What is told as data is told at the end.
        let mut out: Box<dyn std::io::Write> =
            if self.json { Box::new(std::io::sink()) } else { Box::new(anstream::stdout()) };
        let dim = style::DIM;
        match self.own {
            true => writeln!(out, "A service was started for this, in a directory that is gone afterwards.")?,
            false => writeln!(out, "The service of {} is asked.", self.directory.display())?,
        }
        writeln!(out, "{dim}Nothing that the agent asks for is run.{dim:#}")?;
        let allowed = self.step(&mut out, 1, &ALLOWED)?;
        let held = self.step(&mut out, 2, &HELD)?;
        let again = match held.get("ticket").and_then(Value::as_str) {
            Some(ticket) => self.answer(&mut out, ticket)?,
            None => None,
        };
        let blocked = self.step(&mut out, 3, &BLOCKED)?;
        let is = |answer: &Value, word: &str| answer.get("answer").and_then(Value::as_str) == Some(word);
        let as_told = is(&allowed, "allow")
            && held.get("ticket").is_some_and(Value::is_string)
            && is(&blocked, "block")
            && blocked.get("ticket").is_none_or(Value::is_null);
        let released = again.as_ref().is_some_and(|again| is(again, "allow"));
        if self.json {
            let step = |step: &Step, answer: &Value| json!({ "command": step.command, "answer": answer });
            let answers = [
                Some((&ALLOWED, &allowed)),
                Some((&HELD, &held)),
                again.as_ref().map(|again| (&HELD, again)),
            ];
            let answers = answers.into_iter().flatten().chain([(&BLOCKED, &blocked)]);
            let steps: Vec<Value> = answers.map(|(asked, answer)| step(asked, answer)).collect();
            let all = json!({ "steps": steps, "released": released, "as_by_default": as_told });
            writeln!(std::io::stdout(), "{}", style::json(&all))?;
        }
        writeln!(out)?;
        match (as_told, released || !self.yes) {
            (true, true) => {
                let data =
                    if self.own { String::new() } else { format!(" --data {}", self.directory.display()) };
                match self.own {
                    true => writeln!(out, "Next: `placet serve`, and let an agent of yours ask it.")?,
                    false => writeln!(
                        out,
                        "All of it is in the log: `placet tail{data}`, `placet audit verify{data}`."
                    )?,
                }
                Ok(ExitCode::SUCCESS)
            }
            _ => {
                writeln!(
                    out,
                    "That is not what the defaults would do: the configuration of this service differs, or it is stopped or observes."
                )?;
                Ok(ExitCode::FAILURE)
            }
        }
    }

    fn step(&self, out: &mut impl std::io::Write, number: usize, step: &Step) -> anyhow::Result<Value> {
        let (bold, dim) = (style::HEADING, style::DIM);
        writeln!(out, "\n{bold}{number}{bold:#}  {}", step.wants)?;
        writeln!(out, "   {dim}$ {}{dim:#}", step.command)?;
        let answer = self.call(step.command, Duration::ZERO)?;
        show(out, &answer)?;
        writeln!(out, "   {}", step.lesson)?;
        Ok(answer)
    }

    fn call(&self, command: &str, wait: Duration) -> anyhow::Result<Value> {
        let call = json!({
            "tool": "terminal", "args": { "command": command }, "agent": "demo", "host": "placet demo",
            "session": format!("demo-{}", std::process::id()),
        });
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(0);
        self.socket.post("/v1/calls", None, &json!({ "call": call, "wait_ms": wait_ms }), wait)
    }

    /// Approves the held call, or lets somebody do it; what the agent gets when it asks again.
    fn answer(&self, out: &mut impl std::io::Write, ticket: &str) -> anyhow::Result<Option<Value>> {
        let ticket = printable::shown(ticket, 20);
        let wait = if self.yes {
            let secret = keyring::read_private(&self.approver)
                .context("approving needs the credential of an approver")?;
            let path = format!("/v1/holds/{ticket}/approve");
            self.socket.post(&path, Some(secret.trim()), &json!({}), Duration::ZERO)?;
            writeln!(out, "   You approve it, as `placet holds approve {ticket}` would.")?;
            Duration::ZERO
        } else {
            writeln!(out, "   Answer it in another terminal:")?;
            writeln!(out, "     {}", self.command(&ticket))?;
            if self.json || !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
                return Ok(None);
            }
            writeln!(out, "   The agent waits for two minutes …")?;
            out.flush()?;
            PATIENCE
        };
        let again = self.call(HELD.command, wait)?;
        show(out, &again)?;
        let released = again.get("answer").and_then(Value::as_str) == Some("allow");
        if released {
            writeln!(
                out,
                "   The very same call is let through, once. Another branch would be asked about anew."
            )?;
        }
        Ok(Some(again))
    }

    fn command(&self, ticket: &str) -> String {
        let quoted = |path: &Path| placet_core::effect::quote(&path.to_string_lossy());
        match self.own {
            true => format!(
                "PLACET_APPROVER={} placet holds approve {ticket} --data {}",
                quoted(&self.approver),
                quoted(&self.directory)
            ),
            false => format!("placet holds approve {ticket} --data {}", quoted(&self.directory)),
        }
    }
}

fn show(out: &mut impl std::io::Write, answer: &Value) -> std::io::Result<()> {
    let text = |key: &str| answer.get(key).and_then(Value::as_str);
    let (word, colour) = match (text("answer"), text("ticket")) {
        (Some("allow"), _) => ("ALLOW", style::verdict(placet_core::Verdict::Allow)),
        (_, Some(_)) => ("HOLD", style::verdict(placet_core::Verdict::Hold)),
        _ => ("BLOCK", style::verdict(placet_core::Verdict::Block)),
    };
    let reason = text("reason").unwrap_or("");
    let first = printable::shown(reason.lines().next().unwrap_or(""), 200);
    writeln!(out, "   {colour}{word}{colour:#}  {first}")
}
