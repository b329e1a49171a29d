//! Walks a script the way a shell would run it, without running anything.
//!
//! Both sides of every condition are taken, loops go round once for each known word, functions are
//! entered, and data is followed through pipes, variables and files, so that what a program would get
//! is known wherever it can be.

use super::{
    env::{Channel, Env, Var},
    flow::{Arg, Flow, HOLE, Origin},
    parse::{self, Budget},
    programs,
    syntax::*,
};
use crate::effect::{
    Effect, Extent, Manner, Place, Pointer, Seen, Sensitivity, Span, Target, TargetKind, Undo, Verb, path,
};

/// Commands walked before giving up.
const STEPS_MAX: u32 = 20_000;
/// Bytes that may be copied in following values before giving up.
const COPIES_MAX: usize = 4 << 20;
/// Scripts within scripts.
const NESTING_MAX: u32 = 16;
/// Effects kept of one call: so many in all, and so many that only look.
const EFFECTS_MAX: usize = 20_000;
const LOOKS_MAX: usize = 1_000;
/// Functions remembered.
const FUNCTIONS_MAX: usize = 1024;
/// Words a loop is followed for one by one.
const ROUNDS_MAX: usize = 16;

/// The walk through one script.
pub struct Walker<'c> {
    pointer: Pointer,
    root: Option<&'c str>,
    pub(super) effects: Vec<Effect>,
    pub(super) env: Env,
    /// Circumstances that everything below inherits: `sudo`, `ssh`.
    pub(super) manner: Manner,
    budget: Budget,
    steps: u32,
    copied: usize,
    nesting: u32,
    /// In how many branches that may not be taken.
    conditional: u32,
    /// In how many pipelines or background jobs.
    spawning: u32,
    /// Where spans of nested scripts point.
    anchor: Option<(usize, usize)>,
    functions: Vec<String>,
    /// Variables to be put back when a function of that depth ends.
    locals: Vec<(usize, String, Option<Var>)>,
    virtual_files: u32,
    looks: usize,
    exhausted: bool,
    overflowed: bool,
}

impl<'c> Walker<'c> {
    /// A walk for the string at `pointer`, with the working tree at `root`.
    pub fn new(pointer: Pointer, root: Option<&'c str>) -> Self {
        Self {
            pointer,
            root,
            effects: Vec::new(),
            env: Env::default(),
            manner: Manner::PLAIN,
            budget: Budget::default(),
            steps: 0,
            copied: 0,
            nesting: 0,
            conditional: 0,
            spawning: 0,
            anchor: None,
            functions: Vec::new(),
            locals: Vec::new(),
            virtual_files: 0,
            looks: 0,
            exhausted: false,
            overflowed: false,
        }
    }

    /// Walks `text` as the outermost script.
    pub fn outermost(&mut self, text: &str) {
        self.text_script(text, None);
    }

    /// What was found.
    pub fn finish(self) -> Vec<Effect> {
        self.effects
    }

    fn text_script(&mut self, text: &str, stdin: Option<Flow>) -> Flow {
        let parsed = parse::parse(text, self.budget);
        if parsed.problem.is_some_and(|problem| !problem.budget) && programs::statement(self, text) {
            return Flow::unknown(Origin::PLAIN);
        }
        let output = self.run(&parsed.script, stdin);
        if let Some(problem) = parsed.problem {
            let span = self.span((problem.at.min(text.len()), text.len()));
            self.emit(Effect::opaque(problem.what, span));
        }
        output
    }

    /// Walks a script that stood inside another, such as the argument of `sh -c`.
    pub(super) fn nested(&mut self, text: &str, range: (usize, usize), stdin: Option<Flow>) -> Flow {
        if self.nesting >= NESTING_MAX {
            self.give_up("scripts are nested too deeply to follow", range);
            return Flow::unknown(Origin::PLAIN);
        }
        let anchor = self.anchor;
        self.anchor = Some(anchor.unwrap_or(range));
        self.nesting += 1;
        let output = self.text_script(text, stdin);
        self.nesting -= 1;
        self.anchor = anchor;
        output
    }

    /// The call's span for bytes of the script being walked.
    pub(super) fn span(&self, range: (usize, usize)) -> Span {
        let (start, end) = self.anchor.unwrap_or(range);
        Span::new(self.pointer.clone(), start..end)
    }

    /// Adds an effect, under the circumstances that hold here.
    pub(super) fn emit(&mut self, effect: Effect) {
        let only_looks = effect.verb == Verb::Read && effect.target.sensitivity < Sensitivity::Secret;
        if only_looks {
            // The list stays readable, and nothing that matters is dropped for it.
            self.looks += 1;
            if self.looks > LOOKS_MAX {
                return;
            }
        }
        if self.effects.len() >= EFFECTS_MAX {
            let span = effect.because.clone();
            if !self.overflowed {
                self.overflowed = true;
                self.effects.push(Effect::opaque("more effects than can be listed", span));
            }
            return;
        }
        let manner = self.manner;
        self.effects.push(effect.manner(manner));
    }

    /// Adds an effect that could not be read.
    pub(super) fn opaque(&mut self, why: &'static str, range: (usize, usize)) {
        let span = self.span(range);
        self.emit(Effect::opaque(why, span));
    }

    fn give_up(&mut self, why: &'static str, range: (usize, usize)) {
        if !self.exhausted {
            self.exhausted = true;
            self.opaque(why, range);
        }
    }

    /// Accounts for `bytes` copied; `false` once there were too many, and then what follows is not known.
    pub(super) fn may_copy(&mut self, bytes: usize) -> bool {
        self.copied = self.copied.saturating_add(bytes);
        if self.copied > COPIES_MAX {
            self.give_up("the script copies too much data to follow", (0, 0));
            return false;
        }
        true
    }

    pub(super) fn in_function(&self) -> bool {
        !self.functions.is_empty()
    }

    // Lists.

    /// Walks `script`; gives what it would print.
    pub(super) fn run(&mut self, script: &Script<'_>, stdin: Option<Flow>) -> Flow {
        let mut output = Flow::empty();
        for item in &script.items {
            let sometimes = item.link != Link::Then;
            self.conditional += u32::from(sometimes);
            output = output.then(self.item(item, stdin.clone()));
            self.conditional -= u32::from(sometimes);
            if self.steps > STEPS_MAX {
                break;
            }
        }
        output
    }

    fn item(&mut self, item: &Item<'_>, stdin: Option<Flow>) -> Flow {
        let spawns = item.background || item.stages.len() > 1;
        self.spawning += u32::from(spawns);
        let mut flow = stdin;
        for stage in &item.stages {
            flow = Some(self.stage(stage, flow));
        }
        self.spawning -= u32::from(spawns);
        flow.unwrap_or_else(Flow::empty)
    }

    /// Walks something whose variables and directory are forgotten afterwards.
    pub(super) fn in_subshell(&mut self, walk: impl FnOnce(&mut Self) -> Flow) -> Flow {
        let size = self.env.size();
        if !self.may_copy(size) {
            return Flow::unknown(Origin::PLAIN);
        }
        let before = self.env.clone();
        let result = walk(self);
        let files = std::mem::take(&mut self.env.files);
        self.env = before;
        self.env.files = files;
        result
    }

    // Commands.

    fn stage(&mut self, stage: &Stage<'_>, stdin: Option<Flow>) -> Flow {
        self.steps += 1;
        if self.steps > STEPS_MAX {
            self.give_up("the script is too long to follow", (stage.range.start, stage.range.end));
            return Flow::unknown(Origin::PLAIN);
        }
        if let Some(Flow { text: Some(text), .. }) = &stdin {
            let length = text.len();
            if !self.may_copy(length) {
                return Flow::unknown(Origin::PLAIN);
            }
        }
        let range = (stage.range.start, stage.range.end);
        if let Command::Simple { assignments, words } = &stage.command {
            return self.simple(assignments, words, &stage.redirects, range, stdin);
        }
        let stdin = self.input(&stage.redirects, stdin);
        let output = self.compound(&stage.command, range, stdin);
        self.output(&stage.redirects, output, range)
    }

    fn compound(&mut self, command: &Command<'_>, range: (usize, usize), stdin: Option<Flow>) -> Flow {
        match command {
            Command::Simple { .. } => Flow::empty(),
            Command::Group(script) => self.run(script, stdin),
            Command::Subshell(script) => self.in_subshell(|walker| walker.run(script, stdin)),
            Command::If { branches, otherwise } => {
                let mut output = Flow::empty();
                for (condition, body) in branches {
                    output = output.then(self.run(condition, stdin.clone()));
                    output = output.then(self.sometimes(|walker| walker.run(body, stdin.clone())));
                }
                if let Some(body) = otherwise {
                    output = output.then(self.sometimes(|walker| walker.run(body, stdin)));
                }
                Flow::unknown(output.origin)
            }
            Command::While { condition, body } => {
                if is_endless(condition) {
                    self.check_endless(body, range);
                }
                let first = self.run(condition, stdin.clone());
                let rest = self.sometimes(|walker| walker.run(body, stdin));
                Flow::unknown(first.then(rest).origin)
            }
            Command::For { name, words, body } => self.for_loop(name, words.as_deref(), body, stdin),
            Command::ForArithmetic { header, endless, body } => {
                self.text(header);
                if *endless {
                    self.check_endless(body, range);
                }
                let output = self.sometimes(|walker| walker.run(body, stdin));
                Flow::unknown(output.origin)
            }
            Command::Case { word, arms } => {
                self.text(word);
                let mut output = Flow::empty();
                for (patterns, body) in arms {
                    for pattern in patterns {
                        self.text(pattern);
                    }
                    output = output.then(self.sometimes(|walker| walker.run(body, stdin.clone())));
                }
                Flow::unknown(output.origin)
            }
            Command::Function { name, source, .. } => {
                if self.env.functions.len() < FUNCTIONS_MAX {
                    self.env.functions.insert((*name).to_owned(), (*source).to_owned());
                }
                Flow::empty()
            }
            Command::Test(words) => {
                self.arguments(words);
                Flow::empty()
            }
            Command::Arithmetic(word) => {
                self.text(word);
                Flow::empty()
            }
        }
    }

    fn sometimes<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.conditional += 1;
        let result = walk(self);
        self.conditional -= 1;
        result
    }

    fn for_loop(
        &mut self,
        name: &str,
        words: Option<&[Word<'_>]>,
        body: &Script<'_>,
        stdin: Option<Flow>,
    ) -> Flow {
        let values: Vec<Flow> = match words {
            Some(words) => self
                .arguments(words)
                .into_iter()
                .map(|arg| Flow { text: Some(arg.text.into_owned()), origin: arg.origin })
                .collect(),
            None => self.env.positional.clone(),
        };
        let mut output = Flow::empty();
        let rest = values.len() > ROUNDS_MAX;
        for value in values.into_iter().take(ROUNDS_MAX) {
            self.env.set(name, vec![value], false);
            output = output.then(self.sometimes(|walker| walker.run(body, stdin.clone())));
        }
        if rest {
            self.env.set(name, vec![Flow::unknown(Origin::PLAIN)], false);
            output = output.then(self.sometimes(|walker| walker.run(body, stdin)));
        }
        output
    }

    /// A loop that never ends and starts jobs without waiting for them fills the machine.
    fn check_endless(&mut self, body: &Script<'_>, range: (usize, usize)) {
        let last_wait = body.items.iter().rposition(|item| is_command(item, &["wait"]));
        let last_start = body.items.iter().rposition(|item| item.background);
        let nested = body.items.iter().any(|item| item.stages.iter().any(starts_jobs));
        if nested || last_start.is_some_and(|start| last_wait.is_none_or(|wait| wait < start)) {
            self.fork_bomb(range);
        }
    }

    fn fork_bomb(&mut self, range: (usize, usize)) {
        let target = Target::new(TargetKind::Service, "this machine").with(Sensitivity::System);
        let span = self.span(range);
        let effect = Effect::new(Verb::Execute, target, span)
            .extent(Extent::Unbounded)
            .undo(Undo::Impossible)
            .manner(Manner::DETACHED)
            .words("starts processes without end until the machine stops");
        self.emit(effect);
    }

    fn simple(
        &mut self,
        assignments: &[Assignment<'_>],
        words: &[Word<'_>],
        redirects: &[Redirect<'_>],
        range: (usize, usize),
        stdin: Option<Flow>,
    ) -> Flow {
        let arguments = self.arguments(words);
        let declares = !assignments.is_empty() && !words.is_empty() && is_declaration_name(&arguments);
        let local = declares
            && self.in_function()
            && !matches!(arguments[0].as_str(), "export" | "alias" | "readonly");
        let mut overlay = Vec::new();
        let mut declared = Vec::new();
        for assignment in assignments {
            let items = match &assignment.value {
                Value::Scalar(word) => vec![self.text(word)],
                Value::Array(words) => self
                    .arguments(words)
                    .into_iter()
                    .map(|arg| Flow { text: Some(arg.text.into_owned()), origin: arg.origin })
                    .collect(),
            };
            let items = if assignment.append { self.appended(assignment, items) } else { items };
            if arguments.first().is_some_and(|arg| arg.as_str() == "alias") {
                if let Some(Flow { text: Some(text), .. }) = items.first() {
                    self.env.functions.insert(assignment.name.to_owned(), format!("{text} \"$@\""));
                }
            } else if words.is_empty() || declares {
                let reference = declares && arguments.iter().any(|arg| arg.as_str() == "-n");
                let items = if reference { vec![Flow::unknown(Origin::PLAIN)] } else { items };
                if declares {
                    // All values are expanded before the first is set.
                    declared.push((assignment.name, items));
                } else {
                    self.env.set(assignment.name, items, self.conditional > 0);
                }
            } else if let Some(value) = items.into_iter().next() {
                overlay.push((assignment.name, value));
            }
        }
        for (name, items) in declared {
            if local {
                let old = self.env.get(name).cloned();
                self.locals.push((self.functions.len(), name.to_owned(), old));
            }
            self.env.set(name, items, self.conditional > 0 && !local);
        }
        if redirects.len() > 1 && arguments.first().is_some_and(|arg| programs::is_shell(arg.as_str())) {
            self.check_reverse_shell(redirects, range);
        }
        let stdin = self.input(redirects, stdin);
        let output = if arguments.is_empty() {
            Flow::empty()
        } else {
            programs::run(self, &arguments, &overlay, range, stdin)
        };
        if arguments.first().is_some_and(|arg| arg.as_str() == "exec") && arguments.len() == 1 {
            self.open_descriptors(redirects);
        }
        self.output(redirects, output, range)
    }

    fn appended(&mut self, assignment: &Assignment<'_>, items: Vec<Flow>) -> Vec<Flow> {
        let old = self.env.get(assignment.name).map(|var| var.items.clone()).unwrap_or_default();
        match &assignment.value {
            Value::Array(_) => old.into_iter().chain(items).take(256).collect(),
            Value::Scalar(_) => {
                let old = old.into_iter().next().unwrap_or_else(Flow::empty);
                items.into_iter().map(|item| old.clone().then(item)).collect()
            }
        }
    }

    /// A shell whose input or output is a connection obeys whoever is at the other end.
    fn check_reverse_shell(&mut self, redirects: &[Redirect<'_>], range: (usize, usize)) {
        let connected = redirects.iter().find_map(|redirect| {
            let [Part::Text { text, .. }, ..] = redirect.target.parts.as_slice() else { return None };
            network_path(text)
        });
        if let Some(host) = connected {
            programs::network::remote_control(self, host, range);
        }
    }

    /// Calls a function or alias of this script, if there is one of that name.
    pub(super) fn call(
        &mut self,
        name: &str,
        arguments: &[Arg<'_>],
        range: (usize, usize),
        stdin: Option<Flow>,
    ) -> Option<Flow> {
        let body = self.env.functions.get(name)?.clone();
        if self.functions.iter().any(|active| active == name) {
            if self.spawning > 0 {
                self.fork_bomb(range);
            }
            return Some(Flow::unknown(Origin::PLAIN));
        }
        let positional = arguments
            .iter()
            .map(|arg| Flow { text: Some(arg.text.clone().into_owned()), origin: arg.origin })
            .collect();
        let before = std::mem::replace(&mut self.env.positional, positional);
        self.functions.push(name.to_owned());
        let output = self.nested(&body, range, stdin);
        while let Some((depth, name, old)) = self.locals.pop_if(|(depth, ..)| *depth == self.functions.len())
        {
            let _ = depth;
            self.env.restore(name, old);
        }
        self.functions.pop();
        self.env.positional = before;
        Some(output)
    }

    // Redirections.

    /// What a command reads from its standard input.
    fn input(&mut self, redirects: &[Redirect<'_>], stdin: Option<Flow>) -> Option<Flow> {
        let mut stdin = stdin;
        for redirect in redirects {
            match redirect.kind {
                RedirectKind::HereDoc => stdin = Some(self.text(&redirect.target)),
                RedirectKind::HereString => {
                    stdin = Some(self.text(&redirect.target).then(Flow::known("\n".to_owned())));
                }
                RedirectKind::Read | RedirectKind::ReadWrite => {
                    if let Some(arg) = self.arguments(std::slice::from_ref(&redirect.target)).first() {
                        stdin = Some(self.read(arg));
                    }
                }
                RedirectKind::DupRead => {
                    let fd = self.text(&redirect.target).text;
                    if let Some(Channel::Source(flow)) = fd.and_then(|fd| self.env.descriptors.get(&fd)) {
                        stdin = Some(flow.clone());
                    } else if self
                        .env
                        .descriptors
                        .values()
                        .any(|channel| matches!(channel, Channel::Source(_)))
                    {
                        // Some descriptor of this script: which one is not known.
                        let origin =
                            self.env.descriptors.values().fold(
                                Origin::PLAIN,
                                |origin, channel| match channel {
                                    Channel::Source(flow) => origin.and(flow.origin),
                                    Channel::Network(_) | Channel::File(_) => origin,
                                },
                            );
                        stdin = Some(Flow::unknown(origin));
                    }
                }
                RedirectKind::Write
                | RedirectKind::Append
                | RedirectKind::WriteBoth
                | RedirectKind::AppendBoth
                | RedirectKind::DupWrite => {}
            }
        }
        stdin
    }

    /// Where a command's output goes; gives what is left for the next one.
    fn output(&mut self, redirects: &[Redirect<'_>], output: Flow, _range: (usize, usize)) -> Flow {
        let mut left = output.clone();
        for redirect in redirects {
            let append = matches!(redirect.kind, RedirectKind::Append | RedirectKind::AppendBoth);
            match redirect.kind {
                RedirectKind::HereDoc
                | RedirectKind::HereString
                | RedirectKind::Read
                | RedirectKind::DupRead => {}
                RedirectKind::Write
                | RedirectKind::Append
                | RedirectKind::WriteBoth
                | RedirectKind::AppendBoth
                | RedirectKind::ReadWrite => {
                    let to_stdout = !matches!(redirect.fd, Some(Fd::Number(fd)) if fd != 1);
                    let content = if to_stdout { output.clone() } else { Flow::unknown(Origin::PLAIN) };
                    for arg in self.arguments(std::slice::from_ref(&redirect.target)) {
                        self.write(&arg, content.clone(), append);
                    }
                    if to_stdout {
                        left = Flow::empty();
                    }
                }
                RedirectKind::DupWrite => {
                    let range = (redirect.target.range.start, redirect.target.range.end);
                    let to = self.text(&redirect.target).text.unwrap_or_default();
                    if matches!(to.as_str(), "1" | "2" | "-" | "") {
                        continue;
                    }
                    match self.env.descriptors.get(&to).cloned() {
                        Some(Channel::Network(host)) => self.send(&host, output.origin, range),
                        Some(Channel::File(path)) => {
                            self.env.write_file(path, output.clone(), true);
                        }
                        Some(Channel::Source(_)) => {}
                        None if to.bytes().all(|byte| byte.is_ascii_digit()) => {}
                        None if to.contains(HOLE) => {
                            let channels: Vec<_> = self.env.descriptors.values().cloned().collect();
                            for channel in channels {
                                if let Channel::Network(host) = channel {
                                    self.send(&host, output.origin, range);
                                }
                            }
                        }
                        // `>&file` is the old spelling of `&>file`.
                        None => self.write(&Arg::literal(to, range), output.clone(), false),
                    }
                    left = Flow::empty();
                }
            }
        }
        left
    }

    /// `exec 3< file` and relatives: the descriptor stays open for what follows.
    fn open_descriptors(&mut self, redirects: &[Redirect<'_>]) {
        for redirect in redirects {
            let key = match &redirect.fd {
                Some(Fd::Number(fd)) => fd.to_string(),
                // `$name` is a hole unless it is set here, so the name stands for the number.
                Some(Fd::Named(name)) => {
                    let number = format!("fd:{name}");
                    self.env.set(name, vec![Flow::known(number.clone())], false);
                    number
                }
                None => continue,
            };
            let channel = match redirect.kind {
                RedirectKind::Read => {
                    let Some(arg) = self.arguments(std::slice::from_ref(&redirect.target)).into_iter().next()
                    else {
                        continue;
                    };
                    let before = self.effects.len();
                    let flow = self.read(&arg);
                    self.effects.truncate(before);
                    Channel::Source(flow)
                }
                RedirectKind::HereString | RedirectKind::HereDoc => {
                    Channel::Source(self.text(&redirect.target))
                }
                RedirectKind::Write
                | RedirectKind::Append
                | RedirectKind::ReadWrite
                | RedirectKind::WriteBoth
                | RedirectKind::AppendBoth => {
                    let Some(arg) = self.arguments(std::slice::from_ref(&redirect.target)).into_iter().next()
                    else {
                        continue;
                    };
                    match network_path(arg.as_str()) {
                        Some(host) => Channel::Network(host.to_owned()),
                        None => Channel::File(self.locate(arg.as_str())),
                    }
                }
                RedirectKind::DupRead | RedirectKind::DupWrite => continue,
            };
            if self.env.descriptors.len() < 64 {
                self.env.descriptors.insert(key, channel);
            }
        }
    }

    // Files.

    /// The working tree, if it is known.
    pub(super) fn root(&self) -> Option<&str> {
        self.root
    }

    /// Where relative paths start, if that is known.
    pub(super) fn directory(&self) -> Option<&str> {
        self.env.directory.as_deref().or(self.root)
    }

    /// `cd`.
    pub(super) fn change_directory(&mut self, to: Option<&str>) {
        let next = match to {
            // Back to wherever it was, or somewhere only known when it runs.
            Some("-") => HOLE.to_string(),
            Some(to) => self.locate(to),
            None => "~".to_owned(),
        };
        self.env.directory = Some(next);
    }

    /// `path` as seen from the start of the script.
    pub(super) fn locate(&self, text: &str) -> String {
        match &self.env.directory {
            Some(directory) if !is_absolute(text) => format!("{}/{text}", directory.trim_end_matches('/')),
            Some(_) | None => text.to_owned(),
        }
    }

    /// The target a path argument names.
    pub(super) fn path_target(&self, text: &str) -> (Target, path::Found) {
        let found = path::classify(&self.locate(text), self.root);
        let target = Target {
            kind: TargetKind::Path,
            name: found.name.clone(),
            place: found.place,
            sensitivity: found.sensitivity,
        };
        (target, found)
    }

    /// Reads the file an argument names; gives what it holds.
    pub(super) fn read(&mut self, arg: &Arg<'_>) -> Flow {
        if let Some(host) = network_path(arg.as_str()) {
            let target = Target::new(TargetKind::Host, host).at(Place::Away);
            let span = self.span(arg.range);
            self.emit(Effect::new(Verb::Read, target, span));
            return Flow::unknown(Origin::FETCHED);
        }
        if let Some(content) = self.env.files.get(&self.locate(arg.as_str())) {
            return content.clone();
        }
        let (target, found) = self.path_target(arg.as_str());
        let origin = if holds_secrets(&found) { Origin::SECRET } else { Origin::LOCAL };
        let span = self.span(arg.range);
        let mut effect = Effect::new(Verb::Read, target, span);
        if let Some(what) = found.what {
            effect = effect.words(what);
        }
        if arg.glob {
            effect = effect.extent(Extent::Several);
        }
        if !arg.known {
            effect = effect.seen(Seen::Likely);
        }
        self.emit(effect);
        Flow::unknown(origin)
    }

    /// What the file an argument names holds, without reading being an effect of its own.
    pub(super) fn content(&self, text: &str) -> Flow {
        let located = self.locate(text);
        if let Some(Channel::Source(flow)) =
            located.strip_prefix("/dev/fd/").and_then(|fd| self.env.descriptors.get(fd))
        {
            return flow.clone();
        }
        if let Some(content) = self.env.files.get(&located) {
            return content.clone();
        }
        let found = path::classify(&located, self.root);
        // A directory that was filled here, or that keys are usually kept in, is as secret as they are.
        let inside = format!("{}/", located.trim_end_matches('/'));
        let filled = self
            .env
            .files
            .iter()
            .filter(|(name, _)| name.starts_with(&inside))
            .fold(Origin::PLAIN, |origin, (_, flow)| origin.and(flow.origin));
        let own = if holds_secrets(&found) { Origin::SECRET } else { Origin::LOCAL };
        Flow::unknown(own.and(filled))
    }

    /// Writes the file an argument names.
    pub(super) fn write(&mut self, arg: &Arg<'_>, content: Flow, append: bool) {
        if let Some(host) = network_path(arg.as_str()) {
            self.send(host, content.origin, arg.range);
            return;
        }
        let (target, found) = self.path_target(arg.as_str());
        if is_sink(&found.name) {
            return;
        }
        let device = path::is_block_device(&found.name);
        self.env.write_file(self.locate(arg.as_str()), content, append || self.conditional > 0);
        let span = self.span(arg.range);
        let mut effect = Effect::new(Verb::Write, target, span);
        effect.undo = match (device, effect.target.place) {
            (true, _) => Undo::Impossible,
            (false, Place::Scratch) => Undo::Trivial,
            (false, _) => Undo::Possible,
        };
        if let Some(what) = found.what {
            effect = effect.words(what);
        }
        if !arg.known {
            effect = effect.seen(Seen::Likely);
        }
        self.emit(effect);
    }

    /// Data leaves for `host`.
    pub(super) fn send(&mut self, host: &str, origin: Origin, range: (usize, usize)) {
        let target = super::programs::network::host_target(host);
        let span = self.span(range);
        let mut effect = Effect::new(Verb::Send, target, span);
        if origin.has(Origin::SECRET) {
            effect = effect.manner(Manner::CARRIES_SECRET).undo(Undo::Impossible);
        }
        self.emit(effect);
    }

    /// A name under which `content` can be read.
    pub(super) fn virtual_file(&mut self, content: Flow) -> String {
        self.virtual_files += 1;
        let path = format!("/dev/fd/p{}", self.virtual_files);
        self.env.write_file(path.clone(), content, false);
        path
    }

    pub(super) fn is_conditional(&self) -> bool {
        self.conditional > 0
    }
}

/// The host of bash's `/dev/tcp/host/port`.
pub(super) fn network_path(path: &str) -> Option<&str> {
    path.strip_prefix("/dev/tcp/").or_else(|| path.strip_prefix("/dev/udp/"))
}

/// Whether a path does not depend on where it is used.
fn is_absolute(text: &str) -> bool {
    text.starts_with(['/', '~', '\\', HOLE])
        || text.starts_with("$HOME")
        || text.as_bytes().get(1) == Some(&b':')
}

fn is_sink(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/zero")
        || path.starts_with("/dev/fd/")
        || path.starts_with("/dev/pts/")
}

pub(super) fn holds_secrets(found: &path::Found) -> bool {
    matches!(found.sensitivity, Sensitivity::Secret | Sensitivity::Credential)
}

fn is_declaration_name(arguments: &[Arg<'_>]) -> bool {
    arguments.first().is_some_and(|arg| {
        matches!(arg.as_str(), "export" | "declare" | "local" | "readonly" | "typeset" | "alias")
    })
}

fn is_command(item: &Item<'_>, names: &[&str]) -> bool {
    matches!(item.stages.as_slice(), [Stage { command: Command::Simple { words, .. }, .. }]
        if matches!(words.first().map(|word| word.parts.as_slice()),
            Some([Part::Text { text, .. }]) if names.contains(&&**text)))
}

fn is_endless(condition: &Script<'_>) -> bool {
    match condition.items.as_slice() {
        [item] if is_command(item, &["true", ":", "/bin/true", "/usr/bin/true"]) => true,
        [Item { stages, .. }] => match stages.as_slice() {
            [Stage { command: Command::Arithmetic(word), .. }] => {
                matches!(word.parts.as_slice(), [Part::Text { text, .. }] if text.trim() == "1")
            }
            [Stage { command: Command::Test(words), .. }] => words.len() == 1,
            _ => false,
        },
        _ => false,
    }
}

/// Whether a compound command starts background jobs somewhere inside.
fn starts_jobs(stage: &Stage<'_>) -> bool {
    let inside = |script: &Script<'_>| {
        script.items.iter().any(|item| item.background || item.stages.iter().any(starts_jobs))
    };
    match &stage.command {
        Command::Group(script) | Command::Subshell(script) => inside(script),
        Command::If { branches, otherwise } => {
            branches.iter().any(|(_, body)| inside(body)) || otherwise.as_ref().is_some_and(inside)
        }
        Command::While { body, .. } | Command::For { body, .. } | Command::ForArithmetic { body, .. } => {
            inside(body)
        }
        Command::Case { arms, .. } => arms.iter().any(|(_, body)| inside(body)),
        Command::Simple { .. } | Command::Function { .. } | Command::Test(_) | Command::Arithmetic(_) => {
            false
        }
    }
}
