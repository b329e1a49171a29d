//! The command line itself: help, versions, completions and mistakes.

use crate::run::run;

#[test]
fn help_shows_examples() {
    for arguments in [
        &["--help"][..],
        &["decide", "--help"],
        &["explain", "--help"],
        &["completions", "--help"],
        &["tools", "--help"],
        &["tools", "list", "--help"],
        &["tools", "show", "--help"],
        &["tools", "read", "--help"],
    ] {
        let ran = run(arguments, "");
        assert_eq!((ran.code, &*ran.err), (0, ""));
        assert!(ran.out.contains("Example"), "{arguments:?}: {}", ran.out);
        assert!(ran.out.contains("  placet "), "{arguments:?}: {}", ran.out);
    }
    let ran = run(&["--help"], "");
    assert!(ran.out.contains("Exit codes"), "{}", ran.out);
}

#[test]
fn the_version_is_that_of_the_package() {
    let ran = run(&["--version"], "");
    assert_eq!((ran.code, ran.out), (0, format!("placet {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = run(&["completions", shell], "");
        assert_eq!((ran.code, &*ran.err), (0, ""));
        for word in ["placet", "decide", "explain", "tools", "config"] {
            assert!(ran.out.contains(word), "the completions for {shell} know no `{word}`");
        }
    }
}

#[test]
fn mistakes_on_the_command_line_end_with_two() {
    for arguments in
        [&[][..], &["decid"], &["decide", "--confg", "x"], &["completions", "tcsh"], &["decide", "a", "b"]]
    {
        let ran = run(arguments, "");
        assert_eq!((ran.code, &*ran.out), (2, ""), "{arguments:?}");
        assert!(!ran.err.is_empty(), "{arguments:?}");
    }
    assert!(run(&["decid"], "").err.contains("decide"), "a slip gets a suggestion");
}
