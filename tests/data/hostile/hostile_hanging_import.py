"""Hang while it is imported."""

import time

time.sleep(60)
