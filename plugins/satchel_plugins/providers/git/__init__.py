"""What git knows: the state of the tree, changes, conflicts, commits, and what a review needs beside them."""
