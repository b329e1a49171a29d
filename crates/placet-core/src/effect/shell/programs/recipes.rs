//! Files that tell a program what to run: a makefile, the scripts of a package.
//!
//! What such a file holds is mostly not known. It is when the same script has just written it, and then that is what runs.

use std::sync::LazyLock;

use super::{Call, foreign::run_foreign, interpreters::run_unseen, options::Options};
use crate::{
    Json,
    effect::{
        lookup::Lookup,
        shell::{
            flow::{Arg, Flow, HOLE, Origin},
            walk::Walker,
        },
    },
};

/// How a file says what is run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Commands are the indented lines.
    Indented,
    /// Commands by name under `scripts`.
    Scripts,
    /// Code of a language.
    Code(&'static str),
    /// In a way that is not read here.
    Other,
}

/// Programs, the flags that name their file, the files they look for otherwise, and how those are read.
type Recipe = (&'static [&'static str], &'static [&'static str], &'static [&'static str], Kind);

const RECIPES: &[Recipe] = &[
    (
        &["make", "gmake", "bmake", "remake"],
        &["-f", "--file", "--makefile"],
        &["GNUmakefile", "makefile", "Makefile"],
        Kind::Indented,
    ),
    (&["just"], &["-f", "--justfile"], &["justfile", "Justfile", ".justfile"], Kind::Indented),
    (&["npm", "pnpm", "yarn", "bun"], &[], &["package.json"], Kind::Scripts),
    (&["pytest", "py.test"], &[], &["conftest.py"], Kind::Code("python")),
    (&["invoke", "inv"], &[], &["tasks.py"], Kind::Code("python")),
    (&["scons"], &["-f", "--file"], &["SConstruct"], Kind::Code("python")),
    (&["rake"], &["-f", "--rakefile"], &["Rakefile", "rakefile"], Kind::Code("ruby")),
    (&["vagrant"], &[], &["Vagrantfile"], Kind::Code("ruby")),
    (&["cargo"], &[], &["build.rs", "Cargo.toml"], Kind::Other),
    (&["task"], &["-t", "--taskfile"], &["Taskfile.yml", "Taskfile.yaml"], Kind::Other),
    (&["gradle", "gradlew"], &["-b", "--build-file"], &["build.gradle", "build.gradle.kts"], Kind::Other),
    (&["mvn", "mvnw"], &["-f", "--file"], &["pom.xml"], Kind::Other),
    (&["ant"], &["-f", "-buildfile"], &["build.xml"], Kind::Other),
    (&["cmake"], &[], &["CMakeLists.txt"], Kind::Other),
    (&["tox", "nox"], &["-c", "-f"], &["tox.ini", "noxfile.py"], Kind::Other),
    (&["pre-commit"], &["-c", "--config"], &[".pre-commit-config.yaml"], Kind::Other),
    (
        &["docker-compose", "podman-compose"],
        &["-f", "--file"],
        &["docker-compose.yml", "compose.yaml"],
        Kind::Other,
    ),
    (&["terraform", "tofu"], &[], &["main.tf"], Kind::Other),
    (&["ansible-playbook"], &[], &[], Kind::Other),
];

/// The recipes by each of their programs.
static BY_PROGRAM: LazyLock<Lookup<&'static str, &'static Recipe>> = LazyLock::new(|| {
    RECIPES.iter().flat_map(|recipe| recipe.0.iter().map(move |name| (*name, recipe))).collect()
});

/// Lines of a file that are followed.
const LINES_MAX: usize = 200;

/// Walks what the program's file says, if this script wrote it.
pub fn follow(walker: &mut Walker<'_>, call: &Call<'_>) {
    if walker.env.files.is_empty() {
        return;
    }
    let Some((_, flags, files, kind)) = BY_PROGRAM.get(call.name) else { return };
    // Locating paths costs more than all the rest; most scripts have written other files.
    let wrote = |name: &&str| walker.env.files.keys().any(|file| file.ends_with(*name));
    let may_name =
        files.is_empty() || (!flags.is_empty() && call.args.iter().any(|arg| arg.as_str().starts_with('-')));
    if !may_name && !files.iter().any(wrote) {
        return;
    }
    let takes: Vec<&str> = flags.iter().copied().chain(["-C", "--directory", "--prefix"]).collect();
    let options = Options::read(call.args, &takes, super::options::Style::Gnu);
    let directory = options.value(&["-C", "--directory", "--prefix"]).map(|arg| arg.as_str().to_owned());
    let named: Vec<String> = options.values(flags).map(|arg| arg.as_str().to_owned()).collect();
    let files = match named.is_empty() {
        false => named,
        true if files.is_empty() => options.operands.iter().map(|arg| arg.as_str().to_owned()).collect(),
        true => files.iter().map(|file| (*file).to_owned()).collect(),
    };
    let words: Vec<&str> = options.operands.iter().map(|arg| arg.as_str()).collect();
    for file in files {
        let file = match &directory {
            Some(directory) => format!("{directory}/{file}"),
            None => file,
        };
        let Some(content) = walker.env.files.get(&walker.file_key(&file)).cloned() else { continue };
        match &content.text {
            Some(text) => run_known(walker, *kind, text, &words, call.range),
            None if content.origin.has(Origin::FETCHED) || content.origin.has(Origin::DECODED) => {
                run_unseen(walker, content.origin, "", call.range);
            }
            None => {}
        }
    }
}

fn run_known(walker: &mut Walker<'_>, kind: Kind, text: &str, words: &[&str], range: (usize, usize)) {
    match kind {
        Kind::Indented => {
            let commands = text.lines().filter_map(|line| {
                let indented = line.starts_with(['\t', ' ']).then_some(line);
                indented.or_else(|| line.split_once(';').map(|(_, command)| command))
            });
            let mut commands: Vec<String> = commands.take(LINES_MAX + 1).map(expanded).collect();
            commands.extend(text.match_indices("$(shell ").take(LINES_MAX).map(|(at, start)| {
                let rest = &text[at + start.len()..];
                rest[..rest.find(')').unwrap_or(rest.len())].to_owned()
            }));
            if commands.len() > LINES_MAX {
                walker.cut("more rules than can be followed", range);
            }
            for command in commands.iter().take(LINES_MAX) {
                walker.nested(command, range, None);
            }
        }
        Kind::Scripts => {
            let Ok(package) = Json::read(text) else { return };
            let Some(scripts) = package.get("scripts").and_then(Json::as_object) else { return };
            for (name, script) in scripts.iter() {
                if is_run(name, words)
                    && let Some(script) = script.as_str()
                {
                    walker.nested(script, range, None);
                }
            }
        }
        Kind::Code(language) => run_foreign(walker, language, &Arg::literal(text.to_owned(), range)),
        Kind::Other => {}
    }
}

/// A line of a makefile as its shell gets it: without marks, and with a hole for each variable.
fn expanded(line: &str) -> String {
    let line = line.trim_start().trim_start_matches(['@', '-', '+']);
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('$') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let close = match rest.as_bytes().first() {
            Some(b'(') => rest.find(')'),
            Some(b'{') => rest.find('}'),
            Some(b'$') => {
                text.push('$');
                rest = &rest[1..];
                continue;
            }
            Some(_) | None => None,
        };
        text.push(HOLE);
        let length = close.map_or_else(|| rest.chars().next().map_or(0, char::len_utf8), |close| close + 1);
        rest = &rest[length..];
    }
    text.push_str(rest);
    text
}

/// Whether a script of a package runs when its manager is called with `words`.
fn is_run(name: &str, words: &[&str]) -> bool {
    let stem = name.strip_prefix("pre").or_else(|| name.strip_prefix("post")).unwrap_or(name);
    match words {
        ["run" | "run-script", wanted, ..] => name == *wanted || stem == *wanted,
        // Without a word, or with a package, everything is installed.
        [] | ["install" | "i" | "ci" | "add" | "update" | "rebuild", ..] => {
            matches!(stem, "install" | "prepare")
        }
        [wanted, ..] => name == *wanted || stem == *wanted,
    }
}

/// What a program gets as its manifest is read from its input, and the input came from the network.
pub fn from_the_network(walker: &mut Walker<'_>, call: &Call<'_>) {
    let fetched = call.stdin.as_ref().is_some_and(|stdin: &Flow| stdin.origin.has(Origin::FETCHED));
    if fetched
        && call.args.iter().any(|arg| matches!(arg.as_str(), "-" | "-f-" | "/dev/stdin" | "--filename=-"))
    {
        run_unseen(walker, Origin::FETCHED, "", call.range);
    }
}
