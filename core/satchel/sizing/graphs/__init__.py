"""The engine's graph of one micro-batch, drawn without numbers, to learn what it must keep at once."""
