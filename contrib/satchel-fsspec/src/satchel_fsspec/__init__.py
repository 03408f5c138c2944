"""The archive on any file system of fsspec, at addresses such as `s3://bucket/prefix`."""

from __future__ import annotations

from satchel.plugin_api import Later, hookimpl

__all__ = ["satchel_blob_stores"]

SCHEMES = frozenset({"abfs", "az", "file", "gcs", "gs", "memory", "s3", "sftp"})


@hookimpl
def satchel_blob_stores() -> list[Later]:
    """Return the store of the archive's texts."""
    return [Later("fsspec", "satchel_fsspec.plugins:FileSystems", SCHEMES)]
