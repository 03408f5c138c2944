"""The index of a workspace: documents, terms, postings, and the ranking that they allow."""
