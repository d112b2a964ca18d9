//! The handle of an engine and what it was built with: the part of an engine that compiled code
//! refers to.
//!
//! Everything that an engine makes holds this handle, so it refers only to the cache and the units in
//! it. The builder is in [`engine`](crate::engine); methods that make something are beside what they
//! make: `parse` in `syntax/document.rs`, `compile` in `compile/program.rs`, `scope` in
//! `run/scope.rs`, `session` in `run/session.rs`.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use hclvm_compiler::source::Input;
use hclvm_compiler::{
    LexMode, explain_comment_ends, further, keep_repairs, parse_config, parse_expression, parse_template,
};
use hclvm_vm::{Arena, Diagnostic, Names};

use crate::compile::cache::CodeCache;
use crate::compile::scratch_pool::ScratchPool;
use crate::dialect::Dialect;
use crate::limits::Limits;

/// Parses and compiles. Cheap to clone and shared between threads.
#[derive(Clone)]
pub struct Engine(Arc<EngineSettings>);

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Engine({:?})", self.0.dialect)
    }
}

/// The settings of an engine, and what its programs share.
#[derive(Debug)]
pub(crate) struct EngineSettings {
    pub(crate) dialect: Dialect,
    pub(crate) limits: Limits,
    /// True if all mistakes of a text are reported.
    further: bool,
    /// True if diagnostics of evaluations show no values.
    hides_values: bool,
    /// The most threads that compile a large file at once.
    pub(crate) compile_threads: NonZeroUsize,
    /// The symbols of the attribute names that its programs mention.
    pub(crate) names: Names,
    pub(crate) cache: CodeCache,
    pub(crate) scratch_pool: ScratchPool,
}

impl Engine {
    pub(crate) fn with_settings(
        dialect: Dialect,
        limits: Limits,
        further: bool,
        hides_values: bool,
        compile_threads: NonZeroUsize,
    ) -> Self {
        Self(Arc::new(EngineSettings {
            dialect,
            limits,
            further,
            hides_values,
            compile_threads,
            names: Names::new(),
            cache: CodeCache::default(),
            scratch_pool: ScratchPool::default(),
        }))
    }

    /// Returns true if both are clones of one engine.
    #[inline]
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the problems of a text: `first`, those that its parse found, and if the engine reports all, the
    /// mistakes after them. The changes that they propose are repairs.
    pub(crate) fn all_problems(
        &self,
        input: Input<'_>,
        mode: LexMode,
        mut first: Vec<Diagnostic>,
    ) -> Vec<Diagnostic> {
        if first.is_empty() {
            return first;
        }
        let limits = self.0.limits.of_texts();
        if self.0.further {
            let more = further(input, mode, &limits, &first);
            first.extend(more);
        }
        keep_repairs(input.text, &mut first, |text| match mode {
            LexMode::Config => parse_config(text, &limits).diagnostics,
            LexMode::Expression => parse_expression(text, &limits).diagnostics,
            LexMode::Template => parse_template(text, &limits).diagnostics,
        });
        explain_comment_ends(input, mode, &mut first);
        first
    }

    /// Returns true if diagnostics of evaluations show no values.
    pub(crate) fn hides_values(&self) -> bool {
        self.0.hides_values
    }

    pub(crate) fn settings(&self) -> &EngineSettings {
        &self.0
    }
}

impl EngineSettings {
    /// Creates memory for values of a scope or a session.
    // Out of line: most variables are set in memory that a scope has already.
    #[cold]
    #[inline(never)]
    pub(crate) fn arena(&self) -> Arena {
        let mut arena = Arena::with_limits(self.limits.of_runs());
        arena.set_symbols(self.names.snapshot());
        arena
    }
}
