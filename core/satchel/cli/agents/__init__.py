"""Commands that put satchel into agent programs, and what those run."""
