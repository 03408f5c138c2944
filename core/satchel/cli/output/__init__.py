"""Commands about what commands print."""
