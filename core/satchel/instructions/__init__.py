"""Which instruction files are trusted, and which files are for reading only."""
