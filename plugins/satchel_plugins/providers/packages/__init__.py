"""Packages in use: what the task names and files import, found in manifests and lock files."""
