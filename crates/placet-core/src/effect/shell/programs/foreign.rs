//! Code of other languages: what it would do is done by the same walk.

use super::{Call, interpreters};
use crate::{
    ToolCall, ToolName,
    effect::{
        Effect, Extent, Manner, Place, Seen, Target, TargetKind, Verb,
        code::{self, How, Language, Range, Text, World, lexical},
        interpret,
        shell::{
            flow::{Arg, Flow, HOLE, Origin},
            walk::Walker,
        },
    },
    json::Object,
};

/// Reads `code`, which is the whole of an argument.
pub fn run_whole(walker: &mut Walker<'_>, language: &str, code: &str) {
    read(walker, language, code, None);
}

/// Reads code that is an argument itself: `python -c …`.
pub fn run_inline(walker: &mut Walker<'_>, language: &str, arg: &Arg<'_>) {
    let first = walker.effects.len();
    run_foreign(walker, language, arg);
    for effect in walker.effects.iter_mut().skip(first) {
        // Who deletes on a command line has a command for it; nobody looks for a deletion inside a piece of code.
        if effect.verb == Verb::Delete && effect.target.place != Place::Scratch {
            effect.manner |= Manner::HIDDEN;
        }
    }
}

/// Reads code that a command got from somewhere.
pub fn run_foreign(walker: &mut Walker<'_>, language: &str, arg: &Arg<'_>) {
    if !arg.known && arg.origin.has(Origin::FETCHED) {
        interpreters::run_unseen(walker, arg.origin, "", arg.range);
    }
    if arg.origin.has(Origin::DECODED) {
        interpreters::run_unseen(walker, Origin::DECODED, "", arg.range);
    }
    read(walker, language, arg.as_str(), Some(arg.range));
}

fn read(walker: &mut Walker<'_>, language: &str, text: &str, anchor: Option<Range>) {
    let whole = anchor.unwrap_or((0, text.len()));
    match Language::named(language) {
        Some(known) => {
            if anchor.is_some() && !walker.may_copy(text.len()) || !walker.enters(whole) {
                return;
            }
            let first = walker.effects.len();
            let depth = walker.code_depth;
            let reading = code::read(known, text, depth, &mut Hands { walker: &mut *walker, anchor });
            walker.leaves();
            let target = Target::new(TargetKind::Command, ["inline ", language].concat());
            let span = walker.span(whole);
            let effect = match reading.all_known {
                true => Effect::new(Verb::Read, target, span).words("only computes"),
                false => Effect::new(Verb::Execute, target, span).seen(Seen::Likely),
            };
            // What it is comes before what it does.
            walker.emit_at(first, effect);
        }
        None => by_words(walker, language, text, whole),
    }
}

/// The hands of a piece of code: what it does is done to the world of a walk.
struct Hands<'h, 'c> {
    walker: &'h mut Walker<'c>,
    /// Where its effects are said to stand, if not at the bytes of the code.
    anchor: Option<Range>,
}

impl Hands<'_, '_> {
    fn range(&self, at: Range) -> Range {
        self.anchor.unwrap_or(at)
    }

    /// Starts something whose words have `size` bytes.
    fn starts(
        &mut self,
        size: usize,
        apart: bool,
        directory: Option<Text<'_>>,
        depth: u32,
        walk: impl FnOnce(&mut Walker<'_>) -> Flow,
    ) -> Flow {
        if !self.walker.may_copy(size) {
            return Flow::unknown(Origin::PLAIN);
        }
        let before = std::mem::replace(&mut self.walker.code_depth, depth + 2);
        let output = match (apart, directory) {
            (false, None) => walk(self.walker),
            (_, directory) => self.walker.in_subshell(|walker| {
                if let Some(directory) = directory {
                    walker.change_directory(Some(&directory.text));
                }
                walk(walker)
            }),
        };
        self.walker.code_depth = before;
        output
    }
}

fn arg<'t>(text: &Text<'t>, range: Range) -> Arg<'t> {
    Arg { known: text.known(), text: text.text.clone(), glob: text.glob, origin: text.origin, range }
}

impl World for Hands<'_, '_> {
    fn command(&mut self, words: &[Text<'_>], how: How<'_>, at: Range) -> Flow {
        let range = self.range(at);
        let arguments: Vec<Arg<'_>> = words.iter().map(|word| arg(word, range)).collect();
        let size = words.iter().map(|word| word.text.len()).sum();
        let (apart, directory, depth) = (how.apart, how.directory, how.depth);
        self.starts(size, apart, directory, depth, |walker| {
            super::run(walker, &arguments, &[], range, how.stdin)
        })
    }

    fn shell(&mut self, script: &Text<'_>, how: How<'_>, at: Range) -> Flow {
        let range = self.range(at);
        let code = arg(script, range);
        let call = Call { name: "sh", args: &[], range, stdin: how.stdin, overlay: &[] };
        self.starts(script.text.len(), how.apart, how.directory, how.depth, |walker| {
            interpreters::run_code_with(walker, &code, &call)
        })
    }

    fn read(&mut self, path: &Text<'_>, at: Range) -> Flow {
        let range = self.range(at);
        self.walker.read(&arg(path, range))
    }

    fn write(&mut self, path: &Text<'_>, content: Flow, append: bool, at: Range) {
        let range = self.range(at);
        self.walker.write(&arg(path, range), content, append);
    }

    fn fill(&mut self, path: &Text<'_>, content: Flow) {
        let key = self.walker.file_key(&path.text);
        // What was written before is still there.
        let before = self.walker.env.files.get(&key).cloned();
        let content = match before {
            Some(before) if before.text.is_some() => before.then(content),
            _ => content,
        };
        self.walker.env.write_file(key, content, false);
    }

    fn statement(&mut self, text: &Text<'_>, at: Range) {
        let range = self.range(at);
        super::databases::run_sql(self.walker, &text.text, text.known(), range);
    }

    fn code(&mut self, language: &str, text: &Text<'_>, depth: u32, at: Range) {
        let range = self.range(at);
        let code = arg(text, range);
        self.starts(text.text.len(), true, None, depth, |walker| {
            run_foreign(walker, language, &code);
            Flow::unknown(Origin::PLAIN)
        });
    }

    fn tool(&mut self, name: &str, args: Object, at: Range) {
        let range = self.range(at);
        let span = self.walker.span(range);
        let Ok(tool) = ToolName::parse(name) else {
            return self.walker.opaque("a tool whose name is none", range);
        };
        let call = ToolCall::new(tool, args);
        let call = match self.walker.root() {
            Some(root) => call.with_cwd(root),
            None => call,
        };
        if !self.walker.enters(range) {
            return;
        }
        for effect in interpret(&call).effects {
            self.walker.emit(Effect { because: span.clone(), ..effect });
        }
        self.walker.leaves();
    }

    fn run_unseen(&mut self, origin: Origin, at: Range) {
        let range = self.range(at);
        interpreters::run_unseen(self.walker, origin, "", range);
    }

    fn remote_control(&mut self, host: &str, at: Range) {
        let range = self.range(at);
        super::network::remote_control(self.walker, host, range);
    }

    fn emit(&mut self, effect: Effect, at: Range) {
        let range = self.range(at);
        let span = self.walker.span(range);
        self.walker.emit(Effect { because: span, ..effect });
    }
}

// Languages that are read by their words.

/// Files of one awk program that are listed.
const AWK_FILES_MAX: usize = 64;

/// Files an awk program opens itself: `> "file"`, `getline < "file"`.
fn awk_files(code: &str) -> Vec<(&str, bool)> {
    let mut files = Vec::new();
    for (at, sign) in code.match_indices(['<', '>']) {
        let rest = code[at + 1..].trim_start_matches('>').trim_start();
        let path = rest.strip_prefix('"').and_then(|rest| rest.split('"').next());
        if let Some(path) = path.filter(|path| path.contains(['/', '.', '~'])) {
            files.push((path, sign == ">"));
        }
        if files.len() > AWK_FILES_MAX {
            break;
        }
    }
    files
}

/// Whether an awk program has `print | "command"` or `"command" | getline`.
fn opens_pipe(code: &str) -> bool {
    let bytes = code.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| {
        let single = *byte == b'|'
            && bytes.get(at + 1) != Some(&b'|')
            && at.checked_sub(1).map(|at| bytes[at]) != Some(b'|');
        let rest = code.get(at + 1..).unwrap_or("").trim_start();
        let harmless =
            ["\"sort", "\"uniq", "\"wc", "\"head", "\"cat"].iter().any(|start| rest.starts_with(start));
        single && !harmless && (rest.starts_with(['"', '&']) || rest.starts_with("getline"))
    })
}

fn by_words(walker: &mut Walker<'_>, language: &str, text: &str, range: Range) {
    let span = walker.span(range);
    let found = lexical::scan(language, text);
    let awk = matches!(language, "awk" | "gawk" | "mawk" | "nawk");
    if awk {
        for (number, (path, writes)) in awk_files(text).into_iter().enumerate() {
            if number >= AWK_FILES_MAX {
                walker.cut("awk opens more files than can be listed", range);
            }
            let file = Arg::literal(path.to_owned(), range);
            if writes {
                walker.write(&file, Flow::unknown(Origin::LOCAL), true);
            } else {
                walker.read(&file);
            }
        }
    }
    if awk && found.uses.is_empty() {
        // A filter; unless it opens a pipe.
        let target = Target::new(TargetKind::Command, language);
        walker.emit(match opens_pipe(text) {
            true => Effect::opaque("awk runs a program through a pipe", span.clone()),
            false => Effect::new(Verb::Read, target, span.clone()),
        });
    } else {
        let target = Target::new(TargetKind::Command, ["inline ", language].concat());
        walker.emit(Effect::new(Verb::Execute, target, span.clone()).seen(Seen::Likely));
    }
    if found.decodes_and_runs {
        interpreters::run_unseen(walker, Origin::DECODED, "", range);
    }
    if found.fetches_and_runs {
        interpreters::run_unseen(walker, Origin::FETCHED, "", range);
    }
    if found.remote_control {
        super::network::remote_control(walker, "", range);
    }
    for use_ in found.uses {
        match use_ {
            lexical::Use::Shell(script) => {
                walker.nested(&script, range, None);
            }
            lexical::Use::ReadPath(path) => {
                walker.read(&Arg { text: path.into(), ..Arg::literal("", range) });
            }
            lexical::Use::WritePath(path) => {
                walker.write(
                    &Arg { text: path.into(), ..Arg::literal("", range) },
                    Flow::unknown(Origin::PLAIN),
                    false,
                );
            }
            lexical::Use::DeletePath { path, tree } => {
                let path = path.unwrap_or_else(|| HOLE.to_string());
                let before = walker.manner;
                // Nobody looks for a deletion inside a piece of code.
                walker.manner |= Manner::HIDDEN;
                super::files::delete(walker, &Arg::literal(path, range), tree);
                walker.manner = before;
            }
            lexical::Use::Fetch(host) => {
                let target = super::network::host_target(&host);
                walker.emit(Effect::new(Verb::Read, target, span.clone()));
            }
            lexical::Use::Send(host) => walker.send(&host, Origin::PLAIN, range),
            lexical::Use::Opaque(why) => walker.emit(Effect::opaque(why, span.clone()).extent(Extent::One)),
            lexical::Use::Cut(why) => walker.emit(Effect::cut(why, span.clone())),
        }
    }
}
