//! Addresses: where they lead, however they are spelled.

use std::time::{Duration, Instant};

use placet_core::effect::{
    Manner, Place, Pointer, Sensitivity, Span, TargetKind, Verb,
    url::{self, Address, Kind, Reach},
};
use proptest::{collection::vec, prelude::*, sample::select};

/// An address in one line: where it leads, what it is called, and what is to be said of it.
fn in_short(address: &Address) -> String {
    let reach = match address.reach {
        Reach::This => "this",
        Reach::Unknown => "unknown",
        Reach::Public => "public",
        Reach::Private => "private",
        Reach::Metadata => "metadata",
    };
    let mut line = format!("{reach} {}", address.name);
    for (mark, holds) in
        [(" odd", address.odd), (" credentials", address.credentials), (" drop", address.drop)]
    {
        line.push_str(if holds { mark } else { "" });
    }
    line
}

fn check(rows: &[(&str, &str)]) {
    let wrong: Vec<String> = rows
        .iter()
        .map(|(text, expected)| (text, expected, in_short(&url::read(text))))
        .filter(|(_, expected, found)| found != *expected)
        .map(|(text, expected, found)| format!("{text:?}\n    expected {expected}\n    found    {found}"))
        .collect();
    assert!(wrong.is_empty(), "{} of {} rows\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn plain_addresses() {
    check(&[
        ("https://example.com", "public https://example.com"),
        ("https://example.com/", "public https://example.com/"),
        ("HTTPS://EXAMPLE.COM/Path", "public https://example.com/Path"),
        ("https://example.com:8443/a?b=c#d", "public https://example.com:8443/a?b=c#d"),
        ("https://example.com./a", "public https://example.com/a"),
        ("  https://example.com/a \n", "public https://example.com/a"),
        ("example.com", "public example.com"),
        ("example.com:8080", "public example.com:8080"),
        ("example.com/a/b", "public example.com/a/b"),
        ("//example.com/a", "public //example.com/a"),
        ("git@github.com", "public git@github.com"),
        ("git@github.com:placet/placet.git", "public git@github.com:placet/placet.git"),
        ("ssh://git@github.com/placet/placet.git", "public ssh://git@github.com/placet/placet.git"),
        ("first.last@example.com", "public first.last@example.com"),
        ("https://medium.com/@somebody/post", "public https://medium.com/@somebody/post"),
        ("https://example.com?mail=a@b.example", "public https://example.com?mail=a@b.example"),
        ("8.8.8.8", "public 8.8.8.8"),
        ("http://8.8.8.8:53/", "public http://8.8.8.8:53/"),
        ("http://[2606:4700::1111]/", "public http://[2606:4700::1111]/"),
        ("http://[2606:4700:0:0:0:0:0:1111]:443/", "public http://[2606:4700::1111]:443/"),
        ("s3://backups/db.gz", "public s3://backups/db.gz"),
        ("gs://bucket", "public gs://bucket"),
        ("wss://example.com/socket", "public wss://example.com/socket"),
        ("https://xn--mnchen-3ya.de/", "public https://xn--mnchen-3ya.de/"),
        ("https://münchen.de/", "public https://münchen.de/"),
        ("https://почта.рф/", "public https://почта.рф/"),
        ("https://notlocalhost.com/", "public https://notlocalhost.com/"),
        ("https://localhost.evil.example/", "public https://localhost.evil.example/"),
        ("https://127.0.0.1.evil.example/", "public https://127.0.0.1.evil.example/"),
        ("https://169.254.169.254.evil.example/", "public https://169.254.169.254.evil.example/"),
        ("https://mylocal/", "private https://mylocal/"),
        ("https://internal.example.com/", "public https://internal.example.com/"),
    ]);
}

#[test]
fn this_machine() {
    check(&[
        ("localhost", "this localhost"),
        ("localhost:3000", "this localhost:3000"),
        ("http://localhost/", "this http://localhost/"),
        ("http://LOCALHOST/", "this http://localhost/"),
        ("http://localhost./", "this http://localhost/"),
        ("http://app.localhost:8080/", "this http://app.localhost:8080/"),
        ("http://localhost.localdomain/", "this http://localhost.localdomain/"),
        ("http://host.docker.internal:5432", "this http://host.docker.internal:5432"),
        ("127.0.0.1", "this 127.0.0.1"),
        ("127.0.0.1:80", "this 127.0.0.1:80"),
        ("http://127.8.9.10/", "this http://127.8.9.10/"),
        ("0.0.0.0", "this 0.0.0.0"),
        ("::1", "this [::1]"),
        ("[::1]:80", "this [::1]:80"),
        ("http://[::1]/", "this http://[::1]/"),
        ("http://[::]/", "this http://[::]/"),
        ("http://[0:0:0:0:0:0:0:1]/", "this http://[::1]/"),
        ("http://[0000::0001]:9/", "this http://[::1]:9/"),
        ("http://[::1%25lo]/", "this http://[::1]/"),
        ("postgres://localhost/shop", "this postgres://localhost/shop"),
        ("unix:///var/run/docker.sock", "this unix:///var/run/docker.sock"),
    ]);
}

#[test]
fn this_machine_in_disguise() {
    check(&[
        ("http://2130706433/", "this http://127.0.0.1/ odd"),
        ("http://0x7f000001/", "this http://127.0.0.1/ odd"),
        ("http://0X7F000001/", "this http://127.0.0.1/ odd"),
        ("http://127.1/", "this http://127.0.0.1/ odd"),
        ("http://127.0.1/", "this http://127.0.0.1/ odd"),
        ("http://0x7f.1/", "this http://127.0.0.1/ odd"),
        ("http://0x7f.0x0.0x0.0x1/", "this http://127.0.0.1/ odd"),
        ("http://127.0x1/", "this http://127.0.0.1/ odd"),
        ("http://0/", "this http://0.0.0.0/ odd"),
        ("0:8080", "this 0.0.0.0:8080 odd"),
        ("http://127.0.0.1./", "this http://127.0.0.1/"),
        ("http://[::ffff:127.0.0.1]/", "this http://[::ffff:127.0.0.1]/ odd"),
        ("http://[::ffff:7f00:1]/", "this http://[::ffff:127.0.0.1]/ odd"),
        ("http://[0:0:0:0:0:FFFF:7F00:0001]/", "this http://[::ffff:127.0.0.1]/ odd"),
        ("http://[::127.0.0.1]/", "this http://[::ffff:127.0.0.1]/ odd"),
        ("http://%31%32%37.0.0.1/", "this http://127.0.0.1/ odd"),
        ("http://127%2e0%2E0%2e1/", "this http://127.0.0.1/ odd"),
        ("http://%6cocalhost/", "this http://localhost/ odd"),
        ("http://①②⑦.⓪.⓪.①/", "this http://127.0.0.1/ odd"),
        ("http://127。0。0。1/", "this http://127.0.0.1/ odd"),
        ("http://127．0｡0.1/", "this http://127.0.0.1/ odd"),
        ("http://１２７.０.０.１/", "this http://127.0.0.1/ odd"),
        ("http://𝟏𝟚𝟟.𝟬.𝟶.𝟭/", "this http://127.0.0.1/ odd"),
        ("http://¹²⁷.₀.⁰.¹/", "this http://127.0.0.1/ odd"),
        ("http://ｌｏｃａｌｈｏｓｔ/", "this http://localhost/ odd"),
        ("http://ⓛocalhost/", "this http://localhost/ odd"),
        ("http://loc\u{ad}alhost/", "this http://localhost/ odd"),
        ("http://local\u{200b}host/", "this http://localhost/ odd"),
        ("http://loca\nlhost/", "this http://localhost/ odd"),
        ("ht\ttp://127.0.\t0.1/", "this http://127.0.0.1/ odd"),
        (r"http:\\127.0.0.1\x", r"this http://127.0.0.1\x odd"),
        ("http:127.0.0.1/x", "this http://127.0.0.1/x odd"),
        ("http:/127.0.0.1/x", "this http://127.0.0.1/x odd"),
        ("http:///127.0.0.1/x", "this http://127.0.0.1/x odd"),
        ("http://127.0.0.1.nip.io/", "this http://127.0.0.1.nip.io/ odd"),
        ("http://app.127-0-0-1.sslip.io/", "this http://app.127-0-0-1.sslip.io/ odd"),
        ("http://7f000001.nip.io/", "this http://7f000001.nip.io/ odd"),
        ("http://--1.sslip.io/", "this http://--1.sslip.io/ odd"),
        ("http://example.com@127.0.0.1/", "this http://…@127.0.0.1/ odd credentials"),
        ("http://example.com:80@localhost/", "this http://…@localhost/ odd credentials"),
    ]);
}

#[test]
fn where_readings_differ_the_further_reaching_counts() {
    check(&[
        // Octal for some, decimal for others.
        ("http://0177.0.0.1/", "public http://127.0.0.1/ odd"),
        ("http://017700000001/", "public http://127.0.0.1/ odd"),
        ("http://010.0.0.1/", "private http://8.0.0.1/ odd"),
        ("http://0169.0254.0169.0254/", "metadata http://169.172.169.172/ odd"),
        // Too large for some, wrapped around by others.
        ("http://425.510.425.510/", "metadata http://425.510.425.510/ odd"),
        ("http://7147006462/", "metadata http://7147006462/ odd"),
        ("http://256.256.256.256/", "unknown http://256.256.256.256/ odd"),
        ("http://1.2.3.4.5/", "unknown http://1.2.3.4.5/"),
        ("http://1.2.3.four.5/", "unknown http://1.2.3.four.5/"),
        // Where the host ends.
        (r"http://127.0.0.1\@example.com/", r"public http://127.0.0.1\@example.com/ odd"),
        (r"http://example.com\@169.254.169.254/", r"metadata http://example.com\@169.254.169.254/ odd"),
        ("http://127.0.0.1#@example.com/", "public http://127.0.0.1#@example.com/ odd"),
        ("http://example.com?@10.0.0.1/", "private http://example.com?@10.0.0.1/ odd"),
        ("http://a@b@example.com/", "public http://…@example.com/ odd credentials"),
        ("http://7f000001.a9fea9fe.rbndr.us/", "metadata http://7f000001.a9fea9fe.rbndr.us/ odd"),
        ("mongodb://localhost:1,10.0.0.7:2/x", "private mongodb://localhost:1,10.0.0.7:2/x"),
    ]);
}

#[test]
fn private_networks() {
    check(&[
        ("10.0.0.1", "private 10.0.0.1"),
        ("http://172.16.0.1/", "private http://172.16.0.1/"),
        ("http://172.31.255.255/", "private http://172.31.255.255/"),
        ("http://172.32.0.1/", "public http://172.32.0.1/"),
        ("http://172.15.0.1/", "public http://172.15.0.1/"),
        ("http://192.168.1.1:8080/x", "private http://192.168.1.1:8080/x"),
        ("http://169.254.1.1/", "private http://169.254.1.1/"),
        ("http://100.64.0.1/", "private http://100.64.0.1/"),
        ("http://100.127.1.1/", "private http://100.127.1.1/"),
        ("http://100.128.0.1/", "public http://100.128.0.1/"),
        ("http://198.18.0.1/", "private http://198.18.0.1/"),
        ("http://224.0.0.251/", "private http://224.0.0.251/"),
        ("http://0xa000001/", "private http://10.0.0.1/ odd"),
        ("http://192.168.257/", "private http://192.168.1.1/ odd"),
        ("http://[fe80::1]/", "private http://[fe80::1]/"),
        ("http://[fe80::1%25eth0]:80/", "private http://[fe80::1]:80/"),
        ("fe80::1%eth0", "private [fe80::1]"),
        ("http://[fd12:3456::1]/", "private http://[fd12:3456::1]/"),
        ("http://[ff02::1]/", "private http://[ff02::1]/"),
        ("http://[::ffff:10.0.0.1]/", "private http://[::ffff:10.0.0.1]/ odd"),
        ("http://[64:ff9b::a00:1]/", "private http://[64:ff9b::a00:1]/"),
        ("http://[2002:a00:1::]/", "private http://[2002:a00:1::]/"),
        ("http://[64:ff9b::7f00:1]/", "public http://[64:ff9b::7f00:1]/"),
        ("http://db/", "private http://db/"),
        ("redis:6379", "private redis:6379"),
        ("http://printer.local/", "private http://printer.local/"),
        ("http://api.shop.svc.cluster.local/", "private http://api.shop.svc.cluster.local/"),
        ("http://wiki.corp.internal./", "private http://wiki.corp.internal/"),
        ("http://nas.lan/", "private http://nas.lan/"),
        ("http://router.home.arpa/", "private http://router.home.arpa/"),
        ("http://10.0.0.1.nip.io/", "private http://10.0.0.1.nip.io/ odd"),
        ("http://8.8.8.8.nip.io/", "public http://8.8.8.8.nip.io/"),
        ("http://nip.io/", "public http://nip.io/"),
    ]);
}

#[test]
fn metadata_services() {
    check(&[
        ("http://169.254.169.254/latest/meta-data/", "metadata http://169.254.169.254/latest/meta-data/"),
        ("169.254.169.254", "metadata 169.254.169.254"),
        ("169.254.169.254/80", "metadata 169.254.169.254/80"),
        ("http://169.254.170.2/v2/credentials", "metadata http://169.254.170.2/v2/credentials"),
        ("http://metadata.google.internal/", "metadata http://metadata.google.internal/"),
        ("http://METADATA.google.internal./", "metadata http://metadata.google.internal/"),
        ("http://metadata/computeMetadata/v1/", "metadata http://metadata/computeMetadata/v1/"),
        ("http://100.100.100.200/", "metadata http://100.100.100.200/"),
        ("http://168.63.129.16/", "metadata http://168.63.129.16/"),
        ("http://192.0.0.192/", "metadata http://192.0.0.192/"),
        ("http://[fd00:ec2::254]/", "metadata http://[fd00:ec2::254]/"),
        ("http://[fd00:0ec2:0:0:0:0:0:254]/", "metadata http://[fd00:ec2::254]/"),
        ("http://2852039166/", "metadata http://169.254.169.254/ odd"),
        ("http://0xa9fea9fe/", "metadata http://169.254.169.254/ odd"),
        ("http://0251.0376.0251.0376/", "metadata http://169.254.169.254/ odd"),
        ("http://169.254.43518/", "metadata http://169.254.169.254/ odd"),
        ("http://169.16689662/", "metadata http://169.254.169.254/ odd"),
        ("http://[::ffff:a9fe:a9fe]/", "metadata http://[::ffff:169.254.169.254]/ odd"),
        ("http://[::a9fe:a9fe]/", "metadata http://[::ffff:169.254.169.254]/ odd"),
        ("http://[64:ff9b::a9fe:a9fe]/", "metadata http://[64:ff9b::a9fe:a9fe]/"),
        ("http://①⑥⑨.②⑤④.⑯⑨.㉕④/", "metadata http://169.254.169.254/ odd"),
        ("http://169。254。169。254/", "metadata http://169.254.169.254/ odd"),
        ("http://169.254.169.254.nip.io/", "metadata http://169.254.169.254.nip.io/ odd"),
        ("http://a9fea9fe.sslip.io/", "metadata http://a9fea9fe.sslip.io/ odd"),
        ("http://x@169.254.169.254/", "metadata http://…@169.254.169.254/ credentials"),
        ("http://169.254.169.\u{1a}/", "metadata http://169.254.169.…/"),
    ]);
}

#[test]
fn what_nobody_can_know() {
    check(&[
        ("", "unknown another machine"),
        ("\u{1a}", "unknown …"),
        ("http://\u{1a}/x", "unknown http://…/x"),
        ("http://localhost\u{1a}/", "unknown http://localhost…/"),
        ("http://\u{1a}.example.com/", "unknown http://….example.com/"),
        ("http://localhost:\u{1a}/x", "this http://localhost:…/x"),
        ("https://example.com/\u{1a}", "public https://example.com/…"),
        ("https://\u{1a}.ngrok.io/", "unknown https://….ngrok.io/ drop"),
        ("http://", "unknown http://"),
        ("http://exa mple.com/", "unknown http://exa mple.com/"),
        ("http://a..b/", "unknown http://a..b/"),
        ("http://[::zz]/", "unknown http://[::zz]/ odd"),
        ("8080", "unknown 8080"),
        ("javascript:fetch('//evil.example')", "unknown javascript:fetch('//evil.example')"),
        ("mailto:ann@example.com", "unknown mailto:ann@example.com"),
        ("data:text/html,hello", "this data:text/html,hello"),
        ("about:blank", "this about:blank"),
    ]);
}

#[test]
fn credentials_are_left_out_of_the_name() {
    check(&[
        ("https://ann:hunter2@example.com/x", "public https://…@example.com/x credentials"),
        ("https://ghp_abcdef@github.com/a/b.git", "public https://…@github.com/a/b.git credentials"),
        ("https://git@github.com/a/b.git", "public https://git@github.com/a/b.git"),
        ("https://ann%40corp.example:pw@example.com/", "public https://…@example.com/ credentials"),
        ("postgres://shop:pw@db:5432/shop", "private postgres://…@db:5432/shop credentials"),
        ("postgres://shop@db/shop", "private postgres://shop@db/shop"),
        ("redis://:pw@cache.example:6379/0", "public redis://…@cache.example:6379/0 credentials"),
        ("jdbc:mysql://root:pw@10.0.0.3/x", "private mysql://…@10.0.0.3/x credentials"),
        ("ann:pw@example.com", "public …@example.com credentials"),
        ("https://\u{1a}:\u{1a}@example.com/", "public https://…@example.com/ credentials"),
        ("https://e.com/?access_token=abc", "public https://e.com/?access_token=… credentials"),
        ("https://e.com/?a=1&Token=abc&b=2#x", "public https://e.com/?a=1&Token=…&b=2#x credentials"),
        ("https://e.com/#id_token=abc", "public https://e.com/#id_token=… credentials"),
        ("https://e.com/?token=", "public https://e.com/?token="),
        ("https://e.com/?tokens=5", "public https://e.com/?tokens=5"),
        ("https://e.com/token=5", "public https://e.com/token=5"),
    ]);
}

#[test]
fn places_where_strangers_pick_things_up() {
    check(&[
        ("https://transfer.sh/x.tgz", "public https://transfer.sh/x.tgz drop"),
        ("transfer.sh", "public transfer.sh drop"),
        ("https://0x0.st", "public https://0x0.st drop"),
        ("https://FILE.IO/", "public https://file.io/ drop"),
        ("https://pastebin.com/api/api_post.php", "public https://pastebin.com/api/api_post.php drop"),
        ("https://webhook.site/0000", "public https://webhook.site/0000 drop"),
        ("https://abc.ngrok-free.app/", "public https://abc.ngrok-free.app/ drop"),
        ("https://a.b.oast.fun/", "public https://a.b.oast.fun/ drop"),
        ("termbin.com:9999", "public termbin.com:9999 drop"),
        ("https://x.trycloudflare.com./", "public https://x.trycloudflare.com/ drop"),
        ("https://eo1.m.pipedream.net", "public https://eo1.m.pipedream.net drop"),
        ("https://litterbox.catbox.moe/api", "public https://litterbox.catbox.moe/api drop"),
        ("https://mytransfer.sh/", "public https://mytransfer.sh/"),
        ("https://transfer.sh.example.com/", "public https://transfer.sh.example.com/"),
        ("https://example.com/transfer.sh", "public https://example.com/transfer.sh"),
        (r"https://example.com\@transfer.sh/", r"public https://example.com\@transfer.sh/ odd drop"),
        ("https://profile.io/", "public https://profile.io/"),
    ]);
}

#[test]
fn names_made_to_be_mistaken() {
    check(&[
        ("https://аррӏе.com/", "public https://аррӏе.com/ odd"),
        ("https://xn--80ak6aa92e.com/", "public https://xn--80ak6aa92e.com/ odd"),
        ("https://pаypal.com/", "public https://pаypal.com/ odd"),
        ("https://xn--pypal-4ve.com/", "public https://xn--pypal-4ve.com/ odd"),
        ("http://١٢٧.٠.٠.١/", "public http://١٢٧.٠.٠.١/ odd"),
        ("https://xn--/", "private https://xn--/"),
        ("https://xn--99999999999/", "private https://xn--99999999999/"),
        ("https://www.bank.example@evil.example/", "public https://…@evil.example/ odd credentials"),
        ("gopher://127.0.0.1:6379/_FLUSHALL", "this gopher://127.0.0.1:6379/_FLUSHALL odd"),
        ("dict://localhost:11211/stats", "this dict://localhost:11211/stats odd"),
        ("gopher://gopher.example/1", "public gopher://gopher.example/1"),
    ]);
}

#[test]
fn a_file_address_is_the_file() {
    for (text, path) in [
        ("file:///etc/passwd", Some("/etc/passwd")),
        ("FILE:///etc/passwd", Some("/etc/passwd")),
        ("file:/etc/passwd", Some("/etc/passwd")),
        ("file://localhost/etc/passwd", Some("/etc/passwd")),
        ("file://127.0.0.1/etc/passwd", Some("/etc/passwd")),
        ("file:///etc/%70asswd", Some("/etc/passwd")),
        ("file:///etc/passwd?x#y", Some("/etc/passwd")),
        ("file://~/.ssh/id_rsa", Some("~/.ssh/id_rsa")),
        ("file://\u{1a}/.ssh/id_rsa", Some("\u{1a}/.ssh/id_rsa")),
        ("fi\nle:///etc/passwd", Some("/etc/passwd")),
        ("file://server.example/share", None),
        ("https://example.com/etc/passwd", None),
    ] {
        assert_eq!(url::read(text).path.as_deref(), path, "{text:?}");
    }
    let target = url::read("file:///home/ann/.ssh/id_rsa").target();
    assert_eq!((target.kind, target.sensitivity), (TargetKind::Path, Sensitivity::Credential));
}

#[test]
fn the_kind_tells_a_document_from_a_machine() {
    for (text, kind) in [
        ("example.com", Kind::Host),
        ("example.com:80", Kind::Host),
        ("ann@example.com", Kind::Host),
        ("10.0.0.1/4444", Kind::Host),
        ("example.com/x", Kind::Url),
        ("https://example.com", Kind::Url),
        ("data:,x", Kind::Url),
    ] {
        assert_eq!(url::read(text).kind, kind, "{text:?}");
    }
}

#[test]
fn targets_say_where_and_what_it_would_mean() {
    for (text, place, sensitivity) in [
        ("http://localhost/", Place::Machine, Sensitivity::None),
        ("http://10.0.0.1/", Place::Away, Sensitivity::Private),
        ("http://169.254.169.254/", Place::Away, Sensitivity::Credential),
        ("https://example.com/", Place::Away, Sensitivity::None),
        ("https://\u{1a}/", Place::Away, Sensitivity::None),
        ("https://transfer.sh/", Place::Away, Sensitivity::None),
    ] {
        let target = url::read(text).target();
        assert_eq!((target.place, target.sensitivity), (place, sensitivity), "{text}");
    }
    assert_eq!(url::read("https://transfer.sh/").recipient().sensitivity, Sensitivity::Secret);
    let effect = url::read("http://2130706433/").effect(Verb::Send, Span::new(Pointer::root(), 0..0));
    assert!(effect.manner.has(Manner::HIDDEN));
}

#[test]
fn long_texts_are_read_in_linear_time() {
    const COUNT: usize = 1 << 14;
    let start = Instant::now();
    for piece in [
        "a",
        ".",
        "1.",
        "1-",
        "@",
        ":",
        "/",
        "\\",
        "%41",
        "xn--a.",
        "①",
        "[",
        "a,",
        "?token=a&",
        "\n",
        "\u{1a}",
    ] {
        for lead in ["", "http://", "mongodb://", "file://", "data:"] {
            for tail in ["", ".nip.io", "@10.0.0.1/"] {
                let text = format!("{lead}{}{tail}", piece.repeat(COUNT));
                std::hint::black_box(url::read(&text));
            }
        }
    }
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

/// Pieces of addresses; strung together they reach further than noise.
const PIECES: &[&str] = &[
    "http",
    "https",
    "file",
    "gopher",
    "data",
    "jdbc",
    ":",
    "//",
    "/",
    "\\",
    "@",
    "?",
    "#",
    "[",
    "]",
    "%",
    "%2",
    "%2e",
    ".",
    "。",
    "127",
    "0x7f",
    "0177",
    "1",
    "::",
    "ffff",
    "localhost",
    "nip.io",
    "xn--",
    "xn--80ak6aa92e",
    "①",
    "а",
    "\n",
    "\t",
    " ",
    "\u{1a}",
    "\u{ad}",
    "token=",
    "=",
    "&",
    ",",
    "-",
    "com",
    "169.254.169.254",
    "99999999999999999999",
    "é",
];

/// Hosts of every kind, spelled in every way that a port can follow.
const HOSTS: &[&str] = &[
    "localhost",
    "LOCALHOST",
    "localhost.",
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[fe80::1%25eth0]",
    "10.0.0.1",
    "db",
    "printer.local",
    "169.254.169.254",
    "0xa9fea9fe",
    "[fd00:ec2::254]",
    "metadata.google.internal",
    "example.com",
    "EXAMPLE.com.",
    "8.8.8.8",
    "①②⑦.⓪.⓪.①",
    "10.0.0.1.nip.io",
    "transfer.sh",
    "x.ngrok.io",
    "%31%32%37.0.0.1",
    "127。0。0。1",
    "аррӏе.com",
    "\u{1a}",
    "x.\u{1a}.com",
    "1.2.3.4.5",
    "425.510.425.510",
];

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        url::read(&text);
    }

    #[test]
    fn any_pieces_are_read(pieces in vec(select(PIECES), 0..16)) {
        let text = pieces.concat();
        let address = url::read(&text);
        prop_assert!(!address.name.is_empty());
        prop_assert!(!address.name.contains('\u{1a}'), "a hole shows");
        // What is sent there never weighs less than what is read there.
        prop_assert!(address.recipient().sensitivity >= address.target().sensitivity);
    }

    #[test]
    fn a_port_or_a_path_changes_nothing(
        host in select(HOSTS),
        scheme in select(&["", "http://", "https://", "ftp://", "ssh://", "//"][..]),
        port in any::<u16>(),
        path in "/[a-z0-9@:.\\\\%-]{0,12}(\\?[a-z=&@:/]{0,12})?(#[a-z@/]{0,6})?",
    ) {
        let plain = url::read(&format!("{scheme}{host}"));
        for more in [format!(":{port}"), path.clone(), format!(":{port}{path}")] {
            let text = format!("{scheme}{host}{more}");
            let found = url::read(&text);
            prop_assert_eq!(
                (found.reach, found.odd, found.drop),
                (plain.reach, plain.odd, plain.drop),
                "{}", text
            );
        }
    }

    #[test]
    fn every_number_is_the_address_it_is(number in any::<u32>()) {
        let dotted = std::net::Ipv4Addr::from(number);
        let expected = url::read(&format!("http://{dotted}/"));
        let [a, b, c, d] = dotted.octets();
        for text in [
            format!("http://{number}/"),
            format!("http://0x{number:x}/"),
            format!("http://{a}.{}/", number & 0xff_ffff),
            format!("http://{a}.{b}.{}/", number & 0xffff),
            format!("http://0x{a:x}.{b}.0x{c:02x}.{d}/"),
        ] {
            let found = url::read(&text);
            prop_assert_eq!((&found.name, found.reach), (&expected.name, expected.reach), "{}", text);
        }
        let mapped = url::read(&format!("http://[::ffff:{dotted}]/"));
        prop_assert_eq!(mapped.reach, expected.reach);
    }

    #[test]
    fn a_password_never_shows(user in "[a-z]{1,8}", password in "[A-Z]{4,12}", host in select(HOSTS)) {
        for scheme in ["http", "postgres", "ssh", "ftp"] {
            let address = url::read(&format!("{scheme}://{user}:{password}@{host}/x"));
            prop_assert!(address.credentials);
            prop_assert!(!address.name.contains(&password), "{}", address.name);
        }
    }
}
