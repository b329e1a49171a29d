//! Which shell reads a script. Shells agree on nearly everything that is written; where they do not, one takes for text what another
//! runs.

/// A shell, as far as its grammar goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// bash, and with it zsh: what only one of the two would run is read as well, or not read at all.
    #[default]
    Bash,
    /// dash, the `/bin/sh` of Debian and Ubuntu, and bash where it is called `sh`.
    Dash,
    /// The shell of BusyBox, the `/bin/sh` of Alpine.
    Busybox,
}

/// What is known of the shell that reads a script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shell {
    /// It is this one.
    Known(Dialect),
    /// It is called `sh`, or not at all.
    #[default]
    Unknown,
}

impl Shell {
    /// The shell that a program of that name is.
    pub fn of_program(name: &str) -> Self {
        match name {
            "bash" | "rbash" | "zsh" => Self::Known(Dialect::Bash),
            "dash" => Self::Known(Dialect::Dash),
            _ => Self::Unknown,
        }
    }

    /// The shell that the first line of a script asks for.
    pub fn of_script(text: &str) -> Self {
        let Some(line) = text.strip_prefix("#!") else { return Self::Unknown };
        let line = line.lines().next().unwrap_or("");
        let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
        match words.next() {
            Some("env") => words.find(|word| !word.starts_with('-')).map_or(Self::Unknown, Self::of_program),
            Some(name) => Self::of_program(name),
            None => Self::Unknown,
        }
    }
}
