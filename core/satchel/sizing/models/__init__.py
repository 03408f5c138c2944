"""The facts about a model: from a file, a folder, or a server that has it."""
