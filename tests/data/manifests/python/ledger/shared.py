"""Cleans text."""


def clean(text):
    return text.strip()
