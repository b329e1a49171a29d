//! Programs that make text: what they print can be known before they run.

use super::{
    Call,
    options::{Options, Style},
};
use crate::effect::{
    Effect, Sensitivity, Target, TargetKind, Verb,
    shell::{
        expand::names_a_secret,
        flow::{Arg, Flow, HOLE, Origin},
        walk::Walker,
    },
};

/// The programs that [`run`] may know.
pub const NAMES: &str = "\
    echo printf cat zcat tac bat pwd mktemp yes printenv history fc grep egrep fgrep rg ripgrep rga ag ack \
    less most pg more base64 base32 basenc xxd rev tr uudecode hex2bin ssh-agent brew direnv pyenv rbenv \
    nodenv goenv jenv conda mamba starship zoxide fnm dircolors opam minikube docker-machine keychain mise \
    atuin thefuck luarocks resize tset lesspipe rtx asdf gpg-agent";

pub fn run(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    let flow = match call.name {
        "echo" => echo(call),
        "printf" => {
            if call.args.first().is_some_and(|arg| arg.as_str() == "-v") {
                walker.check_evaluated(call.args.get(1..2).unwrap_or(&[]));
            }
            printf(call)
        }
        "cat" | "zcat" | "tac" | "bat" => return Some(cat(walker, call)),
        "pwd" => Flow::known(walker.directory().unwrap_or(".").to_owned()),
        "mktemp" => Flow::known(format!("/tmp/{HOLE}")),
        "yes" => Flow::unknown(Origin::PLAIN),
        "printenv" => Flow::unknown(Origin::SECRET),
        // People type passwords.
        "history" | "fc" if call.args.iter().all(|arg| !arg.as_str().starts_with('-')) => {
            super::table::run(walker, call);
            return Some(Flow::unknown(Origin::SECRET));
        }
        "grep" | "egrep" | "fgrep" | "rg" | "ripgrep" | "rga" | "ag" | "ack" => {
            seeks_secret(walker, call);
            if matches!(call.name, "rg" | "ripgrep" | "rga") {
                runs_before(walker, call);
            }
            return None;
        }
        "less" | "most" | "pg" | "more" => {
            first_commands(walker, call);
            return None;
        }
        "base64" | "base32" | "basenc" | "xxd" | "rev" | "tr" | "uudecode" | "hex2bin" => {
            return Some(transform(walker, call));
        }
        "ssh-agent" | "brew" | "direnv" | "pyenv" | "rbenv" | "nodenv" | "goenv" | "jenv" | "conda"
        | "mamba" | "starship" | "zoxide" | "fnm" | "dircolors" | "opam" | "minikube" | "docker-machine"
        | "keychain" | "mise" | "atuin" | "thefuck" | "luarocks" | "resize" | "tset" | "lesspipe" | "rtx"
        | "asdf" | "gpg-agent" => {
            // What they print is meant for `eval`; what they do is in the table.
            let output = super::table::run(walker, call);
            if output.is_none() {
                super::unknown_use(walker, call);
            }
            return Some(Flow::unknown(Origin::SETTINGS));
        }
        _ => return None,
    };
    let span = walker.span(call.range);
    let mut target = Target::new(TargetKind::Command, call.name);
    if let Some(secret) = call.args.iter().find(|arg| call.name == "printenv" && names_a_secret(arg.as_str()))
    {
        target = Target::new(TargetKind::Account, secret.as_str()).with(Sensitivity::Credential);
    }
    walker.emit(Effect::new(Verb::Read, target, span));
    Some(flow)
}

/// Picking passwords out of an environment or a history is reading them.
fn seeks_secret(walker: &mut Walker<'_>, call: &Call<'_>) {
    if !call.input_origin().has(Origin::SECRET) {
        return;
    }
    let upper = |arg: &Arg<'_>| arg.as_str().to_ascii_uppercase().replace([' ', '-', '.', '*'], "_");
    let sought = call.args.iter().find(|arg| {
        !arg.as_str().starts_with('-')
            && upper(arg)
                .split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
                .any(names_a_secret)
    });
    let inverted = call.args.iter().any(|arg| matches!(arg.as_str(), "-v" | "--invert-match" | "-c" | "-q"));
    if let Some(sought) = sought.filter(|_| !inverted) {
        let target = Target::new(TargetKind::Account, sought.as_str()).with(Sensitivity::Credential);
        let span = walker.span(call.range);
        walker.emit(Effect::new(Verb::Read, target, span));
    }
}

/// The program that makes text of each file before it is searched: it gets the file to do with it what it likes.
fn runs_before(walker: &mut Walker<'_>, call: &Call<'_>) {
    let options = Options::read(call.args, &["--pre"], Style::Gnu);
    for program in options.values(&["--pre"]).cloned().collect::<Vec<_>>() {
        if super::is_shell(program.as_str()) {
            walker.opaque("every file that is searched is run as a script", program.range);
        } else {
            walker.nested(&format!("{} \"$file\"", program.as_str()), program.range, None);
        }
    }
}

/// What a pager does before it shows anything: `+!` runs a program.
fn first_commands(walker: &mut Walker<'_>, call: &Call<'_>) {
    for arg in call.args {
        let first = arg.as_str().strip_prefix('+').map(|command| command.trim_start_matches('+'));
        if let Some(command) = first.and_then(|command| command.strip_prefix(['!', '#', '|'])) {
            walker.nested(command, arg.range, None);
        }
    }
}

/// Whether a program prints nothing unless it reads something, and reads nothing but its input.
pub fn only_passes_on(name: &str, args: &[Arg<'_>]) -> bool {
    let options = || args.iter().all(|arg| arg.as_str().starts_with('-') && arg.known);
    match name {
        "awk" | "gawk" | "mawk" | "nawk" => matches!(args, [code] if {
            let code = code.as_str().trim_start();
            code.starts_with('{') && !code.contains("BEGIN") && !code.contains("END")
        }),
        "sort" | "uniq" | "head" | "tail" | "cut" | "tac" | "rev" => options(),
        "grep" => matches!(args, [pattern] if !pattern.as_str().starts_with('-')),
        _ => false,
    }
}

fn echo(call: &Call<'_>) -> Flow {
    let mut text = String::new();
    let mut origin = Origin::PLAIN;
    let mut newline = true;
    let mut escapes = false;
    let mut args = call.args.iter().peekable();
    while let Some(arg) = args.peek() {
        let text = arg.as_str();
        // Any mix of these letters is options, anything else is text.
        let options = text.strip_prefix('-').filter(|letters| !letters.is_empty());
        if !options.is_some_and(|letters| letters.bytes().all(|byte| matches!(byte, b'n' | b'e' | b'E'))) {
            break;
        }
        newline &= !text.contains('n');
        escapes |= text.contains('e');
        args.next();
    }
    for (index, arg) in args.enumerate() {
        if index > 0 {
            text.push(' ');
        }
        text.push_str(arg.as_str());
        origin = origin.and(arg.origin);
    }
    if escapes {
        text = unescape(&text, false);
    } else if memchr::memchr(b'\\', text.as_bytes()).is_some() {
        origin = origin.and(Origin::ECHOED);
    }
    if newline {
        text.push('\n');
    }
    Flow { text: Some(text), origin }
}

/// What an `echo` that replaces escapes without being asked to would have printed, if that is something else.
pub fn with_escapes(text: &str) -> Option<String> {
    let replaced = unescape(text, true);
    (replaced != text).then_some(replaced)
}

fn printf(call: &Call<'_>) -> Flow {
    let mut args = call.args.iter();
    let mut format = args.next();
    if format.is_some_and(|arg| arg.as_str() == "--") {
        format = args.next();
    }
    if format.is_some_and(|arg| arg.as_str() == "-v") {
        return Flow::empty();
    }
    let Some(format) = format else { return Flow::empty() };
    let rest: Vec<_> = args.collect();
    let origin = rest.iter().fold(format.origin, |origin, arg| origin.and(arg.origin));
    let template = unescape(format.as_str(), false);
    let mut text = String::new();
    let mut values = rest.iter();
    // The format is used again until the values are used up.
    for _ in 0..64 {
        let before = values.len();
        let mut letters = template.chars().peekable();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                text.push(letter);
                continue;
            }
            let mut shaped = false;
            while letters
                .next_if(|next| matches!(next, '-' | '+' | ' ' | '#' | '0'..='9' | '.' | '*' | '$' | '\''))
                .is_some()
            {
                shaped = true;
            }
            if shaped && letters.peek() != Some(&'%') {
                // Widths and precisions cut and fill: what comes out is not followed.
                letters.next();
                values.next();
                text.push(HOLE);
                continue;
            }
            match letters.next() {
                Some('%') => text.push('%'),
                Some('s' | 'd' | 'i' | 'u') => text.push_str(values.next().map_or("", |arg| arg.as_str())),
                Some('b') => text.push_str(&unescape(values.next().map_or("", |arg| arg.as_str()), true)),
                Some('c') => text.extend(values.next().and_then(|arg| arg.as_str().chars().next())),
                Some(_) => {
                    values.next();
                    text.push(HOLE);
                }
                None => {}
            }
            if text.len() > super::super::flow::TEXT_MAX {
                return Flow::unknown(origin.and(Origin::CUT));
            }
        }
        if values.len() == 0 || values.len() == before {
            return Flow { text: Some(text), origin };
        }
    }
    // More rounds than are followed: the rest is not known.
    text.push(HOLE);
    Flow { text: Some(text), origin }
}

/// Backslash escapes as `echo -e` and `printf` know them.
fn unescape(text: &str, leading_zero: bool) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        let mut number =
            |letters: &mut std::iter::Peekable<std::str::Chars<'_>>, radix: u32, digits: usize| {
                let mut value = 0u32;
                for _ in 0..digits {
                    let Some(digit) = letters.peek().and_then(|next| next.to_digit(radix)) else { break };
                    value = value.wrapping_mul(radix).wrapping_add(digit);
                    letters.next();
                }
                if radix == 8 {
                    value &= 0xff;
                }
                plain.push(char::from_u32(value).unwrap_or('\u{fffd}'));
            };
        match letters.next() {
            Some('x') => number(&mut letters, 16, 2),
            Some('u') => number(&mut letters, 16, 4),
            Some('U') => number(&mut letters, 16, 8),
            Some('0') if leading_zero => number(&mut letters, 8, 3),
            Some(digit @ '0'..='7') => {
                let mut value = digit.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(next) = letters.peek().and_then(|next| next.to_digit(8)) else { break };
                    value = value * 8 + next;
                    letters.next();
                }
                plain.push(char::from((value & 0xff) as u8));
            }
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some('a') => plain.push('\u{7}'),
            Some('b') => plain.push('\u{8}'),
            Some('e') => plain.push('\u{1b}'),
            Some('\\') => plain.push('\\'),
            Some('c') => return plain,
            Some(other) => {
                plain.push('\\');
                plain.push(other);
            }
            None => plain.push('\\'),
        }
    }
    plain
}

fn cat(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, &["--language", "-l"], Style::Gnu);
    let span = walker.span(call.range);
    if options.operands.is_empty() {
        walker.emit(Effect::new(Verb::Read, Target::new(TargetKind::Command, call.name), span));
        return call.stdin.clone().unwrap_or_else(|| Flow::unknown(Origin::PLAIN));
    }
    let mut flow = Flow::empty();
    for arg in options.operands {
        flow = flow.then(match arg.as_str() {
            "-" | "/dev/stdin" => call.stdin.clone().unwrap_or_else(|| Flow::unknown(Origin::PLAIN)),
            _ => walker.read(arg),
        });
    }
    flow
}

/// `base64 -d` and its relatives: decoded if the input is known, marked as decoded if not.
fn transform(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, &["-w", "--wrap", "-c", "-s", "-l", "-o"], Style::Gnu);
    let span = walker.span(call.range);
    walker.emit(Effect::new(Verb::Read, Target::new(TargetKind::Command, call.name), span));
    let decodes = match call.name {
        "base64" | "base32" | "basenc" => options.has(&["-d", "-D", "--decode"]),
        "xxd" => options.has(&["-r", "--revert"]),
        "rev" | "uudecode" | "hex2bin" => true,
        _ => false,
    };
    let mut input = call.stdin.clone().unwrap_or_else(|| Flow::unknown(Origin::PLAIN));
    if call.name != "tr" {
        for arg in &options.operands {
            input = walker.read(arg);
        }
    }
    let origin = if decodes { input.origin.and(Origin::DECODED) } else { input.origin };
    let text = input.text.as_deref().filter(|text| !text.contains(HOLE)).and_then(|text| {
        let bytes = match call.name {
            "base64" if decodes => base64(text)?,
            "xxd" if decodes => hex(text)?,
            "rev" => {
                return Some(
                    text.lines().map(|line| line.chars().rev().collect::<String>() + "\n").collect(),
                );
            }
            _ => return None,
        };
        String::from_utf8(bytes).ok()
    });
    match text {
        Some(text) => Flow { text: Some(text), origin },
        None if call.name == "tr" => Flow::unknown(input.origin.and(Origin::DECODED)),
        None => Flow::unknown(origin),
    }
}

/// The bytes a base64 text stands for.
pub(in crate::effect) fn base64(text: &str) -> Option<Vec<u8>> {
    crate::base64::decode(text.as_bytes())
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .map(|letter| letter.to_digit(16))
        .collect::<Option<_>>()?;
    Some(digits.chunks_exact(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_what_can_be_read() {
        assert_eq!(base64("bHMgLWxh").unwrap(), b"ls -la");
        assert_eq!(base64("bHM=").unwrap(), b"ls");
        assert_eq!(hex("6c 73").unwrap(), b"ls");
        assert_eq!(unescape(r"a\x20b\t\154s\u0021", false), "a b\tls!");
    }
}
