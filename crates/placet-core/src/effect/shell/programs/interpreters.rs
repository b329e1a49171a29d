//! Shells, interpreters and whatever else runs code.

use super::{
    Call,
    foreign::{run_foreign, run_inline},
    options::Options,
    proxies,
};
use crate::effect::{
    Effect, Manner, Seen, Target, TargetKind, Undo, Verb,
    shell::{
        dialect::Shell,
        flow::{Arg, Flow, HOLE, Origin},
        walk::Walker,
    },
    windows,
};

/// The programs that [`run`] may know; some have a version behind their name.
pub const NAMES: &str = "\
    sh bash zsh dash ksh ash fish rbash mksh csh tcsh yash rksh ksh93 elvish nu xonsh osh eval source . \
    powershell pwsh cmd wsl iex invoke-expression python pypy ipython py node nodejs deno tsx ts-node bun \
    perl ruby jruby php lua luajit osascript Rscript R groovy scala elixir julia tclsh guile racket swipl";

pub fn run(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish" | "rbash" | "mksh" | "csh" | "tcsh"
        | "yash" | "rksh" | "ksh93" | "elvish" | "nu" | "xonsh" | "osh" => {
            Some(walker.in_shell(Shell::of_program(call.name), |walker| shell(walker, call)))
        }
        "eval" => Some(eval(walker, call)),
        "source" | "." => Some(source(walker, call)),
        "powershell" | "pwsh" | "cmd" => Some(windows_shell(walker, call)),
        "wsl" => {
            let (_, at) = Options::leading(call.args, &["-d", "-u", "--cd", "--distribution", "--user"]);
            Some(super::run(walker, call.args.get(at..).unwrap_or(&[]), &[], call.range, call.stdin.clone()))
        }
        "iex" | "invoke-expression" => Some(match (call.args.first(), &call.stdin) {
            (Some(arg), _) => {
                run_code(walker, arg, call);
                Flow::unknown(Origin::PLAIN)
            }
            (None, Some(stdin)) => run_flow(walker, &stdin.clone(), call),
            (None, None) => return None,
        }),
        name => {
            let language = language_of(name)?;
            Some(interpreter(walker, call, language))
        }
    }
}

/// `python3.12` is Python.
fn language_of(name: &str) -> Option<&'static str> {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    Some(match stem {
        "python" | "pypy" | "ipython" | "py" => "python",
        "node" | "nodejs" | "deno" | "tsx" | "ts-node" => "javascript",
        "bun" if name == "bun" => return None,
        "perl" => "perl",
        "ruby" | "jruby" => "ruby",
        "php" => "php",
        "lua" | "luajit" => "lua",
        "osascript" => "applescript",
        "Rscript" | "R" => "r",
        "groovy" | "scala" | "elixir" | "julia" | "tclsh" | "guile" | "racket" | "swipl" => "other",
        _ => return None,
    })
}

// Shells.

fn shell(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let mut at = 0;
    let mut takes_code = false;
    let mut reads_input = false;
    let mut only_checks = false;
    while let Some(arg) = call.args.get(at) {
        let text = arg.as_str();
        if text == "--" || text == "-" {
            at += 1;
            break;
        }
        let plus = text.starts_with('+');
        if text.len() < 2 || !(plus || text.starts_with('-')) {
            break;
        }
        at += 1;
        if let Some(long) = text.strip_prefix("--") {
            if matches!(long, "rcfile" | "init-file") {
                // An interactive shell runs it first.
                if let Some(file) = call.args.get(at) {
                    run_file(walker, file, &[], call);
                }
                at += 1;
            }
            if matches!(long, "version" | "help") {
                return quiet(walker, call);
            }
            takes_code |= long == "command";
            reads_input |= is_shell_input(long);
            continue;
        }
        for letter in text.chars().skip(1) {
            match letter {
                'c' if !plus => takes_code = true,
                // `+s` is the same to some, and turns nothing off in any.
                's' => reads_input = true,
                'n' => only_checks = !plus,
                'o' | 'O' => {
                    reads_input |= call.args.get(at).is_some_and(|name| is_shell_input(name.as_str()));
                    at += 1;
                }
                _ => {}
            }
        }
    }
    let rest = call.args.get(at..).unwrap_or(&[]);
    if only_checks {
        return quiet(walker, call);
    }
    if reads_input {
        // With `-s` the operands are `$1`, `$2`, …, and the script comes from standard input; with `-c` besides, some run both.
        let read = run_input(walker, call, rest);
        if !takes_code {
            return read;
        }
    }
    if takes_code {
        // `bash -c -- code`
        let rest = if rest.first().is_some_and(|arg| arg.as_str() == "--") { &rest[1..] } else { rest };
        let Some((code, positional)) = rest.split_first() else {
            // Something appends the code: `xargs sh -c`.
            return match &call.stdin {
                Some(flow) => run_flow_here(walker, &flow.clone(), call),
                None => quiet(walker, call),
            };
        };
        let values = positional
            .iter()
            .skip(1)
            .map(|arg| Flow { text: Some(arg.text.clone().into_owned()), origin: arg.origin })
            .collect();
        return walker.in_subshell(|walker| {
            walker.env.positional = Some(values);
            run_code_with(walker, code, call)
        });
    }
    let Some((script, arguments)) = rest.split_first() else { return run_input(walker, call, rest) };
    if is_standard_input(script.as_str()) {
        return run_input(walker, call, arguments);
    }
    if may_be_nothing(script) && call.input_origin().has_any(Origin::FETCHED.and(Origin::DECODED)) {
        // A variable without a value leaves no operand, or an option such as `-s`.
        run_input(walker, call, arguments);
    }
    let output = run_file(walker, script, arguments, call);
    match walker.wrapped && is_no_script(walker, script) {
        true => Flow::empty(),
        false => output,
    }
}

/// Runs what a shell gets on its standard input, with `arguments` for `$1`, `$2`, ….
fn run_input(walker: &mut Walker<'_>, call: &Call<'_>, arguments: &[Arg<'_>]) -> Flow {
    let Some(flow) = &call.stdin else {
        let output = quiet(walker, call);
        // Behind a fence nobody types anything.
        return if walker.wrapped { Flow::empty() } else { output };
    };
    let values = arguments
        .iter()
        .map(|arg| Flow { text: Some(arg.text.clone().into_owned()), origin: arg.origin })
        .collect();
    walker.in_subshell(|walker| {
        walker.env.positional = Some(values);
        run_flow_here(walker, &flow.clone(), call)
    })
}

/// zsh's name for `-s`, in which case and underscores do not matter.
fn is_shell_input(name: &str) -> bool {
    let letters =
        name.bytes().filter(|byte| !matches!(byte, b'_' | b'-')).map(|byte| byte.to_ascii_lowercase());
    letters.eq(*b"shinstdin")
}

/// Whether a path is that of the standard input.
fn is_standard_input(path: &str) -> bool {
    matches!(path, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "/proc/thread-self/fd/0")
}

/// Whether an argument may be missing, or an option, once its variables have their values.
fn may_be_nothing(arg: &Arg<'_>) -> bool {
    arg.as_str().starts_with(HOLE)
}

/// Whether a shell would refuse to run a file: a program such as `md5sum` is no script, and nothing is printed.
fn is_no_script(walker: &Walker<'_>, file: &Arg<'_>) -> bool {
    let name = file.as_str();
    file.known
        && !name.contains(['/', '.'])
        && !walker.env.files.contains_key(&walker.file_key(name))
        && super::knows(name)
}

fn quiet(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let span = walker.span(call.range);
    walker.emit(Effect::new(Verb::Read, Target::new(TargetKind::Command, call.name), span));
    Flow::unknown(Origin::PLAIN)
}

fn eval(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let args =
        if call.args.first().is_some_and(|arg| arg.as_str() == "--") { &call.args[1..] } else { call.args };
    let origin = args.iter().fold(Origin::PLAIN, |origin, arg| origin.and(arg.origin));
    let text: Vec<&str> = args.iter().map(Arg::as_str).collect();
    let text = text.join(" ");
    let code = Arg { origin, ..Arg::literal(text, call.range) };
    run_code_with(walker, &code, call)
}

fn source(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let Some(file) = call.args.first() else { return quiet(walker, call) };
    if is_standard_input(file.as_str())
        && let Some(flow) = call.stdin.clone()
    {
        return run_flow_here(walker, &flow, call);
    }
    let output = run_file(walker, file, &call.args[1..], call);
    if !walker.env.files.contains_key(&walker.file_key(file.as_str())) && !is_usual_settings(file.as_str()) {
        // The file may have set any variable; functions of this script stay.
        walker.env.forget_variables();
    }
    output
}

/// Files that people source every day and that set nothing dangerous by convention.
fn is_usual_settings(path: &str) -> bool {
    path.ends_with("/activate")
        || path.contains("nvm.sh")
        || path.ends_with(".env")
        || path.ends_with("/env")
        || path.ends_with("rc")
        || path.ends_with("profile")
}

/// Runs an argument as shell code.
pub fn run_code(walker: &mut Walker<'_>, code: &Arg<'_>, call: &Call<'_>) {
    walker.in_shell(Shell::Unknown, |walker| run_code_with(walker, code, call));
}

pub(super) fn run_code_with(walker: &mut Walker<'_>, code: &Arg<'_>, call: &Call<'_>) -> Flow {
    let nothing_known =
        code.as_str().trim_matches(|letter: char| letter == HOLE || letter.is_whitespace()).is_empty();
    if code.origin.has(Origin::DECODED) && !nothing_known {
        run_unseen(walker, Origin::DECODED, "", call.range);
    }
    if nothing_known && !code.as_str().trim().is_empty() {
        return run_flow(walker, &Flow::unknown(code.origin), call);
    }
    if code.origin.has(Origin::FETCHED) && !code.known {
        run_flow(walker, &Flow::unknown(code.origin), call);
    }
    if code.origin.has(Origin::ECHOED)
        && let Some(text) = super::text::with_escapes(code.as_str())
    {
        walker.in_subshell(|walker| walker.nested_here(&text, code.range, call.stdin.clone()));
    }
    walker.nested_here(code.as_str(), code.range, call.stdin.clone())
}

/// Runs data as code for a shell of which nothing is known.
pub fn run_flow(walker: &mut Walker<'_>, flow: &Flow, call: &Call<'_>) -> Flow {
    walker.in_shell(Shell::Unknown, |walker| run_flow_here(walker, flow, call))
}

/// Runs data as shell code: known, or at least known where it came from.
fn run_flow_here(walker: &mut Walker<'_>, flow: &Flow, call: &Call<'_>) -> Flow {
    if let Some(text) = &flow.text {
        if flow.origin.has(Origin::DECODED) {
            // Somebody took the trouble to hide it, even if it can be read.
            run_unseen(walker, Origin::DECODED, "", call.range);
        }
        if flow.origin.has(Origin::ECHOED)
            && let Some(text) = super::text::with_escapes(text)
        {
            walker.in_subshell(|walker| walker.nested_here(&text, call.range, None));
        }
        return walker.nested_here(text, call.range, None);
    }
    run_unseen(walker, flow.origin, "", call.range);
    Flow::unknown(flow.origin)
}

/// Code that nobody has seen runs; where it came from is all there is to say.
pub(super) fn run_unseen(walker: &mut Walker<'_>, origin: Origin, name: &str, range: (usize, usize)) {
    let span = walker.span(range);
    let target =
        |fallback: &str| Target::new(TargetKind::Command, if name.is_empty() { fallback } else { name });
    let effect = if origin.has(Origin::FETCHED) {
        Effect::new(Verb::Execute, target("what was downloaded"), span)
            .manner(Manner::FETCHED)
            .undo(Undo::Impossible)
            .words("runs what the network sent, unseen")
    } else if origin.has(Origin::DECODED) {
        Effect::new(Verb::Execute, target("what was decoded"), span)
            .manner(Manner::DECODED)
            .undo(Undo::Impossible)
            .words("runs code that was hidden by an encoding")
    } else if origin.has(Origin::SETTINGS) {
        Effect::new(Verb::Execute, target("settings for this shell"), span).seen(Seen::Likely)
    } else if origin.has(Origin::LOCAL) {
        Effect::new(Verb::Execute, target("a script of this machine"), span).seen(Seen::Likely)
    } else {
        Effect::opaque("the code that runs is only known when it runs", span)
    };
    walker.emit(if origin.has(Origin::CUT) { effect.manner(Manner::CUT) } else { effect });
}

/// Runs a file as shell code.
fn run_file(walker: &mut Walker<'_>, file: &Arg<'_>, args: &[Arg<'_>], call: &Call<'_>) -> Flow {
    let located = walker.locate(file.as_str());
    if let Some(content) = walker.env.files.get(&walker.file_key(file.as_str())).cloned() {
        return run_flow_here(walker, &content, call);
    }
    if located.starts_with("/dev/fd/") || located.starts_with("/proc/") && located.contains("/fd/") {
        let fd = located.rsplit('/').next().unwrap_or("");
        let content = match walker.env.descriptors.get(fd) {
            Some(crate::effect::shell::env::Channel::Source(flow)) => flow.clone(),
            _ if fd == "0" => call.stdin.clone().unwrap_or_else(|| Flow::unknown(Origin::PLAIN)),
            _ => Flow::unknown(Origin::PLAIN),
        };
        return run_flow_here(walker, &content, call);
    }
    if !file.known && file.origin.has(Origin::FETCHED) {
        return run_flow_here(walker, &Flow::unknown(file.origin), call);
    }
    if let Some(host) = crate::effect::shell::walk::network_path(file.as_str()) {
        super::network::remote_control(walker, host, file.range);
        return Flow::unknown(Origin::FETCHED);
    }
    let _ = args;
    let (mut target, found) = walker.path_target(file.as_str());
    if !matches!(
        found.sensitivity,
        crate::effect::Sensitivity::Credential | crate::effect::Sensitivity::Secret
    ) {
        target.sensitivity = crate::effect::Sensitivity::None;
    } else {
        walker.read(file);
    }
    let span = walker.span(file.range);
    walker.emit(Effect::new(Verb::Execute, target, span).seen(Seen::Likely));
    Flow::unknown(Origin::PLAIN)
}

/// `./script` and `/some/where/program`: a file of this script, or one in the tree.
pub fn script_file(
    walker: &mut Walker<'_>,
    program: &Arg<'_>,
    args: &[Arg<'_>],
    range: (usize, usize),
    stdin: &Option<Flow>,
) -> Option<Flow> {
    let text = program.as_str();
    if !text.as_bytes().contains(&b'/') {
        return None;
    }
    let written = walker.env.files.contains_key(&walker.file_key(text));
    if !written && (!text.starts_with("./") && !text.starts_with("../") || text.contains("bin/")) {
        return None;
    }
    let name = super::base_name(text);
    let call = Call { name, args, range, stdin: stdin.clone(), overlay: &[] };
    // A wrapper script in the tree stands for the program it wraps.
    if !written && let Some(output) = super::table::run(walker, &call) {
        return Some(output);
    }
    let content = walker.env.files.get(&walker.file_key(text)).and_then(|content| content.text.as_deref());
    let shell = content.map_or(Shell::Unknown, Shell::of_script);
    Some(walker.in_shell(shell, |walker| run_file(walker, program, args, &call)))
}

/// Variables whose value some program runs as a command.
pub fn settings_that_run(walker: &mut Walker<'_>, overlay: &[(&str, Flow)], range: (usize, usize)) {
    for (name, value) in overlay {
        match *name {
            name if proxies::is_variable(name) => proxies::variable(walker, value, range),
            "CURL_HOME" | "WGETRC" | "SYSTEM_WGETRC" => {
                walker.opaque("settings from a file say where data goes", range);
            }
            "GIT_SSH_COMMAND"
            | "GIT_SSH"
            | "RSYNC_CONNECT_PROG"
            | "GIT_EXTERNAL_DIFF"
            | "GIT_PAGER"
            | "PAGER"
            | "MANPAGER"
            | "EDITOR"
            | "VISUAL"
            | "GIT_EDITOR"
            | "GIT_SEQUENCE_EDITOR"
            | "PROMPT_COMMAND"
            | "BROWSER"
            | "RSYNC_RSH"
            | "LESSOPEN"
            | "GIT_PROXY_COMMAND"
            | "SSH_ASKPASS"
            | "GIT_ASKPASS" => {
                if let Some(text) = value.text.clone() {
                    walker.nested(&text, range, None);
                }
            }
            "PS0" | "PS1" | "PS2" | "PS4"
                if value.text.as_deref().is_none_or(crate::effect::shell::walk::hides_substitution) =>
            {
                walker.opaque("text that a prompt would run", range);
            }
            "LD_PRELOAD"
            | "LD_AUDIT"
            | "DYLD_INSERT_LIBRARIES"
            | "BASH_ENV"
            | "PYTHONSTARTUP"
            | "PERL5OPT"
            | "RUBYOPT"
            | "JAVA_TOOL_OPTIONS"
            | "MAKEFILES"
            | "RUSTC_WRAPPER" => {
                walker.opaque("a library or script is loaded into programs before they start", range);
            }
            "LD_LIBRARY_PATH" | "DYLD_LIBRARY_PATH" | "GIT_EXEC_PATH"
                if value.text.as_deref().is_some_and(searches_elsewhere) =>
            {
                walker.opaque("libraries are looked for where anybody can put some", range);
            }
            "PYTHONPATH" | "NODE_PATH" | "PERL5LIB" | "RUBYLIB" | "CLASSPATH" | "LUA_PATH"
                if value.text.as_deref().is_some_and(|path| path.split(':').any(is_for_everybody)) =>
            {
                walker.opaque("libraries are looked for where anybody can put some", range);
            }
            "NODE_OPTIONS" if value.text.as_deref().is_some_and(loads_file) => {
                walker.opaque("a library or script is loaded into programs before they start", range);
            }
            // Usual are additions in the home directory; a directory anybody can write to is not.
            "PATH" if value.text.as_deref().is_some_and(searches_elsewhere) => {
                walker.opaque("programs are looked for where anybody can put some", range);
            }
            _ => {}
        }
    }
}

fn searches_elsewhere(path: &str) -> bool {
    path.split(':').next().is_some_and(|first| matches!(first, "." | "") || is_for_everybody(first))
}

/// A directory that anybody can write to.
fn is_for_everybody(directory: &str) -> bool {
    ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|start| directory.starts_with(start))
}

/// `--require ./x.js` and the like, for `node`; a package by its name is one of those that are installed.
fn loads_file(options: &str) -> bool {
    let mut words = options.split(['=', ' ', '\t']).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        if matches!(word, "-r" | "--require" | "--import" | "--loader" | "--experimental-loader")
            && words.next().is_some_and(|file| file.starts_with(['.', '/', '~', HOLE]) || file.contains(':'))
        {
            return true;
        }
    }
    false
}

// Windows.

fn windows_shell(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let words: Vec<&str> = call.args.iter().map(Arg::as_str).collect();
    let reading = windows::shell(call.name, &words);
    if (call.args.is_empty() || words.last() == Some(&"-"))
        && let Some(stdin) = &call.stdin
    {
        return run_flow(walker, &stdin.clone(), call);
    }
    if let Some(file) = reading.file.and_then(|index| call.args.get(index)) {
        return run_file(walker, file, &[], call);
    }
    if let Some(code) = reading.code {
        if !windows::looks_like(&code) && call.name != "cmd" {
            return walker.nested(&code, call.range, call.stdin.clone());
        }
        for effect in windows::script(&code) {
            let span = walker.span(call.range);
            walker.emit(Effect { because: span, ..effect });
        }
        return Flow::unknown(Origin::PLAIN);
    }
    for effect in reading.effects {
        let span = walker.span(call.range);
        walker.emit(Effect { because: span, ..effect });
    }
    quiet(walker, call)
}

// Other languages.

fn interpreter(walker: &mut Walker<'_>, call: &Call<'_>, language: &'static str) -> Flow {
    let takes: &[&str] = match language {
        "python" => &["-c", "-m", "-W", "-X", "--check-hash-based-pycs"],
        "javascript" => &["-e", "--eval", "-p", "--print", "-r", "--require", "--import", "--loader", "-c"],
        "perl" => &["-e", "-E", "-I", "-M", "-m", "-x", "-F", "-C"],
        "ruby" => &["-e", "-I", "-r", "-C", "-E"],
        "php" => &["-r", "-f", "-d", "-c", "-B", "-R", "-E", "-S", "-t"],
        "lua" => &["-e", "-l"],
        "applescript" => &["-e", "-l"],
        _ => &["-e", "-c", "--eval"],
    };
    let (options, at) = Options::leading(call.args, takes);
    let code_flags: &[&str] = match language {
        "python" => &["-c"],
        "javascript" => &["-e", "--eval", "-p", "--print"],
        "perl" => &["-e", "-E"],
        "php" => &["-r", "-B", "-R", "-E"],
        "ruby" | "lua" | "applescript" => &["-e"],
        _ => &["-e", "-c", "--eval"],
    };
    let rest = call.args.get(at..).unwrap_or(&[]);
    let codes: Vec<Arg<'_>> = options.values(code_flags).cloned().collect();
    if !codes.is_empty() {
        for code in &codes {
            run_inline(walker, language, code);
        }
        let in_place = options.flags.iter().any(|(flag, _)| *flag == "-i");
        for file in rest {
            if matches!(language, "perl" | "ruby") {
                if in_place {
                    walker.write(file, Flow::unknown(Origin::LOCAL), true);
                } else {
                    walker.read(file);
                }
            }
        }
        return Flow::unknown(call.input_origin());
    }
    if options.has_exactly(&["--version", "-V", "--help"]) {
        return quiet(walker, call);
    }
    if options.has_exactly(code_flags) {
        walker.opaque("code that is not there to be read", call.range);
        return Flow::unknown(Origin::PLAIN);
    }
    if language == "python"
        && let Some(module) = options.value(&["-m"]).cloned()
    {
        return python_module(walker, call, module.as_str(), rest);
    }
    if language == "javascript" && call.name == "deno" {
        if let Some(sub) = rest.first().filter(|arg| arg.as_str() == "eval") {
            let _ = sub;
            if let Some(code) = rest.get(1) {
                run_inline(walker, language, code);
            }
            return Flow::unknown(Origin::PLAIN);
        }
        if let Some(file) = rest.iter().skip(1).find(|arg| !arg.as_str().starts_with('-')) {
            if file.as_str().starts_with("http:") || file.as_str().starts_with("https:") {
                run_unseen(walker, Origin::FETCHED, "", file.range);
                return Flow::unknown(Origin::FETCHED);
            }
            return run_foreign_file(walker, file, &[], call, language);
        }
    }
    match rest.first() {
        Some(file) if file.as_str() != "-" => run_foreign_file(walker, file, &rest[1..], call, language),
        _ => match &call.stdin {
            None => quiet(walker, call),
            Some(Flow { text: Some(text), .. }) => {
                let code = Arg::literal(text.clone(), call.range);
                run_foreign(walker, language, &code);
                Flow::unknown(Origin::PLAIN)
            }
            Some(flow) => {
                run_unseen(walker, flow.origin, "", call.range);
                Flow::unknown(flow.origin)
            }
        },
    }
}

fn python_module(walker: &mut Walker<'_>, call: &Call<'_>, module: &str, rest: &[Arg<'_>]) -> Flow {
    let name = match module {
        "pip" | "pip3" => "pip",
        "django" => "django-admin",
        "pytest" | "unittest" | "mypy" | "ruff" | "black" | "flake8" | "tox" | "alembic" | "flask"
        | "twine" | "poetry" | "pipx" | "uv" | "coverage" => module,
        "json.tool" | "http.server" | "venv" | "timeit" | "this" | "calendar" | "zipfile" | "tarfile"
        | "compileall" | "ensurepip" | "site" | "platform" | "sysconfig" | "pydoc" | "doctest"
        | "cProfile" | "pdb" | "trace" => {
            quiet(walker, call);
            return Flow::unknown(call.input_origin());
        }
        _ => {
            super::unknown_use(walker, call);
            if call.input_origin().has(Origin::FETCHED) {
                run_unseen(walker, Origin::FETCHED, "", call.range);
            }
            return Flow::unknown(call.input_origin());
        }
    };
    let inner =
        Call { name, args: rest, range: call.range, stdin: call.stdin.clone(), overlay: call.overlay };
    super::dispatch(walker, &inner)
}

fn run_foreign_file(
    walker: &mut Walker<'_>,
    file: &Arg<'_>,
    args: &[Arg<'_>],
    call: &Call<'_>,
    language: &'static str,
) -> Flow {
    // `python manage.py migrate`, `php artisan …`, `node_modules/.bin/prisma` are programs of their own.
    let name = super::base_name(file.as_str());
    let inner = Call { name, args, range: call.range, stdin: call.stdin.clone(), overlay: call.overlay };
    if let Some(output) = super::table::run(walker, &inner) {
        return output;
    }
    // `node app` is `node app.js`.
    let endings: &[&str] =
        if language == "javascript" { &["", ".js", ".mjs", ".cjs", "/index.js"] } else { &[""] };
    let content = endings.iter().filter(|_| !walker.env.files.is_empty()).find_map(|ending| {
        let name = format!("{}{ending}", file.as_str());
        walker.env.files.get(&walker.file_key(&name)).cloned()
    });
    match content {
        Some(Flow { text: Some(text), .. }) => {
            let code = Arg::literal(text, file.range);
            run_foreign(walker, language, &code);
            Flow::unknown(Origin::PLAIN)
        }
        Some(flow) => {
            run_unseen(walker, flow.origin, "", file.range);
            Flow::unknown(flow.origin)
        }
        None if language == "other" => {
            super::unknown_use(walker, call);
            Flow::unknown(Origin::PLAIN)
        }
        None => run_file(walker, file, args, call),
    }
}
