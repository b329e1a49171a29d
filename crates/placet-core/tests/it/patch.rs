//! Which files a patch would touch.

use placet_core::effect::patch::{Change, read};
use proptest::prelude::*;

/// Checks that `text` touches `expected`, written as `+added ~updated -deleted >renamed`, and whether it
/// has the `problem`.
fn check(text: &str, expected: &str, problem: Option<&str>) {
    let found = read(text);
    let seen: Vec<String> = found
        .touched
        .iter()
        .map(|touched| {
            let line = &text[touched.range.clone()];
            assert!(line.contains(touched.path), "`{line}` does not say `{}`", touched.path);
            let sign = match touched.change {
                Change::Add => '+',
                Change::Update => '~',
                Change::Delete => '-',
                Change::Rename => '>',
            };
            format!("{sign}{}", touched.path)
        })
        .collect();
    assert_eq!(seen.join(" "), expected, "{text}");
    assert_eq!(found.problem, problem, "{text}");
}

#[test]
fn git_diffs_name_their_files() {
    check(
        "diff --git a/a.rs b/a.rs\nindex 1..2 100644\n--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-a\n+b\n",
        "~a.rs",
        None,
    );
    check(
        "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n",
        "+n",
        None,
    );
    check(
        "diff --git a/n b/n\ndeleted file mode 100644\n--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
        "-n",
        None,
    );
    check("diff --git a/n b/n\nnew file mode 100644\nindex 0..e\n", "+n", None);
    check("diff --git a/n b/n\ndeleted file mode 100644\nindex e..0\n", "-n", None);
    check("diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n", "~run.sh", None);
    check("diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\n", "~x y", None);
    check(
        "diff --git a/x.png b/x.png\nindex 1..2\nBinary files a/x.png and b/x.png differ\n",
        "~x.png",
        None,
    );
    check(
        "diff --git a/o b/p\nsimilarity index 90%\nrename from o\nrename to p\n--- a/o\n+++ b/p\n@@ -1 +1 @@\n-a\n+b\n",
        ">o >p",
        None,
    );
    check("diff --git a/o b/p\nsimilarity index 100%\ncopy from o\ncopy to p\n", "+p", None);
    check(
        "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\ndiff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n",
        "~a ~b",
        None,
    );
    check(
        "From 1 Mon\nSubject: x\n---\n a | 2 +-\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n-- \n2.40\n",
        "~a",
        None,
    );
}

#[test]
fn plain_diffs_name_their_files() {
    check(
        "--- src/a.c\t2024-01-01 10:00:00\n+++ src/a.c\t2024-01-02 10:00:00\n@@ -1 +1 @@\n-a\n+b\n",
        "~src/a.c",
        None,
    );
    check("--- a.c.orig\n+++ a.c\n@@ -1 +1 @@\n-a\n+b\n", "~a.c.orig ~a.c", None);
    check("--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", "~x", None);
    check(
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
        "~x ~y",
        None,
    );
    check("Index: a.c\n===\n--- a.c\n+++ a.c\n@@ -1 +1 @@\n-a\n+b\n", "~a.c", None);
    check("--- \"a/with space\"\n+++ \"b/with space\"\n@@ -1 +1 @@\n-a\n+b\n", "~with space", None);
    check(
        "--- \"a/.gi\\164/x\"\n+++ \"b/.gi\\164/x\"\n@@ -1 +1 @@\n-a\n+b\n",
        "~.gi\\164/x",
        Some("a path is written with escapes"),
    );
}

#[test]
fn a_header_within_a_hunk_is_content() {
    check(
        "--- a/notes\n+++ b/notes\n@@ -1,2 +1,2 @@\n--- a/.env\n+++ b/.env\n context\n--- a/real\n+++ b/real\n@@ -1 +1 @@\n-x\n+y\n",
        "~notes ~real",
        None,
    );
}

#[test]
fn envelopes_name_their_files() {
    check("*** Begin Patch\n*** Add File: a.txt\n+hi\n*** End Patch\n", "+a.txt", None);
    check("*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End of File\n*** End Patch", "~a", None);
    check("*** Begin Patch\n*** Delete File: a\n*** Delete File: b c\n*** End Patch\n", "-a -b c", None);
    check("*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch\n", ">a >b", None);
    check("apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF\n", "-a", None);
    check(
        "*** Begin Patch\n*** Update File: doc\n@@\n *** Delete File: x\n+y\n*** End Patch\n",
        "~doc",
        None,
    );
    check("*** Begin Patch\n*** Add File: a\n+x\n  *** Delete File: .env\n*** End Patch\n", "+a -.env", None);
    check("*** Begin Patch\n*** Delete File: a\n", "-a", Some("the patch has no end"));
    check(
        "*** Begin Patch\n*** Chmod File: a\n*** End Patch\n",
        "",
        Some("a line of the patch is not understood"),
    );
    check(
        "*** Begin Patch\n*** Move to: a\n*** End Patch\n",
        ">a",
        Some("a line of the patch is not understood"),
    );
}

#[test]
fn what_is_no_patch_has_a_problem() {
    check("", "", Some("not a patch"));
    check("hello\nworld\n", "", Some("not a patch"));
    check("--- a heading\n\ntext\n", "", Some("not a patch"));
    check(
        "*** a\t1\n--- b\t2\n***************\n*** 1 ****\n",
        "",
        Some("a kind of patch that is not understood"),
    );
    check("@@ -1 +1 @@\n-a\n+b\n", "", Some("a path is missing"));
    check("--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n-a\n", "~x", Some("a hunk is shorter than it says"));
    check("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n", "~x", Some("a hunk is longer than it says"));
    check("--- a/x\n+++ b/x\n@@ nonsense @@\n", "~x", Some("a line of the patch is not understood"));
}

#[test]
fn files_are_bounded_and_time_is_linear() {
    let started = std::time::Instant::now();
    let many = format!("*** Begin Patch\n{}*** End Patch\n", "*** Delete File: a\n".repeat(50_000));
    let found = read(&many);
    assert_eq!((found.touched.len(), found.problem), (1_000, Some("too many files")));
    let many = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".repeat(50_000);
    let found = read(&many);
    assert_eq!((found.touched.len(), found.problem), (1_000, Some("too many files")));
    for unit in [
        "\n",
        "--- a\n",
        "+++ b\n",
        "@@ -1,9 +1,9 @@\n",
        "diff --git \"",
        "diff --git a\n",
        "\\",
        "*** ",
        "rename to x\n",
    ] {
        read(&unit.repeat((1 << 20) / unit.len()));
        read(&format!("diff --git {}", unit.repeat((1 << 20) / unit.len())));
    }
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

proptest! {
    #[test]
    fn any_text_has_an_answer(text in any::<String>()) {
        let found = read(&text);
        prop_assert!(found.problem.is_some() || !found.touched.is_empty());
    }

    #[test]
    fn pieces_of_patches_have_an_answer(lines in proptest::collection::vec(proptest::sample::select(vec![
        "*** Begin Patch", "*** End Patch", "*** Add File: a", "*** Update File: é", "*** Move to: b", "--- a/x",
        "+++ b/x", "+++ /dev/null", "--- /dev/null", "@@ -1,2 +1,2 @@", "@@ -0,0 +1 @@", "@@ -é @@", "+x", "-x", " x", "",
        "diff --git a/x b/x", "diff --git \"", "diff --git é b/", "rename from é", "rename to ", "deleted file mode 1",
        "Index: ", "\\ No newline", "--- \"", "+++ \"\\",
    ]), 0..24)) {
        let text = lines.join("\n");
        for touched in read(&text).touched {
            prop_assert!(text[touched.range].contains(touched.path));
        }
    }
}
