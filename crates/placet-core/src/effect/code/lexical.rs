//! What a piece of Python, JavaScript, Perl, Ruby or PHP calls, read by its words.
//!
//! Strings and comments are told apart from code, calls are found by name, and their literal arguments are
//! kept. Commands that the code would hand to a shell are given back as such.

/// What code would do.
#[derive(Debug, Default)]
pub struct CodeReading {
    /// In the order they stand.
    pub uses: Vec<Use>,
    /// Decodes something and runs it.
    pub decodes_and_runs: bool,
    /// Fetches something and runs it.
    pub fetches_and_runs: bool,
    /// Gives a shell to the other end of a connection.
    pub remote_control: bool,
}

/// One thing that code does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Use {
    /// Hands this to a shell.
    Shell(String),
    /// Reads this file.
    ReadPath(String),
    /// Writes this file.
    WritePath(String),
    /// Deletes this file or tree; `None` if only the running code knows which.
    DeletePath {
        /// The path.
        path: Option<String>,
        /// With everything in it.
        tree: bool,
    },
    /// Reads from this address.
    Fetch(String),
    /// Sends to this address.
    Send(String),
    /// Does something that cannot be read, for this reason.
    Opaque(&'static str),
    /// Goes on for longer than can be read, for this reason.
    Cut(&'static str),
}

/// Other names that `import … as …` gives to modules and functions.
fn aliases(code: &str) -> Vec<(&str, String)> {
    const ALIASES_MAX: usize = 64;
    let mut aliases = Vec::new();
    for statement in code.split(['\n', ';']).map(str::trim).filter(|statement| statement.contains("import "))
    {
        let (module, names) =
            match statement.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")) {
                Some((module, names)) => (module.trim(), names),
                None => ("", statement.trim_start_matches("import ")),
            };
        for name in names.split(',') {
            let (name, alias) = name
                .split_once(" as ")
                .map_or((name.trim(), name.trim()), |(name, alias)| (name.trim(), alias.trim()));
            if (!module.is_empty() || name != alias) && !alias.is_empty() && aliases.len() < ALIASES_MAX {
                aliases.push((
                    alias,
                    if module.is_empty() { name.to_owned() } else { format!("{module}.{name}") },
                ));
            }
        }
    }
    aliases
}

/// A call with its literal arguments.
struct Found<'a> {
    name: &'a str,
    literals: Vec<String>,
    /// Whether some argument is not a literal.
    computed: bool,
}

/// Reads `code` of `language`.
pub fn scan(language: &str, code: &str) -> CodeReading {
    scan_within(language, code, 0)
}

/// Code within code: deeper than this it is not followed.
const DEPTH_MAX: u32 = 6;

fn scan_within(language: &str, code: &str, depth: u32) -> CodeReading {
    let mut reading = CodeReading::default();
    if depth > DEPTH_MAX {
        reading.uses.push(Use::Cut("code within code is nested too deeply to follow"));
        return reading;
    }
    let (calls, complete) = calls(language, code);
    if !complete {
        reading.uses.push(Use::Cut("more code than can be followed"));
    }
    let mut decodes = false;
    let mut runs = false;
    let mut fetches = false;
    let mut socket = false;
    let aliases = aliases(code);
    for call in &calls {
        let renamed;
        let call = match aliases.iter().find(|(alias, _)| call.name.split('.').next() == Some(alias)) {
            Some((alias, original)) => {
                renamed = format!("{original}{}", &call.name[alias.len()..]);
                &Found { name: &renamed, literals: call.literals.clone(), computed: call.computed }
            }
            None => call,
        };
        let last = call.name.rsplit(['.', ':', '>']).next().unwrap_or(call.name);
        let first = call.literals.first();
        decodes |= matches!(
            last,
            "b64decode"
                | "urlsafe_b64decode"
                | "b32decode"
                | "fromhex"
                | "unhexlify"
                | "atob"
                | "decode64"
                | "base64_decode"
                | "decompress"
                | "gzinflate"
                | "str_rot13"
                | "a85decode"
                | "b85decode"
                | "unpack"
        ) || (last == "from"
            && call.name.starts_with("Buffer")
            && call.literals.iter().any(|literal| literal == "base64" || literal == "hex"));
        match last {
            // The tools that a host offers to code it runs.
            "terminal" if first.is_some() => {
                reading.uses.push(Use::Shell(first.cloned().unwrap_or_default()))
            }
            "write_file" | "patch" if first.is_some() => {
                reading.uses.push(Use::WritePath(first.cloned().unwrap_or_default()));
            }
            "read_file" if first.is_some() => {
                reading.uses.push(Use::ReadPath(first.cloned().unwrap_or_default()))
            }
            "web_extract" | "web_fetch" if first.is_some() => {
                reading.uses.push(Use::Fetch(first.cloned().unwrap_or_default()));
            }
            "system" | "popen" | "getoutput" | "getstatusoutput" | "shell_exec" | "passthru"
            | "proc_open" | "execSync" | "execFileSync" | "spawnSync" | "execFile" | "Popen"
            | "check_output" | "check_call" | "spawn" | "startProcess" | "capture2" | "capture3"
            | "execvp" | "execv" | "execl" | "execlp" | "pcntl_exec" => {
                runs = true;
                shell(call, &mut reading);
            }
            "execute" if language == "lua" => {
                runs = true;
                shell(call, &mut reading);
            }
            "glob" if language == "perl" && code.contains("unlink") => {
                reading.uses.push(Use::DeletePath { path: first.cloned(), tree: true });
            }
            "run" | "call" if call.name.contains("subprocess") || call.name.contains("sp.") => {
                runs = true;
                shell(call, &mut reading);
            }
            "exec" | "eval" | "compile" | "Function" | "runInThisContext" | "runInNewContext"
            | "execfile" | "instance_eval" | "class_eval" | "assert"
                if last != "assert" || language == "php" =>
            {
                let shells = last == "exec" && (language != "python") || call.name.contains("child_process");
                runs = true;
                if shells && last == "exec" {
                    shell(call, &mut reading);
                } else if call.computed && !matches!(last, "compile") {
                    reading.uses.push(Use::Opaque("runs code that is put together when it runs"));
                } else if let Some(inner) = first
                    && last != "compile"
                    && inner.len() < code.len()
                {
                    let inner = scan_within(language, inner, depth + 1);
                    reading.uses.extend(inner.uses);
                }
            }
            "rmtree"
            | "rm_rf"
            | "rm_r"
            | "rmSync"
            | "rmdirSync"
            | "remove_dir_all"
            | "emptyDirSync"
            | "removeSync"
            | "remove_entry_secure" => {
                reading.uses.push(Use::DeletePath { path: first.cloned(), tree: true });
            }
            "rm" | "rmdir" | "removedirs" if language != "perl" => {
                reading.uses.push(Use::DeletePath { path: first.cloned(), tree: last == "rm" });
            }
            "unlink" | "unlinkSync" | "remove"
                if call.name.contains("os.")
                    || call.name.contains("fs")
                    || last != "remove"
                    || language == "perl" =>
            {
                reading.uses.push(Use::DeletePath { path: first.cloned(), tree: false });
            }
            "delete" if call.name.starts_with("File") || call.name.starts_with("FileUtils") => {
                reading.uses.push(Use::DeletePath { path: first.cloned(), tree: false });
            }
            "open" | "fopen" | "File.open" => open(call, &mut reading),
            "writeFileSync" | "writeFile" | "appendFileSync" | "appendFile" | "file_put_contents"
            | "write_text" | "write_bytes" | "createWriteStream" => {
                if let Some(path) = first.filter(|_| !matches!(last, "write_text" | "write_bytes")) {
                    reading.uses.push(Use::WritePath(path.clone()));
                }
            }
            "readFileSync" | "readFile" | "readlines" | "read" | "createReadStream" | "file_get_contents"
            | "slurp" | "Path" => {
                if let Some(path) = first {
                    if path.contains("://") {
                        fetches = true;
                        reading.uses.push(Use::Fetch(path.clone()));
                    } else if path.contains(['/', '.', '~']) && !path.contains(char::is_whitespace) {
                        reading.uses.push(Use::ReadPath(path.clone()));
                    }
                }
            }
            "urlopen" | "urlretrieve" | "get" | "fetch" | "request" | "post" | "put" | "patch"
            | "getstore" | "curl_init" => {
                let networked =
                    matches!(last, "urlopen" | "urlretrieve" | "fetch" | "getstore" | "curl_init")
                        || call.name.contains("requests")
                        || call.name.contains("http")
                        || call.name.contains("axios")
                        || call.name.contains("HTTP")
                        || call.name.contains("urllib")
                        || call.name.contains("session");
                if networked {
                    fetches = true;
                    let host = first.cloned().unwrap_or_default();
                    reading.uses.push(
                        if matches!(last, "post" | "put" | "patch")
                            || call.literals.iter().any(|literal| literal == "POST")
                        {
                            Use::Send(host)
                        } else {
                            Use::Fetch(host)
                        },
                    );
                }
            }
            "connect" | "create_connection" | "createConnection" | "fsockopen" | "TCPSocket" | "socket" => {
                socket = true;
                if last != "socket" {
                    reading.uses.push(Use::Send(first.cloned().unwrap_or_default()));
                }
            }
            "__import__" | "import_module" if call.computed => {
                reading.uses.push(Use::Opaque("loads a module that is only known when it runs"));
            }
            _ => {}
        }
        if matches!(last, "dup2" | "pty.spawn") || (socket && matches!(last, "spawn")) {
            reading.remote_control |= socket;
        }
    }
    reading.decodes_and_runs = decodes && runs;
    reading.fetches_and_runs = fetches
        && runs
        && calls.iter().any(|call| matches!(call.name, "eval" | "exec") || call.name.ends_with(".system"));
    reading
}

fn shell(call: &Found<'_>, reading: &mut CodeReading) {
    // Options such as `stdio: 'inherit'` come after the command.
    let words: Vec<&str> = call.literals.iter().map(String::as_str).collect();
    if words.is_empty() {
        reading.uses.push(Use::Opaque("runs a command that is put together when it runs"));
        return;
    }
    let mut command = if words[0].ends_with(' ') {
        // Literals side by side are one text.
        words.concat()
    } else if words[0].contains(' ') {
        words[0].to_owned()
    } else {
        words.iter().map(|word| crate::effect::quote(word)).collect::<Vec<_>>().join(" ")
    };
    if call.computed {
        // Something else comes along that only the running code knows.
        command.push_str(" \u{1a}");
    }
    reading.uses.push(Use::Shell(command));
}

fn open(call: &Found<'_>, reading: &mut CodeReading) {
    let Some(path) = call.literals.first() else { return };
    let mode = call.literals.get(1).map_or("r", String::as_str);
    // Perl's `open(F, ">path")` and `open(F, ">", path)`.
    if let Some(path) = path.strip_prefix('>') {
        let path = if path.is_empty() { call.literals.get(1).map_or("", String::as_str) } else { path };
        reading.uses.push(Use::WritePath(path.trim_start_matches('>').trim().to_owned()));
    } else if let Some(command) = path.strip_suffix('|').or_else(|| path.strip_prefix('|')) {
        reading.uses.push(Use::Shell(command.to_owned()));
    } else if mode.len() <= 3 && mode.contains(['w', 'a', 'x', '+']) {
        reading.uses.push(Use::WritePath(path.clone()));
    } else {
        reading.uses.push(Use::ReadPath(path.clone()));
    }
}

/// The calls in `code`, outermost and inner alike. Linear: each byte is looked at once per open call, and
/// no more than a few are open.
fn calls<'a>(language: &str, code: &'a str) -> (Vec<Found<'a>>, bool) {
    const CALLS_MAX: usize = 2_000;
    const OPEN_MAX: usize = 32;
    let bytes = code.as_bytes();
    let hash_comments = matches!(language, "python" | "perl" | "ruby" | "php" | "r" | "other");
    let slash_comments = matches!(language, "javascript" | "php");
    let mut found: Vec<Found<'a>> = Vec::new();
    // Calls whose brackets are open: index into `found`, and the depth they were opened at.
    let mut open: Vec<(usize, u32)> = Vec::new();
    let mut depth = 0u32;
    let mut at = 0;
    let mut complete = true;
    let mut name = 0..0;
    while at < bytes.len() && found.len() < CALLS_MAX {
        let byte = bytes[at];
        match byte {
            b'#' if hash_comments
                && (at == 0 || bytes[at - 1].is_ascii_whitespace() || bytes[at - 1] == b';') =>
            {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
            }
            b'/' if slash_comments
                && bytes.get(at + 1) == Some(&b'/')
                && (at == 0 || bytes[at - 1] != b':') =>
            {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
            }
            b'\'' | b'"' | b'`' => {
                let (text, end) = literal(code, at);
                if byte == b'`' && matches!(language, "perl" | "ruby" | "php") {
                    found.push(Found { name: "system", literals: vec![text], computed: false });
                } else if let Some((index, _)) = open.last() {
                    found[*index].literals.push(text);
                } else if !name.is_empty() {
                    // Ruby and Perl call without brackets: `system "ls"`.
                    if matches!(language, "perl" | "ruby" | "php" | "applescript")
                        && bytes[name.end..at].iter().all(|byte| *byte == b' ')
                    {
                        found.push(Found {
                            name: &code[name.clone()],
                            literals: vec![text],
                            computed: false,
                        });
                    }
                    name = 0..0;
                }
                at = end;
            }
            b'(' => {
                depth += 1;
                if !name.is_empty() && bytes[name.end..at].iter().all(u8::is_ascii_whitespace) {
                    if open.len() < OPEN_MAX {
                        open.push((found.len(), depth));
                        found.push(Found {
                            name: &code[name.clone()],
                            literals: Vec::new(),
                            computed: false,
                        });
                    } else {
                        complete = false;
                    }
                }
                name = 0..0;
                at += 1;
            }
            b')' => {
                if open.last().is_some_and(|(_, opened)| *opened == depth)
                    && let Some((inner, _)) = open.pop()
                {
                    // What an inner call makes is a computed argument of the outer one.
                    if let Some((outer, _)) = open.last() {
                        found[*outer].computed = true;
                        if matches!(
                            found[inner].name,
                            "Path"
                                | "str"
                                | "expanduser"
                                | "os.path.expanduser"
                                | "join"
                                | "os.path.join"
                                | "String"
                        ) {
                            let literals = found[inner].literals.clone();
                            found[*outer].literals.extend(literals);
                        }
                    }
                }
                depth = depth.saturating_sub(1);
                at += 1;
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' => {
                let start = at;
                while bytes.get(at).is_some_and(|byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b':')
                }) || (bytes.get(at) == Some(&b'-') && bytes.get(at + 1) == Some(&b'>'))
                    || (bytes.get(at) == Some(&b'>') && at > start && bytes[at - 1] == b'-')
                {
                    at += 1;
                }
                name = start..at;
                let is_argument_name = bytes.get(at) == Some(&b'=') && bytes.get(at + 1) != Some(&b'=');
                if let Some((index, _)) = open.last() {
                    let word = &code[start..at];
                    let plain = matches!(
                        word,
                        "True"
                            | "False"
                            | "None"
                            | "true"
                            | "false"
                            | "null"
                            | "f"
                            | "r"
                            | "b"
                            | "rb"
                            | "undefined"
                    );
                    if bytes.get(at) != Some(&b'(') && !is_argument_name && !plain && !word.ends_with(':') {
                        found[*index].computed = true;
                    }
                }
            }
            _ => at += 1,
        }
    }
    (found, complete && at >= bytes.len())
}

/// A string literal at `at`, with its common escapes replaced; and one past its end.
fn literal(code: &str, at: usize) -> (String, usize) {
    let bytes = code.as_bytes();
    let quote = bytes[at];
    let triple = bytes.len() >= at + 3 && bytes[at + 1] == quote && bytes[at + 2] == quote && quote != b'`';
    let width = if triple { 3 } else { 1 };
    let mut end = at + width;
    let mut text = String::new();
    let mut run = end;
    while end < bytes.len() {
        if bytes[end] == b'\\' {
            text.push_str(code.get(run..end).unwrap_or(""));
            match bytes.get(end + 1) {
                Some(b'n') => text.push('\n'),
                Some(b't') => text.push('\t'),
                Some(b'x') => {
                    let value =
                        code.get(end + 2..end + 4).and_then(|digits| u8::from_str_radix(digits, 16).ok());
                    text.extend(value.map(char::from));
                    end += if value.is_some() { 2 } else { 0 };
                }
                Some(other) if other.is_ascii() => text.push(char::from(*other)),
                _ => {}
            }
            end += 2;
            while end < bytes.len() && !code.is_char_boundary(end) {
                end += 1;
            }
            run = end.min(bytes.len());
            continue;
        }
        if bytes[end] == quote
            && (!triple || (bytes.get(end + 1) == Some(&quote) && bytes.get(end + 2) == Some(&quote)))
        {
            text.push_str(code.get(run..end).unwrap_or(""));
            return (text, end + width);
        }
        end += 1;
    }
    text.push_str(code.get(run..).unwrap_or(""));
    (text, bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: &str, code: &str, expected: &[Use]) {
        assert_eq!(scan(language, code).uses, expected, "{code}");
    }

    #[test]
    fn commands_inside_code_come_back() {
        check("python", "import os; os.system('ls -la')", &[Use::Shell("ls -la".into())]);
        check(
            "python",
            "subprocess.run(['git', 'push', '-f'], check=True)",
            &[Use::Shell("git push -f".into())],
        );
        check("javascript", "require('child_process').execSync(\"id\")", &[Use::Shell("id".into())]);
        check("ruby", "system 'uptime'", &[Use::Shell("uptime".into())]);
        check("perl", "print `whoami`", &[Use::Shell("whoami".into())]);
    }

    #[test]
    fn words_in_strings_and_comments_are_only_words() {
        check("python", "print('os.system(1)')  # os.system('x')", &[]);
        check("python", "print(1)", &[]);
    }

    #[test]
    fn files_are_found() {
        check("python", "open('out.txt', 'w').write('x')", &[Use::WritePath("out.txt".into())]);
        check(
            "python",
            "import shutil; shutil.rmtree('/data')",
            &[Use::DeletePath { path: Some("/data".into()), tree: true }],
        );
        check("javascript", "fs.readFileSync('.env')", &[Use::ReadPath(".env".into())]);
    }

    #[test]
    fn hidden_code_is_called_hidden() {
        assert!(scan("python", "exec(base64.b64decode('cHJpbnQ='))").decodes_and_runs);
        assert!(!scan("python", "print(base64.b64decode('cHJpbnQ='))").decodes_and_runs);
    }
}
