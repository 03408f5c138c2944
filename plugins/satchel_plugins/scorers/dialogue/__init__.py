"""Scorers of messages: what of a conversation matters for the task."""
