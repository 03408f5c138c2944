"""Sessions: what was said and done, kept so that nothing is lost, and moved back and forth."""
