//! Scopes in tables of text: cells and their types, rows that cannot be used, separators.

use super::{Folder, hclvm, hclvm_reading, json_lines, text};

/// Evaluates an expression for the rows of a table in the file `name`. Returns the exit code and what is printed.
fn eval(name: &str, table: impl AsRef<[u8]>, expression: &str, more: &[&str]) -> (Option<i32>, String) {
    let folder = Folder::new();
    let scopes = folder.file(name, table);
    let output = hclvm(&[&["eval", "-e", expression, "--scopes", &scopes], more].concat());
    (output.status.code(), format!("{}{}", text(&output.stdout), text(&output.stderr)))
}

/// Returns the results for the rows of a table, all of which succeed.
fn results(table: &str, expression: &str, more: &[&str]) -> String {
    let (code, printed) = eval("t.csv", table, expression, more);
    assert_eq!(code, Some(0), "{printed}");
    printed
}

#[test]
fn a_column_is_a_variable_or_an_attribute() {
    let table = "user.role,user.age,path\nadmin,41,\"/a,b\"\n\"guest\",,\"/ \"\"x\"\"\n/y\"\n01,1.50,true\n";
    let expected = "[{\"age\":\"41\",\"role\":\"admin\"},\"/a,b\"]\n\
                    [{\"age\":null,\"role\":\"guest\"},\"/ \\\"x\\\"\\n/y\"]\n\
                    [{\"age\":\"1.50\",\"role\":\"01\"},\"true\"]\n";
    assert_eq!(results(table, "[user, path]", &[]), expected);
    let behind_the_first = expected.split_once('\n').expect("lines").1;
    assert_eq!(results(table, "[user, path]", &["--from", "3"]), behind_the_first);
    let (code, printed) = eval("t.csv", table, "user.age + 1", &[]);
    assert!(code == Some(1) && printed.contains("{\"line\":3,\"errors\":"), "{printed}");
}

#[test]
fn cells_are_texts_whatever_they_look_like() {
    let table = "c\n94107\n01220\n1.10\n1E5\ntrue\nnull\n\"7\"\n 8\n";
    let expected = "\"94107\"\n\"01220\"\n\"1.10\"\n\"1E5\"\n\"true\"\n\"null\"\n\"7\"\n\" 8\"\n".to_owned();
    assert_eq!(results(table, "c", &[]), expected);
    assert_eq!(results("zip\n94107\n01220\n", "zip == \"94107\" || zip == \"01220\"", &[]), "true\ntrue\n");
    // Operators convert texts, `==` does not.
    assert_eq!(results("n\n4\n", "[n + 1, n > 3, n == 4]", &[]), "[5,true,false]\n");
}

#[test]
fn an_empty_cell_is_null_and_a_quoted_one_the_empty_text() {
    assert_eq!(results("a,b\n,\"\"\n\"\",\n", "[a, b]", &[]), "[null,\"\"]\n[\"\",null]\n");
    assert_eq!(results("a\r\n\"\"\r\n\r\nx\r\n", "a", &[]), "\"\"\n\"x\"\n", "blank lines are no rows");
    assert_eq!(results("a,b\n1,", "b", &[]), "null\n", "the last row has no line break");
    assert_eq!(results("a,n\n,\n", "n", &["--types", "n=number"]), "null\n");
}

#[test]
fn columns_have_the_types_that_are_declared() {
    let table = "user.age,on,data,code\n041,true,\"[1,{\"\"a\"\":null}]\",041\n1e2,1,\"\"\"x\"\"\",\"\"\n";
    let types = ["--types", "user.age=number,on=bool", "--types", "data=any"];
    let expected = "[41,true,[1,{\"a\":null}],\"041\"]\n[100,true,\"x\",\"\"]\n";
    assert_eq!(results(table, "[user.age, on, data, code]", &types), expected);
    let (code, printed) = eval("t.csv", "n\n1\nx\n\n\"\"\n2\n", "n + 1", &["--types", "n=number"]);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(code == Some(1) && lines.len() == 4 && (lines[0], lines[3]) == ("2", "3"), "{printed}");
    assert!(lines[1].starts_with("{\"line\":3,") && lines[1].contains("\\\"n\\\": \\\"x\\\" does not fit"));
    assert!(lines[2].starts_with("{\"line\":5,"), "the empty text is no number: {printed}");
    for (types, why) in [
        ("n=list(string)", "a column has one of the types string, number, bool and any, not `list(string)`"),
        ("n", "write COLUMN=TYPE"),
    ] {
        let (code, printed) = eval("t.csv", "n\n1\n", "n", &["--types", types]);
        assert!(code == Some(2) && printed.contains(why), "{printed}");
    }
    let (code, printed) = eval("t.csv", "n\n1\n", "n", &["--types", "m=number"]);
    assert!(code == Some(1) && printed.contains("it has no column \"m\""), "{printed}");
}

#[test]
fn a_row_that_cannot_be_used_is_an_error_of_that_row() {
    let tables: [&[u8]; 3] = [b"id\na\nb,x\nc\n", b"id\na\nM\xfcller\nc\n", b"id\r\na\r\nb,\r\nc\r\n"];
    for table in tables {
        let (code, printed) = eval("t.csv", table, "id", &[]);
        let lines: Vec<&str> = printed.lines().collect();
        assert!(code == Some(1) && lines.len() == 3, "{printed}");
        assert_eq!((lines[0], lines[2]), ("\"a\"", "\"c\""), "{printed}");
        assert!(lines[1].starts_with("{\"line\":3,\"errors\":[{"), "{printed}");
    }
    let (_, printed) = eval("t.csv", "a,b\n1\n\"x\ny\",2\n3,4,5\n", "a", &[]);
    for part in ["\"line\":2,", "The row has 1 cell, but the table has 2 columns.", "\"line\":5,", "3 cells"]
    {
        assert!(printed.contains(part), "{printed}");
    }
    // Lines end with a carriage return as well.
    assert!(eval("t.csv", "a\r1\r2,3\r", "a", &[]).1.contains("\"line\":3,"));
}

#[test]
fn the_first_line_names_the_columns() {
    for (table, told) in [
        ("a,a.b\n", "the columns \"a\" and \"a.b\" are the same value"),
        ("a.b,a\n", "the columns \"a.b\" and \"a\" are the same value"),
        ("a.b.c,x,a.b\n", "the columns \"a.b.c\" and \"a.b\" are the same value"),
        ("a,b,a\n", "the columns \"a\" and \"a\" are the same value"),
        ("a,\n", "the name of column 2, \"\", is not a path"),
        ("id;name\n1;A\n", "If semicolons separate the cells, use --separator ';'"),
        ("id\tname\n", "If tabs separate the cells, use --separator tab"),
    ] {
        let (code, printed) = eval("t.csv", table, "1", &[]);
        assert!(code == Some(1) && printed.contains(told), "{printed}");
    }
    let (code, printed) = eval("t.csv", "a,b\n1,2\n", "1", &["--separator", ";"]);
    assert!(code == Some(1) && printed.contains("use --separator ','"), "{printed}");
    assert_eq!(eval("t.csv", "a\n\u{7f}\"\n", "1", &[]).0, Some(0));
}

#[test]
fn cells_are_separated_as_the_arguments_say() {
    assert_eq!(results("a;b\n1;\"x;y\"\n", "[a, b]", &["--separator", ";"]), "[\"1\",\"x;y\"]\n");
    for separator in ["tab", "\\t", "\t"] {
        assert_eq!(results("a\tb\n1\tx,y\n", "[a, b]", &["--separator", separator]), "[\"1\",\"x,y\"]\n");
    }
    let (code, printed) = eval("t.tsv", "a\tb\n1\t2\n", "[a, b]", &["--types", "b=number"]);
    assert_eq!((code, printed.as_str()), (Some(0), "[\"1\",2]\n"));
    for separator in ["", ";;", "\"", "é"] {
        assert_eq!(eval("t.csv", "a\n1\n", "a", &["--separator", separator]).0, Some(2), "{separator}");
    }
    let (code, printed) = eval("t.ndjson", "{\"a\": 1}\n", "a", &["--types", "a=number"]);
    assert!(code == Some(2) && printed.contains("are for scopes in tables"), "{printed}");
    assert_eq!(hclvm(&["eval", "-e", "1", "--separator", ";"]).status.code(), Some(2));
}

#[test]
fn long_cells_and_many_columns_are_read() {
    let long = "é".repeat(3_000);
    let table = format!("a,b\n{long},\"{long}\"\n");
    assert_eq!(results(&table, "[strlen(a), a == b]", &[]), "[3000,true]\n");
    let names: Vec<String> = (0..20_000).map(|at| format!("c{at}")).collect();
    let table = format!("{}\n{}\n", names.join(","), vec!["7"; names.len()].join(","));
    assert_eq!(results(&table, "c19999", &[]), "\"7\"\n");
    let (code, printed) = eval("t.csv", ",".repeat(2 << 20), "1", &[]);
    assert!(code == Some(1) && printed.contains("it has more than 1048576 columns"), "{printed}");
    let (code, printed) = eval("t.csv", format!("a\n{}\n2\n", ",".repeat(2 << 20)), "a", &[]);
    assert!(code == Some(1) && printed.contains("\"line\":2,") && printed.ends_with("\"2\"\n"), "{printed}");
}

#[test]
fn tables_are_read_wherever_scopes_are() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", "y = n + 1\n");
    let scopes = folder.file("s.csv", "$name,n\nfirst,1\nsecond,2\n");
    let recorded = hclvm(&["test", &file, "--record", &scopes, "--types", "n=number"]);
    let cases = text(&recorded.stdout);
    assert!(cases.contains("case \"second\" {") && cases.contains("    n = 2\n"), "{cases}");
    let quick = ["--rounds", "1", "--round", "1", "--json"];
    let output = hclvm(&[&["bench", &file, "--scopes", &scopes][..], &quick].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output = hclvm_reading(&["eval", &file, "--scopes", &scopes], "");
    assert_eq!(json_lines(&output)[1]["scope"], "second");
}
