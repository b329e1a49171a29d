//! Code: where its effects are read, and that the same call has the same effects however it is spelled.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use placet_core::{
    Effect, Json, Verdict,
    effect::{Extent, Manner, Place, Pointer, Sensitivity, Target, TargetKind, Undo, Verb, shell},
};

use crate::judge::{self, assessment};

fn read(language: &str, code: &str) -> Vec<Effect> {
    shell::interpret_code(language, code, Pointer::root(), Some("/srv/shop"))
}

/// What it does, without what it is, where it was read and under which circumstances.
fn deeds(language: &str, code: &str) -> Vec<(Verb, Target, Extent, Undo)> {
    let mut deeds: Vec<_> = Vec::new();
    for effect in read(language, code) {
        if effect.target.name.starts_with("inline ") || effect.target.name == "what was decoded" {
            continue;
        }
        let deed = judge::deed(&effect);
        if !deeds.contains(&deed) {
            deeds.push(deed);
        }
    }
    deeds
}

fn check_same(language: &str, spellings: &[&str]) {
    let first = deeds(language, spellings[0]);
    assert!(!first.is_empty(), "{} does nothing", spellings[0]);
    for spelling in spellings {
        assert_eq!(deeds(language, spelling), first, "{spelling}\nis not\n{}", spellings[0]);
    }
}

#[test]
fn names_that_lead_to_each_other_have_an_end() {
    check_same(
        "python",
        &[
            "import os\nos.system('rm -rf ~/notes')",
            "import os\na.m = b.m\na.m = os.system\nd.m('rm -rf ~/notes')",
            "import os\na.m = os.system\na.m = b.m\nd.m('rm -rf ~/notes')",
            "import os\nm = b.m\nif q:\n    m = os.system\nd.m('rm -rf ~/notes')",
            // Each name leads to the next, and the last one back to the first.
            "import os\na.m = b.n\na.m = b.m\na.n = b.m\na.n = os.system\nd.m('rm -rf ~/notes')",
            "import os, functools\na.m = functools.partial(b.m)\na.m = os.system\nd.m('rm -rf ~/notes')",
        ],
    );
    check_same(
        "javascript",
        &[
            "require('child_process').execSync('rm -rf ~/notes')",
            "const c = require('child_process'); a.m = b.m; a.m = c.execSync; d.m('rm -rf ~/notes')",
            "const c = require('child_process'); a.m = b.m; a.m = c.execSync; f().m('rm -rf ~/notes')",
        ],
    );
}

#[test]
fn a_command_is_the_same_however_it_is_called() {
    check_same(
        "python",
        &[
            "import os\nos.system('rm -rf ~/notes')",
            "import os as o\no.system('rm -rf ~/notes')",
            "from os import system\nsystem('rm -rf ~/notes')",
            "from os import system as s\ns(command='rm -rf ~/notes')",
            "from os import *\nsystem('rm -rf ~/notes')",
            "import posix\nposix.system('rm -rf ~/notes')",
            "__import__('os').system('rm -rf ~/notes')",
            "import importlib\nimportlib.import_module('os').system('rm -rf ~/notes')",
            "import os\ngetattr(os, 'system')('rm -rf ~/notes')",
            "import os\ngetattr(os, 'sys' 'tem')(\"rm\" + ' -rf ' '~/notes')",
            "import os\nos.__dict__['system']('rm -rf ~/notes')",
            "import os\nvars(os)['system']('rm -rf ~/notes')",
            "import sys, os\nsys.modules['os'].system('rm -rf ~/notes')",
            "import os\nx = os.system\nx('rm -rf ~/notes')",
            "import os\nfs = {'a': os.system}\nfs['a']('rm -rf ~/notes')",
            "import os\n(lambda f: f('rm -rf ~/notes'))(os.system)",
            "import os\ndef go(c):\n    return os.system(c)\ngo('rm -rf ~/notes')",
            "import os\nfor c in ['rm -rf ~/notes']:\n    os.system(c)",
            "import os\nlist(map(os.system, ['rm -rf ~/notes']))",
            "import os; exec(\"os.system('rm -rf ~/notes')\")",
            "exec('import os')\neval('os').system('rm -rf ~/notes')",
            "import os\nos.system(r'rm -rf ~/notes')",
            "import os\nos.system(f'rm -rf {\"~/notes\"}')",
            "import os\nos.system('rm %s %s' % ('-rf', '~/notes'))",
            "import os\nos.system('{0} -rf {p}'.format('rm', p='~/notes'))",
            "import os\nos.system(' '.join(['rm', '-rf', '~/notes']))",
            "import os\nos.system('\\x72\\x6d -rf ~/notes')",
            "import os\nos.system('seton/~ fr- mr'[::-1])",
            "import os\nos.system(bytes.fromhex('726d202d7266207e2f6e6f746573').decode())",
            "import os, codecs\nos.system(codecs.decode('ez -es ~/abgrf', 'rot13'))",
            "import os\nos.popen('rm -rf ~/notes').read()",
            "import subprocess\nsubprocess.run('rm -rf ~/notes', shell=True)",
            "import subprocess\nsubprocess.run(['bash', '-c', 'rm -rf ~/notes'])",
            "from subprocess import check_output as c\nc(('rm -rf ~/notes',), shell=True)",
            "if (n := 1) > 0:\n    import os\n    os.system(\n        'rm -rf '\n        '~/notes'\n    )",
            "class A:\n    def go(self, c):\n        import os\n        os.system(c)\nA().go('rm -rf ~/notes')",
        ],
    );
    check_same(
        "javascript",
        &[
            "require('child_process').execSync('rm -rf ~/notes')",
            "const cp = require('node:child_process'); cp.exec('rm -rf ~/notes', () => {})",
            "const { exec } = require('child_process'); exec(`rm -rf ~/notes`)",
            "const { exec: run } = require('child_process'); run('rm -rf ~/notes')",
            "import { execSync as e } from 'child_process'\ne('rm -rf ~/notes')",
            "import * as cp from 'node:child_process';\ncp.execSync('rm -rf ~/notes');",
            "import cp from 'child_process'\ncp['exec' + 'Sync']('rm -rf ' + '~/notes')",
            "(await import('child_process')).execSync('rm -rf ~/notes')",
            "process.mainModule.require('child_process').execSync('rm -rf ~/notes')",
            "const f = require('child_process').execSync; f.call(null, 'rm -rf ~/notes')",
            "const f = require('child_process').execSync; f.apply(null, ['rm -rf ~/notes'])",
            "const f = require('child_process').execSync.bind(null, 'rm -rf ~/notes'); f()",
            "eval(\"require('child_process').execSync('rm -rf ~/notes')\")",
            "new Function(\"require('child_process').execSync('rm -rf ~/notes')\")()",
            "setTimeout(\"require('child_process').execSync('rm -rf ~/notes')\", 1)",
            "setTimeout(() => require('child_process').execSync('rm -rf ~/notes'), 1)",
            "['rm -rf ~/notes'].forEach(c => require('child_process').execSync(c))",
            "const go = (c: string): void => { require('child_process').execSync(c) }; go('rm -rf ~/notes')",
            "function go(c) { return require('child_process').execSync(c) }\ngo(['rm', '-rf', '~/notes'].join(' '))",
            "require('child_process')?.execSync?.('rm -rf ~/notes')",
            "require('child_process').execSync('\\u0072m -rf ~/notes')",
            "require('child_process').spawnSync('bash', ['-c', 'rm -rf ~/notes'])",
            "Reflect.apply(require('child_process').execSync, null, ['rm -rf ~/notes'])",
        ],
    );
}

#[test]
fn a_deletion_is_the_same_however_it_is_called() {
    check_same(
        "python",
        &[
            "import shutil\nshutil.rmtree('/data/x')",
            "from shutil import rmtree\nrmtree(path='/data/x')",
            "import shutil, os\nshutil.rmtree(os.path.join('/data', 'x'))",
            "import shutil\nfrom pathlib import Path\nshutil.rmtree(Path('/data') / 'x')",
            "import shutil\nroot = '/data'\nshutil.rmtree(f'{root}/x', ignore_errors=True)",
            "import subprocess\nsubprocess.run(['rm', '-r', '/data/x'])",
        ],
    );
    check_same(
        "javascript",
        &[
            "require('fs').rmSync('/data/x', {recursive: true})",
            "import { rm } from 'fs/promises'\nawait rm('/data/x', { recursive: true, force: true })",
            "const fs = require('fs'), path = require('path')\nfs.promises.rm(path.join('/data', 'x'), {recursive: true})",
            "require('fs-extra').removeSync('/data/x')",
            "import rimraf from 'rimraf'; rimraf('/data/x')",
        ],
    );
}

#[test]
fn what_is_only_said_is_not_done() {
    for (language, code) in [
        ("python", "print('os.system(\"rm -rf /\")')  # os.system('rm -rf /')"),
        ("python", "'''\nimport os\nos.system('rm -rf /')\n'''\nx = 1"),
        ("python", "x = {'rm -rf /': open}"),
        ("javascript", "/* eval('x') */ const a = \"eval('x')\"; // eval('x')"),
        ("javascript", "const r = /eval\\('x'\\)/g, d = 4 / 2 / 1;"),
        ("javascript", "const t = `eval('x') ${1 + 1}`;"),
    ] {
        assert_eq!(deeds(language, code), [], "{code}");
    }
}

#[test]
fn an_effect_points_at_the_words_it_was_read_from() {
    let code = "import os\n# clean up\nos.remove('a.txt')\nprint(1)";
    let effects = read("python", code);
    let delete = effects.iter().find(|effect| effect.verb == Verb::Delete).unwrap();
    assert_eq!(delete.because.of(code), "os.remove('a.txt')");

    let code = "const fs = require('fs');\nfs.writeFileSync('out.txt', 'ä');\n";
    let effects = read("javascript", code);
    let write = effects.iter().find(|effect| effect.verb == Verb::Write).unwrap();
    assert_eq!(write.because.of(code), "fs.writeFileSync('out.txt', 'ä')");

    // Of code within code, the words that hold it.
    let code = "x = 1\nexec(\"import os; os.remove('a.txt')\")";
    let effects = read("python", code);
    let delete = effects.iter().find(|effect| effect.verb == Verb::Delete).unwrap();
    assert_eq!(delete.because.of(code), "exec(\"import os; os.remove('a.txt')\")");
}

#[test]
fn a_file_is_the_same_in_code_and_in_a_command() {
    let file = |verb, name: &str, place, sensitivity| {
        (verb, Target { kind: TargetKind::Path, name: name.into(), place, sensitivity })
    };
    for (language, code, expected) in [
        (
            "python",
            "open('a.txt', 'w')",
            file(Verb::Write, "/srv/shop/a.txt", Place::Tree, Sensitivity::None),
        ),
        (
            "python",
            "open('/etc/passwd', 'a')",
            file(Verb::Write, "/etc/passwd", Place::Machine, Sensitivity::System),
        ),
        (
            "python",
            "from pathlib import Path\n(Path.home() / '.ssh' / 'id_rsa').read_bytes()",
            file(Verb::Read, "~/.ssh/id_rsa", Place::Machine, Sensitivity::Credential),
        ),
        (
            "javascript",
            "require('fs').readFileSync(process.env.HOME + '/.ssh/id_rsa')",
            file(Verb::Read, "~/.ssh/id_rsa", Place::Machine, Sensitivity::Credential),
        ),
        (
            "javascript",
            "Deno.writeTextFile('a.txt', 'x')",
            file(Verb::Write, "/srv/shop/a.txt", Place::Tree, Sensitivity::None),
        ),
    ] {
        let found = deeds(language, code);
        assert!(
            found.iter().any(|(verb, target, ..)| (*verb, target) == (expected.0, &expected.1)),
            "{code}: {found:?}"
        );
    }
}

#[test]
fn what_cannot_be_followed_to_its_end_keeps_what_was_found() {
    for (language, code) in [
        ("python", "import os\nos.remove('a.txt')\nprint('x"),
        ("python", "import os\nos.remove('a.txt')\nprint((1)"),
        ("python", "import os\nos.remove('a.txt')\n'''x"),
        // A letter of several bytes right before the end.
        ("python", "import os\nos.remove('a.txt')\nf'{a[ۄ"),
        ("javascript", "require('fs').unlinkSync('a.txt'); 'ۄ"),
        ("javascript", "require('fs').unlinkSync('a.txt'); `x"),
        ("javascript", "require('fs').unlinkSync('a.txt'); f({"),
        ("javascript", "require('fs').unlinkSync('a.txt'); /* x"),
    ] {
        let effects = read(language, code);
        assert!(effects.iter().any(|effect| effect.verb == Verb::Delete), "{code}: {effects:?}");
        assert!(effects.iter().any(|effect| effect.verb == Verb::Opaque), "{code}: {effects:?}");
    }
}

#[test]
fn padding_does_not_hide_what_comes_after() {
    for (language, pad, deed) in [
        ("python", "x = [1, 2, 3]\n", "import os\nos.system('rm -rf ~/notes')\n"),
        ("python", "def f(a):\n    return f(a + 1)\n", "import os\nos.system('rm -rf ~/notes')\n"),
        ("javascript", "let x = {a: [1, 2]};\n", "require('child_process').execSync('rm -rf ~/notes')\n"),
        ("javascript", "f(a => a + 1);\n", "require('child_process').execSync('rm -rf ~/notes')\n"),
    ] {
        for count in [0, 10, 1_000, 50_000] {
            let code = format!("{}{deed}", pad.repeat(count));
            let decision = judge::tool(
                if language == "python" { "execute_code" } else { "run_javascript" },
                judge::object([("code", Json::from(code.as_str()))]),
                Some("/srv/shop"),
            );
            assert!(assessment(&decision).requires_human, "{count} of {pad:?} hide it");
        }
    }
}

#[test]
fn small_code_is_read_whole_however_its_functions_call_each_other() {
    let cut = |effects: &[Effect]| effects.iter().any(|effect| effect.manner.has(Manner::CUT));
    for depth in [4, 11, 12, 16, 40] {
        // Each function calls the next one twice: followed call by call, the last is followed 2^depth times.
        let calls: String =
            (0..depth).map(|i| format!("def f{i}(x):\n  f{}(x)\n  f{}(x)\n", i + 1, i + 1)).collect();
        let python = format!("import os\n{calls}def f{depth}(x):\n  os.remove(x)\nf0('notes.txt')\n");
        let calls: String =
            (0..depth).map(|i| format!("function f{i}(x) {{ f{}(x); f{}(x); }}\n", i + 1, i + 1)).collect();
        let javascript =
            format!("{calls}function f{depth}(x) {{ require('fs').rmSync(x); }}\nf0('notes.txt');\n");
        for (language, code) in [("python", python), ("javascript", javascript)] {
            let effects = read(language, &code);
            assert!(!cut(&effects), "{depth} functions in {language}: {effects:#?}");
            assert!(effects.iter().any(|effect| effect.verb == Verb::Delete), "{depth} in {language}");
        }
    }
}

#[test]
fn code_that_breaks_off_anywhere_has_an_answer() {
    let python = "lambda:lambda=\nf'{a[1:2]!r:>{b}}'\n@d(x)\ndef f(a=[1], *b: c, **d) -> e:\n  return lambda x=1: {x: [y for y in z if w]}\n\
                  a[b].c = d, e = f = (g := h) if i else j\nfor a, b[c] in d:\n  with e as f, g as (h, i): del j[k]\n";
    let javascript = "a=>b=>{c=`${d}${`e${f}`}`};class A extends B{static{x=/[/]/g}#y=1;get z(){return(a,b)=>{}}}\
                      for(const {a,[b]:c=d} of e)f?.[g]?.(h)??i;async function*j({k},[l]=m,...n){}";
    let pieces = [
        "",
        "=",
        "lambda:",
        "lambda:lambda=",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "=>",
        "`${",
        "f'{",
        ",",
        ":",
        "@",
    ];
    for (language, code) in [("python", python), ("javascript", javascript)] {
        for end in (0..=code.len()).filter(|end| code.is_char_boundary(*end)) {
            for piece in pieces {
                assert!(!read(language, &format!("{}{piece}", &code[..end])).is_empty());
            }
        }
    }
}

#[test]
fn code_that_opens_again_and_again_says_that_it_was_not_read() {
    for (language, unit) in [
        ("javascript", "=/[ "),
        ("javascript", "/* "),
        ("javascript", "`${/* "),
        ("python", "f'''{\"\"\"\\\""),
    ] {
        let effects = read(language, &unit.repeat(4_000));
        assert!(effects.iter().any(|effect| effect.verb == Verb::Opaque), "{unit} in {language}");
    }
}

/// Code that does something to `~` or `/etc` by a way that a reader could lose: each must ask.
#[test]
fn what_was_not_followed_is_not_taken_for_harmless() {
    let python = [
        "import os\ndel {}[os.system('rm -rf ~')]",
        "import os\nraise E from os.system('rm -rf ~')",
        "import os\nfor a[os.system('rm -rf ~')] in [1]: pass",
        "import os\ndef f(a: os.system('rm -rf ~')): pass",
        "import uuid\nuuid.os.system('rm -rf ~')",
        "from glob import os as o\no.system('rm -rf ~')",
        "from tempfile import _shutil as s\ns.rmtree('/etc')",
        "\u{feff}import os\nos.system('rm -rf ~')",
        "x = !rm -rf ~",
        "x = %sx rm -rf ~",
        "import os\n;os.system rm -rf ~",
        "get_ipython().system_piped('rm -rf ~')",
        "import os\n[*_, f] = 1, 2, os.system\nf('rm -rf ~')",
        "import os\ndef f(g=os.system): g('rm -rf ~')\nf()",
        "import os\nfor a, b in zip([os.system], ['rm -rf ~']): a(b)",
        "import os\nfor a, b in {'x': os.system}.items(): b('rm -rf ~')",
        "import json, os\njson.dumps = os.system\njson.dumps('rm -rf ~')",
        "import os\nglobals()['print'] = os.system\nprint('rm -rf ~')",
        "import os\nif 0:\n  import math as os\nos.system('rm -rf ~')",
        "class A:\n  def exec(x): pass\nexec(\"import os;os.system('rm -rf ~')\")",
        "from os import *\nexeclp('rm', 'rm', '-rf', '/etc')",
        "import os\nf = os.system.__call__\nf('rm -rf ~')",
        "import os\nos.__getattribute__('system')('rm -rf ~')",
    ];
    let javascript = [
        "a.in/require('child_process').execSync('rm -rf ~')/1",
        "var of=1;of/require('child_process').execSync('rm -rf ~')/1",
        "++/'/.x;require('child_process').execSync('rm -rf ~')//'",
        "x=`${{}/require('child_process').execSync('rm -rf ~')/1}`",
        "<!-- `\nrequire('child_process').execSync('rm -rf ~')//`",
        "1\n--> `\nrequire('child_process').execSync('rm -rf ~')//`",
        "const {[require('child_process').execSync('rm -rf ~')]: x} = {}",
        "for (require('child_process').execSync('rm -rf ~').x of [1]);",
        "for (const [a = require('child_process').execSync('rm -rf ~')] of [[]]);",
        "let = x => x; let(require('child_process').execSync('rm -rf ~'))",
        "var using = {}; using[require('child_process').execSync('rm -rf ~')]",
        "var interface = 1, X = 1\ninterface\nX\n{require('child_process').execSync('rm -rf ~')}",
        "{const eval = 1}; eval(\"require('child_process').execSync('rm -rf ~')\")",
        "globalThis['parseInt'] = require('child_process').execSync; parseInt('rm -rf ~')",
        "const {a: {execSync: e}} = {a: require('child_process')}; e('rm -rf ~')",
        "((g = require('child_process').execSync) => g('rm -rf ~'))()",
        "({...require('child_process')}).execSync('rm -rf ~')",
        "let e; ({execSync: e} = require('child_process')); e('rm -rf ~')",
        "const [, e] = [1, require('child_process').execSync]; e('rm -rf ~')",
        "const {'execSync': e} = require('child_process'); e('rm -rf ~')",
        "a = {get 1() {require('child_process').execSync('rm -rf ~')}}; a[1]",
    ];
    let mut passed = Vec::new();
    for (tool, codes) in [("execute_code", &python[..]), ("run_javascript", &javascript[..])] {
        for code in codes {
            let decision = judge::tool(tool, judge::object([("code", Json::from(*code))]), Some("/srv/shop"));
            if decision.verdict == Verdict::Allow {
                passed.push(*code);
            }
        }
    }
    assert!(passed.is_empty(), "let pass:\n{}", passed.join("\n\n"));
}

/// Ordinary code, each with something that a careful reader must know as harmless.
#[test]
fn ordinary_code_goes_on() {
    let python = [
        "import numpy as np\nx: list[int] = [1]\ndef f(a: dict[str, int] = {}, *b: int) -> tuple[int, ...]:\n  return (a, b)\nprint(f())",
        "class A:\n  def __init__(self, path):\n    self.open = path\n  def run(self):\n    return [x for x, (y, z) in enumerate(self.open) if (x, y)]\nprint(A('x').run())",
        "import matplotlib.pyplot as plt\n%matplotlib inline\nfig, (a, b) = plt.subplots(1, 2)\na.plot([1, 2], [3, 4])\nplt.show()",
        "try:\n  print(A.__mro__ and 1)\nexcept (ValueError, KeyError) as e:\n  raise RuntimeError('x') from e",
        "with (open('a.txt') as f, open('b.txt') as g):\n  print(f.read() + g.read())",
        "match x:\n  case {'a': [b, *c]}: print(b)\n  case (d, e): print(d)",
        "rows = sorted(rows, key=lambda row: (row[0], -row[1]))\ndel rows[0], rows[1:]\nprint(f\"{len(rows):>{10}} {rows[0]['a']!r}\")",
    ];
    let javascript = [
        "if (!/re/.test(x)) { console.log(a / b / c, x.match(/[/]/g)) }",
        "for (const [k, v] of Object.entries({a: 1})) console.log(k, v);",
        "class A extends B { #x = 1; static { this.y = (1); } get z() { return [this.#x]; } async *m({a, b: [c]} = {}, ...d) { yield c; } }",
        "const f = async ({a = 1, b: {c}}, [d, e] = []) => { const {g, [a]: h, ...i} = await import('./x.js'); return (g, h); };",
        "interface P { a(x: string): void; b: (y: number[]) => string }\ntype F = (a: string, b?: number[]) => void;\nfunction g<T>(x: T[], y: Map<string, (z: T) => void>): T { return x[0] }",
        "while (n-- > 0) { let [a, b] = pair(n); try { a(b) } catch ({message}) { console.error(message) } }",
        "const s = `${a ? `${b}` : (c)} ${[1, 2].map((x) => x * 2)}`;",
    ];
    let mut asked = Vec::new();
    for (language, codes) in [("python", &python[..]), ("javascript", &javascript[..])] {
        for code in codes {
            let why = read(language, code).into_iter().filter(|effect| effect.verb == Verb::Opaque);
            asked.extend(why.map(|effect| format!("{code}\n  {}", effect.sentence())));
        }
    }
    assert!(asked.is_empty(), "cannot be read:\n{}", asked.join("\n\n"));
}
