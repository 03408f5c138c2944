"""Size the window of a local model from its geometry and the free memory of the graphics cards."""
