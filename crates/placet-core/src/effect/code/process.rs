//! Programs that code starts.

use super::{
    How, Range,
    arguments::Arguments,
    reader::Reader,
    special_calls::content_of,
    value::{Kind, Text, Value},
};

impl<'a> Reader<'a, '_> {
    pub(super) fn how(&self, arguments: &Arguments<'a>) -> How<'a> {
        let directory =
            arguments.named("cwd").filter(|value| !matches!(value, Value::Nothing | Value::Unknown(_)));
        How {
            directory: directory.map(Value::as_text),
            stdin: arguments.named("input").map(content_of),
            apart: true,
            depth: self.depth,
        }
    }

    pub(super) fn shell(&mut self, text: &Text<'a>, arguments: &Arguments<'a>, range: Range) -> Value<'a> {
        let how = self.how(arguments);
        let place = self.place(range);
        self.opens_shell(&text.text, arguments, range);
        Value::of_flow(self.world.shell(text, how, place))
    }

    /// A shell that starts while a connection is open is probably for whoever is at the other end.
    pub(super) fn opens_shell(&mut self, program: &str, arguments: &Arguments<'a>, range: Range) {
        let name = program.trim().rsplit('/').next().unwrap_or("");
        let name = name.split(' ').next().unwrap_or("");
        let shell = matches!(
            name,
            "sh" | "bash" | "zsh" | "dash" | "ash" | "ksh" | "cmd.exe" | "cmd" | "powershell.exe"
        );
        let plumbed = ["stdin", "stdout"]
            .iter()
            .any(|key| matches!(arguments.named(key), Some(Value::Thing(Kind::Socket, _))));
        if let Some(host) = self.connected.clone()
            && (shell || plumbed)
        {
            let place = self.place(range);
            self.world.remote_control(&host, place);
        }
    }

    pub(super) fn start(&mut self, words: &[Text<'a>], arguments: &Arguments<'a>, range: Range) -> Value<'a> {
        let how = self.how(arguments);
        if let Some(program) = words.first() {
            let program = program.text.clone();
            self.opens_shell(&program, arguments, range);
        }
        Value::of_flow(self.run(words, how, range))
    }

    pub(super) fn subprocess(
        &mut self,
        command: &Value<'a>,
        arguments: &Arguments<'a>,
        range: Range,
    ) -> Value<'a> {
        let by_shell = arguments.named("shell").is_some_and(Value::is_true);
        match command {
            Value::List(items) => match items.items.first() {
                Some(first) if by_shell => {
                    let text = first.as_text();
                    self.shell(&text, arguments, range)
                }
                _ => {
                    let mut words: Vec<Text<'a>> = Vec::with_capacity(items.items.len());
                    for item in items.items.iter().take(1_000) {
                        match item {
                            Value::List(inner) => {
                                words.extend(inner.items.iter().take(64).map(Value::as_text))
                            }
                            item => words.push(item.as_text()),
                        }
                    }
                    self.start(&words, arguments, range)
                }
            },
            // `create_subprocess_exec("git", "status")`
            Value::Text(_) if arguments.positional().len() > 1 && !by_shell => {
                let words: Vec<Text<'a>> = arguments
                    .positional()
                    .iter()
                    .filter(|value| !matches!(value, Value::Number(_) | Value::Nothing))
                    .map(Value::as_text)
                    .collect();
                self.start(&words, arguments, range)
            }
            other => {
                let text = other.as_text();
                self.shell(&text, arguments, range)
            }
        }
    }

    /// `spawn("git", ["push"])`, `Bun.spawn(["git", "push"])`.
    pub(super) fn spawn(
        &mut self,
        program: &Value<'a>,
        list: &Value<'a>,
        arguments: &Arguments<'a>,
        range: Range,
    ) -> Value<'a> {
        let mut words: Vec<Text<'a>> = match program {
            Value::List(items) => items.items.iter().take(1_000).map(Value::as_text).collect(),
            other => vec![other.as_text()],
        };
        match list {
            Value::List(items) => words.extend(items.items.iter().take(1_000).map(Value::as_text)),
            Value::Nothing | Value::Dict(_) | Value::Function(_) => {}
            other => words.push(Text::hole(other.origin())),
        }
        let by_shell = matches!(arguments.named("shell"), Some(Value::Truth(true) | Value::Text(_)));
        if by_shell || words.len() == 1 && words[0].text.contains(' ') {
            let text = words
                .into_iter()
                .reduce(|one, other| one.then(&Text::plain(" ")).then(&other))
                .unwrap_or(Text::plain(""));
            return self.shell(&text, arguments, range);
        }
        self.start(&words, arguments, range)
    }
}
