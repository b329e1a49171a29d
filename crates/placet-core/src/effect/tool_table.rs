//! Which tools are read how: the built-in names of the hosts, and the roles of their arguments.

use std::{collections::HashMap, sync::LazyLock};

use super::act::Act;

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
    /// Runs code of a language; the argument that holds it is called `code` or the like.
    Code(&'static str),
    /// Types into a program that is already running.
    Process,
    /// Does this, to whatever its arguments name.
    Does(Act),
    /// Does what its `action` argument says; this where that says nothing.
    ByAction(Act),
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
    // Code.
    tool(
        Interpreter::Code("python"),
        &[
            "execute_code",
            "run_python",
            "python",
            "code_interpreter",
            "python_repl",
            "ipython",
            "execute_python",
            "run_code",
        ],
    ),
    tool(
        Interpreter::Code("javascript"),
        &["run_javascript", "execute_javascript", "browser_evaluate", "puppeteer_evaluate"],
    ),
    tool(Interpreter::Process, &["process"]),
    // The web.
    tool(
        Interpreter::Does(Act::LOOK),
        &[
            "web_search",
            "web_extract",
            "web_crawl",
            "WebFetch",
            "WebSearch",
            "web_fetch",
            "google_web_search",
            "webfetch",
            "x_search",
            "codebase_search",
            "fetch",
            "session_search",
            "skills_list",
            "skill_view",
            "vision_analyze",
            "video_analyze",
            "read_terminal",
            "view_image",
            "browser_snapshot",
            "browser_scroll",
            "browser_get_images",
            "browser_vision",
            "browser_back",
            "browser_take_screenshot",
            "browser_console_messages",
            "browser_network_requests",
            "browser_wait_for",
            "browser_hover",
            "puppeteer_screenshot",
            "puppeteer_hover",
            "ha_get_state",
            "ha_list_entities",
            "ha_list_services",
            "BashOutput",
            "sessions_list",
            "sessions_history",
            "clarify",
            "AskUserQuestion",
            "ExitPlanMode",
            "read_graph",
            "search_nodes",
            "open_nodes",
            "list_issues",
            "get_issue",
            "search_repositories",
            "search_code",
            "list_commits",
            "git_status",
            "git_log",
            "git_diff",
            "git_show",
            "git_diff_staged",
            "git_diff_unstaged",
            "slack_list_channels",
            "slack_get_channel_history",
            "slack_get_thread_replies",
            "slack_get_users",
            "list_tables",
            "describe_table",
            "list_schemas",
            "sequentialthinking",
            "think",
        ],
    ),
    tool(
        Interpreter::Does(Act::TRANSMIT),
        &["browser_navigate", "browser_navigate_back", "puppeteer_navigate", "browser_tab_new", "navigate"],
    ),
    tool(
        Interpreter::Does(Act::CHANGE),
        &[
            "browser_click",
            "browser_type",
            "browser_press",
            "browser_press_key",
            "browser_dialog",
            "browser_handle_dialog",
            "browser_select_option",
            "browser_fill_form",
            "browser_drag",
            "browser_file_upload",
            "browser_cdp",
            "puppeteer_click",
            "puppeteer_fill",
            "puppeteer_select",
            "computer_use",
            "computer",
            "skill_manage",
            "image_generate",
            "video_generate",
            "text_to_speech",
            "create_issue",
            "create_pull_request",
            "create_branch",
            "push_files",
            "create_or_update_file",
            "git_commit",
            "git_add",
            "git_checkout",
            "git_create_branch",
            "update_issue",
            "fork_repository",
        ],
    ),
    // Notes of the agent to itself.
    tool(
        Interpreter::Does(Act::NOTE),
        &[
            "todo",
            "TodoWrite",
            "todo_write",
            "todowrite",
            "update_plan",
            "report_intent",
            "memory",
            "save_memory",
            "create_entities",
            "create_relations",
            "add_observations",
            "browser_close",
            "browser_resize",
        ],
    ),
    // People, time, other agents, things.
    tool(
        Interpreter::Does(Act::MESSAGE),
        &[
            "send_message",
            "message",
            "slack_post_message",
            "slack_reply_to_thread",
            "yb_send_dm",
            "yb_send_sticker",
            "send_email",
            "send_mail",
            "add_issue_comment",
            "sessions_send",
            "PushNotification",
        ],
    ),
    tool(Interpreter::ByAction(Act::SCHEDULE), &["cronjob", "cron", "schedule_cronjob", "scheduler"]),
    tool(
        Interpreter::Does(Act::DELEGATE),
        &[
            "delegate_task",
            "Task",
            "Agent",
            "task",
            "spawn_agent",
            "sessions_spawn",
            "mixture_of_agents",
            "new_task",
            "dispatch_agent",
        ],
    ),
    tool(Interpreter::Does(Act::CONFIGURE), &["ha_call_service", "KillShell", "KillBash", "close_terminal"]),
];

/// MCP servers whose tools are the ones in the table. The operator gives a server its name, so it can be believed.
pub const SERVERS: &[&str] = &[
    "filesystem",
    "git",
    "github",
    "slack",
    "postgres",
    "sqlite",
    "puppeteer",
    "playwright",
    "fetch",
    "memory",
    "time",
    "brave-search",
    "sequential-thinking",
    "gitlab",
    "google-maps",
    "everything",
    "desktop-commander",
    "browser",
    "linear",
    "notion",
];

static BY_NAME: LazyLock<HashMap<&'static str, &'static Tool>> = LazyLock::new(|| {
    TOOLS.iter().flat_map(|tool| tool.names.iter().map(move |name| (*name, tool))).collect()
});

/// The tool of that name, also as `mcp__server__tool` of a server that is known.
pub fn find(name: &str) -> Option<&'static Tool> {
    BY_NAME.get(name).copied().or_else(|| {
        let (server, name) = name.strip_prefix("mcp__")?.split_once("__")?;
        if SERVERS.contains(&server) { BY_NAME.get(name).copied() } else { None }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_there_twice() {
        let names: usize = TOOLS.iter().map(|tool| tool.names.len()).sum();
        assert_eq!(BY_NAME.len(), names);
    }

    #[test]
    fn a_server_nobody_knows_does_not_borrow_a_name() {
        assert!(find("mcp__filesystem__read_file").is_some());
        assert!(find("mcp__helper__read_file").is_none());
        assert!(find("Read_File").is_none());
    }
}
