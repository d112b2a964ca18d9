//! HCL expressions compiled to bytecode: parse once, evaluate many times.

pub mod functions;
