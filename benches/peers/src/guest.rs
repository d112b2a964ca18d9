//! The main loop of the second process. It serves the protocol of [`hclvm_workloads::process`], in
//! which a task is given by its name; `guests` is the client side.

use std::io::{self, BufRead, Write};

use crate::Failure;
use crate::contender::{Contender, Peer};
use crate::task::Task;

/// Serves until the input ends.
pub fn serve(peers: &[Peer]) -> Result<(), Failure> {
    let mut contenders: Vec<Box<dyn Contender>> = Vec::new();
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split(' ');
        let verb = words.next().unwrap_or_default();
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).unwrap_or_default();
        match verb {
            "answer" => {
                let (contender, scope) = (number() as usize, number() as usize);
                match contenders.get_mut(contender).ok_or("no such contender")?.answer(scope) {
                    Ok(answer) => writeln!(output, "{}", answer.0)?,
                    Err(failure) => writeln!(output, "!{}", on_one_line(&*failure))?,
                }
            }
            "run" => {
                let (contender, evaluations) = (number() as usize, number());
                let contender = contenders.get_mut(contender).ok_or("no such contender")?;
                writeln!(output, "{}", contender.time(evaluations).as_nanos())?;
            }
            _ => {
                let task = words.next().and_then(Task::named).ok_or("no such task")?;
                contenders.clear();
                let mut lines = Vec::new();
                for peer in peers {
                    match (peer.prepare)(task) {
                        Ok(None) => {}
                        Ok(Some(contender)) => {
                            contenders.push(contender);
                            lines.push(peer.name.to_owned());
                        }
                        Err(failure) => lines.push(format!("!{}: {}", peer.name, on_one_line(&*failure))),
                    }
                }
                writeln!(output, "{}", lines.len())?;
                for line in lines {
                    writeln!(output, "{line}")?;
                }
            }
        }
        output.flush()?;
    }
    Ok(())
}

fn on_one_line(failure: &dyn std::error::Error) -> String {
    failure.to_string().replace('\n', " ")
}
