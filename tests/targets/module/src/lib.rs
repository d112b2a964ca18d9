//! The library on machines that have no files, no output and no clock, such as WebAssembly outside of WASI. Programs there
//! report by ending or by trapping.

/// Conditions on results that depend on the number engine and on the C library of the machine, if anything does.
const CASES: &str = include_str!("../cases.hcl");

/// Evaluates the conditions and returns their number.
///
/// # Errors
/// The names of those that do not hold, or the errors of the file.
pub fn check_cases() -> Result<usize, String> {
    let engine = hclvm::Engine::standard();
    let document = engine.parse("cases.hcl", CASES).map_err(|error| error.to_string())?;
    let (mut session, scope) = (engine.session(), document.scope());
    let mut failed = Vec::new();
    let mut count = 0;
    for attribute in document.body().attributes() {
        let program = attribute.program().map_err(|error| error.to_string())?;
        let holds = session.run(&program, &scope).map_err(|error| error.to_string())?.as_bool();
        if holds != Some(true) {
            failed.push(attribute.name().to_owned());
        }
        count += 1;
    }
    if failed.is_empty() { Ok(count) } else { Err(format!("these do not hold: {}", failed.join(", "))) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn cases_hold() {
        let count = super::check_cases().unwrap_or_else(|error| panic!("{error}"));
        assert!(count > 20, "{count} cases");
    }
}
