//! Reading arguments that the protocol of calls has already checked and converted.
