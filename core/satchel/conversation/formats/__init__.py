"""Providers' formats: each module reads and writes one of them, `blocks.py` what they have in common."""
