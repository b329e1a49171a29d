//! Walks a script the way a shell would run it, without running anything.
//!
//! Both sides of every condition are taken, loops go round once for each known word, functions are
//! entered, and data is followed through pipes, variables and files, so that what a program would get
//! is known wherever it can be.

mod disk;

mod empty_holes;

mod redirects;

use std::{cell::RefCell, collections::VecDeque, rc::Rc};

use super::{
    dialect::{Dialect, Shell},
    env::{Env, Var},
    flow::{Arg, Flow, HOLE, Origin, without_holes},
    parse::{self, Budget},
    programs,
    syntax::*,
    wrapping,
};
use crate::effect::{
    Effect, Extent, Manner, Pointer, Sensitivity, Span, Target, TargetKind, Undo, Verb, path,
};

/// Commands walked before giving up.
const STEPS_MAX: u32 = 5_000;
/// Bytes that may be copied in following values before giving up.
const COPIES_MAX: usize = 4 << 20;
/// Commands within commands: groups, wrappers, functions and scripts together.
const DEPTH_MAX: u32 = 150;
/// Scripts within scripts.
const NESTING_MAX: u32 = 16;
/// Effects kept of one call: so many in all, and so many that only look.
const EFFECTS_MAX: usize = 5_000;
const LOOKS_MAX: usize = 1_000;
/// Elements of an array that grows.
const ITEMS_MAX: usize = 256;
/// Functions remembered.
const FUNCTIONS_MAX: usize = 1024;
/// Words a loop is followed for one by one.
const ROUNDS_MAX: usize = 16;
/// Of the words beyond, those that matter and are followed too.
const TELLING_MAX: usize = 32;

/// The walk through one script.
pub struct Walker<'c> {
    pointer: Pointer,
    root: Option<&'c str>,
    base: path::Base<'c>,
    pub(super) effects: Vec<Effect>,
    pub(super) env: Env,
    /// Circumstances that everything below inherits: `sudo`, `ssh`.
    pub(super) manner: Manner,
    budget: Budget,
    steps: u32,
    copied: usize,
    depth: u32,
    nesting: u32,
    /// In how many branches that may not be taken.
    conditional: u32,
    /// In how many pipelines or background jobs.
    spawning: u32,
    /// Where spans of nested scripts point.
    anchor: Option<(usize, usize)>,
    functions: Vec<String>,
    /// In how many pipelines or background jobs each of them was called.
    called_in: Vec<u32>,
    /// Variables to be put back when a function of that depth ends.
    locals: Vec<(usize, String, Option<Var>)>,
    virtual_files: u32,
    /// The last paths that were asked about.
    lately: RefCell<VecDeque<(String, Rc<path::Found>)>>,
    /// Whether the text is probably meant for a Windows shell, and read for it elsewhere.
    pub(super) beside_windows: bool,
    looks: usize,
    /// Whether the text is a wrapping around a command that is read besides.
    pub(super) wrapped: bool,
    /// The shell whose text is walked.
    pub(super) shell: Shell,
    /// What a shell is taken for that is not known.
    assumed: Dialect,
    /// Whether a shell that is not known read something that another would read differently.
    pub(super) differed: bool,
    /// How deep in code of another language this walk is.
    pub(super) code_depth: u32,
    /// Whether a command is walked a second time with nothing in its holes.
    reads_emptied: bool,
    exhausted: bool,
    overflowed: bool,
}

impl<'c> Walker<'c> {
    /// A walk for the string at `pointer`, with the working tree at `root`, started in `directory` if that is
    /// somewhere else.
    pub fn new(pointer: Pointer, root: Option<&'c str>, directory: Option<&str>) -> Self {
        Self {
            pointer,
            root,
            base: path::Base::new(root),
            effects: Vec::with_capacity(16),
            env: Env::starting_in(directory),
            manner: Manner::PLAIN,
            budget: Budget::default(),
            steps: 0,
            copied: 0,
            depth: 0,
            nesting: 0,
            conditional: 0,
            spawning: 0,
            anchor: None,
            functions: Vec::new(),
            called_in: Vec::new(),
            locals: Vec::new(),
            virtual_files: 0,
            lately: RefCell::new(VecDeque::new()),
            beside_windows: false,
            looks: 0,
            wrapped: false,
            shell: Shell::Unknown,
            assumed: Dialect::Bash,
            differed: false,
            code_depth: 0,
            reads_emptied: false,
            exhausted: false,
            overflowed: false,
        }
    }

    /// The same walk for text of `shell`, where every shell that is not known is taken for `assumed`.
    #[must_use]
    pub fn of_shell(mut self, shell: Shell, assumed: Dialect) -> Self {
        self.shell = shell;
        self.assumed = assumed;
        self
    }

    /// The grammar of the text that is walked.
    pub(super) fn dialect(&self) -> Dialect {
        match self.shell {
            Shell::Known(dialect) => dialect,
            Shell::Unknown => self.assumed,
        }
    }

    /// Walks what `shell` runs.
    pub(super) fn in_shell<T>(&mut self, shell: Shell, walk: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.shell, shell);
        let result = walk(self);
        self.shell = before;
        result
    }

    /// Walks `text` as the outermost script.
    pub fn outermost(&mut self, text: &str) {
        if let Some((start, end)) = wrapping::inside(text) {
            self.wrapped = true;
            self.in_subshell(|walker| walker.nested_here(&text[start..end], (start, end), None));
        }
        self.text_script(text, None);
    }

    /// What was found.
    pub fn finish(self) -> Vec<Effect> {
        self.effects
    }

    fn text_script(&mut self, text: &str, stdin: Option<Flow>) -> Flow {
        let parsed = parse::parse_as(text, self.budget, self.dialect());
        self.differed |= parsed.differs && self.shell == Shell::Unknown;
        if parsed.problem.is_some_and(|problem| !problem.budget) && programs::statement(self, text) {
            return Flow::unknown(Origin::PLAIN);
        }
        let output = self.run(&parsed.script, stdin);
        // No shell runs a line with a reserved word out of its place; inside the wrapping it is in place.
        let runs_nothing = |problem: &parse::Problem| {
            self.wrapped
                && self.nesting == 0
                && problem.what == parse::MISPLACED
                && !text.trim().contains('\n')
        };
        let problem =
            parsed.problem.filter(|problem| problem.budget || !self.beside_windows && !problem.refused);
        if let Some(problem) = problem.filter(|problem| !runs_nothing(problem)) {
            let span = self.span((problem.at.min(text.len()), text.len()));
            self.emit(match problem.budget {
                true => Effect::cut(problem.what, span),
                false => Effect::opaque(problem.what, span),
            });
        }
        output
    }

    /// Walks a script that stood inside another and is for a shell of its own, of which nothing is known.
    pub(super) fn nested(&mut self, text: &str, range: (usize, usize), stdin: Option<Flow>) -> Flow {
        self.in_shell(Shell::Unknown, |walker| walker.nested_here(text, range, stdin))
    }

    /// Walks a script that stood inside another, for the shell that runs the other.
    pub(super) fn nested_here(&mut self, text: &str, range: (usize, usize), stdin: Option<Flow>) -> Flow {
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

    /// Walks a script that stood inside another, with `arguments` of its own.
    pub(super) fn nested_with(
        &mut self,
        text: &str,
        arguments: &[Arg<'_>],
        range: (usize, usize),
        stdin: Option<Flow>,
    ) -> Flow {
        let values = arguments.iter();
        let values = values.map(|arg| Flow { text: Some(arg.text.clone().into_owned()), origin: arg.origin });
        let before = self.env.positional.replace(values.collect());
        let output = self.nested_here(text, range, stdin);
        self.env.positional = before;
        output
    }

    /// Whether code may be read within this script; then [`Self::leaves`] must follow.
    pub(super) fn enters(&mut self, range: (usize, usize)) -> bool {
        if self.nesting >= NESTING_MAX {
            self.give_up("scripts are nested too deeply to follow", range);
            return false;
        }
        self.nesting += 1;
        true
    }

    /// The code within this script has been read.
    pub(super) fn leaves(&mut self) {
        self.nesting -= 1;
    }

    /// The call's span for bytes of the script being walked.
    pub(super) fn span(&self, range: (usize, usize)) -> Span {
        let (start, end) = self.anchor.unwrap_or(range);
        Span::new(self.pointer.clone(), start..end)
    }

    /// Whether there are so many that only look that another, of something this sensitive, is not listed.
    fn drops_looks(&self, sensitivity: Sensitivity) -> bool {
        self.looks >= LOOKS_MAX && sensitivity < Sensitivity::Secret
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
                self.effects.push(Effect::cut("more effects than can be listed", span));
            }
            return;
        }
        let mut effect = effect.manner(self.manner);
        effect.target.name = without_holes(effect.target.name);
        self.effects.push(effect);
    }

    /// Adds an effect before all but the first `index`.
    pub(super) fn emit_at(&mut self, index: usize, effect: Effect) {
        let before = self.effects.len();
        self.emit(effect);
        if self.effects.len() > before && index < before {
            self.effects[index..].rotate_right(1);
        }
    }

    /// Adds an effect that could not be read.
    pub(super) fn opaque(&mut self, why: &'static str, range: (usize, usize)) {
        let span = self.span(range);
        self.emit(Effect::opaque(why, span));
    }

    /// Adds that there is more than can be read.
    pub(super) fn cut(&mut self, why: &'static str, range: (usize, usize)) {
        let span = self.span(range);
        self.emit(Effect::cut(why, span));
    }

    pub(super) fn give_up(&mut self, why: &'static str, range: (usize, usize)) {
        if !self.exhausted {
            self.exhausted = true;
            self.cut(why, range);
        }
    }

    /// Walks one level deeper, unless that is too deep; then what is there is not known.
    pub(super) fn deeper(&mut self, range: (usize, usize), walk: impl FnOnce(&mut Self) -> Flow) -> Flow {
        if self.depth >= DEPTH_MAX {
            self.give_up("commands are nested too deeply to follow", range);
            return Flow::unknown(Origin::PLAIN);
        }
        self.depth += 1;
        let output = walk(self);
        self.depth -= 1;
        output
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
        let mut fails = false;
        for item in &script.items {
            // To dash `[[` is a program that is not there, so that what hangs on it by `&&` does not run.
            if fails && item.link == Link::And {
                continue;
            }
            fails = self.dialect() == Dialect::Dash && is_command(item, &["[["]);
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
        self.check_piped_shell(item);
        let mut flow = stdin;
        for stage in &item.stages {
            let range = (stage.range.start, stage.range.end);
            flow = Some(self.deeper(range, |walker| walker.stage(stage, flow)));
        }
        self.spawning -= u32::from(spawns);
        if self.env.full {
            self.give_up("more names than can be remembered", (0, 0));
        }
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
        let full = self.env.full;
        self.env = before;
        self.env.files = files;
        self.env.full = full;
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
                // Twice, because the second round sees what the first has set.
                self.sometimes(|walker| walker.run(body, stdin.clone()));
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
                } else {
                    self.give_up("more functions than can be remembered", range);
                }
                Flow::empty()
            }
            Command::Test(words) => {
                let words = self.arguments(words);
                self.check_evaluated(&words);
                Flow::empty()
            }
            Command::Arithmetic(word) => {
                self.check_arithmetic(&word.parts, range);
                let text = self.text(word).text.unwrap_or_default();
                if reads_like_a_command(&text) {
                    // To bash this is arithmetic; to a plainer `sh` it is a subshell in a subshell.
                    self.nested_here(&text, range, stdin);
                }
                Flow::empty()
            }
        }
    }

    /// Arithmetic runs the substitutions in what it is given, even those that came as text.
    pub(super) fn check_evaluated(&mut self, words: &[Arg<'_>]) {
        for word in words {
            if hides_substitution(word.as_str()) {
                self.opaque("text that arithmetic would run", word.range);
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
            None => self.env.positional.clone().unwrap_or_else(|| vec![Flow::unknown(Origin::PLAIN)]),
        };
        let mut output = Flow::empty();
        let rest = values.len() > ROUNDS_MAX;
        let (telling, others) = self.telling(values.iter().skip(ROUNDS_MAX).cloned());
        for value in values.into_iter().take(ROUNDS_MAX) {
            self.env.set(name, vec![value], false);
            output = output.then(self.sometimes(|walker| walker.run(body, stdin.clone())));
        }
        for value in telling {
            self.env.set(name, vec![value], false);
            output = output.then(self.sometimes(|walker| walker.run(body, stdin.clone())));
        }
        if rest {
            self.env.set(name, vec![Flow::unknown(others)], false);
            output = output.then(self.sometimes(|walker| walker.run(body, stdin)));
        }
        output
    }

    /// Of values that are not followed one by one, those that matter: one file of each kind that is anything but
    /// ordinary, and texts of several words, which may be commands. What is left of the others is where they came from.
    pub(super) fn telling(&self, values: impl Iterator<Item = Flow>) -> (Vec<Flow>, Origin) {
        let mut telling: Vec<Flow> = Vec::new();
        let mut kinds = Vec::new();
        let mut left_out = Origin::PLAIN;
        for value in values {
            let Some(text) = value.text.as_deref() else { continue };
            let found = self.path_target(text).1;
            let kind = (found.sensitivity, found.broad);
            let new_kind = found.sensitivity > Sensitivity::None && !kinds.contains(&kind);
            let several_words = text.trim().contains(char::is_whitespace);
            if (new_kind || several_words) && !telling.contains(&value) {
                if telling.len() >= TELLING_MAX {
                    left_out = Origin::CUT;
                    break;
                }
                kinds.push(kind);
                telling.push(value);
            }
        }
        (telling, left_out)
    }

    /// A loop that never ends and starts jobs without waiting for them fills the machine.
    fn check_endless(&mut self, body: &Script<'_>, range: (usize, usize)) {
        let last_wait = body.items.iter().rposition(|item| is_command(item, &["wait"]));
        let last_start = body.items.iter().rposition(|item| item.background);
        let nested = body.items.iter().any(|item| item.stages.iter().any(starts_jobs));
        if nested || last_start.is_some_and(|start| last_wait.is_none_or(|wait| wait < start)) {
            // A pause in each round leaves time to notice.
            self.fork_bomb(range, !body.items.iter().any(pauses));
        }
    }

    fn fork_bomb(&mut self, range: (usize, usize), at_once: bool) {
        let target = Target::new(TargetKind::Service, "this machine").with(Sensitivity::System);
        let span = self.span(range);
        let effect = Effect::new(Verb::Execute, target, span).extent(Extent::Unbounded);
        self.emit(match at_once {
            true => effect
                .undo(Undo::Impossible)
                .manner(Manner::DETACHED)
                .words("starts processes without end until the machine stops"),
            false => effect.words("starts one process after the other without waiting for them"),
        });
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
                self.settings(assignment.name, &items, range);
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
        if is_declaration(&arguments) {
            self.declared_by_text(assignments, &arguments, range);
        }
        let output = if arguments.is_empty() {
            // `$(< file)` is the file.
            let reads = redirects.iter().any(|redirect| redirect.kind == RedirectKind::Read);
            stdin.filter(|_| reads).unwrap_or_else(Flow::empty)
        } else {
            let emptied = self.emptied(words, &arguments, &stdin);
            let before = self.effects.len();
            let output = programs::command(self, &arguments, &overlay, range, stdin);
            if let Some(emptied) = emptied {
                self.run_emptied(emptied, &overlay, range, before);
            }
            output
        };
        if arguments.first().is_some_and(|arg| arg.as_str() == "exec") && arguments.len() == 1 {
            self.open_descriptors(redirects);
        }
        self.output(redirects, output, range)
    }

    /// `export "NAME=value"` and `export $x`: an assignment that is not written as one.
    fn declared_by_text(
        &mut self,
        assignments: &[Assignment<'_>],
        arguments: &[Arg<'_>],
        range: (usize, usize),
    ) {
        let reference = arguments.iter().any(|arg| arg.as_str() == "-n");
        for arg in &arguments[1..] {
            let Some((name, value)) = arg.as_str().split_once('=') else { continue };
            let name = name.strip_suffix('+').unwrap_or(name);
            let plain =
                !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if !plain || assignments.iter().any(|assignment| assignment.name == name) {
                continue;
            }
            let value = match reference {
                true => Flow::unknown(Origin::PLAIN),
                false => Flow { text: Some(value.to_owned()), origin: arg.origin },
            };
            self.settings(name, std::slice::from_ref(&value), range);
            self.env.set(name, vec![value], self.conditional > 0);
        }
    }

    /// Some variables change what the next programs are or run.
    fn settings(&mut self, name: &str, items: &[Flow], range: (usize, usize)) {
        if let Some(value) = items.first() {
            programs::settings_that_run(self, &[(name, value.clone())], range);
        }
    }

    fn appended(&mut self, assignment: &Assignment<'_>, items: Vec<Flow>) -> Vec<Flow> {
        let old = self.env.get(assignment.name).map(|var| var.items.clone()).unwrap_or_default();
        match &assignment.value {
            Value::Array(_) => {
                let items: Vec<Flow> = old.into_iter().chain(items).take(ITEMS_MAX + 1).collect();
                if items.len() > ITEMS_MAX {
                    self.give_up("more elements than can be remembered", (0, 0));
                }
                items
            }
            Value::Scalar(_) => {
                let old = old.into_iter().next().unwrap_or_else(Flow::empty);
                items.into_iter().map(|item| old.clone().then(item)).collect()
            }
        }
    }

    /// `… | sh -i | nc host port`: what the shell prints goes to whoever tells it what to do.
    fn check_piped_shell(&mut self, item: &Item<'_>) {
        if item.stages.len() < 2 {
            return;
        }
        let shell = item.stages.iter().position(|stage| stage_name(stage).is_some_and(programs::is_shell));
        let talks = |stage: &Stage<'_>| {
            matches!(stage_name(stage), Some("nc" | "ncat" | "netcat" | "socat" | "telnet" | "openssl"))
        };
        if let Some(at) = shell.filter(|at| item.stages[at + 1..].iter().any(talks)) {
            let range = &item.stages[at].range;
            programs::network::remote_control(self, "", (range.start, range.end));
        }
    }

    /// A shell whose input or output is a connection obeys whoever is at the other end.
    fn check_reverse_shell(&mut self, redirects: &[Redirect<'_>], range: (usize, usize)) {
        let connected = redirects.iter().find_map(|redirect| {
            let [Part::Text { text, .. }, ..] = &*redirect.target.parts else { return None };
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
        if let Some(active) = self.functions.iter().position(|active| active == name) {
            // Only a process that it starts itself, to call itself there, makes more and more of them.
            if self.called_in.get(active).is_some_and(|before| self.spawning > *before) {
                self.fork_bomb(range, true);
            }
            // Within itself the name most often means the program it wraps.
            return None;
        }
        let positional = arguments
            .iter()
            .map(|arg| Flow { text: Some(arg.text.clone().into_owned()), origin: arg.origin })
            .collect();
        let before = self.env.positional.replace(positional);
        self.functions.push(name.to_owned());
        self.called_in.push(self.spawning);
        let output = self.nested_here(&body, range, stdin);
        while let Some((depth, name, old)) = self.locals.pop_if(|(depth, ..)| *depth == self.functions.len())
        {
            let _ = depth;
            self.env.restore(name, old);
        }
        self.functions.pop();
        self.called_in.pop();
        self.env.positional = before;
        Some(output)
    }
}

/// Whether a text would run something once it is evaluated.
pub(super) fn hides_substitution(text: &str) -> bool {
    text.contains("$(") || text.contains('`') || text.contains("${")
}

/// Whether an arithmetic expression is a single word, or has signs or words side by side that no arithmetic has.
fn reads_like_a_command(text: &str) -> bool {
    if text.contains([';', '{', '}']) {
        return true;
    }
    let word = text.trim_matches(|letter: char| letter.is_whitespace() || matches!(letter, '(' | ')'));
    if word.starts_with(|letter: char| letter.is_alphabetic() || letter == '/')
        && word.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '/' | '.' | '-'))
    {
        return true;
    }
    let bytes = text.as_bytes();
    bytes.windows(2).enumerate().any(|(at, pair)| {
        if !(pair[0].is_ascii_alphanumeric() || pair[0] == b'_') || !pair[1].is_ascii_whitespace() {
            return false;
        }
        let after = text.get(at + 1..).unwrap_or("").trim_start();
        let letter = |text: &str, more: &str| {
            text.starts_with(|letter: char| letter.is_alphabetic() || more.contains(letter))
        };
        letter(after, "_/~.$\"'") || after.strip_prefix('-').is_some_and(|flag| letter(flag, "-"))
    })
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

/// Whether each argument that looks like an assignment is one.
fn is_declaration(arguments: &[Arg<'_>]) -> bool {
    is_declaration_name(arguments) && arguments[0].as_str() != "alias"
}

fn is_declaration_name(arguments: &[Arg<'_>]) -> bool {
    arguments.first().is_some_and(|arg| {
        matches!(arg.as_str(), "export" | "declare" | "local" | "readonly" | "typeset" | "alias")
    })
}

/// The program that a stage runs, if that is a plain word.
fn stage_name<'s>(stage: &'s Stage<'_>) -> Option<&'s str> {
    match &stage.command {
        Command::Simple { words, .. } => match words.first().map(|word| &*word.parts) {
            Some([Part::Text { text, .. }]) => Some(programs::base_name(text)),
            _ => None,
        },
        _ => None,
    }
}

fn is_command(item: &Item<'_>, names: &[&str]) -> bool {
    matches!(item.stages.as_slice(), [Stage { command: Command::Simple { words, .. }, .. }]
        if matches!(words.first().map(|word| &*word.parts),
            Some([Part::Text { text, .. }]) if names.contains(&&**text)))
}

/// Whether the shell waits here for a second at least.
fn pauses(item: &Item<'_>) -> bool {
    let [Stage { command: Command::Simple { words, .. }, .. }] = item.stages.as_slice() else { return false };
    let Some([Part::Text { text, .. }]) = words.get(1).map(|word| &*word.parts) else { return false };
    let seconds = text.bytes().next().is_some_and(|digit| matches!(digit, b'1'..=b'9'));
    !item.background && is_command(item, &["sleep"]) && seconds
}

fn is_endless(condition: &Script<'_>) -> bool {
    match condition.items.as_slice() {
        [item] if is_command(item, &["true", ":", "/bin/true", "/usr/bin/true"]) => true,
        [Item { stages, .. }] => match stages.as_slice() {
            [Stage { command: Command::Arithmetic(word), .. }] => {
                matches!(&*word.parts, [Part::Text { text, .. }] if text.trim() == "1")
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
