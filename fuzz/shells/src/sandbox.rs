//! Real shells in a place where nothing can be harmed: another user where we are root, no network where that can be had, an empty
//! environment, dummy programs only, a temporary home, and limits.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A shell that can be asked to run scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shell {
    /// What it is called here.
    pub name: &'static str,
    /// The program with its options.
    pub program: &'static [&'static str],
    /// The Debian package that has it.
    pub package: &'static str,
    /// The tool whose command it would run.
    pub tool: &'static str,
}

/// The shells. What dash and BusyBox run is decided as for a tool of whose shell nothing is known.
pub const SHELLS: &[Shell] = &[
    Shell {
        name: "bash",
        program: &["/bin/bash", "--norc", "--noprofile"],
        package: "bash",
        tool: "terminal",
    },
    Shell { name: "dash", program: &["/bin/dash"], package: "dash", tool: "sh" },
    Shell { name: "busybox", program: &["/bin/busybox", "sh"], package: "busybox", tool: "sh" },
    Shell { name: "zsh", program: &["/bin/zsh", "-f"], package: "zsh", tool: "terminal" },
    // bash as `/bin/sh`, which some systems have.
    Shell {
        name: "bash-posix",
        program: &["/bin/bash", "--norc", "--noprofile", "--posix"],
        package: "bash",
        tool: "sh",
    },
];

impl Shell {
    /// Whether it is installed.
    pub fn is_there(&self) -> bool {
        Path::new(self.program[0]).exists()
    }
}

/// A place to run scripts in.
pub struct Sandbox {
    shell: Shell,
    root: PathBuf,
    before: Vec<String>,
}

/// What came of a batch.
enum Outcome {
    /// All of it ran; these scripts ran what they must not.
    Fired(Vec<usize>),
    /// Some script stopped the shell that runs them all.
    Stopped,
}

/// Notes that a marked command ran, for the script whose number is in the environment. One that is only sourced is no program.
const DUMMIES: &[(&str, &str)] = &[
    (
        "rm",
        r#"case $0 in */rm) ;; *) return;; esac; for a; do case $a in HOME|HOME/) echo "n ${N-}" >>LOG; esac; done"#,
    ),
    (
        "find",
        r#"case $0 in */find) ;; *) return;; esac; for a; do case $a in -delete) echo "n ${N-}" >>LOG; esac; done"#,
    ),
    (
        "git",
        r#"case $0 in */git) ;; *) return;; esac; for b; do case $b in push) for a; do case $a in --force) echo "n ${N-}" >>LOG; esac; done; esac; done"#,
    ),
    ("cat", "while IFS= read -r line; do echo \"$line\"; done"),
    ("ls", ""),
];

impl Sandbox {
    /// A place for `shell` below `parent`, which must be empty.
    pub fn new(shell: Shell, parent: &Path) -> io::Result<Self> {
        let root = parent.to_owned();
        let (home, log) = (root.join("home"), root.join("log"));
        for directory in ["bin", "home", "work"] {
            fs::create_dir_all(root.join(directory))?;
        }
        for (name, script) in DUMMIES {
            let script =
                script.replace("HOME", &home.to_string_lossy()).replace("LOG", &log.to_string_lossy());
            let path = root.join("bin").join(name);
            fs::write(&path, format!("#!/bin/sh\n{script}\n"))?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        let mut before = vec!["/usr/bin/timeout".to_owned(), "--signal=KILL".to_owned(), "60".to_owned()];
        if succeeds(&["/usr/bin/unshare", "--net", "/bin/true"]) {
            before.extend(["/usr/bin/unshare", "--net"].map(str::to_owned));
        }
        if owner(&root)? == 0 {
            // A user that nobody else is, so that the limit on processes counts only these.
            let user = 60_100 + std::process::id() % 5_000;
            before.extend([
                "/usr/bin/setpriv".to_owned(),
                format!("--reuid={user}"),
                format!("--regid={user}"),
            ]);
            before.extend(["--clear-groups", "--no-new-privs"].map(str::to_owned));
            for directory in ["home", "work"] {
                std::os::unix::fs::chown(root.join(directory), Some(user), Some(user))?;
            }
            fs::write(&log, "")?;
            std::os::unix::fs::chown(&log, Some(user), Some(user))?;
            fs::set_permissions(&root, fs::Permissions::from_mode(0o755))?;
        }
        Ok(Self { shell, root, before })
    }

    /// Which of `scripts` run what they must not.
    pub fn fired(&self, scripts: &[&str]) -> io::Result<Vec<usize>> {
        match self.run(scripts)? {
            Outcome::Fired(fired) if scripts.len() == 1 => {
                Ok(if fired.is_empty() { Vec::new() } else { vec![0] })
            }
            Outcome::Fired(mut fired) => {
                // A redirection has no program that would notice it, and a number may be lost: those run again one by one.
                let again = fired.contains(&usize::MAX);
                fired.retain(|index| *index < scripts.len());
                for (index, script) in scripts.iter().enumerate().filter(|_| again) {
                    if !fired.contains(&index) && self.fires(script)? {
                        fired.push(index);
                    }
                }
                fired.sort_unstable();
                fired.dedup();
                Ok(fired)
            }
            // One that stops its shell even alone is dropped.
            Outcome::Stopped if scripts.len() <= 1 => Ok(Vec::new()),
            Outcome::Stopped => {
                let middle = scripts.len() / 2;
                let mut fired = self.fired(&scripts[..middle])?;
                fired.extend(self.fired(&scripts[middle..])?.into_iter().map(|index| index + middle));
                Ok(fired)
            }
        }
    }

    /// Whether `script` alone, as an argument of the shell, runs what it must not.
    pub fn fires(&self, script: &str) -> io::Result<bool> {
        self.reset()?;
        let mut command = self.command();
        command.arg("-c").arg(script).env("N", "0").stdin(Stdio::null());
        command.status()?;
        let log = fs::read_to_string(self.root.join("log"))?;
        Ok(log.contains('n') || self.root.join("home/.bashrc").exists())
    }

    fn run(&self, scripts: &[&str]) -> io::Result<Outcome> {
        self.reset()?;
        let mut driver = String::new();
        for (index, script) in scripts.iter().enumerate() {
            let quoted = script.replace('\'', r"'\''");
            driver.push_str(&format!(
                "(N={index}; export N; ulimit -t 1; eval '{quoted}') </dev/null >/dev/null 2>&1\n"
            ));
        }
        driver.push_str(&format!("wait\necho done >>{}\n", self.root.join("log").display()));
        let path = self.root.join("driver");
        fs::write(&path, driver)?;
        self.command().arg(&path).stdin(Stdio::null()).status()?;
        let log = fs::read_to_string(self.root.join("log"))?;
        if !log.contains("done") {
            return Ok(Outcome::Stopped);
        }
        let mut fired: Vec<usize> = log
            .lines()
            .filter_map(|line| line.strip_prefix("n "))
            .map(|number| number.trim().parse().unwrap_or(usize::MAX))
            .collect();
        if self.root.join("home/.bashrc").exists() {
            fired.push(usize::MAX);
        }
        Ok(Outcome::Fired(fired))
    }

    /// The shell with everything around it, in the directory of its own.
    fn command(&self) -> Command {
        const LIMITS: &str = "ulimit -c 0 -f 2048 -v 4000000 -u 500 2>/dev/null; exec \"$@\"";
        let mut command = Command::new(&self.before[0]);
        command.args(&self.before[1..]).args(["/bin/bash", "-c", LIMITS, "limits"]).args(self.shell.program);
        command
            .env_clear()
            .env("PATH", self.root.join("bin"))
            .env("HOME", self.root.join("home"))
            .current_dir(self.root.join("work"))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn reset(&self) -> io::Result<()> {
        fs::write(self.root.join("log"), "")?;
        for directory in ["work", "home"] {
            for entry in fs::read_dir(self.root.join(directory))? {
                let path = entry?.path();
                if path.is_dir() && !path.is_symlink() {
                    fs::remove_dir_all(path)?
                } else {
                    fs::remove_file(path)?
                }
            }
        }
        Ok(())
    }
}

fn owner(path: &Path) -> io::Result<u32> {
    use std::os::unix::fs::MetadataExt;
    Ok(fs::metadata(path)?.uid())
}

fn succeeds(words: &[&str]) -> bool {
    let status = Command::new(words[0]).args(&words[1..]).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
