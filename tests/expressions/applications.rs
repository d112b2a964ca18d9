//! The function tables of applications and the capabilities they need. The common functions are in
//! functions.rs, those at the ends of their ranges in `boundaries`; the names of the tables and examples of
//! their documentation are compared in tests/harness.

mod boundaries;
mod formats;
mod known;
mod opentofu;
#[cfg(unix)]
mod special_files;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use hclvm::functions::capability::{FixedClock, Secrets};
use hclvm::functions::{Capabilities, FunctionTable, nomad, opentofu, packer};
use hclvm::value::View;
use hclvm::{Engine, Layout, Limits};
use tempfile::TempDir;

/// Returns true for the detail of an error about a call or one of its arguments.
fn is_refusal(outcome: &str) -> bool {
    outcome.starts_with("The ") || (outcome.starts_with("Argument ") && outcome.contains(" does not fit: "))
}

/// Evaluates an expression: a string as it is, any other value as `{:?}` shows it, or the detail of its
/// first error.
fn outcome(engine: &Engine, text: &str) -> String {
    let layout = Arc::new(Layout::default());
    let program = match engine.compile(text, &layout) {
        Ok(program) => program,
        Err(error) => return error.to_string(),
    };
    let scope = engine.scope(&layout);
    let mut session = engine.session();
    match session.run(&program, &scope) {
        Ok(value) => match value.view() {
            View::String(text) => text.to_owned(),
            _ => format!("{value:?}"),
        },
        Err(error) => match error.diagnostics().and_then(|found| found.iter().next()) {
            Some(first) => first.detail.to_string(),
            None => error.to_string(),
        },
    }
}

fn engine(table: FunctionTable) -> Engine {
    Engine::builder().functions(table).build()
}

/// A clock fixed at 2026-11-20T09:08:07.5Z.
fn granted(directory: &Path) -> Capabilities {
    let variables = BTreeMap::from([("HOME", "/home/ann"), ("COLOR", "blue")]);
    let variables: BTreeMap<String, String> =
        variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Capabilities::none()
        .directory(directory)
        .environment(variables)
        .clock(FixedClock(UNIX_EPOCH + Duration::from_millis(1_795_165_687_500)))
        .random(|bytes: &mut [u8]| bytes.fill(0xA5))
        .secrets(Notes)
}

/// A store of secrets that returns a description of each request.
struct Notes;

impl Secrets for Notes {
    fn aws(&self, name: &str, key: Option<&str>) -> Result<String, String> {
        Ok(format!("aws {name} {key:?}"))
    }

    fn aws_raw(&self, name: &str) -> Result<String, String> {
        Ok(format!("raw {name}"))
    }

    fn consul(&self, key: &str) -> Result<String, String> {
        Err(format!("there is no key {key:?}"))
    }

    fn vault(&self, path: &str, key: &str) -> Result<String, String> {
        Ok(format!("vault {path} {key}"))
    }
}

/// Creates a directory with these files, which is removed with the value.
fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("the directory can be made");
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("made");
        fs::write(path, text).expect("written");
    }
    directory
}

#[track_caller]
fn expect(engine: &Engine, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(outcome(engine, text), *expected, "{text}");
    }
}

/// Creates an engine with every capability. No test uses the files of its directory.
fn host() -> Engine {
    engine(packer(&granted(Path::new(env!("CARGO_TARGET_TMPDIR")))))
}

#[test]
fn equal_names_may_be_different_functions() {
    let (packer, nomad) = (host(), engine(nomad(&Capabilities::none())));
    expect(
        &packer,
        &[
            (r#"coalesce("", "b")"#, "b"),
            (r#"index(["a", "b"], "b")"#, "1"),
            (r#"length("hello")"#, "5"),
            (r"reverse([1, 2])[0]", "2"),
        ],
    );
    expect(
        &nomad,
        &[
            (r#"coalesce("", "b")"#, ""),
            (r#"index(["a", "b"], 1)"#, "b"),
            (r"length([1, 2])", "2"),
            (r#"reverse("abc")"#, "cba"),
        ],
    );
    for refused in [r#"length("hello")"#, r"reverse([1, 2])", r"length({a = 1})"] {
        let detail = outcome(&nomad, refused);
        assert!(is_refusal(&detail), "{refused}: {detail}");
    }
}

#[test]
fn missing_capabilities_are_named_in_the_error() {
    let engine = engine(packer(&Capabilities::none()));
    for (text, capability) in [
        (r#"file("x")"#, "files"),
        (r#"fileset(".", "*")"#, "files"),
        (r#"abspath("x")"#, "files"),
        (r#"templatefile("x", {})"#, "files"),
        (r#"env("HOME")"#, "environment"),
        (r#"pathexpand("~/x")"#, "environment"),
        ("timestamp()", "clock"),
        ("legacy_isotime()", "clock"),
        ("uuidv4()", "random"),
        (r#"vault("a", "b")"#, "secrets"),
        (r#"consul_key("a")"#, "secrets"),
    ] {
        let detail = outcome(&engine, text);
        assert!(detail.contains(&format!("capability \"{capability}\"")), "{text}: {detail}");
    }
    expect(
        &engine,
        &[
            (r#"basename("a/b.txt")"#, "b.txt"),
            (r#"dirname("a/b.txt")"#, "a"),
            (r#"pathexpand("a/b")"#, "a/b"),
        ],
    );
}

#[test]
fn files_outside_of_the_directory_are_rejected() {
    let root = directory(&[("inner/a.txt", "héllo"), ("inner/sub/b.txt", "b"), ("secret.txt", "no")]);
    fs::write(root.path().join("inner/raw.bin"), [0xFF, 0xFE]).expect("written");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret.txt", root.path().join("inner/link.txt")).expect("linked");
    let engine = engine(packer(&granted(&root.path().join("inner"))));
    expect(
        &engine,
        &[
            (r#"file("a.txt")"#, "héllo"),
            (r#"file("./sub/../a.txt")"#, "héllo"),
            (r#"fileexists("a.txt")"#, "true"),
            (r#"fileexists("nothing.txt")"#, "false"),
            (r#"jsonencode(fileset(".", "**/*.txt"))"#, r#"["a.txt","sub/b.txt"]"#),
            (r#"jsonencode(fileset(".", "{a,sub/?}.t[a-z]t"))"#, r#"["a.txt","sub/b.txt"]"#),
            (r#"jsonencode(fileset("sub", "*"))"#, r#"["b.txt"]"#),
        ],
    );
    #[cfg(unix)]
    std::os::unix::fs::symlink("sub/b.txt", root.path().join("inner/b.link")).expect("linked");
    #[cfg(unix)]
    std::os::unix::fs::symlink("sub", root.path().join("inner/sub.link")).expect("linked");
    #[cfg(unix)]
    expect(&engine, &[(r#"jsonencode(fileset(".", "*.link"))"#, r#"["b.link"]"#)]);
    for refused in [
        r#"file("../secret.txt")"#,
        r#"file("link.txt")"#,
        r#"file("/etc/passwd")"#,
        r#"fileexists("../secret.txt")"#,
        r#"fileexists("../nothing.txt")"#,
        r#"fileset("..", "*")"#,
    ] {
        let detail = outcome(&engine, refused);
        #[cfg(not(unix))]
        if refused.contains("link") {
            continue;
        }
        assert!(detail.contains("outside of the directory"), "{refused}: {detail}");
    }
    assert!(outcome(&engine, r#"file("raw.bin")"#).contains("UTF-8"));
    assert!(outcome(&engine, r#"fileexists("sub")"#).contains("is a directory"));
    assert!(outcome(&engine, r#"file("nothing.txt")"#).contains("no file"));
}

#[test]
fn template_files_see_only_their_own_variables() {
    let root = directory(&[
        ("hello.tpl", "Hello, ${upper(name)}!\n%{ for n in list ~}\n- ${n}\n%{ endfor ~}\n"),
        ("nested.tpl", "${templatefile(\"hello.tpl\", {})}"),
        ("number.tpl", "${n + 1}"),
        ("broken.tpl", "a\n${"),
        ("heavy.tpl", "%{ for a in n }%{ for b in n }%{ for c in n }x%{ endfor }%{ endfor }%{ endfor }"),
    ]);
    let engine = engine(packer(&granted(root.path())));
    expect(
        &engine,
        &[
            (r#"templatefile("hello.tpl", {name = "ann", list = [1, 2]})"#, "Hello, ANN!\n- 1\n- 2\n"),
            (r#"templatefile("number.tpl", {n = 1})"#, "2"),
        ],
    );
    assert!(outcome(&engine, r#"templatefile("hello.tpl", {name = "x"})"#).contains("hello.tpl:2:"));
    assert!(outcome(&engine, r#"templatefile("nested.tpl", {})"#).contains("cannot render another"));
    assert!(outcome(&engine, r#"templatefile("broken.tpl", {})"#).contains("broken.tpl:2:"));
    assert!(outcome(&engine, r#"templatefile("hello.tpl", {"a b" = 1})"#).contains("\"a b\" cannot be"));
    let small = Limits { fuel: 100_000, ..Limits::default() };
    let limited = Engine::builder().functions(packer(&granted(root.path()))).limits(small).build();
    let result = outcome(&limited, r#"templatefile("heavy.tpl", {n = range(100)})"#);
    assert!(result.contains("more work than its limits allow"), "{result}");
}

#[test]
fn host_functions_use_what_the_host_provides() {
    expect(
        &host(),
        &[
            (r#"env("COLOR")"#, "blue"),
            (r#"env("nothing")"#, ""),
            (r#"pathexpand("~/x")"#, "/home/ann/x"),
            ("timestamp()", "2026-11-20T09:08:07Z"),
            ("uuidv4()", "a5a5a5a5-a5a5-45a5-a5a5-a5a5a5a5a5a5"),
            (r#"vault("secret/a", "b")"#, "vault secret/a b"),
            (r#"aws_secretsmanager("a", null)"#, "aws a None"),
            (r#"aws_secretsmanager("a", "k")"#, "aws a Some(\"k\")"),
            (r#"aws_secretsmanager_raw("a")"#, "raw a"),
        ],
    );
    assert!(outcome(&host(), r#"consul_key("x")"#).contains("there is no key \"x\""));
}

#[test]
fn times_are_formatted_and_parsed() {
    expect(
        &host(),
        &[
            ("legacy_isotime()", "2026-11-20T09:08:07Z"),
            (r#"legacy_isotime("Mon, 02 Jan 2006 15:04:05.000 MST")"#, "Fri, 20 Nov 2026 09:08:07.500 UTC"),
            (
                r#"legacy_isotime("20060102030405 PM -07:00 Z07:00 _2 002")"#,
                "20261120090807 AM +00:00 Z 20 324",
            ),
            (
                r#"legacy_strftime("%Y-%m-%d %H:%M:%S %j %a %B %% %q")"#,
                "2026-11-20 09:08:07 324 Fri November % %q",
            ),
            (
                r#"jsonencode(rfc3339_parse("2024-12-30T23:59:58+01:00"))"#,
                concat!(
                    r#"{"day":30,"hour":23,"iso_week":1,"iso_year":2025,"minute":59,"month":12,"#,
                    r#""month_name":"December","second":58,"unix":1735599598,"weekday":1,"#,
                    r#""weekday_name":"Monday","year":2024,"year_day":365}"#
                ),
            ),
            (r"unix_timestamp_parse(0).rfc3339", "1970-01-01T00:00:00Z"),
            (r#"timeadd("0000-01-01T00:00:00Z", "-1h")"#, "-0001-12-31T23:00:00Z"),
            (r#"timeadd("2024-02-28T00:00:00Z", "24h1m1.5s")"#, "2024-02-29T00:01:01Z"),
            (
                r#"formatdate("EEE D/M/YY H aa 'o''clock' ZZZZ", "2024-02-29T00:30:00-09:30")"#,
                "Thu 29/2/24 12 am o'clock -0930",
            ),
        ],
    );
}

#[test]
fn address_ranges_are_divided() {
    expect(
        &host(),
        &[
            (r#"cidrhost("10.0.0.0/8", -1)"#, "10.255.255.255"),
            (r#"cidrhost("fd00::/64", 18446744073709551615)"#, "fd00::ffff:ffff:ffff:ffff"),
            (r#"cidrnetmask("10.0.0.0/0")"#, "0.0.0.0"),
            (r#"cidrsubnet("10.0.0.0/8", 24, 5)"#, "10.0.0.5/32"),
            (
                r#"jsonencode(cidrsubnets("10.0.0.0/30", 1, 2, 2))"#,
                r#"["10.0.0.0/31","10.0.0.2/32","10.0.0.3/32"]"#,
            ),
            (r#"jsonencode(cidrsubnets("10.0.0.0/30", 2, 1))"#, r#"["10.0.0.0/32","10.0.0.2/31"]"#),
            (r#"jsonencode(cidrsubnets("10.0.0.0/30"))"#, "[]"),
        ],
    );
    let engine = host();
    for (refused, why) in [
        (r#"cidrhost("10.0.0.0/30", 4)"#, "no address numbered 4"),
        (r#"cidrhost("10.0.0.0/30", -5)"#, "no address numbered -5"),
        (r#"cidrhost("10.0.0.0/33", 1)"#, "not a range of addresses"),
        (r#"cidrhost("10.0.0.0/30", 0.5)"#, "whole number"),
        (r#"cidrsubnet("10.0.0.0/30", 3, 0)"#, "0 to 2 bits, not by 3"),
        (r#"cidrsubnet("10.0.0.0/30", 1, 2)"#, "number no range 2"),
        (r#"cidrsubnets("10.0.0.0/30", 1, 1, 1)"#, "no room left"),
        (r#"cidrsubnets("255.255.255.254/31", 1, 1, 1)"#, "no room left"),
        (r#"cidrsubnets("10.0.0.0/30", 0)"#, "by at least one bit"),
    ] {
        let detail = outcome(&engine, refused);
        assert!(detail.contains(why), "{refused}: {detail}");
    }
}

#[cfg(all(feature = "digest", feature = "encoding"))]
#[test]
fn strings_are_encoded_and_hashed() {
    expect(
        &host(),
        &[
            (r#"md5("hello world")"#, "5eb63bbbe01eeed093cb22bb8f5acdc3"),
            (r#"sha1("hello world")"#, "2aae6c35c94fcfb415dbe95f408b9ce91ee846ed"),
            (r#"sha256("")"#, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (r#"substr(sha512("hello world"), 0, 16)"#, "309ecc489c12d6eb"),
            (r#"uuidv5("oid", "1.3.6.1.4")"#, "af9d40a5-7a36-5c07-b23a-851cd99fbfa5"),
            (
                r#"uuidv5("743ac3c0-3bf7-4a5b-9e6c-59360447c757", "LIBS:diskfont.library")"#,
                "ede1a974-df7e-5f17-84b9-76208818b2c8",
            ),
            (r#"base64encode("héllo")"#, "aMOpbGxv"),
            (r#"base64decode("aMOp\nbGxv")"#, "héllo"),
            (r#"urlencode("a b/ü~.")"#, "a+b%2F%C3%BC~."),
        ],
    );
    let engine = host();
    for refused in [r#"base64decode("a")"#, r#"base64decode("aMOp bGxv")"#, r#"base64decode("/w==")"#] {
        assert!(is_refusal(&outcome(&engine, refused)), "{refused}");
    }
}

#[cfg(feature = "yaml")]
#[test]
fn yaml_is_read_and_written() {
    expect(
        &host(),
        &[
            (
                r#"jsonencode(yamldecode("{a: &foo [1, 2.5, 0x1F, 0o17], b: *foo}"))"#,
                r#"{"a":[1,2.5,31,15],"b":[1,2.5,31,15]}"#,
            ),
            (
                r#"jsonencode(yamldecode("a: yes\nb: ~\nc: 'yes'\nd: !!str 12\ne: 2006-1-2\n1: x\n"))"#,
                r#"{"1":"x","a":true,"b":null,"c":"yes","d":"12","e":"2006-01-02T00:00:00Z"}"#,
            ),
            (
                r#"jsonencode(yamldecode("x: &x {a: 1, b: 2}\nz: {b: 3, <<: *x}\n"))"#,
                r#"{"x":{"a":1,"b":2},"z":{"a":1,"b":3}}"#,
            ),
            (r#"jsonencode(yamldecode(""))"#, "null"),
            (r#"yamldecode("|\n  a\n  b\n")"#, "a\nb\n"),
            (
                r"yamlencode({foo = [1, {a = 1, b = null}, [2, []], {}], bar = true})",
                "\"bar\": true\n\"foo\":\n- 1\n- \"a\": 1\n  \"b\": null\n- - 2\n  - []\n- {}\n",
            ),
            (
                r#"yamlencode({a = "x\ny", b = {c = " x\n\ny\n"}})"#,
                "\"a\": |-\n  x\n  y\n\"b\":\n  \"c\": |2\n     x\n\n    y\n",
            ),
            (r"yamlencode(1)", "1\n...\n"),
            (r#"yamlencode("a\tb\"")"#, "\"a\\tb\\\"\"\n"),
            (r"yamlencode([])", "[]\n"),
            (
                r#"yamlencode({a = join(" ", [for n in range(30) : "word"])})"#,
                "\"a\": \"word word word word word word word word word word word word word word word word\n  word word word word word word word word word word word word word word\"\n",
            ),
        ],
    );
    let engine = host();
    for (refused, why) in [
        (r#"yamldecode("{a: &foo [1, *foo, 3]}")"#, "inside its own definition"),
        (r#"yamldecode("a\n---\nb\n")"#, "only one document"),
        (r#"yamldecode(".nan")"#, "not a number"),
        (r#"yamldecode("[1, 2")"#, "line"),
        (r#"yamldecode("!!nope x")"#, "not supported"),
        (r#"yamldecode("? [a]\n: b")"#, "must be a string"),
    ] {
        let detail = outcome(&engine, refused);
        assert!(detail.contains(why), "{refused}: {detail}");
    }
    // A text with recursive aliases takes little memory.
    let laughs: String = (1..30)
        .fold("a0: &a0 [x, x]\n".to_owned(), |text, n| format!("{text}a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1));
    let quoted = laughs.replace('\n', "\\n");
    assert_eq!(outcome(&engine, &format!("length(keys(yamldecode(\"{quoted}\")))")), "30");
}

#[cfg(all(feature = "bcrypt", feature = "charset", feature = "compression"))]
#[test]
fn expensive_functions_are_charged() {
    let engine = host();
    assert!(outcome(&engine, r#"bcrypt("secret", 4)"#).starts_with("$2a$04$"));
    assert!(outcome(&engine, r#"bcrypt("secret", 31)"#).contains("more work"));
    assert!(outcome(&engine, r#"base64gzip("hello")"#).starts_with("H4sIAAAAAAAA/"));
    expect(
        &engine,
        &[
            (r#"textencodebase64("hi", "UTF-16LE")"#, "aABpAA=="),
            (r#"textdecodebase64("aABpAA==", "UTF-16LE")"#, "hi"),
            (r#"textdecodebase64(textencodebase64("Grüße", "iso-8859-1"), "ISO-8859-1")"#, "Grüße"),
        ],
    );
}

#[test]
fn opentofu_has_functions_of_its_own() {
    expect(
        &engine(opentofu()),
        &[
            (r#"timecmp("2017-11-22T00:00:00Z", "2017-11-21T23:00:00-01:00")"#, "0"),
            (r#"timecmp("2017-11-22T00:00:00.1Z", "2017-11-22T00:00:00.2Z")"#, "-1"),
            (r#"urldecode("a+b%2F%C3%BC")"#, "a b/ü"),
            (r#"cidrcontains("192.168.2.0/20", "192.168.2.1")"#, "true"),
            (r#"cidrcontains("192.168.2.0/24", "192.168.0.0/16")"#, "false"),
            (r#"core::cidrhost("fd00::/8", 1)"#, "fd00::1"),
        ],
    );
    let engine = engine(opentofu());
    assert!(outcome(&engine, r#"urldecode("a%2")"#).contains("offset 1"));
    assert!(outcome(&engine, r#"cidrcontains("10.0.0.0/8", "::1")"#).contains("different kinds"));
}

/// The body of a key generated for this test, which protects nothing.
#[cfg(feature = "rsa")]
const KEY: &str = "\
MIICXgIBAAKBgQDVdCMRJcgD0HEsDNqWAYJcmxc5beKq3ZXspssQVqofl+RN6IRi
A/xKUqJ/hmkAkesJQihIS8mIz3oZ6bY4D8AOvKa3XGmFRTI7ELkIGTRKiQm9I1f+
YDplV5WQII9QndScPGXCwbgh3aQJ9VG4V6QFwLksFOGgdnA7RBxJZeMyWQIDAQAB
AoGBAMw6AhM2AtkjZiSvZ7R+XSwdd2sLKAQzXm6+ZyuKv9raiSXBgmgFSC4UQkWh
ZHWXJzoEgmYpnPm5CSoh4qZg629t5paLU7yphKyWXes3yxLehLEXnyrKp4woEu5Z
KayuQbWF95tnZzgIieNIQmpQMGlHyBcL9gn+Po98eDMsM6DBAkEA+aowCGpqne99
KXaT8xdDrFY78nQZLqOaXtpdKA4QXKbQ9j7miurHlkfMBbW7tZlEcdKXZvZ0UT/q
X7e4CPCFdwJBANreuSldM54s5imVqyCZv/KeaC/5gdzr0Li3+NlxnXAWU+Xgsqw9
5/cBZR7x8O33+APnkL5TmWmtaxtc/eldOq8CQQCQkVDA/sX/8BZ8tPIU2ErSdxi9
Wybdz9Rqym0Y7ZPh4qKrhF7A4BR0W9yzDbnE/RwaAMS01U8jYSxZAqwpWQUfAkAf
dMEx47ZGdneB5IPaxJ4ktYWN15NFeBLgaXh3b+/LqznVoQys2pzbEDVDVExnNytL
DF3uLL+ww37QSPYpMv/7AkEAjZGtlQaULdPNhFXiB+6zQMQJ5p8+IwnrswS1+Qoo
McQ4B1TeJBdOfUQbDtYINHv+JsG99T8G6CLUv9PIR3Vg2g==
";

#[cfg(feature = "rsa")]
#[test]
fn ciphertexts_are_decrypted() {
    let engine = host();
    let [begin, end] = ["BEGIN", "END"].map(|edge| format!("-----{edge} RSA PRIVATE KEY-----"));
    let key = format!("<<KEY\n{begin}\n{KEY}{end}\nKEY\n");
    let ciphertext = "GinwN8bl/sUyGTIZry/sfhWe3x12VrX1LofnZfqDKKVcnhGGEXPawvxhbWHAIJb99ijF2khRjhoJpmLtzUDSH4CgpP6Lsq+DQ+X4wcEknkymtsvcMHUbdVd4t5h5K4vzCuNa4hNR7a9hiw2kZeYmsoTZsLjTL4HyhlwJYHPiLs8=";
    let decrypted = outcome(&engine, &format!("rsadecrypt(\"{ciphertext}\", {key})"));
    assert_eq!(decrypted, "Hello, world!");
    let damaged = ciphertext.replacen(&ciphertext[..4], "AAAA", 1);
    let refused = outcome(&engine, &format!("rsadecrypt(\"{damaged}\", {key})"));
    assert!(refused.contains("cannot be decrypted"), "{refused}");
    assert!(outcome(&engine, "rsadecrypt(\"AAAA\", \"key\")").contains("not an RSA private key"));
}
