//! `hclvm watch`. The command is waited for, however long it takes.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::{Folder, command, hclvm, json as parsed, text};

const PATIENCE: Duration = Duration::from_secs(60);

/// The command while it runs, with the lines that it printed.
struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Running {
    fn start(arguments: &[&str]) -> Self {
        let mut child = command(arguments).stderr(Stdio::null()).spawn().expect("the command starts");
        let output = child.stdout.take().expect("an output");
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// Returns the next line of JSON, or of a list below another line.
    fn plain_line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line")
    }

    /// Returns the next line without its time of day.
    fn line(&self) -> String {
        let line = self.plain_line();
        let (time, rest) = line.split_once("Z ").expect("a time of day");
        assert!(time.len() == 8 && time.split(':').all(|part| part.parse::<u8>().is_ok()), "{line}");
        rest.to_owned()
    }

    fn event(&self) -> Json {
        parsed(self.plain_line().as_bytes())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const GAME: &str = "locals {\n  bonus = player.rank * 2\n}\nspeed = local.bonus + 1\n";

#[test]
fn events_tell_what_each_edit_changed() {
    let folder = Folder::new();
    let game = folder.file("game.hcl", GAME);
    let scope = folder.file("scope.json", r#"{"player": {"rank": 3}, "other": 1}"#);
    let running = Running::start(&["watch", &game, "--scope", &scope, "--output", "json"]);
    let loaded = running.event();
    assert_eq!(
        (&loaded["event"], &loaded["epoch"], &loaded["attributes"]),
        (&json!("loaded"), &json!(0), &json!(2))
    );

    folder.file("game.hcl", GAME.replace("* 2", "* 5"));
    let event = running.event();
    assert_eq!((&event["event"], &event["epoch"]), (&json!("reloaded"), &json!(1)));
    assert_eq!((&event["changed"], &event["unchanged"]), (&json!(["locals.bonus"]), &json!(1)));
    assert_eq!(event["dependents"], json!(["speed"]));
    let values = json!([
        { "path": "local.bonus", "before": 6, "after": 15 },
        { "path": "speed", "before": 7, "after": 16 },
    ]);
    assert_eq!(event["values"], values);
    assert!(event["microseconds"]["parse"].is_u64());

    folder.file("game.hcl", "speed = = 1\n");
    let event = running.event();
    assert_eq!((&event["event"], &event["epoch"]), (&json!("rejected"), &json!(1)));
    assert_eq!(event["diagnostics"][0]["range"]["start"]["column"], json!(9));

    folder.file("game.hcl", GAME.replace("* 2", "* 5"));
    assert_eq!(running.event(), json!({ "event": "restored", "epoch": 1 }));

    folder.file("scope.json", r#"{"player": {"rank": 4}}"#);
    let event = running.event();
    assert_eq!((&event["unchanged"], &event["compiled"]), (&json!(2), &json!(0)));
    assert_eq!(event["values"][1], json!({ "path": "speed", "before": 16, "after": 21 }));
}

#[test]
fn lines_for_people_tell_paths_and_values() {
    let folder = Folder::new();
    let game = folder.file("game.hcl", "speed = 1\nname = \"x\"\nrule \"a\" { when = true }\n");
    let scope = folder.file("scope.json", "{}");
    let running = Running::start(&["watch", &game, "--scope", &scope, "--poll"]);
    assert_eq!(running.line(), format!("watching {game}: 3 attributes"));
    folder.file("game.hcl", "speed = 2\nlives = 3\nrule \"b\" { when = true }\n");
    let summary = running.line();
    let expected = "epoch 1: 1 added, 1 removed, 1 changed, 1 moved, 0 unchanged; ";
    assert!(summary.starts_with(expected), "{summary}");
    let lines: Vec<String> = (0..9).map(|_| running.plain_line()).collect();
    let expected = [
        "  + lives",
        "  - name",
        "  ~ speed",
        "  > rule.b.when from rule.a.when",
        "  speed: 1 -> 2",
        "  lives: nothing -> 3",
        "  rule.b.when: nothing -> true",
        "  name: \"x\" -> nothing",
        "  rule.a.when: true -> nothing",
    ];
    assert_eq!(lines, expected);
    folder.file("game.hcl", "speed = speed\n");
    assert_eq!(running.line(), "rejected; epoch 1 stays in use");
}

#[test]
fn a_local_value_has_one_name() {
    let folder = Folder::new();
    let game = folder.file("game.hcl", "locals {\n  base = 10\n}\nspeed = local.base\n");
    let scope = folder.file("scope.json", "{}");
    let running = Running::start(&["watch", &game, "--scope", &scope, "--poll"]);
    running.line();
    folder.file("game.hcl", "locals {\n  base = 20\n}\nspeed = local.base\n");
    running.line();
    let lines: Vec<String> = (0..3).map(|_| running.plain_line()).collect();
    assert_eq!(lines, ["  ~ local.base", "  local.base: 10 -> 20", "  speed: 10 -> 20"]);
}

#[test]
fn a_first_file_with_errors_is_waited_for() {
    let folder = Folder::new();
    let game = folder.file("game.hcl", "speed = \n");
    let running = Running::start(&["watch", &game, "--output", "json"]);
    let event = running.event();
    assert_eq!((&event["event"], &event["epoch"]), (&json!("rejected"), &Json::Null));
    folder.file("game.hcl", "speed = 1\n");
    assert_eq!(running.event()["event"], json!("loaded"));
}

#[test]
fn a_command_runs_after_each_reload() {
    let folder = Folder::new();
    let game = folder.file("game.hcl", "speed = 1\n");
    let epochs = folder.0.path().join("epochs");
    let line = format!("echo $HCLVM_EPOCH >> '{}'; echo printed", epochs.display());
    let running = Running::start(&["watch", &game, "--output", "json", "--exec", &line]);
    assert_eq!(running.event()["event"], json!("loaded"));
    for at in 1..3 {
        folder.file("game.hcl", format!("speed = {at}0\n"));
        assert_eq!(running.event()["epoch"], json!(at));
    }
    // The event of a further reload comes after the commands of the others.
    folder.file("game.hcl", "speed = 3\n");
    assert_eq!(running.event()["epoch"], json!(3));
    let epochs = std::fs::read_to_string(epochs).expect("the command ran");
    assert!(epochs.starts_with("1\n2\n"), "{epochs}");
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let folder = Folder::new();
    let game = folder.file("game.hcl", "speed = 1\n");
    let missing = hclvm(&["watch", "nowhere.hcl"]);
    assert_eq!(missing.status.code(), Some(2));
    assert_eq!(text(&missing.stderr), "error: Cannot watch nowhere.hcl: it is not there.\n");
    let refused = hclvm(&["watch", &game, "--undefined", "text"]);
    assert_eq!(refused.status.code(), Some(2));
    let given = hclvm(&["watch", &game, "--var", "a=1"]);
    assert_eq!(given.status.code(), Some(2));
    assert!(text(&given.stderr).contains("Packer templates"), "{}", text(&given.stderr));
}

const TEMPLATE: &str = "variable \"region\" {\n  type = string\n  default = \"eu\"\n}\n\
    variable \"key\" {\n  type = string\n  sensitive = true\n  default = \"first\"\n}\n\
    source \"docker\" \"app\" {\n  image = \"app-${var.region}\"\n  login = \"me:${var.key}\"\n}\n\
    build {\n  sources = [\"docker.app\"]\n}\n";

#[test]
fn a_template_is_watched_with_its_variable_files() {
    let folder = Folder::new();
    folder.file("image.pkr.hcl", TEMPLATE);
    let path = folder.0.path().to_str().expect("a path of plain letters").to_owned();
    let running = Running::start(&["watch", &path, "--output", "json"]);
    let loaded = running.event();
    assert_eq!((&loaded["event"], &loaded["values"]), (&json!("loaded"), &json!(4)));

    let file = folder.file("us.auto.pkrvars.hcl", "region = \"us\"\n");
    let event = running.event();
    assert_eq!(event["files"], json!({ "added": [file], "removed": [], "changed": [] }));
    let values = json!([
        { "path": "var.region", "before": "eu", "after": "us" },
        { "path": "build.docker.app.image", "before": "app-eu", "after": "app-us" },
    ]);
    assert_eq!(event["values"], values);

    folder.file("us.auto.pkrvars.hcl", "region = [\"us\"]\n");
    let event = running.event();
    assert_eq!((&event["event"], &event["epoch"]), (&json!("rejected"), &json!(1)));
    assert!(event["diagnostics"][0]["range"].is_object(), "{event}");

    std::fs::remove_file(&file).expect("it is deleted");
    let event = running.event();
    assert_eq!(event["files"]["removed"], json!([file]));
    assert_eq!(event["values"][1]["after"], json!("app-eu"));

    let locals = folder.file("locals.pkr.hcl", "locals {\n  tag = \"v1\"\n}\n");
    let event = running.event();
    assert_eq!(event["files"]["added"], json!([locals]));
    assert_eq!(event["values"], json!([{ "path": "local.tag", "after": "v1" }]));
}

#[test]
fn secrets_of_a_template_are_not_told() {
    let folder = Folder::new();
    let template = folder.file("image.pkr.hcl", TEMPLATE);
    let running = Running::start(&["watch", &template, "--output", "json"]);
    assert_eq!(running.event()["event"], json!("loaded"));
    folder.file("image.pkr.hcl", TEMPLATE.replace("first", "second"));
    let values = json!([
        { "path": "var.key", "before": "<sensitive>", "after": "<sensitive>" },
        { "path": "build.docker.app.login", "before": "me:<sensitive>", "after": "me:<sensitive>" },
    ]);
    assert_eq!(running.event()["values"], values);
}

#[test]
fn a_text_that_contains_a_secret_is_hidden_in_a_change() {
    let folder = Folder::new();
    let text = |key: &str, note: &str| {
        format!(
            "variable \"key\" {{\n  default   = \"{key}\"\n  sensitive = true\n}}\nlocals {{\n  note = \"{note}\"\n}}\n"
        )
    };
    let template = folder.file("image.pkr.hcl", text("first", "the first note"));
    let running = Running::start(&["watch", &template, "--output", "json"]);
    assert_eq!(running.event()["event"], json!("loaded"));
    folder.file("image.pkr.hcl", text("second", "the second one"));
    let values = json!([
        { "path": "var.key", "before": "<sensitive>", "after": "<sensitive>" },
        { "path": "local.note", "before": "the <sensitive> note", "after": "the <sensitive> one" },
    ]);
    assert_eq!(running.event()["values"], values);
}

#[test]
fn a_job_is_watched_with_the_files_that_give_values() {
    let folder = Folder::new();
    let job = folder.file(
        "web.nomad.hcl",
        "variable \"count\" {\n  type = number\n}\njob \"web\" {\n  group \"api\" {\n    count = var.count\n  }\n}\n",
    );
    let values = folder.file("values.hcl", "count = 1\n");
    let running = Running::start(&["watch", &job, "--var-file", &values]);
    assert_eq!(running.line(), format!("watching {job}: 2 values"));
    folder.file("values.hcl", "count = 3\n");
    let summary = running.line();
    assert!(summary.starts_with("epoch 1: 1 file changed; 2 values changed; "), "{summary}");
    assert_eq!(running.plain_line(), "  var.count: 1 -> 3");
    assert_eq!(running.plain_line(), "  job.web.group.api.count: 1 -> 3");
    folder.file("values.hcl", "counts = 3\n");
    assert_eq!(running.line(), "rejected; epoch 1 stays in use");
}
