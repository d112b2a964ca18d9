//! The HTTP binding of the AuthZEN Authorization API 1.0: one evaluation, and several in one request.
//!
//! ```text
//! POST /access/v1/evaluation    {subject, action, resource, context}            {decision, context}
//! POST /access/v1/evaluations   the same as defaults of `evaluations`, options   {evaluations: [{decision, context}, …]}
//! ```
//! A request that cannot be read is answered with a status of 400 or more, and with a decision that denies. Answers contain
//! names and reasons of rules, and no part of the request.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request as HttpRequest, State};
use axum::http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use hclvm::{Error, Scope, Value};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::attributes::{Input, OF_ENVOY};
use crate::decide::Decider;
use crate::http::read_body;

/// The most evaluations of a request. Each may take as long as a decision may.
const MOST_EVALUATIONS: usize = 100;

/// The header that names a request, and is repeated in the answer.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What all requests share.
#[derive(Clone, Debug)]
pub(crate) struct AuthZen {
    decider: Arc<Decider>,
    body_bytes: usize,
}

impl AuthZen {
    pub(crate) fn new(decider: Arc<Decider>, body_bytes: usize) -> Self {
        Self { decider, body_bytes }
    }

    /// Returns the service: it answers every method and path, so that each refusal is a decision.
    pub(crate) fn router(self) -> Router {
        Router::new().fallback(answer).with_state(self)
    }
}

/// The parts of an evaluation, as they were sent.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct Evaluation<'r> {
    #[serde(borrow)]
    subject: Option<&'r RawValue>,
    #[serde(borrow)]
    action: Option<&'r RawValue>,
    #[serde(borrow)]
    resource: Option<&'r RawValue>,
    #[serde(borrow)]
    context: Option<&'r RawValue>,
}

/// Several evaluations. The request is also an [`Evaluation`], which has the parts that they have in common.
#[derive(Debug, Deserialize)]
struct Evaluations<'r> {
    #[serde(borrow)]
    evaluations: Option<Vec<Evaluation<'r>>>,
    options: Option<Options>,
}

#[derive(Debug, Default, Deserialize)]
struct Options {
    evaluations_semantic: Option<Semantic>,
}

/// After which decision further evaluations are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Semantic {
    #[default]
    ExecuteAll,
    DenyOnFirstDeny,
    PermitOnFirstPermit,
}

impl Semantic {
    fn ends(self, decision: bool) -> bool {
        match self {
            Self::ExecuteAll => false,
            Self::DenyOnFirstDeny => !decision,
            Self::PermitOnFirstPermit => decision,
        }
    }
}

/// The shape of a subject and of a resource, by which they are checked.
#[derive(Debug, Deserialize)]
struct Entity {
    #[serde(rename = "type")]
    _kind: String,
    #[serde(rename = "id")]
    _id: String,
    #[serde(default, rename = "properties")]
    _properties: Object,
}

#[derive(Debug, Deserialize)]
struct Action {
    #[serde(rename = "name")]
    _name: String,
    #[serde(default, rename = "properties")]
    _properties: Object,
}

type Object = serde_json::Map<String, serde_json::Value>;

/// An evaluation that has all that it needs.
#[derive(Debug)]
struct Complete<'r> {
    subject: &'r RawValue,
    action: &'r RawValue,
    resource: &'r RawValue,
    context: Option<&'r RawValue>,
}

impl<'r> Evaluation<'r> {
    /// Takes the parts that it lacks from `defaults`. Returns which part is missing or has another shape.
    fn complete(self, defaults: Self) -> Result<Complete<'r>, &'static str> {
        Ok(Complete {
            subject: checked::<Entity>(self.subject.or(defaults.subject))
                .ok_or("`subject` is an object with the texts `type` and `id`, and perhaps `properties`.")?,
            action: checked::<Action>(self.action.or(defaults.action))
                .ok_or("`action` is an object with the text `name`, and perhaps `properties`.")?,
            resource: checked::<Entity>(self.resource.or(defaults.resource))
                .ok_or("`resource` is an object with the texts `type` and `id`, and perhaps `properties`.")?,
            context: match self.context.or(defaults.context) {
                Some(context) => Some(checked::<Object>(Some(context)).ok_or("`context` is an object.")?),
                None => None,
            },
        })
    }
}

/// Returns a part if it has a shape.
fn checked<'r, T: Deserialize<'r>>(part: Option<&'r RawValue>) -> Option<&'r RawValue> {
    part.filter(|part| serde_json::from_str::<T>(part.get()).is_ok())
}

impl Input for Complete<'_> {
    fn set(&self, scope: &mut Scope) -> Result<(), Error> {
        // The scope had another request before, perhaps of Envoy. Reading null is an error, which denies.
        for name in OF_ENVOY {
            scope.set_value(name, Value::NULL)?;
        }
        scope.set_json("subject", self.subject.get())?;
        scope.set_json("action", self.action.get())?;
        scope.set_json("resource", self.resource.get())?;
        scope.set_json("context", self.context.map_or("{}", RawValue::get))
    }
}

/// The answer to an evaluation.
#[derive(Debug, Serialize)]
struct Decided {
    decision: bool,
    #[serde(skip_serializing_if = "Context::is_empty")]
    context: Context,
}

#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Context {
    /// The name of the rule that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Refusal>,
}

impl Context {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Why a request, or one of its evaluations, cannot be given to the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Refusal {
    status: u16,
    message: &'static str,
}

impl From<Refusal> for Decided {
    fn from(refusal: Refusal) -> Self {
        Self { decision: false, context: Context { error: Some(refusal), ..Context::default() } }
    }
}

async fn answer(State(service): State<AuthZen>, request: HttpRequest) -> Response {
    let id = request.headers().get(REQUEST_ID).cloned();
    let mut response = match service.answered(request).await {
        Ok(body) => response(StatusCode::OK, body),
        Err(refusal) => {
            service.decider.refuse(refusal.status);
            let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
            response(status, json(&Decided::from(refusal)))
        }
    };
    if let Some(id) = id {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

fn response(status: StatusCode, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn json(value: &impl Serialize) -> String {
    // Texts and bools can be written. Whatever else happens, an empty body allows nothing.
    serde_json::to_string(value).unwrap_or_default()
}

/// Returns true if a body is JSON by its header.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

#[derive(Debug, Serialize)]
struct AllDecided {
    evaluations: Vec<Decided>,
}

impl AuthZen {
    /// Returns the body of the answer.
    async fn answered(&self, request: HttpRequest) -> Result<String, Refusal> {
        let refused = |status, message| Err(Refusal { status, message });
        let is_batch = match request.uri().path() {
            "/access/v1/evaluation" => false,
            "/access/v1/evaluations" => true,
            _ => return refused(404, "There are /access/v1/evaluation and /access/v1/evaluations."),
        };
        if request.method() != Method::POST {
            return refused(405, "Evaluations are sent with POST.");
        }
        if !is_json(request.headers()) {
            return refused(415, "The content type is application/json.");
        }
        let body = read_body(request.into_body(), self.body_bytes).await;
        let body =
            body.map_err(|status| Refusal { status, message: "The body is too large or too late." })?;
        let begin = Instant::now();
        let answer = if is_batch { self.all(&body).await } else { self.one(&body) };
        self.decider.metrics.add_authzen(begin.elapsed());
        answer
    }

    fn one(&self, body: &[u8]) -> Result<String, Refusal> {
        let refused = |message| Refusal { status: 400, message };
        let evaluation: Evaluation<'_> =
            serde_json::from_slice(body).map_err(|_| refused("The body is not an evaluation in JSON."))?;
        let complete = evaluation.complete(Evaluation::default()).map_err(refused)?;
        Ok(json(&self.decided(&complete)))
    }

    async fn all(&self, body: &[u8]) -> Result<String, Refusal> {
        let refused = |message| Refusal { status: 400, message };
        let malformed = |_| refused("The body is not a list of evaluations in JSON.");
        let defaults: Evaluation<'_> = serde_json::from_slice(body).map_err(malformed)?;
        let Evaluations { evaluations, options } = serde_json::from_slice(body).map_err(malformed)?;
        let Some(evaluations) = evaluations.filter(|all| !all.is_empty()) else {
            return Ok(json(&self.decided(&defaults.complete(Evaluation::default()).map_err(refused)?)));
        };
        if evaluations.len() > MOST_EVALUATIONS {
            return Err(Refusal { status: 413, message: "A request has at most 100 evaluations." });
        }
        let semantic = options.unwrap_or_default().evaluations_semantic.unwrap_or_default();
        let mut decided = Vec::with_capacity(evaluations.len());
        for evaluation in evaluations {
            let one = match evaluation.complete(defaults) {
                Ok(complete) => self.decided(&complete),
                Err(message) => Decided::from(refused(message)),
            };
            let is_last = semantic.ends(one.decision);
            decided.push(one);
            if is_last {
                break;
            }
            // Other requests of this thread come between.
            tokio::task::yield_now().await;
        }
        Ok(json(&AllDecided { evaluations: decided }))
    }

    fn decided(&self, evaluation: &Complete<'_>) -> Decided {
        let (answer, context) = self.decider.decide_and_read(evaluation, |decision| Context {
            id: decision.name().map(str::to_owned),
            reason: decision.reason().map(str::to_owned),
            error: None,
        });
        Decided { decision: answer.is_allowed, context: context.unwrap_or_default() }
    }
}
