"""Showing strangers' text: nothing in it hides, looks like a mark of ours, or makes an address ambiguous."""
