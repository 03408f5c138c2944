"""The files of a workspace: which there are, what kind each is, and their texts."""
