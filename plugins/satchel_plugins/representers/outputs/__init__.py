"""Representers of command output: each knows a family of tools."""
