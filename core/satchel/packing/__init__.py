"""Pack a workspace for a task: gather, score, represent, pack, render."""
