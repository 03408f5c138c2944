"""What people name: paths, lines, symbols, numbers and tracebacks, found in a text and resolved."""
