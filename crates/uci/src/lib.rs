//! The UCI protocol as text and types; every deviation is kept as a finding.
