//! Which blocks of a job are special: those without a schema, and those whose content is a map of texts.

use std::sync::LazyLock;

use hclvm::schema::Schema;

/// Returns true if the content of a block has no schema: attributes of any name, blocks that become lists of
/// objects, and no `dynamic`.
pub(super) fn has_any_content(kind: &str) -> bool {
    matches!(kind, "config" | "policy")
}

/// Returns true if the content of a block is a map of texts.
pub(super) fn is_map(kind: &str) -> bool {
    matches!(kind, "env" | "meta" | "tagged_addresses" | "options" | "headers" | "canary_meta")
}

/// Returns true if a map of texts in a block of type `parent` may also be written as an attribute.
pub(super) fn is_map_attribute(parent: &str, name: &str) -> bool {
    matches!((parent, name), ("job" | "group" | "task", "meta") | ("task", "env"))
}

/// The types of blocks and their labels. Only JSON needs them: in the native syntax blocks are written as blocks.
pub(super) static BLOCKS: LazyLock<Schema> = LazyLock::new(|| {
    let labelled = ["group", "task", "port", "volume", "device", "upstreams_config", "secret"];
    let plain = [
        "action",
        "affinity",
        "artifact",
        "canary_meta",
        "change_script",
        "check",
        "check_restart",
        "config",
        "connect",
        "constraint",
        "consul",
        "csi_plugin",
        "cores",
        "disconnect",
        "dispatch_payload",
        "dns",
        "env",
        "ephemeral_disk",
        "expose",
        "gateway",
        "header",
        "headers",
        "identity",
        "ingress",
        "lifecycle",
        "link",
        "listener",
        "logs",
        "mesh",
        "meta",
        "mesh_gateway",
        "migrate",
        "mount_options",
        "multiregion",
        "network",
        "numa",
        "options",
        "parameterized",
        "path",
        "periodic",
        "policy",
        "proxy",
        "region",
        "reschedule",
        "resources",
        "restart",
        "scaling",
        "service",
        "sidecar_service",
        "sidecar_task",
        "spread",
        "strategy",
        "tagged_addresses",
        "target",
        "template",
        "terminating",
        "tls",
        "transparent_proxy",
        "ui",
        "update",
        "upstreams",
        "vault",
        "volume_mount",
        "wait",
        "schedule",
        "cron",
    ];
    let schema = labelled.iter().fold(Schema::new(), |schema, kind| schema.block(*kind, &["name"]));
    plain.iter().fold(schema, |schema, kind| schema.block(*kind, &[]))
});
