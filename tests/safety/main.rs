//! Limits of work, memory and depth, and values that are never shown.

mod bounded;
mod function_costs;
mod hidden_values;
mod influence;
mod limits;
mod marking;
mod module_limits;
mod policy_marks;
mod secrets;
mod stress;
