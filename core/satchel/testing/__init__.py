"""What a plugin's own tests need: a contract class for each kind, and two fixtures."""
