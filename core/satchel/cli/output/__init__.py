"""Commands about commands' output."""
