//! Functions of the network: address ranges, and secrets that hosts fetch.

mod cidr;
mod secret;

pub(crate) use cidr::{cidrcontains, cidrhost, cidrnetmask, cidrsubnet, cidrsubnets};
pub(crate) use secret::{aws_secretsmanager, aws_secretsmanager_raw, consul_key, vault};
