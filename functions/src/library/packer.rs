//! Packer's own functions.

use super::{Constructor, Library, LibraryFunction, constructor, library};

library! {
    /// The environment, files of templates, and the time of a build.
    FUNCTIONS:
    "env" environment::env(granted) [],
    "legacy_isotime" time::legacy_isotime(granted) [],
    "legacy_strftime" time::legacy_strftime(granted) [],
    "templatefile" file::nested_templatefile [],
    "timestamp" time::now(granted) [],
}

library! {
    /// Readers of timestamps, which promise nothing about unknown results.
    TIMES:
    "rfc3339_parse" time::rfc3339_parse [],
    "unix_timestamp_parse" time::unix_timestamp_parse [],
}

library! {
    /// Secrets that services keep.
    SECRETS:
    "aws_secretsmanager" network::aws_secretsmanager(granted) [],
    "aws_secretsmanager_raw" network::aws_secretsmanager_raw(granted) [],
    "consul_key" network::consul_key(granted) [],
    "vault" network::vault(granted) [],
}
