//! The base libraries: each function of the crate once, under the name that programs use, and its constructor.
//!
//! [`FunctionSet`](crate::FunctionSet) chooses among them for a dialect. Names of a library are sorted and distinct;
//! forms of one function that differ are in different libraries.

use std::fmt;

use hclvm_vm::Function;

use crate::capability::Capabilities;

pub mod cty;
pub mod hashicorp;
pub mod nomad;
pub mod opentofu;
pub mod packer;

/// Functions with their names.
#[derive(Clone, Copy)]
pub struct Library(&'static [LibraryFunction]);

impl Library {
    /// Iterates over the names of its functions, also of those whose features are off.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|entry| entry.name)
    }

    pub(crate) fn entries(self) -> &'static [LibraryFunction] {
        self.0
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// A function of a library.
pub(crate) struct LibraryFunction {
    /// The name that programs use.
    pub(crate) name: &'static str,
    /// `None` if its features are off.
    constructor: Option<Constructor>,
}

impl LibraryFunction {
    /// Makes the function; `None` if its features are off.
    pub(crate) fn function(&self, granted: &Capabilities) -> Option<Function> {
        Some(match self.constructor.as_ref()? {
            Constructor::Pure(construct) => construct().metered(),
            Constructor::Granted(construct) => construct(granted),
        })
    }
}

/// The function of a family file that makes a [`Function`].
enum Constructor {
    /// Of a function that depends on its arguments only, and charges fuel for its work.
    Pure(fn() -> Function),
    /// Of a function that uses capabilities.
    Granted(fn(&Capabilities) -> Function),
}

macro_rules! constructor {
    ($($path:ident)::+) => {
        Constructor::Pure(crate::$($path)::+)
    };
    ($($path:ident)::+ (granted)) => {
        Constructor::Granted(crate::$($path)::+)
    };
}

/// Makes a library of names, constructors and the features that they need.
macro_rules! library {
    ($(#[$doc:meta])* $library:ident:
        $($name:literal $family:ident :: $function:ident $(($granted:ident))? [$($feature:literal)*],)*) => {
        $(#[$doc])*
        pub const $library: Library = Library(&[$(
            #[cfg(all($(feature = $feature),*))]
            LibraryFunction { name: $name, constructor: Some(constructor!($family::$function $(($granted))?)) },
            #[cfg(not(all($(feature = $feature),*)))]
            LibraryFunction { name: $name, constructor: None },
        )*]);
    };
}

pub(crate) use {constructor, library};
