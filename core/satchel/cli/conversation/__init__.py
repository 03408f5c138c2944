"""Commands about a conversation and its window."""
