"""Draws thumbnails of receipts."""

from PIL import Image


def thumbnail(receipt):
    return Image.open(receipt)
