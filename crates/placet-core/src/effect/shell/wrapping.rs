//! Commands in a wrapping that is no shell: a fenced block of Markdown, `execute[…]`, a prompt in front.
//!
//! Some hosts take such a wrapping off, others hand the text to a shell as it is. So both are read: what is inside, and
//! what a shell would make of the whole. The latter is most often nothing, and then the inside is all there is.

/// What a scaffold calls the running of a command. No program has a name that begins like one of these.
const CALLS: &[&str] =
    &["execute", "execute_command", "run_command", "terminal", "shell_command", "bash_command"];

/// Names of a shell behind the fence.
const SHELLS: &[&str] = &["bash", "sh", "shell", "zsh", "console", "terminal"];

/// Where the command inside `text` stands, if `text` is a wrapping around one.
pub fn inside(text: &str) -> Option<(usize, usize)> {
    let inner = fenced(text).or_else(|| called(text)).or_else(|| prompted(text))?;
    let start = inner.as_ptr() as usize - text.as_ptr() as usize;
    Some((start, start + inner.len()))
}

/// Whether a word of the script is the head of a wrapping, such as `execute[hostname]`.
pub fn is_call(word: &str) -> bool {
    word.split_once('[').is_some_and(|(name, _)| CALLS.contains(&name))
}

/// Between three back-ticks and three more.
fn fenced(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("```")?.strip_suffix("```")?;
    let named = SHELLS
        .iter()
        .find_map(|shell| inner.strip_prefix(shell).filter(|rest| rest.starts_with(char::is_whitespace)));
    Some(named.unwrap_or(inner))
}

/// `execute[command]`
fn called(text: &str) -> Option<&str> {
    let text = text.trim();
    let (_, rest) = text.split_once('[').filter(|_| is_call(text))?;
    rest.strip_suffix(']')
}

/// `$ command`, as in a manual.
fn prompted(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix("$ ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside() {
        for (text, expected) in [
            ("```bash\nls\n```", Some("\nls\n")),
            ("``` ls ```", Some(" ls ")),
            ("```bashful```", Some("bashful")),
            ("execute[ls]", Some("ls")),
            ("execute[a[0]=1]", Some("a[0]=1")),
            ("$ make", Some("make")),
            ("executes[ls]", None),
            ("execute[ls", None),
            ("ls", None),
            ("```", None),
        ] {
            assert_eq!(inside(text).map(|(start, end)| &text[start..end]), expected, "{text}");
        }
    }

    #[test]
    fn no_program_begins_like_a_call() {
        for call in CALLS {
            let taken = crate::effect::shell::programs::names().find(|name| name.starts_with(call));
            assert_eq!(taken, None, "{call}");
        }
    }
}
