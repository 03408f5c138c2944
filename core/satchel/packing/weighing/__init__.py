"""Weigh each part: the worth of showing it, by its salience, the question and the parts around it."""
