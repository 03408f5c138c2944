"""Weigh: what showing each part is worth, from its salience, what is asked for, and what stands around it."""
