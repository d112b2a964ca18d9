//! roto: a typed scripting language, compiled to machine code.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use hclvm_workloads::Workload;
use hclvm_workloads::input;
use roto::{FileTree, List, NoCtx, Package, RotoFunc, RotoString, Runtime, TypedFunc, Val, library};
use serde::Serialize;

use super::text;
use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Peer, Prepared, one};
use crate::task::{Form, Task};

/// The peer. Scopes are arguments with static types, so it can do the workloads over scalars and texts;
/// requests are a registered type with methods, as documented.
pub const PEER: Peer = Peer { name: "roto", prepare };

/// What scripts receive.
type Shared = Arc<Request>;

/// A function of a program.
type Compiled<F> = TypedFunc<NoCtx, F>;

/// The function of `arithmetic`.
type Choose = fn(i64, i64, i64, i64, i64) -> i64;

/// The function of `template`.
type Address = fn(RotoString, i64, List<RotoString>) -> RotoString;

/// A request as a registered type. Texts are shared, so that methods return them without a copy.
#[derive(Clone, PartialEq)]
struct Request {
    role: RotoString,
    method: RotoString,
    groups: List<RotoString>,
    group: RotoString,
    locked: bool,
}

fn prepare(task: Task) -> Prepared {
    let Some(workload) = task.workload() else { return Ok(None) };
    compile_all()?;
    let supported = matches!(task.form, Form::Warm | Form::Cold | Form::Batch);
    if !supported || source(workload).is_none() {
        return Ok(None);
    }
    let count = task.count();
    match workload {
        Workload::PolicyCondition | Workload::FlatCondition => {
            let program: Compiled<fn(Val<Shared>) -> bool> = function(workload)?;
            let requests: Vec<Val<Arc<Request>>> = input::requests_of(count).iter().map(request).collect();
            if task.form == Form::Batch {
                let once =
                    move |_| requests.iter().map(|request| program.call(request.clone())).collect::<Vec<_>>();
                return Ok(one(task.turn(), once, Answer::of));
            }
            called(task, requests, move |request| program.call(request))
        }
        Workload::Arithmetic => {
            let program: Compiled<Choose> = function(workload)?;
            let scopes = input::integers_of(count).into_iter().map(|s| (s.a, s.b, s.c, s.x, s.y)).collect();
            called(task, scopes, move |(a, b, c, x, y)| program.call(a, b, c, x, y))
        }
        Workload::ThirdsKept => {
            let program: Compiled<fn(f64) -> f64> = function(workload)?;
            let scopes = input::integers_of(count).into_iter().map(|s| s.b as f64).collect();
            called(task, scopes, move |b| program.call(b))
        }
        Workload::Fractions => {
            let program: Compiled<fn(f64, f64) -> bool> = function(workload)?;
            let scopes = input::prices_of(count).into_iter().map(|s| (s.price, s.limit)).collect();
            called(task, scopes, move |(price, limit)| program.call(price, limit))
        }
        Workload::FractionsKept => {
            let program: Compiled<fn(f64) -> f64> = function(workload)?;
            let scopes = input::prices_of(count).into_iter().map(|s| s.price).collect();
            called(task, scopes, move |price| program.call(price))
        }
        Workload::Template => {
            let program: Compiled<Address> = function(workload)?;
            let scopes =
                input::addresses_of(count).into_iter().map(|s| (s.host.into(), s.port, list(&s.tags)));
            let called_with = move |(host, port, tags)| program.call(host, port, tags).as_ref().to_owned();
            let scopes: Vec<(RotoString, i64, List<RotoString>)> = scopes.collect();
            called(task, scopes, called_with)
        }
        _ => {
            let program: Compiled<fn(RotoString) -> RotoString> = function(workload)?;
            let scopes: Vec<RotoString> = input::keys_of(count).into_iter().map(|s| s.key.into()).collect();
            called(task, scopes, move |key| program.call(key).as_ref().to_owned())
        }
    }
}

/// A contender with prepared arguments. Calls take them by value: texts and lists are shared.
fn called<A: Clone + 'static, T: Serialize + 'static>(
    task: Task,
    scopes: Vec<A>,
    call: impl Fn(A) -> T + 'static,
) -> Prepared {
    Ok(one(task.turn(), move |at| call(scopes[at].clone()), Answer::of))
}

thread_local! {
    static PACKAGES: RefCell<HashMap<Workload, Package<NoCtx>>> = RefCell::default();
}

/// Compiles all programs, if that has not been done. The first task does it, because machine code and its
/// data have to be within 2 GB of each other, which is not certain once the process has grown.
fn compile_all() -> Result<(), Failure> {
    PACKAGES.with_borrow_mut(|packages| {
        if packages.is_empty() {
            for workload in Workload::every() {
                if let Some(source) = source(workload) {
                    packages.insert(workload, compiled(&source)?);
                }
            }
        }
        Ok(())
    })
}

/// Returns the function of a program.
fn function<F: RotoFunc>(workload: Workload) -> Result<Compiled<F>, Failure> {
    PACKAGES.with_borrow_mut(|packages| {
        let package = packages.get_mut(&workload).ok_or("no such program")?;
        package.get_function("main").map_err(|error| error.to_string().into())
    })
}

fn compiled(source: &str) -> Result<Package<NoCtx>, Failure> {
    let library = library! {
        #[clone] type Request = Val<Arc<Request>>;

        impl Val<Arc<Request>> {
            fn role(request: Val<Arc<Request>>) -> RotoString {
                request.role.clone()
            }

            fn method(request: Val<Arc<Request>>) -> RotoString {
                request.method.clone()
            }

            fn groups(request: Val<Arc<Request>>) -> List<RotoString> {
                request.groups.clone()
            }

            fn group(request: Val<Arc<Request>>) -> RotoString {
                request.group.clone()
            }

            fn locked(request: Val<Arc<Request>>) -> bool {
                request.locked
            }
        }
    };
    let runtime = Runtime::from_lib(library).map_err(|error| error.to_string())?;
    FileTree::test_file("bench.roto", source, 0).compile(&runtime).map_err(|report| report.to_string().into())
}

fn request(request: &input::Request) -> Val<Arc<Request>> {
    Val(Arc::new(Request {
        role: request.user.role.as_str().into(),
        method: request.request.method.as_str().into(),
        groups: list(&request.user.groups),
        group: request.resource.group.as_str().into(),
        locked: request.resource.locked,
    }))
}

fn list(texts: &[String]) -> List<RotoString> {
    texts.iter().map(|text| RotoString::from(text.as_str())).collect()
}

fn source(workload: Workload) -> Option<String> {
    let decision = |member: &str| {
        format!(
            r#"fn main(r: Request) -> bool {{
                r.role() == "admin" || (r.method() == "GET" && {member} && !r.locked())
            }}"#
        )
    };
    let chain = |subject: &str| {
        let arms = text::arms(|zone, cluster| format!("if key == \"{zone}\" {{ \"{cluster}\" }} else "));
        format!("fn main(text: String) -> String {{ let key = {subject}; {arms}{{ \"none\" }} }}")
    };
    Some(match workload {
        Workload::PolicyCondition => decision("r.groups().contains(r.group())"),
        Workload::FlatCondition => decision(r#"r.group() == "group-03""#),
        Workload::Arithmetic => "fn main(a: i64, b: i64, c: i64, x: i64, y: i64) -> i64 {
            if (a * 3 + b / 2 - c) % 7 > 2 { x } else { y } }"
            .to_owned(),
        Workload::ThirdsKept => "fn main(b: f64) -> f64 { b / 3.0 }".to_owned(),
        Workload::Fractions => {
            "fn main(price: f64, limit: f64) -> bool { price * 1.15 + 0.1 > limit }".to_owned()
        }
        Workload::FractionsKept => "fn main(price: f64) -> f64 { price * 1.15 + 0.1 }".to_owned(),
        Workload::Template => r#"fn main(host: String, port: i64, tags: List[String]) -> String {
            f"http://{host}:{port}/{tags.join(",")}," }"#
            .to_owned(),
        Workload::Switch => chain("text"),
        Workload::SwitchBeside => chain("text.to_lowercase()"),
        _ => return None,
    })
}
