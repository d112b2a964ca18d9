//! Documents and programs.

use std::ptr;

use hclvm::Error;
use hclvm::check::Declared;

use crate::border::{Text, borrowed, elements, entry, free, owned};
use crate::error::ErrorHandle;
use crate::scope::Scope;

/// A parsed file. Immutable, and shared by threads.
pub struct Document(pub(crate) hclvm::Document);

/// A compiled expression. Immutable, and shared by threads.
pub struct Program {
    pub(crate) program: hclvm::Program,
    pub(crate) engine: hclvm::Engine,
}

/// Returns the document of a new text. Expressions that did not change are not compiled again. If the text has errors, the
/// old document stays in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_document_update(
    document: *const Document,
    text: Text,
    error: *mut *mut ErrorHandle,
) -> *mut Document {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe {
        entry(error, ptr::null_mut(), || {
            let (document, _) = borrowed(document)?.0.update(text.as_str()?)?;
            Ok(owned(Document(document)))
        })
    }
}

/// Returns the program of an attribute, in the block that the texts before its name describe: type and labels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_document_program(
    document: *const Document,
    path: *const Text,
    path_length: usize,
    error: *mut *mut ErrorHandle,
) -> *mut Program {
    // SAFETY: the caller passes null or valid pointers and texts.
    unsafe {
        entry(error, ptr::null_mut(), || {
            let document = &borrowed(document)?.0;
            let texts = elements(path, path_length)?.iter().map(|text| text.as_str());
            let path = texts.collect::<Result<Vec<_>, _>>()?;
            let attribute = match path.as_slice() {
                [] => None,
                [name] => document.attribute(name),
                [kind, labels @ .., name] => {
                    document.block(kind, labels).and_then(|block| block.attribute(name))
                }
            };
            let attribute =
                attribute.ok_or_else(|| Error::host(format!("there is no attribute {}", path.join("."))))?;
            Ok(owned(Program { program: attribute.program()?, engine: document.engine().clone() }))
        })
    }
}

/// Returns a scope for all programs of a document. It takes in only the parts of values that they read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_document_scope(
    document: *const Document,
    error: *mut *mut ErrorHandle,
) -> *mut Scope {
    // SAFETY: the caller passes null or valid pointers.
    unsafe {
        entry(error, ptr::null_mut(), || Ok(owned(Scope::new(borrowed(document)?.0.projection().scope()))))
    }
}

/// Checks a document without evaluating it. Returns its problems, or null if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_document_check(document: *const Document) -> *mut ErrorHandle {
    let mut problems = ptr::null_mut();
    // SAFETY: the caller passes null or a valid handle; a failure is one of the problems.
    let found = unsafe {
        entry(&raw mut problems, ptr::null_mut(), || {
            let found = borrowed(document)?.0.check(&Declared::anything());
            Ok(if found.is_empty() { ptr::null_mut() } else { owned(ErrorHandle::of(found)) })
        })
    };
    if problems.is_null() { found } else { problems }
}

/// Frees a document. Its programs, scopes and policies may still be used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_document_free(document: *mut Document) {
    // SAFETY: the caller passes null or a handle that it no longer uses.
    unsafe { free(document) }
}

/// Returns a scope for a program. It takes in only the parts of values that the program reads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_program_scope(
    program: *const Program,
    error: *mut *mut ErrorHandle,
) -> *mut Scope {
    // SAFETY: the caller passes null or valid pointers.
    unsafe {
        entry(error, ptr::null_mut(), || {
            let Program { program, engine } = borrowed(program)?;
            Ok(owned(Scope::new(engine.projection([program])?.scope())))
        })
    }
}

/// Frees a program. Views of its results become invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hclvm_program_free(program: *mut Program) {
    // SAFETY: the caller passes null or a handle that it no longer uses.
    unsafe { free(program) }
}
