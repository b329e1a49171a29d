//! Programs that run another command: what counts is the command inside.

use std::sync::LazyLock;

use super::{Call, options::Options};
use crate::effect::{
    Effect, Manner, Place, Sensitivity, Target, TargetKind, Undo, Verb,
    lookup::Lookup,
    shell::{
        flow::{Arg, Flow, HOLE, Origin},
        walk::Walker,
    },
};

/// How a wrapper's own arguments end and the inner command begins.
struct Wrapper {
    names: &'static [&'static str],
    /// Flags with a value.
    takes: &'static [&'static str],
    /// Operands before the command.
    skip: usize,
    manner: Manner,
}

const fn wrapper(
    names: &'static [&'static str],
    takes: &'static [&'static str],
    skip: usize,
    manner: Manner,
) -> Wrapper {
    Wrapper { names, takes, skip, manner }
}

/// Wrappers whose command is the rest of their arguments.
const WRAPPERS: &[Wrapper] = &[
    wrapper(
        &["sudo", "doas", "pkexec", "sudoedit", "gsudo", "run0", "please", "sudo-rs", "dzdo"],
        &[
            "-u",
            "-g",
            "-h",
            "-p",
            "-C",
            "-r",
            "-t",
            "-T",
            "-U",
            "-D",
            "-R",
            "--user",
            "--group",
            "--host",
            "--prompt",
            "--chdir",
            "--chroot",
            "--role",
            "--type",
            "--other-user",
            "--close-from",
            "--command-timeout",
        ],
        0,
        Manner::ELEVATED,
    ),
    wrapper(&["env", "genv"], &["-u", "--unset", "-C", "--chdir"], 0, Manner::PLAIN),
    wrapper(&["nohup", "setsid", "setarch", "linux32", "linux64"], &[], 0, Manner::DETACHED),
    wrapper(&["timeout", "gtimeout"], &["-s", "--signal", "-k", "--kill-after"], 1, Manner::PLAIN),
    wrapper(&["nice", "renice"], &["-n", "--adjustment"], 0, Manner::PLAIN),
    wrapper(&["ionice"], &["-c", "--class", "-n", "--classdata", "-p"], 0, Manner::PLAIN),
    wrapper(&["chrt"], &["-T", "-P", "-D"], 1, Manner::ELEVATED),
    wrapper(&["taskset"], &[], 1, Manner::PLAIN),
    wrapper(&["repeat"], &[], 1, Manner::PLAIN),
    wrapper(&["numactl"], &["-N", "-m", "-C", "-i"], 0, Manner::PLAIN),
    wrapper(&["stdbuf"], &["-i", "-o", "-e", "--input", "--output", "--error"], 0, Manner::PLAIN),
    wrapper(
        &[
            "command",
            "builtin",
            "time",
            "unbuffer",
            "rlwrap",
            "torsocks",
            "torify",
            "proxychains",
            "proxychains4",
            "fakeroot",
            "catchsegv",
            "caffeinate",
            "dbus-run-session",
            "dbus-launch",
            "winpty",
            "noglob",
            "nocorrect",
            // To zsh a dash in front of a command is one more word of this kind.
            "-",
            "chronic",
            "ts",
            "ifne",
            "busybox",
            "toybox",
            "hyperfine",
            "tsocks",
        ],
        &["-f", "-o", "-w"],
        0,
        Manner::PLAIN,
    ),
    wrapper(&["exec"], &["-a"], 0, Manner::PLAIN),
    wrapper(&["gosu", "su-exec", "setuidgid", "chpst"], &["-u"], 1, Manner::ELEVATED),
    wrapper(
        &["strace", "ltrace", "dtruss"],
        &["-o", "-e", "-p", "-s", "-u", "-E", "-a", "-P"],
        0,
        Manner::PLAIN,
    ),
    wrapper(&["valgrind", "perf-record", "heaptrack"], &[], 0, Manner::PLAIN),
    wrapper(
        &["unshare"],
        &["-S", "-G", "--map-user", "--map-group", "-R", "-w", "--root", "--wd"],
        0,
        Manner::PLAIN,
    ),
    wrapper(&["nsenter"], &["-t", "--target", "-S", "-G"], 0, Manner::ELEVATED),
    wrapper(&["chroot"], &["--userspec", "--groups"], 1, Manner::ELEVATED),
    wrapper(
        &["setpriv"],
        &["--reuid", "--regid", "--groups", "--inh-caps", "--ambient-caps", "--bounding-set"],
        0,
        Manner::ELEVATED,
    ),
    wrapper(
        &[
            "firejail",
            "bwrap",
            "proot",
            "systemd-inhibit",
            "cgexec",
            "prlimit",
            "softlimit",
            "xvfb-run",
            "eatmydata",
        ],
        &["-g", "-s", "-n", "-w", "--bind", "--ro-bind", "--dev", "--proc"],
        0,
        Manner::PLAIN,
    ),
    wrapper(&["flock"], &["-w", "--timeout", "-E"], 1, Manner::PLAIN),
    wrapper(
        &["systemd-run"],
        &[
            "-p",
            "--property",
            "-u",
            "--unit",
            "--slice",
            "-E",
            "--setenv",
            "--uid",
            "--gid",
            "-M",
            "--on-active",
            "--on-calendar",
        ],
        0,
        Manner::ELEVATED,
    ),
    wrapper(&["runuser"], &["-u", "-g", "-G", "-s"], 0, Manner::ELEVATED),
    wrapper(
        &["doppler-run", "dotenv", "dotenvx", "envdir", "aws-vault-exec", "with-contenv", "direnv-exec"],
        &["-e", "-f"],
        0,
        Manner::PLAIN,
    ),
    wrapper(&["npx", "bunx", "pnpx"], &["-p", "--package", "-c", "--call"], 0, Manner::PLAIN),
    wrapper(&["uvx"], &["--from", "--with", "-p", "--python"], 0, Manner::PLAIN),
    wrapper(&["parallel.args"], &[], 0, Manner::PLAIN),
];

/// A program, its sub-commands after which a command follows, the flags with a value, and how the command is run.
type Subcommands = (&'static str, &'static [&'static str], &'static [&'static str], Manner);

/// `PROGRAM SUB… COMMAND…`.
const SUBCOMMANDS: &[Subcommands] = &[
    (
        "uv",
        &["run"],
        &["--with", "-p", "--python", "--extra", "--group", "--directory", "--env-file", "--project"],
        Manner::PLAIN,
    ),
    ("poetry", &["run"], &[], Manner::PLAIN),
    ("pdm", &["run"], &[], Manner::PLAIN),
    ("hatch", &["run"], &[], Manner::PLAIN),
    ("rye", &["run"], &[], Manner::PLAIN),
    ("pipenv", &["run"], &[], Manner::PLAIN),
    ("pixi", &["run"], &["-e"], Manner::PLAIN),
    ("pipx", &["run"], &["--spec"], Manner::PLAIN),
    ("bundle", &["exec"], &[], Manner::PLAIN),
    ("bundler", &["exec"], &[], Manner::PLAIN),
    ("pnpm", &["exec", "dlx"], &["-C", "--filter"], Manner::PLAIN),
    ("yarn", &["exec", "dlx"], &[], Manner::PLAIN),
    ("npm", &["exec", "x"], &["-p", "--package"], Manner::PLAIN),
    ("bun", &["x"], &[], Manner::PLAIN),
    ("rbenv", &["exec"], &[], Manner::PLAIN),
    ("pyenv", &["exec"], &[], Manner::PLAIN),
    ("asdf", &["exec"], &[], Manner::PLAIN),
    ("mise", &["exec", "x"], &[], Manner::PLAIN),
    ("direnv", &["exec"], &[], Manner::PLAIN),
    ("doppler", &["run"], &["-p", "--project", "-c", "--config"], Manner::PLAIN),
    ("op", &["run"], &["--env-file"], Manner::PLAIN),
    ("chamber", &["exec"], &[], Manner::PLAIN),
    ("aws-vault", &["exec"], &["-d", "--duration"], Manner::PLAIN),
    ("infisical", &["run"], &["--env", "--projectId", "--path"], Manner::PLAIN),
    ("conda", &["run"], &["-n", "--name", "-p", "--prefix"], Manner::PLAIN),
    ("heroku", &["run"], &["-a", "--app", "-r", "--remote", "-s", "--size"], Manner::REMOTE),
    ("railway", &["run"], &["-s", "-e"], Manner::PLAIN),
    ("lxc", &["exec"], &["--env", "--cwd", "--user"], Manner::REMOTE),
    ("incus", &["exec"], &["--env", "--cwd", "--user"], Manner::REMOTE),
    ("adb", &["shell"], &["-s"], Manner::REMOTE),
    ("multipass", &["exec"], &["-d"], Manner::REMOTE),
    ("nix", &["run"], &[], Manner::PLAIN),
    ("perf", &["record", "stat", "trace"], &["-o", "-e", "-F"], Manner::PLAIN),
];

/// The programs with such sub-commands by their names.
static WITH_SUBCOMMANDS: LazyLock<Lookup<&'static str, &'static Subcommands>> =
    LazyLock::new(|| SUBCOMMANDS.iter().map(|program| (program.0, program)).collect());

/// The wrappers by each of their names.
static BY_NAME: LazyLock<Lookup<&'static str, &'static Wrapper>> = LazyLock::new(|| {
    WRAPPERS.iter().flat_map(|wrapper| wrapper.names.iter().map(move |name| (*name, wrapper))).collect()
});

/// The names in the tables above.
pub fn tabled() -> Vec<&'static str> {
    WITH_SUBCOMMANDS.keys().chain(BY_NAME.keys()).copied().collect()
}

/// The programs that [`run`] may know, besides those of the tables above.
pub const NAMES: &str = "\
    xargs gxargs parallel rush watch su ssh autossh mosh sshpass docker podman nerdctl docker-compose \
    podman-compose kubectl k oc machinectl tmux screen script expect entr nodemon watchexec";

pub fn run(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        "xargs" | "gxargs" => return Some(xargs(walker, call)),
        "parallel" | "rush" => return Some(parallel(walker, call)),
        "watch" => return Some(watch(walker, call)),
        "su" => return Some(su(walker, call)),
        "ssh" | "autossh" | "mosh" | "sshpass" => return Some(ssh(walker, call)),
        "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" | "kubectl" | "k" | "oc" => {
            return super::containers::run(walker, call);
        }
        "machinectl" if call.args.first().is_some_and(|arg| arg.as_str() == "shell") => {
            return Some(inner(walker, call, call.args.get(2..).unwrap_or(&[]), Manner::ELEVATED));
        }
        "tmux" | "screen" | "script" | "expect" | "entr" | "nodemon" | "watchexec" => {
            return text_command(walker, call);
        }
        _ => {}
    }
    if let Some((_, subcommands, takes, manner)) = WITH_SUBCOMMANDS.get(call.name) {
        let (_, skipped) = Options::leading(call.args, takes);
        let at = if call.args.get(skipped.saturating_sub(1)).is_some_and(|arg| arg.as_str() == "--") {
            0
        } else {
            skipped
        };
        if call.args.get(at).is_some_and(|arg| subcommands.contains(&arg.as_str())) {
            let mut rest = &call.args[at + 1..];
            if matches!(call.name, "lxc" | "incus" | "direnv" | "chamber" | "aws-vault" | "multipass" | "nix")
            {
                let (_, flags) = Options::leading(rest, takes);
                rest = rest.get(flags + 1..).unwrap_or(&[]);
            }
            let (_, flags) = Options::leading(rest, takes);
            return Some(inner(walker, call, &rest[flags..], *manner));
        }
        return None;
    }
    Some(unwrap(walker, call, BY_NAME.get(call.name)?))
}

fn unwrap(walker: &mut Walker<'_>, call: &Call<'_>, wrapper: &Wrapper) -> Flow {
    let (options, mut at) = Options::leading(call.args, wrapper.takes);
    if call.name == "command" && options.has_exactly(&["-v", "-V"]) {
        return nothing(walker, call);
    }
    if matches!(call.name, "strace" | "ltrace") {
        // `-o '|command'`: what is traced goes to a command.
        for arg in options.values(&["-o", "--output"]).cloned().collect::<Vec<_>>() {
            if let Some(command) = arg.as_str().strip_prefix(['|', '!']) {
                walker.nested(command, arg.range, None);
            }
        }
    }
    if matches!(call.name, "npx" | "bunx" | "pnpx")
        && let Some(command) = options.value(&["-c", "--call"]).cloned()
    {
        return walker.nested(command.as_str(), command.range, call.stdin.clone());
    }
    if matches!(call.name, "env" | "genv") {
        for arg in options.values(&["-S", "--split-string"]).cloned().collect::<Vec<_>>() {
            walker.nested(arg.as_str(), arg.range, call.stdin.clone());
        }
        if let Some(at) = call.args.iter().position(|arg| arg.as_str().starts_with("-S")) {
            let text: Vec<&str> = call.args[at..].iter().map(Arg::as_str).collect();
            let text = text.join(" ");
            return elevated(walker, Manner::HIDDEN, |walker| {
                walker.nested(text.trim_start_matches("-S"), call.range, call.stdin.clone())
            });
        }
        while call.args.get(at).is_some_and(|arg| arg.as_str().contains('=') || arg.as_str() == "-") {
            at += 1;
        }
        let overlay: Vec<(&str, Flow)> = call.args[..at]
            .iter()
            .filter_map(|arg| {
                let (name, value) = arg.as_str().split_once('=')?;
                Some((name, Flow { text: Some(value.to_owned()), origin: arg.origin }))
            })
            .collect();
        let Some(rest) = call.args.get(at..).filter(|rest| !rest.is_empty()) else {
            let span = walker.span(call.range);
            let target = Target::new(TargetKind::Command, call.name).with(Sensitivity::Private);
            walker.emit(Effect::new(Verb::Read, target, span).words("prints the environment"));
            return Flow::unknown(Origin::SECRET);
        };
        return super::run(walker, rest, &overlay, call.range, call.stdin.clone());
    }
    if call.name == "flock"
        && call.args.iter().any(|arg| matches!(arg.as_str(), "-c" | "--command"))
        && let Some(command) = call.args.last()
    {
        return walker.nested(command.as_str(), command.range, call.stdin.clone());
    }
    at += wrapper.skip;
    // `sudo NAME=value command`, `sudo -i`
    while let Some(arg) = call.args.get(at).filter(|arg| is_assignment(arg.as_str())) {
        if let Some((name, value)) = arg.as_str().split_once('=') {
            let value = Flow { text: Some(value.to_owned()), origin: arg.origin };
            super::settings_that_run(walker, &[(name, value)], arg.range);
        }
        at += 1;
    }
    if matches!(call.name, "torsocks" | "torify" | "proxychains" | "proxychains4") {
        // Its settings say through whom.
        super::proxies::passes(walker, HOLE.encode_utf8(&mut [0; 4]), call.range);
    }
    let rest = call.args.get(at..).unwrap_or(&[]);
    if rest.is_empty() {
        if wrapper.manner.has(Manner::ELEVATED) && options.has_exactly(&["-i", "-s", "--login", "--shell"]) {
            // A root shell fed by something else.
            if let Some(stdin) = call.stdin.clone() {
                return elevated(walker, wrapper.manner, |walker| {
                    super::interpreters::run_flow(walker, &stdin, call)
                });
            }
        }
        return nothing(walker, call);
    }
    if matches!(call.name, "npx" | "bunx" | "pnpx" | "uvx") {
        let renamed: Vec<Arg<'_>> =
            std::iter::once(package_program(&rest[0])).chain(rest[1..].iter().cloned()).collect();
        return inner(walker, call, &renamed, wrapper.manner);
    }
    inner(walker, call, rest, wrapper.manner)
}

/// The program a package is known for: `supabase@latest` is `supabase`, `firebase-tools` is `firebase`.
fn package_program<'a>(package: &Arg<'a>) -> Arg<'a> {
    let text = package.as_str();
    let name = match text.rfind('@') {
        Some(at) if at > 0 => &text[..at],
        Some(_) | None => text,
    };
    let name = match name {
        "firebase-tools" => "firebase",
        "netlify-cli" => "netlify",
        "aws-cdk" => "cdk",
        "@railway/cli" => "railway",
        "@aws-amplify/cli" => "amplify",
        "sequelize" => "sequelize-cli",
        other => other,
    };
    Arg { text: name.to_owned().into(), ..package.clone() }
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !name.as_bytes()[0].is_ascii_digit()
    })
}

/// The command inside, under `manner`.
fn inner(walker: &mut Walker<'_>, call: &Call<'_>, command: &[Arg<'_>], manner: Manner) -> Flow {
    if command.is_empty() {
        return nothing(walker, call);
    }
    elevated(walker, manner, |walker| {
        super::run(walker, command, call.overlay, call.range, call.stdin.clone())
    })
}

pub(super) fn elevated<T>(
    walker: &mut Walker<'_>,
    manner: Manner,
    walk: impl FnOnce(&mut Walker<'_>) -> T,
) -> T {
    let before = walker.manner;
    walker.manner |= manner;
    let result = walk(walker);
    walker.manner = before;
    result
}

pub(super) fn nothing(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let span = walker.span(call.range);
    walker.emit(Effect::new(Verb::Read, Target::new(TargetKind::Command, call.name), span));
    Flow::unknown(Origin::PLAIN)
}

const XARGS_FLAGS: &[&str] = &[
    "-I",
    "-n",
    "-P",
    "-L",
    "-d",
    "-s",
    "-a",
    "-E",
    "--max-args",
    "--max-procs",
    "--max-lines",
    "--delimiter",
    "--arg-file",
    "--replace",
    "--max-chars",
];

/// Items of known input that `xargs` is followed for.
const ITEMS_MAX: usize = 64;

fn xargs(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let (options, at) = Options::leading(call.args, XARGS_FLAGS);
    let command = call.args.get(at..).unwrap_or(&[]);
    if command.is_empty() {
        return Flow::unknown(call.input_origin());
    }
    let mut input = call.stdin.clone().unwrap_or_else(|| Flow::unknown(Origin::PLAIN));
    if let Some(file) = options.value(&["-a", "--arg-file"]).cloned() {
        input = walker.read(&file);
    }
    let placeholder = options
        .value(&["-I", "--replace"])
        .map(|arg| arg.as_str().to_owned())
        .filter(|mark| !mark.is_empty());
    let whole = options.has(&["-0", "--null", "-d", "--delimiter"]);
    let item = |text: &str| Arg {
        origin: input.origin,
        glob: text.contains(['*', '?', '[']),
        ..Arg::literal(text.to_owned(), call.range)
    };
    let known = input.text.as_deref().filter(|text| !text.trim().is_empty());
    let mut items: Vec<Arg<'_>> = match known {
        // With `-I` an item is a line; with `-0` or `-d` whatever the delimiter makes of it.
        Some(text) if placeholder.is_some() => {
            text.lines().take(ITEMS_MAX + 1).map(|line| item(line.trim())).collect()
        }
        Some(text) if whole => vec![item(text.trim_end())],
        Some(text) => text.split_whitespace().take(ITEMS_MAX + 1).map(item).collect(),
        None => Vec::new(),
    };
    if items.is_empty() || items.len() > ITEMS_MAX {
        let text = known.unwrap_or("");
        let flow = |word: &str| Flow { text: Some(word.to_owned()), origin: input.origin };
        let (telling, others) = match placeholder.is_some() {
            true => walker.telling(text.lines().skip(ITEMS_MAX).map(|line| flow(line.trim()))),
            false => walker.telling(text.split_whitespace().skip(ITEMS_MAX).map(flow)),
        };
        items.truncate(ITEMS_MAX);
        items.extend(telling.iter().filter_map(|value| value.text.as_deref()).map(item));
        let origin = input.origin.and(others);
        items.push(Arg { origin, ..Arg::literal(HOLE.to_string(), call.range) });
    }
    let stdin = Some(Flow::unknown(Origin::PLAIN));
    let Some(mark) = placeholder else {
        let full: Vec<Arg<'_>> = command.iter().cloned().chain(items).collect();
        return super::run(walker, &full, &[], call.range, stdin);
    };
    let mut output = Flow::empty();
    for item in &items {
        let full: Vec<Arg<'_>> = command
            .iter()
            .map(|arg| match arg.as_str().contains(&mark) {
                true => Arg {
                    text: arg.as_str().replace(&mark, item.as_str()).into(),
                    known: item.known && arg.known,
                    glob: item.glob,
                    origin: item.origin,
                    range: arg.range,
                },
                false => arg.clone(),
            })
            .collect();
        output = output.then(super::run(walker, &full, &[], call.range, stdin.clone()));
    }
    output
}

fn parallel(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let (_, at) =
        Options::leading(call.args, &["-j", "--jobs", "-a", "--arg-file", "-S", "--joblog", "--delay", "-N"]);
    let rest = call.args.get(at..).unwrap_or(&[]);
    let end = rest.iter().position(|arg| arg.as_str().starts_with(":::")).unwrap_or(rest.len());
    if end == 0 {
        if let Some(stdin) = &call.stdin {
            return super::interpreters::run_flow(walker, stdin, call);
        }
        return nothing(walker, call);
    }
    let item = rest.get(end + 1).map_or_else(|| HOLE.to_string(), |arg| arg.as_str().to_owned());
    let text: Vec<String> = rest[..end].iter().map(|arg| arg.as_str().replace("{}", &item)).collect();
    let mut text = text.join(" ");
    if !rest[..end].iter().any(|arg| arg.as_str().contains("{}")) {
        text.push(' ');
        text.push_str(&item);
    }
    walker.nested(&text, call.range, None)
}

fn watch(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let (options, at) = Options::leading(call.args, &["-n", "--interval"]);
    let rest = call.args.get(at..).unwrap_or(&[]);
    if rest.is_empty() {
        return nothing(walker, call);
    }
    if options.has_exactly(&["-x", "--exec"]) {
        return super::run(walker, rest, &[], call.range, None);
    }
    let text: Vec<&str> = rest.iter().map(Arg::as_str).collect();
    walker.nested(&text.join(" "), call.range, None)
}

fn su(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(
        call.args,
        &["-c", "--command", "-s", "--shell", "-g", "-G", "-w"],
        super::options::Style::Gnu,
    );
    let Some(command) = options.value(&["-c", "--command"]).cloned() else {
        if let Some(stdin) = call.stdin.clone() {
            return elevated(walker, Manner::ELEVATED, |walker| {
                super::interpreters::run_flow(walker, &stdin, call)
            });
        }
        return nothing(walker, call);
    };
    elevated(walker, Manner::ELEVATED, |walker| {
        walker.nested(command.as_str(), command.range, call.stdin.clone())
    })
}

const SSH_FLAGS: &[&str] = &[
    "-i", "-p", "-l", "-o", "-F", "-L", "-R", "-D", "-J", "-b", "-c", "-E", "-e", "-I", "-m", "-O", "-Q",
    "-S", "-w", "-W", "-B",
];

fn ssh(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    if call.name == "sshpass" {
        let (_, at) = Options::leading(call.args, &["-p", "-f", "-d", "-P"]);
        return inner(walker, call, call.args.get(at..).unwrap_or(&[]), Manner::PLAIN);
    }
    let (options, at) = Options::leading(call.args, SSH_FLAGS);
    for arg in options.values(&["-o"]).cloned().collect::<Vec<_>>() {
        super::proxies::ssh_setting(walker, &arg);
    }
    for arg in options.values(&["-J"]).cloned().collect::<Vec<_>>() {
        super::proxies::jumps(walker, arg.as_str(), arg.range);
    }
    for arg in options.values(&["-W"]).cloned().collect::<Vec<_>>() {
        walker.send(arg.as_str(), call.input_origin(), arg.range);
    }
    if options.has_exactly(&["-F"]) && options.value(&["-F"]).is_some_and(|file| file.as_str() != "/dev/null")
    {
        walker.opaque("settings of ssh from a file", call.range);
    }
    if options.has_exactly(&["-R"]) {
        let span = walker.span(call.range);
        let target = Target::new(TargetKind::Host, "a port of this machine").at(Place::Away);
        walker.emit(
            Effect::new(Verb::Grant, target, span)
                .undo(Undo::Possible)
                .words("opens a way into this machine from outside"),
        );
    }
    let host = call.args.get(at).map_or("", |arg| arg.as_str()).to_owned();
    let mut rest = call.args.get(at + 1..).unwrap_or(&[]);
    // Flags may also follow the host.
    let (after, more) = Options::leading(rest, SSH_FLAGS);
    for arg in after.values(&["-o"]).cloned().collect::<Vec<_>>() {
        super::proxies::ssh_setting(walker, &arg);
    }
    for arg in after.values(&["-J"]).cloned().collect::<Vec<_>>() {
        super::proxies::jumps(walker, arg.as_str(), arg.range);
    }
    rest = &rest[more..];
    if !host.is_empty() {
        walker.send(&host, call.input_origin(), call.range);
    } else {
        nothing(walker, call);
    }
    if rest.is_empty() {
        if let Some(stdin) = call.stdin.clone().filter(|flow| flow.text.is_some()) {
            return elevated(walker, Manner::REMOTE, |walker| {
                super::interpreters::run_flow(walker, &stdin, call)
            });
        }
        return Flow::unknown(Origin::FETCHED);
    }
    let text: Vec<&str> = rest.iter().map(Arg::as_str).collect();
    let text = text.join(" ");
    let root =
        host.starts_with("root@") || options.value(&["-l"]).is_some_and(|user| user.as_str() == "root");
    let manner = if root { Manner::REMOTE | Manner::ELEVATED } else { Manner::REMOTE };
    elevated(walker, manner, |walker| {
        walker.in_subshell(|walker| walker.nested(&text, call.range, call.stdin.clone()))
    });
    Flow::unknown(Origin::FETCHED)
}

/// Programs that take a command as one text, somewhere in their arguments.
fn text_command(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    let takes: &[&str] = match call.name {
        "tmux" => &["-s", "-n", "-t", "-c", "-x", "-y", "-F", "-e", "-L", "-S", "-f"],
        "screen" => &["-S", "-t", "-c", "-e", "-h", "-s", "-T"],
        "script" => &["-c", "--command", "-T", "-O", "-o"],
        _ => &["-c", "-e", "-w", "-x", "--exec"],
    };
    let options = Options::read(call.args, takes, super::options::Style::Gnu);
    nothing(walker, call);
    match call.name {
        "tmux" => {
            let at = call.args.iter().position(|arg| {
                matches!(
                    arg.as_str(),
                    "new-session"
                        | "new"
                        | "new-window"
                        | "neww"
                        | "split-window"
                        | "splitw"
                        | "respawn-pane"
                        | "run-shell"
                        | "run"
                        | "if-shell"
                        | "popup"
                        | "send-keys"
                        | "send"
                )
            })?;
            let sub = &call.args[at + 1..];
            let sub = Options::read(sub, &takes[..7], super::options::Style::Gnu);
            let text: Vec<&str> = sub
                .operands
                .iter()
                .map(|arg| arg.as_str())
                .filter(|text| !matches!(*text, "Enter" | "C-m"))
                .collect();
            if !text.is_empty() {
                walker.nested(&text.join(" "), call.range, None);
            }
        }
        "screen" => {
            let text: Vec<&str> = options.operands.iter().map(|arg| arg.as_str()).collect();
            if !text.is_empty() && !options.has_exactly(&["-r", "-x", "-ls"]) {
                walker.nested(&text.join(" "), call.range, None);
            }
        }
        "script" | "expect" => {
            for command in options.values(&["-c", "--command"]).cloned().collect::<Vec<_>>() {
                if call.name == "script" {
                    walker.nested(command.as_str(), command.range, None);
                } else {
                    walker.opaque("an expect script drives other programs", command.range);
                }
            }
        }
        _ => {
            let text: Vec<&str> = options.operands.iter().map(|arg| arg.as_str()).collect();
            for command in options.values(&["-x", "--exec"]).cloned().collect::<Vec<_>>() {
                walker.nested(command.as_str(), command.range, None);
            }
            if !text.is_empty() && call.name != "nodemon" {
                walker.nested(&text.join(" "), call.range, None);
            }
        }
    }
    Some(Flow::unknown(Origin::PLAIN))
}
