"""Broken histories: what is wrong with one, and how it is made right."""
