"""What of a conversation goes into the window: pieces of text, their references, their worth, ladders."""
