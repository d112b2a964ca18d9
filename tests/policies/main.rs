//! Modules, policies, reports and explanations.

mod module;
mod module_differential;
mod policy;
mod policy_mistakes;
mod policy_mutations;
mod policy_reports;
mod reports;
mod why;
mod why_differential;
