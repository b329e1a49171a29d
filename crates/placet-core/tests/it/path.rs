//! What a path says: its place, what its loss or exposure would mean, and its one spelling.

use placet_core::effect::path::{HOLE, classify, is_block_device, join};
use placet_core::effect::{Place, Sensitivity};
use proptest::prelude::*;

/// Checks rows of `path | place sensitivity [broad]`, seen from `cwd`. `@` is a hole.
fn check(cwd: Option<&str>, rows: &str) {
    let mut wrong = Vec::new();
    for row in rows.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let (path, expected) = row.rsplit_once('|').expect("a row has two columns");
        let found = classify(&path.trim().replace('@', &HOLE.to_string()), cwd);
        let broad = if found.broad { " broad" } else { "" };
        let seen = format!("{:?} {:?}{broad}", found.place, found.sensitivity).to_lowercase();
        if seen != expected.trim() {
            wrong.push(format!("{row}\n    was {seen}: {} ({:?})", found.name, found.what));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn keys_and_tokens_are_credentials() {
    check(
        Some("/srv/shop"),
        r"
        ~/.ssh/id_rsa                              | machine credential
        ~/.ssh/id_ed25519                          | machine credential
        ~/.ssh/deploy                              | machine credential
        ~/.ssh                                     | machine credential
        ~/.ssh/id_rsa.pub                          | machine none
        ~/.SSH/ID_RSA                              | machine credential
        /home/ann/.ssh/id_ecdsa                    | machine credential
        /root/.ssh/id_rsa                          | machine credential
        /Users/ann/.ssh/id_rsa                     | machine credential
        /var/root/.ssh/id_rsa                      | machine credential
        ~bob/.ssh/id_rsa                           | machine credential
        $HOME/.ssh/id_rsa                          | machine credential
        ${HOME}/.ssh/id_rsa                        | machine credential
        $HOME                                      | machine private broad
        ~/.aws/credentials                         | machine credential
        ~/.aws/sso/cache/1f.json                   | machine credential
        ~/.aws/config                              | machine private
        ~/.config/gcloud/application_default_credentials.json | machine credential
        ~/.config/gcloud/credentials.db            | machine credential
        ~/.azure/accessTokens.json                 | machine credential
        ~/.azure/msal_token_cache.json             | machine credential
        ~/.kube/config                             | machine credential
        ~/.kube/cache/discovery/x.json             | machine none
        /etc/kubernetes/admin.conf                 | machine credential
        ~/.docker/config.json                      | machine credential
        ~/.config/containers/auth.json             | machine credential
        /run/user/1000/containers/auth.json        | machine credential
        ~/.netrc                                   | machine credential
        ~/.pgpass                                  | machine credential
        ~/.my.cnf                                  | machine credential
        ~/.npmrc                                   | machine credential
        .npmrc                                     | tree secret
        ~/.pypirc                                  | machine credential
        ~/.gem/credentials                         | machine credential
        ~/.cargo/credentials.toml                  | machine credential
        ~/.git-credentials                         | machine credential
        ~/.gnupg/private-keys-v1.d/a.key           | machine credential
        ~/Library/Keychains/login.keychain-db      | machine credential
        ~/.config/google-chrome/Default/Login Data | machine credential
        ~/.config/google-chrome/Default/Cookies    | machine credential
        ~/.mozilla/firefox/x.default/key4.db       | machine credential
        ~/.mozilla/firefox/x.default/logins.json   | machine credential
        ~/.password-store/bank.gpg                 | machine credential
        ~/vault.kdbx                               | machine credential
        /etc/shadow                                | machine credential
        /etc/gshadow-                              | machine credential
        /etc/ssh/ssh_host_ed25519_key              | machine credential
        /etc/ssh/ssh_host_ed25519_key.pub          | machine system
        /etc/ssl/private/server.key                | machine credential
        ~/.vault-token                             | machine credential
        ~/.config/gh/hosts.yml                     | machine credential
        ~/.terraform.d/credentials.tfrc.json       | machine credential
        ~/.config/rclone/rclone.conf               | machine credential
        ~/.bitcoin/wallet.dat                      | machine credential
        ~/.claude/.credentials.json                | machine credential
        ~/.codex/auth.json                         | machine credential
        ~/server.pem                               | machine credential
        /opt/app/tls.key                           | machine credential
        /run/secrets/token                         | machine credential
        /var/run/secrets/kubernetes.io/serviceaccount/token | machine credential
        ",
    );
}

#[test]
fn files_that_hold_secrets_among_other_things_are_secret() {
    check(
        Some("/srv/shop"),
        r"
        .env                          | tree credential
        ./.env                        | tree credential
        .env.production               | tree credential
        apps/web/.env.local           | tree credential
        /srv/shop/.env                | tree credential
        /srv/other/.env               | machine credential
        prod.env                      | tree secret
        .env.example                  | tree none
        .env.sample                   | tree none
        .env.template                 | tree none
        .env.dist                     | tree none
        .env.production.example       | tree none
        src/env.ts                    | tree none
        src/environment.rs            | tree none
        config/secrets.yml            | tree secret
        credentials.json              | tree secret
        service-account-prod.json     | tree secret
        certs/server.key              | tree secret
        test/fixtures/server.key      | tree none
        test/fixtures/cacert.pem      | tree none
        signing.p12                   | tree secret
        release.keystore              | tree secret
        .htpasswd                     | tree secret
        public/wp-config.php          | tree secret
        app/local_settings.py         | tree secret
        terraform.tfstate             | tree secret
        .terraform/terraform.tfstate  | scratch secret
        terraform.tfstate.backup      | tree secret
        ~/.bash_history               | machine secret
        ~/.zsh_history                | machine secret
        ~/.psql_history               | machine secret
        /proc/self/environ            | machine secret
        /proc/1234/environ            | machine secret
        dist/.env                     | scratch credential
        ",
    );
}

#[test]
fn what_the_machine_depends_on_is_system() {
    check(
        Some("/srv/shop"),
        r"
        /etc/hosts                      | machine system
        /etc/passwd                     | machine system
        /etc/sudoers                    | machine system
        /etc/sudoers.d/agent            | machine system
        /etc/ssl/certs/ca.pem           | machine system
        /etc/crontab                    | machine system
        /etc/cron.d/backup              | machine system
        /var/spool/cron/crontabs/root   | machine system
        /usr/bin/env                    | machine system
        /usr/lib/node_modules/npm/x.js  | machine system
        /usr/build/x                    | machine system
        /usr/local/bin/tool             | machine none
        /bin/sh                         | machine system
        /lib64/ld-linux.so              | machine system
        /boot/vmlinuz                   | machine system
        /sys/kernel/x                   | machine system
        /proc/sysrq-trigger             | machine system
        /proc/sys/kernel/panic          | machine system
        /proc/cpuinfo                   | machine none
        /dev/sda                        | machine system
        /dev/mem                        | machine system
        /dev/ttyUSB0                    | machine system
        /var/lib/postgresql/16/main     | machine system
        /var/log/auth.log               | machine system
        /run/docker.sock                | machine system
        /var/run/docker.sock            | machine system
        /Library/LaunchDaemons/x.plist  | machine system
        /System/Library/x               | machine system
        ~/.bashrc                       | machine system
        ~/.zshrc                        | machine system
        ~/.profile                      | machine system
        ~/.config/fish/config.fish      | machine system
        dotfiles/.bashrc                | tree none
        ~/.ssh/authorized_keys          | machine system
        ~/.ssh/config                   | machine system
        ~/.ssh/known_hosts              | machine private
        ~/.config/autostart/x.desktop   | machine system
        ~/.config/systemd/user/x.service | machine system
        ~/Library/LaunchAgents/x.plist  | machine system
        ~/.gitconfig                    | machine system
        ~/.config/pip/pip.conf          | machine system
        .git/hooks/pre-commit           | tree system
        .git/config                     | tree system
        .git                            | tree system
        .git/objects/ab/cd              | tree system
        .git/COMMIT_EDITMSG             | tree none
        .gitignore                      | tree none
        backup.git/objects/ab           | tree system
        backup.git/refs/heads/main      | tree system
        .husky/pre-push                 | tree system
        .githooks/post-merge            | tree system
        .github/workflows/ci.yml        | tree system
        .github/ISSUE_TEMPLATE.md       | tree none
        .gitlab-ci.yml                  | tree system
        Jenkinsfile                     | tree system
        .circleci/config.yml            | tree system
        azure-pipelines.yml             | tree system
        .vscode/tasks.json              | tree system
        .envrc                          | tree system
        /srv/shop/.git/hooks/pre-push   | tree system
        /tmp/clone/.git/objects/aa      | scratch none
        ",
    );
}

#[test]
fn placet_and_what_makes_hosts_ask_it_are_guarded() {
    check(
        Some("/srv/shop"),
        r"
        ~/.local/share/placet/log.db       | machine guard
        ~/.config/placet/config.toml       | machine guard
        $XDG_CONFIG_HOME/placet/x          | machine guard
        /etc/placet/placet.toml            | machine guard
        placet.toml                        | tree guard
        agent.warrant                      | tree guard
        /run/placet/placet.sock            | machine guard
        /run/user/1000/placet.sock         | machine guard
        /tmp/placet.sock                   | scratch guard
        .claude/settings.json              | tree guard
        .claude/settings.local.json        | tree guard
        ~/.claude/settings.json            | machine guard
        $CLAUDE_CONFIG_DIR/settings.json   | machine guard
        .claude/hooks/gate.py              | tree guard
        .claude/commands/fix.md            | tree none
        /etc/claude-code/managed-settings.json | machine guard
        ~/.codex/config.toml               | machine guard
        ~/.codex/hooks.json                | machine guard
        ~/.codex/requirements.toml         | machine guard
        ~/.cursor/hooks.json               | machine guard
        ~/.cursor/mcp.json                 | machine guard
        ~/.gemini/settings.json            | machine guard
        ~/.copilot/hooks/x.json            | machine guard
        .github/hooks/x.json               | tree guard
        ~/.hermes/config.yaml              | machine guard
        ~/.hermes/plugins/placet/main.py   | machine guard
        /etc/hermes/x                      | machine guard
        ~/.openclaw/openclaw.json          | machine guard
        /home/ann/.claude/settings.json    | machine guard
        ../../home/ann/.claude/settings.json | machine guard
        ",
    );
}

#[test]
fn personal_files_are_private() {
    check(
        Some("/srv/shop"),
        r"
        ~/Documents/taxes.pdf        | machine private
        ~/Documents                  | machine private broad
        ~/Library/Messages/chat.db   | machine private
        /var/mail/ann                | machine private
        ~/.thunderbird/x/Mail/Inbox  | machine private
        /home                        | machine private broad
        ~/notes.txt                  | machine none
        ",
    );
}

#[test]
fn what_a_build_makes_again_is_scratch() {
    check(
        Some("/srv/shop"),
        r"
        /tmp/a.txt                     | scratch none
        /tmp/a/b/../c                  | scratch none
        /private/tmp/x                 | scratch none
        /var/tmp/x                     | scratch none
        /dev/shm/x                     | scratch none
        $TMPDIR/x                      | scratch none
        %TEMP%\x.txt                   | scratch none
        /var/folders/ab/cd/T/x         | scratch none
        node_modules                   | scratch none
        node_modules/left-pad/index.js | scratch none
        packages/a/node_modules        | scratch none
        target/debug/app               | scratch none
        build                          | scratch none
        dist/index.js                  | scratch none
        dist/lib/index.js              | scratch none
        src/build/mod.rs               | tree none
        lib/target/x86.rs              | tree none
        build.rs                       | tree none
        .next/cache                    | scratch none
        __pycache__/a.pyc              | scratch none
        *.pyc                          | scratch none
        src/a.o                        | tree none
        a.o                            | scratch none
        .pytest_cache                  | scratch none
        app.egg-info/PKG-INFO          | scratch none
        .DS_Store                      | scratch none
        .coverage                      | scratch none
        tsconfig.tsbuildinfo           | scratch none
        .terraform/providers           | scratch none
        .venv/bin/python               | scratch none
        ~/.cache/pip                   | scratch none
        ~/.zcompdump-host              | scratch none
        ~/.cache/huggingface/token     | scratch credential
        /var/cache/apt/archives/x.deb  | scratch none
        /var/lib/apt/lists/x           | scratch none
        ~/build/x                      | machine none
        /srv/app/dist                  | machine none
        /srv/app/node_modules          | scratch none
        /srv/shop/dist/x               | scratch none
        /dev/null                      | scratch none
        /dev/stdout                    | scratch none
        /dev/tty                       | scratch none
        /dev/fd/3                      | scratch none
        /dev/urandom                   | scratch none
        ",
    );
}

#[test]
fn a_place_is_seen_from_the_working_directory() {
    check(
        Some("/srv/shop"),
        r"
        src/main.rs            | tree none
        .                      | tree none
        ..                     | machine none broad
        ../other/x             | machine none
        ../shop/x              | tree none
        /srv/shop              | tree none
        /srv/shop/             | tree none
        /srv/shopping/x        | machine none
        /srv                   | machine none broad
        /workspace/x           | machine none
        /testbed/x             | machine none
        /data                  | machine none
        ../../etc/shadow       | machine credential
        $PWD/x                 | tree none
        /proc/self/cwd/x       | tree none
        src/../../../etc/hosts | machine system
        ",
    );
    check(
        None,
        r"
        src/main.rs            | tree none
        ../x                   | machine none
        a/../../x              | machine none
        ../../../etc/shadow    | machine credential
        ../../../../etc/hosts  | machine system
        ../lib/x               | machine none
        ..                     | machine none broad
        ../*                   | machine none broad
        .ssh/id_rsa            | tree credential
        .bashrc                | tree system
        /workspace/x           | machine none
        ",
    );
    check(
        Some("/home/ann"),
        r"
        notes.txt              | machine none
        .ssh/id_rsa            | machine credential
        .bashrc                | machine system
        .                      | machine private broad
        *                      | machine system broad
        .cache/x               | scratch none
        ",
    );
    check(
        Some("/"),
        r"
        etc/shadow             | machine credential
        tmp/x                  | scratch none
        work/x                 | machine none
        *                      | machine system broad
        ",
    );
    check(
        Some("/tmp/job"),
        r"
        a.txt                  | tree none
        /tmp/job/a.txt         | tree none
        /tmp/else              | scratch none
        .git/hooks/pre-commit  | tree system
        ",
    );
    check(Some("/tmp"), "a.txt | scratch none");
    check(
        Some("/home/ann/shop"),
        r"
        ~/shop/src/a.rs        | tree none
        ~/other/a.rs           | machine none
        ~                      | machine private broad
        /home/bob/shop/a.rs    | machine none
        ",
    );
    check(
        Some(r"C:\Users\ann\shop"),
        r"
        src\main.rs                    | tree none
        c:\users\ANN\shop\src\main.rs  | tree none
        ..\other                       | machine none
        node_modules\x                 | scratch none
        .git\hooks\pre-commit          | tree system
        ",
    );
}

#[test]
fn whole_trees_are_broad() {
    check(
        Some("/srv/shop"),
        r"
        /                    | machine none broad
        //                   | machine none broad
        /..                  | machine none broad
        /*                   | machine system broad
        /etc                 | machine system broad
        /etc/                | machine system broad
        /etc/*               | machine guard broad
        /et?                 | machine system broad
        /[e]tc               | machine system broad
        /usr                 | machine system broad
        /usr/lib             | machine system broad
        /usr/local           | machine none broad
        /home/*              | machine private broad
        /home/ann            | machine private broad
        /home/ann/           | machine private broad
        /home/ann/shop       | machine none
        /root                | machine private broad
        ~                    | machine private broad
        ~/                   | machine private broad
        ~ann                 | machine private broad
        ~/*                  | machine system broad
        ~/.*                 | machine guard broad
        ~/.[!.]*             | machine guard broad
        ~/..                 | machine private broad
        /tmp                 | scratch none broad
        /tmp/*               | scratch none broad
        /tmp/x/*             | scratch none
        /var/tmp             | scratch none broad
        C:\                  | machine none broad
        C:\*                 | machine system broad
        D:/                  | machine none broad
        /mnt/c               | machine none broad
        C:\Users             | machine private broad
        C:\Users\ann         | machine private broad
        %USERPROFILE%        | machine private broad
        src                  | tree none
        src/*                | tree none
        *                    | tree none
        /opt                 | machine none broad
        ",
    );
}

#[test]
fn every_spelling_of_a_path_is_the_same_path() {
    check(
        Some("/srv/shop"),
        r"
        //etc//shadow                         | machine credential
        /./etc/./shadow                       | machine credential
        /tmp/../etc/shadow                    | machine credential
        /etc/shadow/                          | machine credential
        /private/etc/shadow                   | machine credential
        /proc/self/root/etc/shadow            | machine credential
        /proc/1/root/proc/1/root/etc/shadow   | machine credential
        file:///etc/shadow                    | machine credential
        FILE:///etc/shadow                    | machine credential
        file://localhost/etc/shadow           | machine credential
        file:/etc/shadow                      | machine credential
        file:///etc/%73hadow                  | machine credential
        file:///C:/Users/ann/.ssh/id_rsa      | machine credential
        file://server/share/x                 | away none
        ~/../../etc/shadow                    | machine credential
        ~/../ann/.ssh/id_rsa                  | machine credential
        C:\Users\ann\.ssh\id_rsa              | machine credential
        C:/Users/ann/.ssh/id_rsa              | machine credential
        \\?\C:\Users\ann\.ssh\id_rsa          | machine credential
        /mnt/c/Users/ann/.ssh/id_rsa          | machine credential
        /c/Users/ann/.ssh/id_rsa              | machine credential
        %USERPROFILE%\.ssh\id_rsa             | machine credential
        $env:USERPROFILE\.aws\credentials     | machine credential
        ${env:USERPROFILE}/.aws/credentials   | machine credential
        %APPDATA%\gcloud\credentials.db       | machine credential
        C:\Windows\System32\config\SAM        | machine credential
        C:\Windows\System32\drivers\etc\hosts | machine system
        %WINDIR%\notepad.exe                  | machine system
        C:\Program Files\x\y.exe              | machine system
        C:\Windows.\notepad.exe               | machine system
        C:\shop\.env::$DATA                   | machine credential
        \\server\share\x                      | away none
        \\server\C$\Windows\x                 | away system
        \\.\PhysicalDrive0                    | machine system broad
        ",
    );
}

#[test]
fn a_wildcard_is_what_it_could_become() {
    check(
        Some("/srv/shop"),
        r"
        ~/.aws/credential?             | machine credential
        ~/.aws/*                       | machine credential
        ~/.ssh/*                       | machine credential
        ~/.ssh/id_*                    | machine credential
        ~/.ss?/id_rsa                  | machine credential
        ~/.[s]sh/id_rsa                | machine credential
        /home/*/.aws/credentials       | machine credential
        /*/*/.aws/credentials          | machine credential
        /hom?/ann/.bashrc              | machine system
        /etc/shado?                    | machine credential
        /e*/shadow                     | machine credential
        /???/shadow                    | machine credential
        .env?                          | tree credential
        .env*                          | tree credential
        .en?                           | tree credential
        *.pem                          | tree secret
        config/*.key                   | tree secret
        .git/hook?/pre-commit          | tree system
        .claude/settings*.json         | tree guard
        .claude/setting?.json          | tree guard
        .github/workflows/*            | tree system
        src/*                          | tree none
        src/**/*.ts                    | tree none
        *.txt                          | tree none
        *.json                         | tree none
        *.yml                          | tree none
        s*                             | tree none
        app/[id]/page.tsx              | tree none
        *credentials*                  | tree secret
        /usr/local/share/app/*         | machine none
        /tmp/krb5cc_*                  | scratch credential
        ",
    );
}

#[test]
fn a_hole_makes_nothing_sensitive_by_itself() {
    check(
        Some("/srv/shop"),
        r"
        @                         | machine none
        @/x                       | machine none
        src/@                     | tree none
        src/@.json                | tree none
        /@                        | machine none
        /tmp/@                    | scratch none
        @/.aws/credentials        | machine credential
        @/.ssh/id_rsa             | machine credential
        @/.bashrc                 | machine system
        @/etc/shadow              | machine credential
        @/lib/x                   | machine none
        /home/@/.ssh/id_rsa       | machine credential
        /etc/@                    | machine system
        ~/.ssh/@                  | machine credential
        .env@                     | tree credential
        @.pem                     | machine credential
        /tmp/@/../../etc/x        | machine none
        node_modules/@            | scratch none
        ",
    );
}

#[test]
fn names_are_for_people() {
    for (cwd, path, name) in [
        (Some("/srv"), "src//./a.rs", "/srv/src/a.rs"),
        (Some("/srv"), "../x/", "/x"),
        (None, "src/./a.rs", "src/a.rs"),
        (None, "../../x", "../../x"),
        (None, "..", ".."),
        (None, "", "."),
        (None, "./", "."),
        (None, "$HOME/.ssh/", "~/.ssh"),
        (None, "${HOME}", "~"),
        (None, "~ann/x", "~ann/x"),
        (None, "/home/ann/x", "/home/ann/x"),
        (None, "/private/etc/hosts", "/etc/hosts"),
        (None, "file:///etc/my%20file", "/etc/my file"),
        (None, r"c:\Users\me\a.txt", "C:/Users/me/a.txt"),
        (None, r"\\srv\share\..\..\x", r"\\srv\share\x"),
        (None, "//", "/"),
    ] {
        assert_eq!(classify(path, cwd).name, name, "{path}");
    }
    assert_eq!(join("/a/b", "../c"), "/a/c");
    assert_eq!(join("/a/b", "/c"), "/c");
    assert_eq!(join("~/a", "b"), "~/a/b");
    assert_eq!(join("a", "b"), "b");
}

#[test]
fn the_number_of_parts_makes_no_difference() {
    for count in 0..30 {
        let deep = "/a".repeat(count);
        let up = "/..".repeat(count);
        for (path, name) in [
            (format!("{deep}/.ssh/id_rsa"), format!("{deep}/.ssh/id_rsa")),
            (format!("{deep}{up}/etc/shadow"), "/etc/shadow".to_owned()),
            (format!("/proc/1/root{deep}/key.pem"), format!("{deep}/key.pem")),
            (format!("/proc/1/cwd{deep}{up}/x/.netrc"), "/srv/shop/x/.netrc".to_owned()),
        ] {
            let found = classify(&path, Some("/srv/shop"));
            assert_eq!(found.name, name, "{path}");
            assert!(found.sensitivity >= Sensitivity::Secret, "{path}");
        }
        assert_eq!(join(&format!("/srv{deep}"), &format!("x{deep}")), format!("/srv{deep}/x{deep}"));
    }
}

#[test]
fn files_have_words() {
    for (path, what) in [
        ("~/.ssh/id_rsa", Some("a private SSH key")),
        ("~/.bashrc", Some("a shell start-up file")),
        (".git/hooks/pre-push", Some("a git hook")),
        ("/dev/nvme0n1p2", Some("a disk")),
        ("/etc/sudoers", Some("who may act as root")),
        ("src/main.rs", None),
    ] {
        assert_eq!(classify(path, None).what, what, "{path}");
    }
}

#[test]
fn disks_are_known() {
    for path in [
        "/dev/sda",
        "/dev/sda1",
        "/dev/nvme0n1",
        "/dev/nvme0n1p3",
        "/dev/vda",
        "/dev/xvda1",
        "/dev/mmcblk0p1",
        "/dev/disk0",
        "/dev/rdisk2s1",
        "/dev/loop0",
        "/dev/mapper/root",
        "/dev/md0",
        "/dev/dm-0",
        "/dev/sd?",
        "/dev/sd*",
        "/dev//sda",
        "/dev/./sda",
        "/dev/disk/by-id/x",
        "/dev/sd\u{1a}",
        "/dev/*",
        "/dev/s?a",
        r"\\.\PhysicalDrive0",
        r"\\.\physicaldrive1",
        r"\\.\C:",
    ] {
        assert!(is_block_device(path), "{path}");
    }
    for path in [
        "/dev/null",
        "/dev/tty",
        "/dev/random",
        "/dev/shm",
        "/dev/shm/x",
        "/dev/fd/0",
        "/dev/loop-control",
        "/dev",
        "sda",
        "/tmp/sda",
        "/dev/stdin",
        "/dev/\u{1a}",
        r"\\.\COM1",
    ] {
        assert!(!is_block_device(path), "{path}");
    }
}

#[test]
fn long_paths_take_no_time() {
    let started = std::time::Instant::now();
    for unit in ["a/", "*/", "../", "*a/", "[", "*", ".ssh/", "?", "\u{1a}/", "node_modules/", "%41", "é*/"]
    {
        let path = unit.repeat((1 << 18) / unit.len());
        for path in [path.clone(), format!("/{path}"), format!("~/{path}"), format!("file:///{path}")] {
            classify(&path, Some(&path));
        }
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z*?.\u{1a}\\[\\]]{1,6}",
        proptest::sample::select(vec![
            "..",
            "~",
            "etc",
            ".ssh",
            "id_rsa",
            ".env",
            ".git",
            "hooks",
            "home",
            "ann",
            "node_modules",
            "tmp",
            ".aws",
            "credentials",
            "build",
            "usr",
            "proc",
            "self",
            "root",
            "private",
            "*",
            ".claude",
            "settings.json",
            "*.pem",
        ])
        .prop_map(str::to_owned),
    ]
}

proptest! {
    #[test]
    fn any_text_has_an_answer(path in any::<String>(), cwd in any::<Option<String>>()) {
        let found = classify(&path, cwd.as_deref());
        prop_assert!(!found.name.is_empty());
        is_block_device(&path);
    }

    #[test]
    fn pieces_of_paths_have_an_answer(path in "[~$%{}/\\\\.:a-cC*?\\[\\]\u{1a}é]{0,24}", cwd in "[~/\\\\.:aC*]{0,8}") {
        classify(&path, Some(&cwd));
        classify(&path, None);
    }

    #[test]
    fn slashes_and_dots_change_nothing(
        root in proptest::sample::select(vec!["", "/", "~/", "$HOME/"]),
        parts in proptest::collection::vec(part(), 1..7),
        at in any::<proptest::sample::Index>(),
        extra in proptest::sample::select(vec!["/./", "//", "/././/"]),
        cwd in proptest::sample::select(vec![None, Some("/srv"), Some("/home/ann"), Some("/")]),
    ) {
        let plain = format!("{root}{}", parts.join("/"));
        let at = at.index(parts.len());
        let padded = format!("{root}{}{extra}{}", parts[..=at].join("/"), parts[at + 1..].join("/"));
        prop_assert_eq!(classify(&padded, cwd), classify(&plain, cwd));
    }

    #[test]
    fn a_name_names_the_same_file(
        root in proptest::sample::select(vec!["", "/", "~/", "$HOME/", "C:\\", "\\\\srv\\share\\"]),
        parts in proptest::collection::vec(part(), 1..7),
    ) {
        let found = classify(&format!("{root}{}", parts.join("/")), None);
        prop_assert_eq!(classify(&found.name, None), found);
    }

    #[test]
    fn a_secret_stays_one_wherever_the_path_begins(front in proptest::collection::vec("[a-z]{1,8}", 0..6)) {
        let path = format!("/{}/.ssh/id_rsa", front.join("/"));
        prop_assert_eq!(classify(&path, None).sensitivity, Sensitivity::Credential);
        prop_assert_ne!(classify(&path, None).place, Place::Tree);
    }
}
