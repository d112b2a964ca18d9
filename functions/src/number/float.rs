//! Functions that the reference computes with 64-bit floats: results have 53 bits, and powers beyond
//! the range of floats are infinite.

use hclvm_vm::{Arena, CallError, Function, Number, NumberRef, Type, Value};

use super::elementary;
use crate::arguments::{CallResult, number, number_of};

/// `log(num, base)`
pub(crate) fn log() -> Function {
    Function::new("log", [number("num"), number("base")], Type::Number, |arena, args, _| {
        let (num, base) = (float_of(number_of(args, 0))?, float_of(number_of(args, 1))?);
        result(arena, elementary::logarithm(num) / elementary::logarithm(base))
    })
}

/// `pow(num, power)`
pub(crate) fn pow() -> Function {
    Function::new("pow", [number("num"), number("power")], Type::Number, |arena, args, _| {
        let (num, power) = (float_of(number_of(args, 0))?, float_of(number_of(args, 1))?);
        result(arena, elementary::power(num, power))
    })
    .inline(|arena, args| {
        let [num, power] = args else { return None };
        let (num, power) = (float_of(num.as_number()?).ok()?, float_of(power.as_number()?).ok()?);
        result(arena, elementary::power(num, power)).ok()
    })
}

/// Returns the nearest float. A finite number beyond the range of floats is rejected, infinities are
/// not.
fn float_of(number: NumberRef<'_>) -> Result<f64, CallError> {
    let float = number.to_f64();
    if float.is_infinite() && !number.is_infinite() {
        return Err(CallError::new(format!("expected a number between {:e} and {:e}", f64::MIN, f64::MAX)));
    }
    Ok(float)
}

fn result(arena: &Arena, float: f64) -> CallResult<'_> {
    match Number::from_f64(float) {
        Some(number) => Ok(Value::number(arena, number)),
        None => Err(CallError::new("the result is not a number")),
    }
}
