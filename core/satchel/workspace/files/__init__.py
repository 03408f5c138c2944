"""List the files of a workspace, classify them, and read their texts."""
