//! probe
use std::sync::Arc;
use std::time::Instant;
fn main() {
    let engine = hclvm::Engine::standard();
    let tests = [
        (
            "W1",
            r#"user.role == "admin" || (request.method == "GET" && contains(user.groups, resource.group) && !resource.locked)"#,
        ),
        ("W2", "(a * 3 + b / 2 - c) % 7 > 2 ? x : y"),
        ("W2b", "price * 1.15 + 0.1 > limit"),
        ("W3", "[for s in servers : upper(s.name) if s.enabled && s.load < 0.8]"),
        ("W4", "{for s in servers : s.zone => s.name...}"),
        ("W5", "servers[*].addr"),
        ("W6", r#""http://${host}:${port}/%{ for t in tags }${t},%{ endfor }""#),
        (
            "W7",
            r#"key == "k0" ? 0 : key == "k1" ? 1 : key == "k2" ? 2 : key == "k3" ? 3 : key == "k4" ? 4 : key == "k5" ? 5 : key == "k6" ? 6 : key == "k7" ? 7 : key == "k8" ? 8 : 9"#,
        ),
    ];
    let layout = Arc::new(hclvm::Layout::new([
        "user", "request", "resource", "a", "b", "c", "x", "y", "price", "limit", "servers", "host", "port",
        "tags", "key",
    ]));
    for (name, text) in tests {
        let program = engine.compile(text, &layout).unwrap();
        let mut scope = engine.scope(&layout);
        let groups: Vec<String> = (0..8).map(|i| format!("group-{i}")).collect();
        scope
            .set_json(
                "user",
                serde_json::json!({"role":"member","groups":groups,"id":"u1"}).to_string().as_bytes(),
            )
            .unwrap();
        scope.set_json("request", br#"{"method":"GET","path":"/x"}"#).unwrap();
        scope.set_json("resource", br#"{"group":"group-5","locked":false}"#).unwrap();
        for (k, v) in [
            ("a", "10"),
            ("b", "4"),
            ("c", "3"),
            ("x", "100"),
            ("y", "200"),
            ("price", "99.5"),
            ("limit", "120"),
            ("host", "\"example.com\""),
            ("port", "8080"),
            ("tags", "[\"a\",\"bb\",\"ccc\",\"d\",\"e\"]"),
            ("key", "\"k6\""),
        ] {
            scope.set_json(k, v.as_bytes()).unwrap();
        }
        let servers: Vec<serde_json::Value> = (0..100).map(|i| serde_json::json!({"name":format!("server-{i}"),"enabled":i%3!=0,"load":(i as f64)/100.0,"zone":format!("zone-{}",i%5),"addr":format!("10.0.0.{i}"),"id":i})).collect();
        scope.set_json("servers", serde_json::to_string(&servers).unwrap().as_bytes()).unwrap();
        let mut session = engine.session();
        println!("== {name}: registers {}", program.code().registers);
        for line in hclvm_vm::code::fast_lines(program.code()) {
            println!("  {:3} {:24} {}", line.at, line.name, line.operands);
        }
        println!(
            "  = {:?}",
            session.run(&program, &scope).map(|v| format!("{v:?}").chars().take(200).collect::<String>())
        );
        {
            let mut arena = hclvm_vm::arena::Arena::new();
            let _ = &mut arena;
        }
        for tier in [hclvm::Tier::Best, hclvm::Tier::Full] {
            session.set_tier(tier);
            let n = if name == "W3" || name == "W4" || name == "W5" { 20000 } else { 1_000_000 };
            let n = if tier == hclvm::Tier::Full { n / 20 } else { n };
            let t = Instant::now();
            for _ in 0..n {
                std::hint::black_box(session.run(&program, &scope).is_ok());
            }
            println!("  {tier:?}: {:.1} ns", t.elapsed().as_nanos() as f64 / n as f64);
        }
    }
}
