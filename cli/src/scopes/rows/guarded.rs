//! Calls of a decoder that panics for some damaged files: the panic is an error, and is not printed.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// True while this thread is in a guarded call.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `decode`. What it changed must not be used again after an error.
///
/// # Errors
/// The message of a panic.
pub(super) fn guarded<T>(decode: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                usual(panic);
            }
        }));
    });
    IS_GUARDED.set(true);
    let decoded = panic::catch_unwind(AssertUnwindSafe(decode));
    IS_GUARDED.set(false);
    decoded.map_err(|panic| format!("the file is damaged ({})", message(&*panic)))
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no reason is known")
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn a_panic_is_an_error() {
        assert_eq!(guarded(|| 7), Ok(7));
        let bound = [1, 2, 3].len();
        let found = guarded(|| assert!(bound > 3, "{bound} values"));
        assert_eq!(found, Err("the file is damaged (3 values)".to_owned()));
        assert_eq!(guarded(|| 8), Ok(8));
    }
}
