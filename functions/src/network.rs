//! Functions of the network: address ranges, and secrets that hosts fetch.

mod cidr;
mod secret;

use hclvm_vm::Function;

use cidr::Notation;
pub(crate) use secret::{aws_secretsmanager, aws_secretsmanager_raw, consul_key, vault};

/// [`cidr::cidrhost`] of Packer and Nomad.
pub(crate) fn cidrhost() -> Function {
    cidr::cidrhost(Notation::Plain)
}

/// [`cidr::cidrnetmask`] of Packer and Nomad.
pub(crate) fn cidrnetmask() -> Function {
    cidr::cidrnetmask(Notation::Plain)
}

/// [`cidr::cidrsubnet`] of Packer and Nomad.
pub(crate) fn cidrsubnet() -> Function {
    cidr::cidrsubnet(Notation::Plain)
}

/// [`cidr::cidrsubnets`] of Packer and Nomad.
pub(crate) fn cidrsubnets() -> Function {
    cidr::cidrsubnets(Notation::Plain)
}

/// [`cidr::cidrcontains`] of OpenTofu.
pub(crate) fn cidrcontains_of_opentofu() -> Function {
    cidr::cidrcontains(Notation::OpenTofu)
}

/// [`cidr::cidrhost`] of OpenTofu.
pub(crate) fn cidrhost_of_opentofu() -> Function {
    cidr::cidrhost(Notation::OpenTofu)
}

/// [`cidr::cidrnetmask`] of OpenTofu.
pub(crate) fn cidrnetmask_of_opentofu() -> Function {
    cidr::cidrnetmask(Notation::OpenTofu)
}

/// [`cidr::cidrsubnet`] of OpenTofu.
pub(crate) fn cidrsubnet_of_opentofu() -> Function {
    cidr::cidrsubnet(Notation::OpenTofu)
}

/// [`cidr::cidrsubnets`] of OpenTofu.
pub(crate) fn cidrsubnets_of_opentofu() -> Function {
    cidr::cidrsubnets(Notation::OpenTofu)
}
