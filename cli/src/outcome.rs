//! How a command ends.

use std::{fmt, io};

/// The result of a command that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandResult {
    /// No errors.
    Fine,
    /// Errors, which have been printed.
    Diagnosed,
    /// A file cannot be read, which has been printed.
    Unreadable,
    /// A decision that is certain and has no effect that allows.
    Denied,
    /// A decision that is not certain.
    Undecided,
}

/// The reason why a command ended early.
#[derive(Debug)]
pub(crate) enum EarlyEnd {
    /// The reader of the output closed it.
    Closed,
    /// Errors, which have been printed.
    Diagnosed,
    /// The arguments cannot be carried out; a message for the user.
    Refused(String),
}

impl From<io::Error> for EarlyEnd {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Refused(format!("Cannot write the output: {error}.")),
        }
    }
}

impl fmt::Display for EarlyEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("The output was closed."),
            Self::Diagnosed => f.write_str("There are errors, which are printed above."),
            Self::Refused(sentence) => f.write_str(sentence),
        }
    }
}
