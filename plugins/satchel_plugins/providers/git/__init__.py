"""Providers that read git: the state of the tree, changes, conflicts, commits, and aids for a review."""
