"""Agent programs such as Claude Code: satchel's entries in their settings, and answers to their hooks."""
