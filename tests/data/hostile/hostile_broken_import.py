"""Break while it is imported."""

raise SystemExit("broken while importing")
