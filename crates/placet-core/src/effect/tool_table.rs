//! Which tools are read how: the built-in names of the hosts, and the roles of their arguments.

/// How the arguments of a tool are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpreter {
    /// A command for a POSIX shell.
    Shell,
    /// A command for PowerShell or `cmd.exe`.
    WindowsShell,
    /// Reads files.
    Read,
    /// Lists or searches files.
    Search,
    /// Creates or replaces a file.
    Write,
    /// Changes a file in place.
    Edit,
    /// Applies a patch to several files.
    Patch,
    /// Deletes files.
    Delete,
    /// Moves or copies files.
    Move,
}

/// A tool in the table.
#[derive(Debug)]
pub struct Tool {
    /// The names hosts know it by.
    pub names: &'static [&'static str],
    /// How it is read.
    pub interpreter: Interpreter,
    /// Arguments that only describe the call: outside the digest, and never read for effects.
    pub without_effect: &'static [&'static str],
}

const fn tool(interpreter: Interpreter, names: &'static [&'static str]) -> Tool {
    Tool { names, interpreter, without_effect: &[] }
}

/// The table. Names are compared exactly: a tool that calls itself almost like one of these is not one.
pub const TOOLS: &[Tool] = &[
    Tool {
        names: &[
            "terminal",
            "Bash",
            "bash",
            "shell",
            "Shell",
            "run_shell_command",
            "execute_command",
            "run_command",
            "run_terminal_cmd",
            "run_in_terminal",
            "local_shell",
            "exec",
            "exec_command",
            "container.exec",
            "sh",
            "shell_command",
            "execute_bash",
            "run_bash",
        ],
        interpreter: Interpreter::Shell,
        without_effect: &["description", "explanation"],
    },
    Tool {
        names: &["PowerShell", "powershell", "pwsh", "cmd"],
        interpreter: Interpreter::WindowsShell,
        without_effect: &["description", "explanation"],
    },
    tool(
        Interpreter::Read,
        &[
            "read_file",
            "Read",
            "view",
            "view_file",
            "open_file",
            "cat_file",
            "read_many_files",
            "read_multiple_files",
            "read_text_file",
            "read_media_file",
            "get_file_contents",
            "NotebookRead",
            "read",
        ],
    ),
    tool(
        Interpreter::Search,
        &[
            "search_files",
            "list_files",
            "list_directory",
            "list_dir",
            "Glob",
            "Grep",
            "LS",
            "glob",
            "grep",
            "glob_file_search",
            "grep_search",
            "file_search",
            "directory_tree",
            "get_file_info",
            "list",
            "ls",
            "find_files",
            "list_directory_with_sizes",
            "list_allowed_directories",
            "search_file_content",
        ],
    ),
    tool(
        Interpreter::Write,
        &["write_file", "Write", "create_file", "save_file", "write", "write_to_file", "create_directory"],
    ),
    tool(
        Interpreter::Edit,
        &[
            "Edit",
            "MultiEdit",
            "edit_file",
            "edit",
            "str_replace",
            "replace",
            "insert",
            "NotebookEdit",
            "search_replace",
            "replace_in_file",
            "str_replace_editor",
            "str_replace_based_edit_tool",
            "multi_edit",
        ],
    ),
    tool(Interpreter::Patch, &["patch", "apply_patch", "apply_diff"]),
    tool(Interpreter::Delete, &["delete_file", "remove_file", "delete_files"]),
    tool(Interpreter::Move, &["move_file", "rename_file", "copy_file"]),
];

/// The tool of that name.
pub fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.names.contains(&name))
}
