//! The service as a client of AuthZEN sees it: the published decisions of its Todo interop scenario, requests that cannot be
//! read, and what answers say.

mod support;

use serde_json::{Value, json};
use support::{Reply, Service, check, message, status};

/// The roles of the scenario: viewers read, editors also create, and change their own todos; admins delete any, evil
/// geniuses update any.
const TODO: &str = r#"
locals {
  roles = {
    "rick@the-citadel.com"  = ["admin", "evil_genius"]
    "morty@the-citadel.com" = ["editor"]
    "summer@the-smiths.com" = ["editor"]
    "beth@the-smiths.com"   = ["viewer"]
    "jerry@the-smiths.com"  = ["viewer"]
  }
  mine     = try(local.roles[subject.id], [])
  is_owner = try(resource.properties.ownerID, "") == subject.id
  edits    = length(setintersection(local.mine, ["editor", "admin", "evil_genius"])) > 0
}
rule "read" {
  when   = contains(["can_read_user", "can_read_todos"], action.name) && length(local.mine) > 0
  effect = "allow"
}
rule "create" {
  when   = action.name == "can_create_todo" && local.edits
  effect = "allow"
}
rule "change-own" {
  when   = contains(["can_update_todo", "can_delete_todo"], action.name) && local.edits && local.is_owner
  effect = "allow"
  reason = "owner"
}
rule "update-any" {
  when   = action.name == "can_update_todo" && contains(local.mine, "evil_genius")
  effect = "allow"
}
rule "delete-any" {
  when   = action.name == "can_delete_todo" && contains(local.mine, "admin")
  effect = "allow"
}
rule "others" {
  when   = subject.type == "user"
  effect = "deny"
  reason = "none of the roles of ${subject.id} allows this"
}
"#;

const USERS: [&str; 5] = [
    "rick@the-citadel.com",
    "morty@the-citadel.com",
    "summer@the-smiths.com",
    "beth@the-smiths.com",
    "jerry@the-smiths.com",
];

const ONE: &str = "POST /access/v1/evaluation HTTP/1.1\r\ncontent-type: application/json";
const ALL: &str = "POST /access/v1/evaluations HTTP/1.1\r\ncontent-type: application/json; charset=utf-8";

fn todo(owner: &str) -> Value {
    json!({ "type": "todo", "id": "7240d0db-8ff0-41ec-98b2-34a096273b9f", "properties": { "ownerID": owner } })
}

fn evaluation(subject: &str, action: &str, resource: Value) -> Value {
    json!({ "subject": { "type": "user", "id": subject }, "action": { "name": action }, "resource": resource })
}

fn body(reply: &Reply) -> Value {
    serde_json::from_str(&reply.body).unwrap_or_else(|error| panic!("{error}: {}", reply.body))
}

#[tokio::test]
async fn the_todo_scenario_has_its_published_decisions() {
    let service = Service::start(TODO).await;
    // Of each user: read another user, read oneself, read, create, update of Rick, update of one's own, delete of Rick,
    // delete of one's own.
    for (user, wanted) in [
        (USERS[0], [true; 8]),
        (USERS[1], [true, true, true, true, false, true, false, true]),
        (USERS[2], [true, true, true, true, false, true, false, true]),
        (USERS[3], [true, true, true, false, false, false, false, false]),
        (USERS[4], [true, true, true, false, false, false, false, false]),
    ] {
        // Rick's requests about another owner are those about Morty's todo.
        let own = if user == USERS[0] { USERS[1] } else { user };
        let person = |id: &str| json!({ "type": "user", "id": id });
        let requests = [
            evaluation(user, "can_read_user", person(USERS[3])),
            evaluation(user, "can_read_user", person(user)),
            evaluation(user, "can_read_todos", json!({ "type": "todo", "id": "todo-1" })),
            evaluation(user, "can_create_todo", json!({ "type": "todo", "id": "todo-1" })),
            evaluation(user, "can_update_todo", todo(USERS[0])),
            evaluation(user, "can_update_todo", todo(own)),
            evaluation(user, "can_delete_todo", todo(USERS[0])),
            evaluation(user, "can_delete_todo", todo(own)),
        ];
        for (request, wanted) in requests.iter().zip(wanted) {
            let reply = service.authzen(ONE, &request.to_string()).await;
            assert_eq!((reply.status, &body(&reply)["decision"]), (200, &json!(wanted)), "{request}");
        }
        let all = json!({ "evaluations": requests });
        let reply = body(&service.authzen(ALL, &all.to_string()).await);
        let decisions: Vec<bool> = reply["evaluations"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|one| one["decision"].as_bool())
            .collect();
        assert_eq!(decisions, wanted, "{user}");
    }
}

#[tokio::test]
async fn several_evaluations_share_parts_and_may_end_early() {
    let service = Service::start(TODO).await;
    let decisions = async |semantic: &str| {
        let request = json!({
            "subject": { "type": "user", "id": USERS[1] },
            "action": { "name": "can_update_todo" },
            "options": { "evaluations_semantic": semantic, "other": 3 },
            "evaluations": [
                { "resource": todo(USERS[1]) },
                { "resource": todo(USERS[0]) },
                {},
                { "resource": todo(USERS[0]), "subject": { "type": "user", "id": USERS[0] } },
            ],
        });
        body(&service.authzen(ALL, &request.to_string()).await)["evaluations"].clone()
    };
    let all = decisions("execute_all").await;
    assert_eq!(all[0], json!({ "decision": true, "context": { "id": "change-own", "reason": "owner" } }));
    assert_eq!((&all[1]["decision"], &all[3]["decision"]), (&json!(false), &json!(true)));
    // One that lacks a part is denied alone.
    assert_eq!((&all[2]["decision"], &all[2]["context"]["error"]["status"]), (&json!(false), &json!(400)));
    assert_eq!(decisions("deny_on_first_deny").await.as_array().map(Vec::len), Some(2));
    assert_eq!(decisions("permit_on_first_permit").await.as_array().map(Vec::len), Some(1));

    // Without a list, the request is one evaluation.
    let single = evaluation(USERS[0], "can_read_todos", json!({ "type": "todo", "id": "1" }));
    assert_eq!(body(&service.authzen(ALL, &single.to_string()).await)["decision"], json!(true));
}

#[tokio::test]
async fn what_cannot_be_read_is_denied() {
    let service = Service::start("rule \"all\" {\n  when   = true\n  effect = \"allow\"\n}\n").await;
    let good = evaluation("a", "b", todo("c")).to_string();
    assert_eq!(body(&service.authzen(ONE, &good).await)["decision"], json!(true));
    let deep = format!("{{\"subject\": {}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let many = json!({ "evaluations": vec![json!({}); 101] }).to_string();
    let large = format!("{good}{}", " ".repeat(70_000));
    let twice = good.replacen("\"name\"", "\"name\":\"x\",\"name\"", 1);
    let malformed = [
        "",
        "null",
        "[]",
        "{}",
        "{",
        "3",
        "\"x\"",
        "{\"subject\": \"hunter2\"}",
        &deep,
        &twice,
        &good.replace("\"id\":\"a\"", "\"id\":3"),
        &good.replace(",\"type\":\"user\"", ""),
        &good.replace("\"name\":\"b\"", "\"nam\":\"b\""),
        &good.replace("{\"ownerID\":\"c\"}", "[\"hunter2\"]"),
        &good.replacen('{', "{\"context\": \"hunter2\",", 1),
        &good.replacen('{', "{\"subject\": {\"type\": \"user\", \"id\": \"admin\"},", 1),
    ];
    let other = "POST /access/v1/other HTTP/1.1\r\ncontent-type: application/json";
    let get = "GET /access/v1/evaluation HTTP/1.1\r\ncontent-type: application/json";
    let plain = "POST /access/v1/evaluation HTTP/1.1\r\ncontent-type: text/plain";
    let mut requests: Vec<(&str, &str, u16)> = malformed.iter().map(|body| (ONE, *body, 400)).collect();
    requests.extend(malformed.iter().filter(|body| **body != "{}").map(|body| (ALL, *body, 400)));
    requests.extend([
        (ALL, &*many, 413),
        (ONE, &*large, 413),
        (other, &*good, 404),
        (get, &*good, 405),
        (plain, &*good, 415),
    ]);
    let bad_option =
        good.replacen('{', "{\"evaluations\": [{}], \"options\": {\"evaluations_semantic\": \"any\"},", 1);
    requests.push((ALL, &bad_option, 400));
    let mut count = 0.0;
    for (head, sent, wanted) in requests {
        count += 1.0;
        let reply = service.authzen(head, sent).await;
        assert_eq!(reply.status, wanted, "{head} {sent:.80}: {reply:?}");
        assert_eq!(body(&reply)["decision"], json!(false), "{sent:.80}");
        assert!(!reply.body.contains("hunter2"), "{reply:?}");
    }
    assert_eq!(service.metric("hclvm_authorization_faults_total{kind=\"request\"}").await, count);
}

#[tokio::test]
async fn what_cannot_be_decided_is_denied_without_a_reason() {
    let policy = "rule \"all\" {\n  when   = context.secret + 1 == 2\n  effect = \"allow\"\n  reason = \"for ${context.secret}\"\n}\n";
    let service = Service::start(policy).await;
    let mut request = evaluation("a", "b", todo("c"));
    request["context"] = json!({ "secret": "hunter2" });
    let reply = service.authzen(ONE, &request.to_string()).await;
    assert_eq!((reply.status, reply.body.as_str()), (200, "{\"decision\":false}"));
}

#[tokio::test]
async fn requests_of_both_kinds_do_not_mix() {
    let policy = r#"
rule "by-subject" {
  when   = try(subject.id, "") == "ann"
  effect = "allow"
}
rule "by-path" {
  when   = !startswith(request.path, "/admin")
  effect = "allow"
}
"#;
    let service = Service::start(policy).await;
    let mut client = service.client().await;
    for _ in 0..3 {
        let ann = evaluation("ann", "read", todo("c")).to_string();
        assert_eq!(body(&service.authzen(ONE, &ann).await)["decision"], json!(true));
        // The subject of the request before is gone.
        assert_ne!(status(&check(&mut client, message("GET", "/admin", &[])).await), support::ALLOWED);
        assert_eq!(status(&check(&mut client, message("GET", "/docs", &[])).await), support::ALLOWED);
        // And so is the path: reading it is an error.
        let bob = evaluation("bob", "read", todo("c")).to_string();
        assert_eq!(body(&service.authzen(ONE, &bob).await)["decision"], json!(false));
    }
}

#[tokio::test]
async fn the_number_of_a_request_is_repeated() {
    let service = Service::start(TODO).await;
    for request in [evaluation(USERS[0], "can_read_todos", todo("x")).to_string(), "{".to_owned()] {
        let reply = service.authzen(&format!("{ONE}\r\nx-request-id: r-17"), &request).await;
        assert!(reply.headers.contains(&("x-request-id".to_owned(), "r-17".to_owned())), "{reply:?}");
    }
}
