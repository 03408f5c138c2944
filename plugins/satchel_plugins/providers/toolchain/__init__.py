"""The tools that a project needs: which, in which versions, and what is there."""
