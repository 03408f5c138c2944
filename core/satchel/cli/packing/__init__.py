"""Commands about the files of a workspace: what goes into a window, and why."""
