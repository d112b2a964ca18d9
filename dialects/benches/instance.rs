//! Times the change of one of 20 variables of a template with 400 values, and of a module of Terraform, beside whole
//! evaluations.
//!
//! `cargo bench -p hclvm-dialects --bench instance`; with `--twice` everything runs twice, for profilers.

#![expect(clippy::print_stdout, reason = "the table is the output of this program")]

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use hclvm::Engine;
use hclvm_dialects::packer::{Host, Packer, Settings};
use hclvm_dialects::terraform::{self, Terraform};
use hclvm_dialects::{File, Files, Given, Inputs, Problems};

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
    let rounds = if std::env::args().any(|argument| argument == "--twice") { 2 } else { 201 };
    let mut times: Vec<Duration> = Vec::new();
    for round in 0..rounds {
        let start = Instant::now();
        call(round);
        times.push(start.elapsed());
    }
    times.sort();
    times[times.len() / 2]
}

/// Returns a module of Terraform: 20 variables, 400 locals and 200 resources of six attributes, each of which reads one of
/// them.
fn terraform_module() -> String {
    let mut text = String::new();
    for at in 0..VARIABLES {
        let _ = writeln!(text, "variable \"v{at}\" {{\n  default = \"value-{at}\"\n}}");
    }
    let _ = writeln!(text, "locals {{");
    for at in 0..400 {
        let _ = writeln!(text, "  l{at} = \"${{upper(var.v{})}}-{at}\"", at % VARIABLES);
    }
    let _ = writeln!(text, "}}");
    for at in 0..200 {
        let _ = writeln!(text, "resource \"a_b\" \"r{at}\" {{");
        for attribute in 0..6 {
            let _ = writeln!(
                text,
                "  a{attribute} = \"${{local.l{}}}/{attribute}\"",
                (at + 20 * attribute) % 400
            );
        }
        let _ = writeln!(text, "}}");
    }
    text
}

/// Times the change of one of 20 variables of a module of Terraform, beside a whole evaluation.
fn time_terraform() -> Result<(), Problems> {
    let text = terraform_module();
    let files = Files::of(&Terraform, ".", [File::new("main.tf", text.as_str())]);
    let engine = Engine::default();
    let parsing = time(|_| {
        black_box(engine.parse("main.tf", &text).is_ok());
    });
    let loading = time(|_| {
        black_box(terraform::Settings::new().prepare(&files).is_ok());
    });
    let module = terraform::Settings::new().prepare(&files)?;
    let whole = time(|_| {
        black_box(module.evaluate(&Inputs::new()));
    });
    let mut evaluator = module.evaluator();
    let mut given = Given::new(&Terraform);
    let change = time(|round| {
        given.inputs = Inputs::new().argument("v3", if round % 2 == 0 { "one" } else { "other" });
        black_box(evaluator.evaluate(&given));
    });
    let same = time(|_| {
        black_box(evaluator.evaluate(&given));
    });
    let ratio = |one: Duration, other: Duration| one.as_secs_f64() / other.as_secs_f64();
    println!(
        "terraform: whole {whole:?}, one variable {change:?}: {:.1} times faster; none {same:?}",
        ratio(whole, change)
    );
    println!("terraform: loading {loading:?}, parsing {parsing:?}: {:.1} times", ratio(loading, parsing));
    Ok(())
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
    time_terraform()
}
