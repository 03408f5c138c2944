"""Counts of tokens, and what they mean for a model."""
