"""The index of a workspace: documents, terms, postings, and ranking."""
