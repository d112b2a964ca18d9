//! Functions that return secrets, which the host fetches from where they are stored.

use hclvm_vm::{Accepts, CallError, Function, Type};

use crate::arguments::{get, string, text_of};
use crate::capability::{Capabilities, Secrets};
use crate::text_builder::text_value;

/// `aws_secretsmanager(name, key)`: a member of a secret; a null key means the first.
pub(crate) fn aws_secretsmanager(granted: &Capabilities) -> Function {
    let key = string("key").accepting(Accepts::PLAIN.null());
    slot(granted, "aws_secretsmanager", [string("name"), key], |secrets, texts| {
        secrets.aws(texts[0].unwrap_or_default(), texts[1])
    })
}

/// `aws_secretsmanager_raw(name)`: the whole text of a secret.
pub(crate) fn aws_secretsmanager_raw(granted: &Capabilities) -> Function {
    slot(granted, "aws_secretsmanager_raw", [string("name")], |secrets, texts| {
        secrets.aws_raw(texts[0].unwrap_or_default())
    })
}

/// `consul_key(key)`: a value of Consul's store.
pub(crate) fn consul_key(granted: &Capabilities) -> Function {
    slot(granted, "consul_key", [string("key")], |secrets, texts| {
        secrets.consul(texts[0].unwrap_or_default())
    })
}

/// `vault(path, key)`: a value of a secret of Vault.
pub(crate) fn vault(granted: &Capabilities) -> Function {
    slot(granted, "vault", ["path", "key"].map(string), |secrets, texts| {
        secrets.vault(texts[0].unwrap_or_default(), texts[1].unwrap_or_default())
    })
}

/// Creates a function of `N` strings whose result the host fetches; null is `None`.
fn slot<const N: usize>(
    granted: &Capabilities,
    name: &'static str,
    parameters: [hclvm_vm::Parameter; N],
    fetch: impl Fn(&dyn Secrets, [Option<&str>; N]) -> Result<String, String> + Send + Sync + 'static,
) -> Function {
    let granted = granted.clone();
    Function::new(name, parameters, Type::String, move |arena, args, _| {
        let texts = std::array::from_fn(|index| (!get(args, index).is_null()).then(|| text_of(args, index)));
        let secret = fetch(granted.granted_secrets()?, texts).map_err(CallError::new)?;
        arena.charge(secret.len() as u64);
        Ok(text_value(arena, &secret))
    })
    .impure()
}
