//! Times the change of one of 20 variables of a template with 400 values, beside a whole evaluation.
//!
//! `cargo bench -p hclvm-dialects --bench instance`

#![expect(clippy::print_stdout, reason = "the table is the output of this program")]

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use hclvm_dialects::packer::{Host, Packer, Settings};
use hclvm_dialects::{File, Files, Inputs, Problems};

const VARIABLES: usize = 20;

/// Returns a template: 20 variables, 80 locals, 300 attributes of 10 sources, each of which reads one of them.
fn template() -> String {
    let mut text = String::new();
    for at in 0..VARIABLES {
        let _ = writeln!(text, "variable \"v{at}\" {{\n  default = \"value-{at}\"\n}}");
    }
    let _ = writeln!(text, "locals {{");
    for at in 0..80 {
        let _ = writeln!(text, "  l{at} = \"${{upper(var.v{})}}-{at}\"", at % VARIABLES);
    }
    let _ = writeln!(text, "}}");
    for source in 0..10 {
        let _ = writeln!(text, "source \"null\" \"s{source}\" {{");
        for at in 0..30 {
            let number = source * 30 + at;
            let _ =
                writeln!(text, "  a{at} = \"${{local.l{}}}/${{var.v{}}}\"", number % 80, number % VARIABLES);
        }
        let _ = writeln!(text, "}}");
    }
    let names: Vec<String> = (0..10).map(|source| format!("\"null.s{source}\"")).collect();
    let _ = writeln!(text, "build {{\n  sources = [{}]\n}}", names.join(", "));
    text
}

/// Returns the median time of a call.
fn time(mut call: impl FnMut(usize)) -> Duration {
    let mut times: Vec<Duration> = Vec::new();
    for round in 0..201 {
        let start = Instant::now();
        call(round);
        times.push(start.elapsed());
    }
    times.sort();
    times[times.len() / 2]
}

fn main() -> Result<(), Problems> {
    let files = Files::of(&Packer, ".", [File::new("a.pkr.hcl", template())]);
    let module = Settings::new().prepare(&files)?;
    let whole = time(|_| {
        black_box(module.evaluate(&Inputs::new()));
    });
    let mut instance = module.instance(Inputs::new(), Host::default());
    let mut evaluated = 0;
    let mut set = |text: &str| {
        if let Ok(update) = instance.set_argument("v3", text) {
            assert!(!update.whole, "the variable decides values alone");
            evaluated = update.evaluated;
        }
    };
    let change = time(|round| set(if round % 2 == 0 { "one" } else { "other" }));
    let ratio = whole.as_secs_f64() / change.as_secs_f64();
    println!("whole {whole:?}, one variable {change:?} ({evaluated} of 380 values): {ratio:.1} times faster");
    Ok(())
}
