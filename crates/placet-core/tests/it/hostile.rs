//! Growing hostile inputs: four times the input never takes much more than four times as long.
//!
//! Each input is judged at growing sizes and each time is compared with that of a quarter of the size. Linear
//! work gives a ratio of about 4, quadratic work one of 16. Times below the floor are too short to say anything.

mod shapes;

use std::time::Duration;

use placet_core::{
    Json, Redactor,
    effect::{Pointer, Verb, shell, sql},
    json::Object,
};
use rustix::time::{ClockId, clock_gettime};

use self::shapes::{Input, Reader, SHAPES};
use crate::judge;

/// Quadratic work would give 16.
const RATIO_MAX: f64 = 10.0;
/// Shorter times are counted as this long.
const FLOOR: Duration = Duration::from_millis(4);
/// The same for inputs that multiply by what they are: within the budget of one call they may grow as they like.
const FLOOR_OF_MULTIPLYING: Duration = Duration::from_millis(400);
/// The same for functions that are called again and again, within a budget of their own.
const FLOOR_OF_FOLLOWING: Duration = Duration::from_millis(50);
/// The same for masking, which looks at a long word more closely than at a short one: that is one step, not a slope.
const FLOOR_OF_MASKING: Duration = Duration::from_millis(12);
/// Only a guard against hanging; nothing comes near it.
const CAP: Duration = Duration::from_secs(20);
/// Sizes in units of an input; the largest are some hundred kilobytes.
const SIZES: [usize; 5] = [128, 512, 2_048, 8_192, 32_768];
/// A slow answer is asked for again: other tests run at the same time, and leave less of the caches.
const TRIES: usize = 5;

/// Judges `make(size)` at growing sizes and fails with `name` where time grows too fast.
fn check<T>(
    name: &str,
    floor: Duration,
    make: impl Fn(usize) -> T,
    judge: impl Fn(&T),
) -> Result<(), String> {
    let time = |input: &T| {
        let start = spent();
        judge(input);
        spent() - start
    };
    let mut before: Option<(T, Duration)> = None;
    for size in SIZES {
        let input = make(size);
        let mut now = time(&input);
        if let Some((quarter, quarter_time)) = &mut before {
            let ratio = |now: Duration, before: Duration| now.as_secs_f64() / before.max(floor).as_secs_f64();
            for _ in 1..TRIES {
                if ratio(now, *quarter_time) < RATIO_MAX {
                    break;
                }
                now = now.min(time(&input));
                *quarter_time = (*quarter_time).min(time(quarter));
            }
            if ratio(now, *quarter_time) >= RATIO_MAX {
                return Err(format!("{name}: {} took {quarter_time:?}, {size} took {now:?}", size / 4));
            }
        }
        if now > CAP {
            return Err(format!("{name}: {size} took {now:?}"));
        }
        before = Some((input, now));
    }
    Ok(())
}

/// What this thread has had of a processor: other tests run at the same time, and take none of that.
fn spent() -> Duration {
    let spent = clock_gettime(ClockId::ThreadCPUTime);
    Duration::from_secs(spent.tv_sec.unsigned_abs()) + Duration::from_nanos(spent.tv_nsec.unsigned_abs())
}

type Named = (&'static str, fn(usize) -> String);

/// Checks every input of a table as a shell command, and says which ones failed.
fn check_commands(floor: Duration, inputs: &[Named]) {
    let failures: Vec<String> = inputs
        .iter()
        .filter_map(|(name, make)| {
            check(name, floor, make, |command| {
                judge::command(command);
            })
            .err()
        })
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// `before` so many times, then `middle`, then `after` as often.
fn nested(before: &str, middle: &str, after: &str, count: usize) -> String {
    format!("{}{middle}{}", before.repeat(count), after.repeat(count))
}

#[test]
fn nesting_is_never_quadratic() {
    check_commands(
        FLOOR,
        &[
            ("open (", |n| "(".repeat(n)),
            ("nested ( )", |n| nested("(", "ls", ")", n)),
            ("open {", |n| "{ ".repeat(n)),
            ("nested { }", |n| nested("{ ", "ls", "; }", n)),
            ("open $(", |n| "$(".repeat(n)),
            ("nested $( )", |n| nested("echo $(", "ls", ")", n)),
            ("quoted nested $( )", |n| nested("echo \"$(", "ls", ")\"", n)),
            ("open `", |n| "`".repeat(n + 1)),
            ("escaped `", |n| format!("`{}`", "\\`echo ".repeat(n))),
            ("doubling escapes in `", |n| {
                let depth = (n.ilog2() as usize).min(14);
                (0..depth).rev().fold("ls".to_owned(), |inner, _| {
                    format!("`echo {}`", inner.replace('\\', "\\\\").replace('`', "\\`"))
                })
            }),
            ("open ${a:-", |n| format!("echo {}", "${a:-".repeat(n))),
            ("nested ${a:-}", |n| format!("echo {}", nested("${a:-", "x", "}", n))),
            ("quoted ${a:-}", |n| format!("echo {}", nested("\"${a:-", "x", "}\"", n))),
            ("open ((", |n| "((".repeat(n)),
            ("open $((", |n| format!("echo {}", "$((".repeat(n))),
            ("nested $(( ))", |n| format!("echo {}", nested("$((", "1", "))", n))),
            ("(( that are subshells", |n| nested("((", "ls", ") )", n)),
            ("many (( that fail", |n| "((a) \n".repeat(n)),
            ("many $(( that fail", |n| "echo $((a) \n".repeat(n)),
            ("open $[", |n| format!("echo {}", "$[".repeat(n))),
            ("open <(", |n| format!("cat {}", "<(".repeat(n))),
            ("open @(", |n| format!("ls {}", "@(".repeat(n))),
            ("open [[", |n| format!("[[ {}", "( ".repeat(n))),
            ("nested if", |n| nested("if true; then ", "ls", "; fi", n)),
            ("open if", |n| "if ".repeat(n)),
            ("nested while", |n| nested("while true; do ", "ls", "; done", n)),
            ("nested case", |n| nested("case x in x) ", "ls", ";; esac", n)),
            ("nested functions", |n| nested("f() { ", "ls", "; }", n)),
            ("nested arrays", |n| "a=(".repeat(n)),
        ],
    );
}

#[test]
fn length_is_never_quadratic() {
    check_commands(
        FLOOR,
        &[
            ("pipes", |n| vec!["cat"; n].join(" | ")),
            ("pipes of data", |n| format!("echo {} {}", "x".repeat(n), "| tr a b".repeat(n))),
            ("&&", |n| vec!["ls a"; n].join(" && ")),
            ("&& ||", |n| vec!["ls && false"; n].join(" || ")),
            ("deletions", |n| vec!["rm a"; n].join("; ")),
            ("background", |n| "ls & ".repeat(n)),
            ("single quotes", |n| format!("echo {}", "'a'".repeat(n))),
            ("one open single quote", |n| format!("echo {}'", "'a' ".repeat(n))),
            ("double quotes", |n| format!("echo {}", "\"a\"".repeat(n))),
            ("alternating quotes", |n| format!("echo {}", "'a'\"b\"c\\d".repeat(n))),
            ("ANSI-C quotes", |n| format!("echo {}", "$'\\x41'".repeat(n))),
            ("dollars", |n| format!("echo {}", "$".repeat(n))),
            ("variables", |n| format!("echo {}", "$a".repeat(n))),
            ("backslashes", |n| format!("echo {}", "\\".repeat(n))),
            ("line continuations", |n| format!("echo {}", "\\\n".repeat(n))),
            ("comments", |n| "# rm -rf /\n".repeat(n)),
            ("hashes", |n| "a#".repeat(n)),
            ("new lines", |n| "\n".repeat(n)),
            ("blanks", |n| " ".repeat(n)),
            ("carriage returns", |n| "ls\r\n".repeat(n)),
            ("one long word", |n| "x".repeat(8 * n)),
            ("long paths", |n| format!("rm {}", "a/".repeat(n))),
            ("paths that climb", |n| format!("rm {}", "a/../".repeat(n))),
            ("globs in a path", |n| format!("rm {}", "/*".repeat(n))),
            ("stars", |n| format!("rm {}", "*".repeat(n))),
            ("glob classes", |n| format!("rm {}", "[a".repeat(n))),
            ("many paths", |n| format!("rm {}", "a/b ".repeat(n))),
            ("many globs", |n| format!("rm {}", "a/* ".repeat(n))),
            ("many options", |n| format!("rm {}", "-r ".repeat(n))),
            ("one long option", |n| format!("rm -{}", "r".repeat(n))),
            ("many files of cat", |n| format!("cat {}", "a ".repeat(n))),
            ("git options", |n| format!("git {} status", "-c a=b ".repeat(n))),
            ("find expressions", |n| format!("find . {}", "-name a -o ".repeat(n))),
            ("find -exec", |n| format!("find . {}", "-exec ls {} ; ".repeat(n))),
            ("braces", |n| format!("echo {}", "{a,b}".repeat(n))),
            ("one wide brace", |n| format!("rm {{{}}}", "a,".repeat(n))),
            ("open braces", |n| format!("echo {}", "{a,".repeat(n))),
            ("nested braces", |n| format!("echo {}", nested("{a,", "b", "}", n))),
            ("brace ranges", |n| format!("echo {}", "{1..9}".repeat(n))),
            ("a huge brace range", |n| format!("rm {{1..{n}000000}}")),
            ("redirections", |n| format!("ls {}", "> a ".repeat(n))),
            ("input redirections", |n| format!("cat {}", "< a ".repeat(n))),
            ("descriptors", |n| format!("ls {}", "2>&1 ".repeat(n))),
            ("here-strings", |n| format!("cat {}", "<<< a ".repeat(n))),
            ("here-documents", |n| "cat <<E\nx\nE\n".repeat(n)),
            ("here-documents of one line", |n| format!("cat {}\n{}", "<<E ".repeat(n), "E\n".repeat(n))),
            ("here-documents without an end", |n| "cat <<E\n".repeat(n)),
            ("here-documents announced, none ended", |n| format!("{}\n", "cat <<E; ".repeat(n))),
            ("here-documents with distinct ends", |n| (0..n).map(|i| format!("cat <<E{i}\n")).collect()),
            ("a long here-document", |n| format!("cat <<E\n{}E\n", "a line $a\n".repeat(n))),
            ("a here-document of almost-ends", |n| format!("cat <<E\n{}E\n", "E \n".repeat(n))),
        ],
    );
}

#[test]
fn following_is_never_quadratic() {
    check_commands(
        FLOOR,
        &[
            ("assignments", |n| (0..n).map(|i| format!("a{i}={i}; ")).collect()),
            ("one name assigned again", |n| "a=b; ".repeat(n)),
            ("assignments before a command", |n| format!("{}ls", "a=b ".repeat(n))),
            ("stripping a long value", |n| format!("a={}; echo ${{a##*x*x*x*y}}", "x".repeat(n))),
            ("if chains", |n| format!("if a; then b; {} fi", "elif a; then b; ".repeat(n))),
            ("case arms", |n| format!("case x in {} esac", "a) ls;; ".repeat(n))),
            ("loops over many words", |n| format!("for i in {}; do rm $i; done", "a ".repeat(n))),
            ("sh -c in sh -c", |n| format!("{}ls", "sh -c 'sh -c ".repeat(n))),
            ("sh -c with escaped quotes", |n| {
                let depth = (n.ilog2() as usize).min(9);
                (0..depth)
                    .fold("ls".to_owned(), |inner, _| format!("sh -c '{}'", inner.replace('\'', "'\\''")))
            }),
            ("eval of eval", |n| format!("{}ls", "eval ".repeat(n))),
            ("deep scripts in deep scripts", |n| {
                // Each here-document is a script of its own, as deep as a script may be.
                let level = n.min(40);
                let open: String = (0..level).map(|i| format!("{}bash <<'E{i}'\n", "(".repeat(30))).collect();
                let close: String = (0..level).rev().map(|i| format!("\nE{i}\n{}", ")".repeat(30))).collect();
                format!("{open}ls{close}")
            }),
            ("xargs chains", |n| format!("ls | {}rm", "xargs ".repeat(n))),
            ("piped xargs", |n| format!("ls {}", "| xargs echo ".repeat(n))),
            ("sudo chains", |n| format!("{}ls", "sudo ".repeat(n))),
            ("env chains", |n| format!("{}ls", "env A=b ".repeat(n))),
            ("timeout chains", |n| format!("{}ls", "timeout 5 ".repeat(n))),
            ("nohup chains", |n| format!("{}ls", "nohup nice ".repeat(n))),
            ("find -exec chains", |n| format!("{}ls", "find . -exec ".repeat(n))),
            ("docker exec chains", |n| format!("{}ls", "docker exec web ".repeat(n))),
            ("npx chains", |n| format!("{}ls", "npx ".repeat(n))),
            ("command chains", |n| format!("{}ls", "command builtin exec ".repeat(n))),
            ("busybox chains", |n| format!("{}ls", "busybox ".repeat(n))),
            ("bash -c chains", |n| format!("{}ls", "bash -c ".repeat(n))),
            ("git aliases", |n| format!("{}status", "git -c alias.a=!ls a ".repeat(n))),
            ("watch chains", |n| format!("{}ls", "watch ".repeat(n))),
            ("ssh chains", |n| format!("{}ls", "ssh host ".repeat(n))),
            ("files written and read", |n| (0..n).map(|i| format!("echo ls > f{i}; sh f{i}; ")).collect()),
            ("one file that grows", |n| format!("{} sh f", "echo ls >> f; ".repeat(n))),
            ("tee chains", |n| format!("echo ls {}", "| tee f ".repeat(n))),
            ("decoders", |n| format!("echo {} {} | sh", "QUFB".repeat(n), "| base64 -d ".repeat(n))),
            ("one long decoding", |n| format!("echo {} | base64 -d | sh", "bHM7".repeat(n))),
            ("sed scripts", |n| format!("sed {}", "-e s/a/b/ ".repeat(n))),
            ("awk code", |n| format!("awk '{}'", "{ system(\"ls\") } ".repeat(n))),
            ("python code", |n| format!("python3 -c '{}'", "os.system(\"ls\");".repeat(n))),
            ("python brackets", |n| format!("python3 -c '{}'", "f(".repeat(n))),
            ("statements", |n| format!("psql -c '{}'", "DELETE FROM t; ".repeat(n))),
            ("curl addresses", |n| format!("curl {}", "https://a.example/ ".repeat(n))),
            ("cd chains", |n| "cd a; ".repeat(n)),
            ("set --", |n| format!("set -- {}; {}", "a ".repeat(n), "shift; ".repeat(n))),
            ("traps", |n| "trap 'ls' EXIT; ".repeat(n)),
            ("Windows scripts", |n| format!("Remove-Item a; {}", "Remove-Item a -Recurse; ".repeat(n))),
            ("Windows quotes", |n| format!("Get-Item {}", "'\"".repeat(n))),
        ],
    );
}

#[test]
fn multiplying_inputs_are_bounded() {
    check_commands(
        FLOOR_OF_MULTIPLYING,
        &[
            ("a value that grows", |n| "a=$a$a; ".repeat(n)),
            ("a value that grows by +=", |n| format!("{}echo $a", "a+=xxxxxxxx; ".repeat(n))),
            ("a long value used often", |n| format!("a={}; {}", "x".repeat(n), "echo $a; ".repeat(n))),
            ("a long value in one word", |n| format!("a={}; echo {}", "x".repeat(n), "$a".repeat(n))),
            ("a wide array used often", |n| {
                format!("a=({}); {}", "x ".repeat(n), "echo ${a[@]}; ".repeat(n))
            }),
            ("replacing in a long value", |n| {
                format!("a={}; {}", "x".repeat(n), "echo ${a//x/yy}; ".repeat(n / 64))
            }),
            ("subshells with many variables", |n| {
                format!(
                    "{} {}",
                    (0..n).map(|i| format!("a{i}={i}; ")).collect::<String>(),
                    "(ls); ".repeat(n)
                )
            }),
            ("functions that call functions twice", |n| {
                let calls: String =
                    (1..n).map(|i| format!("f{i}() {{ f{}; f{}; }}; ", i - 1, i - 1)).collect();
                format!("f0() {{ ls; }}; {calls} f{}", n - 1)
            }),
            ("a function that calls itself twice", |n| format!("f() {{ f; f; }}; {}", "f; ".repeat(n))),
            ("a long function called often", |n| {
                format!("f() {{ {} }}; {}", "ls; ".repeat(n), "f; ".repeat(n))
            }),
            ("aliases of aliases", |n| {
                (1..n).map(|i| format!("alias a{i}='a{}; a{}'; ", i - 1, i - 1)).collect()
            }),
            ("loops in loops", |n| {
                let depth = n.ilog2() as usize;
                nested("for i in 1 2 3 4 5 6 7 8; do ", "rm a", "; done", depth)
            }),
            ("eval of a long value, often", |n| {
                format!("a='{}'; {}", "ls; ".repeat(n), "eval $a; ".repeat(n))
            }),
        ],
    );
}

#[test]
fn statements_are_never_quadratic() {
    let inputs: &[Named] = &[
        ("many statements", |n| "DELETE FROM t WHERE a = 1; ".repeat(n)),
        ("many drops", |n| "DROP TABLE t; ".repeat(n)),
        ("open comments", |n| "/*".repeat(n)),
        ("comments", |n| "/* a */".repeat(n)),
        ("line comments", |n| "-- a\n".repeat(n)),
        ("open quotes", |n| "'".repeat(n + 1)),
        ("strings", |n| format!("SELECT {}", "'a',".repeat(n))),
        ("dollar quotes", |n| "$a$ ".repeat(n)),
        ("distinct dollar quotes", |n| (0..n).map(|i| format!("$a{i}$ ")).collect()),
        ("brackets", |n| "SELECT (".repeat(n)),
        ("WITH", |n| "WITH a AS (DELETE FROM t) ".repeat(n)),
        ("db.", |n| "db.a.drop();".repeat(n)),
        ("db. brackets", |n| format!("db.a.deleteMany({}", "{".repeat(n))),
        ("keys", |n| format!("DEL {}", "a ".repeat(n))),
        ("lines", |n| "DEL a\n".repeat(n)),
    ];
    let mut failures = Vec::new();
    for (name, make) in inputs {
        for language in [sql::Language::Sql, sql::Language::Mongo, sql::Language::Redis] {
            let name = format!("{name} as {language:?}");
            failures.extend(check(&name, FLOOR, make, |text| drop(sql::read(language, text))).err());
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn code_is_never_quadratic() {
    let python: &[Named] = &[
        ("calls", |n| "os.system('ls')\n".repeat(n)),
        ("open brackets", |n| "f(".repeat(n)),
        ("nested lists", |n| nested("[", "1", "]", n)),
        ("nested calls", |n| nested("f(", "x", ")", n)),
        ("operators", |n| format!("x = a{}", " + a".repeat(n))),
        ("unary", |n| format!("x = {}a", "not ".repeat(n))),
        ("conditions", |n| format!("x = a{}", " if a else a".repeat(n))),
        ("members", |n| format!("x{}", ".y".repeat(n))),
        ("call chain", |n| format!("x{}", ".y()".repeat(n))),
        ("assignment chain", |n| format!("{}1", "a = ".repeat(n))),
        ("doubling", |n| format!("a = 'x'\n{}", "a = a + a\n".repeat(n))),
        ("growing list", |n| format!("a = []\n{}", "a.append('x')\n".repeat(n))),
        ("growing tuple of itself", |n| format!("a = 1\n{}", "a = (a, a)\n".repeat(n))),
        ("alternatives", |n| format!("a = 'x'\n{}", "if b: a = a + 'y'\n".repeat(n))),
        ("functions", |n| (0..n).map(|i| format!("def f{i}(x): return g(x)\n")).collect()),
        ("functions calling two others", |n| {
            (0..n).map(|i| format!("def f{i}(x):\n  f{}(x); f{}(x)\n", i + 1, i + 1)).collect::<String>()
                + "f0(1)\n"
        }),
        ("one function called often", |n| format!("def f(x):\n  os.remove(x)\n{}", "f('a')\n".repeat(n))),
        ("nested functions", |n| (0..n.min(600)).map(|i| format!("{}def f(x):\n", " ".repeat(i))).collect()),
        ("nested loops", |n| {
            let deep = n.min(600);
            let loops: String = (0..deep).map(|i| format!("{}for a in b:\n", " ".repeat(i))).collect();
            loops + &" ".repeat(deep) + &"a = 1; ".repeat(n)
        }),
        ("lambdas", |n| format!("x = {}1", "lambda: ".repeat(n))),
        ("f-strings", |n| "f'{a}{b!r:>{c}}'\n".repeat(n)),
        ("nested f-strings", |n| nested("f'{", "x", "}'", n)),
        ("open f-strings", |n| "f\"\"\"{".repeat(n)),
        ("open strings", |n| "'''".repeat(n) + "\n"),
        ("strings side by side", |n| format!("x = {}", "'a' ".repeat(n))),
        ("backslashes", |n| format!("x = '{}'", "\\x41".repeat(n))),
        ("nested comprehensions", |n| nested("[", "x", " for x in y]", n)),
        ("many comprehensions", |n| "[x for x in y if x]\n".repeat(n)),
        ("imports", |n| "import os as o, sys as s\n".repeat(n)),
        ("names", |n| (0..n).map(|i| format!("a{i} = 'x'\n")).collect()),
        ("code in code", |n| format!("exec('''{}''')", "exec(\"x\")\n".repeat(n))),
        ("loops", |n| "while a:\n  b = 1\n".repeat(n)),
        ("decorators", |n| "@a.b(c)\n".repeat(n) + "def f(): pass\n"),
        ("a name that leads back to itself", |n| "a.m = b.m\na.m = c.m\nd.m()\n".repeat(n)),
        ("names that lead to names", |n| {
            (0..n).map(|i| format!("a.m{i} = b.m{}\na.m{i} = c.m{}\n", i + 1, i + 1)).collect::<String>()
                + "d.m0()\n"
        }),
        ("equal alternatives", |n| "a.m = [b, {'c': 'd'}]\nprint(e.m)\n".repeat(n)),
    ];
    let javascript: &[Named] = &[
        ("calls", |n| "require('fs').readFileSync('a');\n".repeat(n)),
        ("open braces", |n| "{".repeat(n)),
        ("nested braces", |n| nested("{", "x", "}", n)),
        ("nested objects", |n| format!("x = {}", nested("{a:", "1", "}", n))),
        ("arrows", |n| format!("f = {}1", "a => ".repeat(n))),
        ("arrows in brackets", |n| format!("f = {}1", "(a) => ".repeat(n))),
        ("nested arrows", |n| nested("f(a => ", "1", ")", n)),
        ("templates", |n| "`a${b}c`;".repeat(n)),
        ("nested templates", |n| nested("`${", "x", "}`", n)),
        ("open templates", |n| "`${".repeat(n)),
        ("open comments", |n| "/*".repeat(n)),
        ("slashes", |n| "a /b/ c;".repeat(n)),
        ("regular expressions", |n| "x = /[/]a/g;".repeat(n)),
        ("ternaries", |n| format!("x = {}1", "a ? b : ".repeat(n))),
        ("assignments", |n| format!("{}1", "a = ".repeat(n))),
        ("classes", |n| nested("class A { static {", "x", "} }", n)),
        ("types", |n| "f<A, B<C>>(x);".repeat(n)),
        ("less than", |n| format!("x = a{}", " < a".repeat(n))),
        ("promises", |n| format!("f(){}", ".then(x => x.y)".repeat(n))),
        ("doubling", |n| format!("let a = 'x';{}", "a += a;".repeat(n))),
    ];
    let mut failures = Vec::new();
    for (language, inputs) in [("python", python), ("javascript", javascript)] {
        for (name, make) in inputs {
            let name = format!("{name} in {language}");
            let read = |code: &String| {
                drop(shell::interpret_code(language, code, Pointer::root(), Some("/srv/shop")));
            };
            failures.extend(check(&name, FLOOR_OF_FOLLOWING, make, read).err());
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn arguments_are_never_quadratic() {
    type Args = fn(usize) -> Object;
    let inputs: &[(&str, &str, Args)] = &[
        ("a command of many words", "bash", |n| {
            judge::object([("command", Json::from(vec![Json::from("rm"); n]))])
        }),
        ("many files", "read_many_files", |n| {
            judge::object([("paths", Json::from(vec![Json::from("a/b"); n]))])
        }),
        ("files to delete", "delete_files", |n| {
            judge::object([("paths", Json::from(vec![Json::from("a"); n]))])
        }),
        ("deep arguments", "bash", |n| {
            let deep = (0..n.min(2_000)).fold(Json::Null, |inner, _| Json::from(vec![inner]));
            judge::object([("command", deep)])
        }),
        ("deep arguments of an unknown tool", "unheard_of", |n| {
            let deep =
                (0..n.min(2_000)).fold(Json::Null, |inner, _| Json::Object(judge::object([("a", inner)])));
            judge::object([("a", deep)])
        }),
        ("many arguments", "bash", |n| {
            Object::from_pairs((0..n).map(|i| (format!("a{i}"), Json::Null))).expect("the keys differ")
        }),
        ("many edits", "MultiEdit", |n| {
            let edit = Json::Object(judge::object([
                ("old_string", Json::from("a")),
                ("new_string", Json::from("b")),
            ]));
            judge::object([("file_path", Json::from("a.rs")), ("edits", Json::from(vec![edit; n]))])
        }),
        ("a long file", "write_file", |n| {
            judge::object([("path", Json::from("a.sh")), ("content", Json::from("ls -la\n".repeat(n)))])
        }),
        ("a long path", "write_file", |n| {
            judge::object([("path", Json::from("../a/".repeat(n))), ("content", Json::from(""))])
        }),
        ("a patch of many files", "apply_patch", |n| {
            let files: String = (0..n).map(|i| format!("*** Delete File: f{i}\n")).collect();
            judge::object([("patch", Json::from(format!("*** Begin Patch\n{files}*** End Patch\n")))])
        }),
        ("a diff of many hunks", "apply_diff", |n| {
            let hunks = "@@ -1,1 +1,1 @@\n-a\n+b\n".repeat(n);
            judge::object([("diff", Json::from(format!("--- a/f\n+++ b/f\n{hunks}")))])
        }),
    ];
    let failures: Vec<String> = inputs
        .iter()
        .filter_map(|(name, tool, make)| {
            check(name, FLOOR, make, |args| drop(judge::tool(tool, args.clone(), Some("/srv/shop")))).err()
        })
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn code_in_commands_in_code_is_bounded() {
    let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    // Each level stands deep in brackets, and starts the next one twice.
    let mut code = "print(1)".to_owned();
    for _ in 0..9 {
        let command = hex(&format!("python3 -c '{code}'"));
        let start = format!("os.system(bytes.fromhex(\"{command}\").decode())");
        code = format!("import os\n{}{start}{}\n", "[".repeat(30), "]".repeat(30));
    }
    let start = spent();
    let effects = shell::interpret_code("python", &code, Pointer::root(), None);
    assert!(effects.iter().any(|effect| effect.verb == Verb::Opaque), "nothing says that it goes deeper");
    assert!(spent() - start < CAP);

    let code =
        "c = 'x = 1'\n".to_owned() + &"c = 'exec(%r)\\n' % c * 8\n".repeat(3) + &"exec(c)\n".repeat(2_000);
    shell::interpret_code("python", &code, Pointer::root(), None);
    let code = format!("c = '{}'\n{}", "x = 1;".repeat(8_000), "exec(c)\n".repeat(20_000));
    shell::interpret_code("python", &code, Pointer::root(), None);
    let code = format!("import os\nc = '{}'\n{}", "ls; ".repeat(12_000), "os.system(c)\n".repeat(20_000));
    shell::interpret_code("python", &code, Pointer::root(), None);
    assert!(spent() - start < CAP);
}

#[test]
fn masking_is_never_quadratic() {
    let inputs: &[Named] = &[
        ("names without values", |n| "password=".repeat(n)),
        ("names with paths", |n| "password=/a/".repeat(n)),
        ("names in quotes", |n| "password=\"".repeat(n)),
        ("names in quotes of both kinds", |n| "token=\"token='".repeat(n)),
        ("names behind slashes", |n| "pw=\\\\\\\"".repeat(n)),
        ("dotted names", |n| format!("{}password=hunter2x", "a.".repeat(n))),
        ("secrets, all different", |n| (0..n).map(|i| format!("password=s3same-{i}\n")).collect()),
        ("secrets, all equal", |n| "password=s3same-77\n".repeat(n)),
        ("secrets in one line", |n| (0..n).map(|i| format!("password=s3same-{i} ")).collect()),
        ("headers", |n| "authorization:".repeat(n)),
        ("headers with gaps", |n| "authorization:<".repeat(n)),
        ("cookies", |n| format!("cookie: {}", "a=b; ".repeat(n))),
        ("names of cookies", |n| "cookie:a=".repeat(n)),
        ("addresses", |n| "a://a:".repeat(n)),
        ("addresses with signs", |n| "a://@".repeat(n)),
        ("keys without an end", |n| "-----BEGIN PRIVATE KEY-----".repeat(n)),
        ("keys without a body", |n| "-----BEGIN PRIVATE KEY-----!".repeat(n)),
        ("parts of tokens", |n| "eyJhbGciOiJIUzI1NiJ9.".repeat(n)),
        ("beginnings of tokens", |n| "eyJ".repeat(n)),
        ("beginnings of formats", |n| "ghp_glpat-xoxb-sk-".repeat(n)),
        ("letters of a format", |n| format!("glpat-{}", "glpat-".repeat(n))),
        ("manifests", |n| "a kind: Secret\n data:\n".repeat(n)),
        ("programs", |n| "curl -u a:b ".repeat(n)),
        ("programs in quotes", |n| "mysql -p'".repeat(n)),
        ("escapes", |n| "%41%3D".repeat(n)),
        ("escapes apart", |n| "%41 ".repeat(n)),
        ("one long word", |n| "aB3+".repeat(n)),
        ("long words", |n| "aB3dE5gH7jK9mN1pQ3sT5vW7 ".repeat(n)),
        ("base64 of base64", |n| "Y0dGemMzZHZjbVE5YUhWdWRHVnlNbmc9".repeat(n)),
        ("masks", |n| "password=«password»".repeat(n)),
        ("signs of masks", |n| "password=«".repeat(n)),
        ("comparisons", |n| "\"a\" == password ".repeat(n)),
        ("elements", |n| "<password>".repeat(n)),
        ("brackets", |n| format!("password={}", ")".repeat(n))),
    ];
    let personal = Redactor::default().with_personal();
    let failures: Vec<String> = inputs
        .iter()
        .filter_map(|(name, make)| {
            check(name, FLOOR_OF_MASKING, make, |text| drop(personal.redact(text).into_owned())).err()
        })
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn words_of_a_life_in_danger_are_never_sought_quadratically() {
    let inputs: &[Named] = &[
        ("mentions", |size| "suicide ".repeat(size)),
        ("mentions in the news", |size| "suicide news ".repeat(size)),
        ("idioms", |size| "suicide squad ".repeat(size)),
        ("far from the news", |size| format!("{}{}", "news ".repeat(size), "suicide ".repeat(size))),
        ("beginnings", |size| "want ".repeat(size)),
        ("gaps", |size| "want hurt ".repeat(size)),
        ("one letter", |size| "k".repeat(size)),
        ("letters apart", |size| "k i l l ".repeat(size)),
        ("tags", |size| "<b".repeat(size)),
        ("entities", |size| "&#".repeat(size)),
        ("escapes", |size| "\\u".repeat(size)),
        ("marks", |size| "e\u{301}\u{301}".repeat(size)),
        ("two alphabets", |size| "kиll".repeat(size)),
        ("look-alikes", |size| "ехо ".repeat(size)),
        ("no spaces", |size| "死".repeat(size)),
    ];
    let failures: Vec<String> = inputs
        .iter()
        .filter_map(|(name, make)| {
            let judge = |text: &String| {
                placet_core::crisis::in_text(text);
            };
            check(name, FLOOR, make, judge).err()
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Checks those of the common shapes that are for a reader of this kind.
fn check_shapes(floor: Duration, of: impl Fn(Reader) -> bool) {
    // A unit of a shape is some eight bytes long, as those of the tables above are.
    const BYTES: usize = 8;
    let chosen: Vec<_> = SHAPES.iter().filter(|shape| of(shape.reader)).collect();
    assert!(!chosen.is_empty(), "no shape is for that reader");
    let failures: Vec<String> = chosen
        .iter()
        .filter_map(|shape| {
            let name = format!("{} for {:?}", shape.name, shape.reader);
            check(&name, floor, |units| shape.input(units * BYTES), Input::read).err()
        })
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn shapes_of_code_are_never_quadratic() {
    check_shapes(FLOOR_OF_FOLLOWING, |reader| {
        matches!(reader, Reader::Call("run_javascript" | "execute_code", _))
    });
}

#[test]
fn shapes_of_commands_are_never_quadratic() {
    check_shapes(FLOOR_OF_FOLLOWING, |reader| matches!(reader, Reader::Call("terminal" | "powershell", _)));
}

#[test]
fn shapes_of_other_arguments_are_never_quadratic() {
    check_shapes(FLOOR_OF_FOLLOWING, |reader| {
        matches!(reader, Reader::Call(tool, _)
            if !matches!(tool, "terminal" | "powershell" | "run_javascript" | "execute_code"))
    });
}

#[test]
fn shapes_of_texts_are_never_quadratic() {
    check_shapes(FLOOR_OF_MASKING, |reader| {
        matches!(reader, Reader::Json | Reader::Secrets | Reader::Crisis)
    });
}
