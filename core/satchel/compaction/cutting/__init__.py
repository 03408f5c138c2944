"""Cutting: messages with pieces left out, marks where they stood, and the archive that keeps the whole."""
