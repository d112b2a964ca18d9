//! How long the operations of both engines take, for docs/performance.md:
//!
//! ```sh
//! cargo test --release -p hclvm-vm times_of_the_engines -- --ignored --nocapture
//! ```
#![expect(clippy::print_stdout, reason = "the figures are the result")]

use std::hint::black_box;
use std::time::Instant;

use super::super::agreement::Random;
use super::pure::Float as Pure;
use super::{Engine, Float as Mpfr};
use crate::memory::cast;

/// The precisions of the table.
const PRECISIONS: [u32; 6] = [576, 1_024, 2_048, 4_096, 8_192, 16_384];

/// Rounds of which the fastest one counts.
const ROUNDS: usize = 500;

/// An operation at a precision.
type Operation<Number> = fn(&Number, &Number, u32) -> Number;

/// Returns two numbers that need all their bits.
fn operands<Number: Engine>(bits: u32) -> [Number; 2] {
    let mut random = Random(1);
    [0, -3].map(|power| {
        let words: Vec<u64> = (0..cast::index(bits.div_ceil(64))).map(|_| random.next()).collect();
        Number::from_words(&words, power, bits, false)
    })
}

/// Returns the nanoseconds of an operation.
fn time<Number: Engine>(bits: u32, operation: Operation<Number>) -> f64 {
    let [a, b] = operands(bits);
    let calls = 200_000 / bits + 5;
    let round = || {
        let start = Instant::now();
        for _ in 0..calls {
            black_box(operation(black_box(&a), &b, bits));
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
    };
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}

#[test]
#[ignore = "prints times; see the head of this file"]
fn times_of_the_engines() {
    println!("nanoseconds with pure / rug at {PRECISIONS:?} bits");
    let row = |name: &str, pure: Operation<Pure>, mpfr: Operation<Mpfr>| {
        let cells = PRECISIONS.map(|bits| {
            let (pure, mpfr) = (time(bits, pure), time(bits, mpfr));
            format!("{pure:.0} / {mpfr:.0}, {:.2}", pure / mpfr)
        });
        println!("| {name} | {} |", cells.join(" | "));
    };
    row("sum", Pure::plus, Engine::plus);
    row("difference", Pure::minus, Engine::minus);
    row("product", Pure::times, Engine::times);
    row("quotient", Pure::over, Engine::over);
}
