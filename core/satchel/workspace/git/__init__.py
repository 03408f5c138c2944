"""Ask git about a workspace, so that a hostile repository cannot run a program."""
