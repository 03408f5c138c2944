"""A proxy before model servers that compacts conversations on the way; needs the extra `satchel[proxy]`."""
