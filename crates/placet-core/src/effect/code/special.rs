//! The words after `!` in the tables: calls that no command amounts to.

/// The words after `!` in the tables, each under a name of its own.
macro_rules! specials {
    ($($special:ident = $word:literal),* $(,)?) => {
        /// What no command amounts to.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Special { $($special),* }

        impl Special {
            /// What a table means by `!word`.
            pub(super) fn named(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$special),)* _ => None }
            }
        }
    };
}

specials! {
    Open = "open",
    Read = "read",
    Write = "write",
    Append = "append",
    WriteData = "write_data",
    WriteUnknown = "write_unknown",
    DeleteUnknown = "delete_unknown",
    Contents = "contents",
    Fill = "fill",
    Dump = "dump",
    Remove = "remove",
    Chmod = "chmod",
    Unpack = "unpack",
    Temporary = "temporary",
    Names = "names",
    Walk = "walk",
    Glob = "glob",
    Matches = "matches",
    Tree = "tree",
    Path = "path",
    JoinPath = "join_path",
    Parent = "parent",
    Home = "home",
    Here = "here",
    Shell = "shell",
    Subprocess = "subprocess",
    Spawn = "spawn",
    SpawnList = "spawn_list",
    Argv = "argv",
    Words = "words",
    Terminal = "terminal",
    Duplicate = "duplicate",
    Fork = "fork",
    Kill = "kill",
    Processes = "processes",
    KillProcess = "kill_process",
    Elevate = "elevate",
    Export = "export",
    ExportAll = "export_all",
    Variable = "variable",
    Environment = "environment",
    Schedule = "schedule",
    Request = "request",
    Fetch = "fetch",
    Session = "session",
    Urlrequest = "urlrequest",
    Urlopen = "urlopen",
    Socket = "socket",
    Connect = "connect",
    ConnectPort = "connect_port",
    ConnectWeb = "connect_web",
    SocketSend = "socket_send",
    Received = "received",
    Mail = "mail",
    Spend = "spend",
    Database = "database",
    Statement = "statement",
    MaybeStatement = "maybe_statement",
    Drop = "drop",
    DeleteMany = "delete_many",
    Eval = "eval",
    EvalLast = "eval_last",
    Timer = "timer",
    RunFile = "run_file",
    Import = "import",
    ImportAddress = "import_address",
    RequireAgain = "require_again",
    Worker = "worker",
    Machine = "machine",
    Library = "library",
    Unpickle = "unpickle",
    Yaml = "yaml",
    Getattr = "getattr",
    Setattr = "setattr",
    GetattrLater = "getattr_later",
    Globals = "globals",
    Vars = "vars",
    Partial = "partial",
    Apply = "apply",
    Map = "map",
    First = "first",
    ItselfOf = "itself_of",
    Itself = "itself",
    Text = "text",
    Chr = "chr",
    Characters = "characters",
    Base64 = "base64",
    Hex = "hex",
    Decoded = "decoded",
    Codec = "codec",
    Buffer = "buffer",
    Percent = "percent",
    Split = "split",
    JoinWords = "join_words",
    List = "list",
    Dict = "dict",
    Print = "print",
    Pure = "pure",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_word_of_the_tables_is_known() {
        for text in [include_str!("python.table"), include_str!("javascript.table")] {
            for word in text.split_whitespace().filter_map(|word| word.strip_prefix('!')) {
                assert!(Special::named(word).is_some() || word == "word`", "`!{word}` is not known");
            }
        }
    }
}
