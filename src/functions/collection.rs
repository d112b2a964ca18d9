//! Functions of lists, maps, tuples and objects.
