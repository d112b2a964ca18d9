//! What expressions evaluate to, and what is said when they fail.

mod applications;
mod arithmetic;
mod cases;
mod defined_functions;
mod deviations;
mod dynamic;
mod errors;
mod functions;
mod intervals;
mod messages;
mod messages_of_names;
mod names;
mod pending;
mod prefixes;
mod proposals;
mod results;
mod shortcuts;
mod spec;
mod undefined;
