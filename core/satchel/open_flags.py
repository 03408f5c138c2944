"""Flags of `os.open`, 0 on systems without them: Windows knows `BINARY` alone."""

import os

BINARY: int = getattr(os, "O_BINARY", 0)
CLOSE_ON_EXEC: int = getattr(os, "O_CLOEXEC", 0)
DIRECTORY: int = getattr(os, "O_DIRECTORY", 0)
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
NON_BLOCKING: int = getattr(os, "O_NONBLOCK", 0)
