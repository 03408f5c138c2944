"""What stands in a window: its sections, its dearest parts, its history, what it costs, and what to do."""
