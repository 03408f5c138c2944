"""Command output: clean it, fold it, judge it, keep what matters; and run commands."""
