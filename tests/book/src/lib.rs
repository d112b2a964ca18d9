//! The book in `docs/book` as tests: its Rust blocks are doctests of this crate, its HCL blocks, links and tables are
//! compared by the tests beside it. `cli/tests/readme.rs` runs its console blocks.

/// Declares the chapters: their names, and their Rust blocks as doctests.
macro_rules! chapters {
    ($($name:ident $file:literal)*) => {
        /// The files of the chapters in `docs/book/src`.
        pub const CHAPTERS: &[&str] = &[$($file),*];
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../../../docs/book/src/", $file))]
            struct $name;
        )*
    };
}

chapters! {
    Introduction "introduction.md"
    Tour "tour.md"
    TheCommand "command.md"
    Embedding "embedding.md"
    Bindings "bindings.md"
    Scopes "scopes.md"
    Functions "functions.md"
    Policies "policies.md"
    Terraform "terraform.md"
    TerraformPolicy "terraform-policy.md"
    Editors "editors.md"
    Scale "scale.md"
    Testing "testing.md"
    Reload "reload.md"
    Performance "performance.md"
    Security "security.md"
    Differences "differences.md"
    Machine "machine.md"
    Instructions "instructions.md"
    Contributing "contributing.md"
}
