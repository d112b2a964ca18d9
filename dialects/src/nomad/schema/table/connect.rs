//! The bodies of a service's block `connect`: gateways, sidecars and their proxies.

use super::super::JobBlockSchema::{Rules, Texts, Values};
use super::super::{
    BOOL, BodyType, DURATION, EMPTY, INTEGER, PORTS, TEXT, TEXTS, UINT16, UINT32_OR_NULL, many, one,
};
use super::{IDENTITY, LOGS, RESOURCES, VOLUME_MOUNT};

pub(super) static CONNECT: BodyType = BodyType {
    name: "connect",
    arguments: &[(BOOL, "native")],
    blocks: &[
        one("gateway", Rules(&GATEWAY)),
        one("sidecar_service", Rules(&SIDECAR_SERVICE)),
        one("sidecar_task", Rules(&SIDECAR_TASK)),
    ],
    ..EMPTY
};

static GATEWAY: BodyType = BodyType {
    name: "gateway",
    blocks: &[
        one("ingress", Rules(&GATEWAY_INGRESS)),
        one("mesh", Rules(&GATEWAY_MESH)),
        one("proxy", Rules(&GATEWAY_PROXY)),
        one("terminating", Rules(&GATEWAY_TERMINATING)),
    ],
    ..EMPTY
};

static GATEWAY_INGRESS: BodyType = BodyType {
    name: "gateway_ingress",
    blocks: &[many("listener", Rules(&INGRESS_LISTENER)), one("tls", Rules(&GATEWAY_TLS))],
    ..EMPTY
};

static INGRESS_LISTENER: BodyType = BodyType {
    name: "ingress_listener",
    arguments: &[(TEXT, "protocol"), (INTEGER, "port")],
    blocks: &[many("service", Rules(&INGRESS_SERVICE))],
    ..EMPTY
};

static INGRESS_SERVICE: BodyType = BodyType {
    name: "ingress_service",
    arguments: &[
        (TEXT, "name"),
        (UINT32_OR_NULL, "max_concurrent_requests max_connections max_pending_requests"),
        (TEXTS, "hosts"),
    ],
    blocks: &[
        one("request_headers", Rules(&HTTP_HEADERS)),
        one("response_headers", Rules(&HTTP_HEADERS)),
        one("tls", Rules(&GATEWAY_TLS)),
    ],
    ..EMPTY
};

static HTTP_HEADERS: BodyType = BodyType {
    name: "http_headers",
    arguments: &[(TEXTS, "remove")],
    blocks: &[one("add", Texts), one("set", Texts)],
    ..EMPTY
};

static GATEWAY_TLS: BodyType = BodyType {
    name: "gateway_tls",
    arguments: &[(TEXT, "tls_max_version tls_min_version"), (BOOL, "enabled"), (TEXTS, "cipher_suites")],
    blocks: &[one("sds", Rules(&GATEWAY_TLS_SDS))],
    ..EMPTY
};

static GATEWAY_TLS_SDS: BodyType =
    BodyType { name: "gateway_tls_sds", arguments: &[(TEXT, "cert_resource cluster_name")], ..EMPTY };

static GATEWAY_MESH: BodyType = BodyType { name: "gateway_mesh", ..EMPTY };

static GATEWAY_PROXY: BodyType = BodyType {
    name: "gateway_proxy",
    arguments: &[
        (TEXT, "envoy_dns_discovery_type"),
        (BOOL, "envoy_gateway_bind_tagged_addresses envoy_gateway_no_default_bind"),
        (DURATION, "connect_timeout"),
    ],
    blocks: &[
        one("config", Values),
        many("envoy_gateway_bind_addresses", Rules(&GATEWAY_BIND_ADDRESS)).labelled(""),
    ],
    ..EMPTY
};

static GATEWAY_BIND_ADDRESS: BodyType =
    BodyType { name: "gateway_bind_address", arguments: &[(TEXT, "address"), (INTEGER, "port")], ..EMPTY };

static GATEWAY_TERMINATING: BodyType =
    BodyType { name: "gateway_terminating", blocks: &[many("service", Rules(&LINKED_SERVICE))], ..EMPTY };

static LINKED_SERVICE: BodyType =
    BodyType { name: "linked_service", arguments: &[(TEXT, "ca_file cert_file key_file name sni")], ..EMPTY };

static SIDECAR_SERVICE: BodyType = BodyType {
    name: "sidecar_service",
    arguments: &[(TEXT, "port"), (BOOL, "disable_default_tcp_check"), (TEXTS, "tags")],
    blocks: &[one("meta", Texts), one("proxy", Rules(&PROXY))],
    ..EMPTY
};

static PROXY: BodyType = BodyType {
    name: "proxy",
    arguments: &[(TEXT, "local_service_address"), (INTEGER, "local_service_port")],
    blocks: &[
        one("config", Values),
        one("expose", Rules(&EXPOSE)),
        one("transparent_proxy", Rules(&TRANSPARENT_PROXY)),
        many("upstreams", Rules(&UPSTREAMS)),
    ],
    ..EMPTY
};

static EXPOSE: BodyType = BodyType { name: "expose", blocks: &[many("path", Rules(&EXPOSE_PATH))], ..EMPTY };

static EXPOSE_PATH: BodyType = BodyType {
    name: "expose_path",
    arguments: &[(TEXT, "listener_port path protocol"), (INTEGER, "local_path_port")],
    ..EMPTY
};

static TRANSPARENT_PROXY: BodyType = BodyType {
    name: "transparent_proxy",
    arguments: &[
        (TEXT, "uid"),
        (BOOL, "no_dns"),
        (UINT16, "outbound_port"),
        (TEXTS, "exclude_inbound_ports exclude_outbound_cidrs exclude_uids"),
        (PORTS, "exclude_outbound_ports"),
    ],
    ..EMPTY
};

static UPSTREAMS: BodyType = BodyType {
    name: "upstreams",
    arguments: &[
        (
            TEXT,
            "datacenter destination_name destination_namespace destination_partition destination_peer \
            destination_type local_bind_address local_bind_socket_mode local_bind_socket_path",
        ),
        (INTEGER, "local_bind_port"),
    ],
    blocks: &[one("config", Values), one("mesh_gateway", Rules(&MESH_GATEWAY))],
    ..EMPTY
};

static MESH_GATEWAY: BodyType = BodyType { name: "mesh_gateway", arguments: &[(TEXT, "mode")], ..EMPTY };

static SIDECAR_TASK: BodyType = BodyType {
    name: "sidecar_task",
    arguments: &[(TEXT, "driver kill_signal name user"), (DURATION, "kill_timeout shutdown_delay")],
    blocks: &[
        one("config", Values),
        one("env", Texts),
        many("identity", Rules(&IDENTITY)),
        one("logs", Rules(&LOGS)),
        one("meta", Texts),
        one("resources", Rules(&RESOURCES)),
        many("volume_mount", Rules(&VOLUME_MOUNT)),
    ],
    ..EMPTY
};
