"""Indexing everything ahead: the parts of all texts, split by processes of their own."""
