//! What is measured: the same inputs for wall time and for instruction counts.

mod figures;
mod load;
mod rules;

pub use figures::{Figures, Times};
pub use load::{Answered, Load};
pub use rules::{decided_with, rule_set, rules_text};

use placet_core::{Decision, Json, Policy, Redactor, ToolCall, ToolName, decide, json::Object};

/// As in the binary.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A short command, about 50 bytes.
pub const SHORT: &str = r#"git log --oneline -20 | grep "fix" > /tmp/fixes.txt"#;

/// A typical command, about 200 bytes: a list, pipelines, redirections, a substitution and quotes.
pub const TYPICAL: &str = concat!(
    r#"cd "$(git rev-parse --show-toplevel)" && grep -rn --include='*.rs' "fn main" src | "#,
    r#"awk -F: '{print $1}' | sort -u > /tmp/mains.txt 2>&1; wc -l < /tmp/mains.txt && "#,
    r#"cargo test -q --workspace | tail -n 20"#,
);

/// A message as people write it, 300 bytes, that is about nobody's life.
pub const MESSAGE: &str = concat!(
    "Hello Ann, thanks for sending the figures yesterday. The numbers for March look fine, but I would like to go ",
    "through the April ones with you before the board meets on Friday. Could you keep half an hour free on Thursday ",
    "afternoon? I will bring the printed version. See you then, and best regards, Bob"
);

/// The same in Russian, as many bytes.
pub const MESSAGE_RUSSIAN: &str = concat!(
    "Добрый день, Анна! Спасибо за вчерашние цифры. Отчёт за март меня устраивает, а апрельский давайте посмотрим ",
    "до пятницы. Найдётся у вас полчаса в четверг? Спасибо, Ян"
);

/// The same in Chinese, as many bytes.
pub const MESSAGE_CHINESE: &str = concat!(
    "安娜你好，谢谢你昨天发来的数据。三月的数字我看没有问题，不过四月的部分我想在周五开会之前和你一起再核对一遍。",
    "周四下午能不能留出半个小时？我会带上打印好的版本，还有咖啡。到时候见，祝一切顺利，小波敬上。"
);

/// The same in Japanese, as many bytes.
pub const MESSAGE_JAPANESE: &str = concat!(
    "アンナさん、昨日は数字を送ってくれてありがとう。三月分は問題なさそうですが、四月分は金曜日の会議の前に一緒に確認したいです。",
    "木曜日の午後に三十分時間ありますか？印刷した資料とコーヒーを持っていきます。"
);

/// The same in Korean, as many bytes.
pub const MESSAGE_KOREAN: &str = concat!(
    "안나 씨, 어제 자료를 보내 주셔서 고맙습니다. 삼월 숫자는 괜찮아 보이는데 사월 것은 금요일 회의 전에 같이 ",
    "살펴보고 싶습니다. 목요일 오후에 삼십 분쯤 시간을 내 주실 수 있을까요? 인쇄한 자료와 커피를 가져가겠습니다."
);

/// The same in Arabic, as many bytes.
pub const MESSAGE_ARABIC: &str = concat!(
    "مرحباً آنا، شكراً على الأرقام التي أرسلتها أمس. أرقام مارس تبدو جيدة، لكنني أود أن نراجع أرقام أبريل معا قبل ",
    "اجتماع يوم الجمعة. هل يمكنك أن تخصصي نصف ساعة ظهر الخميس؟"
);

/// The same in Hindi, as many bytes.
pub const MESSAGE_HINDI: &str =
    concat!("नमस्ते अंजू, कल के आँकड़ों के लिए धन्यवाद। मार्च के आँकड़े ठीक हैं, अप्रैल के हम सोमवार से पहले ", "साथ देख लें। धन्यवाद");

/// The same in Vietnamese, as many bytes.
pub const MESSAGE_VIETNAMESE: &str = concat!(
    "Chào Anna, cảm ơn bạn đã gửi số liệu hôm qua. Số của tháng ba trông ổn nhưng tôi muốn cùng bạn xem lại số của ",
    "tháng tư trước cuộc họp thứ sáu. Chiều thứ năm bạn có rảnh nửa tiếng không? Tôi sẽ mang bản in và cà phê. Tạm biệt."
);

const _: () = {
    let all = [
        MESSAGE,
        MESSAGE_RUSSIAN,
        MESSAGE_CHINESE,
        MESSAGE_JAPANESE,
        MESSAGE_KOREAN,
        MESSAGE_ARABIC,
        MESSAGE_HINDI,
        MESSAGE_VIETNAMESE,
    ];
    let mut at = 0;
    while at < all.len() {
        assert!(all[at].len() == 300, "the goal is for messages of 300 bytes");
        at += 1;
    }
};

/// A piece of Python as agents write it, about 300 bytes.
pub const PYTHON: &str = concat!(
    "import json\nfrom collections import Counter\nfrom pathlib import Path\n\n",
    "counts = Counter()\nfor path in Path(\"logs\").glob(\"*.jsonl\"):\n    for line in path.read_text().splitlines():\n",
    "        counts[json.loads(line)[\"level\"]] += 1\n",
    "with open(\"out/levels.json\", \"w\") as f:\n    json.dump(counts, f)\nprint(counts.most_common(5))\n",
);

/// Python of the same kind, such that it can be repeated.
const PYTHON_LINES: &str = concat!(
    "def level(line, default=\"info\"):\n    record = json.loads(line)\n    return record.get(\"level\", default).lower()\n\n",
    "with open(\"logs/app.jsonl\") as f:\n    rows = [level(line) for line in f if line.strip()]\n",
    "print(f\"{len(rows)} rows, {rows.count('error') / max(len(rows), 1):.1%} errors\")\n",
);

/// A piece of JavaScript as agents write it, about 300 bytes.
pub const JAVASCRIPT: &str = concat!(
    "import { readFile, writeFile } from 'node:fs/promises';\n",
    "const pkg = JSON.parse(await readFile('package.json', 'utf8'));\n",
    "pkg.scripts = { ...pkg.scripts, test: `vitest run ${pkg.name}` };\n",
    "await writeFile('package.json', JSON.stringify(pkg, null, 2) + '\\n');\n",
    "console.log(Object.keys(pkg.scripts).filter(k => /^te/.test(k)).join(', '));\n",
);

/// A patch as agents write it.
pub const PATCH: &str = "*** Begin Patch\n*** Update File: src/cart.rs\n@@ fn total(&self) -> u64 {\n-        self.items.iter().map(|item| item.price).sum()\n+        self.items.iter().map(|item| item.price * item.count).sum()\n     }\n*** Add File: tests/cart.rs\n+#[test]\n+fn two_apples_cost_twice_as_much() {\n+    assert_eq!(cart(2).total(), 2 * cart(1).total());\n+}\n*** End Patch\n";

/// One megabyte: the largest argument there is a goal for.
pub const MEGABYTE: usize = 1 << 20;

/// Paths as calls name them.
pub const PATHS: [&str; 8] = [
    "src/main.rs",
    "./tests/fixtures/cart.json",
    "/srv/shop/node_modules/left-pad/index.js",
    "~/.ssh/id_ed25519",
    "/etc/nginx/nginx.conf",
    "../shop-api/.env.production",
    "/tmp/build-7f3a/output.log",
    "/var/lib/postgresql/15/main/PG_VERSION",
];

/// A call of `tool` with text arguments, from a host that says where it works.
pub fn call(tool: &str, args: &[(&str, &str)]) -> ToolCall {
    let args = args.iter().map(|(key, value)| ((*key).to_owned(), Json::from(*value)));
    ToolCall::new(
        ToolName::parse(tool).expect("a plain name"),
        Object::from_pairs(args).expect("distinct keys"),
    )
    .with_host("claude-code")
    .with_agent("builder")
    .with_session("01JCX2M8T7")
    .with_cwd("/srv/shop")
}

/// A call of a shell.
pub fn shell_call(command: &str) -> ToolCall {
    call("bash", &[("command", command)])
}

/// Typical calls of other kinds, each of about 300 bytes.
pub fn tool_calls() -> Vec<(&'static str, ToolCall)> {
    let body = "The nightly build of shop 1.4 is green again: the flaky cart test waits for the database now, and the release notes are \
                in docs/releases/1.4.md. Please have a look before noon; I will tag it after lunch if nobody objects. Thanks!";
    let unknown = call(
        "mcp__crm__update_customer_record",
        &[
            ("customer_id", "cus_8f2a"),
            ("note", body),
            ("segment", "enterprise"),
            ("url", "https://crm.example.com/c/8f2a"),
        ],
    )
    .with_description("Updates a customer record in the CRM. It returns the record as it is afterwards.");
    vec![
        (
            "message",
            call("send_email", &[("to", "ann@example.com"), ("subject", "Nightly build"), ("body", body)]),
        ),
        (
            "money",
            call(
                "mcp__stripe__create_refund",
                &[
                    ("payment_intent", "pi_3MtwBwLkdIwHu7ix28a3tqPa"),
                    ("amount", "4200"),
                    ("currency", "eur"),
                    ("reason", body),
                ],
            ),
        ),
        (
            "schedule",
            call(
                "cronjob",
                &[
                    ("action", "create"),
                    ("schedule", "0 9 * * 1-5"),
                    ("name", "build report"),
                    ("prompt", body),
                ],
            ),
        ),
        (
            "delegation",
            call(
                "Task",
                &[("description", "release notes"), ("prompt", body), ("subagent_type", "general-purpose")],
            ),
        ),
        (
            "grant",
            call(
                "mcp__google-drive__share_file",
                &[("fileId", "1a2b3c"), ("email", "bob@example.com"), ("role", "reader"), ("message", body)],
            ),
        ),
        (
            "device",
            call(
                "ha_call_service",
                &[
                    ("domain", "light"),
                    ("service", "turn_on"),
                    ("entity_id", "light.kitchen"),
                    ("data", body),
                ],
            ),
        ),
        ("browser", call("browser_type", &[("element", "Comment field"), ("ref", "e42"), ("text", body)])),
        (
            "process",
            call(
                "process",
                &[
                    ("action", "submit"),
                    ("session_id", "proc_7f3a"),
                    ("data", "cargo test -q --workspace | tail -n 20"),
                ],
            ),
        ),
        ("memory", call("memory", &[("action", "add"), ("target", "memory"), ("content", body)])),
        (
            "web",
            call(
                "http_request",
                &[("method", "POST"), ("url", "https://api.example.com/v1/items"), ("body", body)],
            ),
        ),
        ("unknown", unknown),
    ]
}

/// The line a host sends for a shell call.
pub fn shell_line(command: &str) -> String {
    let command = placet_core::canonical::to_string(&Json::from(command));
    format!(
        r#"{{"tool":"bash","args":{{"command":{command},"description":"Lists the files with a main function"}},"host":"claude-code","agent":"builder","session":"01JCX2M8T7","cwd":"/srv/shop"}}"#
    )
}

/// A shell call of about 1 KiB: the typical command, and a file that it writes.
pub fn kilobyte_shell() -> ToolCall {
    let notes = "The total ignores how many of an item are in the cart; multiply the price by the count.\n";
    shell_call(&format!("cat > docs/notes.md <<'EOF'\n{}EOF\n{TYPICAL}", notes.repeat(8)))
}

/// The line of a call, of about 1 KiB.
pub fn kilobyte_line() -> String {
    let line = concat!(
        r#"{"id":"toolu_01A9f3","tool":"str_replace_based_edit_tool","host":"claude-code","agent":"builder","#,
        r#""session":"01JCX2M8T7","cwd":"/srv/shop","at":"2026-11-15T10:00:00Z","user":"ann@example.org","#,
        r#""args":{"command":"str_replace","path":"/srv/shop/src/cart.rs","old_str":"    pub fn total(&self) -> u64 {\n"#,
        r#"        self.items.iter().map(|item| item.price).sum()\n    }\n","new_str":"    /// What everything costs, \"tax\" excluded.\n"#,
        r#"    pub fn total(&self) -> u64 {\n        self.items.iter().map(|item| item.price * u64::from(item.count)).sum()\n    }\n","#,
        r#""options":{"expected_replacements":1,"dry_run":false,"encoding":"utf-8","retries":3,"backoff":0.25,"#,
        r#""ranges":[[12,48],[50,61],[70,92]],"labels":["cart","money","bug-1274"],"parent":null}},"#,
        r#""description":"Counts every item of a cart","reason":"The test `two_apples_cost_twice_as_much` shows that the total ignores how many of an item are in the cart; "#,
        r#"the customer reported this on Monday, and the fix is to multiply the price by the count. Nothing else in the file changes."}"#,
    );
    line.to_owned()
}

/// Decides under the default policy.
pub fn decided(call: &ToolCall) -> Decision {
    decide(call, &Policy::default())
}

/// From the bytes of a line to the decision.
pub fn decided_line(line: &str) -> Decision {
    let wire = Json::read(line).expect("a line of ours");
    decided(&ToolCall::from_json(&wire).expect("a call of ours"))
}

/// One megabyte of commands that are all different.
fn numbered(command: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(MEGABYTE);
    for number in 0.. {
        let next = command(number);
        if text.len() + next.len() > MEGABYTE {
            break;
        }
        text.push_str(&next);
    }
    text.push_str(&" ".repeat(MEGABYTE - text.len()));
    text
}

/// The arguments of the call of about 1 KiB, with their secrets masked: it has none. Gives how many members there are.
pub fn masked_args(call: &ToolCall) -> usize {
    Redactor::builtin().record().json(call.args()).as_object().map_or(0, Object::len)
}

/// How long `text` is with its secrets masked.
pub fn masked(text: &str) -> usize {
    Redactor::builtin().redact(text).len()
}

/// Texts of one megabyte as agents read them, and the worst of them: full of secrets.
pub fn megabyte_texts() -> Vec<(&'static str, String)> {
    let fill = |unit: &str| unit.repeat(MEGABYTE / unit.len() + 1)[..MEGABYTE].to_owned();
    vec![
        ("redact prose", fill("The quick brown fox jumps over the lazy dog, 42 times. ")),
        (
            "redact code",
            fill(
                "    pub fn total(&self, key: &str) -> u64 { self.items.get(key).map_or(0, |item| item.price) }\n",
            ),
        ),
        (
            "redact log",
            fill(
                "2026-11-15T10:00:00Z INFO GET /orders/8f14e45f-ceea-467f-9f3a-0a1b2c3d4e5f 200 12ms token_count=17\n",
            ),
        ),
        (
            "redact addresses",
            fill("https://shop.example/search?q=%E4%BD%A0&next=https%3A%2F%2Fa.example%2Fb "),
        ),
        ("redact base64", fill("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk")),
        ("redact secrets", fill("DB_PASSWORD=hunter2-and-more\nAPI_KEY=k9Xw2LmQ7vTz4nRb\nHOME=/home/ann\n")),
        (
            "redact different secrets",
            numbered(|n| {
                format!("DB_PASSWORD=hunter{n}-and-more\nAPI_KEY=k9Xw2Lm{n}Q7vTz4nRb\nHOME=/home/ann\n")
            }),
        ),
    ]
}

/// A command of exactly one megabyte, of each shape that could cost more than its length.
pub fn megabyte_shapes() -> Vec<(&'static str, ToolCall)> {
    let shell = |head: &str, unit: &str, tail: &str| {
        let room = MEGABYTE - head.len() - tail.len();
        let mut text = String::with_capacity(MEGABYTE);
        text.push_str(head);
        text.push_str(&unit.repeat(room / unit.len()));
        text.push_str(&" ".repeat(room % unit.len()));
        text.push_str(tail);
        assert_eq!(text.len(), MEGABYTE);
        text
    };
    let prose = "The quick brown fox jumps over the lazy dog, 42 times. ";
    let content = shell("", "pub fn total(&self) -> u64 { self.items.iter().sum() }\n", "");
    let patch = shell(
        "*** Begin Patch\n*** Add File: big.txt\n",
        "+The quick brown fox jumps over the lazy dog.\n",
        "\n*** End Patch\n",
    );
    vec![
        ("one quoted word", shell_call(&shell("echo '", prose, "' > notes.txt"))),
        ("one double-quoted word", shell_call(&shell("echo \"", prose, "\" > notes.txt"))),
        (
            "a here-document",
            shell_call(&shell("cat > notes.txt <<'EOF'\n", "The quick brown fox jumps.\n", "\nEOF\n")),
        ),
        (
            "an open here-document",
            shell_call(&shell("cat > notes.txt <<EOF\n", "The $quick brown `fox` jumps.\n", "\nEOF\n")),
        ),
        ("many commands", shell_call(&shell("", "cp src/a.txt out/a.txt\n", ""))),
        ("many different commands", shell_call(&numbered(|n| format!("cp src/a{n}.txt out/b{n}.txt\n")))),
        ("many pipelines", shell_call(&shell("", "cat a.txt | sort -u | tee b.txt; ", ""))),
        ("many words", shell_call(&shell("rm ", "out/file.txt ", ""))),
        ("many assignments", shell_call(&shell("", "a=$b; b=\"$a$a\"; ", ""))),
        ("many substitutions", shell_call(&shell("echo ", "$(date +%s) ", ""))),
        ("many subshells", shell_call(&shell("", "(cd a; x=1); ", ""))),
        ("code in an argument", shell_call(&shell("python3 -c '", "print(open(\"a.txt\").read())\n", "'"))),
        ("a statement in an argument", shell_call(&shell("psql -c \"", "insert into t values (1); ", "\""))),
        ("python", call("execute_code", &[("code", &shell("", PYTHON_LINES, ""))])),
        ("javascript", call("run_javascript", &[("code", &shell("", JAVASCRIPT, ""))])),
        ("write_file", call("write_file", &[("path", "src/big.rs"), ("content", &content)])),
        ("apply_patch", call("apply_patch", &[("input", &patch)])),
    ]
}

/// So many different commands, each like something an agent runs. The same for every run.
pub fn varied_commands(count: usize) -> Vec<String> {
    const FORMS: [&str; 40] = [
        "ls -la {dir}",
        "cat {file}",
        "cat {file} | head -n {n}",
        "grep -rn '{word}' {dir} | head -{n}",
        "rg --hidden -i \"{word}\" {dir} -g '!{dir2}'",
        "find {dir} -name '*.{ext}' -mtime +{n} -print",
        "find {dir} -type f -name \"*.{ext}\" -exec wc -l {} + | sort -n | tail -{n}",
        "find {dir} -name '{word}*' -delete",
        "git status --short && git diff --stat",
        "git add -A && git commit -m \"{word}: {word2} the {word3}\"",
        "git checkout -b {word}/{word2} && git push -u origin HEAD",
        "git log --oneline -{n} -- {file}",
        "git push --force-with-lease origin {word}",
        "rm -rf {dir}/{word}",
        "rm -f {file} {file2}",
        "mkdir -p {dir}/{word} && cp {file} {dir}/{word}/",
        "mv {file} {file2}",
        "sed -i 's/{word}/{word2}/g' {file}",
        "awk -F, '{print ${n}}' {file} | sort | uniq -c | sort -rn > {dir}/{word}.txt",
        "npm install && npm run {word} -- --reporter={word2}",
        "cargo test --workspace {word} -- --nocapture 2>&1 | tail -n {n}",
        "python3 -m pytest {dir} -k '{word} and not {word2}' -x -q",
        "python3 -c 'import json,sys; print(json.load(open(\"{file}\"))[\"{word}\"])'",
        "pip install -r requirements.txt --quiet",
        "docker compose -f {file} up -d --build {word}",
        "docker run --rm -v \"$PWD\":/src -w /src node:{n} npm test",
        "docker exec {word} sh -c 'ls -la /var/{word2} | wc -l'",
        "kubectl get pods -n {word} -o json | jq -r '.items[].metadata.name'",
        "kubectl -n {word} rollout restart deployment/{word2}",
        "kubectl delete pod {word}-{n} --grace-period=0",
        "curl -s https://api.example.com/{word}/{n} | jq '.{word2}'",
        "curl -X POST -H 'Content-Type: application/json' -d '{\"{word}\": {n}}' http://localhost:8080/{word2}",
        "ssh deploy@{word}.example.com 'sudo systemctl restart {word2}'",
        "psql \"$DATABASE_URL\" -c 'select {word}, count(*) from {word2} group by 1 limit {n}'",
        "for f in {dir}/*.{ext}; do echo \"$f: $(wc -l < \"$f\")\"; done",
        "if [ -f {file} ]; then source {file}; else echo 'no {word}' >&2; exit {n}; fi",
        "cat > {file} <<'EOF'\n{word} = {n}\n{word2} = \"{word3}\"\nEOF",
        "export {word}={n}; ./scripts/{word2}.sh \"${word}\" > {dir}/log.txt 2>&1 &",
        "tar czf /tmp/{word}.tgz {dir} && ls -lh /tmp/{word}.tgz",
        "aws s3 cp {file} s3://{word}-bucket/{word2}/ --acl private",
    ];
    const WORDS: [&str; 16] = [
        "cart", "orders", "payment", "login", "build", "release", "cache", "index", "worker", "report",
        "search", "upload", "session", "invoice", "metrics", "parser",
    ];
    const DIRS: [&str; 8] = [
        "src",
        "tests/unit",
        "./docs",
        "/srv/shop/api",
        "/tmp/work",
        "packages/web",
        "node_modules/.cache",
        "/var/log",
    ];
    const EXTENSIONS: [&str; 6] = ["rs", "py", "ts", "json", "log", "md"];
    let mut state = 0x5eed_u64;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % below
    };
    (0..count)
        .map(|_| {
            // One command, or two or three one after the other.
            let parts = [1, 1, 1, 2, 2, 3][next(6)];
            let mut text = String::new();
            for part in 0..parts {
                if part > 0 {
                    text.push_str([" && ", "; ", " || ", "\n"][next(4)]);
                }
                let mut command = FORMS[next(FORMS.len())].to_owned();
                for hole in ["{word}", "{word2}", "{word3}"] {
                    command = command.replace(hole, WORDS[next(WORDS.len())]);
                }
                for hole in ["{dir}", "{dir2}"] {
                    command = command.replace(hole, DIRS[next(DIRS.len())]);
                }
                for hole in ["{file}", "{file2}"] {
                    let (dir, word) = (DIRS[next(DIRS.len())], WORDS[next(WORDS.len())]);
                    command = command.replace(hole, &format!("{dir}/{word}.{}", EXTENSIONS[next(6)]));
                }
                command =
                    command.replace("{ext}", EXTENSIONS[next(6)]).replace("{n}", &(1 + next(40)).to_string());
                text.push_str(&command);
            }
            text
        })
        .collect()
}
