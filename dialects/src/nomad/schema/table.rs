//! The bodies of Nomad's job specification as data: the names of arguments with what they hold, the types of blocks, and
//! which body each of them has. The names follow Nomad 1.11; the rules of a few blocks are in `blocks`.

mod connect;

use super::JobBlockSchema::{Rules, TextLists, Texts, Values};
use super::{
    BOOL, BOOL_OR_NULL, BodyType, DURATION, EMPTY, INT8_OR_NULL, INTEGER, INTEGER_OR_NULL, MAP,
    NUMBER_OR_NULL, TEXT, TEXT_OR_NULL, TEXTS, UINT8, UINT64_OR_NULL, many, one,
};
use connect::CONNECT;

pub(in crate::nomad) static JOB: BodyType = BodyType {
    name: "job",
    arguments: &[
        (TEXT_OR_NULL, "id name namespace node_pool region type"),
        (BOOL_OR_NULL, "all_at_once"),
        (INTEGER_OR_NULL, "priority"),
        (TEXTS, "datacenters"),
    ],
    blocks: &[
        many("affinity", Rules(&AFFINITY)),
        many("constraint", Rules(&CONSTRAINT)),
        many("group", Rules(&GROUP)).labelled("name"),
        one("meta", Texts).or_argument(),
        one("migrate", Rules(&MIGRATE)),
        one("multiregion", Rules(&MULTIREGION)),
        one("parameterized", Rules(&PARAMETERIZED)),
        one("periodic", Rules(&PERIODIC)),
        one("reschedule", Rules(&RESCHEDULE)),
        many("spread", Rules(&SPREAD)),
        one("ui", Rules(&UI)),
        one("update", Rules(&UPDATE)),
        one("vault", Rules(&VAULT)).first_is_read(),
        many("task", Rules(&TASK)).labelled("name"),
        many("secret", Rules(&SECRET)).labelled("name"),
    ],
    ..EMPTY
};

static AFFINITY: BodyType = BodyType {
    name: "affinity",
    arguments: &[
        (
            TEXT_OR_NULL,
            "attribute operator regexp semver set_contains set_contains_all set_contains_any value \
            version",
        ),
        (NUMBER_OR_NULL, "weight"),
    ],
    exact: true,
    ..EMPTY
};

static CONSTRAINT: BodyType = BodyType {
    name: "constraint",
    arguments: &[
        (
            TEXT_OR_NULL,
            "attribute distinct_property is_not_set is_set operator regexp semver set_contains \
            set_contains_all set_contains_any value version",
        ),
        (BOOL_OR_NULL, "distinct_hosts"),
    ],
    exact: true,
    ..EMPTY
};

static GROUP: BodyType = BodyType {
    name: "group",
    arguments: &[
        (BOOL_OR_NULL, "prevent_reschedule_on_lost"),
        (INTEGER_OR_NULL, "count"),
        (DURATION, "max_client_disconnect max_run_duration shutdown_delay stop_after_client_disconnect"),
    ],
    blocks: &[
        many("affinity", Rules(&AFFINITY)),
        many("constraint", Rules(&CONSTRAINT)),
        one("consul", Rules(&CONSUL)),
        one("disconnect", Rules(&DISCONNECT)),
        one("ephemeral_disk", Rules(&EPHEMERAL_DISK)),
        one("meta", Texts).or_argument(),
        one("migrate", Rules(&MIGRATE)),
        many("network", Rules(&NETWORK)),
        one("reschedule", Rules(&RESCHEDULE)),
        one("restart", Rules(&RESTART)),
        one("scaling", Rules(&GROUP_SCALING)),
        many("service", Rules(&SERVICE)),
        many("spread", Rules(&SPREAD)),
        many("task", Rules(&TASK)).labelled("name"),
        one("update", Rules(&UPDATE)),
        many("volume", Rules(&VOLUME)).labelled("name"),
        many("vault", Rules(&VAULT)).unchecked(),
        many("secret", Rules(&SECRET)).labelled("name").unchecked(),
    ],
    ..EMPTY
};

static CONSUL: BodyType =
    BodyType { name: "consul", arguments: &[(TEXT, "cluster namespace partition")], ..EMPTY };

static DISCONNECT: BodyType = BodyType {
    name: "disconnect",
    arguments: &[
        (TEXT_OR_NULL, "reconcile"),
        (BOOL_OR_NULL, "replace"),
        (DURATION, "lost_after stop_on_client_after"),
    ],
    ..EMPTY
};

static EPHEMERAL_DISK: BodyType = BodyType {
    name: "ephemeral_disk",
    arguments: &[(BOOL_OR_NULL, "migrate sticky"), (INTEGER_OR_NULL, "size")],
    ..EMPTY
};

static MIGRATE: BodyType = BodyType {
    name: "migrate",
    arguments: &[
        (TEXT_OR_NULL, "health_check"),
        (INTEGER_OR_NULL, "max_parallel"),
        (DURATION, "healthy_deadline min_healthy_time"),
    ],
    ..EMPTY
};

static NETWORK: BodyType = BodyType {
    name: "network",
    arguments: &[(TEXT, "cidr device hostname ip mode"), (INTEGER_OR_NULL, "mbits")],
    blocks: &[
        one("cni", Rules(&NETWORK_CNI)),
        one("dns", Rules(&NETWORK_DNS)),
        many("port", Rules(&PORT)).labelled(""),
        many("reserved_ports", Rules(&PORT)).labelled(""),
    ],
    ..EMPTY
};

static NETWORK_CNI: BodyType = BodyType { name: "network_cni", arguments: &[(MAP, "args")], ..EMPTY };

static NETWORK_DNS: BodyType =
    BodyType { name: "network_dns", arguments: &[(TEXTS, "options searches servers")], ..EMPTY };

static PORT: BodyType = BodyType {
    name: "port",
    arguments: &[(TEXT, "host_network"), (BOOL, "ignore_collision"), (INTEGER, "static to")],
    ..EMPTY
};

static RESCHEDULE: BodyType = BodyType {
    name: "reschedule",
    arguments: &[
        (TEXT_OR_NULL, "delay_function"),
        (BOOL_OR_NULL, "unlimited"),
        (INTEGER_OR_NULL, "attempts"),
        (DURATION, "delay interval max_delay"),
    ],
    ..EMPTY
};

static RESTART: BodyType = BodyType {
    name: "restart",
    arguments: &[
        (TEXT_OR_NULL, "mode"),
        (BOOL_OR_NULL, "render_templates"),
        (INTEGER_OR_NULL, "attempts"),
        (DURATION, "delay interval"),
    ],
    ..EMPTY
};

static GROUP_SCALING: BodyType = BodyType {
    name: "group_scaling",
    arguments: &[(TEXT, "type"), (BOOL_OR_NULL, "enabled"), (INTEGER_OR_NULL, "max min")],
    required: &["max"],
    blocks: &[one("policy", Values)],
    ..EMPTY
};

static SERVICE: BodyType = BodyType {
    name: "service",
    arguments: &[
        (TEXT, "address address_mode cluster kind name on_update port provider task"),
        (BOOL, "enable_tag_override"),
        (TEXTS, "canary_tags tags"),
    ],
    blocks: &[
        one("canary_meta", Texts),
        many("check", Rules(&CHECK)),
        one("check_restart", Rules(&CHECK_RESTART)),
        one("connect", Rules(&CONNECT)),
        one("identity", Rules(&IDENTITY)),
        one("meta", Texts),
        one("tagged_addresses", Texts),
        one("weights", Rules(&SERVICE_WEIGHTS)),
    ],
    ..EMPTY
};

static CHECK: BodyType = BodyType {
    name: "check",
    arguments: &[
        (
            TEXT,
            "address_mode advertise body command grpc_service initial_status method name notes \
            on_update path port protocol task tls_server_name type",
        ),
        (BOOL, "expose grpc_use_tls tls_skip_verify"),
        (INTEGER, "failures_before_critical failures_before_warning success_before_passing"),
        (DURATION, "interval timeout"),
        (TEXTS, "args"),
    ],
    blocks: &[one("check_restart", Rules(&CHECK_RESTART)), one("header", TextLists)],
    ..EMPTY
};

static CHECK_RESTART: BodyType = BodyType {
    name: "check_restart",
    arguments: &[(BOOL, "ignore_warnings"), (INTEGER, "limit"), (DURATION, "grace")],
    ..EMPTY
};

static IDENTITY: BodyType = BodyType {
    name: "identity",
    arguments: &[
        (TEXT, "change_mode change_signal filepath name service_name"),
        (BOOL, "env file"),
        (DURATION, "ttl"),
        (TEXTS, "aud extra_claims"),
    ],
    ..EMPTY
};

static LOGS: BodyType = BodyType {
    name: "logs",
    arguments: &[(BOOL_OR_NULL, "disabled enabled"), (INTEGER_OR_NULL, "max_file_size max_files")],
    ..EMPTY
};

static RESOURCES: BodyType = BodyType {
    name: "resources",
    arguments: &[(INTEGER_OR_NULL, "cores cpu disk iops memory memory_max secrets")],
    blocks: &[
        many("device", Rules(&DEVICE)).labelled(""),
        many("network", Rules(&NETWORK)),
        one("numa", Rules(&NUMA)),
    ],
    ..EMPTY
};

static DEVICE: BodyType = BodyType {
    name: "device",
    arguments: &[(UINT64_OR_NULL, "count")],
    blocks: &[many("affinity", Rules(&AFFINITY)), many("constraint", Rules(&CONSTRAINT))],
    ..EMPTY
};

static NUMA: BodyType =
    BodyType { name: "numa", arguments: &[(TEXT, "affinity"), (TEXTS, "devices")], ..EMPTY };

static VOLUME_MOUNT: BodyType = BodyType {
    name: "volume_mount",
    arguments: &[
        (TEXT_OR_NULL, "destination propagation_mode selinux_label volume"),
        (BOOL_OR_NULL, "read_only"),
    ],
    ..EMPTY
};

static SERVICE_WEIGHTS: BodyType =
    BodyType { name: "service_weights", arguments: &[(INTEGER, "passing warning")], ..EMPTY };

static SPREAD: BodyType = BodyType {
    name: "spread",
    arguments: &[(TEXT, "attribute"), (INT8_OR_NULL, "weight")],
    blocks: &[many("target", Rules(&SPREAD_TARGET)).labelled("")],
    ..EMPTY
};

static SPREAD_TARGET: BodyType =
    BodyType { name: "spread_target", arguments: &[(UINT8, "percent")], ..EMPTY };

static TASK: BodyType = BodyType {
    name: "task",
    arguments: &[
        (TEXT, "driver kill_signal kind user"),
        (BOOL, "leader"),
        (DURATION, "kill_timeout shutdown_delay"),
    ],
    blocks: &[
        many("action", Rules(&ACTION)).labelled("name"),
        many("affinity", Rules(&AFFINITY)),
        many("artifact", Rules(&ARTIFACT)),
        one("config", Values),
        many("constraint", Rules(&CONSTRAINT)),
        one("consul", Rules(&CONSUL)),
        one("csi_plugin", Rules(&CSI_PLUGIN)),
        one("dispatch_payload", Rules(&DISPATCH_PAYLOAD)),
        one("env", Texts).or_argument(),
        many("identity", Rules(&IDENTITY)),
        one("lifecycle", Rules(&LIFECYCLE)),
        one("logs", Rules(&LOGS)),
        one("meta", Texts).or_argument(),
        one("resources", Rules(&RESOURCES)),
        one("restart", Rules(&RESTART)),
        many("scaling", Rules(&TASK_SCALING)).labelled("name"),
        one("schedule", Rules(&SCHEDULE)),
        many("secret", Rules(&SECRET)).labelled("name"),
        many("service", Rules(&SERVICE)),
        many("template", Rules(&TEMPLATE)),
        one("vault", Rules(&VAULT)),
        many("volume_mount", Rules(&VOLUME_MOUNT)),
    ],
    ..EMPTY
};

static ACTION: BodyType = BodyType {
    name: "action",
    arguments: &[(TEXT, "command"), (TEXTS, "args")],
    required: &["command"],
    ..EMPTY
};

static ARTIFACT: BodyType = BodyType {
    name: "artifact",
    arguments: &[(TEXT_OR_NULL, "destination mode source"), (BOOL, "chown"), (BOOL_OR_NULL, "insecure")],
    blocks: &[one("headers", Texts), one("options", Texts)],
    ..EMPTY
};

static CSI_PLUGIN: BodyType = BodyType {
    name: "csi_plugin",
    arguments: &[(TEXT, "id mount_dir stage_publish_base_dir type"), (DURATION, "health_timeout")],
    ..EMPTY
};

static DISPATCH_PAYLOAD: BodyType =
    BodyType { name: "dispatch_payload", arguments: &[(TEXT, "file")], ..EMPTY };

static LIFECYCLE: BodyType = BodyType {
    name: "lifecycle",
    arguments: &[(TEXT, "hook"), (BOOL, "sidecar")],
    required: &["hook"],
    ..EMPTY
};

static TASK_SCALING: BodyType = BodyType {
    name: "task_scaling",
    arguments: &[(TEXT, "type"), (BOOL_OR_NULL, "enabled"), (INTEGER_OR_NULL, "max min")],
    blocks: &[one("policy", Values)],
    ..EMPTY
};

static SCHEDULE: BodyType =
    BodyType { name: "schedule", blocks: &[one("cron", Rules(&SCHEDULE_CRON))], ..EMPTY };

static SCHEDULE_CRON: BodyType =
    BodyType { name: "schedule_cron", arguments: &[(TEXT, "end start timezone")], ..EMPTY };

static SECRET: BodyType = BodyType {
    name: "secret",
    arguments: &[(TEXT, "path provider")],
    blocks: &[one("config", Values), one("env", Texts)],
    ..EMPTY
};

static TEMPLATE: BodyType = BodyType {
    name: "template",
    arguments: &[
        (
            TEXT_OR_NULL,
            "change_mode change_signal data destination left_delimiter perms right_delimiter source",
        ),
        (BOOL_OR_NULL, "env error_on_missing_key once"),
        (INTEGER_OR_NULL, "gid uid"),
        (DURATION, "splay vault_grace"),
    ],
    blocks: &[one("change_script", Rules(&CHANGE_SCRIPT)), one("wait", Rules(&WAIT))],
    ..EMPTY
};

static CHANGE_SCRIPT: BodyType = BodyType {
    name: "change_script",
    arguments: &[
        (TEXT_OR_NULL, "command"),
        (BOOL_OR_NULL, "fail_on_error run_on_first_render"),
        (DURATION, "timeout"),
        (TEXTS, "args"),
    ],
    ..EMPTY
};

static WAIT: BodyType = BodyType { name: "wait", arguments: &[(DURATION, "max min")], ..EMPTY };

static VAULT: BodyType = BodyType {
    name: "vault",
    arguments: &[
        (TEXT, "cluster role"),
        (TEXT_OR_NULL, "change_mode change_signal namespace"),
        (BOOL_OR_NULL, "allow_token_expiration disable_file env"),
        (TEXTS, "policies"),
    ],
    ..EMPTY
};

static UPDATE: BodyType = BodyType {
    name: "update",
    arguments: &[
        (TEXT_OR_NULL, "health_check"),
        (BOOL_OR_NULL, "auto_promote auto_revert"),
        (INTEGER_OR_NULL, "canary max_parallel"),
        (DURATION, "healthy_deadline min_healthy_time progress_deadline stagger"),
    ],
    ..EMPTY
};

static VOLUME: BodyType = BodyType {
    name: "volume",
    arguments: &[(TEXT, "access_mode attachment_mode source type"), (BOOL, "per_alloc read_only sticky")],
    blocks: &[one("mount_options", Rules(&VOLUME_MOUNT_OPTIONS))],
    ..EMPTY
};

static VOLUME_MOUNT_OPTIONS: BodyType = BodyType {
    name: "volume_mount_options",
    arguments: &[(TEXT, "fs_type"), (TEXTS, "mount_flags")],
    ..EMPTY
};

static MULTIREGION: BodyType = BodyType {
    name: "multiregion",
    blocks: &[
        many("region", Rules(&MULTIREGION_REGION)).labelled(""),
        one("strategy", Rules(&MULTIREGION_STRATEGY)),
    ],
    ..EMPTY
};

static MULTIREGION_REGION: BodyType = BodyType {
    name: "multiregion_region",
    arguments: &[(TEXT, "node_pool"), (INTEGER_OR_NULL, "count"), (TEXTS, "datacenters")],
    blocks: &[one("meta", Texts)],
    ..EMPTY
};

static MULTIREGION_STRATEGY: BodyType = BodyType {
    name: "multiregion_strategy",
    arguments: &[(TEXT_OR_NULL, "on_failure"), (INTEGER_OR_NULL, "max_parallel")],
    ..EMPTY
};

static PARAMETERIZED: BodyType = BodyType {
    name: "parameterized",
    arguments: &[(TEXT, "payload"), (TEXTS, "meta_optional meta_required")],
    ..EMPTY
};

static PERIODIC: BodyType = BodyType {
    name: "periodic",
    arguments: &[
        (TEXT_OR_NULL, "cron time_zone"),
        (BOOL_OR_NULL, "enabled prohibit_overlap"),
        (TEXTS, "crons"),
    ],
    ..EMPTY
};

static UI: BodyType = BodyType {
    name: "ui",
    arguments: &[(TEXT, "description")],
    blocks: &[many("link", Rules(&UI_LINK))],
    ..EMPTY
};

static UI_LINK: BodyType = BodyType { name: "ui_link", arguments: &[(TEXT, "label url")], ..EMPTY };
