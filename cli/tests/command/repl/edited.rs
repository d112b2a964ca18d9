//! Edited lines, on a pseudo-terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::super::Folder;

const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";
const UP: &str = "\x1b[A";
/// Printed when a line is no longer edited, which is redrawn with its prompt until then.
const LEFT: &str = "\x1b[?2004l";

/// A session on a terminal of its own.
struct Terminal {
    child: Child,
    master: File,
    received: Receiver<Vec<u8>>,
    /// What was printed since the last expectation.
    pending: String,
}

impl Terminal {
    /// Starts a session that shows no colours, and waits for its prompt.
    fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, &[("NO_COLOR", "1")])
    }

    fn start_with(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&master).expect("its other side");
        unlockpt(&master).expect("its other side");
        let size = Winsize { ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("its size");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let name = name.to_str().expect("a path of plain letters");
        let slave = || File::options().read(true).write(true).open(name).expect("its other side");
        let mut command = Command::new(env!("CARGO_BIN_EXE_hclvm"));
        command.arg("repl").args(arguments).stdin(slave()).stdout(slave()).stderr(slave());
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI", "HOME", "XDG_STATE_HOME"] {
            command.env_remove(name);
        }
        command.env("TERM", "xterm-256color").envs(variables.iter().copied());
        let child = command.spawn().expect("the command starts");
        drop(command);
        let master = File::from(master);
        let (sender, received) = channel();
        let mut reader = master.try_clone().expect("the terminal");
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // A terminal whose writers are gone ends with an error.
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let mut terminal = Self { child, master, received, pending: String::new() };
        terminal.expect("hcl> ");
        terminal
    }

    /// Presses keys.
    fn press(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// Waits until a text is printed, and returns what was printed up to its end.
    fn expect(&mut self, text: &str) -> String {
        loop {
            if let Some(at) = self.pending.find(text) {
                let rest = self.pending.split_off(at + text.len());
                return std::mem::replace(&mut self.pending, rest);
            }
            // The time is reached only if the text is never printed.
            let Ok(bytes) = self.received.recv_timeout(Duration::from_secs(60)) else {
                panic!("{text:?} is not printed: {:?}", self.pending);
            };
            self.pending += &String::from_utf8_lossy(&bytes);
        }
    }

    /// Enters a line and waits for what it prints, and for the next prompt.
    fn enter(&mut self, line: &str, printed: &str) {
        self.press(&format!("{line}\r"));
        self.expect(LEFT);
        self.expect(printed);
        self.expect("hcl> ");
    }

    /// Cancels the line, and waits for the next prompt.
    fn cancel(&mut self) {
        self.press(CTRL_C);
        self.expect(LEFT);
        self.expect("hcl> ");
    }

    /// Ends the session.
    fn end(mut self) {
        self.press(CTRL_D);
        assert!(self.child.wait().expect("the session ends").success());
    }
}

/// A session whose test failed would wait for keys.
impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn values_have_colours_and_lines_have_a_prompt() {
    let mut terminal = Terminal::start_with(&["--no-history"], &[]);
    terminal.enter("{ a = [1, \"b\", null] }", "\x1b[34m\"a\"\x1b[0m: [\r\n");
    terminal.enter("1 +* 2", "\x1b[1;31merror[invalid-expression]");
    terminal.end();
    let mut plain = Terminal::start(&["--no-history"]);
    plain.enter("[1, \"b\"]", "[\r\n  1,\r\n  \"b\"\r\n]");
    plain.end();
}

#[test]
fn names_are_completed() {
    let folder = Folder::new();
    let policy =
        folder.file("policy.hcl", "locals {\n  limit = nothing\n}\nrule \"small-one\" {\n  when = true\n}\n");
    let scope = r#"input={"user":{"name":"bob","role":"admin"},"other":1}"#;
    let mut terminal = Terminal::start(&[&policy, "--no-history", "--var", scope]);
    for (keys, printed) in [
        ("inp\t.us\t.na\t", "\"bob\""),
        ("[input][0].us\t.ro\t", "\"admin\""),
        ("rule.sm\t.wh\t", "true"),
        ("trimsp\t\" x \")", "\"x\""),
        (":ty\t1", "number"),
    ] {
        terminal.enter(keys, &format!("\r\n{printed}"));
    }
    terminal.press("local.l\t");
    terminal.expect("local.limit");
    terminal.cancel();
    terminal.press(&format!(":load {}\t", policy.trim_end_matches("olicy.hcl")));
    terminal.expect("policy.hcl");
    terminal.enter("", "");
    terminal.enter("local.limit", "policy.hcl:2:11");
    terminal.end();
}

#[test]
fn several_names_are_listed_with_the_signatures_of_functions() {
    let mut terminal = Terminal::start(&["--no-history"]);
    terminal.press("startsw\t");
    terminal.expect("startswith(");
    terminal.expect("str: string");
    terminal.cancel();
    terminal.press("trim\t\t");
    terminal.expect("trimprefix(");
    terminal.cancel();
    terminal.end();
}

#[test]
fn an_input_of_several_lines_is_one_entry_of_the_history() {
    let folder = Folder::new();
    let history = folder.file("history", "");
    let mut terminal = Terminal::start(&["--history", &history]);
    terminal.enter("[1,\r2]", "[\r\n  1,\r\n  2\r\n]");
    terminal.enter(" 40 + 2", "\r\n42");
    terminal.end();
    let mut again = Terminal::start(&["--history", &history]);
    again.enter(UP, "[\r\n  1,\r\n  2\r\n]");
    again.end();
}

#[test]
fn an_interrupt_cancels_a_line() {
    let mut terminal = Terminal::start(&["--no-history"]);
    terminal.press("[1, 2\r3");
    terminal.cancel();
    terminal.enter("6 * 7", "\r\n42");
    terminal.end();
}

#[test]
fn an_interrupt_cancels_an_evaluation() {
    let mut terminal = Terminal::start(&["--no-history", "--var", "n=1000"]);
    terminal.press(":bench length([for a in range(n) : a * 2])\r");
    // While a line is edited, the terminal makes no signals.
    while !tcgetattr(&terminal.master).expect("its modes").local_modes.contains(LocalModes::ISIG) {
        std::thread::yield_now();
    }
    let process = Pid::from_child(&terminal.child);
    kill_process(process, Signal::INT).expect("the session runs");
    terminal.expect("note: cancelled\r\n");
    terminal.expect("hcl> ");
    terminal.enter("6 * 7", "\r\n42");
    terminal.end();
}

#[test]
fn a_history_that_cannot_be_kept_is_told() {
    let folder = Folder::new();
    let file = folder.file("file", "");
    let mut terminal = Terminal::start(&["--history", &format!("{file}/history")]);
    terminal.enter("6 * 7", "\r\n42");
    terminal.end();
}
