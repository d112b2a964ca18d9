//! Hostile input of the command: oversized and endless files. Ordinary files are in `main.rs`.

use super::*;

#[test]
fn an_oversized_line_is_one_error_in_a_stream() {
    let folder = Folder::new();
    let file = folder.file("x.hcl", "a = v\n");
    let long = format!("{{\"v\": \"{}\"}}", "x".repeat(65 << 20));
    let numbers = format!("{{\"v\": [{}1]}}", "1,".repeat(3_000_000));
    let input = format!("{{\"v\": 1}}\n{long}\n{{\"v\": 2}}\n{numbers}\n{{\"v\": 3}}\n{long}");
    let output = hclvm_reading(&["eval", &file, "--scopes", "-"], &input);
    assert_eq!(output.status.code(), Some(1));
    let lines = json_lines(&output);
    let values: Vec<&Json> = lines.iter().map(|line| &line["attrs"]["a"]).collect();
    assert_eq!(values, [&json!(1), &Json::Null, &json!(2), &Json::Null, &json!(3), &Json::Null]);
    for (line, why) in [
        (1, "Line 2 cannot be used: it is longer"),
        (3, "Line 4 cannot be used: its values need more than 2"),
        (5, "Line 6"),
    ] {
        let detail = lines[line]["errors"][0]["detail"].as_str().expect("a text");
        assert!(detail.starts_with(why), "{detail}");
    }
    let scope = folder.file("scope.json", &numbers);
    for how in ["--scope", "--scopes"] {
        let output = hclvm(&["eval", &file, how, &scope]);
        let all = [output.stdout, output.stderr].concat();
        assert!(text(&all).contains("Scope too large"), "{}", text(&all));
    }
}

#[test]
#[cfg(unix)]
fn endless_files_are_read_up_to_a_limit() {
    for command in ["eval", "check", "disasm"] {
        let output = hclvm(&[command, "/dev/zero"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains("Source too large"), "{}", text(&output.stderr));
    }
    let folder = Folder::new();
    let file = folder.file("x.hcl", "a = 1\n");
    let output = hclvm(&["eval", &file, "--scope", "/dev/zero"]);
    assert!(text(&output.stderr).contains("Scope too large"), "{}", text(&output.stderr));
}

#[test]
fn listings_do_not_repeat_long_labels() {
    let folder = Folder::new();
    let attributes: Vec<String> = (0..2_000).map(|at| format!("a{at} = 1\n")).collect();
    let label = "l".repeat(500_000);
    let file = folder.file("x.hcl", format!("rule \"{label}\" {{\n{}}}\n", attributes.concat()));
    let output = hclvm(&["disasm", &file]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.len() < 2_000 * 1_000, "{} bytes", output.stdout.len());
    assert!(text(&output.stdout).contains("lll.a1999  "), "the end of the path is shown");
    // All nodes of the chain start with the blanks.
    let chain = format!("x = (1{}{})\n", " ".repeat(500_000), " + 1".repeat(20_000));
    let output = hclvm(&["disasm", &folder.file("chain.hcl", chain)]);
    assert_eq!(output.status.code(), Some(0));
}
