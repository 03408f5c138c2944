"""Commands about the files of a workspace: the content of a window, and its reasons."""
