//! Functions of numbers and bools: the operators by name, rounding, extremes.
