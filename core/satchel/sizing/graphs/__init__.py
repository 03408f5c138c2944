"""The engine's graph of one micro-batch, drawn without numbers, to learn the tensors it keeps at once."""
