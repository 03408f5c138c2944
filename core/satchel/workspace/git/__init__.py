"""What git knows about a workspace, asked so that a hostile repository cannot run a program."""
