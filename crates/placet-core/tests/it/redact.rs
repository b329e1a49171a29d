//! Secrets are masked, and what is none is left alone.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::borrow::Cow;

use placet_core::{
    Json, Policy, Redactor, ToolCall, ToolName, decide,
    effect::{Pointer, Span},
    json::Object,
    redact::{FORMATS, Format, PatternsFile, kinds},
};
use proptest::prelude::*;

/// Checks `text` against what it should become. `⟦kind⟧` in `marked` is a mask of that kind.
fn check(text: &str, marked: &str) {
    let masked = Redactor::builtin().redact(text);
    let plain: String = without_tails(&masked);
    let expected = marked.replace('⟦', "«").replace('⟧', "»");
    assert_eq!(plain, expected, "{text}");
}

/// Without the letters and numbers that masks show.
fn without_tails(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('«') {
        let end = rest[start..].find('»').map_or(rest.len(), |end| start + end);
        let kind = rest[start..end].split(' ').next().unwrap_or("");
        plain.push_str(&rest[..start]);
        plain.push_str(kind);
        rest = &rest[end..];
    }
    plain.push_str(rest);
    plain
}

/// Checks that nothing in `text` is masked, and that it is not copied.
fn check_clean(text: &str) {
    match Redactor::builtin().redact(text) {
        Cow::Borrowed(same) => assert_eq!(same, text),
        Cow::Owned(masked) => panic!("{text:?} became {masked:?}"),
    }
}

#[test]
fn names_make_their_values_secret() {
    for (text, marked) in [
        ("DB_PASSWORD=hunter2x", "DB_PASSWORD=⟦password⟧"),
        ("export SECRET_TOKEN=mypassword # prod", "export SECRET_TOKEN=⟦token⟧ # prod"),
        ("PGPASSWORD=abc123 psql -h db", "PGPASSWORD=⟦password⟧ psql -h db"),
        (r#"{"password": "s3same open"}"#, r#"{"password": "⟦password⟧"}"#),
        (r#"{\"api_key\": \"k9Xw2LmQ7v\"}"#, r#"{\"api_key\": \"⟦api-key⟧\"}"#),
        ("db:\n  password: s3same!\n  host: db1", "db:\n  password: ⟦password⟧\n  host: db1"),
        ("password = \"s3same\"\nuser = \"ann\"", "password = \"⟦password⟧\"\nuser = \"ann\""),
        ("spring.datasource.password=S3same!", "spring.datasource.password=⟦password⟧"),
        ("<password>s3same</password>", "<password>⟦password⟧</password>"),
        (
            "<add key=\"ClearTextPassword\" value=\"s3same\" />",
            "<add key=\"ClearTextPassword\" value=\"⟦password⟧\" />",
        ),
        ("const apiKey = 'k9Xw2LmQ7vTz';", "const apiKey = '⟦api-key⟧';"),
        ("let token: &str = \"k9Xw2LmQ7vTz\";", "let token: &str = \"⟦token⟧\";"),
        ("setProperty(\"DB_PASSWORD\", \"s3same\")", "setProperty(\"DB_PASSWORD\", \"⟦password⟧\")"),
        ("if (password == \"s3same\") {", "if (password == \"⟦password⟧\") {"),
        ("if (\"s3same\" != password) {", "if (\"⟦password⟧\" != password) {"),
        ("Server=db;Uid=sa;Pwd=S3same!;Encrypt=yes", "Server=db;Uid=sa;Pwd=⟦password⟧;Encrypt=yes"),
        (
            "machine git.example login ann password s3same",
            "machine git.example login ann password ⟦password⟧",
        ),
        ("CREATE USER ann IDENTIFIED BY 's3same'", "CREATE USER ann IDENTIFIED BY '⟦password⟧'"),
        ("GET /x?token=k9Xw2LmQ7vTz&page=2", "GET /x?token=⟦token⟧&page=2"),
    ] {
        check(text, marked);
    }
}

#[test]
fn commands_hold_secrets_in_their_options() {
    for (text, marked) in [
        ("mysql -u root -ps3same shop", "mysql -u root -p⟦password⟧ shop"),
        ("mysqldump --password=s3same shop", "mysqldump --password=⟦password⟧ shop"),
        ("sshpass -p s3same ssh ann@db", "sshpass -p ⟦password⟧ ssh ann@db"),
        ("curl -u ann:s3same https://x.example", "curl -u ann:⟦password⟧ https://x.example"),
        ("curl --user 'ann:s3same' https://x.example", "curl --user 'ann:⟦password⟧' https://x.example"),
        ("redis-cli -h cache -a s3same ping", "redis-cli -h cache -a ⟦password⟧ ping"),
        ("docker login -u ann -p s3same r.example", "docker login -u ann -p ⟦password⟧ r.example"),
        ("tool --api-key k9Xw2LmQ7vTz run", "tool --api-key ⟦api-key⟧ run"),
        ("openssl rsa -passin pass:s3same -in k.pem", "openssl rsa -passin pass:⟦password⟧ -in k.pem"),
        ("htpasswd -b users ann s3same", "htpasswd -b users ann ⟦password⟧"),
        (
            "aws configure set aws_secret_access_key k9Xw2LmQ7vTz",
            "aws configure set aws_secret_access_key ⟦api-key⟧",
        ),
        (
            "curl -H \"Authorization: Bearer k9Xw2LmQ7v\" https://x.example",
            "curl -H \"Authorization: Bearer ⟦bearer-token⟧\" https://x.example",
        ),
    ] {
        check(text, marked);
    }
    check_clean("docker run -p 8080:80 nginx");
    check_clean("mkdir -p build/password-reset && ssh -p 2222 ann@host");
    check_clean("mysql -p shop");
}

#[test]
fn headers_addresses_and_keys() {
    for (text, marked) in [
        ("Authorization: Token 9944b09199c62bcf", "Authorization: Token ⟦authorization⟧"),
        ("Authorization: Basic YW5uOnMzc2FtZQ==", "Authorization: Basic ⟦basic-credentials⟧"),
        ("Cookie: theme=dark; sid=8f14e45fceea467f; lang=en", "Cookie: theme=dark; sid=⟦cookie⟧; lang=en"),
        (
            "Set-Cookie: sid=8f14e45fceea467f; Path=/; Expires=Wed",
            "Set-Cookie: sid=⟦cookie⟧; Path=/; Expires=Wed",
        ),
        ("postgres://shop:s3same@db:5432/shop", "postgres://shop:⟦password⟧@db:5432/shop"),
        ("redis://:p@ssw0rd@cache:6379", "redis://:⟦password⟧@cache:6379"),
        ("mongodb+srv://ann:s3same@c0.example/x", "mongodb+srv://ann:⟦password⟧@c0.example/x"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7v\nabcdefgh==\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN RSA PRIVATE KEY-----\n⟦private-key⟧\n-----END RSA PRIVATE KEY-----",
        ),
        (
            r"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----\n",
            r"-----BEGIN PRIVATE KEY-----\n⟦private-key⟧\n-----END PRIVATE KEY-----\n",
        ),
        ("see eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJl.", "see ⟦jwt⟧."),
        (
            "kind: Secret\ndata:\n  user: YW5uYW5u\ntype: Opaque",
            "kind: Secret\ndata:\n  user: ⟦secret⟧\ntype: Opaque",
        ),
        (
            "https://s.blob.example/x?sv=2024&sig=k9Xw2LmQ7vTz%2Bk9Xw2LmQ7vTz%3D",
            "https://s.blob.example/x?sv=2024&sig=⟦signature⟧",
        ),
    ] {
        check(text, marked);
    }
}

#[test]
fn what_stands_for_a_secret_is_none() {
    for text in [
        "",
        "DB_PASSWORD=",
        "DB_PASSWORD=$PASSWORD",
        "DB_PASSWORD=${DB_PASSWORD:-}",
        "api_key = <your-key>",
        "api_key: \"xxxxxxxxxxxxxxxx\"",
        "password: changeme",
        "password = \"your-password-here\"",
        "api_key = os.environ[\"API_KEY\"]",
        "const token = process.env.TOKEN",
        "token = get_token()",
        "password=password, user=user)",
        "def login(password: str, token: Optional[str] = None):",
        "secret: my-app-secret",
        "password_file: /run/secrets/db",
        "The password must have eight letters.",
        "Enter password:",
        "max_tokens=4096 token_count: 17",
        "tokenizer: bert-base-uncased",
        "curl -H 'Authorization: Bearer $TOKEN' https://x.example",
        "https://user:${PASSWORD}@host/",
        "https://github.com/a/b/commit/9fceb02d0ae598e95dc970b74767f19372d61af8",
        "id: 8f14e45f-ceea-467f-9f3a-0a1b2c3d4e5f",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "integrity=\"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==\"",
        "<img src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk\">",
        "/usr/share/doc/libssl/changelog.Debian.gz ~/.ssh/id_ed25519.pub",
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa\n-----END CERTIFICATE-----",
        "error[E0308]: mismatched types --> src/main.rs:12:5",
        "key: value",
        "sort(key=lambda pair: pair[1])",
        "ann@example.org +49 30 901820 4111 1111 1111 1111",
        "pub credentials: UserCredentials_0,",
        "pub password_length: u32, pub passwd: __u32,",
        "say $token->text(I<name>)",
        "$PASSWORD = $Shop::Config->{db_password} || \"\";",
        "$pass = $_POST['password'];",
        "my $password = prompt(\"Password:\");\n\n    if ($shop->has(\"Text::Reader\")) {",
        "{token:\"keyword.control.rust\",regex:1}",
        "const SPKI_FINGERPRINT: &str = \"Qm9x7Vd1LkT3pZr8sYw2NfHc5JbGa0UeXiMo4DtKq6A=\";",
    ] {
        check_clean(text);
    }
}

/// The neighbours of some of the above, which are secrets.
#[test]
fn what_only_looks_like_a_stand_in_is_a_secret() {
    for (text, masked) in [
        ("password: hunter2_0,", "password: ⟦password⟧,"),
        ("passwd=__u32x9q", "passwd=⟦password⟧"),
        ("token -> k9Xw2LmQ7vTz4nRb", "token -> ⟦token⟧"),
        ("api_key: \"k9x.w2l.m7v\"", "api_key: \"⟦api-key⟧\""),
        (
            "const SIGNER: &str = \"Qm9x7Vd1LkT3pZr8sYw2NfHc5JbGa0UeXiMo4DtKq6A=\";",
            "const SIGNER: &str = \"⟦random-string⟧\";",
        ),
    ] {
        check(text, masked);
    }
}

#[test]
fn names_stand_beside_their_values_in_many_ways() {
    for (text, marked) in [
        // Another element, another line, the other half of a pair.
        ("- name: DB_PASSWORD\n  value: s3same-river", "- name: DB_PASSWORD\n  value: ⟦password⟧"),
        (r#"{"name": "API_TOKEN", "value": "k9Xw2LmQ7vTz"}"#, r#"{"name": "API_TOKEN", "value": "⟦token⟧"}"#),
        (
            "<key>ApiSecret</key>\n\t<string>k9Xw2LmQ</string>",
            "<key>ApiSecret</key>\n\t<string>⟦secret⟧</string>",
        ),
        (
            "<property name=\"db.password\">s3same</property>",
            "<property name=\"db.password\">⟦password⟧</property>",
        ),
        (
            "<setting name=\"Password\"><value>s3same</value>",
            "<setting name=\"Password\"><value>⟦password⟧</value>",
        ),
        ("secret: |\n    k9Xw2LmQ7vTz\n", "secret: |\n    ⟦secret⟧\n"),
        ("API_KEY = \\\n    \"k9Xw2LmQ7vTz\"", "API_KEY = \\\n    \"⟦api-key⟧\""),
        ("username: ann\npassword: sesame", "username: ann\npassword: ⟦password⟧"),
        ("ENV DB_PASSWORD s3same", "ENV DB_PASSWORD ⟦password⟧"),
        (
            "npm config set //r.example/:_authToken k9Xw2LmQ7v",
            "npm config set //r.example/:_authToken ⟦token⟧",
        ),
        (" pre-shared-key k9Xw2LmQ7v\n", " pre-shared-key ⟦api-key⟧\n"),
        // In code.
        ("var dbPassword string = \"s3same\"", "var dbPassword string = \"⟦password⟧\""),
        ("Dim password As String = \"s3same\"", "Dim password As String = \"⟦password⟧\""),
        ("var jwtKey = []byte(\"k9Xw2LmQ7v\")", "var jwtKey = []byte(\"⟦api-key⟧\")"),
        ("token: Some(\"k9Xw2LmQ7v\")", "token: Some(\"⟦token⟧\")"),
        ("user.setPassword(\"sesame\");", "user.setPassword(\"⟦password⟧\");"),
        (".withPassword(\"s3same\")", ".withPassword(\"⟦password⟧\")"),
        ("process.env.DB_PASS || 's3same'", "process.env.DB_PASS || '⟦password⟧'"),
        // In what people and programs say.
        ("Your temporary password is: k9Xw2LmQ7v", "Your temporary password is: ⟦password⟧"),
        ("Password for user admin: k9Xw2LmQ7v", "Password for user admin: ⟦password⟧"),
        ("use token 9944b09199c62bcf9418ad846dd0e4bb to join", "use token ⟦token⟧ to join"),
        ("API key: 9944b09199c62bcf9418ad846dd0e4bb", "API key: ⟦api-key⟧"),
        // In other scripts, with other quotes, blanks and signs.
        ("密码：s3same", "密码：⟦password⟧"),
        ("пароль: s3same-river", "пароль: ⟦password⟧"),
        ("“password”: “s3same”", "“password”: “⟦password⟧”"),
        ("{&quot;password&quot;:&quot;s3same&quot;}", "{&quot;password&quot;:&quot;⟦password⟧&quot;}"),
        ("&lt;password&gt;s3same&lt;/password&gt;", "&lt;password&gt;⟦password⟧&lt;/password&gt;"),
        ("password\u{a0}=\u{a0}s3same-river", "password\u{a0}=\u{a0}⟦password⟧"),
        // What looks like a name of code, but for its number.
        ("password: river.copper44", "password: ⟦password⟧"),
        ("api key is k9Xw2LmQ7vTz4nRbY8sD", "api key is ⟦api-key⟧"),
        ("| token | 9944b09199c62bcf9418ad846dd0e4bb |", "| token | ⟦token⟧ |"),
        ("token(\"9944b09199c62bcf9418ad846dd0e4bb\")", "token(\"⟦token⟧\")"),
        ("AZURE_PAT=k9Xw2LmQ7vTz4nRb", "AZURE_PAT=⟦token⟧"),
        ("ABSTRACT_KEY=9fceb02d-0ae5-498e-95dc-970b74767f19", "ABSTRACT_KEY=⟦key⟧"),
        ("abstract_key: '2qyjtmrombco96kgxmckyc8manpswqhl'", "abstract_key: '⟦key⟧'"),
        ("password: !!str s3same-river", "password: !!str ⟦password⟧"),
        ("**Password:** s3same-river", "**Password:** ⟦password⟧"),
        ("<meta name=\"api-token\" content=\"k9Xw2LmQ7v\">", "<meta name=\"api-token\" content=\"⟦token⟧\">"),
        ("username ann password k9Xw2LmQ7v", "username ann password ⟦password⟧"),
        (
            "https://api.telegram.org/bot1234567890:AAk9Xw2LmQ7vTz4nRbY8sDcF3gH6jK1pQ5w/getMe",
            "https://api.telegram.org/bot⟦telegram-token⟧/getMe",
        ),
        // Vendors of whom nobody has heard.
        ("abstract_key = '9944b09199c62bcf9418ad846dd0e4bb'", "abstract_key = '⟦key⟧'"),
        ("\"auth\": \"YW5uOnMzc2FtZQ==\"", "\"auth\": \"⟦key⟧\""),
        ("_authToken=9fceb02d-0ae5-498e-95dc-970b74767f19", "_authToken=⟦token⟧"),
    ] {
        check(text, marked);
    }
    for text in [
        "- name: token\n  in: header\n  value: string",
        "<label name=\"password\">Password</label>",
        "secret: |\n  see the wiki",
        "export interface User {\n  username: Name\n  password: Secret\n}",
        "password type = the default",
        "token: Some(token)",
        "user.setPassword(password);",
        "page.getByLabel('Password').click()",
        "process.env.DB_PASS || fallback",
        "The password is hashed with argon2id.",
        "the password is base64-encoded",
        "Failed password for root from 203.0.113.5 port 22 ssh2",
        "RSA key 9944B09199C62BCF9418AD846DD0E4BB9944B091",
        "curl -fsS https://a.example/status | token-count | sort",
        "site_key: 6LdQm9xV7dLkT3pZr8sYw2NfHc5JbGa0UeXiMo4D",
        "POSTHOG_KEY=phc_9xV7dLkT3pZr8sYw2NfHc5JbGa0UeXiMo4DtKq6A",
        "host_key = \"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIQm9xV7dLkT3pZr8sYw2NfHc5JbGa0UeXiMo4DtKq6A\"",
        "token0: 0x69b812230b368c7769751f44b88257ae8cc2e492",
        "token_hash: 9944b09199c62bcf9418ad846dd0e4bb9944b09199c62bcf9418ad846dd0e4bb",
        "\"syncToken\": \"CPDAlvWDx70CEPDAlvWDx70CGAU=\"",
        "signing_key = 9944B09199C62BCF9418AD846DD0E4BB9944B091",
        "designToken: color.brand.primary500",
        "jwt_algorithms=RS256,ES256",
        "PASSWORD_HASHERS = ['auth.hashers.Argon2PasswordHasher']",
        "\"密码\": \"请输入密码\"",
        "password = new_password1",
        "fetch(url, { credentials: 'same-origin' })",
        "authorization: the process of deciding who may do what",
        "SENTRY_DSN=https://9944b09199c62bcf9418ad846dd0e4bb@o1.ingest.sentry.io/4",
        "cache-key: deps-9944b09199c62bcf9418ad846dd0e4bb",
        "Public key: 9944b09199c62bcf9418ad846dd0e4bb",
        "密码：至少八个字符",
        "password: settings.utf16",
        "storage_key = \"theme-preference\"",
        "password_validators = ['auth.password_validation.MinimumLengthValidator']",
        "password: ${DB_PASSWORD:?must be set}",
        "password: \"@@DB_PASSWORD@@\"",
        "=item $token->attr_hash",
        "arn:aws:secretsmanager:eu-west-1:123456789012:secret:TeamSecret-a1b2c3",
        "\"AWS::IAM::AccessKey\": \"9944b09199c62bcf\"",
        "\"ClientToken\": \"9fceb02d-0ae5-498e-95dc-970b74767f19\"",
        "_authToken=743b2a4a-cd03-11ec-9d64-0242ac120002",
        "#define SSL_TXT_PSK \"PSK\"",
        "\"S3Key\": \"builds/5026-stage-150723.war\"",
        "print(\"Token: \", token.text, \"\\n\")",
        "token = b64decode(auth['authorizationToken'])",
        "\"group\": \"Policy-152363a6-8c65-484c-b721-42c3e070ae93\"",
        "{\"kty\":\"EC\",\"x\":\"Zjf1u7Mok_7bT4h_d3tLftHRM4czSBSSpgeOfHv8m4J\"}",
    ] {
        check_clean(text);
    }
}

#[test]
fn some_secrets_are_told_by_their_place() {
    for (text, marked) in [
        (
            "DriverManager.getConnection(url, \"ann\", \"s3same\");",
            "DriverManager.getConnection(url, \"ann\", \"⟦password⟧\");",
        ),
        (
            "jwt.sign({ id: 4 }, 's3same', { expiresIn: '1h' })",
            "jwt.sign({ id: 4 }, '⟦password⟧', { expiresIn: '1h' })",
        ),
        ("hmac.new(b\"s3same\", text, sha256)", "hmac.new(b\"⟦password⟧\", text, sha256)"),
        ("ann:s3same@tcp(db:3306)/shop", "ann:⟦password⟧@tcp(db:3306)/shop"),
        ("jdbc:oracle:thin:ann/s3same@db:1521:x", "jdbc:oracle:thin:ann/⟦password⟧@db:1521:x"),
        ("sqlplus -s ann/s3same@//db:1521/X", "sqlplus -s ann/⟦password⟧@//db:1521/X"),
        ("echo 's3same' | sudo -S true", "echo '⟦password⟧' | sudo -S true"),
        ("echo \"ann:s3same\" | chpasswd", "echo \"ann:⟦password⟧\" | chpasswd"),
        ("twine upload -u ann -p s3same dist/*", "twine upload -u ann -p ⟦password⟧ dist/*"),
        ("net use Z: \\\\db\\x /user:ann s3same", "net use Z: \\\\db\\x /user:ann ⟦password⟧"),
        (
            "$p = ConvertTo-SecureString 's3same' -AsPlainText -Force",
            "$p = ConvertTo-SecureString '⟦password⟧' -AsPlainText -Force",
        ),
        (
            "{\"kty\":\"EC\",\"d\":\"Zjf1u7Mok_7bT4h_d3tLftHRM4czSBSSpgeOfHv8m4J\"}",
            "{\"kty\":\"EC\",\"d\":\"⟦private-key⟧\"}",
        ),
        (
            "> -----BEGIN PRIVATE KEY-----\n> MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEA\n> -----END PRIVATE KEY-----",
            "> -----BEGIN PRIVATE KEY-----\n⟦private-key⟧ -----END PRIVATE KEY-----",
        ),
        (
            "Authorization: AWS4-HMAC-SHA256 SignedHeaders=host, Signature=9944b09199c62bcf",
            "Authorization: AWS4-HMAC-SHA256 SignedHeaders=host, Signature=⟦authorization⟧",
        ),
    ] {
        check(text, marked);
    }
    for text in [
        "DriverManager.getConnection(url, user, password);",
        "jwt.verify(token, publicKey, { algorithms: ['RS256'] })",
        "$pass@tcp(db:3306)/shop",
        "import x from \"@/lib/a:b\"",
        "sqlplus -s $ORACLE_USER/$ORACLE_PASSWORD@db",
        "sqlplus / as sysdba @install/run.sql",
        "echo \"$PASSWORD\" | sudo -S true",
        "openssl req -newkey rsa:2048 -keyout k.pem",
        "reg add HKCU\\Shop /v Shown /d C:\\shop",
        "$d = ConvertTo-SecureString $env:PASSWORD -AsPlainText -Force",
        "{\"d\":\"2026-03-02T10:11:12.000Z\"}",
        "between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----",
    ] {
        check_clean(text);
    }
}

#[test]
fn base64_of_a_token_is_the_token() {
    let token = sample("github-token", 7);
    let hidden = base64(format!("token {token} end").as_bytes());
    check(&format!("data {hidden} more"), "data ⟦github-token⟧ more");
}

#[test]
fn a_mask_says_what_it_was_and_no_more() {
    let token = sample("github-token", 3);
    let masked = Redactor::builtin().redact(&token).into_owned();
    assert_eq!(masked, format!("«github-token …{}»", &token[token.len() - 3..]));
    assert_eq!(
        Redactor::builtin().redact("password=s3same-1"),
        "password=«password»",
        "three of eight say too much"
    );
}

#[test]
fn who_writes_a_mask_does_not_hide_behind_it() {
    check("password=«hunter2x»", "password=⟦password⟧");
    check("password=abc1«password»def2", "password=⟦password⟧«password»⟦password⟧");
    check_clean("password=«password» token: «github-token …x9Q»");
}

#[test]
fn equal_secrets_have_equal_masks_in_a_record_and_different_ones_do_not() {
    let redactor = Redactor::builtin();
    let mut record = redactor.record();
    assert_eq!(
        record.text("password=s3same-1 again password=s3same-2"),
        "password=«password» again password=«password #2»"
    );
    assert_eq!(
        record.text("it said s3same-2!"),
        "it said «password #2»!",
        "known by now, wherever it stands"
    );
    assert_eq!(record.text("it began with s3sa…"), "it began with s3sa…", "too little to tell");
    let long = "S3same-street-42-and-more";
    record.text(&format!("passphrase={long}"));
    assert_eq!(record.text(&format!("runs with {}…", &long[..14])), "runs with «password #3»…");
    // Bare first, named later.
    let json = Json::read(r#"{"a":"uses k9Xw2LmQ7vTz here","z":{"api_key":"k9Xw2LmQ7vTz"}}"#).unwrap();
    let masked = redactor.record().json(&json).into_owned();
    assert_eq!(masked.get("a").and_then(Json::as_str), Some("uses «api-key» here"));
}

#[test]
fn the_names_of_members_count() {
    for (json, expected) in [
        (r#"{"password":"s3same"}"#, r#"{"password":"«password»"}"#),
        (r#"{"password":12345678}"#, r#"{"password":"«password»"}"#),
        (r#"{"Authorization":"Bearer k9Xw2LmQ"}"#, r#"{"Authorization":"Bearer «authorization»"}"#),
        (
            r#"{"env":[{"name":"API_KEY","value":"k9Xw2LmQ7v"}]}"#,
            r#"{"env":[{"name":"API_KEY","value":"«api-key»"}]}"#,
        ),
        (r#"["mysql","-ps3same","shop"]"#, r#"["mysql","-p«password»","shop"]"#),
        (r#"["tool","--password","s3same"]"#, r#"["tool","--password","«password»"]"#),
        (r#"{"kind":"Secret","data":{"x":"YW5uYW5u"}}"#, r#"{"data":{"x":"«secret»"},"kind":"Secret"}"#),
        (r#"{"headers":{"Cookie":"sid=8f14e45fceea467f"}}"#, r#"{"headers":{"Cookie":"sid=«cookie»"}}"#),
    ] {
        let read = Json::read(json).unwrap();
        let masked = Redactor::builtin().record().json(&read).into_owned();
        assert_eq!(serde_json::to_string(&masked).unwrap(), expected, "{json}");
    }
    for clean in
        [r#"{"max_tokens":4096,"password":null,"a":[true,1.5,"x"]}"#, r#"["password","email"]"#, "[]"]
    {
        let read = Json::read(clean).unwrap();
        assert!(matches!(Redactor::builtin().record().json(&read), Cow::Borrowed(_)), "{clean}");
    }
}

#[test]
fn secrets_as_keys_are_masked_and_no_member_is_lost() {
    let token = sample("github-token", 5);
    let mask = Redactor::builtin().redact(&token).into_owned();
    let object = Object::from_pairs([(token, Json::from(1)), (mask, Json::from(2))]).unwrap();
    let masked = Redactor::builtin().record().json(&Json::from(object)).into_owned();
    assert_eq!(masked.as_object().unwrap().len(), 2);
}

#[test]
fn a_decision_shows_no_secret_and_its_spans_point_right() {
    let token = sample("github-token", 11);
    let command = format!(
        "curl -H 'Authorization: Bearer {token}' https://x.example/a && rm -rf ~/notes && mysql -ps3same-77 -e 'drop table a'"
    );
    let args = Object::from_pairs([("command", Json::from(command.as_str()))]).unwrap();
    let call = ToolCall::new(ToolName::parse("terminal").unwrap(), args).with_reason(format!("with {token}"));
    let plain = decide(&call, &Policy::default());
    let mut record = Redactor::builtin().record();
    let (shown, moves) = record.call(&call);
    let masked = record.decision_moved(&moves, plain.clone());
    let wire = format!("{}{:?}", serde_json::to_string(&masked).unwrap(), shown);
    assert!(!wire.contains(&token) && !wire.contains("s3same-77"), "{wire}");
    assert_eq!(
        (masked.verdict, masked.digest),
        (plain.verdict, plain.digest),
        "the decision itself is on the call as it is"
    );
    let text = shown.arg("command").and_then(Json::as_str).unwrap();
    let (before, after) = (plain.assessment.unwrap().effects, masked.assessment.unwrap().effects);
    assert!(before.len() > 1);
    for (before, after) in before.iter().zip(&after) {
        let expected = without_tails(&Redactor::builtin().record().text(before.because.of(&command)));
        let words = without_tails(after.because.of(text));
        assert!(words == expected || words.contains('«'), "{words:?} should be {expected:?}");
    }
    let delete = after.iter().find(|effect| effect.because.of(text).contains("notes")).unwrap();
    assert_eq!(delete.because.of(text), "~/notes");
}

#[test]
fn spans_follow_the_words() {
    let text = "first password=s3same-77 then middle token=k9Xw2LmQ7vTz9k last";
    let masked = Redactor::builtin().record().masked(text);
    for word in ["first", "then", "middle", "last"] {
        let at = text.find(word).unwrap();
        let now = masked.remap.range(at..at + word.len());
        assert_eq!(&masked.text[now], word);
    }
    let json = Json::from(Object::from_pairs([("command", Json::from(text))]).unwrap());
    let mut record = Redactor::builtin().record();
    let (_, moves) = record.json_moved(&json);
    let at = text.find("middle").unwrap();
    let pointer = Pointer::root().key("command");
    let span = moves.span(&Span::new(pointer.clone(), at..at + 6));
    assert_eq!(span.of(&masked.text), "middle");
    let elsewhere = Span::new(pointer.key("other"), 1..2);
    assert_eq!(moves.span(&elsewhere), elsewhere);
}

#[test]
fn personal_data_is_masked_for_those_who_ask() {
    let redactor = Redactor::default().with_personal();
    for (text, expected) in [
        ("write to ann.lee+x@mail.example.org.", "write to «e-mail»."),
        ("card 4111 1111 1111 1111 expires", "card «payment-card» expires"),
        ("card 4111 1111 1111 1112 expires", "card 4111 1111 1111 1112 expires"),
        ("call +49 30 901820 now", "call «phone» now"),
        ("call (212) 555-0123 now", "call «phone» now"),
        ("pay DE89 3704 0044 0532 0130 00 today", "pay «iban» today"),
        ("ssn 219-09-9999", "ssn «national-id»"),
        ("cpf 529.982.247-25", "cpf «national-id»"),
        ("from 81.2.69.142 to 10.0.0.1", "from «ip-address» to 10.0.0.1"),
        ("version 1.2.3 of 2026-11-15, 12345678", "version 1.2.3 of 2026-11-15, 12345678"),
    ] {
        assert_eq!(redactor.redact(text), expected, "{text}");
        assert_eq!(redactor.redact(&redactor.redact(text)), expected, "{text}, twice");
    }
}

const SITE: &str = r#"
title = "shop"
[extend]
useDefault = true
[[rules]]
id = "Shop Ticket"
regex = '''\bST-([0-9]{6})\b'''
keywords = ["st-"]
[[rules]]
id = "varied"
regex = '''v:(\S+)'''
entropy = 2.5
[[rules.allowlists]]
regexTarget = "line"
regexes = ['''# nosecret''']
[allowlist]
stopwords = ["sample"]
"#;

#[test]
fn a_site_has_its_own_patterns() {
    let file: PatternsFile = toml::from_str(SITE).unwrap();
    let redactor = Redactor::default().with_patterns(file.compile().unwrap());
    for (text, expected) in [
        ("ticket ST-123456 for ann", "ticket ST-«site-shop-ticket» for ann"),
        ("v:aB3dE5gH", "v:«site-varied»"),
        ("v:aaaaaaaa", "v:aaaaaaaa"),
        ("v:aB3dE5gH # nosecret", "v:aB3dE5gH # nosecret"),
        ("v:aB3dsample", "v:aB3dsample"),
    ] {
        assert_eq!(redactor.redact(text), expected, "{text}");
        assert_eq!(redactor.redact(&redactor.redact(text)), expected, "{text}, twice");
    }
    for (rule, words) in [
        ("[[rules]]\nid = 'a'\nregex = '('", "rule `a`"),
        ("[[rules]]\nid = 'a'\nregex = 'x'\nsecretGroup = 2", "no group 2"),
        ("[[rules]]\nid = 'a'\nregex = 'x'\n[[rules]]\nid = 'a'\nregex = 'y'", "twice"),
        ("[[rules]]\nid = ''\nregex = 'x'", "empty `id`"),
        ("[extend]\npath = 'other.toml'", "extend.path"),
        (
            "[[rules]]\nid = 'a'\nregex = 'x'\n[[rules.allowlists]]\nregexTarget = 'page'",
            "`page` is no regexTarget",
        ),
    ] {
        let file: PatternsFile = toml::from_str(rule).unwrap();
        let error = file.compile().unwrap_err().to_string();
        assert!(error.contains(words), "{rule}: {error}");
    }
    assert!(
        toml::from_str::<PatternsFile>("[[rules]]\nid = 'a'\nrequired = true").is_err(),
        "what is not known is refused"
    );
}

#[test]
fn the_table_reads_well() {
    assert!(FORMATS.len() >= 200, "only {} formats", FORMATS.len());
    for format in FORMATS {
        assert!(format.prefix.len() >= 2, "{}", format.prefix);
        assert!(kinds().contains(&format.kind));
        assert!(
            format
                .kind
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{}",
            format.kind
        );
    }
}

/// A secret of `format`; the same for the same seed.
fn sample_of(format: &Format, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    format.sample(|below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below.max(1)
    })
}

fn sample(kind: &str, seed: u64) -> String {
    sample_of(FORMATS.iter().find(|format| format.kind == kind).unwrap(), seed)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    bytes
        .chunks(3)
        .flat_map(|chunk| {
            let bits =
                chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
            (0..4).map(move |at| {
                if at <= chunk.len() {
                    char::from(DIGITS[(bits >> (18 - 6 * at) & 63) as usize])
                } else {
                    '='
                }
            })
        })
        .collect()
}

fn percent(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'_' | b'.' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// Every encoding that is claimed.
fn encodings(secret: &str) -> Vec<String> {
    let escaped = serde_json::to_string(secret).unwrap();
    vec![
        secret.to_owned(),
        format!("a line\nits token: {secret}\nanother"),
        format!("see({secret}),"),
        escaped.clone(),
        serde_json::to_string(&format!("{{\"a\":{escaped}}}\n")).unwrap(),
        format!("a%20b%3D{}%26c", percent(secret)),
        base64(format!("{{\"a\":\"{secret}\"}}").as_bytes()),
    ]
}

#[test]
fn a_secret_of_every_format_is_masked_in_every_encoding() {
    for (index, format) in FORMATS.iter().enumerate() {
        let secret = sample_of(format, index as u64 + 1);
        for text in encodings(&secret) {
            let masked = Redactor::builtin().redact(&text);
            let core = &secret[format.prefix.len()..];
            assert!(
                !masked.contains(core) && masked.contains('«'),
                "{} {secret}: {text} became {masked}",
                format.kind
            );
        }
    }
}

/// Where masking once brought something out that the next masking masked.
#[test]
fn what_a_mask_brings_out_is_masked_with_it() {
    let open_quote = format!("curl -u annX1w2LmQ7v\" https://a\"b{}?&2LmQ/c:w", "\n".repeat(20));
    for text in [open_quote.as_str(), "password=\"a b\"c\" token='d"] {
        let once = Redactor::builtin().redact(text).into_owned();
        assert_eq!(Redactor::builtin().redact(&once), once, "{text}");
    }
}

/// JSON with the text `planted` somewhere in it.
fn planted_json() -> impl Strategy<Value = (Json, String)> {
    (0..FORMATS.len(), any::<u64>(), 0..7usize, prop::collection::vec(0..5u8, 0..5)).prop_map(
        |(format, seed, encoding, path)| {
            let format = &FORMATS[format];
            let secret = sample_of(format, seed);
            let mut json = Json::from(encodings(&secret)[encoding].as_str());
            for step in path {
                json = match step {
                    0 => Json::from(vec![Json::from("x"), json]),
                    1 => Json::from(Object::from_pairs([("note", json), ("page", Json::from(2))]).unwrap()),
                    2 => Json::from(vec![json, Json::Null, Json::from("--flag")]),
                    3 => Json::from(Object::from_pairs([("token_count", json)]).unwrap()),
                    _ => Json::from(
                        Object::from_pairs([("value", json), ("name", Json::from("notes"))]).unwrap(),
                    ),
                };
            }
            (json, secret[format.prefix.len()..].to_owned())
        },
    )
}

/// Text that is made of what secrets are made of.
fn secretive() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        (0..FORMATS.len(), any::<u64>()).prop_map(|(format, seed)| sample_of(&FORMATS[format], seed)),
        prop::sample::select(vec![
            "password",
            "token",
            "api_key",
            "Authorization",
            "Bearer ",
            "Basic ",
            "=",
            ": ",
            "\"",
            "'",
            " ",
            "\n",
            "://",
            "@",
            ":",
            "hunter2x",
            "k9Xw2LmQ7vTz",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "eyJhbGciOiJIUzI1NiJ9",
            ".",
            "eyJzdWIiOiI0MiJ9",
            "curl -u ",
            "mysql -p",
            "«",
            "»",
            "«password»",
            "…",
            "%3D",
            "\\n",
            "\\\"",
            "<",
            ">",
            "</",
            "&",
            "?sig=",
            "kind: Secret\n",
            "data:\n",
            "  a: ",
            ",",
            ";",
            "${",
            "}",
            "xxxx",
            "Cookie",
            "é",
            "密码",
            "-",
            "_",
            "$2b$12$",
            "123456789",
        ])
        .prop_map(str::to_owned),
        "[ -~]{1,12}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

#[test]
fn a_quote_that_was_open_before_a_password_stays_closed() {
    // Each mask swallowed a quote, and the next look found more of the line in the same word.
    let text = "curl -ua\":nnnn\",C Q\" \"C v\" \"C v\" h";
    let once = Redactor::builtin().record().masked(text).text.into_owned();
    assert_eq!(Redactor::builtin().redact(&once), once, "twice is once");
    for (text, expected) in [
        ("curl -u \"ann:hunter2x\" https://x.example", "curl -u \"ann:«password»\" https://x.example"),
        ("curl -u ann:\"hunter2x\" https://x.example", "curl -u ann:«password» https://x.example"),
        (
            "curl -u \"${user}\":\"${pass}\" https://x.example",
            "curl -u \"${user}\":\"${pass}\" https://x.example",
        ),
    ] {
        assert_eq!(Redactor::builtin().redact(text), expected, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_planted_secret_never_survives((json, core) in planted_json()) {
        let masked = Redactor::builtin().record().json(&json).into_owned();
        let wire = serde_json::to_string(&masked).unwrap();
        prop_assert!(!wire.contains(&core), "{wire}");
        prop_assert!(wire.contains('«'), "{wire}");
    }

    #[test]
    fn twice_is_once(text in secretive()) {
        let once = Redactor::builtin().redact(&text).into_owned();
        let twice = Redactor::builtin().redact(&once).into_owned();
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn clean_text_is_not_copied(text in "[a-z .,\n]{0,200}") {
        if Redactor::builtin().find(&text).is_empty() {
            prop_assert!(matches!(Redactor::builtin().redact(&text), Cow::Borrowed(_)));
        }
    }

    #[test]
    fn what_is_not_masked_stays_where_the_map_says(text in secretive()) {
        let masked = Redactor::builtin().record().masked(&text);
        let mut at = 0;
        for (before, now) in masked.remap.replaced() {
            let kept = at..before.start;
            prop_assert_eq!(&text[kept.clone()], &masked.text[masked.remap.range(kept)]);
            prop_assert!(masked.text[now.clone()].contains('«'), "{:?}", &masked.text[now.clone()]);
            at = before.end;
        }
        let kept = at..text.len();
        prop_assert_eq!(&text[kept.clone()], &masked.text[masked.remap.range(kept)]);
    }
}
