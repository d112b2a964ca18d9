//! Policies: rules that allow or deny.

use std::ptr;

use hclvm::policy::{Cause as EngineCause, Combining, PolicySpec};

use crate::border::{StringHandle, Text, borrowed, entry, free, owned, store};
use crate::document::Document;
use crate::error::ErrorHandle;
use crate::scope::Scope;
use crate::session::Session;
use crate::view::View;

/// The rules of a file as a policy. Immutable, and shared by threads.
pub struct Policy(hclvm::policy::Policy);

/// How the blocks of a file are a policy. Absent texts are the defaults.
#[repr(C)]
pub struct PolicyOptions {
    /// The type of the blocks that are rules: `rule`.
    pub kind: Text,
    /// The attribute that is true if a rule applies: `when`.
    pub condition: Text,
    /// The attribute with the effect, `allow` or `deny`: `effect`.
    pub effect: Text,
    /// The effect if no rule applies: `deny`.
    pub default_effect: Text,
    /// The effect that overrides others: a rule with it decides if it applies. Absent if the first rule that applies decides.
    pub overriding_effect: Text,
}

/// Why a decision has its effect.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum Cause {
    /// A rule applies.
    Rule = 0,
    /// No rule applies.
    NoRule,
    /// It is not certain which rule decides.
    Undecided,
}

/// A decision. Its texts and views are valid until the session is used again, and as long as the policy exists and the scope
/// is not changed.
#[repr(C)]
pub struct Decision {
    /// The effect.
    pub effect: Text,
    /// Why it is that.
    pub cause: Cause,
    /// The first label of the rule that decided, absent if there is none.
    pub rule: Text,
    /// The reason of the rule, absent if there is none or if it is marked.
    pub reason: Text,
    /// What the host has to do.
    pub obligations: *const View,
    /// The number of obligations.
    pub obligation_count: usize,
}

/// Returns the rules of a document as a policy, in the usual form if the options are null. Mistakes in rules are errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_policy_new(
    document: *const Document,
    options: *const PolicyOptions,
    error: *mut *mut ErrorHandle,
) -> *mut Policy {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe {
        entry(error, ptr::null_mut(), || {
            let mut spec = PolicySpec::default();
            if let Some(options) = options.as_ref() {
                spec.kind = options.kind.as_optional()?.unwrap_or(spec.kind);
                spec.condition = options.condition.as_optional()?.unwrap_or(spec.condition);
                spec.effect = options.effect.as_optional()?.unwrap_or(spec.effect);
                spec.default_effect = options.default_effect.as_optional()?.unwrap_or(spec.default_effect);
                let overriding = options.overriding_effect.as_optional()?;
                spec.combining = overriding.map_or(Combining::First, Combining::Overrides);
            }
            Ok(owned(Policy(borrowed(document)?.0.module()?.policy(&spec)?)))
        })
    }
}

/// Decides for the values of a scope of the policy's document. If it fails, the decision is `deny`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_policy_decide(
    policy: *const Policy,
    session: *mut Session,
    scope: *const Scope,
    to: *mut Decision,
    error: *mut *mut ErrorHandle,
) -> bool {
    // SAFETY: the caller passes null or valid pointers, and null or memory for the results.
    unsafe {
        let denied = Decision {
            effect: Text::of("deny"),
            cause: Cause::Undecided,
            rule: Text::NONE,
            reason: Text::NONE,
            obligations: ptr::null(),
            obligation_count: 0,
        };
        store(to, denied);
        entry(error, false, || {
            let (policy, handle, scope) = (borrowed(policy)?, borrowed(session)?, borrowed(scope)?);
            let decision = handle.with(|session| {
                scope.read(|scope| {
                    let decision = policy.0.decide(session, scope)?;
                    let mut obligations = handle.obligations.borrow_mut();
                    *obligations = decision.obligations().map(|(_, value)| View::of(value)).collect();
                    Ok(Decision {
                        effect: Text::of(decision.effect()),
                        cause: match decision.cause() {
                            EngineCause::Rule => Cause::Rule,
                            EngineCause::NoRule => Cause::NoRule,
                            _ => Cause::Undecided,
                        },
                        rule: Text::of_optional(decision.name()),
                        reason: Text::of_optional(decision.reason()),
                        obligations: obligations.as_ptr(),
                        obligation_count: obligations.len(),
                    })
                })
            })?;
            store(to, decision);
            Ok(true)
        })
    }
}

/// Explains which rule decides and why.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_policy_why(
    policy: *const Policy,
    session: *mut Session,
    scope: *const Scope,
    error: *mut *mut ErrorHandle,
) -> *mut StringHandle {
    // SAFETY: the caller passes null or valid pointers.
    unsafe {
        entry(error, ptr::null_mut(), || {
            let (policy, session, scope) = (borrowed(policy)?, borrowed(session)?, borrowed(scope)?);
            let why = session.with(|session| scope.read(|scope| policy.0.why(session, scope)))?;
            Ok(owned(StringHandle(why.to_string())))
        })
    }
}

/// Frees a policy. Decisions become invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_policy_free(policy: *mut Policy) {
    // SAFETY: the caller passes null or a handle that it no longer uses.
    unsafe { free(policy) }
}
