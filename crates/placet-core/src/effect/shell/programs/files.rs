//! Programs that create, move, change and remove files.

use super::{
    Call,
    options::{Options, Style},
};
use crate::effect::{
    Effect, Extent, Manner, Place, Seen, Sensitivity, Target, TargetKind, Undo, Verb, path,
    shell::{
        flow::{Arg, Flow, HOLE, Origin},
        walk::Walker,
    },
};

/// The programs that [`run`] may know.
pub const NAMES: &str = "\
    rm srm rimraf del-cli trash-rm rmdir unlink shred wipe mv cp scp.local ditto ln link install dd tee \
    chmod chown chgrp sed gsed tar bsdtar gtar zip truncate rsync";

pub fn run(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    if call.args.iter().any(|arg| matches!(arg.as_str(), "--help" | "--version"))
        && !matches!(call.name, "tar")
        && matches!(
            call.name,
            "rm" | "mv" | "cp" | "ln" | "dd" | "tee" | "chmod" | "chown" | "sed" | "rsync" | "shred"
        )
    {
        let first = call.args.first().is_some_and(|arg| matches!(arg.as_str(), "--help" | "--version"));
        if first {
            return Some(Flow::unknown(Origin::PLAIN));
        }
    }
    Some(match call.name {
        "rm" | "srm" | "rimraf" | "del-cli" | "trash-rm" => remove(walker, call),
        "rmdir" if !call.args.iter().any(|arg| arg.as_str().eq_ignore_ascii_case("/s")) => {
            for arg in operands(call, &[]) {
                delete_with(walker, arg, Extent::One, Undo::Possible);
            }
            Flow::empty()
        }
        "unlink" => {
            for arg in operands(call, &[]) {
                // It refuses directories.
                if !walker.path_target(arg.as_str()).1.broad {
                    delete(walker, arg, false);
                }
            }
            Flow::empty()
        }
        "shred" | "wipe" => {
            for arg in operands(call, &["-n", "-s", "--iterations", "--size"]) {
                delete_with(walker, arg, Extent::One, Undo::Impossible);
            }
            Flow::empty()
        }
        "mv" => move_files(walker, call),
        "cp" | "scp.local" | "ditto" => copy(walker, call),
        "ln" | "link" => link(walker, call),
        "install" => install(walker, call),
        "dd" => dd(walker, call),
        "tee" => tee(walker, call),
        "chmod" => chmod(walker, call),
        "chown" | "chgrp" => chown(walker, call),
        "sed" | "gsed" => sed(walker, call),
        "tar" | "bsdtar" | "gtar" => super::archives::tar(walker, call),
        "zip" => super::archives::zip(walker, call),
        "truncate" if call.args.iter().any(|arg| arg.as_str().starts_with('-')) => {
            let options = Options::read(call.args, &["-s", "--size", "-r", "--reference"], Style::Gnu);
            let empties = options.value(&["-s", "--size"]).is_some_and(|size| size.as_str() == "0");
            for arg in &options.operands {
                if empties {
                    delete_with(walker, arg, extent_of(arg), undo_of_loss(walker, arg));
                } else {
                    walker.write(arg, Flow::unknown(Origin::PLAIN), true);
                }
            }
            Flow::empty()
        }
        "rsync" => super::network::rsync(walker, call),
        _ => return None,
    })
}

fn operands<'r>(call: &'r Call<'r>, takes: &[&str]) -> Vec<&'r Arg<'r>> {
    Options::read(call.args, takes, Style::Gnu).operands
}

/// Operands that are looked at one by one, whatever they are called.
const OPERANDS_MAX: usize = 1_000;

fn remove(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, &[], Style::Gnu);
    let recursive = options.has(&["-r", "-R", "--recursive"]) || call.name == "rimraf";
    for (index, arg) in options.operands.iter().enumerate() {
        // Of a very long list, plain names in the working tree are as many as they are.
        if index > OPERANDS_MAX && arg.known && !arg.as_str().contains(['/', '~', '*', '?', '[', '.']) {
            continue;
        }
        delete(walker, arg, recursive && !is_lock_file(arg.as_str()));
    }
    if options.operands.is_empty() && recursive {
        let span = walker.span(call.range);
        walker.emit(Effect::new(Verb::Read, Target::new(TargetKind::Command, call.name), span));
    }
    Flow::empty()
}

/// `bun.lock`, `package-lock.json`: a file, whatever the flags say.
fn is_lock_file(path: &str) -> bool {
    [".lock", ".lockb", "-lock.json", "-lock.yaml"].iter().any(|ending| path.ends_with(ending))
}

/// The file, tree or pattern that `arg` names is gone.
pub fn delete(walker: &mut Walker<'_>, arg: &Arg<'_>, recursive: bool) {
    let (_, found) = walker.path_target(arg.as_str());
    let star = arg.glob && matches!(arg.as_str().rsplit('/').next(), Some("*" | ".*" | "{*,.*}"));
    let extent = match (recursive, found.broad || star) {
        (_, true) => Extent::Unbounded,
        (true, false) => Extent::Several,
        (false, false) => extent_of(arg),
    };
    let undo = if is_regenerated(walker, &found) {
        Undo::Trivial
    } else if recursive || star || !(arg.known || is_narrow(arg.as_str())) {
        Undo::Impossible
    } else {
        undo_of_loss(walker, arg)
    };
    delete_with(walker, arg, extent, undo);
}

/// Whether losing a path costs time and no work. That holds for the agent's own tree and for temporary
/// files, not with borrowed authority, on another machine, or in somebody else's tree.
fn is_regenerated(walker: &Walker<'_>, found: &path::Found) -> bool {
    const TEMPORARY: &[&str] = &[
        "/tmp/",
        "/var/tmp/",
        "/dev/shm/",
        "/private/tmp/",
        "~/.cache/",
        "/root/.cache",
        "/var/cache/",
        "/var/lib/apt/lists",
    ];
    // Caches of the system are there to be emptied, by whom else than its administrator.
    if found.name.starts_with("/var/cache/") || found.name.starts_with("/var/lib/apt/lists/") {
        return !walker.manner.has(Manner::REMOTE);
    }
    let borrowed = [Manner::ELEVATED, Manner::REMOTE, Manner::DETACHED, Manner::HIDDEN]
        .into_iter()
        .any(|manner| walker.manner.has(manner));
    let own = !found.name.starts_with(['/', '~', HOLE])
        || walker.root().is_some_and(|root| found.name.starts_with(root))
        || TEMPORARY.iter().any(|start| found.name.starts_with(start))
        || found.name.starts_with("~/.zcompdump");
    found.place == Place::Scratch && !found.broad && !borrowed && own
}

/// One file in the working tree is under version control or can be written again; elsewhere it is gone.
fn undo_of_loss(walker: &Walker<'_>, arg: &Arg<'_>) -> Undo {
    let (target, found) = walker.path_target(arg.as_str());
    if found.broad {
        return Undo::Impossible;
    }
    match target.place {
        Place::Scratch => Undo::Trivial,
        Place::Tree => Undo::Possible,
        // Where the tree is not known, a place outside it is not known either.
        Place::Machine if arg.glob && walker.root().is_some() => Undo::Impossible,
        Place::Machine | Place::Away => Undo::Possible,
    }
}

/// Whether a pattern names a kind of files, such as `*.log`, rather than everything.
pub(super) fn is_narrow(pattern: &str) -> bool {
    let name = pattern.rsplit('/').next().unwrap_or("");
    name.chars().any(char::is_alphanumeric) && !name.contains(HOLE)
}

fn extent_of(arg: &Arg<'_>) -> Extent {
    if arg.glob || !arg.known { Extent::Several } else { Extent::One }
}

pub(super) fn delete_with(walker: &mut Walker<'_>, arg: &Arg<'_>, extent: Extent, undo: Undo) {
    let (mut target, found) = walker.path_target(arg.as_str());
    if found.broad {
        target = target.with(Sensitivity::System);
    }
    let mut undo = undo;
    let borrowed = walker.manner.has(Manner::ELEVATED) || walker.manner.has(Manner::REMOTE);
    if borrowed && !is_regenerated(walker, &found) {
        undo = Undo::Impossible;
    }
    if undo != Undo::Trivial && target.place == Place::Scratch {
        target.place = Place::Machine;
    }
    let span = walker.span(arg.range);
    let mut effect = Effect::new(Verb::Delete, target, span).extent(extent).undo(undo);
    if !arg.known {
        effect = effect.seen(Seen::Likely);
    }
    if let Some(what) = found.what {
        effect = effect.words(what);
    }
    walker.emit(effect);
}

/// Sources and destination of `mv`, `cp`, `ln` and `install`.
fn sources_and_destination<'r>(options: &'r Options<'r>) -> (Vec<&'r Arg<'r>>, Option<Arg<'r>>) {
    let mut operands: Vec<&Arg<'_>> = options.operands.clone();
    if let Some(directory) = options.value(&["-t", "--target-directory"]) {
        return (operands, Some(directory.clone()));
    }
    let destination = if operands.len() > 1 { operands.pop().cloned() } else { None };
    (operands, destination)
}

const COPY_FLAGS: &[&str] =
    &["-t", "--target-directory", "-S", "--suffix", "-m", "--mode", "-o", "--owner", "-g", "--group"];

fn move_files(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, &COPY_FLAGS[..4], Style::Gnu);
    let (sources, destination) = sources_and_destination(&options);
    for source in sources {
        let content = walker.content(source.as_str());
        let (_, found) = walker.path_target(source.as_str());
        if found.broad || found.sensitivity >= Sensitivity::System {
            delete(walker, source, true);
        } else if found.sensitivity == Sensitivity::Credential {
            walker.read(source);
        }
        if destination.as_ref().is_some_and(|to| to.as_str() == "/dev/null") {
            delete_with(walker, source, extent_of(source), Undo::Impossible);
        } else if let Some(destination) = &destination {
            place(walker, source, destination, content);
        }
    }
    Flow::empty()
}

fn copy(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, &COPY_FLAGS[..4], Style::Gnu);
    let (sources, destination) = sources_and_destination(&options);
    for source in sources {
        let content = walker.read(source).or(walker.content(source.as_str()));
        if let Some(destination) = &destination {
            another_name(walker, source, destination);
            copy_over(walker, source, destination);
            place(walker, source, destination, content);
        }
    }
    Flow::empty()
}

/// What is copied over a home directory, without saying which files, may replace those a shell runs at its start.
fn copy_over(walker: &mut Walker<'_>, source: &Arg<'_>, destination: &Arg<'_>) {
    let (target, found) = walker.path_target(destination.as_str());
    let whole = source.as_str().ends_with("/.") || source.as_str() == "." || source.as_str().ends_with("/.*");
    if whole && found.broad && found.place != Place::Scratch {
        let span = walker.span(destination.range);
        let effect = Effect::new(Verb::Write, target.with(Sensitivity::System), span).extent(Extent::Several);
        walker.emit(effect.words("may replace any file there is"));
    }
}

/// Names of programs that are remembered.
const NAMES_MAX: usize = 256;

/// A program under another name is still that program.
fn another_name(walker: &mut Walker<'_>, program: &Arg<'_>, name: &Arg<'_>) {
    let Some((directory, program)) = program.as_str().rsplit_once('/') else { return };
    if !directory.ends_with("bin") || !super::knows(program) || walker.env.functions.len() > NAMES_MAX {
        return;
    }
    let name = name.as_str();
    let name = if name.contains('/') { name.to_owned() } else { format!("./{name}") };
    for name in [format!("{}/{program}", name.trim_end_matches('/')), name] {
        walker.env.functions.insert(name, format!("{program} \"$@\""));
    }
}

fn link(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, &COPY_FLAGS[..4], Style::Gnu);
    let (sources, destination) = sources_and_destination(&options);
    for source in sources {
        let content = walker.content(source.as_str());
        if walker.path_target(source.as_str()).1.sensitivity == Sensitivity::Credential {
            // A second name for a secret is a way to read it.
            walker.read(source);
        }
        if let Some(destination) = &destination {
            another_name(walker, source, destination);
            place(walker, source, destination, content);
            let leads_to = walker.locate(source.as_str()).into_owned();
            let name = walker.file_key(destination.as_str());
            walker.env.link(name, leads_to.clone());
            let written = walker.locate(destination.as_str()).trim_start_matches("./").to_owned();
            walker.env.link(written, leads_to);
        } else {
            let span = walker.span(call.range);
            let (target, _) = walker.path_target(".");
            walker.emit(Effect::new(Verb::Write, target, span).undo(Undo::Trivial));
        }
    }
    Flow::empty()
}

fn install(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, COPY_FLAGS, Style::Gnu);
    if options.has(&["-d", "--directory"]) {
        for arg in &options.operands {
            walker.write(arg, Flow::empty(), true);
        }
        return Flow::empty();
    }
    let (sources, destination) = sources_and_destination(&options);
    for source in sources {
        let content = walker.read(source).or(walker.content(source.as_str()));
        if let Some(destination) = &destination {
            place(walker, source, destination, content);
        }
    }
    Flow::empty()
}

/// `source` now also stands at `destination`, or inside it if that is a directory.
fn place(walker: &mut Walker<'_>, source: &Arg<'_>, destination: &Arg<'_>, content: Flow) {
    let name = source.as_str().rsplit('/').next().unwrap_or("");
    let inside = format!("{}/{name}", destination.as_str().trim_end_matches('/'));
    let inside = walker.file_key(&inside);
    walker.env.write_file(inside, content.clone(), false);
    walker.write(destination, content, false);
}

fn dd(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let value = |name: &str| {
        call.args.iter().find_map(|arg| arg.as_str().starts_with(name).then(|| arg.after(name.len())))
    };
    let content = match value("if=") {
        Some(input) => walker.read(&input),
        None => call.stdin.clone().unwrap_or_else(|| Flow::unknown(Origin::PLAIN)),
    };
    match value("of=") {
        Some(output) => {
            walker.write(&output, content, false);
            Flow::empty()
        }
        None => content,
    }
}

fn tee(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, &[], Style::Gnu);
    let content = call.stdin.clone().unwrap_or_else(|| Flow::unknown(Origin::PLAIN));
    let append = options.has(&["-a", "--append"]);
    for arg in &options.operands {
        walker.write(arg, content.clone(), append);
    }
    content
}

fn chmod(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, &["--reference"], Style::Gnu);
    let recursive = options.has(&["-R", "--recursive"]);
    let mut operands = options.operands.iter();
    // A mode such as `-x` looks like a flag.
    let mode = if options.has(&["--reference"]) { None } else { operands.next() };
    let mode = mode.map_or("", |arg| arg.as_str());
    let opens = opens_to_all(mode);
    let closes = !opens && mode.bytes().all(|byte| byte.is_ascii_digit()) && mode.ends_with("00");
    let locks = mode.len() >= 3 && mode.bytes().all(|byte| byte == b'0');
    for arg in operands {
        let (mut target, found) = walker.path_target(arg.as_str());
        let span = walker.span(arg.range);
        if locks && found.broad && !recursive {
            let effect = Effect::new(Verb::Configure, target.with(Sensitivity::System), span);
            walker.emit(effect.undo(Undo::Possible).words("locks everybody out of it"));
            continue;
        }
        if opens && (target.place != Place::Scratch || borrows_rights(mode)) {
            let words = "lets everybody on this machine change it, or run it as its owner";
            let extent = if recursive { Extent::Unbounded } else { extent_of(arg) };
            walker.emit(Effect::new(Verb::Grant, target, span).extent(extent).words(words));
            continue;
        }
        let owner = !walker.manner.has(Manner::ELEVATED);
        if !recursive
            && owner
            && (closes || !found.broad)
            && !matches!(target.sensitivity, Sensitivity::System | Sensitivity::Guard)
        {
            // Closing a secret to others protects it.
            target.sensitivity = Sensitivity::None;
        }
        let extent = match (recursive || arg.glob, found.broad) {
            (true, true) => Extent::Unbounded,
            (true, false) => Extent::Several,
            (false, _) => extent_of(arg),
        };
        walker.emit(Effect::new(Verb::Configure, target, span).extent(extent));
    }
    Flow::empty()
}

/// `777`, `o+w`, `a=rwx`, `u+s`, `4755`.
fn opens_to_all(mode: &str) -> bool {
    if !mode.is_empty() && mode.bytes().all(|byte| byte.is_ascii_digit()) {
        let digits: Vec<u8> = mode.bytes().map(|byte| byte - b'0').collect();
        let world_writes = digits.last().is_some_and(|other| other & 2 != 0);
        let runs_as_owner = digits.len() == 4 && digits[0] & 6 != 0;
        return (world_writes && digits.len() >= 3 && !(digits.len() == 4 && digits[0] & 1 != 0))
            || runs_as_owner;
    }
    mode.split(',').any(|clause| {
        let Some(at) = clause.find(['+', '=']) else { return false };
        let (who, what) = clause.split_at(at);
        (what.contains('w') && (who.contains(['o', 'a']))) || what.contains('s')
    })
}

/// `u+s`, `4755`: whoever runs it has its owner's rights.
fn borrows_rights(mode: &str) -> bool {
    match mode.bytes().all(|byte| byte.is_ascii_digit()) {
        true => mode.len() == 4 && mode.starts_with(['2', '4', '6', '3', '5', '7']),
        false => mode
            .split(',')
            .any(|clause| clause.split_once(['+', '=']).is_some_and(|(_, what)| what.contains('s'))),
    }
}

fn chown(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, &["--reference", "--from"], Style::Gnu);
    let recursive = options.has(&["-R", "--recursive"]);
    let skip = usize::from(!options.has(&["--reference"]));
    for arg in options.operands.iter().skip(skip) {
        let (target, found) = walker.path_target(arg.as_str());
        // All that is found in a whole tree is the tree.
        let extent = match (recursive || arg.glob, found.broad) {
            (true, true) => Extent::Unbounded,
            (true, false) => Extent::Several,
            (false, _) => extent_of(arg),
        };
        let span = walker.span(arg.range);
        walker.emit(Effect::new(Verb::Configure, target, span).extent(extent));
    }
    Flow::empty()
}

fn sed(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options =
        Options::read(call.args, &["-e", "--expression", "-f", "--file", "-l", "--line-length"], Style::Gnu);
    let in_place =
        options.flags.iter().any(|(flag, _)| *flag == "-i" || flag.starts_with("--in-p") || *flag == "-I");
    let scripts: Vec<&Arg<'_>> = options.values(&["-e", "--expression"]).collect();
    let skip = usize::from(scripts.is_empty() && options.value(&["-f", "--file"]).is_none());
    let scripts: Vec<Arg<'_>> = match scripts.is_empty() {
        true => options.first().filter(|_| skip == 1).cloned().into_iter().collect(),
        false => scripts.into_iter().cloned().collect(),
    };
    for script in &scripts {
        for reach in super::sed::read(script.as_str()) {
            let named = |path: String| Arg::literal(path, script.range);
            match reach {
                super::sed::Reach::Runs(command) if command.is_empty() => {
                    walker.opaque("sed runs what it has edited", script.range);
                }
                super::sed::Reach::Runs(command) => {
                    walker.nested(&command, script.range, None);
                }
                super::sed::Reach::Reads(path) => {
                    walker.read(&named(path));
                }
                super::sed::Reach::Writes(path) => {
                    walker.write(&named(path), Flow::unknown(Origin::LOCAL), false);
                }
                super::sed::Reach::More => {
                    walker.cut("sed opens more files than can be listed", script.range);
                }
            }
        }
    }
    let mut flow = Flow { text: None, origin: call.input_origin() };
    for arg in options.operands.iter().skip(skip) {
        if in_place {
            walker.write(arg, Flow::unknown(Origin::LOCAL), true);
        } else {
            flow = flow.then(walker.read(arg));
        }
    }
    if options.operands.len() <= skip {
        let span = walker.span(call.range);
        walker.emit(Effect::new(Verb::Read, Target::new(TargetKind::Command, call.name), span));
    }
    Flow::unknown(flow.origin)
}
