//! Scripts around a command that must not run: most hide it in a quote, a comment or a document, and then a few letters change.

/// A stream of numbers that its seed determines (SplitMix64).
pub struct Dice(u64);

impl Dice {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end.max(1)).unwrap_or(1)).unwrap_or(0)
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

/// Commands that must not run. The dummy programs notice each of them.
pub const MARKED: &[&str] =
    &["rm -rf ~", "rm -rf ~", "find . -delete", "git push --force", "echo x >>~/.bashrc"];

/// What leaves nothing behind, in one shell or in all.
const NOTHINGS: &[&str] = &[
    "${u}",
    "$u''",
    "\"$u\"",
    "${u:-}",
    "${u+x}",
    "$(:)",
    "`:`",
    "$@",
    "\"$@\"",
    "$*",
    "''",
    "\"\"",
    "$''",
    "$u",
    "$= ",
    "${u#x}",
    "${u[@]}",
    "${@:2}",
    "$[u]",
    " $u ",
    " $(:) ",
    " \"$@\" ",
    " $u",
    "${!u}",
    "${u%%x}",
    "${u^^}",
    "$(true;:)",
    "\\\n",
];

/// Scripts in which `@` is only text.
const HIDES: &[&str] = &[
    "echo @",
    ": @",
    "true @",
    "echo '@'",
    "echo \"@\"",
    "echo $'@'",
    "echo $\"@\"",
    "echo x'@'y",
    "echo \"x'@'y\"",
    "echo 'x\"@\"y'",
    "# @",
    "echo a # @",
    ": #@\n:",
    "echo a#'@'",
    "cat <<'E'\n@\nE\n",
    "cat <<E\n@\nE\n",
    "cat <<-E\n\t@\n\tE\n:",
    "cat <<\"E\"\n@\nE\n",
    "cat <<\\E\n@\nE\n",
    "cat <<$'E'\n@\nE\n",
    "cat <<E; cat <<F\n@\nE\n@\nF\n",
    "cat <<E | cat\n@\nE\n",
    "cat <<E && :\n@\nE\n:",
    "x='@'",
    "x=\"@\"",
    "x=$'@'",
    "export x='@'",
    "readonly x='@'",
    "x='@' true",
    "x+='@'",
    "a=('@')",
    "a=(x '@' y)",
    "a['@']=1",
    "a[1]='@'",
    "echo ${x:-'@'}",
    "echo \"${x:-@}\"",
    "echo \"${x:-'@'}\"",
    "echo \"${x:-\"@\"}\"",
    "echo ${x#'@'}",
    "echo \"${x#@}\"",
    "echo \"${x%'@'}\"",
    "echo ${x/'@'/y}",
    "echo \"${x//@/y}\"",
    "echo ${x:+'@'}",
    "echo ${x:='@'}",
    "echo ${x:?'@'}",
    "x=1; echo ${x:?@}",
    "echo ${#x}'@'",
    "[[ '@' == x ]]",
    "[[ x == '@' ]]",
    "[[ a =~ '@' ]]",
    "[[ a =~ @ ]]",
    "[[ -n @ ]]",
    "[[ a && '@' ]]",
    "[[ a || b ]] '@'",
    "[[ a < b ]]; : '@'",
    "[ '@' ]",
    "[ a = '@' ]",
    "test '@'",
    "(( 1 )) || : '@'",
    "(( x = 1 )); : '@'",
    "echo $((1+1))'@'",
    "echo $[1+1]'@'",
    "echo $(( 1 + '@' ))",
    "case '@' in a) : ;; esac",
    "case a in '@') : ;; esac",
    "case a in a) : '@' ;; esac",
    "case a in (a|'@') : ;; esac",
    "echo @(a|'@')",
    "echo a{b,'@'}",
    "echo *'@'",
    "echo ?['@']",
    "echo ~'@'",
    "read x <<<'@'",
    "read x <<<\"@\"",
    "read x <<< @",
    "echo `echo '@'`",
    "echo `: \\'@\\'`",
    "echo \"`: '@'`\"",
    "echo `# @\n`",
    "echo $(echo '@')",
    "echo \"$(echo '@')\"",
    "echo $(: # @\n)",
    "echo \"$(: \"@\")\"",
    "echo $(cat <<E\n@\nE\n)",
    "echo `cat <<E\n@\nE\n`",
    "echo $(case a in a) : '@';; esac)",
    "cat <(echo '@')",
    "echo '@' | cat",
    "echo '@' |& cat",
    ": '@' &",
    ": '@' && :",
    ": '@' || :",
    "for x in '@'; do :; done",
    "for x in a; do : '@'; done",
    "for ((i=0;i<1;i++)); do : '@'; done",
    "while false; do : '@'; done",
    "until :; do : '@'; done",
    "if :; then : '@'; fi",
    "if false; then :; else : '@'; fi",
    "{ : '@'; }",
    "( : '@' )",
    "f() { : '@'; }",
    "f() { : '@'; }; f",
    "function f { : '@'; }",
    "f() ( : '@' )",
    "time : '@'",
    "! : '@'",
    "coproc : '@'",
    ": '@' >/dev/null",
    ": '@' &>/dev/null",
    ": '@' 2>&1",
    ": <&- '@'",
    ": >&- '@'",
    ": {fd}>&- '@'",
    ": <>/dev/null '@'",
    ": >|/dev/null '@'",
    "echo a\\\n'@'",
    "echo \\\"@",
    "echo \\'@",
    "echo 'a'\\''@'",
    "echo \"a\\\"@\"",
    "echo $'a\\'@'",
    "echo $'a\\\\'\"@\"",
    "echo $'\\cA@'",
    "echo $'\\x41@'",
    "echo $'\\101@'",
    "echo $'\\u0041@'",
    "alias x='@'",
    "printf '%s' '@'",
    "printf \"@\"",
    "trap - '@'",
    "set -- '@'",
    "set -- '@'; : \"$1\"",
    "unset 'x' # @",
    "local x='@'",
    "declare x='@'",
    "let x=1 # @",
    "eval : \"'@'\"",
    "eval ': @'",
    "echo a; # @\n:",
    "echo '#' '@'",
    "echo ${x#'#'} '@'",
    "echo $# '@'",
    "echo \"$#\" # @",
    "echo $$ '@'",
    "echo \"$@\" '@'",
    "echo ${@:-'@'}",
    "echo ${*#'@'}",
    "echo \\# '@'",
    "echo '\\' '@'",
    "echo \"\\\\\" '@'",
    "echo '@'\\",
    "echo \\\\'@'",
    "echo \"${x:-`: '@'`}\"",
    "echo \"${x:-$(: '@')}\"",
    "echo ${x:-$'@'}",
    "echo ${x:-\"'@'\"}",
    "echo \"${x:+\"'@'\"}\"",
    "select x in '@'; do break; done",
    "exec 3<<E\n@\nE\n:",
    "cat 3<<E <&3\n@\nE\n",
    "echo =@",
    "echo '@'(",
    "echo a[b'@'",
    "echo %'@'",
    "echo ^'@'",
    "echo !'@'",
    "echo a=('@')",
    "echo $x'@'",
    "echo ${x}'@'",
    "echo $'@'$\"@\"'@'\"@\"",
];

/// What is put between, and what takes the place of something.
const PIECES: &[&str] = &[
    "'",
    "\"",
    "`",
    "\\",
    "$",
    "$'",
    "$\"",
    "$(",
    "$((",
    "${",
    "$[",
    "(",
    ")",
    "((",
    "))",
    "{",
    "}",
    "[",
    "]",
    "[[",
    "]]",
    "[[ ",
    " ]]",
    ";",
    ";;",
    ";&",
    ";;&",
    ";|",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "&>",
    "&>>",
    "&|",
    "&!",
    "\n",
    "\n",
    " ",
    " ",
    "\t",
    "\r",
    "\r\n",
    "\\\n",
    "\\\\",
    "\\'",
    "\\\"",
    "\\`",
    "\\$",
    "#",
    " #",
    "#\n",
    "<",
    ">",
    ">>",
    "<<",
    "<<-",
    "<<<",
    "<>",
    ">|",
    ">&",
    "<&",
    "<&-",
    ">&-",
    "2>&1",
    "<(",
    ">(",
    "=(",
    "<<E",
    "<<'E'",
    "<<\"E\"",
    "<<\\E",
    "<<$E",
    "<<$'E'",
    "<<-E",
    "<<E\\\n",
    "E",
    "\nE\n",
    "\nE",
    "E\n",
    "\n\tE\n",
    "E)",
    "'E'",
    "!",
    "! ",
    "~",
    "*",
    "?",
    "@",
    "@(",
    "!(",
    "?(",
    "*(",
    "+(",
    "=",
    "+=",
    ":",
    ":-",
    ":=",
    ":+",
    ":?",
    "-",
    "+",
    "%",
    "/",
    "//",
    "^",
    "^^",
    ",",
    "x=",
    "x+=",
    "a=(",
    "a[",
    "a[0]=",
    "x",
    "$x",
    "${x}",
    "${x:-",
    "${x#",
    "${x%",
    "${x/",
    "${x//",
    "${x:+",
    "${#x}",
    "${!x}",
    "${x@Q}",
    "${(e)x}",
    "$#",
    "$@",
    "$*",
    "$?",
    "$$",
    "$!",
    "$-",
    "$0",
    "$1",
    "$=x",
    "$~x",
    "${=x}",
    "${~x}",
    "if ",
    "then ",
    "else ",
    "elif ",
    "fi",
    "fi;",
    "while ",
    "until ",
    "do ",
    "done",
    "for x in ",
    "for x ",
    "for ((;;))",
    "in ",
    "case ",
    "case a in ",
    "a)",
    "esac",
    "select x in ",
    "function f ",
    "f()",
    "f() {",
    "f;",
    "time ",
    "coproc ",
    "repeat 1 ",
    "foreach x (a) ",
    "end",
    "always {",
    "noglob ",
    "nocorrect ",
    "- ",
    "command ",
    "builtin ",
    "exec ",
    "eval ",
    "export ",
    "readonly ",
    "local ",
    "declare ",
    "typeset ",
    "alias x=",
    "alias echo=",
    "set -- ",
    "shift;",
    ". ",
    "source ",
    "test ",
    "[ ",
    "let ",
    "printf ",
    "echo ",
    ": ",
    "true ",
    "false ",
    "false||",
    "false&&",
    "true&&",
    "true;",
    "cat ",
    "read x ",
    "unset x;",
    "trap ",
    "exit;",
    "return;",
    "break;",
    "\\c",
    "\\0",
    "\\x",
    "\\x{",
    "\\x27",
    "\\047",
    "\\u0027",
    "\\n",
    "\\x0a",
    "\\cM",
    "\\e",
    "\\8",
    "\\400",
    "é",
    "\u{a0}",
    "\u{85}",
    "\u{2028}",
    "\u{0b}",
    "\u{0c}",
    "\u{7f}",
    "\u{1}",
    "0",
    "1",
    "3",
    "9",
    "{fd}",
    "{a,b}",
    "{1..2}",
    "{,",
    "}>",
    "1>",
    "3<&",
    "0<",
];

/// A script that is mostly harmless, if it is read as shells read it.
pub fn candidate(dice: &mut Dice) -> String {
    let mut script = match dice.below(8) {
        0 => soup(dice),
        1 => {
            let inner = dice.pick(HIDES);
            dice.pick(HIDES).replacen('@', inner, 1)
        }
        2 => {
            format!("{}{}{}", dice.pick(HIDES), dice.pick(&[" ", "\n", ";", "&&", "|", ""]), dice.pick(HIDES))
        }
        _ => dice.pick(HIDES).to_owned(),
    };
    for _ in 0..dice.below(5) {
        edit(dice, &mut script);
    }
    let marked = interrupted(dice);
    if !script.contains('@') {
        script.push('@');
    }
    script.replace('@', &marked)
}

/// A marked command, now and then with something in it that is nothing when it runs.
fn interrupted(dice: &mut Dice) -> String {
    let mut marked = dice.pick(MARKED).to_owned();
    if dice.below(6) == 0 {
        for _ in 0..=dice.below(2) {
            let at = dice.below(marked.len() + 1);
            marked.insert_str(at, dice.pick(NOTHINGS));
        }
    }
    marked
}

fn soup(dice: &mut Dice) -> String {
    let mut script = String::new();
    let mark = dice.below(6);
    for index in 0..=mark + dice.below(5) {
        script.push_str(if index == mark { "@" } else { dice.pick(PIECES) });
        if dice.below(3) == 0 {
            script.push(' ');
        }
    }
    script
}

fn edit(dice: &mut Dice, script: &mut String) {
    let mut bounds: Vec<usize> = script.char_indices().map(|(at, _)| at).collect();
    bounds.push(script.len());
    // Half of the changes are right at the hidden command, where they matter most.
    let near = script.find('@').filter(|_| dice.below(2) == 0);
    let at = match near {
        Some(mark) => match dice.below(4) {
            0 => mark + 1,
            1 => bounds[bounds.iter().position(|bound| *bound == mark).unwrap_or(0).saturating_sub(1)],
            2 => bounds
                .get(bounds.iter().position(|bound| *bound == mark).unwrap_or(0) + 2)
                .copied()
                .unwrap_or(mark),
            _ => mark,
        },
        None => bounds[dice.below(bounds.len())],
    };
    match dice.below(8) {
        0..=4 => script.insert_str(at, dice.pick(PIECES)),
        5 => {
            let end = bounds.iter().copied().find(|bound| *bound > at).unwrap_or(at);
            script.replace_range(at..end, "");
        }
        6 => {
            let end = bounds.iter().copied().find(|bound| *bound > at).unwrap_or(at);
            script.replace_range(at..end, dice.pick(PIECES));
        }
        _ => {
            let from = bounds[dice.below(bounds.len())];
            let (from, to) = (from.min(at), from.max(at));
            let copy = script[from..to].to_owned();
            script.insert_str(at, &copy);
        }
    }
}
