//! What people and machines read: terminal, CSV, JSON, JUnit, HTML.
