"""Find and resolve what a text names: paths, lines, symbols, numbers and tracebacks."""
