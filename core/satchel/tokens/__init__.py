"""Token counts, and their conversion for a model."""
