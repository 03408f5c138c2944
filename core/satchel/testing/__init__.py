"""Support for plugins' own tests: a contract class for each kind, and fixtures."""
